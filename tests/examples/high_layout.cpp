/* high_layout.cpp - Pad, UnPad, TransData and Transpose of channels and of its seven types on many shapes, also such that are no multiples of
 * blocks and fractals; test_high_level.py does the same with numpy. One core. */
#include "pack.hpp"
#include "tiling/tiling_api.h"

using namespace AscendC;

struct Padding {
  PadTiling tiling;
  PadParams params;
};
struct Cutting {
  UnPadTiling tiling;
  UnPadParams params;
};
#define LAYOUT_KERNEL(name, Params)                                              \
  template <typename T>                                                          \
  __aicore__ inline void name##_of(Buffer &b, const Frame &f, Params &p);        \
  __global__ __vector__ void name(GM_ADDR in, GM_ADDR out, Frame f, Params p) {  \
    Buffer b(in, out, f);                                                        \
    if (f.isHalf) name##_of<half>(b, f, p);                                      \
    else name##_of<float>(b, f, p);                                              \
  }                                                                              \
  template <typename T>                                                          \
  __aicore__ inline void name##_of(Buffer &b, [[maybe_unused]] const Frame &f, Params &p)
#define IN(i) b.In<T>(i)
#define OUT(i) b.Out<T>(i)

LAYOUT_KERNEL(pad, Padding) { CALL_BOTH(b, Pad, (OUT(0), IN(0), p.params), (p.tiling)); }
LAYOUT_KERNEL(unpad, Cutting) { CALL_BOTH(b, UnPad, (OUT(0), IN(0), p.params), (p.tiling)); }

constexpr TransDataConfig TO_BLOCKS = {DataFormat::NCDHW, DataFormat::NDC1HWC0}, FROM_BLOCKS = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig TO_FRACTALS = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D}, FROM_FRACTALS = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
struct Volume {
  uint32_t n, c, d, h, w;
};
/* isFirst: to the other format. */
template <const TransDataConfig &to, const TransDataConfig &from, class Plain, class Other>
__aicore__ inline void trans_both(Buffer &b, const Frame &f, const Plain &plain, const Other &other) {
  using T = half;
  TransDataParams<Plain, Other> there{plain, other};
  TransDataParams<Other, Plain> back{other, plain};
  if (f.isFirst) CALL_BOTH(b, (TransData<to, T, Plain, Other>), (OUT(0), IN(0)), (there));
  else CALL_BOTH(b, (TransData<from, T, Other, Plain>), (OUT(0), IN(0)), (back));
}
__global__ __vector__ void trans_blocks(GM_ADDR in, GM_ADDR out, Frame f, Volume v) {
  Buffer b(in, out, f);
  Layout plain = MakeLayout(MakeShape(v.n, v.c, v.d, v.h, v.w), MakeStride());
  Layout blocks = MakeLayout(MakeShape(v.n, v.d, (v.c + 15) / 16, v.h, v.w, 16), MakeStride());
  trans_both<TO_BLOCKS, FROM_BLOCKS>(b, f, plain, blocks);
}
__global__ __vector__ void trans_fractals(GM_ADDR in, GM_ADDR out, Frame f, Volume v) {
  Buffer b(in, out, f);
  Layout plain = MakeLayout(MakeShape(v.n, v.c, v.d, v.h, v.w), MakeStride());
  Layout fractals = MakeLayout(MakeShape(v.d, (v.c + 15) / 16, v.h, v.w, (v.n + 15) / 16, 16, 16), MakeStride());
  trans_both<TO_FRACTALS, FROM_FRACTALS>(b, f, plain, fractals);
}

LAYOUT_KERNEL(channels, TransposeParamsExt) { Transpose(OUT(0), IN(0), b.Tmp(), p); }

struct Turn {
  ConfusionTransposeTiling tiling;
  TransposeType type;
};
/* isFirst: by the function's older name. */
LAYOUT_KERNEL(transpose, Turn) {
  if (f.isFirst) CALL_BOTH(b, ConfusionTranspose, (OUT(0), IN(0)), (p.type, p.tiling));
  else CALL_BOTH(b, Transpose, (OUT(0), IN(0)), (p.type, p.tiling));
}

static uint32_t number;
static uint32_t TmpBytes(uint32_t most, uint32_t least) { return number % 3 == 0 ? least : number % 3 == 1 ? most : 0; }
static uint32_t Up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

template <typename T>
static void Rows() {
  struct Shape {
    uint32_t rows, width, original, left, right;
  };
  const uint32_t block = 32 / sizeof(T);
  /* Rows that are no whole blocks, and rows that are but end in what is no data. */
  for (const Shape &c : {Shape{16, block - 1, block - 1, 0, 1}, Shape{32, 2 * block - 3, 2 * block - 3, 1, 2}, Shape{16, block + 1, block + 1, 2, 1},
                         Shape{5, 2 * block, 2 * block - 3, 0, 3}, Shape{7, block, 1, 0, block - 1}}) {
    ge::Shape shape({c.rows, c.width}), original({c.rows, c.original});
    uint32_t most = 0, least = 0, pitch = Up(c.width, block);
    GetPadMaxMinTmpSize(shape, sizeof(T), most, least);
    Padding p{{}, {static_cast<uint16_t>(c.left), static_cast<uint16_t>(c.right), -321}};
    PadTilingFunc(shape, original, most, sizeof(T), p.tiling);
    Case one("pad", number, {c.rows, c.width, c.original, c.left, c.right, pitch});
    one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = TmpBytes(most, least);
    one.In("x", Numbers<T>(c.rows * c.width, 100, 0)).Out("y", c.rows * pitch, sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { pad<<<1, 0, nullptr>>>(in, out, f, p); });
    Cutting q{{}, {0, static_cast<uint16_t>(c.right)}};
    UnPadTilingFunc(ge::Shape({c.rows, pitch}), 0, sizeof(T), q.tiling);
    Case two("unpad", number, {c.rows, pitch, c.right});
    two.frame.isHalf = sizeof(T) == 2, two.frame.tmpBytes = number % 2 * 256;
    two.In("x", Numbers<T>(c.rows * pitch, 100, 0)).Out("y", c.rows * (pitch - c.right), sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { unpad<<<1, 0, nullptr>>>(in, out, f, q); });
    number++;
  }
}

