/* api_high_level.cpp - the high-level API against formulas in double on the host. One core. */
#include <algorithm>
#include <cstring>

#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROWS = 8, COLUMNS = 64, N = ROWS * COLUMNS, RESULTS = 24; // results: rows of N floats

__aicore__ inline LocalTensor<float> At(uint32_t row) { return LocalTensor<float>(TPosition::VECCALC, row * N * 4, N); }

__aicore__ inline void Store(GM_ADDR out, uint32_t row, const LocalTensor<float> &from) {
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)out + row * N, N);
  PipeBarrier<PIPE_ALL>();
  DataCopy(gm, from, N);
  PipeBarrier<PIPE_ALL>();
}

__global__ __vector__ void api(GM_ADDR x, GM_ADDR out) {
  InitSocState();
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  LocalTensor<float> a = At(0), b = At(1), y = At(2), sum = At(3), max = At(4), sum2 = At(5), max2 = At(6), scale = At(7), z = At(8);
  LocalTensor<uint8_t> tmp = At(9).ReinterpretCast<uint8_t>();
  DataCopy(a, gm, N);
  DataCopy(b, gm[N], N);
  Duplicate(y, 0.0f, N);
  PipeBarrier<PIPE_ALL>();

  Gelu(y, a, tmp, N);
  Store(out, 0, y);
  Tanh(y, a);
  Store(out, 1, y);
  Silu<float>(y, a, N);
  Store(out, 2, y);
  Power(y, b, 2.5f, N);
  Store(out, 3, y);
  SwiGLU(y, a, b, 1.0f, N);
  Store(out, 4, y);
  SoftMaxTiling tiling;
  SoftMaxShapeInfo shape{ROWS, COLUMNS, ROWS, COLUMNS};
  Duplicate(sum, 0.0f, N);
  Duplicate(max, 0.0f, N);
  SoftMax<float>(y, sum, max, a, tiling, shape);
  Store(out, 5, y);
  Store(out, 6, sum);
  SimpleSoftMax<float>(y, sum, max, a, tmp, tiling, shape);
  Store(out, 7, y);
  // softmax of two halves of a row of 128, the second updating the first
  SoftmaxFlashV2<float, false>(y, sum, max, a, scale, sum, max, tiling, shape);
  SoftmaxFlashV2<float, true>(z, sum2, max2, b, scale, sum, max, tiling, shape);
  Store(out, 8, z);
  Duplicate(sum[ROWS * 8], 0.0f, N - ROWS * 8);
  DataCopy(sum, sum2, ROWS * 8);
  Store(out, 9, sum);
  DataCopy(sum, scale, ROWS * 8);
  Store(out, 10, sum);
  SoftmaxGradFront<float>(sum, a, b, tiling, shape);
  Store(out, 11, sum);
  Duplicate(y, 0.0f, N);
  Sum(y, a, SumParams{ROWS, COLUMNS, 60});
  Store(out, 12, y);
  LayerNorm(y, sum, max, a, b, z, 1e-5f, LayerNormTiling{1, ROWS, COLUMNS, COLUMNS});
  Store(out, 13, y);
  uint32_t wide[2] = {ROWS, COLUMNS}, narrow[2] = {ROWS, 1};
  Broadcast<float, 2, 1>(y, b, wide, narrow, tmp);
  BroadCast<float, 2, 1>(sum, b, wide, narrow, tmp); // the older spelling: half of each
  PipeBarrier<PIPE_V>();
  Add(y, y, sum, N);
  PipeBarrier<PIPE_V>();
  Muls(y, y, 0.5f, N);
  Store(out, 14, y);
  LocalTensor<int32_t> position = At(10).ReinterpretCast<int32_t>();
  Duplicate(y, 0.0f, N);
  TopK<float>(y, position, a, position, LocalTensor<bool>(), 8, TopkTiling(), TopKInfo{ROWS, COLUMNS, COLUMNS});
  Cast(y[N / 2], position, RoundMode::CAST_NONE, ROWS * 8);
  Store(out, 15, y);
  CumSum(y, sum, a, CumSumInfo{ROWS, COLUMNS});
  Store(out, 16, y);
}

