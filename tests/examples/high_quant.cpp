/* high_quant.cpp - scales to integers of 8 bits and back: AscendQuant without counts and with counts known when it is compiled,
 * AscendDequant by scales of every type, in rows and over a part, AscendAntiQuant of 4-bit weights, AddDeqRelu by masks;
 * test_high_level.py computes the same in double. One core. */
#include "pack.hpp"
#include "tiling/tiling_api.h"

using namespace AscendC;

template <typename T>
__aicore__ inline LocalTensor<T> Sized(LocalTensor<T> tensor, uint32_t n) {
  tensor.SetSize(n);
  return tensor;
}
#define CALL_PLAIN(buffer, function, before)                                     \
  if ((buffer).Shared()) function(SK_TEST_UNPACK before, (buffer).Tmp());        \
  else function(SK_TEST_UNPACK before)

/* ---- to int8_t ---------------------------------------------------------------------------------------- */

constexpr uint32_t PERIOD = 32, PART = 64;
constexpr AscendQuantConfig FIXED = {PART, PERIOD, PERIOD, 0};

template <typename T>
__aicore__ inline void QuantiseBy(Buffer &b, uint32_t n) {
  LocalTensor<T> x = Sized(b.In<T>(0), n), scale = Sized(b.In<T>(1), PERIOD), offset = Sized(b.In<T>(2), PERIOD);
  CALL_BOTH(b, AscendQuant<T>, (b.Out<int8_t>(0), x), (scale, offset));
  CALL_BOTH(b, AscendQuant<T>, (b.Out<int8_t>(1), x), (scale, static_cast<T>(1.5f)));
  CALL_BOTH(b, (AscendQuant<T, false, FIXED>), (b.Out<int8_t>(2), x), (scale, offset, 1u, 1u, 1u));
}
__global__ __vector__ void quantise_by(GM_ADDR in, GM_ADDR out, Frame f, uint32_t n) {
  Buffer b(in, out, f);
  if (f.isHalf) QuantiseBy<half>(b, n);
  else QuantiseBy<float>(b, n);
}

/* ---- from int32_t --------------------------------------------------------------------------------------- */

constexpr DeQuantMode ONE = DeQuantMode::DEQUANT_WITH_SINGLE_ROW, MANY = DeQuantMode::DEQUANT_WITH_MULTI_ROW;

template <DeQuantMode mode>
__aicore__ inline void Dequantise(Buffer &b, const DequantParams &p, float scale, uint32_t elems) {
  LocalTensor<int32_t> x = Sized(b.In<int32_t>(0), p.m * p.n);
  LocalTensor<float> by = b.In<float>(1);
  LocalTensor<bfloat16_t> by_b = b.In<bfloat16_t>(2);
  LocalTensor<bfloat16_t> short_result = b.Out<bfloat16_t>(5);
  CALL_BOTH(b, (AscendDequant<half, uint64_t, mode>), (b.Out<half>(0), x, b.In<uint64_t>(3)), (p));
  CALL_BOTH(b, (AscendDequant<float, float, mode>), (b.Out<float>(1), x, by), (p));
  CALL_BOTH(b, (AscendDequant<float, bfloat16_t, mode>), (b.Out<float>(2), x, by_b), (p));
  CALL_BOTH(b, (AscendDequant<float, float, mode>), (b.Out<float>(3), x, scale), (p));
  CALL_BOTH(b, (AscendDequant<bfloat16_t, bfloat16_t, mode>), (short_result, x, by_b), (p));
  Cast(b.Out<float>(4), short_result, RoundMode::CAST_NONE, static_cast<int32_t>(elems));
}
__global__ __vector__ void dequantise(GM_ADDR in, GM_ADDR out, Frame f, DequantParams p, float scale, uint32_t elems) {
  Buffer b(in, out, f);
  if (f.isFirst) Dequantise<ONE>(b, p, scale, elems);
  else Dequantise<MANY>(b, p, scale, elems);
}
/* Rows as long as there are scales: all of the source, and its first elements. */
__global__ __vector__ void dequantise_flat(GM_ADDR in, GM_ADDR out, Frame f, uint32_t n, uint32_t part) {
  Buffer b(in, out, f);
  LocalTensor<int32_t> x = Sized(b.In<int32_t>(0), 4 * n);
  LocalTensor<float> scale = Sized(b.In<float>(1), n);
  CALL_PLAIN(b, (AscendDequant<float, float>), (b.Out<float>(0), x, scale));
  CALL_BOTH(b, (AscendDequant<float, float>), (b.Out<float>(1), x, scale), (part));
}

