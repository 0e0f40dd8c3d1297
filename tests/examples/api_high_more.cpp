/* api_high_more.cpp - the rarer functions of the high-level API against formulas in double on the host. One core. */
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

/* x: floats; w: int8 weights, then words of 16 bits. */
__global__ __vector__ void api(GM_ADDR x, GM_ADDR w, GM_ADDR out) {
  InitSocState();
  GlobalTensor<float> gm;
  GlobalTensor<int8_t> weightsGm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  weightsGm.SetGlobalBuffer((__gm__ int8_t *)w, 5 * N);
  LocalTensor<float> a = At(0), b = At(1), y = At(2), z = At(3), u = At(4), v = At(5);
  LocalTensor<int8_t> weights = At(6).ReinterpretCast<int8_t>();
  LocalTensor<half> h = At(8).ReinterpretCast<half>(), k = At(9).ReinterpretCast<half>(), o = At(10).ReinterpretCast<half>();
  LocalTensor<uint8_t> tmp = At(12).ReinterpretCast<uint8_t>();
  DataCopy(a, gm, N);
  DataCopy(b, gm[N], N);
  DataCopy(weights, weightsGm, N);
  LocalTensor<int16_t> p = At(13).ReinterpretCast<int16_t>(), q = At(14).ReinterpretCast<int16_t>(), r = At(15).ReinterpretCast<int16_t>();
  DataCopy(p, weightsGm[N].ReinterpretCast<int16_t>(), N);
  DataCopy(q, weightsGm[3 * N].ReinterpretCast<int16_t>(), N);
  PipeBarrier<PIPE_ALL>();
  weights.SetSize(N);
  k.SetSize(COLUMNS);
  o.SetSize(COLUMNS);

  Cast(k, b, RoundMode::CAST_RINT, COLUMNS);
  Cast(o, a, RoundMode::CAST_RINT, COLUMNS);
  AscendAntiQuant<int8_t, half, false>(h, weights, o, k, tmp, ROWS);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 0, y);
  AscendAntiQuant<int8_t, half, true>(h, weights, k, COLUMNS, AntiQuantShapeInfo{ROWS, 1, ROWS, 1});
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 1, y);
  AscendAntiQuant<int8_t, half, false>(h, weights, half(2.0f), half(0.5f), ROWS);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 2, y);

  const uint32_t shape[] = {ROWS, COLUMNS};
  Duplicate(y, 0.0f, N);
  ReduceSum<float, Pattern::Reduce::AR>(y, a, tmp, shape, true);
  ReduceSum<float, Pattern::Reduce::RA>(y[64], a, tmp, shape, true);
  ReduceMax<float, Pattern::Reduce::AR>(y[128], a, tmp, shape, true);
  ReduceMin<float, Pattern::Reduce::RA>(y[192], a, shape, true);
  ReduceMean<float, Pattern::Reduce::AR>(y[256], a, tmp, shape, true);
  ReduceProd<float, Pattern::Reduce::AR>(y[320], b, tmp, shape, true);
  ReduceAny<float, Pattern::Reduce::AR>(y[384], a, tmp, shape, true);
  ReduceAll<float, Pattern::Reduce::RA>(y[448], a, tmp, shape, true);
  Store(out, 3, y);

  Xor(r, p, q, tmp, N);
  Cast(h, r, RoundMode::CAST_RINT, N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 4, y);
  Clamp(y, a, -0.5f, 1.0f, tmp, N);
  Store(out, 5, y);
  Arange(y, 3.0f, -0.25f, N);
  Store(out, 6, y);
  Reciprocal(z, a, N);
  Duplicate(z, 0.0f, 8);
  Div(z[8], a, z, 8);
  IsFinite(y, z, N);
  Store(out, 7, y);
  IsInf(y, z, tmp, N);
  Store(out, 8, y);
  IsNan(y, z, tmp, N);
  Store(out, 9, y);

  Duplicate(y, 0.0f, N);
  Duplicate(z, 0.0f, N);
  for (uint32_t i = 0; i < ROWS; i++)
    WelfordUpdate(y, z, y, z, a[i * COLUMNS], tmp, WelfordUpdateParam{1, COLUMNS, COLUMNS, 1.0f / (i + 1)});
  Store(out, 10, y);
  Store(out, 11, z);
  Duplicate(u, 0.0f, N);
  Duplicate(v, 0.0f, N);
  WelfordFinalize(u, v, y, z, tmp, WelfordFinalizePara{ROWS, COLUMNS, ROWS, COLUMNS, 0, 0, 1.0f / COLUMNS, 1.0f / N});
  Store(out, 12, u);
  Store(out, 13, v);

  LocalTensor<uint8_t> mask = weights.ReinterpretCast<uint8_t>();
  DropOut(y, a, mask, tmp, 0.75f, DropOutShapeInfo{ROWS, COLUMNS, COLUMNS});
  Store(out, 14, y);
  DropOut<float, false, DROPOUT_MODE_BIT_ALIGN>(y, a, mask, tmp, 0.75f, DropOutShapeInfo{ROWS, COLUMNS, 32});
  Store(out, 15, y);
  SelectWithBytesMask(y, a, -9.0f, mask, tmp, SelectWithBytesMaskShapeInfo{ROWS, COLUMNS, COLUMNS});
  Store(out, 16, y);

  LocalTensor<int32_t> i0 = At(17).ReinterpretCast<int32_t>(), i1 = At(18).ReinterpretCast<int32_t>();
  Cast(i0, a, RoundMode::CAST_RINT, N);
  Cast(i1, b, RoundMode::CAST_RINT, N);
  SetDeqScale(half(0.5f));
  AddDeqRelu(h, i0, i1, N);
  SetDeqScale(half(0.0f));
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 17, y);
  LocalTensor<int8_t> quantised = At(19).ReinterpretCast<int8_t>();
  AscendQuant<float>(quantised, a, tmp, b, 1.0f, COLUMNS, N);
  Cast(h, quantised, RoundMode::CAST_NONE, N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 18, y);
  AscendDequant(y, i0, 0.125f, DequantParams{ROWS, COLUMNS, COLUMNS});
  Store(out, 19, y);

  // softmax of half rows in two steps, maximum and sum in float
  SoftMaxTiling tiling;
  SoftMaxShapeInfo rows{ROWS, COLUMNS, ROWS, COLUMNS};
  LocalTensor<half> first = At(20).ReinterpretCast<half>(), second = At(21).ReinterpretCast<half>(), factor = At(22).ReinterpretCast<half>();
  Duplicate(factor, half(0), 2 * N);
  Duplicate(u, 0.0f, N);
  Duplicate(v, 0.0f, N);
  Cast(first, a, RoundMode::CAST_RINT, N);
  Cast(second, b, RoundMode::CAST_RINT, N);
  SoftmaxFlashV2<half, false>(h, u, v, first, factor, u, v, tiling, rows);
  SoftmaxFlashV2<half, true>(h, u, v, second, factor, u, v, tiling, rows);
  Cast(y, factor, RoundMode::CAST_NONE, N);
  Store(out, 20, y);
  Store(out, 21, u);
}

