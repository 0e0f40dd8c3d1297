/* BAD_ARGUMENT: a merge whose valid bits leave a queue out in the middle. */
#include "tiles.h"

__global__ __vector__ void compute(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  const uint16_t lengths[4] = {16, 16, 16, 16};
  Duplicate(b, 0.0f, TILE);
  PipeBarrier<PIPE_V>();
#ifdef REPAIRED
  MrgSort(b, MrgSortSrcList<float>(a, a[32], a[64], a[96]), MrgSort4Info(lengths, false, 15, 1));
#else
  MrgSort(b, MrgSortSrcList<float>(a, a[32], a[64], a[96]), MrgSort4Info(lengths, false, 5, 1)); /* @end */
#endif
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  compute<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
