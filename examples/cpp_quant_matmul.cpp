/* cpp_quant_matmul.cpp - int8 A times int8 B to half with a scale per column, on cube cores alone: MatmulImpl, the scales
 * applied on the way out of L0C.
 *
 *   skcc cpp_quant_matmul.cpp -o cpp_quant_matmul && skv verify ./cpp_quant_matmul */
#define ASCENDC_CUBE_ONLY
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

using Int8 = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
using Int8Transposed = MatmulType<TPosition::GM, CubeFormat::ND, int8_t, true>;
using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;

__global__ __cube__ void cpp_quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  Matmul<Int8, Int8Transposed, Half> matmul;
  REGIST_MATMUL_OBJ(&pipe, nullptr, matmul, &t);
  if (GetBlockIdx() >= t.usedCoreNum) return;
  int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM;
  int32_t m = GetBlockIdx() % down * t.singleCoreM, n = GetBlockIdx() / down * t.singleCoreN;
  GlobalTensor<int8_t> aGm, bGm;
  GlobalTensor<uint64_t> scaleGm;
  GlobalTensor<half> cGm;
  aGm.SetGlobalBuffer((__gm__ int8_t *)a + m * t.Ka);
  bGm.SetGlobalBuffer((__gm__ int8_t *)b + n * t.Kb);
  scaleGm.SetGlobalBuffer((__gm__ uint64_t *)scales + n);
  cGm.SetGlobalBuffer((__gm__ half *)c + m * t.N + n);
  matmul.SetTensorA(aGm);
  matmul.SetTensorB(bGm, true);
  matmul.SetQuantVector(scaleGm);
  matmul.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM, t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
  matmul.IterateAll(cGm);
  matmul.End();
}

int main() {
  const int32_t m = 500, n = 384, k = 256;
  Device device;
  auto platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  matmul_tiling::MultiCoreMatmulTiling choice(*platform);
  choice.SetDim(platform->GetCoreNumAic());
  choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_INT8);
  choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_INT8, true);
  choice.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  choice.SetShape(m, n, k);
  choice.SetOrgShape(m, n, k);
  TCubeTiling tiling{};
  if (choice.GetTiling(tiling) != 0) return 1;
  std::vector<int8_t> a(m * k), b(n * k);
  std::vector<float> scale(n);
  std::vector<uint64_t> entries(n);
  for (size_t i = 0; i < a.size(); i++) a[i] = static_cast<int8_t>(100 * Number(i));
  for (size_t i = 0; i < b.size(); i++) b[i] = static_cast<int8_t>(100 * Number(i + 1000000));
  for (int32_t i = 0; i < n; i++) {
    scale[i] = 1.0f / (64 << i % 4);
    entries[i] = __builtin_bit_cast(uint32_t, scale[i]);
  }
  DeviceArray<int8_t> aDev(a), bDev(b);
  DeviceArray<uint64_t> scaleDev(entries);
  DeviceArray<half> cDev(m * n);
  cpp_quant_matmul<<<tiling.usedCoreNum, 0, nullptr>>>(aDev.get(), bDev.get(), scaleDev.get(), cDev.get(), tiling);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> c = cDev.Read();
  Record("a", a), Record("b", b), Record("scale", scale), Record("c", c);
  size_t wrong = 0;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < n; j++) {
      int32_t sum = 0;
      for (int32_t x = 0; x < k; x++) sum += a[i * k + x] * b[j * k + x];
      wrong += !((float)c[i * n + j] == (float)half(sum * scale[j]));
    }
  return Report("cpp_quant_matmul", c.size(), wrong);
}
