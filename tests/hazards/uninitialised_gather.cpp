/* UNINITIALISED_READ: an offset of a gather leads behind the source, to bytes that nobody has written. */
#include "tiles.h"

#ifdef REPAIRED
#define OFFSET (TILE * 4 - 4)
#else
#define OFFSET (TILE * 4) /* the other buffer of the queue */
#endif

__global__ __vector__ void pick(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  TBuf<TPosition::VECCALC> place;
  tiles.pipe.InitBuffer(place, TILE * 4);
  LocalTensor<uint32_t> offsets = place.Get<uint32_t>();
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(offsets.ReinterpretCast<int32_t>(), (int32_t)OFFSET, TILE);
  PipeBarrier<PIPE_V>();
  Gather(b, a, offsets, 0, TILE); /* @end */
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  pick<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
