/* BAD_ARGUMENT: a Matmul object exchanges messages through the system workspace, and nobody has set one. */
#include "hazard.h"

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr int32_t SIDE = 32;

__global__ __mix__(1, 2) void multiply(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TCubeTiling tiling{};
  tiling.usedCoreNum = 2 * CORES;
  tiling.M = SIDE * 2 * CORES;
  tiling.N = tiling.Ka = tiling.Kb = tiling.singleCoreM = tiling.singleCoreN = tiling.singleCoreK = SIDE;
  tiling.baseM = tiling.baseN = tiling.baseK = SIDE;
#ifdef REPAIRED
  SetSysWorkSpace(workspace);
#else
  (void)workspace;
#endif
  TPipe pipe;
  Matmul<Half, Half, Float> matmul;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matmul, &tiling); /* @end */
  GlobalTensor<half> in;
  GlobalTensor<float> out;
  in.SetGlobalBuffer((__gm__ half *)x + GetBlockIdx() * SIDE * SIDE, SIDE * SIDE);
  out.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * SIDE * SIDE, SIDE * SIDE);
  matmul.SetTensorA(in);
  matmul.SetTensorB(in);
  matmul.IterateAll(out);
  matmul.End();
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(SIDE * SIDE * 2 * CORES * 2, 0);
  GM_ADDR y = (GM_ADDR)device(SIDE * SIDE * 4 * CORES * 2, 0);
  GM_ADDR workspace = (GM_ADDR)device(RESERVED_WORKSPACE, 0);
  multiply<<<CORES, 0, nullptr>>>(x, y, workspace);
  return finish();
}
