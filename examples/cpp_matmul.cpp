/* cpp_matmul.cpp - C = A B in half precision with float results on the matrix unit: rows to L1 as fractals, L1 to
 * L0A and L0B, multiply-add over pieces of K, results out by Fixpipe.
 *
 *   skcc cpp_matmul.cpp -o cpp_matmul && skv verify ./cpp_matmul */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t M = 64, N = 96, K = 128, PIECE = 64; // of one block; K is loaded in pieces
constexpr uint16_t C0 = 16;                             // columns of a fractal

class MatmulOperator {
public:
  __aicore__ inline MatmulOperator(GM_ADDR a, GM_ADDR b, GM_ADDR c, TPipe *pipe) {
    uint64_t block = GetBlockIdx();
    aGm_.SetGlobalBuffer((__gm__ half *)a + block * M * K, M * K);
    bGm_.SetGlobalBuffer((__gm__ half *)b, K * N);
    cGm_.SetGlobalBuffer((__gm__ float *)c + block * M * N, M * N);
    pipe->InitBuffer(a1_, 2, M * PIECE * sizeof(half));
    pipe->InitBuffer(b1_, 2, PIECE * N * sizeof(half));
    pipe->InitBuffer(a2_, 2, M * PIECE * sizeof(half));
    pipe->InitBuffer(b2_, 2, PIECE * N * sizeof(half));
    pipe->InitBuffer(co1_, 1, M * N * sizeof(float));
  }
  __aicore__ inline void Run() {
    LocalTensor<float> c = co1_.AllocTensor<float>();
    for (uint16_t k = 0; k < K; k += PIECE) {
      Load(k);
      Split();
      LocalTensor<half> a = a2_.DeQue<half>(), b = b2_.DeQue<half>();
      MmadParams params;
      params.m = M;
      params.n = N;
      params.k = PIECE;
      params.cmatrixInitVal = k == 0;
      Mmad(c, a, b, params);
      PipeBarrier<PIPE_M>();
      a2_.FreeTensor(a);
      b2_.FreeTensor(b);
    }
    co1_.EnQue(c);
    c = co1_.DeQue<float>();
    FixpipeParamsV220 fix;
    fix.nSize = N;
    fix.mSize = M;
    fix.srcStride = M;
    fix.dstStride = N;
    Fixpipe(cGm_, c, fix);
    co1_.FreeTensor(c);
  }

private:
  __aicore__ inline void Load(uint16_t k) {
    LocalTensor<half> a = a1_.AllocTensor<half>(), b = b1_.AllocTensor<half>();
    DataCopy(a, aGm_[k], Nd2NzParams{1, M, PIECE, 0, K, M, 1, 0});
    DataCopy(b, bGm_[k * N], Nd2NzParams{1, PIECE, N, 0, N, PIECE, 1, 0});
    a1_.EnQue(a);
    b1_.EnQue(b);
  }
  __aicore__ inline void Split() {
    LocalTensor<half> a1 = a1_.DeQue<half>(), b1 = b1_.DeQue<half>(), a2 = a2_.AllocTensor<half>(), b2 = b2_.AllocTensor<half>();
    LoadData2DParams load;
    load.repeatTimes = PIECE / C0; // a row of fractals of A: Nz to Zz
    load.srcStride = M / 16;
    for (uint16_t i = 0; i < M / 16; i++) {
      load.startIndex = i;
      LoadData(a2[i * 16 * PIECE], a1, load);
    }
    load.ifTranspose = true; // a row of fractals of B: Nz to Zn
    load.repeatTimes = N / C0;
    load.srcStride = PIECE / 16;
    for (uint16_t i = 0; i < PIECE / 16; i++) {
      load.startIndex = i;
      LoadData(b2[i * 16 * N], b1, load);
    }
    a1_.FreeTensor(a1);
    b1_.FreeTensor(b1);
    a2_.EnQue(a2);
    b2_.EnQue(b2);
  }

  GlobalTensor<half> aGm_, bGm_;
  GlobalTensor<float> cGm_;
  TQue<TPosition::A1, 1> a1_;
  TQue<TPosition::B1, 1> b1_;
  TQue<TPosition::A2, 1> a2_;
  TQue<TPosition::B2, 1> b2_;
  TQue<TPosition::CO1, 1> co1_;
};

__global__ __cube__ void cpp_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  TPipe pipe;
  MatmulOperator op(a, b, c, &pipe);
  op.Run();
}

int main() {
  const uint32_t blocks = 24, rows = blocks * M;
  std::vector<half> a(rows * K), b(K * N);
  for (uint32_t i = 0; i < a.size(); i++) a[i] = half(Number(i));
  for (uint32_t i = 0; i < b.size(); i++) b[i] = half(Number(i + 1000000));
  Device device;
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> cDev(rows * N);
  cpp_matmul<<<blocks, 0, nullptr>>>(aDev.get(), bDev.get(), cDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  Record("a", a), Record("b", b), Record("c", c);
  size_t wrong = 0;
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < N; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < K; k++) sum += (double)(float)a[i * K + k] * (float)b[k * N + j];
      wrong += !(std::fabs(c[i * N + j] - sum) <= 1e-5 * K);
    }
  return Report("cpp_matmul", c.size(), wrong);
}
