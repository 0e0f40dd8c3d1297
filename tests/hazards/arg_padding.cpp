/* BAD_ARGUMENT: a padded copy with more padding than a block of 32 bytes. */
#include "tiles.h"

#ifdef REPAIRED
#define LEFT 8u
#else
#define LEFT 9u
#endif

__global__ __vector__ void shift(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  LocalTensor<float> a = tiles.in.AllocTensor<float>();
  DataCopyPad(a, tiles.x, {1, (TILE - 8) * 4, 0, 0, 0}, {true, LEFT, 0, 0.0f}); /* @end */
  tiles.in.EnQue(a);
  a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Adds(b, a, 1.0f, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  shift<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
