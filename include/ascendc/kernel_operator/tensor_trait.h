/* tensor_trait.h - TensorTrait: the element type of a tensor with a position and a layout, in place of the bare element type.
 * tensor_with_trait.h has the tensors. */
#ifndef SK_KERNEL_OPERATOR_TENSOR_TRAIT_H
#define SK_KERNEL_OPERATOR_TENSOR_TRAIT_H

#include "layout.h"

namespace AscendC {

template <typename T, TPosition pos = TPosition::GM, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
  SK_TAKES("TensorTrait", T, int4b_t, uint8_t, int8_t, int16_t, uint16_t, bfloat16_t, int32_t, uint32_t, int64_t, uint64_t, float,
           half);
  static_assert(is_layout<LayoutType>::value, "TensorTrait: the third argument is a Layout");
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr TPosition tPos = pos;

  SK_INLINE constexpr TensorTrait(const LayoutType &layout = {}) : layout_(layout) {}
  SK_INLINE constexpr LayoutType &GetLayout() { return layout_; }
  SK_INLINE constexpr const LayoutType &GetLayout() const { return layout_; }
  SK_INLINE constexpr void SetLayout(const LayoutType &layout) { layout_ = layout; }
  SK_INLINE constexpr decltype(auto) GetShape() const { return layout_.GetShape(); }
  SK_INLINE constexpr decltype(auto) GetStride() const { return layout_.GetStride(); }

private:
  LayoutType layout_;
};
template <typename T, TPosition pos, typename LayoutType>
SK_INLINE constexpr TensorTrait<T, pos, LayoutType> MakeTensorTrait(const LayoutType &layout) {
  return TensorTrait<T, pos, LayoutType>(layout);
}

template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
template <typename T>
inline constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

namespace Internal {
template <typename T>
struct primitive { using type = T; };
template <typename T, TPosition pos, typename LayoutType>
struct primitive<TensorTrait<T, pos, LayoutType>> { using type = T; };

template <typename T, TPosition pos, typename LayoutType>
inline constexpr uint32_t bits_of<TensorTrait<T, pos, LayoutType>> = bits_of<T>;

template <typename T>
struct is_constant_shape : std::false_type {};
template <typename T, T value>
struct is_constant_shape<std::integral_constant<T, value>> : std::true_type {};
template <typename... Dims>
struct is_constant_shape<Shape<Dims...>> : std::bool_constant<sizeof...(Dims) != 0 && (is_constant_shape<Dims>::value && ...)> {};

/* Of a trait whose type says how many elements there are. */
template <class Trait>
SK_INLINE constexpr uint32_t constant_elems() {
  using ShapeType = std::decay_t<decltype(std::declval<Trait>().GetShape())>;
  static_assert(is_constant_shape<ShapeType>::value, "TensorTrait: a tensor at an address has a layout whose shape is of integral constants");
  return static_cast<uint32_t>(size_of_shape(ShapeType{}));
}
} // namespace Internal

/* The element type that is named directly or by a trait. */
template <typename T>
using PrimT = typename Internal::primitive<T>::type;

/* Of a call whose tensors may have different elements. */
#define SK_TRAITS_AGREE(Name, T, U) \
  static_assert(is_tensorTrait_v<T> == is_tensorTrait_v<U>, Name ": tensors with and without TensorTrait do not go together")

} // namespace AscendC

#endif
