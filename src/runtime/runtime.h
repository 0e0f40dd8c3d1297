/* runtime.h - floor 4: streams, tasks, events, captured models; what the acl interface is built on.
 *
 * One runtime per process. Tasks are queued and run when somebody waits. The verifier sits on the
 * segment hook: it gets each run of device-only tasks before they are executed. */
#ifndef SK_RUNTIME_RUNTIME_H
#define SK_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "machine/machine.h"
#include "superkernel/kernel.h"

typedef struct sk__runtime sk__runtime;
typedef struct sk__stream sk__stream;
typedef struct sk__event sk__event;

#define SK__TASK_LIST(X)                                   \
  X(KERNEL, "kernel")                                      \
  X(COPY, "memcpy")                                        \
  X(SET, "memset")                                         \
  X(EVENT_RECORD, "event record")                          \
  X(EVENT_WAIT, "event wait")                              \
  X(EVENT_RESET, "event reset")                            \
  X(VALUE_WRITE, "value write")                            \
  X(VALUE_WAIT, "value wait")                              \
  X(HOST_FUNC, "host callback")                            \
  X(SCOPE_BEGIN, "scope begin")                            \
  X(SCOPE_END, "scope end")                                \
  X(SUPERKERNEL, "SuperKernel")
typedef enum sk__task_kind {
#define X(name, text) SK__TASK_##name,
  SK__TASK_LIST(X)
#undef X
  SK__TASK_KINDS
} sk__task_kind;

struct sk__task;

/* What an operator of graph mode says about the launches made for it. Reference counted: tasks share it. */
typedef struct sk__attributes {
  uint32_t references;
  const char *name, *type;    /* type NULL: the kernel's name */
  const char *scope, *options; /* NULL none */
  uint32_t aicore_num, vectorcore_num; /* 0 no limit */
  bool tiling_sink;
} sk__attributes;

/* A launch that a fuser made of others. Reference counted: tasks share it. */
typedef struct sk__superkernel {
  uint32_t references;
  struct sk__task *const *parts; /* what it was made of, in order of issue; borrowed from whoever made it */
  size_t part_count;
  const char *listing;        /* its program, for people; NULL */
  uint32_t scope_id, blocks;
  sk_kernel_type type;
  const char *name, *scopes;  /* scopes: names of the open scopes, "none" without any */
  const char *first, *last;   /* names of its first and last kernel */
  /* Launches it on a stream, ordered behind what that stream did; moves the stream's order and clock on. */
  sk_status (*run)(struct sk__superkernel *self, sk__runtime *runtime, sk__stream *stream, sk__run_stats *stats);
  void (*free)(struct sk__superkernel *self);
} sk__superkernel;

/* Tasks of a model that wait for each other: a SuperKernel waits inside for work of another stream, which waits for what the
 * SuperKernel records. They stand side by side in the model and run at the same time, by whoever found them. Reference
 * counted: its tasks share it. */
struct sk__task_result;
typedef struct sk__issue { uint32_t task, part; } sk__issue; /* a task of the circle; of a SuperKernel one of its parts, else UINT32_MAX */
typedef struct sk__circle {
  uint32_t references;
  uint32_t count;             /* its tasks */
  bool host_visible;          /* work on the host is among them */
  const sk__issue *issues;    /* what it was made of, in order of issue */
  size_t issue_count;
  /* Runs them; results as of sk__runtime_run. The worst status. */
  sk_status (*run)(struct sk__circle *self, sk__runtime *runtime, struct sk__task *const *tasks, struct sk__task_result *results);
  void (*free)(struct sk__circle *self);
} sk__circle;

/* A queued piece of work. Reference counted: a captured model and its replays share it. */
typedef struct sk__task {
  sk__task_kind kind;
  uint32_t references;
  uint64_t serial;          /* order of issue over all streams = capture order */
  sk__stream *stream;
  uint32_t stream_index;    /* small number of the stream, for graphs and texts */
  const char *file;         /* where the host program launched it; NULL unknown */
  uint32_t line;
  /* KERNEL */
  const sk_kernel *kernel;
  uint32_t blocks;
  uint64_t dynamic_ub_bytes;
  void *args;               /* owned copy, kernel->args_bytes */
  void *updated;            /* of a part of a SuperKernel: owned, what its launch has now in the model; NULL the same */
  sk__attributes *attributes; /* NULL: launched by no operator of graph mode */
  /* COPY, SET: one side may be host memory */
  uint64_t to, from, bytes;
  void *staged;             /* owned copy of a source that need not outlive the call, NULL none */
  int value;
  /* VALUE_*: the word is at `to` */
  uint64_t number;
  uint32_t condition;       /* VALUE_WAIT: ACL_STREAM_WAIT_VALUE_* */
  /* EVENT_* */
  sk__event *event;
  bool tie;                 /* a fuser's, that ties the streams of a SuperKernel to its launch */
  /* HOST_FUNC */
  void (*host_func)(void *);
  void *host_context;
  /* SCOPE_*: NULL = the None scope */
  char *scope;
  /* SUPERKERNEL */
  sk__superkernel *superkernel;
  const sk__stream *captured; /* of a replay: the stream of its capture that `replayed` stands for; NULL */
  sk__stream *replayed;
  sk__circle *circle;       /* in which it stands; NULL none */
} sk__task;

