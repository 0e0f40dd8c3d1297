/* high_softmax_nz.cpp - softmax and its relatives on matrices in NZ: 16 columns of all rows after another. Rows and columns that
 * only pad are there too; test_high_level.py computes the same in double. One core. */
#include "pack.hpp"

using namespace AscendC;

struct Rows {
  SoftMaxTiling tiling;
  LogSoftMaxTiling logTiling;
  SoftMaxShapeInfo info;
};
#define IN(i) b.In<T>(i)
#define OUT(i) b.Out<T>(i)
#define VIN(i) b.In<V>(i)
#define VOUT(i) b.Out<V>(i)

template <typename T, typename V>
__aicore__ inline void whole_of(Buffer &b, Rows &r) {
  SoftMax<T, false, false, true>(OUT(0), VOUT(1), VOUT(2), IN(0), r.tiling, r.info);
  SimpleSoftMax<T, false, false, true>(OUT(3), VOUT(1), VOUT(2), IN(0), r.tiling, r.info);
  SoftmaxGrad<T, false, true>(OUT(4), IN(1), OUT(0), r.tiling, false, r.info);
  SoftmaxGradFront<T, false, true>(OUT(5), IN(1), OUT(0), r.tiling, r.info);
}
template <typename T, typename V>
__aicore__ inline void steps_of(Buffer &b, Rows &r) {
  SoftmaxFlashV2<T, false, false, false, true>(OUT(0), VOUT(1), VOUT(2), IN(0), OUT(3), VOUT(1), VOUT(2), r.tiling, r.info);
  SoftmaxFlashV2<T, true, false, false, true>(OUT(0), VOUT(1), VOUT(2), IN(1), OUT(3), VOUT(1), VOUT(2), r.tiling, r.info);
}
template <typename T>
__aicore__ inline void logarithm_of(Buffer &b, Rows &r) {
  LogSoftMax<T, false, true>(OUT(0), OUT(1), OUT(2), IN(0), b.Tmp(), r.logTiling, r.info);
}
/* Rows whose maximum is -2 become 7; the second matrix has none. */
template <typename T, typename V>
__aicore__ inline void adjust_of(Buffer &b, Rows &r, uint32_t from) {
  Adds(OUT(0), IN(0), T(0), r.info.srcM * r.info.srcK);
  Adds(OUT(1), IN(0), T(0), r.info.srcM * r.info.srcK);
  bool some = AdjustSoftMaxRes<T, V, true>(OUT(0), VIN(1), from, T(7), r.info);
  bool none = AdjustSoftMaxRes<T, V, true>(OUT(1), VIN(1), from + 1, T(7), r.info);
  Duplicate(b.Out<float>(2), some && !none ? 1.0f : 0.0f, 8);
}
#define KERNEL(name, function, ...)                                               \
  __global__ __vector__ void name(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {     \
    Buffer b(in, out, f);                                                         \
    if (f.isHalf && f.isFirst) function<half, float>(b, r);                       \
    else if (f.isHalf) function<half, half>(b, r);                                \
    else function<float, float>(b, r);                                            \
  }
KERNEL(nz_whole, whole_of)
KERNEL(nz_steps, steps_of)
__global__ __vector__ void nz_logarithm(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {
  Buffer b(in, out, f);
  if (f.isHalf) logarithm_of<half>(b, r);
  else logarithm_of<float>(b, r);
}
__global__ __vector__ void nz_adjust(GM_ADDR in, GM_ADDR out, Frame f, Rows r) {
  Buffer b(in, out, f);
  if (f.isHalf && f.isFirst) adjust_of<half, float>(b, r, 0xc0000000);
  else if (f.isHalf) adjust_of<half, half>(b, r, 0xc000);
  else adjust_of<float, float>(b, r, 0xc0000000);
}

static uint32_t number;

template <typename T, typename V>
static void Shapes() {
  struct Shape {
    uint32_t rows, columns, allRows, allColumns;
  };
  const uint32_t block = 32 / sizeof(T), values = 32 / sizeof(V);
  for (const Shape &c : {Shape{16, 16, 16, 16}, Shape{16, 48, 16, 48}, Shape{5, 37, 16, 48}, Shape{32, 128, 32, 128}, Shape{3, 1, 16, 16}}) {
    size_t elems = c.allRows * c.allColumns;
    std::vector<T> x = Numbers<T>(elems, 4, 1), next = Numbers<T>(elems, 4, 0);
    Rows r{{}, {}, {c.allRows, c.allColumns, c.rows, c.columns}};
    auto begin = [&](const char *function) {
      Case one(function, number, {c.rows, c.columns, c.allRows, c.allColumns});
      one.frame.isHalf = sizeof(T) == 2, one.frame.isFirst = sizeof(V) != sizeof(T);
      return one;
    };
    begin("nz_softmax").In("x", x).In("dy", next).Out("y", elems, sizeof(T)).Out("sum", c.rows * values, sizeof(V)).Out("max", c.rows * values, sizeof(V))
        .Out("again", elems, sizeof(T)).Out("dx", elems, sizeof(T)).Out("front", c.rows * block, sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { nz_whole<<<1, 0, nullptr>>>(in, out, f, r); });
    begin("nz_flash2").In("x", x).In("next", next).Out("y", elems, sizeof(T)).Out("sum", c.rows * values, sizeof(V)).Out("max", c.rows * values, sizeof(V))
        .Out("scale", c.rows * block, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { nz_steps<<<1, 0, nullptr>>>(in, out, f, r); });
    if (sizeof(T) == sizeof(V)) {
      Case one = begin("nz_log");
      one.frame.tmpBytes = 16384;
      one.In("x", x).Out("log", elems, sizeof(T)).Out("sum", c.rows * block, sizeof(T)).Out("max", c.rows * block, sizeof(T))
          .Run([&](uint8_t *in, uint8_t *out, Frame &f) { nz_logarithm<<<1, 0, nullptr>>>(in, out, f, r); });
    }
    std::vector<V> least;
    for (uint32_t i = 0; i < c.rows; i++) least.insert(least.end(), values, static_cast<V>(i % 3 == 0 ? -2.0f : 1.0f));
    begin("nz_adjust").In("x", x).In("least", least).Out("y", elems, sizeof(T)).Out("same", elems, sizeof(T)).Out("found", 8, 4)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { nz_adjust<<<1, 0, nullptr>>>(in, out, f, r); });
    number++;
  }
}

int main() {
  Device device;
  Shapes<float, float>(), Shapes<half, half>(), Shapes<half, float>();
  std::printf("high_softmax_nz: %u cases\n", number);
  return 0;
}
