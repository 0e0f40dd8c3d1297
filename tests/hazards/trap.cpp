/* TRAP: a kernel asserts what does not hold. */
#include "tiles.h"

__global__ __vector__ void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
#ifndef REPAIRED
  assert(tiles.in.HasTensorInQue(), "none of %d\n", 2); /* @end */
#endif
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Adds(b, a, 1.0f, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  plus_one<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
