/* vector.h - elementwise vector instructions on tensors.
 *
 * Two shapes of every function: over a count of contiguous elements (which leaves an all-ones mask), and
 * with a mask, repeats and strides. isSetMask = false uses the mask register as it stands. */
#ifndef SK_KERNEL_OPERATOR_VECTOR_H
#define SK_KERNEL_OPERATOR_VECTOR_H

#include "tensor.h"

namespace AscendC {

namespace Internal {
template <bool isSetMask>
SK_INLINE void set_mask(uint64_t length) {
  if constexpr (isSetMask) sk_mask_length(length);
}
template <bool isSetMask>
SK_INLINE void set_mask(const uint64_t bits[]) {
  if constexpr (isSetMask) asc_set_vector_mask(bits[1], bits[0]);
}
} // namespace Internal

#define SK_STRIDES_2(repeat, p)                                                                                    \
  repeat, (p).dstBlkStride, (p).src0BlkStride, (p).src1BlkStride, (p).dstRepStride, (p).src0RepStride, (p).src1RepStride
#define SK_STRIDES_1(repeat, p) repeat, (p).dstBlkStride, (p).srcBlkStride, (p).dstRepStride, (p).srcRepStride

/* ---- d = s0 op s1 ---------------------------------------------------------------------------- */

/* The names end with the element types they take. */
#define SK_BINARY_FUNCTION(Name, op, ...)                                                                           \
  template <typename T>                                                                                             \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
                      const int32_t &count) {                                                                       \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::all_hold(static_cast<uint32_t>(count), dst, src0, src1);                                              \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), static_cast<uint32_t>(count));                    \
    sk_mask_full();                                                                                                 \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
                      uint64_t mask, const uint8_t repeat, const BinaryRepeatParams &p) {                           \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), SK_STRIDES_2(repeat, p));                         \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,            \
                      const uint64_t mask[], const uint8_t repeat, const BinaryRepeatParams &p) {                   \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), SK_STRIDES_2(repeat, p));                         \
  }
