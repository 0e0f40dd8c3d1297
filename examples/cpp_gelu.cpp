/* cpp_gelu.cpp - GELU of half values by its sigmoid form, x / (1 + exp(-1.702 x)), computed in float: a chain
 * of vector instructions on scratch tensors.
 *
 *   skcc cpp_gelu.cpp -o cpp_gelu && skv verify ./cpp_gelu */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t TILE = 4096;

class GeluOperator {
public:
  __aicore__ inline GeluOperator(GM_ADDR x, GM_ADDR y, TPipe *pipe) {
    xGm_.SetGlobalBuffer((__gm__ half *)x);
    yGm_.SetGlobalBuffer((__gm__ half *)y);
    pipe->InitBuffer(in_, 2, TILE * sizeof(half));
    pipe->InitBuffer(out_, 2, TILE * sizeof(half));
    pipe->InitBuffer(scratch_, 2 * TILE * sizeof(float));
  }
  __aicore__ inline void Tile(uint32_t first) {
    LocalTensor<half> loaded = in_.AllocTensor<half>();
    DataCopy(loaded, xGm_[first], TILE);
    in_.EnQue(loaded);
    LocalTensor<half> x = in_.DeQue<half>(), y = out_.AllocTensor<half>();
    LocalTensor<float> wide = scratch_.Get<float>(TILE), work = scratch_.GetWithOffset<float>(TILE, TILE * sizeof(float));
    Cast(wide, x, RoundMode::CAST_NONE, TILE);
    Muls(work, wide, -1.702f, TILE);
    Exp(work, work, TILE);
    Adds(work, work, 1.0f, TILE);
    Div(work, wide, work, TILE);
    Cast(y, work, RoundMode::CAST_RINT, TILE);
    in_.FreeTensor(x);
    out_.EnQue(y);
    LocalTensor<half> result = out_.DeQue<half>();
    DataCopy(yGm_[first], result, TILE);
    out_.FreeTensor(result);
  }

private:
  GlobalTensor<half> xGm_, yGm_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> scratch_;
};

__global__ __vector__ void cpp_gelu(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
  TPipe pipe;
  GeluOperator op(x, y, &pipe);
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) op.Tile(tile * TILE);
}

int main() {
  const uint32_t tiles = 100, count = tiles * TILE;
  std::vector<half> x(count);
  for (uint32_t i = 0; i < count; i++) x[i] = half(8 * Number(i));
  Device device;
  DeviceArray<half> xDev(x), yDev(count);
  cpp_gelu<<<48, 0, nullptr>>>(xDev.get(), yDev.get(), tiles);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) {
    double value = (float)x[i], exact = value / (1 + std::exp(-1.702 * value));
    wrong += !(std::fabs((float)y[i] - exact) <= 1e-3 * std::fabs(exact) + 1e-7);
  }
  return Report("cpp_gelu", count, wrong);
}
