/* high_forms.cpp - forms of functions that the other programs do not call: without counts, with temporary memory, with a scalar
 * first, by masks, in place; test_high_level.py computes the same in double. One core. */
#include "pack.hpp"
#include "tiling/tiling_api.h"

using namespace AscendC;

/* Kernels over one element type and n elements each. */
#define FORM_KERNEL(name)                                                                       \
  template <typename T>                                                                         \
  __aicore__ inline void name##_of(Buffer &b, [[maybe_unused]] const Frame &f, uint32_t n);     \
  __global__ __vector__ void name(GM_ADDR in, GM_ADDR out, Frame f, uint32_t n) {               \
    Buffer b(in, out, f);                                                                       \
    if (f.isHalf) name##_of<half>(b, f, n);                                                     \
    else name##_of<float>(b, f, n);                                                             \
  }                                                                                             \
  template <typename T>                                                                         \
  __aicore__ inline void name##_of(Buffer &b, [[maybe_unused]] const Frame &f, uint32_t n)
/* Tensors of n elements, for forms that take all of their source. */
#define IN(i) Sized(b.In<T>(i), n)
#define OUT(i) Sized(b.Out<T>(i), n)
template <typename T>
__aicore__ inline LocalTensor<T> Sized(LocalTensor<T> tensor, uint32_t n) {
  tensor.SetSize(n);
  return tensor;
}

/* isFirst: the count is given. */
#define CALL_ALL(function, before, count)                                                                                      \
  if (f.isFirst && b.Shared()) function(SK_TEST_UNPACK before, b.Tmp(), count);                                                \
  else if (b.Shared()) function(SK_TEST_UNPACK before, b.Tmp());                                                               \
  else if (f.isFirst) function(SK_TEST_UNPACK before, count);                                                                  \
  else function(SK_TEST_UNPACK before)
FORM_KERNEL(powers) {
  CALL_ALL(Power<T>, (OUT(0), IN(0), IN(1)), n);
  CALL_ALL(Power<T>, (OUT(1), IN(0), static_cast<T>(1.5f)), n);
  CALL_ALL(Power<T>, (OUT(2), static_cast<T>(2.0f), IN(1)), n);
}
FORM_KERNEL(gates) {
  CALL_ALL(GeGLU<T>, (OUT(0), IN(0), IN(1)), n);
  CALL_ALL(ReGlu<T>, (OUT(1), IN(0), IN(1)), n);
  CALL_ALL(SwiGLU<T>, (OUT(2), IN(0), IN(1), 1.5f), n);
  CALL_ALL(Fmod<T>, (OUT(3), IN(0), IN(1)), n);
}
FORM_KERNEL(clamps) {
  CALL_BOTH(b, ClampMax<T>, (OUT(0), IN(0)), (static_cast<T>(0.5f), n));
  CALL_BOTH(b, ClampMin<T>, (OUT(1), IN(0)), (static_cast<T>(-0.25f), n));
}
FORM_KERNEL(axpy) {
  Duplicate(OUT(0), static_cast<T>(1.0f), n);
  Axpy(OUT(0), IN(0), static_cast<T>(2.5f), b.Tmp(), n);
}
FORM_KERNEL(means) {
  MeanParams params{4, 64, n};
  CALL_BOTH(b, (Mean<T, float>), (OUT(0), IN(0)), (params));
}
/* n columns of 4 rows; the mask's elements have 1, 2 or 4 bytes. */
template <typename T, typename U>
__aicore__ inline void choose_by(Buffer &b, uint32_t n, uint32_t pitch) {
  SelectWithBytesMaskShapeInfo info{4, n, pitch};
  Select(OUT(0), IN(0), static_cast<T>(-9.0f), b.In<U>(1), b.Tmp(), info);
  SelectWithBytesMask(OUT(1), static_cast<T>(7.0f), IN(0), b.In<U>(1), b.Tmp(), info);
}
__global__ __vector__ void choose(GM_ADDR in, GM_ADDR out, Frame f, uint32_t n, uint32_t pitch, uint32_t maskBytes) {
  Buffer b(in, out, f);
  if (maskBytes == 1) choose_by<float, uint8_t>(b, n, pitch);
  else if (maskBytes == 2) choose_by<float, uint16_t>(b, n, pitch);
  else choose_by<float, int32_t>(b, n, pitch);
}
constexpr CumSumConfig BY_ROWS = {false, false, true, CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
FORM_KERNEL(running_sum) {
  CumSumInfo info{4, n};
  LocalTensor<T> y = b.Out<T>(0), last = b.Out<T>(1), z = b.Out<T>(2), below = b.Out<T>(3);
  CALL_BOTH(b, CumSum<T>, (y, last, b.In<T>(0)), (info));
  CALL_BOTH(b, (CumSum<T, BY_ROWS>), (z, below, b.In<T>(0)), (info));
}
FORM_KERNEL(quantise) {
  LocalTensor<int8_t> q = b.Out<int8_t>(0), by = b.Out<int8_t>(1);
  CALL_BOTH(b, AscendQuant<T>, (q, IN(0)), (1.7f, 0.9f, n));
  CALL_BOTH(b, AscendQuant<T>, (by, IN(0)), (b.In<T>(1), b.In<T>(2), 32u, 32u, n));
  CALL_BOTH(b, AscendQuant<T>, (b.Out<int8_t>(2), IN(0)), (-0.6f, 2.0f));
}

constexpr WelfordUpdateConfig IN_PLACE = {true};
struct Welford {
  WelfordUpdateParam update;
  WelfordFinalizePara whole, tail;
};
__global__ __vector__ void welford(GM_ADDR in, GM_ADDR out, Frame f, Welford w) {
  Buffer b(in, out, f);
  using T = float;
  CALL_BOTH(b, (WelfordUpdate<T, T>), (b.Out<T>(0), b.Out<T>(1), b.In<T>(1), b.In<T>(2), b.In<T>(0)), (w.update));
  CALL_BOTH(b, (WelfordUpdate<T, T, false, IN_PLACE>), (b.Out<T>(2), b.Out<T>(3), b.In<T>(1), b.In<T>(2), b.In<T>(0)), (w.update));
  CALL_BOTH(b, WelfordFinalize, (b.Out<T>(4), b.Out<T>(5), b.In<T>(1), b.In<T>(2)), (w.tail));
  CALL_BOTH(b, WelfordFinalize, (b.Out<T>(4)[8], b.Out<T>(5)[8], b.In<T>(1), b.In<T>(2)), (w.whole));
  CALL_BOTH(b, WelfordFinalize, (b.Out<T>(4)[16], b.Out<T>(5)[16], b.In<T>(1), b.In<T>(2), b.In<int32_t>(3)), (w.tail));
}

/* Device memory by Fill; a value from the compiler's scalar minimum. */
__global__ __vector__ void filled(GM_ADDR in, GM_ADDR out, Frame f, uint32_t n) {
  AscendCUtils::SetOverflow(1);
  {
    Buffer b(in, out, f);
  }
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)(out + f.out[0]), n);
  TPipe pipe;
  Fill(gm, n, static_cast<float>(min(max(n, 3u), 5u)));
  AscendCUtils::SetOverflow(0);
}

