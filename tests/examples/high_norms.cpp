/* high_norms.cpp - the norms and their gradients on many shapes, with rows that do not end at blocks and temporary memory of the
 * least size, of the greatest and of the pipe; test_high_level.py computes the same in double. One core. */
#include "pack.hpp"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr float EPSILON = 1e-3f, ALPHA = 0.75f;

/* A kernel for both element types. */
#define NORM_KERNEL(name, Tiling)                                                      \
  template <typename T>                                                                \
  __aicore__ inline void name##_of(Buffer &b, const Frame &f, Tiling &t);              \
  __global__ __vector__ void name(GM_ADDR in, GM_ADDR out, Frame f, Tiling t) {        \
    Buffer b(in, out, f);                                                              \
    if (f.isHalf) name##_of<half>(b, f, t);                                            \
    else name##_of<float>(b, f, t);                                                    \
  }                                                                                    \
  template <typename T>                                                                \
  __aicore__ inline void name##_of(Buffer &b, [[maybe_unused]] const Frame &f, Tiling &t)
#define IN(i) b.In<T>(i)
#define OUT(i) b.Out<T>(i)

NORM_KERNEL(layer_norm, LayerNormTiling) {
  CALL_BOTH(b, LayerNorm, (OUT(0), OUT(1), OUT(2), IN(0), IN(1), IN(2)), (static_cast<T>(EPSILON), t));
}
NORM_KERNEL(rms_norm, RmsNormTiling) { CALL_BOTH(b, RmsNorm, (OUT(0), IN(0), IN(1)), (static_cast<T>(EPSILON), t)); }
NORM_KERNEL(deep_norm, DeepNormTiling) {
  CALL_BOTH(b, DeepNorm, (OUT(0), OUT(1), OUT(2), IN(0), IN(1), IN(2), IN(3)), (static_cast<T>(ALPHA), static_cast<T>(EPSILON), t));
}
NORM_KERNEL(batch_norm, BatchNormTiling) {
  CALL_BOTH(b, BatchNorm, (OUT(0), OUT(1), OUT(2), IN(0), IN(1), IN(2)), (static_cast<T>(EPSILON), t));
}
NORM_KERNEL(group_norm, GroupNormTiling) {
  CALL_BOTH(b, GroupNorm, (OUT(0), OUT(1), OUT(2), IN(0), IN(1), IN(2)), (static_cast<T>(EPSILON), t));
}
NORM_KERNEL(layer_norm_grad, LayerNormGradTiling) {
  CALL_BOTH(b, LayerNormGrad, (OUT(0), OUT(1), IN(0), IN(1), IN(2), IN(3), IN(4)), (static_cast<T>(EPSILON), t));
}
NORM_KERNEL(layer_norm_grad_beta, LayerNormGradBetaTiling) { CALL_BOTH(b, LayerNormGradBeta, (OUT(0), OUT(1), IN(0), IN(1)), (t)); }

constexpr LayerNormConfig NO_BETA = {true, false, false, true}, VARIANCE = {false, false, false, false};
constexpr NormalizeConfig NO_GAMMA = {ReducePattern::AR, -1, false, true, false};
struct Separate {
  LayerNormPara para;
  LayerNormSeparateTiling tiling;
};
/* isFirst: gamma and beta are float whatever the rows are. */
template <typename T, typename U>
__aicore__ inline void layer_norm_separately(Buffer &b, Separate &s) {
  CALL_BOTH(b, (LayerNorm<U, T>), (OUT(0), b.Out<float>(1), b.Out<float>(2), IN(0), b.In<U>(1), b.In<U>(2), EPSILON), (s.para, s.tiling));
  CALL_BOTH(b, (LayerNorm<U, T, false, NO_BETA>), (OUT(3), b.Out<float>(1), b.Out<float>(2), IN(0), b.In<U>(1), b.In<U>(2), EPSILON), (s.para, s.tiling));
  CALL_BOTH(b, (LayerNorm<U, T, false, VARIANCE>), (OUT(0), b.Out<float>(1), b.Out<float>(4), IN(0), b.In<U>(1), b.In<U>(2), EPSILON), (s.para, s.tiling));
}
NORM_KERNEL(layer_norm_separate, Separate) {
  if (f.isFirst) layer_norm_separately<T, float>(b, t);
  else layer_norm_separately<T, T>(b, t);
}
template <typename T, typename U>
__aicore__ inline void normalize_rows(Buffer &b, NormalizePara &para) {
  CALL_BOTH(b, (Normalize<U, T>), (OUT(0), b.Out<float>(1), b.In<float>(3), b.In<float>(4), IN(0), b.In<U>(1), b.In<U>(2)), (EPSILON, para));
  CALL_BOTH(b, (Normalize<U, T, false, NO_GAMMA>), (OUT(2), b.Out<float>(1), b.In<float>(3), b.In<float>(4), IN(0), b.In<U>(1), b.In<U>(2)), (EPSILON, para));
}
NORM_KERNEL(normalize, NormalizePara) {
  if (f.isFirst) normalize_rows<T, float>(b, t);
  else normalize_rows<T, T>(b, t);
}

