/* H8: an operator with a Matmul object uses a cross-core flag id of the object's. */
#include "hazard.h"

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr int32_t SIDE = 32;
#ifdef REPAIRED
constexpr uint16_t MET = 2;
#else
constexpr uint16_t MET = 1;
#endif

__global__ __mix__(1, 2) void multiply(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TCubeTiling tiling{};
  tiling.usedCoreNum = 2 * CORES;
  tiling.M = SIDE * 2 * CORES;
  tiling.N = tiling.Ka = tiling.Kb = tiling.singleCoreM = tiling.singleCoreN = tiling.singleCoreK = SIDE;
  tiling.baseM = tiling.baseN = tiling.baseK = SIDE;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Half, Half, Float> matmul;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matmul, &tiling);
  GlobalTensor<half> in;
  GlobalTensor<float> out;
  in.SetGlobalBuffer((__gm__ half *)x + GetBlockIdx() * SIDE * SIDE, SIDE * SIDE);
  out.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * SIDE * SIDE, SIDE * SIDE);
  matmul.SetTensorA(in);
  matmul.SetTensorB(in);
  matmul.IterateAll(out);
  CrossCoreSetFlag<1, PIPE_MTE3>(MET); /* @end */
  CrossCoreWaitFlag(MET);
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
