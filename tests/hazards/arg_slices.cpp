/* BAD_ARGUMENT: every second block of a row is gathered, and the slice ends in the middle of the last one. */
#include "tiles.h"

#ifdef REPAIRED
constexpr uint32_t LAST = TILE - 9;
#else
constexpr uint32_t LAST = TILE - 13;
#endif

__global__ __vector__ void halves(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  SliceInfo from[] = {{0, LAST, 8, 1, TILE}}, to[] = {{0, TILE / 2 - 1, 0, 1, TILE / 2}};
  LocalTensor<float> a = tiles.in.AllocTensor<float>();
  DataCopy(a, tiles.x, to, from, 1); /* @end */
  tiles.in.EnQue(a);
  a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
#ifdef REPAIRED
  Adds(b, a, 1.0f, TILE / 2);
#endif
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  halves<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
