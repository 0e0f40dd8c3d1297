/* tensor.h - GlobalTensor and LocalTensor: typed addresses with a size. A scalar access through them is
 * the kernel's own access, so the hooks see it; on vector cores it is kept in order with the pipes as the
 * compiler's automatic synchronisation does (off: -DSK_NO_AUTO_SYNC). */
#ifndef SK_KERNEL_OPERATOR_TENSOR_H
#define SK_KERNEL_OPERATOR_TENSOR_H

#include "params.h"
#include "tensor_trait.h"

namespace AscendC {

namespace Internal {
/* At the first thing every tensor kernel does: make a pipe, reset the core's state, name an address. */
SK_INLINE void order_vector_instructions() {
#ifndef SK_NO_AUTO_SYNC
  sk_auto_sync_begin();
#endif
}
SK_INLINE void order_local_access() {
#ifndef SK_NO_AUTO_SYNC
  sk_auto_sync_local();
#endif
}
SK_INLINE void order_global_access() {
#ifndef SK_NO_AUTO_SYNC
  sk_auto_sync_global();
#endif
}
} // namespace Internal

/* ---- device memory ------------------------------------------------------------------------- */

/* In an SK build (-DSK_LINE_MAINTENANCE) each object keeps the cache line it last read and the one it
 * last wrote, and cleans them as the vendor's does: a read of another line refreshes it, a write cleans
 * the line written before, the destructor the last one. It acts inside a SuperKernel only: the same
 * object, launched alone, is the normal build. */
#ifdef SK_LINE_MAINTENANCE
struct sk_line_tracker {
  mutable uint64_t read = 0, write = 0;
};
#endif

template <typename T>
class GlobalTensor {
public:
  using PrimType = T;

  SK_INLINE GlobalTensor() {}
#ifdef SK_LINE_MAINTENANCE
  GlobalTensor(const GlobalTensor &) = default;
  GlobalTensor &operator=(const GlobalTensor &) = default;
  SK_INLINE ~GlobalTensor() {
    if (lines_.write != 0) sk_line_clean(lines_.write);
  }
#endif

  SK_INLINE void SetGlobalBuffer(__gm__ T *buffer, uint64_t elems) {
    address_ = buffer;
    elems_ = elems;
  }
  SK_INLINE void SetGlobalBuffer(__gm__ T *buffer) {
    address_ = buffer;
    elems_ = 0;
  }
  SK_INLINE const __gm__ T *GetPhyAddr() const { return address_; }
  SK_INLINE __gm__ T *GetPhyAddr(const uint64_t offset) const { return at(offset); }
  SK_INLINE uint64_t GetSize() const { return elems_; }

  SK_INLINE T GetValue(const uint64_t offset) const {
    Internal::order_global_access();
#ifdef SK_LINE_MAINTENANCE
    sk_line_clean(line_of(offset));
#endif
    return *at(offset);
  }
  SK_INLINE T GetValue(const uint64_t offset) {
    Internal::order_global_access();
    refresh(offset);
    return *at(offset);
  }
  SK_INLINE __gm__ T &operator()(const uint64_t offset) const {
    Internal::order_global_access();
    refresh(offset);
    return *at(offset);
  }
  SK_INLINE void SetValue(const uint64_t offset, T value) {
    static_assert(!std::is_same<T, int4b_t>::value, "GlobalTensor::SetValue: int4b_t elements share bytes");
    Internal::order_global_access();
#ifdef SK_LINE_MAINTENANCE
    uint64_t line = line_of(offset);
    if (lines_.write != 0 && line != lines_.write) sk_line_clean(lines_.write);
    lines_.write = line;
#endif
    *at(offset) = value;
  }
  SK_INLINE GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor part = *this;
    part.address_ = at(offset);
    return part;
  }
  template <typename U>
  SK_INLINE GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> other;
    other.SetGlobalBuffer(reinterpret_cast<__gm__ U *>(address_), Internal::elems_of_bytes<U>(Internal::bytes_of_elems<T>(elems_)));
    return other;
  }

  SK_INLINE void SetShapeInfo(const ShapeInfo &info) { shape_ = info; }
  SK_INLINE ShapeInfo GetShapeInfo() const { return shape_; }
  /* A policy of the L2 cache, which has no effect on results. */
  template <CacheRwMode mode = CacheRwMode::RW>
  SK_INLINE void SetL2CacheHint(CacheMode) {}

  SK_INLINE __gm__ T *sk_address() const { return address_; }
  SK_INLINE __gm__ T *sk_elements() const { return address_; } /* of a call that takes a TensorTrait too */

