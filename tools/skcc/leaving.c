/* leaving.c - ways out of a kernel that lead past its end, linked into every product of skcc: from a kernel they end
 * the block with a finding, in host code they do what they always do. Hidden, like the hooks. */
#include <dlfcn.h>
#include <stdlib.h>
#include <superkernel/kernel.h>

#define LEAVING(name)                                                                              \
  __attribute__((visibility("hidden"), noreturn)) void sk__hook_##name(void *where, int value) __asm__(#name); \
  void sk__hook_##name(void *where, int value) {                                                  \
    sk_kernel_leaves(#name, __builtin_return_address(0));                                         \
    void (*real)(void *, int) = NULL;                                                             \
    *(void **)&real = dlsym(RTLD_NEXT, #name);                                                    \
    if (real != NULL) real(where, value);                                                         \
    abort();                                                                                      \
  }
LEAVING(longjmp)
LEAVING(_longjmp)
LEAVING(siglongjmp)
LEAVING(__longjmp_chk)
