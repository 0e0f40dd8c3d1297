/* BAD_ARGUMENT: a padded copy of 64-bit elements with a padding value, which only narrower ones may have. */
#include "tiles.h"

#ifdef REPAIRED
constexpr int64_t VALUE = 0;
#else
constexpr int64_t VALUE = 7;
#endif

__global__ __vector__ void copy(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, TILE * 8);
  LocalTensor<int64_t> tile = buffer.Get<int64_t>();
  GlobalTensor<int64_t> from, to;
  from.SetGlobalBuffer((__gm__ int64_t *)x + GetBlockIdx() * TILE, TILE);
  to.SetGlobalBuffer((__gm__ int64_t *)y + GetBlockIdx() * TILE, TILE);
  DataCopyPad(tile, from, DataCopyExtParams{1, (TILE - 2) * 8, 0, 0, 0}, DataCopyPadExtParams<int64_t>{true, 0, 2, VALUE}); /* @end */
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
#ifdef REPAIRED
  DataCopy(to, tile, TILE);
#endif
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 8, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 8, 0);
  copy<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
