/* TENSOR_OVERFLOW: a compare whose result has fewer bits than elements are compared. */
#include "tiles.h"

__global__ __vector__ void compute(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  TBuf<TPosition::VECCALC> place;
  tiles.pipe.InitBuffer(place, TILE);
#ifdef REPAIRED
  LocalTensor<uint8_t> bits = place.GetWithOffset<uint8_t>(TILE / 8, 0);
#else
  LocalTensor<uint8_t> bits = place.GetWithOffset<uint8_t>(TILE / 16, 0);
#endif
  Duplicate(b, 0.0f, TILE);
  PipeBarrier<PIPE_V>();
#ifdef REPAIRED
  CompareScalar(bits, a, 0.0f, CMPMODE::GT, TILE);
#else
  CompareScalar(bits, a, 0.0f, CMPMODE::GT, TILE); /* @end */
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
