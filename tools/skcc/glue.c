/* glue.c - the text in front of rewritten code, and the proof that it says what kernel.h says. */
#include "skcc.h"

#include <superkernel/kernel.h>

#include "glue.h"

SKCC_GLUE

#define SAME(ours, theirs, member)                                                                    \
  _Static_assert(offsetof(struct ours, member) == offsetof(theirs, member) &&                         \
                 sizeof(((struct ours *)0)->member) == sizeof(((theirs *)0)->member), #ours "." #member)
SAME(sk__record, sk_kernel, abi);
SAME(sk__record, sk_kernel, type);
SAME(sk__record, sk_kernel, name);
SAME(sk__record, sk_kernel, file);
SAME(sk__record, sk_kernel, line);
SAME(sk__record, sk_kernel, schedmode);
SAME(sk__record, sk_kernel, flags);
SAME(sk__record, sk_kernel, args_bytes);
SAME(sk__record, sk_kernel, param_count);
SAME(sk__record, sk_kernel, params);
SAME(sk__record, sk_kernel, aic);
SAME(sk__record, sk_kernel, aiv);
SAME(sk__param, sk_kernel_param, name);
SAME(sk__param, sk_kernel_param, offset_bytes);
SAME(sk__param, sk_kernel_param, size_bytes);
SAME(sk__param, sk_kernel_param, is_pointer);
SAME(sk__param, sk_kernel_param, type);
SAME(sk__bound, sk_bound_function, name);
SAME(sk__bound, sk_bound_function, type);
SAME(sk__bound, sk_bound_function, aic);
SAME(sk__bound, sk_bound_function, aiv);
SAME(sk__binding, sk_binding, abi);
SAME(sk__binding, sk_binding, count);
SAME(sk__binding, sk_binding, capabilities);
SAME(sk__binding, sk_binding, kernel);
SAME(sk__binding, sk_binding, file);
SAME(sk__binding, sk_binding, line);
SAME(sk__binding, sk_binding, functions);
SAME(sk__slot, sk_local_slot, id);
SAME(sk__told, sk_told_launch, file);
SAME(sk__told, sk_told_launch, site);
SAME(sk__told, sk_told_launch, stream);
SAME(sk__told, sk_told_launch, ub);
SAME(sk__told, sk_told_launch, line);
SAME(sk__told, sk_told_launch, blocks);
SAME(sk__told, sk_told_launch, code);
_Static_assert(sizeof(struct sk__record) == sizeof(sk_kernel) && sizeof(struct sk__param) == sizeof(sk_kernel_param) &&
               sizeof(struct sk__slot) == sizeof(sk_local_slot), "the interface has grown");

#define STRING_OF(...) #__VA_ARGS__
#define STRING(...) STRING_OF(__VA_ARGS__)

const char *glue_text(bool cplusplus) {
  return cplusplus ? "extern \"C\" { " STRING(SKCC_GLUE) " } " STRING(SKCC_GLUE_CPP) : STRING(SKCC_GLUE);
}
