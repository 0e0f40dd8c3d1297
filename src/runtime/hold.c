/* hold.c - what cannot run yet: tasks behind a wait for a value that memory does not hold, on its stream or behind an event of
 * it. Whoever writes the word may be queued later, on another stream or by another thread of the program. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

/* ---- one walk over tasks --------------------------------------------------------------------- */

static bool has_part(const sk__task *task, sk__task_kind kind) {
  for (size_t i = 0; i < task->superkernel->part_count; i++)
    if (task->superkernel->parts[i]->kind == kind) return true;
  return false;
}

bool sk__waits_for_values(const sk__task *task) {
  return task->kind == SK__TASK_VALUE_WAIT || (task->kind == SK__TASK_SUPERKERNEL && has_part(task, SK__TASK_VALUE_WAIT));
}

static bool writes_values(const sk__task *task) {
  return task->kind == SK__TASK_VALUE_WRITE || (task->kind == SK__TASK_SUPERKERNEL && has_part(task, SK__TASK_VALUE_WRITE));
}

/* The tasks of a circle go together; where some of them write values, what it waits for is its own business. */
static bool pass_unit(const sk__walk *walk, size_t first, size_t count) {
  bool held = false, writes = false;
  for (size_t i = first; i < first + count && count > 1; i++) writes |= writes_values(walk->tasks[i]);
  for (size_t i = first; i < first + count && !held; i++) {
    const sk__task *task = walk->tasks[i];
    held = task->stream->held || (task->kind == SK__TASK_EVENT_WAIT && task->event->held) ||
           (!writes && sk__waits_for_values(task) && !walk->may(walk->context, task));
  }
  for (size_t i = first; i < first + count; i++) {
    const sk__task *task = walk->tasks[i];
    if (held) task->stream->held = true;
    if (task->kind == SK__TASK_EVENT_RECORD) task->event->held = held;
    walk->done[i] = !held;
  }
  if (!held) walk->take(walk->context, first);
  return !held;
}

static bool pass(const sk__walk *walk) {
  bool any = false;
  for (size_t i = 0; i < walk->count; i++) {
    walk->tasks[i]->stream->held = false;
    if (walk->tasks[i]->event != NULL) walk->tasks[i]->event->held = false;
  }
  for (size_t i = 0; i < walk->count; i += sk__unit_size(walk->tasks[i]))
    if (!walk->done[i] && pass_unit(walk, i, sk__unit_size(walk->tasks[i]))) any = true;
  return any;
}

void sk__walk_tasks(const sk__walk *walk) {
  while (pass(walk)) continue;
}

/* ---- with memory as it is -------------------------------------------------------------------- */

/* A SuperKernel that writes the word itself does so in time, or the planner would not have it so. */
static bool brings_itself(const sk__task *task, const sk__task *wait) {
  for (size_t i = 0; i < task->superkernel->part_count; i++) {
    const sk__task *part = task->superkernel->parts[i];
    if (part->kind == SK__TASK_VALUE_WRITE && part->to == wait->to && sk__condition_holds(part->number, wait->number, wait->condition)) return true;
  }
  return false;
}

typedef bool (*word_fn)(void *context, const sk__task *wait);

/* Are all words there that the task waits for? */
static bool all_there(const sk__task *task, word_fn is_there, void *context) {
  if (task->kind == SK__TASK_VALUE_WAIT) return is_there(context, task);
  for (size_t i = 0; i < task->superkernel->part_count; i++) {
    const sk__task *part = task->superkernel->parts[i];
    if (part->kind == SK__TASK_VALUE_WAIT && !brings_itself(task, part) && !is_there(context, part)) return false;
  }
  return true;
}

static bool in_memory(void *context, const sk__task *wait) { return sk__value_is(context, wait->to, wait->number, wait->condition); }

bool sk__values_are_there(sk__runtime *runtime, const sk__task *task) { return all_there(task, in_memory, runtime); }

/* ---- with memory as the tasks before will leave it ------------------------------------------- */

typedef struct word { uint64_t address, value; } word;
typedef struct forecast {
  sk__runtime *runtime;
  sk__task *const *tasks;
  size_t count;
  SK__VEC(word) words;
  sk__task_list *batch;
  sk_status status;
} forecast;

static bool expected(void *context, const sk__task *wait) {
  const forecast *f = context;
  for (size_t i = f->words.count; i-- > 0;)
    if (f->words.items[i].address == wait->to) return sk__condition_holds(f->words.items[i].value, wait->number, wait->condition);
  return in_memory(f->runtime, wait);
}
static bool may_go(void *context, const sk__task *task) { return all_there(task, expected, context); }

static void expect(forecast *f, uint64_t address, uint64_t value) {
  if (!sk__vec_push(&f->words, ((word){address, value}))) f->status = SK_OUT_OF_MEMORY;
}

/* Words inside what a copy or a fill writes. Kernels may write words too: what waits for those comes with the next batch. */
static void expect_bytes(forecast *f, const sk__task *by, const sk__task *wait) {
  uint64_t value = 0;
  if (wait->to < by->to || wait->to + sizeof value > by->to + by->bytes) return;
  uint64_t from = by->from + (wait->to - by->to);
  if (by->kind == SK__TASK_SET) memset(&value, by->value, sizeof value);
  else if (!sk__in_gm(from)) memcpy(&value, (const void *)from, sizeof value);
  else if (!sk__value_read(f->runtime, from, &value)) return;
  expect(f, wait->to, value);
}

