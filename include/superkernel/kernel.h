/* kernel.h - the binary interface between code compiled by skcc and the runtime.
 *
 * skcc writes one sk_kernel record per kernel and registers it when the object is loaded. User code
 * does not include this header; skcc's output does. */
#ifndef SUPERKERNEL_KERNEL_H
#define SUPERKERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SK_KERNEL_ABI 1
#define SK_EXPORT __attribute__((visibility("default")))

/* Kernel types, in the vendor's KernelMetaType order. */
typedef enum sk_kernel_type {
  SK_AIV_ONLY = 0,
  SK_AIC_ONLY = 1,
  SK_MIX_AIV_1_0 = 2, /* __mix__(0,1) */
  SK_MIX_AIC_1_0 = 3, /* __mix__(1,0) */
  SK_MIX_AIC_1_1 = 4,
  SK_MIX_AIC_1_2 = 5,
} sk_kernel_type;

/* Static facts skcc sees in the source. */
#define SK_KERNEL_USES_ATOMICS 1u   /* result may depend on the order of blocks: run on one host thread */
#define SK_KERNEL_USES_CROSS_CORE 2u /* cross-core flags or SyncAll occur in the source */

/* Capability bits of an SK binding (SK_BIND). */
#define SK_CAP_EARLY_START_WAIT 1u
#define SK_CAP_EARLY_START_SET 2u
#define SK_CAP_DISABLE_DCCI 4u
#define SK_CAP_DISABLE_BATCHMODE_CHECK 8u

typedef struct sk_kernel_param {
  const char *name;
  uint32_t offset_bytes; /* in the argument block: natural alignment, at least 4 */
  uint32_t size_bytes;
  uint32_t is_pointer;   /* 1: a __gm__ pointer */
  const char *type;      /* declared type without the name, as written: "__gm__ float *"; may be NULL */
} sk_kernel_param;

/* Runs one block on one core; args = the argument block. */
typedef void (*sk_kernel_entry)(const void *args);

typedef struct sk_kernel {
  uint32_t abi;              /* SK_KERNEL_ABI */
  uint32_t type;             /* sk_kernel_type */
  const char *name;
  const char *file;          /* the user's source file and the line of the definition */
  uint32_t line;
  uint32_t schedmode;        /* 1 = batch */
  uint32_t flags;            /* SK_KERNEL_* */
  uint32_t args_bytes;
  uint32_t param_count;
  const sk_kernel_param *params;
  sk_kernel_entry aic, aiv;  /* NULL where the kernel has no such half */
} sk_kernel;

/* Makes a kernel known by name (aclrtBinaryGetFunction, skv ops). The record must outlive the process. */
SK_EXPORT void sk_kernel_register(const sk_kernel *kernel);
/* kernel<<<blocks, dynamic_ub_bytes, stream>>>(args): copies the arguments, becomes a task on the stream.
 * Returns an aclError; the same code is what aclrtGetLastError reports. file:line = the launch. */
SK_EXPORT int sk_kernel_launch(const sk_kernel *kernel, uint32_t blocks, uint64_t dynamic_ub_bytes,
                               void *stream, const void *args, const char *file, uint32_t line);

/* A launch through an expression: pointer<<<blocks, ub, stream>>>(args). The launch tells this thread how, calls what the
 * expression points to, and ends. The function of a kernel's name in host code takes what was told and launches with it. */
typedef struct sk_told_launch {
  const char *file;
  const void *site;
  void *stream;
  unsigned long ub; /* bytes */
  uint32_t line, blocks;
  int code;         /* of the launch, for sk_launch_end */
} sk_told_launch;
/* A code other than 0 and nothing to call: the pointer is null (there == 0), or launches are nested too deep.
 * site: in the code that launches; NULL where that is the caller. */
SK_EXPORT int sk_launch_tell(const char *file, uint32_t line, uint32_t blocks, unsigned long ub, void *stream, int there, const void *site);
/* NULL if nothing was told: the kernel was called like a function, which is reported at the site. Valid until sk_launch_end. */
SK_EXPORT sk_told_launch *sk_launch_take(const sk_kernel *kernel, const void *site);
/* The code of the launch; an error if what was called took nothing, as a function that is no kernel. */
SK_EXPORT int sk_launch_end(void);

/* Records a refusal as this thread's acl error (aclGetRecentErrMsg) and returns the code. */
SK_EXPORT int sk_report_error(int code, const char *text);

/* SK_BIND(kernel, capabilities, f0 [, f1, f2, f3]): functions `__sk__ <type> void f(const Args *[, sk::SkSystemArgs *])`
 * that run the kernel as part of a SuperKernel. A function with one parameter ignores system_args. */
#define SK_MAX_BOUND 4
typedef void (*sk_bound_entry)(const void *args, void *system_args);
typedef struct sk_bound_function {
  const char *name;
  uint32_t type;          /* sk_kernel_type that the function declares, else the kernel's */
  sk_bound_entry aic, aiv; /* NULL where the kernel has no such half */
} sk_bound_function;
typedef struct sk_binding {
  uint32_t abi;           /* SK_KERNEL_ABI */
  uint32_t count;         /* bound functions, 1 to SK_MAX_BOUND */
  uint64_t capabilities;  /* SK_CAP_* */
  const sk_kernel *kernel;
  const char *file;
  uint32_t line;
  sk_bound_function functions[SK_MAX_BOUND];
} sk_binding;
/* Called when the object is loaded. The record must outlive the process. */
SK_EXPORT void sk_kernel_bind(const sk_binding *binding);

/* Local arrays. skcc turns `__ubuf__ float x[256];` into a pointer to storage that stands at the same
 * place for the whole kernel on a core. memory: 1 UB, 2 L1, 3 L0A, 4 L0B, 5 L0C, 6 BT, 7 FB. */
typedef struct sk_local_slot { uint32_t id; } sk_local_slot; /* one static per declaration, zero at start */
SK_EXPORT void *sk_local_array(sk_local_slot *slot, uint32_t memory, uint64_t bytes, const char *name);
/* `extern __ubuf__ char dyn[];`: the launch's dynamic UB. */
SK_EXPORT void *sk_local_dynamic(void);

/* What the memory-access hooks (linked into every object that skcc makes) call for device memory and
 * local memory; everything else they let pass. */
SK_EXPORT void sk_hook_read(const void *address, uint64_t bytes, const void *site);
SK_EXPORT void sk_hook_write(void *address, uint64_t bytes, const void *site);
/* What they call for memory of the host that is not near the stack they run on: legal are the program's own data and constants. */
SK_EXPORT void sk_hook_host(const void *address, uint64_t bytes, bool is_write, const void *site);
/* The same for the sizes the compiler's hooks have: they are called once per plain access. */
#define SK_HOOK_SIZES(X) X(1) X(2) X(4) X(8) X(16)
#define SK_HOOK(bytes)                                                      \
  SK_EXPORT void sk_hook_read##bytes(const void *address, const void *site); \
  SK_EXPORT void sk_hook_write##bytes(void *address, const void *site);
SK_HOOK_SIZES(SK_HOOK)
#undef SK_HOOK

/* A call that leaves the kernel by another way than its end (longjmp, exit): reported as a fault, the block ends and the call
 * does not return. On host code it returns at once. */
SK_EXPORT void sk_kernel_leaves(const char *call, const void *site);

#ifdef __cplusplus
}
#endif
#endif