static std::vector<float> x(2 * N), got;
static std::vector<int8_t> w(5 * N);
static size_t wrong;
static void Check(uint32_t row, uint32_t i, double expected, double tolerance) {
  if (std::fabs(got[row * N + i] - expected) <= tolerance * (1 + std::fabs(expected))) return;
  if (wrong++ < 10) std::printf("row %u element %u: %.9g instead of %.9g\n", row, i, got[row * N + i], expected);
}
static double Half(double value) { return static_cast<double>(static_cast<float>(half(static_cast<float>(value)))); }
static int16_t Word(uint32_t at) { return static_cast<int16_t>(static_cast<uint8_t>(w[at]) | w[at + 1] << 8); }

int main() {
  for (uint32_t i = 0; i < N; i++) x[i] = 3 * Number(i), x[N + i] = 1 + Number(N + i) / 4;
  x[5] = 0;
  for (uint32_t i = 0; i < w.size(); i++) w[i] = static_cast<int8_t>(i < N && i % 3 == 0 ? 0 : Number(i) * 100);
  for (uint32_t i = N + 1; i < w.size(); i += 2) w[i] = static_cast<int8_t>(w[i] / 32); // words that half holds
  Device device;
  DeviceArray<float> xDev(x), outDev(std::vector<float>(RESULTS * N));
  DeviceArray<int8_t> wDev(w);
  api<<<1, 0, nullptr>>>(xDev.get(), wDev.get(), outDev.get());
  Device::Must(aclrtSynchronizeDevice());
  got = outDev.Read();
  const float *a = &x[0], *b = &x[N];
  std::vector<double> mean(COLUMNS), spread(COLUMNS), sum(COLUMNS), least(COLUMNS, 1e9), all(COLUMNS, 1);
  double total = 0, squares = 0;
  for (uint32_t i = 0; i < N; i++) {
    uint32_t c = i % COLUMNS, r = i / COLUMNS;
    double k = Half(b[c]), o = Half(a[c]), kr = Half(b[r]);
    Check(0, i, Half(Half(w[i] + o) * k), 0);
    Check(1, i, Half(w[i] * kr), 0);
    Check(2, i, Half((w[i] + 2) * 0.5), 0);
    Check(4, i, Half(static_cast<int16_t>(Word(N + 2 * i) ^ Word(3 * N + 2 * i))), 0);
    Check(5, i, std::fmin(1, std::fmax(-0.5, a[i])), 0);
    Check(6, i, 3 - 0.25 * i, 0);
    bool inf = i >= 8 && i < 16 && a[i - 8] != 0, nan = i >= 8 && i < 16 && !inf;
    Check(7, i, !inf && !nan, 0);
    Check(8, i, inf, 0);
    Check(9, i, nan, 0);
    Check(14, i, w[i] != 0 ? a[i] / 0.75 : 0, 1e-6);
    Check(15, i, (static_cast<uint8_t>(w[r * 32 + c / 8]) >> c % 8 & 1) != 0 ? a[i] / 0.75 : 0, 1e-6);
    Check(16, i, w[i] != 0 ? -9 : a[i], 0);
    double i0 = std::nearbyint(a[i]), i1 = std::nearbyint(b[i]);
    Check(17, i, std::fmax(0, (i0 + i1) * 0.5), 0);
    Check(18, i, std::nearbyint(Half(Half(Half(a[i]) * Half(b[c])) + 1)), 0);
    Check(19, i, i0 * 0.125, 0);
    sum[c] += a[i];
    least[c] = std::fmin(least[c], a[i]);
    all[c] = all[c] != 0 && a[i] != 0;
    total += a[i];
  }
  for (uint32_t c = 0; c < COLUMNS; c++) {
    mean[c] = sum[c] / ROWS;
    for (uint32_t r = 0; r < ROWS; r++) spread[c] += std::pow(a[r * COLUMNS + c] - mean[c], 2);
    Check(3, 64 + c, sum[c], 1e-6);
    Check(3, 192 + c, least[c], 0);
    Check(3, 448 + c, all[c], 0);
    Check(10, c, mean[c], 1e-5);
    Check(11, c, spread[c], 1e-5);
  }
  for (uint32_t i = 0; i < N; i++) squares += std::pow(a[i] - total / N, 2) / N;
  for (uint32_t i = 0; i < 8; i++) {
    Check(12, i, i == 0 ? total / N : 0, 1e-5);
    Check(13, i, i == 0 ? squares : 0, 1e-5);
  }
  for (uint32_t r = 0; r < ROWS; r++) {
    double row = 0, most = -1e9, product = 1, before = -1e9, after = -1e9, part = 0, whole = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
      row += a[r * COLUMNS + c];
      most = std::fmax(most, a[r * COLUMNS + c]);
      product *= b[r * COLUMNS + c];
      before = std::fmax(before, Half(a[r * COLUMNS + c]));
      after = std::fmax(after, Half(b[r * COLUMNS + c]));
    }
    after = std::fmax(before, after);
    for (uint32_t c = 0; c < COLUMNS; c++) {
      part += std::exp(Half(a[r * COLUMNS + c]) - before);
      whole += std::exp(Half(b[r * COLUMNS + c]) - after);
    }
    Check(3, r, row, 1e-5);
    Check(3, 128 + r, most, 0);
    Check(3, 256 + r, row / COLUMNS, 1e-5);
    Check(3, 320 + r, product, 1e-5);
    Check(3, 384 + r, 1, 0);
    Check(20, r * 16, std::exp(before - after), 1e-3);
    Check(21, r * 8, whole + std::exp(before - after) * part, 1e-5);
  }
  return Report("api_high_more", RESULTS * N, wrong);
}