static void take_task(forecast *f, sk__task *task) {
  sk_status status = sk__task_list_add(f->batch, sk__task_ref(task));
  if (status != SK_OK) f->status = status;
  if (task->kind == SK__TASK_VALUE_WRITE) expect(f, task->to, task->number);
  for (size_t i = 0; task->kind == SK__TASK_SUPERKERNEL && i < task->superkernel->part_count; i++)
    if (task->superkernel->parts[i]->kind == SK__TASK_VALUE_WRITE) expect(f, task->superkernel->parts[i]->to, task->superkernel->parts[i]->number);
  bool writes = task->kind == SK__TASK_SET || (task->kind == SK__TASK_COPY && sk__in_gm(task->to));
  for (size_t i = 0; writes && i < f->count; i++) {
    const sk__task *other = f->tasks[i];
    if (other->kind == SK__TASK_VALUE_WAIT) expect_bytes(f, task, other);
    for (size_t k = 0; other->kind == SK__TASK_SUPERKERNEL && k < other->superkernel->part_count; k++)
      if (other->superkernel->parts[k]->kind == SK__TASK_VALUE_WAIT) expect_bytes(f, task, other->superkernel->parts[k]);
  }
}

static void take(void *context, size_t index) {
  forecast *f = context;
  for (size_t i = 0; i < sk__unit_size(f->tasks[index]); i++) take_task(f, f->tasks[index + i]);
}

/* Nothing more can go, and the program waits. A SuperKernel that waits for values goes all the same, with what is behind it:
 * its parts may well run one by one, and that it hangs is found where it runs. */
static void take_superkernel(forecast *f, bool *done) {
  for (size_t i = 0; i < f->count; i++) {
    if (done[i]) continue;
    bool first = true;
    for (size_t k = 0; k < i && first; k++) first = done[k] || f->tasks[k]->stream != f->tasks[i]->stream;
    if (!first || f->tasks[i]->kind != SK__TASK_SUPERKERNEL) continue;
    for (size_t k = i; k < f->count; k++) {
      if (done[k]) continue;
      done[k] = true;
      take_task(f, f->tasks[k]);
    }
    return;
  }
}

/* ---- batches --------------------------------------------------------------------------------- */

static int by_serial(const void *a, const void *b) {
  const sk__task *x = *(sk__task *const *)a, *y = *(sk__task *const *)b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* What lies between work that the host sees is a segment, and stands in the order of its issue. */
static void sort_segments(sk__task_list *batch) {
  for (size_t begin = 0, end; begin < batch->count; begin = end) {
    bool visible = sk__task_is_host_visible(batch->items[begin]);
    for (end = begin + 1; end < batch->count && sk__task_is_host_visible(batch->items[end]) == visible; end++) continue;
    if (!visible) qsort(batch->items + begin, end - begin, sizeof(sk__task *), by_serial);
  }
}

sk_status sk__hold_back(sk__runtime *runtime, bool force, sk__task_list *batch) {
  sk__task_list all = runtime->pending, left = {0};
  bool values = false;
  for (size_t i = 0; i < all.count && !values; i++) values = sk__waits_for_values(all.items[i]);
  if (!values) {
    *batch = all;
    memset(&runtime->pending, 0, sizeof runtime->pending);
    return SK_OK;
  }
  forecast f = {.runtime = runtime, .tasks = all.items, .count = all.count, .batch = batch};
  bool *done = calloc(all.count, sizeof(bool));
  if (done == NULL) return SK_OUT_OF_MEMORY;
  sk__walk_tasks(&(sk__walk){all.items, all.count, done, may_go, take, &f});
  if (batch->count == 0 && force) take_superkernel(&f, done);
  for (size_t i = 0; i < all.count && f.status == SK_OK; i++)
    if (!done[i]) f.status = sk__task_list_add(&left, sk__task_ref(all.items[i]));
  free(done);
  sk__vec_free(&f.words);
  if (f.status != SK_OK) {
    sk__task_list_clear(batch);
    sk__task_list_clear(&left);
    return f.status;
  }
  sort_segments(batch);
  runtime->pending = left;
  sk__task_list_clear(&all);
  return SK_OK;
}

void sk__report_held(sk__runtime *runtime, sk__task *const *tasks, size_t count, const bool *done) {
  for (size_t i = 0; i < count; i++) {
    const sk__task *task = tasks[i];
    if ((done != NULL && done[i]) || !sk__waits_for_values(task) || sk__values_are_there(runtime, task)) continue;
    if (task->kind == SK__TASK_VALUE_WAIT) sk__report_value_wait(runtime, task, NULL);
    for (size_t k = 0; task->kind == SK__TASK_SUPERKERNEL && k < task->superkernel->part_count; k++) {
      const sk__task *part = task->superkernel->parts[k];
      if (part->kind == SK__TASK_VALUE_WAIT && !brings_itself(task, part) && !in_memory(runtime, part))
        sk__report_value_wait(runtime, part, task->superkernel->name);
    }
  }
}

/* ---- other threads --------------------------------------------------------------------------- */

enum { STEP_US = 1000, MOST_STEPS = 10000 };

static size_t threads_of_process(void) {
  DIR *tasks = opendir("/proc/self/task");
  size_t count = 0;
  for (const struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
  if (tasks != NULL) closedir(tasks);
  return count;
}

bool sk__others_came(sk__runtime *runtime) {
  uint64_t serial = runtime->next_serial, writes = runtime->host_writes;
  uint32_t helpers = sk__machine_helpers(runtime->machine);
  for (int step = 0; step < MOST_STEPS && threads_of_process() > 1u + helpers; step++) {
    sk__let_others(STEP_US);
    if (runtime->next_serial != serial || runtime->host_writes != writes) return true;
  }
  return false;
}
