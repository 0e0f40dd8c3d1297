/* layout.h - Shape, Stride, Coord and Layout: dimensions as tuples, which may be nested, and the place of an element by them. */
#ifndef SK_KERNEL_OPERATOR_LAYOUT_H
#define SK_KERNEL_OPERATOR_LAYOUT_H

#include <utility>

#include "types.h"

namespace AscendC {

template <typename... Dims>
using Shape = Std::tuple<Dims...>;
template <typename... Dims>
using Stride = Std::tuple<Dims...>;
template <typename... Dims>
using Coord = Std::tuple<Dims...>;
template <typename... Dims>
SK_INLINE constexpr Shape<Dims...> MakeShape(const Dims &...dims) {
  return {dims...};
}
template <typename... Dims>
SK_INLINE constexpr Stride<Dims...> MakeStride(const Dims &...dims) {
  return {dims...};
}
template <typename... Dims>
SK_INLINE constexpr Coord<Dims...> MakeCoord(const Dims &...dims) {
  return {dims...};
}

namespace Internal {
/* Elements of a shape, nested or not. */
template <typename ShapeType>
SK_INLINE constexpr uint64_t size_of_shape(const ShapeType &shape) {
  if constexpr (Std::is_tuple_v<ShapeType>)
    return Std::apply([](const auto &...dims) { return (uint64_t{1} * ... * size_of_shape(dims)); }, shape);
  else return static_cast<uint64_t>(shape);
}
template <typename CoordType, typename ShapeType, typename StrideType>
SK_INLINE constexpr uint64_t index_of(const CoordType &coord, const ShapeType &shape, const StrideType &stride);
template <typename CoordType, typename ShapeType, typename StrideType, size_t... i>
SK_INLINE constexpr uint64_t index_of_each(const CoordType &coord, const ShapeType &shape, const StrideType &stride, std::index_sequence<i...>) {
  return (uint64_t{0} + ... + index_of(std::get<i>(coord), std::get<i>(shape), std::get<i>(stride)));
}
/* One number for several dimensions counts the first one fastest; the last one takes what is left. */
template <typename ShapeType, typename StrideType, size_t... i>
SK_INLINE constexpr uint64_t index_of_number(uint64_t number, const ShapeType &shape, const StrideType &stride, std::index_sequence<i...>) {
  uint64_t index = 0;
  (void)std::initializer_list<int>{(
      index += index_of(i + 1 == sizeof...(i) ? number : number % size_of_shape(std::get<i>(shape)), std::get<i>(shape), std::get<i>(stride)),
      number /= size_of_shape(std::get<i>(shape)), 0)...};
  return index;
}
template <typename CoordType, typename ShapeType, typename StrideType>
SK_INLINE constexpr uint64_t index_of(const CoordType &coord, const ShapeType &shape, const StrideType &stride) {
  static_assert(Std::is_tuple_v<ShapeType> == Std::is_tuple_v<StrideType>, "Crd2Idx: shape and stride are nested in the same way");
  if constexpr (Std::is_tuple_v<CoordType>) {
    static_assert(Std::is_tuple_v<ShapeType>, "Crd2Idx: the coordinate is nested more deeply than the shape");
    constexpr size_t count = std::tuple_size<ShapeType>::value;
    static_assert(std::tuple_size<CoordType>::value == count && std::tuple_size<StrideType>::value == count,
                  "Crd2Idx: coordinate, shape and stride have as many dimensions");
    return index_of_each(coord, shape, stride, std::make_index_sequence<count>());
  } else if constexpr (Std::is_tuple_v<ShapeType>) {
    return index_of_number(static_cast<uint64_t>(coord), shape, stride, std::make_index_sequence<std::tuple_size<ShapeType>::value>());
  } else {
    return static_cast<uint64_t>(coord) * static_cast<uint64_t>(stride);
  }
}
} // namespace Internal

template <typename ShapeType, typename StrideType>
class Layout {
public:
  static constexpr size_t sk_dims = std::tuple_size<ShapeType>::value;

  SK_INLINE constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {}) : shape_(shape), stride_(stride) {}
  SK_INLINE constexpr const ShapeType &GetShape() const { return shape_; }
  SK_INLINE constexpr const StrideType &GetStride() const { return stride_; }
  SK_INLINE constexpr const Layout &layout() const { return *this; }
  template <typename CoordType>
  SK_INLINE constexpr uint64_t operator()(const CoordType &coord) const {
    return Internal::index_of(coord, shape_, stride_);
  }
  SK_INLINE constexpr uint32_t sk_dim(size_t index) const { return dim(index, std::make_index_sequence<sk_dims>()); }

private:
  template <size_t... i>
  SK_INLINE constexpr uint32_t dim(size_t index, std::index_sequence<i...>) const {
    const uint32_t dims[] = {static_cast<uint32_t>(std::get<i>(shape_))...};
    return dims[index];
  }
  ShapeType shape_;
  StrideType stride_;
};
template <typename ShapeType, typename StrideType>
SK_INLINE constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType &shape, const StrideType &stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}
template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
inline constexpr bool is_layout_v = is_layout<T>::value;

template <typename CoordType, typename ShapeType, typename StrideType>
SK_INLINE constexpr uint64_t Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout) {
  return layout(coord);
}
template <typename CoordType, typename ShapeType, typename StrideType>
SK_INLINE constexpr uint64_t Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride) {
  return Internal::index_of(coord, shape, stride);
}

} // namespace AscendC

#endif