static std::vector<float> x(2 * N), got;
static size_t wrong;
static void Check(uint32_t row, uint32_t i, double expected, double tolerance) {
  if (std::fabs(got[row * N + i] - expected) <= tolerance * (1 + std::fabs(expected))) return;
  if (wrong++ < 10) std::printf("row %u element %u: %.9g instead of %.9g\n", row, i, got[row * N + i], expected);
}

static void CheckRow(uint32_t r, const float *a, const float *b) {
  double first = *std::max_element(a, a + COLUMNS), both = std::max<double>(first, *std::max_element(b, b + COLUMNS));
  double sum = 0, all = 0, dot = 0, part = 0, mean = 0, square = 0, running = 0;
  for (uint32_t i = 0; i < COLUMNS; i++) {
    sum += std::exp(a[i] - first);
    all += std::exp(a[i] - both) + std::exp(b[i] - both);
    dot += (double)a[i] * b[i];
    part += i < 60 ? a[i] : 0;
    mean += a[i] / (double)COLUMNS;
  }
  for (uint32_t i = 0; i < COLUMNS; i++) square += (a[i] - mean) * (a[i] - mean) / COLUMNS;
  std::vector<uint32_t> order(COLUMNS);
  for (uint32_t i = 0; i < COLUMNS; i++) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [a](uint32_t i, uint32_t j) { return a[i] > a[j]; });
  for (uint32_t i = 0; i < COLUMNS; i++) {
    uint32_t at = r * COLUMNS + i;
    double v = a[i], w = b[i];
    Check(0, at, v * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))), 1e-6);
    Check(1, at, std::tanh(v), 1e-6);
    Check(2, at, v / (1 + std::exp(-v)), 1e-6);
    Check(3, at, std::pow(w, 2.5), 1e-6);
    Check(4, at, v * w / (1 + std::exp(-w)), 1e-6);
    Check(5, at, std::exp(v - first) / sum, 1e-6);
    Check(7, at, std::exp(v - first) / sum, 1e-6);
    Check(8, at, std::exp(w - both), 1e-6);
    Check(13, at, (v - mean) / std::sqrt(square + 1e-5) * x[N + i] + std::exp(x[N + i] - std::max<double>(*std::max_element(x.begin(), x.begin() + COLUMNS), *std::max_element(x.begin() + N, x.begin() + N + COLUMNS))), 1e-5);
    Check(14, at, x[N + r], 0);
    Check(16, at, running += v, 1e-6);
  }
  for (uint32_t i = 0; i < 8; i++) {
    Check(6, r * 8 + i, sum, 1e-6);
    Check(9, r * 8 + i, all, 1e-6);
    Check(10, r * 8 + i, std::exp(first - both), 1e-6);
    Check(11, r * 8 + i, dot, 1e-6);
    Check(15, r * 8 + i, a[order[i]], 0);
    Check(15, N / 2 + r * 8 + i, order[i], 0);
  }
  Check(12, r, part, 1e-6);
}

int main() {
  for (uint32_t i = 0; i < N; i++) x[i] = 3 * Number(i), x[N + i] = 2 + Number(N + i);
  Device device;
  DeviceArray<float> xDev(x), outDev(std::vector<float>(RESULTS * N));
  api<<<1, 0, nullptr>>>(xDev.get(), outDev.get());
  Device::Must(aclrtSynchronizeDevice());
  got = outDev.Read();
  for (uint32_t r = 0; r < ROWS; r++) CheckRow(r, &x[r * COLUMNS], &x[N + r * COLUMNS]);
  return Report("api_high_level", RESULTS * N, wrong);
}
