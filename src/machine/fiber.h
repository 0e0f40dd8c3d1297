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

#define SK__STACK_BYTES (UINT64_C(256) << 10) /* guard page included */

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

/* Leaves `from`, continues at `to`. */
void sk__context_switch(sk__context *from, sk__context *to);
/* Continues at `to` for good: the caller's stack will be started anew. May be called on a signal stack. */
_Noreturn void sk__context_leave(sk__context *to);

#endif
