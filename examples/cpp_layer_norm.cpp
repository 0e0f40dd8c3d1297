/* cpp_layer_norm.cpp - layer normalisation of rows by the high-level API, tiled on the host, two buffers per queue.
 *
 *   skcc cpp_layer_norm.cpp -o cpp_layer_norm && skv verify ./cpp_layer_norm */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr uint32_t ROWS = 8, COLUMNS = 384, TILE = ROWS * COLUMNS;
constexpr float EPSILON = 1e-5f;

class LayerNormOperator {
public:
  __aicore__ inline LayerNormOperator(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t tmpBytes, TPipe *pipe) {
    xGm_.SetGlobalBuffer((__gm__ float *)x);
    gammaGm_.SetGlobalBuffer((__gm__ float *)gamma, COLUMNS);
    betaGm_.SetGlobalBuffer((__gm__ float *)beta, COLUMNS);
    yGm_.SetGlobalBuffer((__gm__ float *)y);
    pipe->InitBuffer(in_, 2, TILE * sizeof(float));
    pipe->InitBuffer(out_, 2, TILE * sizeof(float));
    pipe->InitBuffer(weights_, 1, 2 * COLUMNS * sizeof(float));
    pipe->InitBuffer(statistics_, 2 * 64 * sizeof(float));
    pipe->InitBuffer(tmp_, tmpBytes);
  }
  __aicore__ inline void Run(uint32_t tiles, const LayerNormTiling &tiling) {
    LocalTensor<float> weights = weights_.AllocTensor<float>();
    DataCopy(weights, gammaGm_, COLUMNS);
    DataCopy(weights[COLUMNS], betaGm_, COLUMNS);
    weights_.EnQue(weights);
    weights = weights_.DeQue<float>();
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      LocalTensor<float> x = in_.AllocTensor<float>();
      DataCopy(x, xGm_[tile * TILE], TILE);
      in_.EnQue(x);
      x = in_.DeQue<float>();
      LocalTensor<float> y = out_.AllocTensor<float>(), mean = statistics_.Get<float>(), variance = mean[64];
      LayerNorm(y, mean, variance, x, weights, weights[COLUMNS], tmp_.Get<uint8_t>(), EPSILON, tiling);
      in_.FreeTensor(x);
      out_.EnQue(y);
      y = out_.DeQue<float>();
      DataCopy(yGm_[tile * TILE], y, TILE);
      out_.FreeTensor(y);
    }
    weights_.FreeTensor(weights);
  }

private:
  GlobalTensor<float> xGm_, gammaGm_, betaGm_, yGm_;
  TQue<TPosition::VECIN, 1> in_, weights_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<> statistics_, tmp_;
};

__global__ __vector__ void cpp_layer_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t tiles, uint32_t tmpBytes,
                                          LayerNormTiling tiling) {
  TPipe pipe;
  LayerNormOperator op(x, gamma, beta, y, tmpBytes, &pipe);
  op.Run(tiles, tiling);
}

int main() {
  const uint32_t tiles = 70, rows = tiles * ROWS;
  std::vector<float> x(rows * COLUMNS), gamma(COLUMNS), beta(COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = 2 + 5 * Number(i);
  for (uint32_t i = 0; i < COLUMNS; i++) gamma[i] = 1 + Number(i + 100000000), beta[i] = Number(i + 200000000);
  ge::Shape shape({1, ROWS, COLUMNS, COLUMNS});
  uint32_t most = 0, least = 0;
  GetLayerNormMaxMinTmpSize(shape, sizeof(float), false, most, least);
  LayerNormTiling tiling;
  GetLayerNormNDTilingInfo(shape, least, sizeof(float), false, tiling);
  Device device;
  DeviceArray<float> xDev(x), gammaDev(gamma), betaDev(beta), yDev(x.size());
  cpp_layer_norm<<<48, 0, nullptr>>>(xDev.get(), gammaDev.get(), betaDev.get(), yDev.get(), tiles, least, tiling);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("gamma", gamma), Record("beta", beta), Record("y", y);
  size_t wrong = 0;
  for (uint32_t r = 0; r < rows; r++) {
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) mean += x[r * COLUMNS + i] / (double)COLUMNS;
    for (uint32_t i = 0; i < COLUMNS; i++) square += std::pow(x[r * COLUMNS + i] - mean, 2) / COLUMNS;
    for (uint32_t i = 0; i < COLUMNS; i++) {
      double expected = (x[r * COLUMNS + i] - mean) / std::sqrt(square + EPSILON) * gamma[i] + beta[i];
      wrong += !(std::fabs(y[r * COLUMNS + i] - expected) <= 1e-5);
    }
  }
  return Report("cpp_layer_norm", y.size(), wrong);
}
