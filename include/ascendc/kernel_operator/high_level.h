/* high_level.h - activations, mathematics, sums, quantisation, the k greatest.
 *
 * A sharedTmpBuffer must be as large as the host's Get...TmpSize function tells (high_level_tmp.h) and loses what it held;
 * calls without one take it from what the pipe has left. Tiling structures name the shape only. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_H

#include "vector.h"

namespace AscendC {

using SharedTmp = LocalTensor<uint8_t>;

namespace Internal {
SK_INLINE sk_scratch scratch_given(const SharedTmp &tmp, bool reuse) { return sk_scratch{tmp.sk_address(), tmp.GetLength(), true, reuse}; }
template <typename T>
constexpr uint32_t float_bits() {
  static_assert(std::is_same<T, half>::value || std::is_same<T, float>::value, "high-level functions take half and float");
  return sizeof(T) * 8;
}
template <typename T>
SK_INLINE void high_unary(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, sk_scratch tmp) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), src.sk_address(), nullptr, 0, count, tmp);
}
template <typename T>
SK_INLINE void high_binary(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, uint32_t count,
                           sk_scratch tmp) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), a.sk_address(), b.sk_address(), 0, count, tmp);
}
template <typename T>
SK_INLINE void high_scalar(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &src, double scalar, uint32_t count, sk_scratch tmp) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), src.sk_address(), nullptr, scalar, count, tmp);
}
} // namespace Internal

/* Each function twice, with a sharedTmpBuffer and without: X(its parameter, what says whose memory it is). */
#define SK_TMP_OF_PIPE(reuse) (sk_scratch{nullptr, 0, false, reuse})
#define SK_TMP_GIVEN(reuse) (Internal::scratch_given(tmp, reuse))
#define SK_WITH_TMP(X) X(, SK_TMP_OF_PIPE) X([[maybe_unused]] const SharedTmp &tmp SK_COMMA, SK_TMP_GIVEN)

template <typename T, typename U>
constexpr auto DivCeil(T a, U b) {
  return (a + b - 1) / b;
}

/* ---- elementwise ------------------------------------------------------------------------------------ */

