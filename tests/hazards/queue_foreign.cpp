/* QUEUE_STATE: a tensor is put into another queue than the one that gave it. */
#include "tiles.h"

__global__ __vector__ void compute(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  TQue<TPosition::VECOUT, 1> other;
  tiles.pipe.InitBuffer(other, 1, TILE * 4);
  Duplicate(b, 0.0f, TILE);
  PipeBarrier<PIPE_V>();
#ifdef REPAIRED
  LocalTensor<float> c = other.AllocTensor<float>();
  Duplicate(c, 1.0f, TILE);
  other.EnQue(c);
  c = other.DeQue<float>();
  other.FreeTensor(c);
#else
  other.EnQue(a); /* @end */
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
