/* tiling.h - how kernels of the operator framework read their tiling data and choose a tiling key. */
#ifndef SK_KERNEL_OPERATOR_TILING_H
#define SK_KERNEL_OPERATOR_TILING_H

#include "tensor.h"

namespace AscendC {
namespace Internal {
/* Tiling is copied from device memory to the stack by scalar loads, through the data cache. */
template <class T>
SK_INLINE void copy_tiling(T *to, const __gm__ void *from) {
  const __gm__ T *tiling = static_cast<const __gm__ T *>(from);
  *to = *tiling;
}
} // namespace Internal
} // namespace AscendC

#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) \
  type name;                                            \
  ::AscendC::Internal::copy_tiling(&name, tiling)
#define GET_TILING_DATA_MEMBER(type, member, name, tiling) \
  decltype(type::member) name = reinterpret_cast<const __gm__ type *>(tiling)->member
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, tiling) \
  const __gm__ type *name = reinterpret_cast<const __gm__ type *>(tiling)
#define COPY_TILING_WITH_STRUCT(type, src, dst) ::AscendC::Internal::copy_tiling(dst, src)
#define COPY_TILING_WITH_ARRAY(type, count, src, dst) \
  do {                                                \
    for (uint32_t sk_i = 0; sk_i < (count); sk_i++)   \
      (dst)[sk_i] = reinterpret_cast<const __gm__ type *>(src)[sk_i]; \
  } while (0)
/* A structure of the bytes at `bytes`, also where a constant is wanted: tiling that is known when a kernel is compiled. */
template <typename T>
constexpr T convert_from_bytes(const uint8_t *bytes) {
  struct image { uint8_t at[sizeof(T)]; } all{};
  for (size_t i = 0; i < sizeof(T); i++) all.at[i] = bytes[i];
  return __builtin_bit_cast(T, all);
}

/* The structure that GET_TILING_DATA reads: named by REGISTER_TILING_DEFAULT at any scope, so that kernels of one file may
 * each have their own. Those for a tiling key are read by their names. */
#define REGISTER_TILING_DEFAULT(type) using sk_default_tiling [[maybe_unused]] = type
#define REGISTER_TILING_FOR_TILINGKEY(expression, type) static_assert(sizeof(type) != 0, "tiling structure")
#define REGISTER_NONE_TILING static_assert(true, "no tiling structure")
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(sk_default_tiling, name, tiling)

/* The key a kernel is compiled for: -DTILING_KEY_VAR=n, 0 if it is not given. */
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0
#endif
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))
#define TILING_KEY_LIST(key1, key2) (TILING_KEY_VAR == (key1) || TILING_KEY_VAR == (key2))
/* skcc reads it, and which key it compiles for. */
#define KERNEL_TASK_TYPE(key, type) KERNEL_TASK_TYPE(TILING_KEY_VAR, key, type)

#endif
