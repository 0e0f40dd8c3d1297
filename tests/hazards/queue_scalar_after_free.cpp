/* QUEUE_USE_AFTER_FREE: scalar code writes into a tensor that was given back. */
#include "tiles.h"

__global__ __vector__ void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  for (uint32_t i = 0; i < 4; i++) { /* each of the two buffers is given out again */
    tiles.Load();
    LocalTensor<float> a = tiles.in.DeQue<float>();
    LocalTensor<float> b = tiles.out.AllocTensor<float>();
    float last = a.GetValue(TILE - 1);
    Adds(b, a, last, TILE);
#ifdef REPAIRED
    a.SetValue(1, last);
    tiles.in.FreeTensor(a);
#else
    tiles.in.FreeTensor(a); /* @end */
    a.SetValue(1, last);    /* @end */
#endif
    tiles.Store(b);
  }
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  plus_one<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
