/* fake_runtime.c - stands in for libsuperkernel: prints what rewritten code asks of the library, so that
 * the compiler driver is tested without the simulator. Launches run at once, cube half first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <superkernel/kernel.h>

#include "base/window.h"

/* Accesses since the launch began, as "r4 w8 ..." (the first ones) and counts. */
static char accesses[4096];
static unsigned reads, writes;
static int current_half;
/* Local memory of a pretended core; device memory is the second half of the mapping. */
enum { WINDOW_BYTES = 1 << 20 };
static uint64_t local_used;

SK_EXPORT char *fake_gm(void);
SK_EXPORT const char *fake_accesses(void);

static char *window(void) {
  static char *base;
  if (base == NULL) {
    base = mmap((void *)(uintptr_t)SK__LOCAL_BASE, WINDOW_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (base == MAP_FAILED) return base = NULL;
  }
  return base;
}

char *fake_gm(void) { return window() + WINDOW_BYTES / 2; }

const char *fake_accesses(void) {
  static char copy[sizeof accesses];
  memcpy(copy, accesses, sizeof copy);
  accesses[0] = '\0';
  return copy;
}

void sk_kernel_register(const sk_kernel *kernel) {
  printf("kernel %s type %u line %u schedmode %u flags %u args %u aic %d aiv %d abi %u\n", kernel->name, kernel->type,
         kernel->line, kernel->schedmode, kernel->flags, kernel->args_bytes, kernel->aic != NULL, kernel->aiv != NULL,
         kernel->abi == SK_KERNEL_ABI);
  for (uint32_t i = 0; i < kernel->param_count; i++)
    printf("  %s at %u bytes %u pointer %u type '%s'\n", kernel->params[i].name, kernel->params[i].offset_bytes,
           kernel->params[i].size_bytes, kernel->params[i].is_pointer, kernel->params[i].type);
}

int sk_kernel_launch(const sk_kernel *kernel, uint32_t blocks, uint64_t dynamic_ub_bytes, void *stream, const void *args,
                     const char *file, uint32_t line) {
  printf("launch %s blocks %u ub %" PRIu64 " stream %p at %s:%u\n", kernel->name, blocks, dynamic_ub_bytes, stream, file, line);
  reads = writes = 0;
  accesses[0] = '\0';
  local_used = dynamic_ub_bytes;
  if (kernel->aic != NULL) current_half = 0, kernel->aic(args);
  if (kernel->aiv != NULL) current_half = 1, kernel->aiv(args);
  printf("accesses %u+%u\n", reads, writes);
  return 0;
}

/* One launch through an expression at a time. */
static sk_told_launch told;
static enum { NOTHING_TOLD, TOLD, TAKEN } telling;

int sk_launch_tell(const char *file, uint32_t line, uint32_t blocks, unsigned long ub, void *stream, int there, const void *site) {
  (void)site;
  told = (sk_told_launch){.file = file, .stream = stream, .ub = ub, .line = line, .blocks = blocks, .code = there == 0};
  telling = there == 0 ? TAKEN : TOLD;
  return told.code;
}

sk_told_launch *sk_launch_take(const sk_kernel *kernel, const void *site) {
  (void)site;
  if (telling == TOLD) return telling = TAKEN, &told;
  printf("%s called like a function\n", kernel->name);
  return NULL;
}

int sk_launch_end(void) {
  int code = telling == TAKEN ? told.code : 2;
  telling = NOTHING_TOLD;
  return code;
}

void sk_kernel_bind(const sk_binding *binding) {
  printf("bind %s capabilities %" PRIu64 " line %u\n", binding->kernel->name, binding->capabilities, binding->line);
  int args[2] = {11, 22}, system_args = 33;
  for (uint32_t i = 0; i < binding->count; i++) {
    const sk_bound_function *f = &binding->functions[i];
    printf("  %s type %u aic %d aiv %d\n", f->name, f->type, f->aic != NULL, f->aiv != NULL);
    if (f->aic != NULL) f->aic(args, &system_args);
    if (f->aiv != NULL) f->aiv(args, &system_args);
  }
}

void *sk_local_array(sk_local_slot *slot, uint32_t memory, uint64_t bytes, const char *name) {
  if (slot->id == 0) {
    local_used = (local_used + 31) / 32 * 32;
    slot->id = (uint32_t)local_used + 1;
    local_used += bytes;
    printf("array %s memory %u bytes %" PRIu64 " half %s\n", name, memory, bytes, current_half == 0 ? "aic" : "aiv");
  }
  return window() + slot->id - 1;
}

void *sk_local_dynamic(void) { return window(); }

static void note(char kind, uint64_t bytes) {
  size_t used = strlen(accesses);
  if (used + 16 < sizeof accesses) snprintf(accesses + used, sizeof accesses - used, "%c%" PRIu64 " ", kind, bytes);
}

void sk_hook_host(const void *address, uint64_t bytes, bool is_write, const void *site) { (void)address, (void)bytes, (void)is_write, (void)site; }
void sk_hook_read(const void *address, uint64_t bytes, const void *site) {
  (void)address, (void)site;
  reads++;
  note('r', bytes);
}

void sk_hook_write(void *address, uint64_t bytes, const void *site) {
  (void)address, (void)site;
  writes++;
  note('w', bytes);
}

#define SIZED(bytes)                                                                                             \
  void sk_hook_read##bytes(const void *address, const void *site) { sk_hook_read(address, bytes, site); }        \
  void sk_hook_write##bytes(void *address, const void *site) { sk_hook_write(address, bytes, site); }
SK_HOOK_SIZES(SIZED)
