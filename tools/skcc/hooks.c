/* hooks.c - the memory-access hooks, linked into every product of skcc.
 *
 * The host compiler's -fsanitize=thread puts a call in front of each access; these are the calls. A host
 * or stack address costs one shift and two compares; device and local memory goes on to the library. All
 * are hidden, so that no call passes the dynamic linker and several products live in one process. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <superkernel/kernel.h>

#include "base/window.h"

#define HOOK __attribute__((visibility("hidden")))
#define SITE __builtin_return_address(0)
#define IN_WINDOW(address) __builtin_expect(sk__in_window((uint64_t)(uintptr_t)(address)), 0)
/* Farther from this frame than the stack of a core reaches: the library is asked whether a kernel may go there. */
#define STACK_BYTES (UINT64_C(320) << 10)
#define FAR(address) ((uint64_t)(uintptr_t)(address) - (uint64_t)(uintptr_t)__builtin_frame_address(0) + STACK_BYTES >= 2 * STACK_BYTES)
#define ELSE_HOST(address, bytes, is_write) else if (FAR(address)) sk_hook_host((const void *)(uintptr_t)(address), bytes, is_write, SITE)

#define READ(name, bytes)                                         \
  HOOK void name(const void *address);                            \
  void name(const void *address) {                                \
    if (IN_WINDOW(address)) sk_hook_read##bytes(address, SITE);   \
    ELSE_HOST(address, bytes, false);                             \
  }
#define WRITE(name, bytes)                                        \
  HOOK void name(void *address);                                  \
  void name(void *address) {                                      \
    if (IN_WINDOW(address)) sk_hook_write##bytes(address, SITE);  \
    ELSE_HOST(address, bytes, true);                              \
  }
#define BOTH(name, bytes)                                         \
  HOOK void name(void *address);                                  \
  void name(void *address) {                                      \
    if (IN_WINDOW(address)) {                                     \
      sk_hook_read##bytes(address, SITE);                         \
      sk_hook_write##bytes(address, SITE);                        \
    }                                                             \
    ELSE_HOST(address, bytes, true);                              \
  }
#define ACCESSES(bytes)                                                                                \
  READ(__tsan_read##bytes, bytes) WRITE(__tsan_write##bytes, bytes) BOTH(__tsan_read_write##bytes, bytes)  \
  READ(__tsan_volatile_read##bytes, bytes) WRITE(__tsan_volatile_write##bytes, bytes)
#define UNALIGNED_ACCESSES(bytes)                                                                      \
  READ(__tsan_unaligned_read##bytes, bytes) WRITE(__tsan_unaligned_write##bytes, bytes)                \
  BOTH(__tsan_unaligned_read_write##bytes, bytes)                                                      \
  READ(__tsan_unaligned_volatile_read##bytes, bytes) WRITE(__tsan_unaligned_volatile_write##bytes, bytes)

ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
UNALIGNED_ACCESSES(2) UNALIGNED_ACCESSES(4) UNALIGNED_ACCESSES(8) UNALIGNED_ACCESSES(16)

HOOK void __tsan_read_range(const void *address, size_t bytes);
void __tsan_read_range(const void *address, size_t bytes) {
  if (bytes == 0) return;
  if (IN_WINDOW(address)) sk_hook_read(address, bytes, SITE);
  ELSE_HOST(address, bytes, false);
}
HOOK void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes) {
  if (bytes == 0) return;
  if (IN_WINDOW(address)) sk_hook_write(address, bytes, SITE);
  ELSE_HOST(address, bytes, true);
}

/* An object's table pointer: stored by constructors, loaded by virtual calls. */
HOOK void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value) {
  (void)value;
  if (IN_WINDOW(address)) sk_hook_write(address, sizeof *address, SITE);
}
HOOK void __tsan_vptr_read(void **address);
void __tsan_vptr_read(void **address) {
  if (IN_WINDOW(address)) sk_hook_read(address, sizeof *address, SITE);
}

HOOK void __tsan_init(void);
void __tsan_init(void) {}
HOOK void __tsan_func_entry(void *call_site);
void __tsan_func_entry(void *call_site) { (void)call_site; }
HOOK void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

/* ---- atomics: the hooks stand in place of the access, so they do it ------------------------------- */

typedef __int128 int128;

/* Whatever order was asked for, the strongest is right. */
#define ATOMIC_RMW(bits, type, suffix, builtin)                                                        \
  HOOK type __tsan_atomic##bits##_##suffix(volatile type *address, type value, int order);              \
  type __tsan_atomic##bits##_##suffix(volatile type *address, type value, int order) {                  \
    (void)order;                                                                                        \
    if (IN_WINDOW(address)) report_both((void *)(uintptr_t)address, sizeof(type), SITE);                \
    ELSE_HOST(address, sizeof(type), true);                                                             \
    return builtin(address, value, __ATOMIC_SEQ_CST);                                                   \
  }
#define ATOMIC_CAS(bits, type, suffix, weak)                                                           \
  HOOK int __tsan_atomic##bits##_compare_exchange_##suffix(volatile type *address, type *expected, type desired, \
                                                           int order, int fail_order);                  \
  int __tsan_atomic##bits##_compare_exchange_##suffix(volatile type *address, type *expected, type desired, int order, \
                                                      int fail_order) {                                 \
    (void)order, (void)fail_order;                                                                      \
    if (IN_WINDOW(address)) report_both((void *)(uintptr_t)address, sizeof(type), SITE);                \
    ELSE_HOST(address, sizeof(type), true);                                                             \
    return __atomic_compare_exchange_n(address, expected, desired, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define ATOMICS(bits, type)                                                                            \
  HOOK type __tsan_atomic##bits##_load(const volatile type *address, int order);                        \
  type __tsan_atomic##bits##_load(const volatile type *address, int order) {                            \
    (void)order;                                                                                        \
    if (IN_WINDOW(address)) sk_hook_read((const void *)(uintptr_t)address, sizeof(type), SITE);         \
    ELSE_HOST(address, sizeof(type), false);                                                            \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                     \
  HOOK void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                 \
  void __tsan_atomic##bits##_store(volatile type *address, type value, int order) {                     \
    (void)order;                                                                                        \
    if (IN_WINDOW(address)) sk_hook_write((void *)(uintptr_t)address, sizeof(type), SITE);              \
    ELSE_HOST(address, sizeof(type), true);                                                             \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                     \
  ATOMIC_RMW(bits, type, exchange, __atomic_exchange_n)                                                 \
  ATOMIC_RMW(bits, type, fetch_add, __atomic_fetch_add) ATOMIC_RMW(bits, type, fetch_sub, __atomic_fetch_sub) \
  ATOMIC_RMW(bits, type, fetch_and, __atomic_fetch_and) ATOMIC_RMW(bits, type, fetch_or, __atomic_fetch_or)   \
  ATOMIC_RMW(bits, type, fetch_xor, __atomic_fetch_xor) ATOMIC_RMW(bits, type, fetch_nand, __atomic_fetch_nand) \
  ATOMIC_CAS(bits, type, strong, false) ATOMIC_CAS(bits, type, weak, true)                              \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order, \
                                                       int fail_order);                                 \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order, \
                                                  int fail_order) {                                     \
    (void)order, (void)fail_order;                                                                      \
    if (IN_WINDOW(address)) report_both((void *)(uintptr_t)address, sizeof(type), SITE);                \
    ELSE_HOST(address, sizeof(type), true);                                                             \
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                                    \
  }