#define SK_HIGH_UNARY(Name, shared, scratch)                                                                           \
  template <typename T, bool a = false, bool b = false>                                                                \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const uint32_t count) {             \
    SK_TAKES(#Name, T, half, float);                                                                                   \
    Internal::high_unary(SK_HIGH_##Name, dst, src, count, scratch(a));                                                 \
  }
#define SK_HIGH_UNARY_ALL(Name)                                                                                        \
  SK_HIGH_UNARY(Name, , SK_TMP_OF_PIPE) SK_HIGH_UNARY(Name, const SharedTmp &tmp SK_COMMA, SK_TMP_GIVEN)               \
  template <typename T, bool a = false, bool b = false>                                                                \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SharedTmp &tmp) {                    \
    SK_TAKES(#Name, T, half, float);                                                                                   \
    Internal::high_unary(SK_HIGH_##Name, dst, src, src.GetSize(), SK_TMP_GIVEN(a));                                    \
  }                                                                                                                    \
  template <typename T, bool a = false, bool b = false>                                                                \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src) {                                          \
    SK_TAKES(#Name, T, half, float);                                                                                   \
    Internal::high_unary(SK_HIGH_##Name, dst, src, src.GetSize(), SK_TMP_OF_PIPE(a));                                  \
  }
SK_HIGH_UNARY_ALL(Gelu) SK_HIGH_UNARY_ALL(FasterGelu) SK_HIGH_UNARY_ALL(FasterGeluV2) SK_HIGH_UNARY_ALL(Silu)
SK_HIGH_UNARY_ALL(Sigmoid) SK_HIGH_UNARY_ALL(Tanh) SK_HIGH_UNARY_ALL(Log) SK_HIGH_UNARY_ALL(Log2) SK_HIGH_UNARY_ALL(Log10)
SK_HIGH_UNARY_ALL(Sin) SK_HIGH_UNARY_ALL(Cos) SK_HIGH_UNARY_ALL(Tan) SK_HIGH_UNARY_ALL(Asin) SK_HIGH_UNARY_ALL(Acos)
SK_HIGH_UNARY_ALL(Atan) SK_HIGH_UNARY_ALL(Sinh) SK_HIGH_UNARY_ALL(Cosh) SK_HIGH_UNARY_ALL(Asinh) SK_HIGH_UNARY_ALL(Acosh)
SK_HIGH_UNARY_ALL(Atanh) SK_HIGH_UNARY_ALL(Erf) SK_HIGH_UNARY_ALL(Erfc) SK_HIGH_UNARY_ALL(Lgamma) SK_HIGH_UNARY_ALL(Digamma)
SK_HIGH_UNARY_ALL(Floor) SK_HIGH_UNARY_ALL(Ceil) SK_HIGH_UNARY_ALL(Round) SK_HIGH_UNARY_ALL(Trunc) SK_HIGH_UNARY_ALL(Frac)
SK_HIGH_UNARY_ALL(Sign)
#undef SK_HIGH_UNARY_ALL
#undef SK_HIGH_UNARY

#define SK_EXP(shared, scratch)                                                                                        \
  template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>                                         \
  SK_INLINE void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const uint32_t count) {              \
    SK_TAKES("Exp", T, half, float);                                                                                   \
    Internal::high_unary(SK_HIGH_ExpTaylor, dst, src, count, scratch(isReuseSource));                                  \
  }
SK_WITH_TMP(SK_EXP)
#undef SK_EXP

/* All of the first source where no count is given. */
#define SK_HIGH_BINARY(Name)                                                                                           \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const SharedTmp &tmp, \
                      uint32_t count) {                                                                                \
    SK_TAKES(#Name, T, half, float);                                                                                   \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, count, SK_TMP_GIVEN(isReuseSource));                        \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const SharedTmp &tmp) { \
    SK_TAKES(#Name, T, half, float);                                                                                             \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, src0.GetSize(), SK_TMP_GIVEN(isReuseSource));               \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t count) { \
    SK_TAKES(#Name, T, half, float);                                                                                       \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, count, SK_TMP_OF_PIPE(isReuseSource));                      \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1) {             \
    SK_TAKES(#Name, T, half, float);                                                                                   \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, src0.GetSize(), SK_TMP_OF_PIPE(isReuseSource));             \
  }
SK_HIGH_BINARY(Power) SK_HIGH_BINARY(Fmod) SK_HIGH_BINARY(GeGLU) SK_HIGH_BINARY(ReGlu)
#undef SK_HIGH_BINARY
#define SK_POWER(shared, scratch, count_parameter, count)                                                              \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Power(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &exponent shared count_parameter) { \
    SK_TAKES("Power", T, half, float);                                                                                 \
    Internal::high_scalar(SK_HIGH_Power, dst, src, static_cast<float>(exponent), count, scratch(isReuseSource));       \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Power(const LocalTensor<T> &dst, const SK_SAME_TYPE &base, const LocalTensor<T> &src shared count_parameter) { \
    SK_TAKES("Power", T, half, float);                                                                                          \
    sk_high_elementwise(SK_HIGH_Power, Internal::float_bits<T>(), dst.sk_address(), nullptr, src.sk_address(),         \
                        static_cast<float>(base), count, scratch(isReuseSource));                                      \
  }
SK_POWER(, SK_TMP_OF_PIPE, , src.GetSize())
SK_POWER(, SK_TMP_OF_PIPE, SK_COMMA uint32_t elems, elems)
SK_POWER(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, , src.GetSize())
SK_POWER(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, SK_COMMA uint32_t elems, elems)
#undef SK_POWER
#define SK_HIGH_CLAMP(shared, scratch)                                                                                 \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void ClampMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const SK_SAME_TYPE scalar, uint32_t count) { \
    SK_TAKES("ClampMax", T, half, float);                                                                              \
    Internal::high_scalar(SK_HIGH_ClampMax, dst, src, static_cast<float>(scalar), count, scratch(isReuseSource));      \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void ClampMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const SK_SAME_TYPE scalar, uint32_t count) { \
    SK_TAKES("ClampMin", T, half, float);                                                                              \
    Internal::high_scalar(SK_HIGH_ClampMin, dst, src, static_cast<float>(scalar), count, scratch(isReuseSource));      \
  }
SK_WITH_TMP(SK_HIGH_CLAMP)
#undef SK_HIGH_CLAMP
/* d += s * scalar, with the temporary memory that wider results take. */
template <typename T, typename U, bool isReuseSource = false>
SK_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const PrimT<U> scalar, const SharedTmp &tmp,
                    const uint32_t count) {
  if (sk_high_scratch("Axpy", sizeof(U) == 2 ? 4 : 0, SK_TMP_GIVEN(isReuseSource))) Axpy(dst, src, scalar, static_cast<int32_t>(count));
}
/* The framework gives the data size first. */
template <typename T, bool isReuseSource = false>
SK_INLINE void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t dataSize, const SK_SAME_TYPE scalar) {
  SK_TAKES("Swish", T, half, float);
  Internal::high_scalar(SK_HIGH_Swish, dst, src, static_cast<float>(scalar), dataSize, SK_TMP_OF_PIPE(isReuseSource));
}
#define SK_SWIGLU(shared, scratch, count_parameter, count)                                                             \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,             \
                        const float &scalar shared count_parameter) {                                                  \
    SK_TAKES("SwiGLU", T, half, float);                                                                                \
    sk_high_swiglu(Internal::float_bits<T>(), dst.sk_address(), src0.sk_address(), src1.sk_address(), scalar, count,   \
                   scratch(isReuseSource));                                                                            \
  }
SK_SWIGLU(, SK_TMP_OF_PIPE, , src0.GetSize())
SK_SWIGLU(, SK_TMP_OF_PIPE, SK_COMMA const uint32_t elems, elems)
SK_SWIGLU(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, , src0.GetSize())
SK_SWIGLU(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, SK_COMMA const uint32_t elems, elems)
#undef SK_SWIGLU

/* Tilings name the shape; the other fields are the framework's and change nothing here. */
#define SK_TILING_FIELD(name) uint32_t name = 0;
#define SK_TILING_FLOAT(name) float name = 0;

/* ---- sums, quantisation, the k greatest --------------------------------------------------------- */

struct SumParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct MeanParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct TopkTiling {
  int32_t tmpLocalSize = 0;
};
struct TopKInfo {
  int32_t outter = 1, inner = 0, n = 0;
};
enum class TopKMode : uint8_t { TOPK_NORMAL, TOPK_NSMALL };

#define SK_ROW_FUNCTIONS(shared, scratch)                                                                                               \
  template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>                      \
  SK_INLINE void Sum(LocalTensor<T> &dst, const LocalTensor<T> &src, shared const SumParams &p) {                              \
    SK_TAKES("Sum", T, half, float);                                                                                           \
    sk_rows shape{p.outter, p.n, p.inner, Internal::float_bits<T>(), 32};                                                   \
    sk_high_row_sum(&shape, dst.sk_address(), src.sk_address(), 1, scratch(isReuseSource));                                 \
  }                                                                                                                         \
  template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1> \
  SK_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const MeanParams &p) {                   \
    SK_TAKES("Mean", T, half, float);                                                                                       \
    sk_rows shape{p.outter, p.n, p.inner, Internal::float_bits<T>(), Internal::float_bits<accType>()};                      \
    sk_high_row_sum(&shape, dst.sk_address(), src.sk_address(), 1.0 / p.n, scratch(isReuseSource));                         \
  }                                                                                                                         \
  template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,                        \
            TopKMode topkMode = TopKMode::TOPK_NORMAL>                                                                      \
  SK_INLINE void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,      \
                      const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, shared const int32_t k,                 \
                      const TopkTiling &, const TopKInfo &info, const bool isLargest = true) {                              \
    SK_TAKES("TopK", T, half, float);                                                                                       \
    sk_rows shape{static_cast<uint32_t>(info.outter), static_cast<uint32_t>(info.n), static_cast<uint32_t>(info.inner),     \
                  Internal::float_bits<T>(), 32};                                                                           \
    sk_high_top_k(&shape, dstValue.sk_address(), dstIndex.sk_address(), src.sk_address(),                                   \
                  isInitIndex ? srcIndex.sk_address() : nullptr, isHasfinish ? finish.sk_address() : nullptr,               \
                  static_cast<uint32_t>(k), isLargest);                                                                     \
  }