struct RowCase {
  uint32_t b, s, original, h;
};
template <typename T>
static const std::vector<RowCase> &RowCases() {
  static const std::vector<RowCase> floats = {{1, 1, 8, 8}, {2, 3, 37, 40}, {1, 5, 64, 64}, {3, 3, 199, 200}, {1, 2, 1, 8}};
  static const std::vector<RowCase> halves = {{1, 1, 16, 16}, {2, 3, 41, 48}, {1, 5, 64, 64}, {3, 3, 199, 208}, {1, 2, 3, 16}};
  return sizeof(T) == 4 ? floats : halves;
}
static uint32_t number;
/* Least, greatest and none in turns. */
static uint32_t TmpBytes(uint32_t most, uint32_t least) { return number % 3 == 0 ? least : number % 3 == 1 ? most : 0; }

template <typename T>
static void Rows() {
  for (const RowCase &c : RowCases<T>()) {
    uint32_t rows = c.b * c.s, most = 0, least = 0;
    std::vector<uint32_t> shape = {rows, c.original, c.h};
    ge::Shape stored({c.b, c.s, c.h}), original({c.b, c.s, c.original}), both({c.b, c.s, c.h, c.original});
    std::vector<T> x = Numbers<T>(rows * c.h, 3, 1), gamma = Numbers<T>(c.h, 1, 1), beta = Numbers<T>(c.h, 1, 0);
    auto begin = [&](const char *function, uint32_t greatest, uint32_t smallest) {
      Case one(function, number, shape);
      one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = TmpBytes(greatest, smallest);
      return one;
    };
    GetLayerNormMaxMinTmpSize(both, sizeof(T), false, most, least);
    LayerNormTiling layer;
    GetLayerNormNDTilingInfo(both, most, sizeof(T), false, layer);
    begin("layer_norm", most, least).In("x", x).In("gamma", gamma).In("beta", beta).Out("y", x.size(), sizeof(T)).Out("mean", rows, sizeof(T))
        .Out("variance", rows, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { layer_norm<<<1, 0, nullptr>>>(in, out, f, layer); });
    RmsNormTiling rms;
    if (!GetRmsNormMaxMinTmpSize(stored, sizeof(T), most, least) || !GetRmsNormTilingInfo(stored, original, most, sizeof(T), rms)) std::abort();
    begin("rms_norm", most, least).In("x", x).In("gamma", gamma).Out("y", x.size(), sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { rms_norm<<<1, 0, nullptr>>>(in, out, f, rms); });
    DeepNormTiling deep;
    if (!GetDeepNormMaxMinTmpSize(stored, sizeof(T), false, false, most, least) ||
        !GetDeepNormTilingInfo(stored, original, most, sizeof(T), false, false, deep))
      std::abort();
    std::vector<T> gx = Numbers<T>(rows * c.h, 2, 0);
    begin("deep_norm", most, least).In("x", x).In("gx", gx).In("beta", beta).In("gamma", gamma).Out("y", x.size(), sizeof(T)).Out("mean", rows, sizeof(T))
        .Out("variance", rows, sizeof(T)).Run([&](uint8_t *in, uint8_t *out, Frame &f) { deep_norm<<<1, 0, nullptr>>>(in, out, f, deep); });
    std::vector<T> dy = Numbers<T>(rows * c.h, 1, 0), mean = Numbers<T>(rows, 1, 1), variance = Numbers<T>(rows, 0.5f, 2);
    GetLayerNormGradMaxMinTmpSize(both, sizeof(T), false, most, least);
    LayerNormGradTiling grad;
    GetLayerNormGradNDTilingInfo(both, most, sizeof(T), false, grad);
    begin("layer_norm_grad", most, least).In("dy", dy).In("x", x).In("variance", variance).In("mean", mean).In("gamma", gamma)
        .Out("dx", x.size(), sizeof(T)).Out("for_gamma", x.size(), sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { layer_norm_grad<<<1, 0, nullptr>>>(in, out, f, grad); });
    GetLayerNormGradBetaMaxMinTmpSize(both, sizeof(T), false, most, least);
    LayerNormGradBetaTiling grad_beta;
    GetLayerNormGradBetaNDTilingInfo(both, most, sizeof(T), false, grad_beta);
    begin("layer_norm_grad_beta", most, least).In("for_gamma", x).In("dy", dy).Out("d_gamma", c.h, sizeof(T)).Out("d_beta", c.h, sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { layer_norm_grad_beta<<<1, 0, nullptr>>>(in, out, f, grad_beta); });
    number++;
  }
}

