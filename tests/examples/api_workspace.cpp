/* api_workspace.cpp - a kernel whose __kfc_workspace__ parameter is the system workspace of its Matmul object: without
 * another qualifier it is a mix kernel, and names of the API are used without their namespace. */
#include "host.hpp"
#include "kernel_operator.h"

constexpr int32_t SIDE = 64;

using Half = matmul::MatmulType<matmul::TPosition::GM, CubeFormat::ND, half>;
using Float = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
constexpr MatmulConfig CONFIG = GetNormalConfig();

__global__ __aicore__ void multiply(GM_ADDR a, GM_ADDR c, __kfc_workspace__ GM_ADDR workspace, TCubeTiling tiling) {
  AscendC::TPipe pipe;
  matmul::Matmul<Half, Half, Float, Float, CONFIG> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  if (GetSysWorkSpacePtr() != workspace || GetTPipePtr() != &pipe) AscendC::Trap();
  if (matmul::GetBlockIdx() >= tiling.usedCoreNum) return;
  AscendC::GlobalTensor<half> aGm;
  AscendC::GlobalTensor<float> cGm;
  aGm.SetGlobalBuffer((__gm__ half *)a);
  cGm.SetGlobalBuffer((__gm__ float *)c);
  mm.SetTensorA(aGm);
  mm.SetTensorB(aGm);
  mm.IterateAll(cGm);
  mm.End();
}

int main() {
  std::vector<half> a(SIDE * SIDE);
  for (uint32_t i = 0; i < a.size(); i++) a[i] = half(std::floor(8 * Number(i)));
  TCubeTiling t{};
  t.usedCoreNum = 1;
  t.M = t.N = t.Ka = t.Kb = t.singleCoreM = t.singleCoreN = t.singleCoreK = SIDE;
  t.baseM = t.baseN = t.baseK = 32;
  Device device;
  DeviceArray<half> aDev(a);
  DeviceArray<float> cDev(a.size());
  DeviceArray<uint8_t> workspace(AscendC::RESERVED_WORKSPACE);
  multiply<<<1, 0, nullptr>>>(aDev.get(), cDev.get(), workspace.get(), t);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  size_t wrong = 0;
  for (int32_t i = 0; i < SIDE; i++)
    for (int32_t j = 0; j < SIDE; j++) {
      double sum = 0;
      for (int32_t k = 0; k < SIDE; k++) sum += (double)(float)a[i * SIDE + k] * (float)a[k * SIDE + j];
      wrong += c[i * SIDE + j] != sum;
    }
  return Report("api_workspace", c.size(), wrong);
}
