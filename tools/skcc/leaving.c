/* leaving.c - ways out of a kernel that lead past its end, linked into every product of skcc: from a kernel they end
 * the block with a finding, in host code they do what they always do. Hidden, like the hooks. */
#include <dlfcn.h>
#include <stdlib.h>
#include <superkernel/kernel.h>

#define LEAVING(name, parameters, types, ...)                                            \
  __attribute__((visibility("hidden"), noreturn)) void sk__hook_##name parameters __asm__(#name); \
  void sk__hook_##name parameters {                                                       \
    sk_kernel_leaves(#name, __builtin_return_address(0));                                 \
    void (*real) types = NULL;                                                            \
    *(void **)&real = dlsym(RTLD_NEXT, #name);                                            \
    if (real != NULL) real(__VA_ARGS__);                                                  \
    abort();                                                                              \
  }
#define JUMP(name) LEAVING(name, (void *where, int value), (void *, int), where, value)
#define END(name) LEAVING(name, (int code), (int), code)
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
END(exit)
END(_exit)
END(_Exit)
END(quick_exit)
LEAVING(pthread_exit, (void *result), (void *), result)