/* On a core: a variable with the arguments of the task's kernel, on the stack it runs on. Each core of the chip has its own too,
 * and of the host's memory a kernel reaches no other. */
#define SK__OWN_ARGUMENTS(name, of_task)                                                       \
  char name[(of_task)->kernel->args_bytes + 1] __attribute__((aligned(64)));                  \
  memcpy(name, (of_task)->args, (of_task)->kernel->args_bytes)

/* What running one task cost. */
typedef struct sk__task_result {
  sk_status status;
  sk__run_stats stats;      /* kernels; else zero */
} sk__task_result;

/* The process's runtime; made on first use with options from the environment (runtime/options.c);
 * NULL when it cannot be had, the reason is in aclGetRecentErrMsg. */
sk__runtime *sk__runtime_get(void);
sk__machine *sk__runtime_machine(sk__runtime *runtime);

/* Work whose effect the host can see must happen exactly once, so the hook never gets it. */
bool sk__task_is_host_visible(const sk__task *task);
/* Runs tasks at once, in order, but what stands behind an unsatisfied wait for a value when the others have run; those of a
 * circle at the same time. results[i] per task. Does not touch the queues. The worst status is returned; a failing kernel does
 * not stop the rest. SK_DEADLOCK, with a finding: a wait for a value that none of the tasks brings. */
SK_MUST_USE sk_status sk__runtime_run(sk__runtime *runtime, sk__task *const *tasks, size_t count,
                                      sk__task_result *results);
/* One task by itself, for whoever runs the circle in which it may stand. */
SK_MUST_USE sk_status sk__runtime_run_one(sk__runtime *runtime, sk__task *task, sk__task_result *result);
/* The same work with each SuperKernel that the program itself made taken apart again, for a twin run: what is in it
 * stands between scope marks of its name when `marked`, and each part is ordered as it was before. New tasks; free them with sk__tasks_free. */
SK_MUST_USE sk_status sk__tasks_apart(sk__runtime *runtime, sk__task *const *tasks, size_t count, bool marked,
                                      sk__task ***out, size_t *out_count);
/* The same work with each kernel in company, in a scope of its own when `marked`: between two neighbours, or
 * without them twice in a row. Kernels inside an unnamed scope stay as they are; named marks go. Freed likewise. */
typedef struct sk__neighbour { const sk_kernel *kernel; uint32_t blocks; } sk__neighbour;
typedef sk__neighbour (*sk__neighbour_fn)(sk__runtime *runtime, const sk_kernel *kernel);
SK_MUST_USE sk_status sk__tasks_in_company(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__neighbour_fn neighbour_of,
                                           bool marked, sk__task ***out, size_t *out_count);
void sk__tasks_free(sk__task **tasks, size_t count);
/* Order: everything all streams did so far happens before whatever any stream does next. */
void sk__runtime_join_streams(sk__runtime *runtime);
/* What each stream's next launch is ordered after, as of now. _put, when other runs have been between: they are known to all
 * streams, and of what was before each knows what it knew. */
typedef struct sk__order_kept { sk__stream *stream; sk__snapshot *order; } sk__order_kept;
typedef struct sk__orders { sk__order_kept *items; size_t count; uint64_t clocks[SK__MAX_CORES]; } sk__orders;
SK_MUST_USE sk_status sk__orders_take(sk__runtime *runtime, sk__orders *out);
SK_MUST_USE sk_status sk__orders_put(sk__runtime *runtime, const sk__orders *orders);
/* Runs of these tasks in between are a rehearsal (check.h): what their streams know goes into it. */
void sk__orders_rehearse(sk__runtime *runtime, const sk__orders *orders, sk__task *const *tasks, size_t count, sk__rehearsal *rehearsal);
void sk__orders_free(sk__orders *orders);
/* For the hook: may work come behind this segment that nothing orders with it? The host does not wait yet, and there are streams. */
bool sk__runtime_goes_on(const sk__runtime *runtime);
/* Snapshot a stream stands at (may be NULL); for launches made outside sk__runtime_run. */
sk__snapshot *sk__stream_order(sk__stream *stream);
void sk__stream_add_cycles(sk__stream *stream, uint64_t cycles); /* estimated device time goes on */
void sk__stream_set_order(sk__stream *stream, sk__snapshot *order); /* takes the reference */
/* The stream goes on behind this, too (NULL: nothing). */
SK_MUST_USE sk_status sk__stream_join(sk__runtime *runtime, sk__stream *stream, const sk__snapshot *order);

