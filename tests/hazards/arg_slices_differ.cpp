/* BAD_ARGUMENT: the slices of source and destination have different numbers of bursts. */
#include "tiles.h"

#ifdef REPAIRED
constexpr uint32_t ROWS = 4;
#else
constexpr uint32_t ROWS = 3;
#endif

__global__ __vector__ void columns(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  /* Two blocks of each of four rows of 64, side by side. */
  SliceInfo from[] = {{8, 23, 0, 2, 64}, {0, ROWS - 1, 0, 1, 4}}, to[] = {{0, 15, 0, 2, 16}, {0, 3, 0, 1, 4}};
  LocalTensor<float> a = tiles.in.AllocTensor<float>();
  DataCopy(a, tiles.x, to, from, 2); /* @end */
  tiles.in.EnQue(a);
  a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
#ifdef REPAIRED
  Adds(b, a, 1.0f, 4 * 16);
#endif
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  columns<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
