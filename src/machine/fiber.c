/* fiber.c - stacks, and how they are entered for the first time. The switch itself is in fiber.h. */
#include "machine/fiber.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if SK__FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* ---- stacks -------------------------------------------------------------------------------- */

static size_t guard_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

sk_status sk__stack_pool_make(uint32_t count, sk__stack_pool *out) {
  size_t bytes = (size_t)count * SK__STACK_BYTES;
  char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count; i++) {
    if (mprotect(base + i * SK__STACK_BYTES, guard_bytes(), PROT_NONE) == 0) continue;
    munmap(base, bytes);
    return SK_OUT_OF_MEMORY;
  }
  *out = (sk__stack_pool){base, bytes, count};
  return SK_OK;
}

void sk__stack_pool_drop(sk__stack_pool *pool) {
  if (pool->base != NULL) munmap(pool->base, pool->bytes);
  *pool = (sk__stack_pool){0};
}

int sk__stack_pool_guard(const sk__stack_pool *pool, uint64_t address) {
  uint64_t offset = address - (uint64_t)pool->base;
  if (offset >= pool->bytes || offset % SK__STACK_BYTES >= guard_bytes()) return -1;
  return (int)(offset / SK__STACK_BYTES);
}

void sk__fiber_place(sk__fiber *fiber, const sk__stack_pool *pool, uint32_t index) {
  *fiber = (sk__fiber){0};
  fiber->stack = pool->base + index * SK__STACK_BYTES;
  fiber->color = (index * 7) % 64;
  fiber->context.stack_bottom = fiber->stack + guard_bytes();
  fiber->context.stack_bytes = SK__STACK_BYTES - guard_bytes();
}

/* Tops of neighbouring stacks lie in different cache sets. */
static char *stack_top(const sk__fiber *fiber) { return fiber->stack + SK__STACK_BYTES - 64 - fiber->color * 64; }

/* ---- sanitizer ----------------------------------------------------------------------------- */

#if SK__FIBER_ASAN
static _Thread_local sk__context *asan_left; /* the context that was left by the last switch of this thread */

static void asan_before(sk__context *from, sk__context *to) {
  asan_left = from;
  __sanitizer_start_switch_fiber(from != NULL ? &from->fake_stack : NULL, to->stack_bottom, to->stack_bytes);
}
/* Runs on the stack just entered. The stack that was left is learned here (host threads). */
static void asan_after(sk__context *now) {
  const void *bottom = NULL;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(now->fake_stack, &bottom, &bytes);
  if (asan_left != NULL) {
    asan_left->stack_bottom = bottom;
    asan_left->stack_bytes = bytes;
  }
}
static void asan_forget(sk__fiber *fiber) {
  fiber->context.fake_stack = NULL;
  sk__stack_forget(fiber->context.stack_bottom, fiber->context.stack_bytes);
}
void sk__stack_forget(const void *bottom, size_t bytes) { __asan_unpoison_memory_region(bottom, bytes); }
#else
static inline void asan_before(sk__context *from, sk__context *to) { (void)from, (void)to; }
static inline void asan_after(sk__context *now) { (void)now; }
static inline void asan_forget(sk__fiber *fiber) { (void)fiber; }
void sk__stack_forget(const void *bottom, size_t bytes) { (void)bottom, (void)bytes; }
#endif

/* First code on a fresh stack. */
static void fiber_main(void *argument) __attribute__((noreturn, used));
static void fiber_main(void *argument) {
  sk__fiber *fiber = argument;
  asan_after(&fiber->context);
  fiber->entry(fiber->argument);
  abort(); /* entries leave by sk__context_leave */
}

/* ---- the switch ---------------------------------------------------------------------------- */

#if SK__FIBER_UCONTEXT

static void ucontext_main(unsigned high, unsigned low) {
  fiber_main((void *)(uintptr_t)((uint64_t)high << 32 | low));
}

void sk__fiber_start(sk__fiber *fiber, void (*entry)(void *), void *argument) {
  fiber->entry = entry;
  fiber->argument = argument;
  asan_forget(fiber);
  getcontext(&fiber->context.machine);
  fiber->context.machine.uc_stack.ss_sp = (void *)(uintptr_t)fiber->context.stack_bottom;
  fiber->context.machine.uc_stack.ss_size = (size_t)(stack_top(fiber) - (const char *)fiber->context.stack_bottom);
  fiber->context.machine.uc_link = NULL;
  uint64_t self = (uint64_t)(uintptr_t)fiber;
  makecontext(&fiber->context.machine, (void (*)(void))ucontext_main, 2, (unsigned)(self >> 32), (unsigned)self);
}

void sk__context_switch(sk__context *from, sk__context *to) {
  asan_before(from, to);
  swapcontext(&from->machine, &to->machine);
  asan_after(from);
}

void sk__context_leave(sk__context *to) {
  asan_before(NULL, to);
  setcontext(&to->machine);
  abort();
}

#else

/* First code on a fresh stack: finds its argument and its function there. Unwinding ends here. */
void sk__stack_boot(void) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(
  ".text\n.p2align 4\n"
  ".hidden sk__stack_boot\n.globl sk__stack_boot\n.type sk__stack_boot,@function\n"
  "sk__stack_boot:\n"
  "  .cfi_startproc\n  .cfi_undefined rip\n"
  "  popq %rdi\n"
  "  popq %rax\n"
  "  xorl %ebp, %ebp\n"
  "  callq *%rax\n"
  "  ud2\n"
  "  .cfi_endproc\n"
  ".size sk__stack_boot,.-sk__stack_boot\n");
enum { SLOT_RESUME = 0, SLOT_ARGUMENT = 1, SLOT_MAIN = 2, SLOTS = 3 };
#else
__asm__(
  ".text\n.p2align 4\n"
  ".hidden sk__stack_boot\n.globl sk__stack_boot\n.type sk__stack_boot,%function\n"
  "sk__stack_boot:\n"
  "  .cfi_startproc\n  .cfi_undefined x30\n"
  "  hint #36\n"
  "  ldp x0, x1, [sp], #16\n"
  "  mov x30, xzr\n"
  "  blr x1\n"
  "  brk #1\n"
  "  .cfi_endproc\n"
  ".size sk__stack_boot,.-sk__stack_boot\n");
enum { SLOT_FRAME = 0, SLOT_RESUME = 1, SLOT_ARGUMENT = 2, SLOT_MAIN = 3, SLOTS = 4 };
#endif

void sk__fiber_start(sk__fiber *fiber, void (*entry)(void *), void *argument) {
  fiber->entry = entry;
  fiber->argument = argument;
  asan_forget(fiber);
  uint64_t *sp = (uint64_t *)(void *)stack_top(fiber) - SLOTS; /* once all are popped, a multiple of 64 again */
  memset(sp, 0, SLOTS * sizeof *sp);
  sp[SLOT_ARGUMENT] = (uint64_t)(uintptr_t)fiber;
  sp[SLOT_MAIN] = (uint64_t)(uintptr_t)fiber_main;
  sp[SLOT_RESUME] = (uint64_t)(uintptr_t)sk__stack_boot;
  fiber->context.sp = sp;
}

#if SK__FIBER_ASAN
void sk__context_switch(sk__context *from, sk__context *to) {
  asan_before(from, to);
  sk__stack_swap(&from->sp, to->sp);
  asan_after(from);
}
#endif

void sk__context_leave(sk__context *to) {
  void *unused;
  asan_before(NULL, to);
  sk__stack_swap(&unused, to->sp);
  abort();
}

#endif
