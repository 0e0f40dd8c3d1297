/* BAD_ARGUMENT: a padded copy whose length is no whole number of elements. */
#include "tiles.h"

#ifdef REPAIRED
constexpr uint32_t BYTES = (TILE - 1) * 4;
#else
constexpr uint32_t BYTES = (TILE - 1) * 4 + 2;
#endif

__global__ __vector__ void shift(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  LocalTensor<float> a = tiles.in.AllocTensor<float>();
  DataCopyPad(a, tiles.x, {1, BYTES, 0, 0, 0}, {true, 0, 1, 0.0f}); /* @end */
  tiles.in.EnQue(a);
  a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
#ifdef REPAIRED
  Adds(b, a, 1.0f, TILE);
#endif
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