template <typename T, typename U>
static void Separates() {
  for (const RowCase &c : RowCases<T>()) {
    uint32_t rows = c.b * c.s, most = 0, least = 0;
    ge::Shape shape({rows, c.original});
    std::vector<T> x = Numbers<T>(rows * c.h, 3, 1);
    std::vector<U> gamma = Numbers<U>(c.h, 1, 1), beta = Numbers<U>(c.h, 1, 0);
    std::vector<float> mean = Numbers<float>(rows, 1, 1), variance = Numbers<float>(rows, 0.5f, 2);
    auto begin = [&](const char *function) {
      Case one(function, number, {rows, c.original, c.h});
      one.frame.isHalf = sizeof(T) == 2, one.frame.isFirst = std::is_same<U, float>::value, one.frame.tmpBytes = TmpBytes(most, least);
      return one;
    };
    GetLayerNormMaxMinTmpSize(shape, sizeof(T), false, true, false, most, least);
    Separate separate{{rows, c.original, c.h}, {}};
    GetLayerNormNDTilingInfo(shape, most, sizeof(T), false, true, separate.tiling);
    begin("layer_norm_separate").In("x", x).In("gamma", gamma).In("beta", beta).Out("y", x.size(), sizeof(T)).Out("mean", rows, 4)
        .Out("rstd", rows, 4).Out("without_beta", x.size(), sizeof(T)).Out("variance", rows, 4)
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { layer_norm_separate<<<1, 0, nullptr>>>(in, out, f, separate); });
    GetNormalizeMaxMinTmpSize(shape, sizeof(U), sizeof(T), false, true, false, most, least);
    NormalizePara para{rows, c.original, c.h};
    begin("normalize").In("x", x).In("gamma", gamma).In("beta", beta).In("mean", mean).In("variance", variance).Out("y", x.size(), sizeof(T))
        .Out("rstd", rows, 4).Out("without_gamma", x.size(), sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { normalize<<<1, 0, nullptr>>>(in, out, f, para); });
    number++;
  }
}

template <typename T>
static void BatchesAndGroups() {
  const uint32_t block = 32 / sizeof(T);
  for (const std::vector<uint32_t> &c : std::vector<std::vector<uint32_t>>{{1, block}, {5, 3 * block}, {8, 64}, {13, 5 * block}}) {
    uint32_t most = 0, least = 0;
    std::vector<T> x = Numbers<T>(c[0] * c[1], 3, 1), gamma = Numbers<T>(c[0], 1, 1), beta = Numbers<T>(c[0], 1, 0);
    ge::Shape shape({c[0], 1, c[1]});
    BatchNormTiling tiling;
    if (!GetBatchNormMaxMinTmpSize(shape, shape, sizeof(T), false, most, least) || !GetBatchNormNDTilingInfo(shape, shape, most, sizeof(T), false, tiling))
      std::abort();
    Case one("batch_norm", number, c);
    one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = TmpBytes(most, least);
    one.In("x", x).In("gamma", gamma).In("beta", beta).Out("y", x.size(), sizeof(T)).Out("mean", c[1], sizeof(T)).Out("variance", c[1], sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { batch_norm<<<1, 0, nullptr>>>(in, out, f, tiling); });
    number++;
  }
  /* n, channels, groups, h, w: planes that end at blocks and planes that do not. */
  for (const std::vector<uint32_t> &c : std::vector<std::vector<uint32_t>>{{2, 8, 4, 4, 4}, {1, 6, 3, 3, 5}, {3, 4, 1, 2, 7}, {1, 5, 5, 8, 8}}) {
    uint32_t most = 0, least = 0, hw = c[3] * c[4], pitch = (hw + block - 1) / block * block;
    std::vector<T> x = Numbers<T>(c[0] * c[1] * pitch, 3, 1), gamma = Numbers<T>(c[1], 1, 1), beta = Numbers<T>(c[1], 1, 0);
    ge::Shape shape({c[0], c[1], c[3], c[4]});
    GetGroupNormMaxMinTmpSize(shape, sizeof(T), false, c[2], most, least);
    GroupNormTiling tiling;
    GetGroupNormNDTilingInfo(shape, most, sizeof(T), false, c[2], tiling);
    Case one("group_norm", number, {c[0], c[1], c[2], hw, pitch});
    one.frame.isHalf = sizeof(T) == 2, one.frame.tmpBytes = TmpBytes(most, least);
    one.In("x", x).In("gamma", gamma).In("beta", beta).Out("y", x.size(), sizeof(T)).Out("mean", c[0] * c[2], sizeof(T)).Out("variance", c[0] * c[2], sizeof(T))
        .Run([&](uint8_t *in, uint8_t *out, Frame &f) { group_norm<<<1, 0, nullptr>>>(in, out, f, tiling); });
    number++;
  }
}

int main() {
  Device device;
  Rows<float>(), Rows<half>();
  Separates<float, float>(), Separates<half, half>(), Separates<half, float>();
  BatchesAndGroups<float>(), BatchesAndGroups<half>();
  std::printf("high_norms: %u cases\n", number);
  return 0;
}
