/* H33: a range of UB is still watched when an operator ends, and the next one writes there. @with WATCHED_ACCESS */
#include "tiles.h"

constexpr uint32_t BEHIND = 4 * TILE / 8; /* block behind the buffers of the first operator */

__global__ __vector__ void watched(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
  CheckLocalMemoryIA(CheckLocalMemoryIAParam(3, BEHIND - 1, BEHIND + 7, false, false, false, true, false, false, true)); /* @end */
  tiles.Load();
  LocalTensor<float> a = tiles.in.DeQue<float>();
  LocalTensor<float> b = tiles.out.AllocTensor<float>();
  Adds(b, a, 1.0f, TILE);
  tiles.in.FreeTensor(a);
  tiles.Store(b);
#ifdef REPAIRED
  CheckLocalMemoryIA(CheckLocalMemoryIAParam(3, 0, 0, false, false, false, false, false, false, false));
#endif
}

__global__ __vector__ void larger(GM_ADDR x) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(out, 1, 8 * TILE * 4);
  GlobalTensor<float> to;
  to.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * TILE, TILE);
  LocalTensor<float> a = out.AllocTensor<float>();
  Duplicate(a, 2.0f, 8 * TILE);
  out.EnQue(a);
  a = out.DeQue<float>();
  DataCopy(to, a[7 * TILE], TILE);
  out.FreeTensor(a);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  watched<<<CORES, 0, NULL>>>(x, y);
  larger<<<CORES, 0, NULL>>>(x);
  return finish();
}
