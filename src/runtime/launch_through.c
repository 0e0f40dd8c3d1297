/* launch_through.c - launches through an expression: what a launch has told the thread, until the kernel's function takes it. */
#include <stdio.h>

#include "runtime/internal.h"

/* A launch that cannot be: a finding where there is a device to report to, and the thread's error. */
static aclError refuse(const char *kernel, const void *site, const char *file, uint32_t line, const char *why) {
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  sk__report_launch(runtime, kernel, site, file, line, why);
  return file != NULL ? sk__fail(ACL_ERROR_RT_PARAM_INVALID, "%s:%u: %s", file, line, why) : sk__fail(ACL_ERROR_RT_PARAM_INVALID, "%s", why);
}

int sk_launch_tell(const char *file, uint32_t line, uint32_t blocks, unsigned long ub, void *stream, int there, const void *site) {
  SK__GUARD;
  if (site == NULL) site = __builtin_return_address(0);
  sk__of_thread *mine = sk__of_this_thread();
  if (mine == NULL) return refuse(NULL, site, file, line, "no host memory for what the launch says");
  if (mine->depth++ >= SK__MAX_NESTED) return refuse(NULL, site, file, line, "launches among the arguments of launches are nested too deep");
  sk__told_launch *told = &mine->told[mine->depth - 1];
  sk_told_launch *launch = &told->launch;
  *launch = (sk_told_launch){.file = file, .site = site, .stream = stream, .ub = ub, .line = line, .blocks = blocks};
  told->done = there == 0;
  if (there == 0) launch->code = refuse(NULL, site, file, line, "the pointer that is launched is null");
  return launch->code;
}

sk_told_launch *sk_launch_take(const sk_kernel *kernel, const void *site) {
  SK__GUARD;
  sk__of_thread *mine = sk__of_this_thread();
  if (mine != NULL && mine->depth > 0 && mine->depth <= SK__MAX_NESTED && !mine->told[mine->depth - 1].done) {
    mine->told[mine->depth - 1].done = true;
    return &mine->told[mine->depth - 1].launch;
  }
  char why[256];
  snprintf(why, sizeof why, "kernel '%s' is called like a function: nothing says with how many blocks, on which stream", kernel->name);
  (void)refuse(kernel->name, site, NULL, 0, why);
  fprintf(stderr, "superkernel: kernel '%s' is called like a function; launch it: %s<<<blocks, dynamic UB bytes, stream>>>(...)\n",
          kernel->name, kernel->name); /* a call returns no code that could tell */
  return NULL;
}

int sk_launch_end(void) {
  SK__GUARD;
  sk__of_thread *mine = sk__of_this_thread();
  if (mine == NULL || --mine->depth >= SK__MAX_NESTED) return ACL_ERROR_RT_PARAM_INVALID;
  const sk_told_launch *launch = &mine->told[mine->depth].launch;
  if (mine->told[mine->depth].done) return launch->code;
  return refuse(NULL, launch->site, launch->file, launch->line, "what is launched is no kernel but a function of the host, which has run there");
}
