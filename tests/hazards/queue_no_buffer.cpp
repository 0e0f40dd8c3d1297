/* QUEUE_STATE: a tensor is taken from a queue that was given no buffers. */
#include "tiles.h"

__global__ __vector__ void compute(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  TQue<TPosition::VECOUT, 1> none;
#ifdef REPAIRED
  tiles.pipe.InitBuffer(none, 1, TILE * 4);
#endif
  Duplicate(b, 0.0f, TILE);
  PipeBarrier<PIPE_V>();
#ifdef REPAIRED
  LocalTensor<float> c = none.AllocTensor<float>();
  none.FreeTensor(c);
#else
  LocalTensor<float> c = none.AllocTensor<float>(); /* @end */
  none.FreeTensor(c);
#endif
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  compute<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
