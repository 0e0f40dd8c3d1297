/* faults.c - signals raised by kernels, and loops that call nothing.
 *
 * A kernel that faults is left at once: the handler, on its own stack, notes what happened and continues
 * the scheduler; the fiber's stack is abandoned. Signals that no kernel raised go to whoever handled them
 * before. The guard is a timer on the thread's CPU time; it is armed by a launch and not disarmed at its
 * end, so a short launch pays for no system call, and the host sees at most one stray tick per period.
 *
 * Mutable state: the handlers of a process exist once, so what they replaced is remembered once; the rest
 * is per thread. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "machine/flags.h"

enum { GUARD_TICKS = 4, GUARD_DEFAULT_MS = 20000, SIGNAL_STACK_BYTES = 64 << 10 };

#define FAULT_SIGNALS(X)                                                    \
  X(SIGSEGV, "an invalid memory access")                                    \
  X(SIGBUS, "an invalid memory access")                                     \
  X(SIGFPE, "an arithmetic fault (integer division by zero, or overflow)")  \
  X(SIGILL, "an illegal instruction or a trap")                             \
  X(SIGABRT, "abort() or a failed assertion")
static const struct { int number; const char *text; } fault_signals[] = {
#define X(name, text) {name, text},
  FAULT_SIGNALS(X)
#undef X
};
enum { FAULT_SIGNAL_COUNT = sizeof fault_signals / sizeof fault_signals[0] };

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the three below */
static struct sigaction replaced[FAULT_SIGNAL_COUNT + 1];        /* the last is the guard's */
static uint32_t install_count;
static pthread_key_t thread_key;

typedef struct thread_state {
  sk__worker *volatile worker;  /* whose fibers this thread is running */
  void *signal_stack;
  timer_t timer;
  bool timer_made;
  volatile sig_atomic_t timer_armed;
  uint64_t saved_control;
} thread_state;
static _Thread_local thread_state here __attribute__((tls_model("initial-exec")));

static int guard_signal(void) { return SIGRTMAX - 7; }

/* ---- the FP control word ------------------------------------------------------------------- */

