/* SYNC_LOCAL: faults in function templates, with types and with lambdas as arguments, that are inlined or not as the
 * compiler likes. @with SYNC_GM @with SAME_PIPE */
#include "hazard.h"

template <typename T, class Operation>
__aicore__ inline void apply(const LocalTensor<T> &tile, const GlobalTensor<T> &out, Operation operation) {
  operation(tile); /* twice, without a barrier */
#ifdef REPAIRED
  PipeBarrier<PIPE_V>();
#endif
  Adds(tile, tile, static_cast<T>(1), LINE); /* @end */
#ifdef REPAIRED
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
#endif
  DataCopy(out, tile, LINE); /* @end */
#ifdef REPAIRED
  SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
#endif
}

__global__ __mix__(0, 1) void templates(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 2 * LINE * 4);
  LocalTensor<int32_t> whole = buffer.Get<int32_t>(LINE);
  LocalTensor<float> real = buffer.GetWithOffset<float>(LINE, LINE * 4);
  GlobalTensor<int32_t> wholes;
  GlobalTensor<float> reals;
#ifdef REPAIRED
  uint32_t mine = GetBlockIdx() * LINE;
#else
  uint32_t mine = 0;
#endif
  wholes.SetGlobalBuffer((__gm__ int32_t *)x + mine, LINE);
  reals.SetGlobalBuffer((__gm__ float *)y + mine, LINE);
  apply(whole, wholes, [](const LocalTensor<int32_t> &tile) { Duplicate(tile, 5, LINE); });
  apply(real, reals, [](const LocalTensor<float> &tile) { Duplicate(tile, 2.0f, LINE); });
  apply(real, reals, [](const auto &tile) { Duplicate(tile, 3.0f, LINE); });
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * LINE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * LINE * 4, 0);
  templates<<<CORES, 0, nullptr>>>(x, y);
  return finish();
}
