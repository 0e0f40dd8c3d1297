/* tensor_kernel.cpp - three kernels by the C++ tensor API, about 150 lines: what the compile rows of the bench compile. */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t PART = 512;

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

constexpr uint32_t PIECE = 2048; // floats: 8 KiB
constexpr int32_t BUFFERS = 2;

class Adder {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t perCore, TPipe *pipe) {
    uint32_t first = perCore * GetBlockIdx();
    tiles_ = perCore / PIECE;
    xGm_.SetGlobalBuffer((__gm__ float *)x + first, perCore);
    yGm_.SetGlobalBuffer((__gm__ float *)y + first, perCore);
    zGm_.SetGlobalBuffer((__gm__ float *)z + first, perCore);
    pipe->InitBuffer(xQue_, BUFFERS, PIECE * sizeof(float));
    pipe->InitBuffer(yQue_, BUFFERS, PIECE * sizeof(float));
    pipe->InitBuffer(zQue_, BUFFERS, PIECE * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < tiles_; i++) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

private:
  __aicore__ inline void CopyIn(uint32_t tile) {
    LocalTensor<float> x = xQue_.AllocTensor<float>(), y = yQue_.AllocTensor<float>();
    DataCopy(x, xGm_[tile * PIECE], PIECE);
    DataCopy(y, yGm_[tile * PIECE], PIECE);
    xQue_.EnQue(x);
    yQue_.EnQue(y);
  }
  __aicore__ inline void Compute() {
    LocalTensor<float> x = xQue_.DeQue<float>(), y = yQue_.DeQue<float>(), z = zQue_.AllocTensor<float>();
    Add(z, x, y, PIECE);
    zQue_.EnQue(z);
    xQue_.FreeTensor(x);
    yQue_.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(uint32_t tile) {
    LocalTensor<float> z = zQue_.DeQue<float>();
    DataCopy(zGm_[tile * PIECE], z, PIECE);
    zQue_.FreeTensor(z);
  }

  GlobalTensor<float> xGm_, yGm_, zGm_;
  TQue<TPosition::VECIN, BUFFERS> xQue_, yQue_;
  TQue<TPosition::VECOUT, BUFFERS> zQue_;
  uint32_t tiles_ = 0;
};

extern "C" __global__ __vector__ void cpp_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t perCore) {
  TPipe pipe;
  Adder op;
  op.Init(x, y, z, perCore, &pipe);
  op.Process();
}


__global__ __vector__ void cpp_select(GM_ADDR x, GM_ADDR limit, GM_ADDR y, GM_ADDR counts) {
  TPipe pipe;
  TBuf<> xBuf, limitBuf, lowBuf, bitBuf, oneBuf;
  pipe.InitBuffer(xBuf, PART * sizeof(float));
  pipe.InitBuffer(limitBuf, PART * sizeof(float));
  pipe.InitBuffer(lowBuf, PART * sizeof(float));
  pipe.InitBuffer(bitBuf, PART / 8);
  pipe.InitBuffer(oneBuf, PART * sizeof(float));
  LocalTensor<float> a = xBuf.Get<float>(), b = limitBuf.Get<float>(), low = lowBuf.Get<float>(), ones = oneBuf.Get<float>();
  LocalTensor<uint8_t> bits = bitBuf.Get<uint8_t>();
  GlobalTensor<float> xGm, limitGm, yGm;
  GlobalTensor<int32_t> countGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * PART, PART);
  limitGm.SetGlobalBuffer((__gm__ float *)limit, PART);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * PART, PART);
  countGm.SetGlobalBuffer((__gm__ int32_t *)counts + GetBlockIdx() * 16, 16); // a cache line each
  DataCopy(a, xGm, PART);
  DataCopy(b, limitGm, PART);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Compare(bits, a, b, CMPMODE::GT, PART);
  Muls(low, a, 0.1f, PART);
  Select(b, bits, a, low, SELMODE::VSEL_TENSOR_TENSOR_MODE, PART);
  Duplicate(ones, 1.0f, PART);
  Select(ones, bits, ones, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, PART);
  ReduceSum(ones, ones, low, PART);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, PART);
  countGm.SetValue(0, static_cast<int32_t>(ones.GetValue(0)));
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(countGm);
}