private:
  SK_INLINE __gm__ T *at(uint64_t offset) const {
    if constexpr (std::is_same<T, int4b_t>::value) return address_ + offset / 2;
    else return address_ + offset;
  }
#ifdef SK_LINE_MAINTENANCE
  SK_INLINE uint64_t line_of(uint64_t offset) const { return reinterpret_cast<uint64_t>(at(offset)) & ~uint64_t{63}; }
  SK_INLINE void refresh(uint64_t offset) const {
    uint64_t line = line_of(offset);
    if (line == lines_.read) return;
    lines_.read = line;
    sk_line_clean(line);
  }
  sk_line_tracker lines_;
#else
  SK_INLINE void refresh(uint64_t) const {}
#endif
  __gm__ T *address_ = nullptr;
  uint64_t elems_ = 0;
  ShapeInfo shape_;
};

/* ---- local memories ------------------------------------------------------------------------ */

template <typename T>
class LocalTensor {
public:
  using PrimType = T;

  SK_INLINE LocalTensor() {}
  /* Static form: bytes from the start of the position's memory, elements. */
  SK_INLINE LocalTensor(TPosition position, uint32_t address, uint32_t elems)
      : address_(reinterpret_cast<T *>(sk_local_address(Internal::memory_of(position), address))),
        bytes_(static_cast<uint32_t>(Internal::bytes_of_elems<T>(elems))), position_(position) {
    Internal::order_vector_instructions();
  }
  SK_INLINE explicit LocalTensor(uint32_t address)
      : address_(reinterpret_cast<T *>(sk_local_address(1, address))), bytes_(TOTAL_UB_SIZE - address), position_(TPosition::VECCALC) {
    Internal::order_vector_instructions();
  }
  SK_INLINE LocalTensor(sk_memory memory, TPosition position)
      : address_(reinterpret_cast<T *>(memory.address)), bytes_(static_cast<uint32_t>(memory.bytes)), position_(position) {}

