/* api_vector.cpp - vector functions of the tensor API that the examples do not show, each against plain host
 * arithmetic. One core; every check writes its results into a row of the output. */
#include <algorithm>
#include <cstring>
#include <numeric>

#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 512, ROWS = 24; // floats of a row

template <typename T>
__aicore__ inline LocalTensor<T> At(uint32_t row) {
  return LocalTensor<T>(TPosition::VECCALC, row * N * 4, N * 4 / sizeof(T));
}

__aicore__ inline void Store(GM_ADDR out, uint32_t row, const LocalTensor<float> &from) {
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)out + row * N, N);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(gm, from, N);
  PipeBarrier<PIPE_ALL>();
}

__global__ __vector__ void api(GM_ADDR x, GM_ADDR out) {
  InitSocState();
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  LocalTensor<float> a = At<float>(0), b = At<float>(1), y = At<float>(2), w = At<float>(3), z = At<float>(4);
  LocalTensor<uint8_t> bits = At<uint8_t>(5);
  DataCopy(a, gm, N);
  DataCopy(b, gm[N], DataCopyParams{2, N / 16, 0, 0});
  Duplicate(y, 0.0f, N);
  Duplicate(w, 0.0f, N);
  PipeBarrier<PIPE_ALL>();

  // 0: a mask of bits, and a stride: every second repeat, elements 0, 1 and 63
  uint64_t mask[2] = {0x8000000000000003u, 0};
  Add(y, a, b, mask, 4, BinaryRepeatParams{1, 1, 1, 16, 16, 16});
  Store(out, 0, y);
  // 1: continuous mask, then the register as it stands
  Duplicate(y, 0.0f, N);
  Mul(y, a, b, 40, 4, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
  Sub<float, false>(y[256], a[256], b[256], MASK_PLACEHOLDER, 4, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
  Store(out, 1, y);
  // 2: counter mode
  ResetMask();
  Duplicate(y, 0.0f, N);
  SetMaskCount();
  SetVectorMask<float, MaskMode::COUNTER>(0, 333);
  Max<float, false>(y, a, b, MASK_PLACEHOLDER, 1, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
  SetMaskNorm();
  ResetMask();
  Store(out, 2, y);
  // 3, 4: selection by tensor and by scalar; 5: by the register
  Compare(bits, a, b, CMPMODE::LT, N);
  PipeBarrier<PIPE_V>();
  Select(y, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, N);
  Store(out, 3, y);
  Select(y, bits, a, 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
  Store(out, 4, y);
  Select(y, bits, a, b, SELMODE::VSEL_CMPMASK_SPR, N);
  Store(out, 5, y);
  // 6: multiply-adds; whole-tensor operators
  Duplicate(y, 1.0f, N);
  PipeBarrier<PIPE_V>();
  Axpy(y, a, 2.0f, N);
  MulAddDst(y, a, b, N);
  FusedMulAdd(y, a, b, N);
  w = y + a;
  y = w - b;
  Store(out, 6, y);
  // 23: comparisons of whole tensors, each a bit of the sum
  Duplicate(y, 0.0f, N);
  for (int i = 0; i < 6; i++) {
    if (i == 0) bits = a < b;
    else if (i == 1) bits = a > b;
    else if (i == 2) bits = a <= b;
    else if (i == 3) bits = a >= b;
    else if (i == 4) bits = a == b;
    else bits = a != b;
    PipeBarrier<PIPE_V>();
    Duplicate(z, static_cast<float>(1 << i), N);
    Select(w, bits, z, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
    y = y + w;
  }
  Store(out, 23, y);
  // 7: half and back; integers and shifts
  LocalTensor<half> h = At<half>(6);
  LocalTensor<int32_t> i32 = At<int32_t>(7);
  Cast(h, a, RoundMode::CAST_RINT, N);
  Muls(h, h, static_cast<half>(3.0f), N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 7, y);
  Muls(w, a, 1000.0f, N);
  Cast(i32, w, RoundMode::CAST_FLOOR, N);
  ShiftRight(i32, i32, 2, N);
  Adds(i32, i32, 5, N);
  Cast(y, i32, RoundMode::CAST_NONE, N);
  Store(out, 8, y);
  // 9: per repeat and per block; 10: index first
  Duplicate(y, 0.0f, N);
  WholeReduceMax(y, a, 64, N / 64, 1, 1, 8);
  BlockReduceSum(y[32], a, N / 64, 64, 1, 1, 8);
  PairReduceSum(y[128], a, N / 64, 64, 1, 1, 8);
  RepeatReduceSum(y[400], a, N / 64, 64, 0, 1, 1, 8);
  Store(out, 9, y);
  Duplicate(y, 0.0f, N);
  ReduceMin(y, a, z, 64, N / 64, 8, true);
  ReduceSum(y[8], a, z, 64, N / 64, 8);
  ReduceMax(y[16], a, z, N);
  Store(out, 10, y);
  // 11: Brcb and Copy; 12: Gatherb
  Duplicate(y, 0.0f, N);
  Brcb(y, a, 4, BrcbRepeatParams{1, 8});
  Copy(y[256], b, 64, 2, CopyRepeatParams{1, 1, 8, 8});
  Store(out, 11, y);
  LocalTensor<uint32_t> offset = At<uint32_t>(8);
  for (uint32_t i = 0; i < N / 8; i++) offset.SetValue(i, (N / 8 - 1 - i) * 32);
  Gatherb(y.ReinterpretCast<uint32_t>(), a.ReinterpretCast<uint32_t>(), offset, N / 64, GatherRepeatParams{1, 8});
  Store(out, 12, y);
  // 13: transposition of 16 x 16 halves; 14: by lists of addresses
  Duplicate(y, 0.0f, N);
  Cast(h, a, RoundMode::CAST_RINT, 256);
  LocalTensor<half> turned = At<half>(9);
  Transpose(turned, h);
  Cast(y, turned, RoundMode::CAST_NONE, 256);
  LocalTensor<half> to[16], from[16];
  for (int i = 0; i < 16; i++) to[i] = turned[i * 16], from[i] = h[i * 16];
  PipeBarrier<PIPE_ALL>();
  TransDataTo5HD(to, from, TransDataTo5HDParams{false, false, 1, 0, 0});
  Cast(y[256], turned, RoundMode::CAST_NONE, 256);
  Store(out, 13, y);
  // 14: four sorted lists merged
  LocalTensor<int32_t> index = At<int32_t>(10);
  LocalTensor<float> lists = At<float>(11), merged = At<float>(13);
  CreateVecIndex(index, 0, 128);
  Sort32(lists, a, index.ReinterpretCast<uint32_t>(), 4);
  PipeBarrier<PIPE_V>();
  uint16_t lengths[4] = {32, 32, 32, 32};
  uint32_t sorted[4];
  MrgSort(merged, MrgSortSrcList<float>(lists, lists[64], lists[128], lists[192]), lengths, sorted, 15, 1);
  Duplicate(y, 0.0f, N);
  PipeBarrier<PIPE_V>();
  Extract(y, y[256].ReinterpretCast<uint32_t>(), merged, 4);
  y.SetValue(511, static_cast<float>(sorted[0] + sorted[1] + sorted[2] + sorted[3]));
  Store(out, 14, y);
  // 15: int8 and int4 through half
  LocalTensor<int8_t> i8 = At<int8_t>(15);
  Muls(w, a, 100.0f, N);
  Cast(h, w, RoundMode::CAST_RINT, N);
  Cast(i8, h, RoundMode::CAST_TRUNC, N);
  Cast(h, i8, RoundMode::CAST_NONE, N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 15, y);
  LocalTensor<int4b_t> i4 = At<int4b_t>(15);
  Muls(w, a, 6.0f, N);
  Cast(h, w, RoundMode::CAST_RINT, N);
  Cast(i4, h, RoundMode::CAST_ROUND, N);
  Cast(h, i4, RoundMode::CAST_NONE, N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 16, y);
  // 17: requantisation
  SetDeqScale(static_cast<half>(0.5f));
  Muls(w, a, 1000.0f, N);
  Cast(i32, w, RoundMode::CAST_RINT, N);
  Cast(h, i32, RoundMode::CAST_NONE, N);
  Cast(y, h, RoundMode::CAST_NONE, N);
  Store(out, 17, y);
  SetDeqScale(static_cast<half>(0.0f));
  // 18: registers behind a reduction
  Duplicate(y, 0.0f, N);
  WholeReduceMax(w, a, 64, N / 64, 1, 1, 8);
  float greatest = 0, position = 0;
  GetReduceMaxMinCount(greatest, position);
  y.SetValue(0, greatest);
  y.ReinterpretCast<uint32_t>().SetValue(1, __builtin_bit_cast(uint32_t, position));
  Store(out, 18, y);
  // 19: parts of a matrix by slices
  SliceInfo in_slices[] = {{8, 23, 0, 2, 32}, {0, 3, 1, 1, 16}}, out_slices[] = {{0, 15, 0, 2, 16}, {0, 1, 0, 1, 32}};
  Duplicate(y, 0.0f, N);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, gm, out_slices, in_slices, 2);
  PipeBarrier<PIPE_ALL>();
  Store(out, 19, y);
}

static std::vector<float> x(2 * N), got;
static size_t wrong;
static void Check(uint32_t row, uint32_t i, double expected, double tolerance = 0) {
  if (std::fabs(got[row * N + i] - expected) <= tolerance) return;
  if (wrong++ < 10) std::printf("row %u element %u: %.9g instead of %.9g\n", row, i, got[row * N + i], expected);
}

static void CheckElementwise(const float *a, const float *b) {
  for (uint32_t i = 0; i < N; i++) {
    bool chosen = i % 128 < 64 && (i % 64 < 2 || i % 64 == 63);
    Check(0, i, chosen ? a[i] + b[i] : 0);
    Check(1, i, i < 256 ? (i % 64 < 40 ? a[i] * b[i] : 0) : (i % 64 < 40 ? a[i] - b[i] : 0));
    Check(2, i, i < 333 ? std::max(a[i], b[i]) : 0);
    Check(3, i, a[i] < b[i] ? a[i] : b[i]);
    Check(4, i, a[i] < b[i] ? a[i] : 7);
    Check(5, i, a[i % 64] < b[i % 64] ? a[i] : b[i]);
    double fma = 1 + 2.0 * a[i] + (double)a[i] * b[i];
    Check(6, i, a[i] * fma + b[i] + a[i] - b[i], 2e-6);
    Check(23, i, (a[i] < b[i]) + 2 * (a[i] > b[i]) + 4 * (a[i] <= b[i]) + 8 * (a[i] >= b[i]) + 16 * (a[i] == b[i]) + 32 * (a[i] != b[i]));
    Check(7, i, (float)half(3.0f * (float)half(a[i])), 0);
    Check(8, i, (double)((int32_t)std::floor(1000.0f * a[i]) >> 2) + 5);
    Check(15, i, std::trunc((float)half(100.0f * a[i])));
    Check(16, i, std::round((float)half(6.0f * a[i])));
    Check(17, i, (float)half(0.5f * std::nearbyint(1000.0f * a[i])));
  }
}

static void CheckReductions(const float *a, const float *b) {
  double least = a[0], greatest = a[0], total = 0;
  uint32_t least_at = 0, greatest_at = 0;
  for (uint32_t r = 0; r < N / 64; r++) {
    uint32_t best = 0;
    double sum = 0;
    for (uint32_t i = 0; i < 64; i++) {
      float v = a[r * 64 + i];
      if (v > a[r * 64 + best]) best = i;
      if (v < least) least = v, least_at = r * 64 + i;
      if (v > greatest) greatest = v, greatest_at = r * 64 + i;
      sum += v;
    }
    total += sum;
    Check(9, 2 * r, a[r * 64 + best]);
    uint32_t bits;
    std::memcpy(&bits, &got[9 * N + 2 * r + 1], 4);
    wrong += bits != best;
    Check(9, 400 + r, sum, 1e-5);
    for (uint32_t k = 0; k < 8; k++) {
      double block = 0;
      for (uint32_t i = 0; i < 8; i++) block += a[r * 64 + k * 8 + i];
      Check(9, 32 + r * 8 + k, block, 1e-6);
    }
    for (uint32_t k = 0; k < 32; k++) Check(9, 128 + r * 32 + k, a[r * 64 + 2 * k] + a[r * 64 + 2 * k + 1]);
  }
  Check(10, 0, least);
  Check(10, 8, total, 1e-4);
  Check(10, 16, greatest);
  Check(18, 0, greatest);
  uint32_t bits[2];
  std::memcpy(&bits[0], &got[10 * N + 1], 4);
  std::memcpy(&bits[1], &got[18 * N + 1], 4);
  wrong += (bits[0] != least_at) + (bits[1] != greatest_at);
  for (uint32_t i = 0; i < 256; i++) Check(11, i, a[i / 8]);
  for (uint32_t i = 0; i < 128; i++) Check(11, 256 + i, b[i]);
}

static void CheckPlaces(const float *a) {
  for (uint32_t i = 0; i < N; i++) Check(12, i, a[(N / 8 - 1 - i / 8) * 8 + i % 8]);
  for (uint32_t i = 0; i < 256; i++) {
    float exact = half(a[i % 16 * 16 + i / 16]);
    Check(13, i, exact);
    Check(13, 256 + i, exact);
  }
  std::vector<uint32_t> order(128);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [a](uint32_t i, uint32_t j) { return a[i] > a[j]; });
  for (uint32_t i = 0; i < 128; i++) {
    Check(14, i, a[order[i]]);
    uint32_t bits;
    std::memcpy(&bits, &got[14 * N + 256 + i], 4);
    wrong += bits != order[i];
  }
  Check(14, 511, 128);
  for (uint32_t r = 0; r < 2; r++)
    for (uint32_t i = 0; i < 16; i++) Check(19, r * 16 + i, x[2 * r * 32 + 8 + i]);
}

int main() {
  for (uint32_t i = 0; i < 2 * N; i++) x[i] = Number(i);
  Device device;
  DeviceArray<float> xDev(x), outDev(std::vector<float>(ROWS * N));
  api<<<1, 0, nullptr>>>(xDev.get(), outDev.get());
  Device::Must(aclrtSynchronizeDevice());
  got = outDev.Read();
  CheckElementwise(x.data(), x.data() + N);
  CheckReductions(x.data(), x.data() + N);
  CheckPlaces(x.data());
  return Report("api_vector", ROWS * N, wrong);
}
