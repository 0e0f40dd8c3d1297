/* launch_through.c - launches through an expression: what a launch has told the thread, until the kernel's function takes it. */
#include <stdio.h>

#include "runtime/internal.h"

/* Launches among the arguments of another, and those of functions called there: C nests them, C++ does not. */
#define MAX_NESTED 16u

static _Thread_local struct {
  sk_told_launch launch;
  bool done; /* taken, or refused */
} told[MAX_NESTED];
static _Thread_local uint32_t depth; /* one deeper than there is room for: all of them are refused */

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
  if (depth++ >= MAX_NESTED) return refuse(NULL, site, file, line, "launches among the arguments of launches are nested too deep");
  sk_told_launch *launch = &told[depth - 1].launch;
  *launch = (sk_told_launch){.file = file, .site = site, .stream = stream, .ub = ub, .line = line, .blocks = blocks};
  told[depth - 1].done = there == 0;
  if (there == 0) launch->code = refuse(NULL, site, file, line, "the pointer that is launched is null");
  return launch->code;
}

sk_told_launch *sk_launch_take(const sk_kernel *kernel, const void *site) {
  SK__GUARD;
  if (depth > 0 && depth <= MAX_NESTED && !told[depth - 1].done) {
    told[depth - 1].done = true;
    return &told[depth - 1].launch;
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
  if (--depth >= MAX_NESTED) return ACL_ERROR_RT_PARAM_INVALID;
  const sk_told_launch *launch = &told[depth].launch;
  if (told[depth].done) return launch->code;
  return refuse(NULL, launch->site, launch->file, launch->line, "what is launched is no kernel but a function of the host, which has run there");
}
