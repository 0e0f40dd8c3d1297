/* LOCAL_OUT_OF_BOUNDS: the buffers of a pipe take more than the unified buffer has. */
#include "tiles.h"

#ifdef REPAIRED
constexpr uint32_t EACH = 40 * 1024;
#else
constexpr uint32_t EACH = 100 * 1024;
#endif

__global__ __vector__ void double_it(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<> first, second;
  pipe.InitBuffer(first, EACH);
  pipe.InitBuffer(second, EACH); /* @end */
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * TILE, TILE);
  to.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * TILE, TILE);
  LocalTensor<float> a = first.Get<float>(), b = second.Get<float>();
  DataCopy(a, from, TILE);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(b, a, 2.0f, TILE);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, b, TILE);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  double_it<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
