/* H35: a barrier through device memory finds in its workspace what another operator left there. */
#include "hazard.h"

__aicore__ inline void Store(GlobalTensor<int32_t> to, int32_t value, uint32_t elems) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<int32_t> tile = buffer.Get<int32_t>();
  Duplicate(tile, value, elems);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, tile, elems); /* @end */
  PipeBarrier<PIPE_ALL>();
}

__global__ __vector__ void scratch(GM_ADDR workspace) {
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer((__gm__ int32_t *)workspace + GetBlockIdx() * 8, 8);
#ifdef REPAIRED
  Store(gm, 0, 8);
#else
  Store(gm, 3, 8);
#endif
}

__global__ __vector__ void meet(GM_ADDR workspace, GM_ADDR out) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 32);
  GlobalTensor<int32_t> gm, result;
  gm.SetGlobalBuffer((__gm__ int32_t *)workspace, CORES * 8);
  result.SetGlobalBuffer((__gm__ int32_t *)out + GetBlockIdx() * 8, 8);
  SyncAll(gm, buffer.Get<int32_t>()); /* @end */
  pipe.Destroy();
  PipeBarrier<PIPE_ALL>();
  Store(result, 1, 8);
}

int main(void) {
  start();
  GM_ADDR workspace = (GM_ADDR)device(CORES * 32, 0);
  GM_ADDR out = (GM_ADDR)device(CORES * 32, 0);
  scratch<<<CORES, 0, NULL>>>(workspace);
  meet<<<CORES, 0, NULL>>>(workspace, out);
  return finish();
}
