/* BAD_ARGUMENT: a reduction with an index whose work tensor has room for the values only. */
#include "tiles.h"

#ifdef REPAIRED
constexpr uint32_t ROOM = 16; // pairs of four repeats, and of the one repeat they make
#else
constexpr uint32_t ROOM = 8;
#endif

__global__ __vector__ void greatest(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  TBuf<> place;
  tiles.pipe.InitBuffer(place, 256);
  LocalTensor<float> work = place.GetWithOffset<float>(ROOM, 0);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
  ReduceMax(b, a, work, TILE, true); /* @end */
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  greatest<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
