/* H21: a function written for SuperKernels lets its TPipe end by itself, with a barrier over all pipes. */
#include "tiles.h"

struct PlusOneArgs {
  GM_ADDR x;
  GM_ADDR y;
};

__aicore__ inline void PlusOne(Tiles &tiles) {
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Adds(b, a, 1.0f, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
}

__global__ __mix__(0, 1) void plus_one(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  PlusOne(tiles);
}
__sk__ __mix__(0, 1) void plus_one_sk(const PlusOneArgs *args) {
  Tiles tiles;
  tiles.Init(args->x, args->y);
  PlusOne(tiles);
#ifdef REPAIRED
  tiles.pipe.DestroyWithoutPipeAll();
#endif
}
SK_BIND(plus_one, 0, plus_one_sk);

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  plus_one<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