#define SK_COMMA ,
SK_BINARY_FUNCTION(Add, asc_add, half, int16_t, int32_t, float)
SK_BINARY_FUNCTION(Sub, asc_sub, half, int16_t, int32_t, float)
SK_BINARY_FUNCTION(Mul, asc_mul, half, int16_t, int32_t, float)
SK_BINARY_FUNCTION(Div, asc_div, half, float)
SK_BINARY_FUNCTION(Max, asc_max, half, int16_t, int32_t, float)
SK_BINARY_FUNCTION(Min, asc_min, half, int16_t, int32_t, float)
SK_BINARY_FUNCTION(And, asc_and, int16_t, uint16_t)
SK_BINARY_FUNCTION(Or, asc_or, int16_t, uint16_t)
SK_BINARY_FUNCTION(FusedMulAdd, asc_mul_add, half, float)
SK_BINARY_FUNCTION(MulAddRelu, asc_mul_add_relu, half, float)
SK_BINARY_FUNCTION(FusedMulAddRelu, asc_mul_add_relu, half, float)
SK_BINARY_FUNCTION(AddRelu, asc_add_relu, int16_t, half, float)
SK_BINARY_FUNCTION(SubRelu, asc_sub_relu, int16_t, half, float)
/* Two element types. */
#define SK_BINARY_FUNCTION_2(Name, op, ...)                                                                         \
  template <typename D, typename S>                                                                                 \
  SK_INLINE void Name(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,            \
                      const int32_t &count) {                                                                       \
    SK_TAKES_FROM(#Name, PrimT<D>, PrimT<S>, __VA_ARGS__);                                                          \
    SK_TRAITS_AGREE(#Name, D, S);                                                                                   \
    Internal::all_hold(static_cast<uint32_t>(count), dst, src0, src1);                                              \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), static_cast<uint32_t>(count));                    \
    sk_mask_full();                                                                                                 \
  }                                                                                                                 \
  template <typename D, typename S, bool isSetMask = true>                                                          \
  SK_INLINE void Name(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,            \
                      uint64_t mask, const uint8_t repeat, const BinaryRepeatParams &p) {                           \
    SK_TAKES_FROM(#Name, PrimT<D>, PrimT<S>, __VA_ARGS__);                                                          \
    SK_TRAITS_AGREE(#Name, D, S);                                                                                   \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), SK_STRIDES_2(repeat, p));                         \
  }                                                                                                                 \
  template <typename D, typename S, bool isSetMask = true>                                                          \
  SK_INLINE void Name(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,            \
                      const uint64_t mask[], const uint8_t repeat, const BinaryRepeatParams &p) {                   \
    SK_TAKES_FROM(#Name, PrimT<D>, PrimT<S>, __VA_ARGS__);                                                          \
    SK_TRAITS_AGREE(#Name, D, S);                                                                                   \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), SK_STRIDES_2(repeat, p));                         \
  }
SK_BINARY_FUNCTION_2(MulAddDst, asc_fma, half(half), float(float), float(half))
SK_BINARY_FUNCTION_2(AddReluCast, asc_add_relu, int8_t(half), int8_t(int16_t), half(float))
SK_BINARY_FUNCTION_2(SubReluCast, asc_sub_relu, int8_t(half), int8_t(int16_t), half(float))
namespace Internal {
template <class... Args>
SK_INLINE void mul_cast(int8_t *dst, Args... args) {
  asc_mul_cast_half2int8(dst, args...);
}
template <class... Args>
SK_INLINE void mul_cast(uint8_t *dst, Args... args) {
  asc_mul_cast_half2uint8(dst, args...);
}
} // namespace Internal
SK_BINARY_FUNCTION_2(MulCast, Internal::mul_cast, int8_t(half), uint8_t(half))
#undef SK_BINARY_FUNCTION
#undef SK_BINARY_FUNCTION_2

/* ---- d = op s -------------------------------------------------------------------------------- */

#define SK_UNARY_FUNCTION(Name, op, ...)                                                                            \
  template <typename T>                                                                                             \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {                 \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::all_hold(static_cast<uint32_t>(count), dst, src);                                                     \
    op(dst.sk_elements(), src.sk_elements(), static_cast<uint32_t>(count));                                         \
    sk_mask_full();                                                                                                 \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, const uint8_t repeat,    \
                      const UnaryRepeatParams &p) {                                                                 \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src.sk_elements(), SK_STRIDES_1(repeat, p));                                              \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],                  \
                      const uint8_t repeat, const UnaryRepeatParams &p) {                                           \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src.sk_elements(), SK_STRIDES_1(repeat, p));                                              \
  }
SK_UNARY_FUNCTION(Not, asc_not, int16_t, uint16_t)
SK_UNARY_FUNCTION(Exp, asc_exp, half, float)
SK_UNARY_FUNCTION(Ln, asc_log, half, float)
SK_UNARY_FUNCTION(Abs, asc_abs, half, float)
SK_UNARY_FUNCTION(Reciprocal, asc_rcp, half, float)
SK_UNARY_FUNCTION(Rsqrt, asc_rsqrt, half, float)
SK_UNARY_FUNCTION(Sqrt, asc_sqrt, half, float)
SK_UNARY_FUNCTION(Relu, asc_relu, half, int32_t, float)
#undef SK_UNARY_FUNCTION

/* ---- d = s op scalar ---------------------------------------------------------------------------- */

/* V: the scalar's type as the instruction takes it. */
#define SK_SCALAR_FUNCTION(Name, op, V, ...)                                                                        \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const V &value, const int32_t &count) { \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::all_hold(static_cast<uint32_t>(count), dst, src);                                                     \
    op(dst.sk_elements(), src.sk_elements(), value, static_cast<uint32_t>(count));                                  \
    sk_mask_full();                                                                                                 \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const V &value, uint64_t mask,          \
                      const uint8_t repeat, const UnaryRepeatParams &p) {                                           \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src.sk_elements(), value, SK_STRIDES_1(repeat, p));                                       \
  }                                                                                                                 \
  template <typename T, bool isSetMask = true>                                                                      \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const V &value, const uint64_t mask[],  \
                      const uint8_t repeat, const UnaryRepeatParams &p) {                                           \
    SK_TAKES(#Name, PrimT<T>, __VA_ARGS__);                                                                         \
    Internal::set_mask<isSetMask>(mask);                                                                            \
    op(dst.sk_elements(), src.sk_elements(), value, SK_STRIDES_1(repeat, p));                                       \
  }
/* The scalar has the type of the tensor's elements, whatever it is written as. */
#define SK_SAME_TYPE PrimT<T>
namespace Internal {
template <typename T>
using shift_distance = typename std::conditional<std::is_signed<T>::value, int32_t, uint32_t>::type;
} // namespace Internal
SK_SCALAR_FUNCTION(Adds, asc_add_scalar, SK_SAME_TYPE, half, int16_t, int32_t, float)
SK_SCALAR_FUNCTION(Muls, asc_mul_scalar, SK_SAME_TYPE, half, int16_t, int32_t, float)
SK_SCALAR_FUNCTION(Maxs, asc_max_scalar, SK_SAME_TYPE, half, int16_t, int32_t, float)
SK_SCALAR_FUNCTION(Mins, asc_min_scalar, SK_SAME_TYPE, half, int16_t, int32_t, float)
SK_SCALAR_FUNCTION(LeakyRelu, asc_leakyrelu, SK_SAME_TYPE, half, float)
SK_SCALAR_FUNCTION(ShiftLeft, asc_shiftleft, int64_t, int16_t, uint16_t, int32_t, uint32_t)
#undef SK_SCALAR_FUNCTION

namespace Internal {
template <typename T, class... Args>
SK_INLINE void shift_right(bool round, T *dst, const T *src, int64_t distance, Args... args) {
  if constexpr (std::is_signed<T>::value) {
    if (round) {
      asc_shiftright_round(dst, src, static_cast<int32_t>(distance), args...);
      return;
    }
    asc_shiftright(dst, src, static_cast<int32_t>(distance), args...);
  } else {
    if (round) sk_kernel_finding("BAD_ARGUMENT", "ShiftRight: rounding is there for signed types only", false);
    asc_shiftright(dst, src, static_cast<uint32_t>(distance), args...);
  }
}
} // namespace Internal
template <typename T, bool isSetMask = true>
SK_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int64_t &distance, const int32_t &count) {
  SK_TAKES("ShiftRight", PrimT<T>, int16_t, uint16_t, int32_t, uint32_t);
  Internal::all_hold(static_cast<uint32_t>(count), dst, src);
  Internal::shift_right(false, dst.sk_elements(), src.sk_elements(), distance, static_cast<uint32_t>(count));
  sk_mask_full();
}
template <typename T, bool isSetMask = true>
SK_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int64_t &distance, uint64_t mask,
                          const uint8_t repeat, const UnaryRepeatParams &p, bool roundEn = false) {
  SK_TAKES("ShiftRight", PrimT<T>, int16_t, uint16_t, int32_t, uint32_t);
  Internal::set_mask<isSetMask>(mask);
  Internal::shift_right(roundEn, dst.sk_elements(), src.sk_elements(), distance, SK_STRIDES_1(repeat, p));
}
template <typename T, bool isSetMask = true>
SK_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int64_t &distance, const uint64_t mask[],
                          const uint8_t repeat, const UnaryRepeatParams &p, bool roundEn = false) {
  SK_TAKES("ShiftRight", PrimT<T>, int16_t, uint16_t, int32_t, uint32_t);
  Internal::set_mask<isSetMask>(mask);
  Internal::shift_right(roundEn, dst.sk_elements(), src.sk_elements(), distance, SK_STRIDES_1(repeat, p));
}

