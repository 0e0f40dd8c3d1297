/* high_softmax.cpp - softmax and its relatives on many shapes, with columns that pad rows and temporary memory of the least size,
 * of the greatest and of the pipe; test_high_level.py computes the same in double. One core. */
#include "pack.hpp"
#include "tiling/tiling_api.h"

using namespace AscendC;

struct Rows {
  SoftMaxTiling tiling;
  LogSoftMaxTiling logTiling;
  SoftMaxShapeInfo info;
};
#define IN(i) b.In<T>(i)
#define OUT(i) b.Out<T>(i)

template <typename T>
__aicore__ inline void plain_of(Buffer &b, Rows &r) {
  CALL_BOTH(b, SoftMax<T>, (OUT(0), OUT(1), OUT(2), IN(0)), (r.tiling, r.info));
  if (b.Shared()) LogSoftMax<T>(OUT(3), OUT(1), OUT(2), IN(0), b.Tmp(), r.logTiling, r.info);
}
__global__ __vector__ void softmax_plain(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {
  Buffer b(in, out, f);
  if (f.isHalf) plain_of<half>(b, r);
  else plain_of<float>(b, r);
}
/* Two steps over the same rows; V: the type of maxima and sums. */
template <typename T, typename V>
__aicore__ inline void flash_of(Buffer &b, Rows &r) {
  CALL_BOTH(b, SoftmaxFlash<T>, (OUT(0), b.Out<V>(1), b.Out<V>(2), IN(0), OUT(3), b.Out<V>(1), b.Out<V>(2)), (r.tiling, false, r.info));
  CALL_BOTH(b, SoftmaxFlash<T>, (OUT(0), b.Out<V>(1), b.Out<V>(2), IN(1), OUT(3), b.Out<V>(1), b.Out<V>(2)), (r.tiling, true, r.info));
}
template <typename T, typename V>
__aicore__ inline void flash2_of(Buffer &b, Rows &r) {
  CALL_BOTH(b, SoftmaxFlashV2<T>, (OUT(0), b.Out<V>(1), b.Out<V>(2), IN(0), OUT(3), b.Out<V>(1), b.Out<V>(2)), (r.tiling, r.info));
  CALL_BOTH(b, (SoftmaxFlashV2<T, true>), (OUT(0), b.Out<V>(1), b.Out<V>(2), IN(1), OUT(3), b.Out<V>(1), b.Out<V>(2)), (r.tiling, r.info));
}
#define FLASH_KERNEL(name, function)                                              \
  __global__ __vector__ void name(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {     \
    Buffer b(in, out, f);                                                         \
    if (f.isHalf && f.isFirst) function<half, float>(b, r);                       \
    else if (f.isHalf) function<half, half>(b, r);                                \
    else function<float, float>(b, r);                                            \
  }
FLASH_KERNEL(softmax_flash, flash_of)
FLASH_KERNEL(softmax_flash2, flash2_of)

struct PartMeans {
  SoftMaxTiling tiling;
  SoftMaxParams first, second;
};
__global__ __vector__ void softmax_flash3(GM_ADDR in, GM_ADDR out, Frame f, PartMeans p) {
  Buffer b(in, out, f);
  using T = half;
  using V = float;
  CALL_BOTH(b, (SoftmaxFlashV3<T, V>), (OUT(0), b.Out<V>(1), b.Out<V>(2), b.Out<V>(3), IN(0), OUT(4), b.Out<V>(1), b.Out<V>(2), b.Out<V>(3)), (p.tiling, p.first));
  CALL_BOTH(b, (SoftmaxFlashV3<T, V, true>), (OUT(5), b.Out<V>(1), b.Out<V>(2), b.Out<V>(3), IN(1), OUT(4), b.Out<V>(1), b.Out<V>(2), b.Out<V>(3)), (p.tiling, p.second));
}
template <typename T>
__aicore__ inline void grad_of(Buffer &b, Rows &r, bool front) {
  if (front) CALL_BOTH(b, SoftmaxGradFront<T>, (OUT(0), IN(0), IN(1)), (r.tiling, r.info));
  else CALL_BOTH(b, SoftmaxGrad<T>, (OUT(0), IN(0), IN(1)), (r.tiling, false, r.info));
}
__global__ __vector__ void softmax_grad(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {
  Buffer b(in, out, f);
  if (f.isHalf) grad_of<half>(b, r, f.isFirst);
  else grad_of<float>(b, r, f.isFirst);
}
template <typename T>
__aicore__ inline void given_of(Buffer &b, Rows &r) {
  CALL_BOTH(b, SimpleSoftMax<T>, (OUT(0), IN(1), IN(2), IN(0)), (r.tiling, r.info));
}
__global__ __vector__ void softmax_given(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {
  Buffer b(in, out, f);
  if (f.isHalf) given_of<half>(b, r);
  else given_of<float>(b, r);
}

static uint32_t number;
static uint32_t TmpBytes(uint32_t most, uint32_t least) { return number % 3 == 0 ? least : number % 3 == 1 ? most : 0; }

/* A value per row, the same all over its block. */
template <typename T>
static std::vector<T> Blocks(uint32_t rows, float scale, float shift) {
  std::vector<T> values = Numbers<T>(rows, scale, shift), blocks;
  for (T v : values) blocks.insert(blocks.end(), 32 / sizeof(T), v);
  return blocks;
}

template <typename T, typename V>
static void Shapes() {
  struct Shape {
    uint32_t rows, columns, pitch;
  };
  const uint32_t block = 32 / sizeof(T), values = 32 / sizeof(V);
  for (const Shape &c : {Shape{1, block, block}, Shape{5, 37, 48}, Shape{8, 128, 128}, Shape{3, 199, 208}, Shape{16, 1, block}}) {
    ge::Shape shape({c.rows, c.pitch});
    std::vector<T> x = Numbers<T>(c.rows * c.pitch, 4, 1), next = Numbers<T>(c.rows * c.pitch, 4, 0);
    Rows r{{}, {}, {c.rows, c.pitch, c.rows, c.columns}};
    auto begin = [&](const char *function, uint32_t most, uint32_t least) {
      Case one(function, number, {c.rows, c.columns, c.pitch});
      one.frame.isHalf = sizeof(T) == 2, one.frame.isFirst = sizeof(V) != sizeof(T), one.frame.tmpBytes = TmpBytes(most, least);
      return one;
    };
    uint32_t most = GetSoftMaxMaxTmpSize(shape, sizeof(T), false), least = GetSoftMaxMinTmpSize(shape, sizeof(T), false);
    SoftMaxTilingFunc(shape, sizeof(T), most, r.tiling);
    if (GetLogSoftMaxMaxTmpSize(shape, sizeof(T), false) != most || GetLogSoftMaxMinTmpSize(shape, sizeof(T), false) != least) std::abort();
    LogSoftMaxTilingFunc(shape, sizeof(T), most, r.logTiling);
    if (sizeof(T) == sizeof(V)) {
      begin("softmax", most, least).In("x", x).Out("y", x.size(), sizeof(T)).Out("sum", c.rows * block, sizeof(T)).Out("max", c.rows * block, sizeof(T))
          .Out("log", x.size(), sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_plain<<<1, 0, nullptr>>>(in, out, f, r); });
      begin("softmax_given", most, least).In("x", x).In("sum", Blocks<T>(c.rows, 1, 4)).In("max", Blocks<T>(c.rows, 1, 4)).Out("y", x.size(), sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_given<<<1, 0, nullptr>>>(in, out, f, r); });
      for (bool front : {true, false}) {
        SoftMaxGradTilingFunc(shape, sizeof(T), most, r.tiling, front);
        Case one = begin(front ? "softmax_grad_front" : "softmax_grad", GetSoftMaxGradMaxTmpSize(shape, sizeof(T), front, false),
                         GetSoftMaxGradMinTmpSize(shape, sizeof(T), front, false));
        one.frame.isFirst = front;
        one.In("dy", x).In("y", next).Out("dx", front ? c.rows * block : x.size(), sizeof(T))
            .Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_grad<<<1, 0, nullptr>>>(in, out, f, r); });
      }
    }
    SoftMaxFlashTilingFunc(shape, sizeof(T), most, r.tiling, true);
    uint32_t larger = std::max(GetSoftMaxFlashMinTmpSize(shape, sizeof(T), true, false), GetSoftMaxFlashMinTmpSize(shape, sizeof(T), false, false));
    begin("softmax_flash", GetSoftMaxFlashMaxTmpSize(shape, sizeof(T), true, false) + larger, larger).In("x", x).In("next", next)
        .Out("y", x.size(), sizeof(T)).Out("sum", c.rows * values, sizeof(V)).Out("max", c.rows * values, sizeof(V)).Out("scale", c.rows * block, sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_flash<<<1, 0, nullptr>>>(in, out, f, r); });
    SoftMaxFlashV2TilingFunc(shape, sizeof(T), sizeof(V), most, r.tiling, true, false);
    begin("softmax_flash2", GetSoftMaxFlashV2MaxTmpSize(shape, sizeof(T), sizeof(V), true, false), GetSoftMaxFlashV2MinTmpSize(shape, sizeof(T), sizeof(V), true, false))
        .In("x", x).In("next", next).Out("y", x.size(), sizeof(T)).Out("sum", c.rows * values, sizeof(V)).Out("max", c.rows * values, sizeof(V))
        .Out("scale", c.rows * block, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_flash2<<<1, 0, nullptr>>>(in, out, f, r); });
    number++;
  }
}

