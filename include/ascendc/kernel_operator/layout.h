/* layout.h - Shape, Stride and Layout: dimensions as objects. */
#ifndef SK_KERNEL_OPERATOR_LAYOUT_H
#define SK_KERNEL_OPERATOR_LAYOUT_H

#include "types.h"

namespace AscendC {

namespace Internal {
template <size_t count>
struct dimensions {
  static constexpr size_t sk_dims = count;
  uint32_t values[count == 0 ? 1 : count] = {};
};
} // namespace Internal

template <typename... Dims>
struct Shape : Internal::dimensions<sizeof...(Dims)> {};
template <typename... Dims>
struct Stride : Internal::dimensions<sizeof...(Dims)> {};
template <typename... Dims>
SK_INLINE constexpr Shape<Dims...> MakeShape(const Dims &...dims) {
  return Shape<Dims...>{{{static_cast<uint32_t>(dims)...}}};
}
template <typename... Dims>
SK_INLINE constexpr Stride<Dims...> MakeStride(const Dims &...dims) {
  return Stride<Dims...>{{{static_cast<uint32_t>(dims)...}}};
}

template <typename ShapeType, typename StrideType>
class Layout {
public:
  static constexpr size_t sk_dims = ShapeType::sk_dims;

  SK_INLINE constexpr Layout() {}
  SK_INLINE constexpr Layout(const ShapeType &shape, const StrideType &stride = {}) : shape_(shape), stride_(stride) {}
  SK_INLINE constexpr const ShapeType &GetShape() const { return shape_; }
  SK_INLINE constexpr const StrideType &GetStride() const { return stride_; }
  SK_INLINE constexpr uint32_t sk_dim(size_t index) const { return shape_.values[index]; }

private:
  ShapeType shape_;
  StrideType stride_;
};
template <typename ShapeType, typename StrideType>
SK_INLINE constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType &shape, const StrideType &stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}

} // namespace AscendC

#endif
