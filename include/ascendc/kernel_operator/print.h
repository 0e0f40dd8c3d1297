/* print.h - printf, assert and dumps from kernels. */
#ifndef SK_KERNEL_OPERATOR_PRINT_H
#define SK_KERNEL_OPERATOR_PRINT_H

#include <assert.h>

#include "tensor.h"

namespace AscendC {

namespace Internal {
/* What varargs can carry. */
template <typename T>
SK_INLINE T printable(T value) {
  return value;
}
SK_INLINE double printable(half value) { return static_cast<float>(value); }
SK_INLINE double printable(bfloat16_t value) { return static_cast<float>(value); }
SK_INLINE double printable(float value) { return value; }
} // namespace Internal

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <class... Args>
SK_INLINE int printf(const char *format, Args... args) {
  return sk_kernel_printf(format, Internal::printable(args)...);
}
template <class... Args>
SK_INLINE void PRINTF(const char *format, Args... args) {
  sk_kernel_printf(format, Internal::printable(args)...);
}
namespace Internal {
template <class... Args>
SK_INLINE void assert_message(const char *format, Args... args) {
  sk_kernel_printf(format, printable(args)...);
}
SK_INLINE void assert_message() {}
} // namespace Internal
#pragma GCC diagnostic pop

SK_INLINE void PrintTimeStamp(uint32_t id) {
  sk_kernel_printf("TimeStamp: id=%u, cycle=%lld\n", id, static_cast<long long>(asc_get_system_cycle()));
}

namespace Internal {
template <typename T>
constexpr uint32_t dump_type() {
  if (std::is_same<T, half>::value) return 0;
  if (std::is_same<T, bfloat16_t>::value) return 1;
  if (std::is_same<T, float>::value) return 2;
  return std::is_signed<T>::value ? 3 : 4;
}
} // namespace Internal
namespace Internal {
template <typename T>
SK_INLINE void dump(const char *position, const void *address, uint32_t desc, uint32_t count, const ShapeInfo &shape) {
  static_assert(!std::is_same<T, int4b_t>::value, "DumpTensor: int4b_t is not printed");
  if (shape.shapeDim == 0) sk_dump(position, desc, address, dump_type<T>(), sizeof(T), count);
  else sk_dump_shaped(position, desc, address, dump_type<T>(), sizeof(T), count, shape.shapeDim, shape.shape);
}
} // namespace Internal
template <typename T>
SK_INLINE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo) {
  switch (Internal::memory_of(tensor.GetPosition())) {
    case 1:
      Internal::order_local_access();
      Internal::dump<T>("UB", tensor.sk_address(), desc, dumpSize, shapeInfo);
      break;
    case 2: Internal::dump<T>("L1", tensor.sk_address(), desc, dumpSize, shapeInfo); break;
    case 5: Internal::dump<T>("L0C", tensor.sk_address(), desc, dumpSize, shapeInfo); break;
    default: sk_kernel_finding("NOT_MODELLED", "DumpTensor: only tensors in UB, L1, L0C and device memory are printed", false);
  }
}
template <typename T>
SK_INLINE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo) {
  Internal::order_global_access();
  Internal::dump<T>("GM", tensor.sk_address(), desc, dumpSize, shapeInfo);
}
template <typename T>
SK_INLINE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  DumpTensor(tensor, desc, dumpSize, ShapeInfo());
}
template <typename T>
SK_INLINE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  DumpTensor(tensor, desc, dumpSize, ShapeInfo());
}
template <typename T>
SK_INLINE void LocalTensor<T>::Print(uint32_t elems) const {
  static_assert(!std::is_same<T, int4b_t>::value, "Print: int4b_t is not printed");
  constexpr uint32_t line = ONE_BLK_SIZE / sizeof(T);
  uint32_t shown = elems < GetSize() ? elems : GetSize();
  for (uint32_t i = 0; i < shown && ASCEND_IS_AIV; i++) {
    const char *end = i % line == line - 1 || i + 1 == shown ? "\n" : " ";
    T value = GetValue(i);
    if constexpr (Internal::dump_type<T>() <= 2) sk_kernel_printf("%f%s", static_cast<double>(static_cast<float>(value)), end);
    else if constexpr (std::is_signed<T>::value) sk_kernel_printf("%lld%s", static_cast<long long>(value), end);
    else sk_kernel_printf("%llu%s", static_cast<unsigned long long>(value), end);
  }
}
template <class Tensor>
SK_INLINE void DumpAccChkPoint(const Tensor &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize) {
  DumpTensor(tensor[countOff], index, dumpSize);
}

} // namespace AscendC

/* assert(condition[, format, arguments...]); nothing with NDEBUG. */
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define SK_ASSERT_(condition, ...) \
  ((condition) ? (void)0           \
               : (::AscendC::Internal::assert_message(__VA_ARGS__), sk_kernel_assert_failed(#condition, __FILE__, __LINE__)))
#define assert(...) SK_ASSERT_(__VA_ARGS__)
#endif
#define ascendc_assert(...) assert(__VA_ARGS__)
#ifndef ASSERT
#define ASSERT(...) assert(__VA_ARGS__)
#endif
/* A line of the kernel's output. */
#define KERNEL_ERROR "ERROR"
#define KERNEL_WARN "WARN"
#define KERNEL_INFO "INFO"
#define KERNEL_DEBUG "DEBUG"
#define KERNEL_LOG(level, format, ...) sk_kernel_printf("[" level "] " format "\n", ##__VA_ARGS__)
#define ASCENDC_ASSERT(condition, behavior) \
  do {                                      \
    if (!(condition)) {                     \
      behavior;                             \
      sk_kernel_trap();                     \
    }                                       \
  } while (0)

#endif
