/* H20: an operator has two TPipe objects one after the other and leans on the barrier at the end of the first. */
#include "hazard.h"

__aicore__ inline void Load(GM_ADDR x) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, TILE * 4);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * TILE, TILE);
  DataCopy(buffer.Get<float>(), gm, TILE); /* @end */
}

__aicore__ inline void Fill(GM_ADDR y) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, TILE * 4);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * TILE, TILE);
  LocalTensor<float> tile = buffer.Get<float>();
  Duplicate(tile, 1.0f, TILE); /* @end */
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gm, tile, TILE);
}

__global__ __vector__ void warm_and_fill(GM_ADDR x, GM_ADDR y) {
  Load(x);
#ifdef REPAIRED
  PipeBarrier<PIPE_ALL>();
#endif
  Fill(y);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  warm_and_fill<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
