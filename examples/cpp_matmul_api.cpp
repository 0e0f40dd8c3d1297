/* cpp_matmul_api.cpp - a Matmul object over all vector cores with a tiling made on the host, leaky relu on each tile
 * as it comes out, odd shapes included.
 *
 *   skcc cpp_matmul_api.cpp -o cpp_matmul_api && skv verify ./cpp_matmul_api */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr float SLOPE = 0.125f;

class MatmulLeakyRelu {
public:
  __aicore__ inline MatmulLeakyRelu(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, const TCubeTiling &tiling) : t_(tiling) {
    int32_t down = (t_.M + t_.singleCoreM - 1) / t_.singleCoreM, block = GetBlockIdx();
    m_ = block % down * t_.singleCoreM;
    n_ = block / down * t_.singleCoreN;
    a_.SetGlobalBuffer((__gm__ half *)a + m_ * t_.Ka);
    b_.SetGlobalBuffer((__gm__ half *)b + n_);
    bias_.SetGlobalBuffer((__gm__ float *)bias + n_);
    c_.SetGlobalBuffer((__gm__ float *)c + m_ * t_.N + n_);
  }
  __aicore__ inline void Run(TPipe *pipe) {
    pipe->InitBuffer(out_, 1, t_.baseM * t_.baseN * sizeof(float));
    int32_t rows = Least(t_.singleCoreM, t_.M - m_), columns = Least(t_.singleCoreN, t_.N - n_);
    matmul.SetTensorA(a_);
    matmul.SetTensorB(b_);
    matmul.SetBias(bias_);
    matmul.SetTail(rows, columns);
    int32_t down = (rows + t_.baseM - 1) / t_.baseM;
    for (int32_t tile = 0; matmul.Iterate(); tile++) {
      int32_t m = tile % down * t_.baseM, n = tile / down * t_.baseN;
      CopyOut(m, n, Least(t_.baseM, rows - m), Least(t_.baseN, columns - n));
    }
    matmul.End();
  }

  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
         MatmulType<TPosition::VECIN, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> matmul;

private:
  __aicore__ static inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }
  __aicore__ inline void CopyOut(int32_t m, int32_t n, int32_t rows, int32_t columns) {
    LocalTensor<float> tile = out_.AllocTensor<float>();
    matmul.GetTensorC(tile);
    LeakyRelu(tile, tile, SLOPE, rows * ((columns + 7) / 8 * 8));
    out_.EnQue(tile);
    tile = out_.DeQue<float>();
    DataCopyPad(c_[m * t_.N + n], tile, DataCopyExtParams(rows, columns * sizeof(float), 0, (t_.N - columns) * sizeof(float), 0));
    out_.FreeTensor(tile);
  }

  const TCubeTiling &t_;
  int32_t m_, n_;
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> bias_, c_;
  TQue<TPosition::VECOUT, 1> out_;
};

__global__ __mix__(1, 2) void cpp_matmul_api(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, TCubeTiling tiling) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  MatmulLeakyRelu op(a, b, bias, c, tiling);
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.matmul, &tiling);
  if (GetBlockIdx() < tiling.usedCoreNum) op.Run(&pipe);
}

int main() {
  const int32_t m = 1000, n = 640, k = 300;
  Device device;
  platform_ascendc::PlatformAscendC *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  matmul_tiling::MultiCoreMatmulTiling choice(*platform);
  choice.SetDim(platform->GetCoreNumAiv());
  choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  choice.SetCType(TPosition::VECIN, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  choice.SetBiasType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  choice.SetShape(m, n, k);
  choice.SetOrgShape(m, n, k);
  choice.EnableBias(true);
  choice.SetFixSplit(64, 64, -1);
  optiling::TCubeTiling tiling;
  if (choice.GetTiling(tiling) != 0) return 1;

  std::vector<half> a(m * k), b(k * n);
  std::vector<float> bias(n);
  for (size_t i = 0; i < a.size(); i++) a[i] = half(Number(i));
  for (size_t i = 0; i < b.size(); i++) b[i] = half(Number(i + 1000000));
  for (size_t i = 0; i < bias.size(); i++) bias[i] = Number(i + 2000000);
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> biasDev(bias), cDev(m * n);
  DeviceArray<uint8_t> workspace(platform->GetLibApiWorkSpaceSize());
  cpp_matmul_api<<<platform->GetCoreNumAic(), 0, nullptr>>>(aDev.get(), bDev.get(), biasDev.get(), cDev.get(), workspace.get(), tiling);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  Record("a", a), Record("b", b), Record("bias", bias), Record("c", c);
  size_t wrong = 0;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = bias[j];
      for (int32_t x = 0; x < k; x++) sum += (double)(float)a[i * k + x] * (float)b[x * n + j];
      wrong += !(std::fabs(c[i * n + j] - (sum > 0 ? sum : SLOPE * sum)) <= 1e-5 * k);
    }
  return Report("cpp_matmul_api", c.size(), wrong);
}