/* Rounding to nearest, no flush to zero, no traps: what the arithmetic of the instructions relies on. */
#if defined(__x86_64__)
static uint64_t control_get(void) {
  uint32_t mxcsr;
  uint16_t x87;
  __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(x87));
  return (uint64_t)x87 << 32 | mxcsr;
}
static void control_set(uint64_t control) {
  uint32_t mxcsr = (uint32_t)control;
  uint16_t x87 = (uint16_t)(control >> 32);
  __asm__ volatile("ldmxcsr %0\n fldcw %1" : : "m"(mxcsr), "m"(x87));
}
static const uint64_t control_wanted = UINT64_C(0x37f) << 32 | 0x1f80;
#elif defined(__aarch64__)
static uint64_t control_get(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
static void control_set(uint64_t control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
static const uint64_t control_wanted = 0;
#else
#include <fenv.h>
static uint64_t control_get(void) { return (uint64_t)fegetround(); }
static void control_set(uint64_t control) { fesetround((int)control); }
static const uint64_t control_wanted = FE_TONEAREST;
#endif

/* ---- handlers ------------------------------------------------------------------------------ */

/* The instruction that was interrupted, as a site: those are return addresses, what counts is the byte before. */
static const void *interrupted_site(const void *context) {
#if defined(__x86_64__)
  return (const void *)(uintptr_t)(((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
  return (const void *)(uintptr_t)(((const ucontext_t *)context)->uc_mcontext.pc + 1);
#else
  (void)context;
  return NULL;
#endif
}

/* A fault was a write, as far as the processor says. */
static bool was_write(const void *context) {
#if defined(__x86_64__)
  return (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  (void)context;
  return false;
#endif
}

static void pass_on(const struct sigaction *before, int number, siginfo_t *info, void *context) {
  if ((before->sa_flags & SA_SIGINFO) != 0) {
    before->sa_sigaction(number, info, context);
  } else if (before->sa_handler == SIG_DFL) {
    sigaction(number, before, NULL); /* a fault happens again on return; a sent signal is sent again */
    if (info->si_code <= 0) raise(number);
  } else if (before->sa_handler != SIG_IGN) {
    before->sa_handler(number);
  }
}

static void on_fault(int number, siginfo_t *info, void *context) {
  int saved_errno = errno;
  sk__worker *worker = here.worker;
  bool sent = info->si_code <= 0 && number != SIGABRT; /* by kill(), not by the code that runs */
  if (worker == NULL || worker->running == NULL || sent) {
    for (uint32_t i = 0; i < FAULT_SIGNAL_COUNT; i++)
      if (fault_signals[i].number == number) pass_on(&replaced[i], number, info, context);
    errno = saved_errno;
    return;
  }
  if (number == SIGFPE && sk__division_skip(worker->running, context, interrupted_site(context))) {
    errno = saved_errno;
    return;
  }
  worker->fault = (sk__fault){.pending = true, .signal = number, .code = info->si_code, .write = was_write(context),
                              .address = (uint64_t)(uintptr_t)info->si_addr, .site = interrupted_site(context)};
  sk__context_leave(&worker->context);
}

static void guard_arm(const sk__worker *worker) {
  uint32_t guard_ms = worker->machine->options.guard_ms != 0 ? worker->machine->options.guard_ms : GUARD_DEFAULT_MS;
  uint64_t period_us = (uint64_t)guard_ms * 1000 / GUARD_TICKS;
  struct itimerspec when = {.it_value = {(time_t)(period_us / 1000000), (long)(period_us % 1000000) * 1000}};
  here.timer_armed = timer_settime(here.timer, 0, &when, NULL) == 0;
}

static void on_guard(int number, siginfo_t *info, void *context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &here) {
    pass_on(&replaced[FAULT_SIGNAL_COUNT], number, info, context);
    return;
  }
  sk__worker *worker = here.worker;
  here.timer_armed = 0;
  if (worker == NULL) return;
  sk__core *core = worker->running;
  uint64_t switches = atomic_load_explicit(&worker->switches, memory_order_relaxed);
  uint64_t instructions = core != NULL ? core->instructions : 0;
  bool still = core != NULL && switches == worker->guard_switches && instructions == worker->guard_instructions;
  worker->guard_switches = switches;
  worker->guard_instructions = instructions;
  worker->guard_ticks = still ? worker->guard_ticks + 1 : 0;
  guard_arm(worker);
  if (worker->guard_ticks < GUARD_TICKS) return;
  worker->guard_ticks = 0;
  worker->fault = (sk__fault){.pending = true, .endless = true, .site = interrupted_site(context)};
  sk__context_leave(&worker->context);
}

/* ---- installing ---------------------------------------------------------------------------- */

static struct sigaction action_of(void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | flags};
  sigemptyset(&action.sa_mask);
  return action;
}

/* Puts our handler where it is not, e.g. because another library has installed its own since. */
static void take(int number, void (*handler)(int, siginfo_t *, void *), int flags, struct sigaction *before) {
  struct sigaction now, ours = action_of(handler, flags);
  if (sigaction(number, NULL, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler) return;
  *before = now;
  sigaction(number, &ours, NULL);
}

static void take_all(void) {
  for (uint32_t i = 0; i < FAULT_SIGNAL_COUNT; i++) take(fault_signals[i].number, on_fault, 0, &replaced[i]);
  take(guard_signal(), on_guard, SA_RESTART, &replaced[FAULT_SIGNAL_COUNT]);
}

static void thread_end(void *state) {
  thread_state *s = state;
  if (s->timer_made) timer_delete(s->timer);
  if (s->signal_stack != NULL) {
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    munmap(s->signal_stack, SIGNAL_STACK_BYTES);
  }
  *s = (thread_state){0};
}

void sk__faults_install(void) {
  pthread_mutex_lock(&install_lock);
  static bool key_made;
  if (!key_made) key_made = pthread_key_create(&thread_key, thread_end) == 0;
  if (install_count++ == 0) take_all();
  pthread_mutex_unlock(&install_lock);
}

void sk__faults_remove(void) {
  pthread_mutex_lock(&install_lock);
  if (--install_count == 0) {
    for (uint32_t i = 0; i < FAULT_SIGNAL_COUNT; i++) {
      struct sigaction now;
      sigaction(fault_signals[i].number, NULL, &now);
      if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
        sigaction(fault_signals[i].number, &replaced[i], NULL);
    }
  }
  pthread_mutex_unlock(&install_lock);
}

/* Once per thread: a stack for handlers, since a kernel may have used up its own, and the guard's timer. */
static void thread_begin(void) {
  void *stack = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack != MAP_FAILED) {
    stack_t alternate = {.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES};
    if (sigaltstack(&alternate, NULL) == 0) here.signal_stack = stack;
    else munmap(stack, SIGNAL_STACK_BYTES);
  }
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = guard_signal(), .sigev_value.sival_ptr = &here};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  here.timer_made = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &here.timer) == 0;
  pthread_setspecific(thread_key, &here);
  if (here.signal_stack == NULL || !here.timer_made)
    sk__log(SK__LOG_WARNING, "no signal stack or no timer for a thread: stack overflows and endless loops end the process");
}

void sk__faults_enter(sk__worker *worker) {
  if (here.signal_stack == NULL) thread_begin();
  struct sigaction now;
  if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction != on_fault) {
    pthread_mutex_lock(&install_lock);
    take_all();
    pthread_mutex_unlock(&install_lock);
  }
  worker->guard_ticks = 0;
  worker->guard_switches = UINT64_MAX;
  here.worker = worker;
  if (here.timer_made && !here.timer_armed) guard_arm(worker);
  here.saved_control = control_get();
  if (here.saved_control != control_wanted) control_set(control_wanted);
}

void sk__faults_leave(sk__worker *worker) {
  (void)worker;
  here.worker = NULL;
  if (here.saved_control != control_wanted) control_set(here.saved_control);
}

/* ---- reports ------------------------------------------------------------------------------- */

static const char *signal_text(int number) {
  for (uint32_t i = 0; i < FAULT_SIGNAL_COUNT; i++)
    if (fault_signals[i].number == number) return fault_signals[i].text;
  return "a signal";
}

static void describe_fault(const sk__machine *machine, const sk__fault *fault, const sk__core *core, sk__finding *f) {
  bool memory = fault->signal == SIGSEGV || fault->signal == SIGBUS;
  const char *kernel = core->view.kernel;
  if (fault->endless) {
    uint32_t ms = machine->options.guard_ms != 0 ? machine->options.guard_ms : GUARD_DEFAULT_MS;
    snprintf(f->message, sizeof f->message, "kernel '%s' is in a loop that executes no instruction: %u ms of CPU time went by",
             kernel, ms);
    snprintf(f->remedy, sizeof f->remedy, "make the loop end");
  } else if (memory && sk__stack_pool_guard(&machine->stacks, fault->address) >= 0) {
    f->ends[0].site = sk__site_function(fault->site); /* which line was the last depends on the compiler's frames */
    snprintf(f->message, sizeof f->message, "kernel '%s' overflowed the stack of its scalar unit", kernel);
    snprintf(f->remedy, sizeof f->remedy, "keep large arrays in local memory, and recursion shallow");
  } else if (memory && sk__in_local(fault->address)) {
    snprintf(f->message, sizeof f->message, "kernel '%s' accessed address 0x%llx, where core %u has no local memory", kernel,
             (unsigned long long)fault->address, sk__local_core(fault->address));
    snprintf(f->remedy, sizeof f->remedy, "stay inside the arrays of local memory");
  } else if (memory) {
    sk__text text = sk__text_on(f->message, sizeof f->message);
    sk__text_add(&text, "kernel '%s' made %s at %s", kernel, signal_text(fault->signal),
                sk__is_stable_address(fault->address) ? "address " : "an address of ");
    sk__text_add_address(&text, fault->address);
    snprintf(f->remedy, sizeof f->remedy, "check the pointer and the index it was made with");
  } else {
    snprintf(f->message, sizeof f->message, "kernel '%s' stopped at %s", kernel, signal_text(fault->signal));
    snprintf(f->remedy, sizeof f->remedy, "look at the place where it stopped");
  }
}

void sk__fault_report(sk__worker *worker, sk__core *core) {
  sk__machine *machine = worker->machine;
  const sk__fault *fault = &worker->fault;
  control_set(control_wanted); /* signal delivery may have changed it */
  if (here.signal_stack != NULL) sk__stack_forget(here.signal_stack, SIGNAL_STACK_BYTES); /* the handler never returned */
  bool memory = !fault->endless && (fault->signal == SIGSEGV || fault->signal == SIGBUS);
  if (memory && sk__in_gm(fault->address)) {
    sk__memory_report_bounds(&machine->memory, core, SK__PIPE_S, fault->write ? SK__WRITE : SK__READ, fault->address, 1,
                             fault->site, core->instr);
    return;
  }
  const char *id = fault->endless ? "ENDLESS" : memory && sk__in_local(fault->address) ? "LOCAL_OUT_OF_BOUNDS" : "KERNEL_FAULT";
  sk__finding finding = sk__core_finding(core, id, SK__CAT_OPERATOR, SK__ERROR);
  finding.ends[0].site = fault->site;
  finding.ends[0].instr = NULL;
  if (memory) finding.ends[0].address = fault->address;
  if (core->instr != NULL) sk__finding_end(&finding, core, "last instruction", core->site, core->instr);
  describe_fault(machine, fault, core, &finding);
  sk__report(core->checker, &finding);
}

void sk_kernel_leaves(const char *call, const void *site) {
  sk__core *core = sk__self;
  if (core == NULL) return;
  sk__finding finding = sk__core_finding(core, "KERNEL_FAULT", SK__CAT_OPERATOR, SK__ERROR);
  finding.ends[0].site = site;
  finding.ends[0].instr = NULL;
  snprintf(finding.message, sizeof finding.message, "kernel '%s' calls %s, which leads out of it", core->view.kernel, call);
  snprintf(finding.remedy, sizeof finding.remedy, "return from the kernel instead");
  sk__report(core->checker, &finding);
  sk__core_abort(core, SK_FAULT);
}