static uint32_t number;

template <typename T>
static void Elementwise() {
  for (uint32_t n : {8u, 64u, 100u, 400u}) {
    for (uint32_t form = 0; form < 4; form++) {
      auto begin = [&](const char *function) {
        Case one(function, number, {n});
        one.frame.isHalf = sizeof(T) == 2, one.frame.isFirst = form % 2 == 0, one.frame.tmpBytes = form / 2 * 14 * (n * sizeof(T) + 256);
        return one;
      };
      std::vector<T> x = Numbers<T>(n, 1, 1.25f), y = Numbers<T>(n, 1, 1.5f);
      begin("powers").In("x", x).In("y", y).Out("both", n, sizeof(T)).Out("exponent", n, sizeof(T)).Out("base", n, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { powers<<<1, 0, nullptr>>>(in, out, f, n); });
      begin("gates").In("x", x).In("y", y).Out("geglu", n, sizeof(T)).Out("reglu", n, sizeof(T)).Out("swiglu", n, sizeof(T)).Out("fmod", n, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { gates<<<1, 0, nullptr>>>(in, out, f, n); });
      std::vector<T> z = Numbers<T>(n, 2, 0);
      begin("clamps").In("x", z).Out("most", n, sizeof(T)).Out("least", n, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { clamps<<<1, 0, nullptr>>>(in, out, f, n); });
      number++;
    }
    Case one("axpy", number, {n});
    one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = 4 * (n * 2 + 256);
    one.In("x", Numbers<T>(n, 2, 0)).Out("y", n, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { axpy<<<1, 0, nullptr>>>(in, out, f, n); });
  }
}