SK_WITH_TMP(SK_ROW_FUNCTIONS)
#undef SK_ROW_FUNCTIONS

#define SK_BROADCAST(Name, shared, scratch)                                                                                 \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],                   \
                           const uint32_t srcShape[dim] shared) {                                                           \
    static_assert(sizeof(T) <= 4, "Broadcast: elements have 8, 16 or 32 bits");                                             \
    static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions");                                                \
    sk_high_broadcast(sizeof(T), dst.sk_address(), src.sk_address(), dstShape, srcShape, dim, scratch(isReuseSource));      \
  }
SK_BROADCAST(Broadcast, , SK_TMP_OF_PIPE)
SK_BROADCAST(Broadcast, SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN)
SK_BROADCAST(BroadCast, , SK_TMP_OF_PIPE) /* its older spelling */
SK_BROADCAST(BroadCast, SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN)
#undef SK_BROADCAST

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE, CUMSUM_ALGORITHM_SKLANSKY };
struct CumSumConfig {
  bool isLastAxis = true, isReuseSource = false, outputLastRow = true;
  CumSumAlgorithm algorithm = CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true, CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
struct CumSumInfo {
  uint32_t outter = 0, inner = 0;
};
#define SK_CUM_SUM(shared, scratch)                                                                                         \
  template <typename T, const CumSumConfig &config = defaultCumSumConfig>                                                   \
  SK_INLINE void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow, const LocalTensor<T> &src, shared const CumSumInfo &info) { \
    SK_TAKES("CumSum", T, half, float);                                                                                           \
    sk_rows shape{info.outter, info.inner, info.inner, Internal::float_bits<T>(), 32};                                      \
    sk_high_running_sum(&shape, dst.sk_address(), config.outputLastRow ? lastRow.sk_address() : nullptr, src.sk_address(),  \
                        config.isLastAxis, scratch(config.isReuseSource));                                                  \
  }
SK_WITH_TMP(SK_CUM_SUM)
#undef SK_CUM_SUM

namespace tiling {
using AscendC::TopkTiling;
} // namespace tiling

} // namespace AscendC

using AscendC::TopkTiling;

#endif
