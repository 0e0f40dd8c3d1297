/* H28: the fields of an argument structure are in another order than the kernel's parameters. */
#include "tiles.h"

struct ScaleArgs {
#ifdef REPAIRED
  GM_ADDR x;
  GM_ADDR y;
  float factor;
#else
  GM_ADDR y;
  GM_ADDR x;
  float factor;
#endif
};

__aicore__ inline void Scale(GM_ADDR x, GM_ADDR y, float factor) {
  Tiles tiles;
  tiles.Init(x, y);
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Adds(b, a, factor, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
  tiles.pipe.DestroyWithoutPipeAll();
}

__global__ __mix__(0, 1) void scale(GM_ADDR x, GM_ADDR y, float factor) { Scale(x, y, factor); }
__sk__ __mix__(0, 1) void scale_sk(const ScaleArgs *args) { Scale(args->x, args->y, args->factor); }
SK_BIND(scale, 0, scale_sk);

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 1);
  scale<<<CORES, 0, NULL>>>(x, y, 2.0f);
  return finish();
}
