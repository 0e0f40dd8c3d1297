/* QUEUE_STATE: a buffer is asked of a pool that was given no memory. */
#include "tiles.h"

__global__ __vector__ void ones(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  TBufPool<TPosition::VECCALC> pool;
#ifdef REPAIRED
  tiles.pipe.InitBufPool(pool, TILE * 4);
#endif
  TBuf<TPosition::VECCALC> place;
  pool.InitBuffer(place, TILE * 4); /* @end */
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 1.0f, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  ones<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
