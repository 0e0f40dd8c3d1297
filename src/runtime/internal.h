/* internal.h - what the files of this floor share: the runtime object and its parts. */
#ifndef SK_RUNTIME_INTERNAL_H
#define SK_RUNTIME_INTERNAL_H

#include <pthread.h>

#include "acl/acl.h"
#include "base/vec.h"
#include "runtime/runtime.h"

typedef struct sk__task_list {
  sk__task **items;
  size_t count, capacity;
} sk__task_list;

typedef struct sk__model sk__model;

/* Streams and events live as long as a handle or a task (of a captured model, say) needs them. */
struct sk__stream {
  uint32_t references;
  uint32_t index;
  sk__snapshot *order;   /* what this stream's next launch is ordered after */
  bool order_is_news;    /* not yet part of the runtime's all_order */
  uint64_t cycles;       /* estimated device time of this stream */
  sk__model *capturing;  /* not NULL: tasks go into this model */
  bool is_default;
  bool held;             /* scratch of hold.c: something on it cannot run yet */
  struct sk__stream *next;
};

struct sk__event {
  uint32_t references;
  uint32_t flags;
  bool recorded;         /* a record was issued */
  bool complete;         /* ... and has run */
  bool held;             /* scratch of hold.c: its latest record cannot run yet */
  uint64_t cycles;       /* stream time at the record */
  sk__snapshot *order;
  sk__model *recorded_in; /* model whose capture holds the latest record, NULL outside */
  bool waited_in, reset_in; /* that model also holds a wait for it, a reset of it */
  struct sk__event *next;
};

struct sk__model {
  bool active;           /* between begin and end */
  bool invalid;
  bool optimised;        /* tasks are a fuser's */
  aclmdlRICaptureMode mode;
  pthread_t thread;
  sk__stream *origin;
  sk__stream *replayed_on; /* by the latest replay; NULL none */
  sk__task_list tasks;
  struct sk__model *next;
};

/* Page-locked host memory: what an asynchronous copy may still read or write after the call. */
typedef struct sk__pinned { uint64_t start, bytes; } sk__pinned;

/* Kernels [first, end) of the registry came with this object. */
typedef struct sk__binary {
  size_t first, end;
  struct sk__binary *next;
} sk__binary;

/* What the latest value write of a word told. */
typedef struct sk__value_word {
  uint64_t address, value, cycles;
  sk__snapshot *order;   /* NULL nothing */
} sk__value_word;

/* A synchronous copy to the host, made while tasks with lower serials were still pending. */
typedef struct sk__hasty_copy {
  const char *call;
  uint64_t address, bytes, serial;
} sk__hasty_copy;

typedef struct sk__context { /* an identity and nothing more */
  struct sk__context *next;
} sk__context;

struct sk__runtime {
  sk__machine *machine;
  bool initialised;      /* aclInit */
  uint32_t device_count; /* references of SetDevice */
  uint64_t next_serial;
  uint64_t host_writes;  /* to device memory, so far */
  uint32_t next_stream_index;
  sk__stream default_stream;
  sk__stream *streams;
  sk__snapshot *all_order; /* what streams were known to have done when somebody last asked (orders.c); NULL: nobody has */
  sk__event *events;
  sk__model *models;
  sk__context *contexts;
  sk__binary *binaries;
  sk__pinned *pinned;
  size_t pinned_count;
  SK__VEC(sk__value_word) words; /* in order of their addresses */
  sk__task_list pending; /* all streams, in order of issue */
  SK__VEC(sk__hasty_copy) hasty;
  sk_status device_error; /* worst since the last synchronisation */
  sk__core_type device_error_core;
  sk__segment_hook hook;
  void *hook_context;
  const sk__task *callback; /* host callback that is running, NULL none */
  const sk__task_list *batch; /* what it was queued with, NULL while nothing runs */
  bool goes_on;          /* what runs is not the last before the host waits */
  bool running;          /* a flush is under way: host callbacks may call in */
};

