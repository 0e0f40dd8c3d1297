/* launch.c - the kernels of the process and how a launch becomes a task. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

#define MAX_BLOCKS 65535u

/* Filled by constructors of objects that skcc made, before main or inside dlopen. */
static struct {
  const sk_kernel **items;
  size_t count, capacity;
} registry;

/* A library that the program closes stays: launches may be pending, and findings tell lines of its code at the end. Of the
 * program itself the loader has no name, which is no harm. */
static void keep_loaded(const sk_kernel *kernel) {
  static const void *kept; /* where the object of the last kernel lies: kernels of one come in a row */
  Dl_info object;
  if (dladdr(kernel, &object) == 0 || object.dli_fbase == kept) return;
  kept = object.dli_fbase;
  if (dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL) (void)dlerror();
}

void sk_kernel_register(const sk_kernel *kernel) {
  keep_loaded(kernel);
  if (registry.count == registry.capacity) {
    size_t capacity = registry.capacity > 0 ? registry.capacity * 2 : 32;
    const sk_kernel **items = realloc(registry.items, capacity * sizeof(const sk_kernel *));
    if (items == NULL) return; /* the kernel can still be launched, only not found by name */
    registry.items = items;
    registry.capacity = capacity;
  }
  registry.items[registry.count++] = kernel;
}

const sk_kernel *const *sk__runtime_kernels(size_t *count) {
  *count = registry.count;
  return registry.items;
}

static aclError check_kernel(const sk_kernel *kernel) {
  if (kernel->abi != SK_KERNEL_ABI)
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "kernel record of interface %u, this library speaks %u; compile again with this skcc",
                    kernel->abi, SK_KERNEL_ABI);
  bool needs_aic = kernel->type != SK_AIV_ONLY && kernel->type != SK_MIX_AIV_1_0;
  bool needs_aiv = kernel->type != SK_AIC_ONLY && kernel->type != SK_MIX_AIC_1_0;
  if ((needs_aic && kernel->aic == NULL) || (needs_aiv && kernel->aiv == NULL))
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "kernel '%s' has no %s half though its type needs one", kernel->name,
                    needs_aic && kernel->aic == NULL ? "cube" : "vector");
  return ACL_SUCCESS;
}

int sk_kernel_launch(const sk_kernel *kernel, uint32_t blocks, uint64_t dynamic_ub_bytes, void *stream,
                     const void *args, const char *file, uint32_t line) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  sk__stream *on = NULL;
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_kernel(kernel);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  char why[256] = "";
  if (error != ACL_SUCCESS) { /* nobody sees the code of <<<>>> */
    snprintf(why, sizeof why, "kernel '%s' is not launched: %s", kernel->name, aclGetRecentErrMsg());
    sk__report_launch(runtime, kernel->name, NULL, file, line, why);
    return error;
  }
  uint32_t ub = sk__machine_soc(runtime->machine)->ub_bytes;
  if (blocks < 1 || blocks > MAX_BLOCKS)
    snprintf(why, sizeof why, "kernel '%s' is launched with %u blocks; legal: 1 to %u", kernel->name, blocks, MAX_BLOCKS);
  else if (dynamic_ub_bytes > ub)
    snprintf(why, sizeof why, "kernel '%s' asks for %llu bytes of dynamic UB; a vector core has %u", kernel->name,
             (unsigned long long)dynamic_ub_bytes, ub);
  if (why[0] != '\0') {
    sk__report_launch(runtime, kernel->name, NULL, file, line, why);
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "%s:%u: %s", file, line, why);
  }
  sk__task *task = sk__task_new(runtime, SK__TASK_KERNEL, on);
  if (task != NULL) task->args = malloc(kernel->args_bytes > 0 ? kernel->args_bytes : 1);
  if (task == NULL || task->args == NULL) {
    sk__task_unref(task);
    return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a launch of '%s'", kernel->name);
  }
  if (kernel->args_bytes > 0) memcpy(task->args, args, kernel->args_bytes);
  task->kernel = kernel;
  task->blocks = blocks;
  task->dynamic_ub_bytes = dynamic_ub_bytes;
  task->file = file;
  task->line = line;
  sk__report_arguments(runtime, task);
  return sk__task_submit(runtime, task);
}

static const sk_kernel *registered(const void *handle) {
  for (size_t i = 0; i < registry.count; i++)
    if (registry.items[i] == handle) return registry.items[i];
  return NULL;
}

aclError aclrtLaunchKernel(aclrtFuncHandle func, uint32_t numBlocks, const void *argsData, size_t argsSize,
                           aclrtStream stream) {
  SK__GUARD;
  const sk_kernel *kernel = registered(func);
  if (kernel == NULL) return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtLaunchKernel: %p is no kernel", func);
  if (argsSize != kernel->args_bytes || (argsData == NULL && argsSize > 0))
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtLaunchKernel: '%s' takes %u argument bytes, given %zu", kernel->name,
                    kernel->args_bytes, argsSize);
  return sk_kernel_launch(kernel, numBlocks, 0, stream, argsData, kernel->file, kernel->line);
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args) {
  SK__GUARD;
  const sk_kernel *kernel = registered(func);
  if (kernel == NULL) return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtLaunchKernelWithArgsArray: %p is no kernel", func);
  if (cfg != NULL && cfg->numAttrs > 0)
    return sk__fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtLaunchKernelWithArgsArray: launch attributes are not modelled; legal: none");
  if (args == NULL && kernel->param_count > 0)
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtLaunchKernelWithArgsArray: args is NULL, '%s' has %u parameters", kernel->name,
                    kernel->param_count);
  char *block = calloc(1, kernel->args_bytes + 1u);
  if (block == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a launch of '%s'", kernel->name);
  aclError error = ACL_SUCCESS;
  for (uint32_t i = 0; i < kernel->param_count && error == ACL_SUCCESS; i++) {
    const sk_kernel_param *parameter = &kernel->params[i];
    if (args[i] == NULL)
      error = sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtLaunchKernelWithArgsArray: args[%u] (%s of '%s') is NULL", i, parameter->name,
                       kernel->name);
    else
      memcpy(block + parameter->offset_bytes, args[i], parameter->size_bytes);
  }
  if (error == ACL_SUCCESS) error = sk_kernel_launch(kernel, numBlocks, 0, stream, block, kernel->file, kernel->line);
  free(block);
  return error;
}

aclError aclrtGetHardwareSyncAddr(void **addr) {
  SK__GUARD;
  if (addr == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetHardwareSyncAddr: addr is NULL");
  /* Kernels hand the value back to asc_set_ffts_base_addr and never follow it. */
  static char cross_core_flags;
  *addr = &cross_core_flags;
  return ACL_SUCCESS;
}
