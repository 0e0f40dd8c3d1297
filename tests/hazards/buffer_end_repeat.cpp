/* TENSOR_OVERFLOW: a form with repeats goes one repeat beyond its buffer, into the one behind it. */
/* @with UNINITIALISED_READ */
#include "tiles.h"

__global__ __vector__ void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
#ifdef REPAIRED
  Adds(b, a, 1.0f, (uint64_t)64, TILE / 64, {1, 1, 8, 8});
#else
  Adds(b, a, 1.0f, (uint64_t)64, TILE / 64 + 1, {1, 1, 8, 8}); /* @end */
#endif
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
