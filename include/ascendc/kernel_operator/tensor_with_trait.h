/* tensor_with_trait.h - tensors whose element type is a TensorTrait: the plain tensor of its elements, and the trait. The plain
 * one is a private base, as neither is copied or handed over for the other. Instructions that take tensors with a trait name
 * their elements by sk_elements() and sk_source(), all others by sk_address(), which does not compile here. */
#ifndef SK_KERNEL_OPERATOR_TENSOR_WITH_TRAIT_H
#define SK_KERNEL_OPERATOR_TENSOR_WITH_TRAIT_H

#include "tensor.h"

namespace AscendC {

namespace Internal {
template <class Trait>
class trait_holder {
public:
  SK_INLINE Trait &GetTensorTrait() { return trait_; }
  SK_INLINE const Trait &GetTensorTrait() const { return trait_; }
  SK_INLINE void SetTensorTrait(const Trait &trait) { trait_ = trait; }
  SK_INLINE decltype(auto) GetLayout() const { return trait_.GetLayout(); }
  SK_INLINE decltype(auto) GetShape() const { return trait_.GetShape(); }
  SK_INLINE decltype(auto) GetStride() const { return trait_.GetStride(); }
  template <class Never = void>
  SK_INLINE void *sk_address() const {
    static_assert(always_false<Never>,
                  "TensorTrait: this call takes tensors of plain element types; ReinterpretCast makes them of local ones");
    return nullptr;
  }

private:
  Trait trait_ = {};
};
} // namespace Internal

template <typename T, TPosition pos, typename LayoutType>
class GlobalTensor<TensorTrait<T, pos, LayoutType>> : private GlobalTensor<T>,
                                                      public Internal::trait_holder<TensorTrait<T, pos, LayoutType>> {
  using Plain = GlobalTensor<T>;

public:
  using PrimType = T;
  using Internal::trait_holder<TensorTrait<T, pos, LayoutType>>::sk_address;

  SK_INLINE GlobalTensor() {}
  using Plain::GetPhyAddr, Plain::GetSize, Plain::GetValue, Plain::operator(), Plain::SetGlobalBuffer, Plain::SetL2CacheHint;
  using Plain::SetValue, Plain::sk_elements;
  SK_INLINE GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor part = *this;
    static_cast<Plain &>(part) = Plain::operator[](offset);
    return part;
  }
};

template <typename T, TPosition pos, typename LayoutType>
class LocalTensor<TensorTrait<T, pos, LayoutType>> : private LocalTensor<T>,
                                                     public Internal::trait_holder<TensorTrait<T, pos, LayoutType>> {
  using Plain = LocalTensor<T>;
  using Trait = TensorTrait<T, pos, LayoutType>;

public:
  using PrimType = T;
  using Internal::trait_holder<Trait>::sk_address;

  SK_INLINE LocalTensor() {}
  SK_INLINE explicit LocalTensor(uint32_t address) : Plain(pos, address, Internal::constant_elems<Trait>()) {
    static_assert(Internal::memory_of(pos) != 0, "TensorTrait: a tensor at an address has a position in a core's memory");
  }
  SK_INLINE LocalTensor(sk_memory memory, TPosition position) : Plain(memory, position) {}

  using Plain::address_, Plain::GetLength, Plain::GetPhyAddr, Plain::GetPosition, Plain::GetSize, Plain::GetUserTag, Plain::GetValue;
  using Plain::operator(), Plain::SetAddr, Plain::SetAddrWithOffset, Plain::SetBufferLen, Plain::SetSize, Plain::SetUserTag;
  using Plain::SetValue, Plain::sk_elements, Plain::sk_location, Plain::sk_source;
  SK_INLINE LocalTensor operator[](const uint32_t offset) const {
    LocalTensor part = *this;
    static_cast<Plain &>(part) = Plain::operator[](offset);
    return part;
  }
  /* The layout goes on where the other tensor has one of the same type. */
  template <typename U>
  SK_INLINE LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other = Plain::template ReinterpretCast<U>();
    if constexpr (is_tensorTrait_v<U>) {
      if constexpr (std::is_same<typename U::LiteLayoutType, LayoutType>::value) other.GetTensorTrait().SetLayout(this->GetLayout());
    }
    return other;
  }
};

} // namespace AscendC

#endif
