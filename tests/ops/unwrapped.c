/* unwrapped.c - the hooks that skcc links into its products wrap the calls that move memory. Here kernels and
 * simulator are one program, whose own copies must stay unseen: nothing is wrapped, and the names that the
 * hooks expect from the linker are given by hand. */
#include <string.h>

#define SAME(name, type, by)                                     \
  void *__real_##name(void *to, type by, size_t bytes);          \
  void *__real_##name(void *to, type by, size_t bytes) { return name(to, by, bytes); }
#define CHECKED(name, type, by)                                                  \
  void *__real___##name##_chk(void *to, type by, size_t bytes, size_t most);     \
  void *__real___##name##_chk(void *to, type by, size_t bytes, size_t most) {    \
    if (bytes > most) __builtin_trap();                                          \
    return name(to, by, bytes);                                                  \
  }
SAME(memcpy, const void *, from)
SAME(memmove, const void *, from)
SAME(memset, int, value)
CHECKED(memcpy, const void *, from)
CHECKED(memmove, const void *, from)
CHECKED(memset, int, value)