/* d += s * scalar; the scalar has the source's type. */
template <typename T, typename U>
SK_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const PrimT<U> &value,
                    const int32_t &count) {
  SK_TAKES_FROM("Axpy", T, U, half(half), float(float), float(half));
  Internal::all_hold(static_cast<uint32_t>(count), dst, src);
  asc_axpy(dst.sk_address(), src.sk_address(), value, static_cast<uint32_t>(count));
  sk_mask_full();
}
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const PrimT<U> &value,
                    uint64_t mask, const uint8_t repeat, const UnaryRepeatParams &p) {
  SK_TAKES_FROM("Axpy", T, U, half(half), float(float), float(half));
  Internal::set_mask<isSetMask>(mask);
  asc_axpy(dst.sk_address(), src.sk_address(), value, SK_STRIDES_1(repeat, p));
}
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const PrimT<U> &value,
                    const uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams &p) {
  SK_TAKES_FROM("Axpy", T, U, half(half), float(float), float(half));
  Internal::set_mask<isSetMask>(mask);
  asc_axpy(dst.sk_address(), src.sk_address(), value, SK_STRIDES_1(repeat, p));
}

/* ---- fill and copy ------------------------------------------------------------------------------ */

template <typename T>
SK_INLINE void Duplicate(const LocalTensor<T> &dst, const PrimT<T> &value, const int32_t &count) {
  SK_TAKES("Duplicate", T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::all_hold(static_cast<uint32_t>(count), dst);
  asc_duplicate(dst.sk_address(), value, static_cast<uint32_t>(count));
  sk_mask_full();
}
template <typename T, bool isSetMask = true>
SK_INLINE void Duplicate(const LocalTensor<T> &dst, const PrimT<T> &value, uint64_t mask,
                         const uint8_t repeat, const uint16_t dst_block_stride, const uint8_t dst_repeat_stride) {
  SK_TAKES("Duplicate", T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<isSetMask>(mask);
  asc_duplicate(dst.sk_address(), value, repeat, dst_block_stride, dst_repeat_stride);
}
template <typename T, bool isSetMask = true>
SK_INLINE void Duplicate(const LocalTensor<T> &dst, const PrimT<T> &value, const uint64_t mask[],
                         const uint8_t repeat, const uint16_t dst_block_stride, const uint8_t dst_repeat_stride) {
  SK_TAKES("Duplicate", T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<isSetMask>(mask);
  asc_duplicate(dst.sk_address(), value, repeat, dst_block_stride, dst_repeat_stride);
}

namespace Internal {
/* Copies look at the width only. */
template <typename T>
using raw_bits = typename std::conditional<sizeof(PrimT<T>) == 2, uint16_t, uint32_t>::type;
template <typename T>
SK_INLINE void copy_blocks(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t repeat, const CopyRepeatParams &p) {
  using R = raw_bits<T>;
  asc_copy(reinterpret_cast<R *>(dst.sk_elements()), reinterpret_cast<const R *>(src.sk_elements()), repeat,
           p.dstStride == 0 ? uint16_t{1} : p.dstStride, p.srcStride == 0 ? uint16_t{1} : p.srcStride, p.dstRepeatSize,
           p.srcRepeatSize);
}
} // namespace Internal
template <typename T, bool isSetMask = true>
SK_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask, const uint8_t repeat,
                    const CopyRepeatParams &p) {
  SK_TAKES("Copy", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<isSetMask>(mask);
  Internal::copy_blocks(dst, src, repeat, p);
}
template <typename T, bool isSetMask = true>
SK_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], const uint8_t repeat,
                    const CopyRepeatParams &p) {
  SK_TAKES("Copy", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<isSetMask>(mask);
  Internal::copy_blocks(dst, src, repeat, p);
}

/* ---- whole-tensor operators ---------------------------------------------------------------------- */

namespace Internal {
/* The right side of dst = a op b: run over the whole of dst. */
template <typename T, class Operation>
struct tensor_expression {
  using sk_is_expression = void;
  const LocalTensor<T> &left, &right;
  SK_INLINE void run(const LocalTensor<T> &dst) const { Operation::run(dst, left, right, static_cast<int32_t>(dst.GetSize())); }
};
} // namespace Internal
#define SK_TENSOR_OPERATOR(symbol, Name)                                                                       \
  namespace Internal {                                                                                         \
  struct Name##_operation {                                                                                    \
    template <typename T>                                                                                      \
    static SK_INLINE void run(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, int32_t count) { \
      Name(dst, a, b, count);                                                                                  \
    }                                                                                                          \
  };                                                                                                           \
  }                                                                                                            \
  template <typename T>                                                                                        \
  SK_INLINE Internal::tensor_expression<T, Internal::Name##_operation> operator symbol(const LocalTensor<T> &left, \
                                                                                        const LocalTensor<T> &right) { \
    return {left, right};                                                                                      \
  }
SK_TENSOR_OPERATOR(+, Add)
SK_TENSOR_OPERATOR(-, Sub)
SK_TENSOR_OPERATOR(*, Mul)
SK_TENSOR_OPERATOR(/, Div)
SK_TENSOR_OPERATOR(|, Or)
SK_TENSOR_OPERATOR(&, And)
#undef SK_TENSOR_OPERATOR

} // namespace AscendC

#endif
