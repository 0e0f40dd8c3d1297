/* list_tensor.h - ListTensorDesc and TensorDesc: inputs of an operator that are a list of tensors.
 *
 * Device memory holds, in words of 8 bytes: the distance in bytes from its begin to the data pointers; for each tensor its number
 * of dimensions (low half) and index (high half), then its dimensions; the data pointers, one a tensor. */
#ifndef SK_KERNEL_OPERATOR_LIST_TENSOR_H
#define SK_KERNEL_OPERATOR_LIST_TENSOR_H

#include "tensor.h"

namespace AscendC {

template <class T>
class TensorDesc {
public:
  /* Where GetDesc leaves the dimensions. */
  SK_INLINE void SetShapeAddr(uint64_t *shapePtr) { shape_ = shapePtr; }
  SK_INLINE uint64_t GetDim() const { return dims_; }
  SK_INLINE uint64_t GetIndex() const { return index_; }
  SK_INLINE uint64_t GetShape(uint32_t offset) const {
    if (offset < dims_) return shape_[offset];
    sk_kernel_finding("BAD_ARGUMENT", "TensorDesc::GetShape: offset; legal: below GetDim()", false);
    return 0;
  }
  SK_INLINE T *GetDataPtr() const { return data_; }
  SK_INLINE GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

private:
  friend class ListTensorDesc;
  uint64_t *shape_ = nullptr;
  uint64_t dims_ = 0, index_ = 0;
  T *data_ = nullptr;
};

class ListTensorDesc {
public:
  SK_INLINE ListTensorDesc() {}
  SK_INLINE ListTensorDesc(__gm__ void *data, uint32_t length = UINT32_MAX, uint32_t shapeSize = UINT32_MAX) { Init(data, length, shapeSize); }

  /* length and shapeSize, bytes of the list and its pointers, are checked where they are given. */
  SK_INLINE void Init(__gm__ void *data, uint32_t length = UINT32_MAX, uint32_t shapeSize = UINT32_MAX) {
    words_ = static_cast<__gm__ const uint64_t *>(data);
    Internal::order_global_access();
    uint64_t pointers = words_[0] / sizeof(uint64_t), at = 1;
    uint32_t count = 0;
    for (; at < pointers; count++) at += 1 + dims_at(at);
    size_ = 0;
    if (at != pointers || words_[0] % sizeof(uint64_t) != 0)
      sk_kernel_finding("BAD_ARGUMENT", "ListTensorDesc: data; legal: a list whose first word is the distance to its data pointers", false);
    else if (length != UINT32_MAX && length < (pointers + count) * sizeof(uint64_t))
      sk_kernel_finding("BAD_ARGUMENT", "ListTensorDesc: length; legal: at least the bytes of the list with its data pointers", false);
    else if (shapeSize != UINT32_MAX && shapeSize != count)
      sk_kernel_finding("BAD_ARGUMENT", "ListTensorDesc: shapeSize; legal: the number of the list's tensors", false);
    else
      size_ = count, pointers_ = pointers;
  }

  template <class T>
  SK_INLINE void GetDesc(TensorDesc<T> &desc, uint32_t index) const {
    if (!holds(index)) return;
    if (desc.shape_ == nullptr) {
      sk_kernel_finding("BAD_ARGUMENT", "ListTensorDesc::GetDesc: desc; legal: a TensorDesc after SetShapeAddr", false);
      return;
    }
    uint64_t at = 1;
    for (uint32_t i = 0; i < index; i++) at += 1 + dims_at(at);
    desc.dims_ = dims_at(at);
    desc.index_ = words_[at] >> 32;
    for (uint64_t i = 0; i < desc.dims_; i++) desc.shape_[i] = words_[at + 1 + i];
    desc.data_ = pointer<T>(index);
  }
  template <class T>
  SK_INLINE T *GetDataPtr(uint32_t index) const {
    return holds(index) ? pointer<T>(index) : nullptr;
  }
  SK_INLINE uint32_t GetSize() const { return size_; }

private:
  SK_INLINE uint64_t dims_at(uint64_t at) const { return words_[at] & UINT32_MAX; }
  template <class T>
  SK_INLINE T *pointer(uint32_t index) const {
    return reinterpret_cast<T *>(words_[pointers_ + index]);
  }
  SK_INLINE bool holds(uint32_t index) const {
    if (index < size_) return true;
    sk_kernel_finding("BAD_ARGUMENT", "ListTensorDesc: index; legal: below GetSize()", false);
    return false;
  }

  __gm__ const uint64_t *words_ = nullptr;
  uint64_t pointers_ = 0;
  uint32_t size_ = 0;
};

} // namespace AscendC

#endif