static void Volumes() {
  platform_ascendc::PlatformAscendC platform;
  for (const Volume &v : {Volume{1, 16, 1, 4, 4}, Volume{2, 20, 2, 3, 5}, Volume{16, 32, 1, 2, 8}, Volume{3, 1, 3, 1, 7}}) {
    uint32_t plane = v.h * v.w, pitch = Up(plane, 16), c_up = Up(v.c, 16), n_up = Up(v.n, 16);
    ge::Shape plain({v.n, v.c, v.d, v.h, v.w});
    size_t rows = v.n * v.c * v.d * pitch;
    for (bool to : {true, false})
      for (bool by_n : {false, true}) {
        size_t blocks = (by_n ? n_up : v.n) * c_up * v.d * plane;
        ge::Shape other = by_n ? ge::Shape({v.d, c_up / 16, v.h, v.w, n_up / 16, 16, 16}) : ge::Shape({v.n, v.d, c_up / 16, v.h, v.w, 16});
        uint32_t most = 0, least = 0;
        const TransDataConfig &config = to ? (by_n ? TO_FRACTALS : TO_BLOCKS) : by_n ? FROM_FRACTALS : FROM_BLOCKS;
        if (!GetTransDataMaxMinTmpSize(platform, to ? plain : other, to ? other : plain, ge::DT_FLOAT16, config, most, least)) std::abort();
        Case one(std::string(to ? "to" : "from") + (by_n ? "_fractals" : "_blocks"), number, {v.n, v.c, v.d, v.h, v.w});
        one.frame.isFirst = to, one.frame.tmpBytes = number % 2 == 0 ? least : 0;
        one.In("x", Numbers<half>(to ? rows : blocks, 100, 0)).Out("y", to ? blocks : rows, 2).Run([&](uint8_t *in, uint8_t *out, Frame &f) {
          if (by_n) trans_fractals<<<1, 0, nullptr>>>(in, out, f, v);
          else trans_blocks<<<1, 0, nullptr>>>(in, out, f, v);
        });
        number++;
      }
  }
}

template <typename T>
static void Channels() {
  for (const Volume &v : {Volume{1, 3, 1, 4, 4}, Volume{2, 17, 1, 2, 8}, Volume{3, 1, 1, 16, 3}, Volume{1, 40, 1, 1, 16}})
    for (bool to : {true, false}) {
      Case one(to ? "channels_last" : "channels_first", number, {v.n, v.c, v.h, v.w});
      one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = (to ? v.c + 2 : 2 * v.c + 1) * 16 * 32;
      TransposeParamsExt p(v.n, v.c, v.h, v.w, to ? TransposeType::TRANSPOSE_NCHW2NHWC : TransposeType::TRANSPOSE_NHWC2NCHW);
      one.In("x", Numbers<T>(v.n * v.c * v.h * v.w, 100, 0)).Out("y", v.n * v.c * v.h * v.w, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { channels<<<1, 0, nullptr>>>(in, out, f, p); });
      number++;
    }
}

template <typename T>
static void Turns() {
  struct Shape {
    uint32_t b, n, s, part;
  };
  for (const Shape &c : {Shape{1, 2, 16, 16}, Shape{2, 3, 32, 16}, Shape{1, 16, 16, 32}, Shape{1, 5, 16, 7}, Shape{2, 2, 19, 20}})
    for (uint32_t type = 1; type <= 7; type++) {
      if (type == 7 && (c.s % 16 != 0 || c.part % 16 != 0)) continue;
      uint32_t s_up = Up(c.s, 16), part_up = Up(c.part, 16), whole_up = Up(c.n * c.part, 16), most = 0, least = 0;
      uint32_t split = c.b * c.n * s_up * part_up, joined = c.b * s_up * whole_up;
      uint32_t from = type == 7 ? c.s * c.part : type == 3 || type == 4 ? joined : split;
      uint32_t to = type == 7 ? from : type >= 5 ? joined : split;
      ge::Shape shape = type == 7 ? ge::Shape({c.s, c.part}) : ge::Shape({c.b, c.n, c.s, c.part});
      GetTransposeMaxMinTmpSize(shape, sizeof(T), type, most, least);
      Turn t{{}, static_cast<TransposeType>(type)};
      GetTransposeTilingInfo(shape, most, sizeof(T), type, t.tiling);
      Case one("transpose", number, {type, c.b, c.n, c.s, c.part});
      one.frame.isHalf = sizeof(T) == 2, one.frame.isFirst = number % 2 == 0, one.frame.tmpBytes = TmpBytes(most, least);
      one.In("x", Numbers<T>(from, 100, 0)).Out("y", to, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { transpose<<<1, 0, nullptr>>>(in, out, f, t); });
      number++;
    }
}

int main() {
  Device device;
  Rows<float>(), Rows<half>();
  Volumes();
  Channels<float>(), Channels<half>();
  Turns<float>(), Turns<half>();
  std::printf("high_layout: %u cases\n", number);
  return 0;
}