template <typename T>
static void Rows() {
  for (uint32_t n : {16u, 32u, 48u, 64u}) {
    auto begin = [&](const char *function, uint32_t bytes) {
      Case one(function, number, {n});
      one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = number % 2 * bytes;
      return one;
    };
    uint32_t most = 0, least = 0, by_rows = 0;
    GetMeanMaxMinTmpSize(n, sizeof(T), 4, false, most, least);
    begin("means", least).In("x", Numbers<T>(4 * 64, 2, 0)).Out("y", 4, sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { means<<<1, 0, nullptr>>>(in, out, f, n); });
    GetCumSumMaxMinTmpSize(ge::Shape({4, n}), sizeof(T), false, false, most, by_rows);
    GetCumSumMaxMinTmpSize(ge::Shape({4, n}), sizeof(T), true, false, most, least);
    begin("running_sum", std::max(least, by_rows)).In("x", Numbers<T>(4 * n, 1, 0)).Out("y", 4 * n, sizeof(T)).Out("last", 4, sizeof(T))
        .Out("z", 4 * n, sizeof(T)).Out("below", n, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { running_sum<<<1, 0, nullptr>>>(in, out, f, n); });
    GetAscendQuantMaxMinTmpSize(ge::Shape({n * 16}), sizeof(T), most, least);
    Case one = begin("quantise", most);
    one.In("x", Numbers<T>(n * 16, 30, 0)).In("scale", Numbers<T>(32, 2, 0)).In("offset", Numbers<T>(32, 3, 0)).Out("q", n * 16, 1).Out("by", n * 16, 1)
        .Out("all", n * 16, 1)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { quantise<<<1, 0, nullptr>>>(in, out, f, n * 16); });
    number++;
  }
}

template <typename U>
static void Masks() {
  for (uint32_t n : {32u, 64u}) {
    uint32_t pitch = n + 32 * (number % 2);
    std::vector<U> mask(4 * pitch);
    for (U &m : mask) m = static_cast<U>(Number(number * 1000 + static_cast<uint32_t>(&m - &mask[0])) > 0 ? 1u << (sizeof(U) * 8 - 2) : 0);
    ge::Shape source({4, n}), scalar({1}), masks({4, pitch});
    Case one("choose", number, {n, pitch});
    one.frame.tmpBytes = GetSelectMinTmpSize(source, scalar, 4, masks, sizeof(U), false);
    one.In("x", Numbers<float>(4 * n, 2, 0)).In("mask", mask).Out("y", 4 * n, 4).Out("z", 4 * n, 4)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { choose<<<1, 0, nullptr>>>(in, out, f, n, pitch, sizeof(U)); });
    number++;
  }
}

static void Welfords() {
  /* rows, length, computed, head columns. */
  for (const std::vector<uint32_t> &c : std::vector<std::vector<uint32_t>>{{1, 64, 64, 64}, {1, 64, 37, 16}, {3, 32, 24, 8}, {2, 16, 5, 0}}) {
    uint32_t n = c[0] * c[1], most = 0, least = 0;
    GetWelfordUpdateMaxMinTmpSize(ge::Shape({c[0], c[1]}), 4, 4, false, false, most, least);
    std::vector<int32_t> counts(c[1]);
    for (uint32_t i = 0; i < c[1]; i++) counts[i] = static_cast<int32_t>(1 + i % 5);
    Welford w{{c[0], c[1], c[2], 0.25f}, {4, c[1], 0, 0, 0, 0, 1.0f / c[1], 1.0f / (4 * c[1])}, {4, c[1], 4, c[3], 3, c[1] - c[3], 1.0f / c[1], 1.0f / (4 * c[3] + 3 * (c[1] - c[3]))}};
    Case one("welford", number, c);
    one.frame.tmpBytes = number % 2 * std::max(least, 1024u);
    one.In("x", Numbers<float>(n, 2, 0)).In("mean", Numbers<float>(n, 1, 1)).In("variance", Numbers<float>(n, 0.5f, 2)).In("counts", counts)
        .Out("new_mean", n, 4).Out("new_variance", n, 4).Out("all_mean", n, 4).Out("all_variance", n, 4).Out("centre", 24, 4).Out("spread", 24, 4)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { welford<<<1, 0, nullptr>>>(in, out, f, w); });
    number++;
  }
  for (uint32_t n : {8u, 16u, 100u, 4u}) {
    Case one("filled", number, {n});
    one.In("x", std::vector<float>(8)).Out("y", n, 4).Run([&](uint8_t *in, uint8_t *out, Frame &f) { filled<<<1, 0, nullptr>>>(in, out, f, n); });
    number++;
  }
}

int main() {
  Device device;
  Elementwise<float>(), Elementwise<half>();
  Rows<float>(), Rows<half>();
  Masks<uint8_t>(), Masks<uint16_t>(), Masks<int32_t>();
  Welfords();
  std::printf("high_forms: %u cases\n", number);
  return 0;
}
