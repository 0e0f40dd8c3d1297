/* OVERLAP: a broadcast of blocks onto its own source. */
#include "tiles.h"

__global__ __vector__ void compute(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
  PipeBarrier<PIPE_V>();
#ifdef REPAIRED
  Brcb(b, a, 4, {1, 8});
#else
  Brcb(a, a, 4, {1, 8}); /* @end */
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