/* ---- weights of 4 bits ------------------------------------------------------------------------------------- */

template <typename D>
__aicore__ inline void AntiQuantise(Buffer &b, LocalTensor<D> all, LocalTensor<D> turned, LocalTensor<D> one, uint32_t k, uint32_t n) {
  LocalTensor<int4b_t> w = Sized(b.In<int4b_t>(0), k * n);
  LocalTensor<D> scale = Sized(b.In<D>(1), n), offset = Sized(b.In<D>(2), n);
  CALL_BOTH(b, (AscendAntiQuant<int4b_t, D, false>), (all, w, offset, scale), (k, AntiQuantShapeInfo{1, n, 1, n}));
  CALL_BOTH(b, (AscendAntiQuant<int4b_t, D, true>), (turned, w, scale), (k, AntiQuantShapeInfo{0, 0, n, 1}));
  if (b.Shared()) AscendAntiQuant<int4b_t, D, false>(one, w, D(0.5f), b.Tmp(), k);
  else AscendAntiQuant<int4b_t, D, false>(one, w, D(0.0f), D(0.5f), k);
}
__global__ __vector__ void anti_quantise_4(GM_ADDR in, GM_ADDR out, Frame f, uint32_t k, uint32_t n) {
  Buffer b(in, out, f);
  if (f.isHalf) {
    AntiQuantise<half>(b, b.Out<half>(3), b.Out<half>(4), b.Out<half>(5), k, n);
    for (uint32_t i = 0; i < 3; i++) Cast(b.Out<float>(i), b.Out<half>(3 + i), RoundMode::CAST_NONE, static_cast<int32_t>(k * n));
  } else {
    AntiQuantise<bfloat16_t>(b, b.Out<bfloat16_t>(3), b.Out<bfloat16_t>(4), b.Out<bfloat16_t>(5), k, n);
    for (uint32_t i = 0; i < 3; i++) Cast(b.Out<float>(i), b.Out<bfloat16_t>(3 + i), RoundMode::CAST_NONE, static_cast<int32_t>(k * n));
  }
}

/* ---- AddDeqRelu ---------------------------------------------------------------------------------------------- */

/* Four repeats of 64: all in order; every second lane; the first `lanes`, the repeats of the result in reverse gaps; the mask as set. */
__global__ __vector__ void add_deq_relu(GM_ADDR in, GM_ADDR out, Frame f, uint64_t lanes) {
  Buffer b(in, out, f);
  LocalTensor<int32_t> x = b.In<int32_t>(0), y = b.In<int32_t>(1);
  SetDeqScale(half(0.375f));
  AddDeqRelu(b.Out<half>(0), x, y, 256);
  uint64_t odd[2] = {0xaaaaaaaaaaaaaaaa, 0};
  AddDeqRelu<half, int32_t>(b.Out<half>(1), x, y, odd, 4, {1, 1, 1, 4, 8, 8});
  AddDeqRelu(b.Out<half>(2), x, y, lanes, 4, {1, 1, 1, 8, 8, 0});
  SetVectorMask<int32_t, MaskMode::NORMAL>(0, (uint64_t{1} << (lanes - 1)) - 1);
  AddDeqRelu<false>(b.Out<half>(3), x, y, MASK_PLACEHOLDER, 4, {1, 1, 1, 4, 8, 8});
  ResetMask();
  SetDeqScale(half(0.0f));
}

/* ---- host ------------------------------------------------------------------------------------------------------ */

static uint32_t number;

static std::vector<int32_t> Integers(size_t count, uint32_t most) {
  std::vector<int32_t> values(count);
  for (int32_t &v : values) v = static_cast<int32_t>(Number(number * 7919 + static_cast<uint32_t>(&v - &values[0])) * static_cast<float>(most));
  return values;
}
static std::vector<uint16_t> Bfloats(const std::vector<float> &x) {
  std::vector<uint16_t> values;
  for (float v : x) values.push_back(static_cast<uint16_t>(__builtin_bit_cast(uint32_t, v) >> 16));
  return values;
}

template <typename T>
static void Quantise() {
  for (uint32_t n : {64u, 96u, 256u}) {
    uint32_t most = 0, least = 0;
    GetAscendQuantMaxMinTmpSize(ge::Shape({n}), sizeof(T), most, least);
    for (uint32_t shared = 0; shared < 2; shared++, number++) {
      Case one("quantise_by", number, {n});
      one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = shared * most;
      one.In("x", Numbers<T>(n, 30, 0)).In("scale", Numbers<T>(PERIOD, 2, 0)).In("offset", Numbers<T>(PERIOD, 3, 0)).Out("both", n, 1)
          .Out("scales", n, 1).Out("fixed", PART, 1).Run([&](uint8_t *in, uint8_t *out, Frame &f) { quantise_by<<<1, 0, nullptr>>>(in, out, f, n); });
    }
  }
}