static void report_both(void *address, uint64_t bytes, const void *site) {
  sk_hook_read(address, bytes, site);
  sk_hook_write(address, bytes, site);
}

ATOMICS(8, int8_t) ATOMICS(16, int16_t) ATOMICS(32, int32_t) ATOMICS(64, int64_t)

HOOK void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HOOK void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- memory functions: products are linked with --wrap ------------------------------------------- */

/* With sanitizers, shared libraries name memcpy without a version, and the linker believes that they call its
 * replacement: then it must not be hidden (they do not call it: names are looked up again when they load). */
#ifndef SK_WRAPPED_VISIBILITY
#define SK_WRAPPED_VISIBILITY "hidden"
#endif
#define WRAPPED __attribute__((visibility(SK_WRAPPED_VISIBILITY)))

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);
void *__real___memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__real___memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__real___memset_chk(void *to, int value, size_t bytes, size_t room);

#define REPORT_COPY(to, from, bytes)                                          \
  do {                                                                        \
    if ((bytes) == 0) break;                                                  \
    if (IN_WINDOW(from)) sk_hook_read(from, bytes, SITE);                     \
    ELSE_HOST(from, bytes, false);                                            \
    if (IN_WINDOW(to)) sk_hook_write(to, bytes, SITE);                        \
    ELSE_HOST(to, bytes, true);                                               \
  } while (0)
#define REPORT_FILL(to, bytes)                                                \
  do {                                                                        \
    if ((bytes) == 0) break;                                                  \
    if (IN_WINDOW(to)) sk_hook_write(to, bytes, SITE);                        \
    ELSE_HOST(to, bytes, true);                                               \
  } while (0)

#define COPY(name, real)                                                      \
  WRAPPED void *name(void *to, const void *from, size_t bytes);               \
  void *name(void *to, const void *from, size_t bytes) {                      \
    REPORT_COPY(to, from, bytes);                                             \
    return real(to, from, bytes);                                             \
  }
#define FILL(name, real)                                                      \
  WRAPPED void *name(void *to, int value, size_t bytes);                      \
  void *name(void *to, int value, size_t bytes) {                             \
    REPORT_FILL(to, bytes);                                                   \
    return real(to, value, bytes);                                            \
  }
COPY(__wrap_memcpy, __real_memcpy) COPY(__wrap_memmove, __real_memmove) FILL(__wrap_memset, __real_memset)
COPY(__tsan_memcpy, __real_memcpy) COPY(__tsan_memmove, __real_memmove) FILL(__tsan_memset, __real_memset)

#define CHECKED_COPY(name, real)                                              \
  WRAPPED void *name(void *to, const void *from, size_t bytes, size_t room);  \
  void *name(void *to, const void *from, size_t bytes, size_t room) {         \
    REPORT_COPY(to, from, bytes);                                             \
    return real(to, from, bytes, room);                                       \
  }
CHECKED_COPY(__wrap___memcpy_chk, __real___memcpy_chk) CHECKED_COPY(__wrap___memmove_chk, __real___memmove_chk)
WRAPPED void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room);
void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room) {
  REPORT_FILL(to, bytes);
  return __real___memset_chk(to, value, bytes, room);
}
