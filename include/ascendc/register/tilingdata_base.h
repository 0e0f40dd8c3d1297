/* tilingdata_base.h - tiling structures that the host fills and the kernel reads, defined field by field. */
#ifndef SK_REGISTER_TILINGDATA_BASE_H
#define SK_REGISTER_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

/* Fields stand in the order of their definition, aligned as in a plain structure. */
#define BEGIN_TILING_DATA_DEF(Name) \
  class Name {                      \
    using sk_self = Name;           \
                                    \
  public:
#define TILING_DATA_FIELD_DEF(Type, name)          \
  Type name = {};                                  \
  void set_##name(Type value) { name = value; }    \
  Type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(Type, count, name)                                             \
  Type name[count] = {};                                                                         \
  void set_##name(const Type *values) { std::memcpy(name, values, sizeof name); }                \
  Type *get_##name() { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(Type, name) Type name = {};
#define END_TILING_DATA_DEF                                                       \
  size_t GetDataSize() const { return sizeof(sk_self); }                          \
  /* Nothing is written into a buffer that is too small. */                       \
  void SaveToBuffer(void *buffer, size_t capacity) const {                        \
    if (buffer != nullptr && capacity >= sizeof(sk_self)) std::memcpy(buffer, static_cast<const void *>(this), sizeof(sk_self)); \
  }                                                                               \
  }
#define REGISTER_TILING_DATA_CLASS(Operator, Name) static_assert(sizeof(Name) != 0, "tiling structure of " #Operator);

#endif
