/* fiber.c - stack switching: hand-written for x86-64 and aarch64, ucontext elsewhere.
 *
 * The hand-written switch leaves by "pop; jmp" instead of "ret": a return to another stack is always
 * mispredicted by the return predictor. */
#include "machine/fiber.h"

#include <stdlib.h>
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

/* Tops of neighbouring stacks lie in different cache sets: they are 256 KiB apart otherwise. */
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
  __asan_unpoison_memory_region(fiber->context.stack_bottom, fiber->context.stack_bytes);
}
#else
static inline void asan_before(sk__context *from, sk__context *to) { (void)from, (void)to; }
static inline void asan_after(sk__context *now) { (void)now; }
static inline void asan_forget(sk__fiber *fiber) { (void)fiber; }
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

void sk__stack_swap(void **save_sp, void *load_sp) __attribute__((visibility("hidden")));
void sk__stack_boot(void) __attribute__((visibility("hidden")));

#if defined(__x86_64__)
enum { SAVED_WORDS = 7, SLOT_ARGUMENT = 3, SLOT_MAIN = 2, SLOT_RESUME = 6 };
/* Saved words from the stack pointer up: r15 r14 r13 r12 rbx rbp resume. A fresh fiber finds its
 * argument in r12 and fiber_main in r13. */
__asm__(
  ".text\n.p2align 4\n"
  ".hidden sk__stack_swap\n.globl sk__stack_swap\n.type sk__stack_swap,@function\n"
  "sk__stack_swap:\n"
  "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
  "  movq %rsp, (%rdi)\n"
  "  movq %rsi, %rsp\n"
  "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
  "  popq %rcx\n"
  "  jmpq *%rcx\n"
  ".size sk__stack_swap,.-sk__stack_swap\n"
  ".p2align 4\n"
  ".hidden sk__stack_boot\n.globl sk__stack_boot\n.type sk__stack_boot,@function\n"
  "sk__stack_boot:\n"
  "  .cfi_startproc\n  .cfi_undefined rip\n" /* unwinding ends here */
  "  movq %r12, %rdi\n"
  "  callq *%r13\n"
  "  ud2\n"
  "  .cfi_endproc\n"
  ".size sk__stack_boot,.-sk__stack_boot\n");
#elif defined(__aarch64__)
enum { SAVED_WORDS = 20, SLOT_ARGUMENT = 0, SLOT_MAIN = 1, SLOT_RESUME = 11 };
/* Saved words: x19..x28, x29, x30, d8..d15. A fresh fiber finds its argument in x19, fiber_main in x20. */
__asm__(
  ".text\n.p2align 4\n"
  ".hidden sk__stack_swap\n.globl sk__stack_swap\n.type sk__stack_swap,%function\n"
  "sk__stack_swap:\n"
  "  sub sp, sp, #160\n"
  "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
  "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
  "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
  "  mov x9, sp\n  str x9, [x0]\n"
  "  mov sp, x1\n"
  "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
  "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
  "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
  "  add sp, sp, #160\n"
  "  br x30\n"
  ".size sk__stack_swap,.-sk__stack_swap\n"
  ".p2align 4\n"
  ".hidden sk__stack_boot\n.globl sk__stack_boot\n.type sk__stack_boot,%function\n"
  "sk__stack_boot:\n"
  "  .cfi_startproc\n  .cfi_undefined x30\n"
  "  mov x0, x19\n"
  "  blr x20\n"
  "  brk #1\n"
  "  .cfi_endproc\n"
  ".size sk__stack_boot,.-sk__stack_boot\n");
#endif

void sk__fiber_start(sk__fiber *fiber, void (*entry)(void *), void *argument) {
  fiber->entry = entry;
  fiber->argument = argument;
  asan_forget(fiber);
  uint64_t *top = (uint64_t *)(void *)stack_top(fiber); /* a multiple of 64, and so the stack pointer once popped */
  uint64_t *sp = top - SAVED_WORDS;
  for (int i = 0; i < SAVED_WORDS; i++) sp[i] = 0;
  sp[SLOT_ARGUMENT] = (uint64_t)(uintptr_t)fiber;
  sp[SLOT_MAIN] = (uint64_t)(uintptr_t)fiber_main;
  sp[SLOT_RESUME] = (uint64_t)(uintptr_t)sk__stack_boot;
  fiber->context.sp = sp;
}

void sk__context_switch(sk__context *from, sk__context *to) {
  asan_before(from, to);
  sk__stack_swap(&from->sp, to->sp);
  asan_after(from);
}

void sk__context_leave(sk__context *to) {
  void *unused;
  asan_before(NULL, to);
  sk__stack_swap(&unused, to->sp);
  abort();
}

#endif