static void PartMeanShapes() {
  for (const std::vector<uint32_t> &c : std::vector<std::vector<uint32_t>>{{8, 512}, {8, 1024}, {16, 576}, {8, 2048}}) {
    ge::Shape shape({c[0], c[1]});
    uint32_t most = 0, least = 0;
    GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, most, least, true);
    PartMeans p{{}, {c[0], c[1], c[0], c[1], 1, 8, 0.9375f}, {c[0], c[1], c[0], c[1], 2, 8, 0.9375f}};
    SoftMaxFlashV3TilingFunc(shape, 2, 4, most, p.tiling, true);
    std::vector<half> x = Numbers<half>(c[0] * c[1], 1, 1), next = Numbers<half>(c[0] * c[1], 1, 0);
    Case one("softmax_flash3", number, {c[0], c[1], c[1]});
    one.frame.tmpBytes = number % 2 == 0 ? least : 0;
    one.In("x", x).In("next", next).Out("first", x.size(), 2).Out("mean", c[0] * 8, 4).Out("sum", c[0] * 8, 4).Out("max", c[0] * 8, 4)
        .Out("scale", c[0] * 16, 2).Out("y", x.size(), 2)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { softmax_flash3<<<1, 0, nullptr>>>(in, out, f, p); });
    number++;
  }
}

int main() {
  Device device;
  Shapes<float, float>(), Shapes<half, half>(), Shapes<half, float>();
  PartMeanShapes();
  std::printf("high_softmax: %u cases\n", number);
  return 0;
}
