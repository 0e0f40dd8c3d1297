/* fiber.h - stacks that a host thread can leave and re-enter.
 *
 * A context is a place where execution was left: a stack pointer with the callee-saved registers below
 * it (x86-64, aarch64), or a ucontext_t where no hand-written switch exists or SK__FIBER_UCONTEXT is
 * defined. The FP control word is not part of it: it is the same for all fibers of a launch. */
#ifndef SK_MACHINE_FIBER_H
#define SK_MACHINE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifndef SK__FIBER_UCONTEXT
#if defined(__x86_64__) || defined(__aarch64__)
#define SK__FIBER_UCONTEXT 0
#else
#define SK__FIBER_UCONTEXT 1
#endif
#endif

#if SK__FIBER_UCONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SK__FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SK__FIBER_ASAN 1
#endif
#endif
#ifndef SK__FIBER_ASAN
#define SK__FIBER_ASAN 0
#endif

typedef struct sk__context {
#if SK__FIBER_UCONTEXT
  ucontext_t machine;
#else
  void *sp;
#endif
#if SK__FIBER_ASAN
  void *fake_stack;           /* what the sanitizer keeps for a context that is not running */
#endif
  const void *stack_bottom;   /* lowest usable byte; NULL until known (host threads) */
  size_t stack_bytes;
} sk__context;

/* Guard page included. An odd number of pages (of 64 KiB where they may be that large): stacks that lie a power
 * of two apart share few entries of the translation cache, and a round over all cores then walks the page tables
 * at every switch. */
#if defined(__aarch64__)
#define SK__STACK_BYTES (UINT64_C(320) << 10)
#else
#define SK__STACK_BYTES (UINT64_C(260) << 10)
#endif

typedef struct sk__fiber {
  sk__context context;
  char *stack;                /* start of the guard page */
  uint32_t color;             /* staggers the stack tops over the cache sets */
  void (*entry)(void *argument);
  void *argument;
} sk__fiber;

/* Stacks of all cores in one reservation, each with a guard page below it. */
typedef struct sk__stack_pool {
  char *base;
  size_t bytes;
  uint32_t count;
} sk__stack_pool;

SK_MUST_USE sk_status sk__stack_pool_make(uint32_t count, sk__stack_pool *out);
void sk__stack_pool_drop(sk__stack_pool *pool);
/* Index of the stack whose guard page holds the address, or -1. */
int sk__stack_pool_guard(const sk__stack_pool *pool, uint64_t address);

void sk__fiber_place(sk__fiber *fiber, const sk__stack_pool *pool, uint32_t index);
/* (Re)starts the fiber: the next switch to it calls entry(argument), which must not return. Whatever
 * was on its stack is forgotten. */
void sk__fiber_start(sk__fiber *fiber, void (*entry)(void *), void *argument);

#if !SK__FIBER_UCONTEXT
/* Leaves the running stack, noting where it stands, and continues at another. Inline, since a call that
 * does not return here would leave the return predictor one entry off on every stack. On the stack lie
 * the frame pointer and the place to resume at; the compiler saves what else it needs. */
static inline __attribute__((always_inline)) void sk__stack_swap(void **save_sp, void *load_sp) {
#if defined(__x86_64__)
  __asm__ volatile(
    "leaq -128(%%rsp), %%rsp\n" /* the red zone of the surrounding function */
    "pushq %%rbp\n"
    "leaq 1f(%%rip), %%rax\n"
    "pushq %%rax\n"
    "movq %%rsp, (%%rdi)\n"
    "movq %%rsi, %%rsp\n"
    "popq %%rax\n"
    "jmpq *%%rax\n"
    "1:\n"
    "popq %%rbp\n"
    "leaq 128(%%rsp), %%rsp\n"
    : "+D"(save_sp), "+S"(load_sp)
    :
    : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
      "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#else
  register void **save __asm__("x0") = save_sp;
  register void *load __asm__("x1") = load_sp;
  __asm__ volatile(
    "adr x9, 1f\n"
    "stp x29, x9, [sp, #-16]!\n"
    "mov x10, sp\n"
    "str x10, [x0]\n"
    "mov sp, x1\n"
    "ldp x29, x9, [sp], #16\n"
    "br x9\n"
    "1:\n"
    "hint #36\n" /* a landing pad, where indirect branches need one */
    : "+r"(save), "+r"(load)
    :
    : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20",
      "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
      "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
      "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
#endif
}
#endif

/* Leaves `from`, continues at `to`. */
#if SK__FIBER_ASAN || SK__FIBER_UCONTEXT
void sk__context_switch(sk__context *from, sk__context *to);
#else
static inline __attribute__((always_inline)) void sk__context_switch(sk__context *from, sk__context *to) {
  sk__stack_swap(&from->sp, to->sp);
}
#endif
/* Continues at `to` for good: the caller's stack will be started anew. May be called on a signal stack. */
_Noreturn void sk__context_leave(sk__context *to);
/* Whatever stood on this stack will not be returned to: for the sanitizer. */
void sk__stack_forget(const void *bottom, size_t bytes);

#endif
