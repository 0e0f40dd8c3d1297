/* cpp_softmax.cpp - softmax of rows of 512 floats by hand: maximum, difference, exponential, sum, quotient, with
 * per-row values spread by Brcb and used through strides.
 *
 *   skcc cpp_softmax.cpp -o cpp_softmax && skv verify ./cpp_softmax */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROWS = 8, COLUMNS = 512, TILE = ROWS * COLUMNS; // of one tile
constexpr uint8_t ROW_BLOCKS = COLUMNS / 8, PIECES = COLUMNS / 64;

class SoftmaxOperator {
public:
  __aicore__ inline SoftmaxOperator(GM_ADDR x, GM_ADDR y, TPipe *pipe) {
    xGm_.SetGlobalBuffer((__gm__ float *)x);
    yGm_.SetGlobalBuffer((__gm__ float *)y);
    pipe->InitBuffer(in_, 2, TILE * sizeof(float));
    pipe->InitBuffer(out_, 2, TILE * sizeof(float));
    pipe->InitBuffer(workBuf_, ROWS * 64 * sizeof(float));
    pipe->InitBuffer(valueBuf_, 32);
    pipe->InitBuffer(spreadBuf_, ROWS * 32);
  }
  __aicore__ inline void Tile(uint32_t first) {
    LocalTensor<float> loaded = in_.AllocTensor<float>();
    DataCopy(loaded, xGm_[first], TILE);
    in_.EnQue(loaded);
    LocalTensor<float> x = in_.DeQue<float>(), y = out_.AllocTensor<float>();
    Fold(x, true);
    ForEachRow<true>(y, x);
    Exp(y, y, TILE);
    Fold(y, false);
    ForEachRow<false>(y, y);
    in_.FreeTensor(x);
    out_.EnQue(y);
    LocalTensor<float> result = out_.DeQue<float>();
    DataCopy(yGm_[first], result, TILE);
    out_.FreeTensor(result);
  }

private:
  /* One value per row, as a block of 32 bytes each. */
  __aicore__ inline void Fold(const LocalTensor<float> &rows, bool maximum) {
    LocalTensor<float> work = workBuf_.Get<float>(), value = valueBuf_.Get<float>(), spread = spreadBuf_.Get<float>();
    BinaryRepeatParams fold{1, 1, 1, 8, 8, ROW_BLOCKS};
    for (uint32_t piece = 0; piece < PIECES; piece++) {
      if (piece == 0) Copy(work, rows, 64, ROWS, CopyRepeatParams{1, 1, 8, ROW_BLOCKS});
      else if (maximum) Max(work, work, rows[piece * 64], 64, ROWS, fold);
      else Add(work, work, rows[piece * 64], 64, ROWS, fold);
      PipeBarrier<PIPE_V>();
    }
    if (maximum) WholeReduceMax(value, work, 64, ROWS, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    else WholeReduceSum(value, work, 64, ROWS, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Brcb(spread, value, 1, BrcbRepeatParams{1, 8});
    PipeBarrier<PIPE_V>();
  }
  template <bool difference>
  __aicore__ inline void ForEachRow(const LocalTensor<float> &to, const LocalTensor<float> &from) {
    BinaryRepeatParams by{1, 1, 0, ROW_BLOCKS, ROW_BLOCKS, 1};
    for (uint32_t piece = 0; piece < PIECES; piece++) {
      if (difference) Sub(to[piece * 64], from[piece * 64], spreadBuf_.Get<float>(), 64, ROWS, by);
      else Div(to[piece * 64], from[piece * 64], spreadBuf_.Get<float>(), 64, ROWS, by);
    }
    PipeBarrier<PIPE_V>();
  }

  GlobalTensor<float> xGm_, yGm_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> workBuf_, valueBuf_, spreadBuf_;
};

__global__ __vector__ void cpp_softmax(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
  TPipe pipe;
  SoftmaxOperator op(x, y, &pipe);
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) op.Tile(tile * TILE);
}

int main() {
  const uint32_t tiles = 60, rows = tiles * ROWS;
  std::vector<float> x(rows * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = 10 * Number(i);
  Device device;
  DeviceArray<float> xDev(x), yDev(x.size());
  cpp_softmax<<<48, 0, nullptr>>>(xDev.get(), yDev.get(), tiles);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t r = 0; r < rows; r++) {
    double largest = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) largest = std::fmax(largest, x[r * COLUMNS + i]);
    for (uint32_t i = 0; i < COLUMNS; i++) sum += std::exp(x[r * COLUMNS + i] - largest);
    for (uint32_t i = 0; i < COLUMNS; i++) {
      double exact = std::exp(x[r * COLUMNS + i] - largest) / sum;
      wrong += !(std::fabs(y[r * COLUMNS + i] - exact) <= 1e-5 * exact);
    }
  }
  return Report("cpp_softmax", x.size(), wrong);
}
