/* WATCHED_ACCESS: the kernel watches the end of a tensor for vector writes, and one goes there. */
#include "tiles.h"

__aicore__ inline uint32_t block_of(LocalTensor<float> t) { return (uint32_t)((uint64_t)t.GetPhyAddr() / 32); }

__global__ __vector__ void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Duplicate(b, 0.0f, TILE);
  CheckLocalMemoryIAParam watch;
  watch.startAddr = block_of(b) + TILE / 8 - 2; /* the last block only */
  watch.endAddr = watch.startAddr + 1;
  watch.isVectorWrite = watch.isEnable = true;
  CheckLocalMemoryIA(watch); /* @end */
#ifdef REPAIRED
  Adds(b, a, 1.0f, TILE - 8);
#else
  Adds(b, a, 1.0f, TILE); /* @end */
#endif
  watch.isEnable = false;
  CheckLocalMemoryIA(watch);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  plus_one<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
