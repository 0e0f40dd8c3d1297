/* QUEUE_USE_AFTER_FREE: a tensor is read by an instruction behind its FreeTensor. */
#include "tiles.h"

__global__ __vector__ void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
#ifdef REPAIRED
  Adds(b, a, 1.0f, TILE);
  tiles.in.FreeTensor(a);
#else
  tiles.in.FreeTensor(a); /* @end */
  Adds(b, a, 1.0f, TILE); /* @end */
#endif
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  plus_one<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