static void Dequantise() {
  for (const DequantParams &p : {DequantParams{4, 8, 4}, {4, 16, 16}, {1, 64, 16}, {1, 64, 12}, {3, 24, 20}, {2, 128, 128}})
    for (uint32_t one_row = 0; one_row < 2; one_row++, number++) {
      uint32_t elems = p.m * ((p.n + 15) / 16 * 16), most = 0, least = 0;
      std::vector<float> scales = Numbers<float>(p.n, 2, 0);
      std::vector<uint64_t> words;
      for (float v : scales) words.push_back(uint64_t{0x4321} << 40 | __builtin_bit_cast(uint32_t, v));
      GetAscendDequantMaxMinTmpSize(ge::Shape({p.m, p.n}), 4, most, least);
      Case one("dequantise", number, {p.m, p.n, p.calCount, one_row});
      one.frame.isFirst = one_row != 0, one.frame.tmpBytes = number % 2 * most;
      one.In("x", Integers(p.m * p.n, 1000)).In("scale", scales).In("short", Bfloats(scales)).In("words", words).Out("as_half", elems, 2)
          .Out("as_float", elems, 4).Out("by_short", elems, 4).Out("by_one", elems, 4).Out("as_short", elems, 4).Out("scratch", elems, 2)
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { dequantise<<<1, 0, nullptr>>>(in, out, f, p, 0.375f, elems); });
    }
  for (uint32_t n : {8u, 24u})
    for (uint32_t part : {4 * n, 2 * n + 3, 5u}) {
      uint32_t most = 0, least = 0;
      GetAscendDequantMaxMinTmpSize(ge::Shape({4, n}), 4, most, least);
      Case one("dequantise_flat", number, {n, part});
      one.frame.tmpBytes = number % 2 * most;
      one.In("x", Integers(4 * n, 1000)).In("scale", Numbers<float>(n, 2, 0)).Out("all", 4 * n, 4).Out("part", part, 4)
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { dequantise_flat<<<1, 0, nullptr>>>(in, out, f, n, part); });
      number++;
    }
}

static void AntiQuantise() {
  for (const std::vector<uint32_t> &c : std::vector<std::vector<uint32_t>>{{4, 64}, {64, 16}, {2, 128}})
    for (uint32_t is_half = 0; is_half < 2; is_half++, number++) {
      uint32_t k = c[0], n = c[1];
      std::vector<float> scale(n), offset(n);
      for (uint32_t i = 0; i < n; i++) scale[i] = static_cast<float>(i % 7) / 4 - 0.5f, offset[i] = static_cast<float>(i % 5) - 2;
      std::vector<uint8_t> weights(k * n / 2);
      for (size_t i = 0; i < weights.size(); i++) weights[i] = static_cast<uint8_t>(i * 37 + number);
      auto as = [&](const std::vector<float> &x) {
        std::vector<uint16_t> bits;
        for (float v : x) bits.push_back(is_half ? __builtin_bit_cast(uint16_t, half(v)) : Bfloats({v})[0]);
        return bits;
      };
      Case one("anti_quantise_4", number, {k, n, is_half});
      one.frame.isHalf = is_half != 0, one.frame.tmpBytes = number / 2 % 2 * 60000;
      one.In("weights", weights).In("scale_bits", as(scale)).In("offset_bits", as(offset)).Out("all", k * n, 4).Out("turned", k * n, 4).Out("one", k * n, 4)
          .Out("a", k * n, 2).Out("b", k * n, 2).Out("c", k * n, 2)
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { anti_quantise_4<<<1, 0, nullptr>>>(in, out, f, k, n); });
    }
}

static void AddDeqRelu() {
  for (uint32_t lanes : {64u, 33u, 8u, 5u}) {
    Case one("add_deq_relu", number, {lanes});
    one.In("x", Integers(256, 500)).In("y", Integers(256, 300)).Out("all", 256, 2).Out("odd", 256, 2).Out("first", 512, 2).Out("as_set", 256, 2)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { add_deq_relu<<<1, 0, nullptr>>>(in, out, f, lanes); });
    number++;
  }
}

int main() {
  Device device;
  Quantise<float>(), Quantise<half>();
  Dequantise();
  AntiQuantise();
  AddDeqRelu();
  std::printf("high_quant: %u cases\n", number);
  return 0;
}
