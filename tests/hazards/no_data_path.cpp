/* NO_DATA_PATH: a tile of L1 is loaded into the accumulator, to which nothing leads but the cube unit. */
#include "hazard.h"

constexpr uint32_t N = 16;

__global__ __cube__ void product(GM_ADDR x) {
  TPipe pipe;
  TBuf<TPosition::A1> left_l1;
  TBuf<TPosition::A2> left;
  TBuf<TPosition::CO1> sum;
  pipe.InitBuffer(left_l1, N * N * 2);
  pipe.InitBuffer(left, N * N * 2);
  pipe.InitBuffer(sum, N * N * 4);
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer((__gm__ half *)x, N * N);
  LocalTensor<half> tile = left_l1.Get<half>();
  DataCopy(tile, gm, N * N);
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  LoadData2DParams whole;
  whole.repeatTimes = 1;
#ifdef REPAIRED
  LoadData(left.Get<half>(), tile, whole);
#else
  LoadData(sum.Get<half>(), tile, whole); /* @end */
#endif
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(N * N * 2, 0);
  product<<<1, 0, NULL>>>(x);
  return finish();
}