/* ---- values ---- */
/* Does the word at the address satisfy the condition? */
bool sk__value_is(sk__runtime *runtime, uint64_t address, uint64_t value, uint32_t condition);
/* Stores a word. Who finds it there is ordered after `order` (takes the reference; NULL nothing), and no earlier than `cycles`. */
SK_MUST_USE sk_status sk__value_store(sk__runtime *runtime, uint64_t address, uint64_t value, sk__snapshot *order, uint64_t cycles);
/* What whoever finds the word as it is comes after: its latest value write, or, if the bytes are another's, all that streams
 * have done. A new reference; NULL on no memory: then fewer accesses count as ordered. *cycles: not before. */
sk__snapshot *sk__value_order(sk__runtime *runtime, uint64_t address, uint64_t *cycles);
/* "the value at 'flag' to be at least 1 (it is 0)", for messages. */
void sk__value_text(sk__runtime *runtime, uint64_t address, uint64_t value, uint32_t condition, char *text, size_t bytes);
/* The stream waits for ever: DEADLOCK. With the name of a SuperKernel, whose queue waits: H41. */
void sk__report_value_wait(sk__runtime *runtime, const sk__task *wait, const char *superkernel);

/* Called instead of sk__runtime_run for each maximal run of device-only tasks (kernels, device copies,
 * sets, events, scope marks) about to be executed. Must leave the device as if the tasks had run. */
typedef sk_status (*sk__segment_hook)(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count);
void sk__runtime_set_hook(sk__runtime *runtime, sk__segment_hook hook, void *context);

/* Called once, right after the process's runtime was made; set before (from a constructor). */
void sk__runtime_on_create(void (*function)(sk__runtime *runtime));

/* Operators that a framework ran on the host (superkernel/device.h), ascending; *count of them. */
const char *const *sk__runtime_not_simulated(size_t *count);

/* Runs everything pending on all streams. SK_DEADLOCK, with a finding: a stream waits for a value that nobody writes. */
SK_MUST_USE sk_status sk__runtime_flush(sk__runtime *runtime);

/* Registered kernels in order of registration; *count of them. */
const sk_kernel *const *sk__runtime_kernels(size_t *count);
/* SK bindings (SK_BIND) in the order in which their objects were loaded. */
const sk_binding *const *sk__runtime_bindings(size_t *count);
/* Another binding of the same kernel with other functions or capabilities: then neither is usable. NULL if there is none. */
const sk_binding *sk__runtime_binding_conflict(const sk_binding *binding);
/* The binding of a kernel, NULL if SK_BIND did not name it; of several the one loaded first. */
const sk_binding *sk__runtime_binding_of(const sk_kernel *kernel);

/* ---- captured models, for a fuser that rewrites them ---- */
typedef void *sk__model_handle; /* aclmdlRI */
/* Tasks of a model whose capture has ended well, borrowed. An acl code; failures are told under the name of
 * the call. *optimised: its tasks were replaced before. */
int sk__model_tasks(sk__model_handle model, const char *call, sk__task *const **tasks, size_t *count, bool *optimised);
/* The model consists of these tasks from now on. Takes their references, and the array (malloc). */
void sk__model_replace(sk__model_handle model, sk__task **tasks, size_t count);
/* An event nobody else knows; NULL on no memory. Tasks take references of their own. */
sk__event *sk__event_new(void);
void sk__event_unref(sk__event *event);
/* Tasks that belong to no queue yet; NULL on no memory. */
sk__task *sk__task_of_event(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream, sk__event *event);
sk__task *sk__task_of_mark(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream, const char *scope); /* NULL: the None scope */
void sk__task_set_circle(sk__task *task, sk__circle *circle); /* takes a reference of its own */
/* The same work, issued now on another stream, in no circle. */
sk__task *sk__task_again(sk__runtime *runtime, const sk__task *task, sk__stream *stream);
sk__task *sk__task_of_superkernel(sk__runtime *runtime, sk__stream *stream, sk__superkernel *superkernel); /* takes the reference */
/* What the latest record of an event ordered; NULL. */
sk__snapshot *sk__event_order(const sk__event *event);
/* The record takes effect now, at the stream's clock, and orders just this. */
void sk__event_record(sk__event *event, const sk__stream *stream, sk__snapshot *order);

const char *sk__task_kind_name(sk__task_kind kind);
sk__task *sk__task_ref(sk__task *task);
void sk__task_unref(sk__task *task);

/* Options from the environment, with the legal values on error (to aclGetRecentErrMsg and stderr):
 *   SUPERKERNEL_SOC, SUPERKERNEL_SCHEDULE, SUPERKERNEL_THREADS, SUPERKERNEL_CHECKS (on|off) */
SK_MUST_USE sk_status sk__runtime_env_options(sk__machine_options *out, char *why, size_t why_bytes);

#endif
