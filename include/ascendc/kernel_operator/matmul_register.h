/* matmul_register.h - REGIST_MATMUL_OBJ: Matmul objects get their tilings, and the cube core becomes their service. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_REGISTER_H
#define SK_KERNEL_OPERATOR_MATMUL_REGISTER_H

#include "matmul.h"

namespace AscendC {
namespace Internal {

/* Objects and pointers to their tilings, an object's tiling behind it. */
template <typename T>
inline constexpr bool is_tiling = !std::is_class<T>::value; /* no trait of pointers: it would not know restricted ones */
constexpr uint32_t matmuls_in() { return 0; }
template <class First, class... Rest>
constexpr uint32_t matmuls_in(const First &, const Rest &...rest) {
  return (is_tiling<First> ? 0u : 1u) + matmuls_in(rest...);
}
/* With enableMixDualMaster there is no service: the cube core runs the kernel's code too. */
template <class First>
constexpr bool is_dual_master() {
  if constexpr (is_tiling<First>) return false;
  else return First::sk_dual_master;
}
template <class... Arguments>
constexpr bool matmuls_are_dual(const Arguments &...) {
  constexpr uint32_t objects = ((is_tiling<Arguments> ? 0u : 1u) + ... + 0u), dual = ((is_dual_master<Arguments>() ? 1u : 0u) + ... + 0u);
  static_assert(dual == 0 || dual == objects, "REGIST_MATMUL_OBJ: enableMixDualMaster of all Matmul objects is the same");
  return dual != 0;
}

SK_INLINE void matmuls_init(TPipe *, uint8_t) {}
template <class Object>
SK_INLINE void matmuls_init(TPipe *pipe, uint8_t number, Object &object) {
  object.sk_set_number(number);
  object.Init(nullptr, pipe);
}
template <class Object, class Next, class... Rest>
SK_INLINE void matmuls_init(TPipe *pipe, uint8_t number, Object &object, Next &&next, Rest &&...rest) {
  uint8_t after = static_cast<uint8_t>(number + 1);
  object.sk_set_number(number);
  if constexpr (is_tiling<std::decay_t<Next>>) {
    object.Init(next, pipe);
    matmuls_init(pipe, after, rest...);
  } else {
    object.Init(nullptr, pipe);
    matmuls_init(pipe, after, next, rest...);
  }
}

template <class First>
SK_INLINE void add_functions(const sk_matmul_functions **&to, const First &) {
  if constexpr (!is_tiling<First>) *to++ = First::sk_functions();
}
template <class... Arguments>
SK_INLINE void matmuls_serve(const void *workspace, const Arguments &...arguments) {
  const sk_matmul_functions *functions[sizeof...(Arguments)] = {}, **to = functions;
  (add_functions(to, arguments), ...);
  sk_matmul_serve(reinterpret_cast<uint64_t>(workspace), matmuls_in(arguments...), functions);
}

/* A vector core's time as a client: it ends with the function that registered the objects. */
struct matmul_client {
  SK_INLINE matmul_client(const void *workspace, uint32_t objects) : objects_(objects) {
    if (objects_ != 0) sk_matmul_begin_client(reinterpret_cast<uint64_t>(workspace), objects_);
  }
  SK_INLINE ~matmul_client() {
    if (objects_ != 0) sk_matmul_quit();
  }
  matmul_client(const matmul_client &) = delete;

private:
  uint32_t objects_;
};

} // namespace Internal

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                               \
  const void *sk_matmul_workspace = workspace;                                                                 \
  const bool sk_matmul_dual = ::AscendC::Internal::matmuls_are_dual(__VA_ARGS__);                              \
  if (ASCEND_IS_AIC) {                                                                                         \
    if (!sk_matmul_dual) {                                                                                     \
      ::AscendC::Internal::matmuls_serve(sk_matmul_workspace, __VA_ARGS__);                                    \
      return;                                                                                                  \
    }                                                                                                          \
  }                                                                                                            \
  ::AscendC::Internal::matmul_client sk_matmul_client(sk_matmul_workspace,                                     \
                                                      sk_matmul_dual ? 0u : ::AscendC::Internal::matmuls_in(__VA_ARGS__)); \
  ::AscendC::Internal::matmuls_init(tpipe, 0, __VA_ARGS__)
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ

} // namespace AscendC

#endif