  SK_INLINE T GetValue(const uint32_t offset) const {
    Internal::order_local_access();
    return read(offset);
  }
  template <typename V>
  SK_INLINE void SetValue(const uint32_t offset, const V value) const {
    Internal::order_local_access();
    if constexpr (std::is_same<T, int4b_t>::value) {
      uint8_t nibble = static_cast<uint8_t>(value) & 15u;
      uint8_t &byte = address_[offset / 2].bits;
      byte = static_cast<uint8_t>(offset % 2 == 0 ? (byte & 0xf0u) | nibble : (byte & 0x0fu) | nibble << 4);
    } else {
      address_[offset] = static_cast<T>(value);
    }
  }
  SK_INLINE T &operator()(const uint32_t offset) const {
    Internal::order_local_access();
    return address_[offset];
  }
  SK_INLINE LocalTensor operator[](const uint32_t offset) const {
    LocalTensor part = *this;
    uint64_t bytes = Internal::bytes_of_elems<T>(offset);
    part.address_ = reinterpret_cast<T *>(reinterpret_cast<uint64_t>(address_) + bytes);
    part.bytes_ = bytes < bytes_ ? bytes_ - static_cast<uint32_t>(bytes) : 0;
    return part;
  }
  /* All from an address on that another tensor's address_ named; the memory is the one it lies in. */
  SK_INLINE void SetAddr(T *address) {
    constexpr uint32_t sizes[] = {TOTAL_UB_SIZE, TOTAL_L1_SIZE, TOTAL_L0A_SIZE, TOTAL_L0B_SIZE, TOTAL_L0C_SIZE};
    address_ = address, bytes_ = 0;
    for (uint32_t i = 0; i < 5 && bytes_ == 0; i++) {
      uint64_t at = reinterpret_cast<uint64_t>(address) - sk_local_address(i + 1, 0);
      if (at < sizes[i]) bytes_ = sizes[i] - static_cast<uint32_t>(at), position_ = Internal::position_of_memory(i + 1);
    }
  }
  template <typename U>
  SK_INLINE void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset) {
    LocalTensor<U> part = source[offset];
    address_ = reinterpret_cast<T *>(part.sk_elements());
    bytes_ = part.GetLength();
    position_ = source.GetPosition();
  }
  template <typename U>
  SK_INLINE LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other(sk_memory{reinterpret_cast<uint64_t>(address_), bytes_}, position_);
    other.SetUserTag(tag_);
    return other;
  }

  /* A number, to which bytes are added. */
  SK_INLINE uint64_t GetPhyAddr() const { return sk_location(); }
  SK_INLINE uint64_t GetPhyAddr(const uint32_t offset) const { return (*this)[offset].sk_location(); }
  SK_INLINE uint32_t GetSize() const { return static_cast<uint32_t>(Internal::elems_of_bytes<T>(bytes_)); }
  SK_INLINE uint32_t GetLength() const { return bytes_; }
  SK_INLINE void SetSize(const uint32_t elems) { bytes_ = static_cast<uint32_t>(Internal::bytes_of_elems<T>(elems)); }
  SK_INLINE void SetBufferLen(const uint32_t bytes) { bytes_ = bytes; }
  SK_INLINE int32_t GetPosition32() const { return static_cast<int32_t>(position_); }
  SK_INLINE TPosition GetPosition() const { return position_; }
  SK_INLINE void SetUserTag(int32_t tag) { tag_ = tag; }
  SK_INLINE int32_t GetUserTag() const { return tag_; }
  SK_INLINE void SetShapeInfo(const ShapeInfo &info) { shape_ = info; }
  SK_INLINE ShapeInfo GetShapeInfo() const { return shape_; }

  /* Whole-tensor operators assign an expression of two tensors: vector.h. */
  template <typename Expression, typename = typename Expression::sk_is_expression>
  SK_INLINE void operator=(const Expression &expression) {
    expression.run(*this);
  }
  LocalTensor(const LocalTensor &) = default;
  LocalTensor &operator=(const LocalTensor &) = default;

  /* The elements, a block of 32 bytes a line (print.h). */
  SK_INLINE void Print() const { Print(GetSize()); }
  SK_INLINE void Print(uint32_t elems) const;
  template <class Name>
  SK_INLINE void ToFile(const Name &) const {
    static_assert(Internal::always_false<Name>, "ToFile: not modelled in this version; Print and DumpTensor show a tensor");
  }

  SK_INLINE T *sk_address() const { return address_; }
  SK_INLINE T *sk_elements() const { return address_; } /* of a call that takes a TensorTrait too */
  SK_INLINE const T *sk_source() const { return address_; }
  SK_INLINE uint64_t sk_location() const { return reinterpret_cast<uint64_t>(address_); }

  T *address_ = nullptr; /* kernels hand it to SetAddr */

private:
  SK_INLINE T read(uint32_t offset) const {
    if constexpr (std::is_same<T, int4b_t>::value) {
      uint8_t byte = address_[offset / 2].bits;
      return T{static_cast<uint8_t>(offset % 2 == 0 ? byte & 15u : byte >> 4)};
    } else {
      return address_[offset];
    }
  }
  uint32_t bytes_ = 0;
  TPosition position_ = TPosition::VECCALC;
  int32_t tag_ = -1;
  ShapeInfo shape_;
};

namespace Internal {
/* Count forms touch no more than their tensors hold. */
template <typename T>
SK_INLINE void must_hold(uint32_t count, const LocalTensor<T> &tensor) {
  if (__builtin_expect(count > tensor.GetSize(), 0)) sk_tensor_overflow(count, tensor.GetSize());
}
template <class... Tensors>
SK_INLINE void all_hold(uint32_t count, const Tensors &...tensors) {
  if (ASCEND_IS_AIV) (must_hold(count, tensors), ...);
}
} // namespace Internal

} // namespace AscendC

#endif
