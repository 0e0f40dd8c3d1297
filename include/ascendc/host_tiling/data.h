/* data.h - tiling structures on the host: the kernel's structure with setters, getters and a copy into a buffer. */
#ifndef SK_HOST_TILING_DATA_H
#define SK_HOST_TILING_DATA_H

#include <cstddef>
#include <cstdint>
#include <cstring>

/* SK_HOST_TILING(Name, Base, LIST): a class of namespace optiling; LIST(X) has the fields as X(name). SK_HOST_TILING_TYPED:
 * FIELDS(X, F) tells integers from floats. */
#define SK_HOST_TILING_FIELD(name)                                                                          \
  void set_##name(decltype(sk_base::name) value) { this->name = value; }                                    \
  decltype(sk_base::name) get_##name() const { return this->name; }
#define SK_HOST_TILING_CLASS(Name, Base, ...)                                                               \
  class Name : public Base {                                                                                \
    using sk_base = Base;                                                                                   \
                                                                                                            \
  public:                                                                                                   \
    __VA_ARGS__                                                                                             \
    size_t GetDataSize() const { return sizeof(sk_base); }                                                  \
    /* Nothing is written into a buffer that is too small. */                                               \
    void SaveToBuffer(void *buffer, size_t capacity) const {                                                \
      if (buffer != nullptr && capacity >= sizeof(sk_base)) std::memcpy(buffer, static_cast<const sk_base *>(this), sizeof(sk_base)); \
    }                                                                                                       \
  };
#define SK_HOST_TILING(Name, Base, LIST) SK_HOST_TILING_CLASS(Name, Base, LIST(SK_HOST_TILING_FIELD))
#define SK_HOST_TILING_TYPED(Name, FIELDS) \
  SK_HOST_TILING_CLASS(Name, AscendC::Name, FIELDS(SK_HOST_TILING_FIELD, SK_HOST_TILING_FIELD))

#endif
