/* api_cube_only.cpp - a Matmul object of cube cores alone: ASCENDC_CUBE_ONLY stands between kernel_operator.h and
 * lib/matmul_intf.h, and there is no system workspace. */
#include "host.hpp"
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

constexpr int32_t SIDE = 64;

using Half = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;
using Float = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;

__global__ __cube__ void multiply(GM_ADDR a, GM_ADDR c, TCubeTiling tiling) {
  AscendC::TPipe pipe;
  AscendC::Matmul<Half, Half, Float> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  if (GetSysWorkSpacePtr() != nullptr) AscendC::Trap();
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
  multiply<<<1, 0, nullptr>>>(aDev.get(), cDev.get(), t);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  size_t wrong = 0;
  for (int32_t i = 0; i < SIDE; i++)
    for (int32_t j = 0; j < SIDE; j++) {
      double sum = 0;
      for (int32_t k = 0; k < SIDE; k++) sum += (double)(float)a[i * SIDE + k] * (float)a[k * SIDE + j];
      wrong += c[i * SIDE + j] != sum;
    }
  return Report("api_cube_only", c.size(), wrong);
}
