/* H3: a 1:1 operator uses its Matmul object on every vector core; in a 1:2 SuperKernel the second one waits for nobody. */
#include "hazard.h"

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr int32_t SIDE = 32;

__global__ __mix__(1, 1) void multiply(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
#ifdef REPAIRED
  if (GetSubBlockIdx() == 1) return;
#endif
  TCubeTiling tiling{};
  tiling.usedCoreNum = 1;
  tiling.M = tiling.N = tiling.Ka = tiling.Kb = tiling.singleCoreM = tiling.singleCoreN = tiling.singleCoreK = SIDE;
  tiling.baseM = tiling.baseN = tiling.baseK = SIDE;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Half, Half, Float> matmul;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matmul, &tiling); /* @end */
  GlobalTensor<half> in;
  GlobalTensor<float> out;
  in.SetGlobalBuffer((__gm__ half *)x, SIDE * SIDE);
  out.SetGlobalBuffer((__gm__ float *)y, SIDE * SIDE);
  matmul.SetTensorA(in);
  matmul.SetTensorB(in);
  matmul.IterateAll(out);
  matmul.End();
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(SIDE * SIDE * 2, 0);
  GM_ADDR y = (GM_ADDR)device(SIDE * SIDE * 4, 0);
  GM_ADDR workspace = (GM_ADDR)device(RESERVED_WORKSPACE, 0);
  multiply<<<1, 0, nullptr>>>(x, y, workspace);
  return finish();
}
