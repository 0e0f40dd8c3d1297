/* TENSOR_OVERFLOW: strides of a copy take its last block beyond the buffer of a TBuf. */
#include "tiles.h"

__global__ __vector__ void spread(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  TBuf<TPosition::VECCALC> wide, behind;
  tiles.Init(x, y);
#ifdef REPAIRED
  tiles.pipe.InitBuffer(wide, 4 * TILE);
#else
  tiles.pipe.InitBuffer(wide, 4 * TILE - 64);
#endif
  tiles.pipe.InitBuffer(behind, 4 * TILE);
  LocalTensor<float> all = wide.Get<float>();
  DataCopy(all, tiles.x, DataCopyParams(TILE / 16, 1, 1, 1)); /* @end */
  PipeBarrier<PIPE_ALL>();
  DataCopy(tiles.y, all, 8);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  spread<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
