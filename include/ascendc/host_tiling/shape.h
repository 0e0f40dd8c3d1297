/* shape.h - shapes and element types as the host's tiling functions take them. */
#ifndef SK_HOST_TILING_TENSOR_SHAPE_H
#define SK_HOST_TILING_TENSOR_SHAPE_H

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ge {
enum DataType : int32_t {
  DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
  DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_BF16 = 27, DT_INT4 = 29
};
class Shape {
public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  size_t GetDimNum() const { return dims_.size(); }
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  std::vector<int64_t> GetDims() const { return dims_; }
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (int64_t dim : dims_) size *= dim;
    return size;
  }

private:
  std::vector<int64_t> dims_;
};
} // namespace ge

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

namespace Internal {
inline uint32_t bytes_of_type(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT: case ge::DT_INT32: case ge::DT_UINT32: return 4;
    case ge::DT_FLOAT16: case ge::DT_BF16: case ge::DT_INT16: case ge::DT_UINT16: return 2;
    case ge::DT_INT64: case ge::DT_UINT64: case ge::DT_DOUBLE: return 8;
    default: return 1;
  }
}
inline uint32_t elems_of(const ge::Shape &shape) { return static_cast<uint32_t>(shape.GetShapeSize()); }
/* A dimension, 1 where there is none. */
inline uint32_t dim_of(const ge::Shape &shape, size_t index) {
  return index < shape.GetDimNum() ? static_cast<uint32_t>(shape.GetDim(index)) : 1;
}
/* The last dimension, and the product of those before. */
inline uint32_t columns_of(const ge::Shape &shape) { return shape.GetDimNum() == 0 ? 0 : dim_of(shape, shape.GetDimNum() - 1); }
inline uint32_t rows_of(const ge::Shape &shape) { return columns_of(shape) == 0 ? 0 : elems_of(shape) / columns_of(shape); }
} // namespace Internal

} // namespace AscendC

#endif