/* ---- device.c: one lock ----
 * The interface may be called from any thread, and from host callbacks on the thread that waits. The lock is
 * held by every call of it to its end, so a thread that waits holds back the calls of all others. */
void sk__lock(void);
void sk__unlock(const int *unused);
/* Other threads may call for this long, whatever the calls of this one hold. */
void sk__let_others(unsigned microseconds);
#define SK__GUARD                                                        \
  __attribute__((cleanup(sk__unlock), unused)) const int sk__guard = 0;  \
  sk__lock()

/* ---- thread.c: what is kept for each thread of the host ---- */

/* What a launch through an expression has said, until the kernel's function takes it. */
typedef struct sk__told_launch {
  sk_told_launch launch;
  bool done; /* taken, or refused */
} sk__told_launch;

/* Launches among the arguments of another, and those of functions called there: C nests them, C++ does not. */
#define SK__MAX_NESTED 16u

typedef struct sk__of_thread {
  aclError last_error;
  char last_message[768];
  uint32_t depth; /* of launches; one deeper than there is room for: all of them are refused */
  sk__told_launch told[SK__MAX_NESTED];
} sk__of_thread;

/* Of the calling thread, until it ends; NULL: no memory. */
sk__of_thread *sk__of_this_thread(void);

/* ---- error.c: thread's last error and its text ---- */
/* Sets both and returns the code; format names the thing. Success codes are not recorded. */
aclError sk__fail(aclError code, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *sk__acl_error_name(aclError code);
const char *sk__acl_error_text(aclError code);
/* acl code of a status, for device failures by the core type that failed. */
aclError sk__acl_of_status(sk_status status, sk__core_type core);

/* ---- report.c: findings of the host side ---- */
#define SK__UNNAMED_MEMORY "aclrtMalloc" /* label of device memory that no kernel was given yet */
/* Device memory gets the name of the first kernel argument that points to its start; a pointer that leads
 * nowhere is a finding. */
void sk__report_arguments(sk__runtime *runtime, const sk__task *task);
/* Of a kernel, NULL unknown; at a site in host code or a line, NULL without. */
void sk__report_launch(sk__runtime *runtime, const char *kernel, const void *site, const char *file, uint32_t line, const char *why);
/* A reset outside of a captured model that holds the event's record. */
void sk__report_outside_reset(sk__runtime *runtime, const sk__model *model);
/* H42: a launch inside the SuperKernel of this name has other arguments now. */
void sk__report_fused_update(sk__runtime *runtime, const sk__task *task, const char *superkernel);
/* A host callback waits in `call` for `what`, which waits for the callback. */
void sk__report_waits_for_itself(sk__runtime *runtime, const char *call, const char *what);
void sk__report_invalid_free(sk__runtime *runtime, const void *address);
/* Inside a host callback: does this not come before the callback has returned? (blocked.c) */
bool sk__stream_is_blocked(const sk__runtime *runtime, const sk__stream *stream);
bool sk__event_is_blocked(const sk__runtime *runtime, const sk__event *event);

/* ---- attributes.c ---- */
/* Of the operator this thread launches for, NULL none; a reference of the caller's. */
sk__attributes *sk__attributes_current(void);
sk__attributes *sk__attributes_ref(sk__attributes *attributes);
void sk__attributes_unref(sk__attributes *attributes);

/* ---- task.c ---- */
sk__task *sk__task_new(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream);
void sk__task_set_event(sk__task *task, sk__event *event);
SK_MUST_USE sk_status sk__task_list_add(sk__task_list *list, sk__task *task); /* takes the reference */
void sk__task_list_clear(sk__task_list *list);
/* Queues on its stream, or into the model that captures the stream. Takes the reference. */
aclError sk__task_submit(sk__runtime *runtime, sk__task *task);

/* ---- hasty.c ---- */
void sk__hasty_note(sk__runtime *runtime, const char *call, uint64_t address, uint64_t bytes);
/* The task has run, a kernel as this launch of the machine. */
void sk__hasty_judge(sk__runtime *runtime, const sk__task *task, uint32_t launch);
/* When nothing is pending any more. */
void sk__hasty_forget(sk__runtime *runtime);

/* ---- segment.c ---- */
/* Gives tasks [begin, end) of the batch, which nothing of the host is among, to the hook. */
sk_status sk__segment_run(sk__runtime *runtime, const sk__task_list *batch, size_t begin, size_t end);

/* ---- values.c ---- */
bool sk__condition_holds(uint64_t memory, uint64_t value, uint32_t condition);
/* The word as a copy by the host would find it; false, with a finding: it lies in no live memory. */
bool sk__value_read(sk__runtime *runtime, uint64_t address, uint64_t *out);

/* ---- orders.c ---- */
/* All that streams have done so far. A new reference; NULL on no memory. */
sk__snapshot *sk__streams_order(sk__runtime *runtime);
/* The next such question starts anew: what some stream knew it does not know any more. */
void sk__streams_order_forget(sk__runtime *runtime);

/* ---- hold.c ---- */
/* Takes tasks that can run, and tells which may. */
typedef struct sk__walk {
  sk__task *const *tasks;
  size_t count;
  bool *done;                                         /* per task: taken */
  bool (*may)(void *context, const sk__task *task);   /* of tasks that wait for values: may it go on now? */
  void (*take)(void *context, size_t index);          /* of a circle the first */
  void *context;
} sk__walk;
/* Tasks that are run at once: those of a circle, else one. */
static inline size_t sk__unit_size(const sk__task *task) { return task->circle != NULL ? task->circle->count : 1; }
/* In order of issue, again and again until none more can be taken: what stands behind one that may not waits, by its stream
 * or by an event. */
void sk__walk_tasks(const sk__walk *walk);
bool sk__waits_for_values(const sk__task *task);
/* May the task go on with memory as it is? */
bool sk__values_are_there(sk__runtime *runtime, const sk__task *task);
/* What of the pending tasks can run, in an order in which it can; the rest stays pending. force: if nothing can, SuperKernels
 * that wait for values do all the same. */
SK_MUST_USE sk_status sk__hold_back(sk__runtime *runtime, bool force, sk__task_list *batch);
/* A finding for each value that those of the tasks wait for that are not done (NULL: none is). */
void sk__report_held(sk__runtime *runtime, sk__task *const *tasks, size_t count, const bool *done);
/* Another host thread has queued or written something while this one waited. */
bool sk__others_came(sk__runtime *runtime);

/* ---- run.c ---- */
/* Runs what of the pending tasks can run. The worst status. waits: the host does, so that all that comes is ordered behind. */
sk_status sk__run_what_can(sk__runtime *runtime, bool force, bool waits);

/* ---- stream.c ---- */
void sk__stream_unref(sk__stream *stream);
/* NULL = the default stream; sets *out or fails with 107017. */
aclError sk__stream_resolve(sk__runtime *runtime, aclrtStream handle, sk__stream **out);
/* As sk__runtime_ready, and the stream. */
aclError sk__stream_ready(aclrtStream handle, sk__runtime **runtime, sk__stream **out);
/* The host waits for the device (both NULL), a stream, or the latest record of an event. */
aclError sk__synchronize(sk__runtime *runtime, const sk__stream *stream, const sk__event *event);
/* Runs what can run and tells what failed; nothing must be over. */
aclError sk__finish_pending(sk__runtime *runtime);
/* Runs what can run; a device failure is kept for the next synchronisation. */
void sk__run_pending(sk__runtime *runtime);

/* ---- device.c ---- */
/* The runtime after aclInit/aclrtSetDevice were called in any way the real one accepts; else an error. */
aclError sk__runtime_ready(sk__runtime **out);

#endif
