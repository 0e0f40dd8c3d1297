/* judge_cores.c - H39: on the chip launches of several streams run at the same time and take cores as they become free.
 * Two that meet in barriers over all their cores, and together need more cores than there are, may each get a part and
 * wait for the rest for ever. schedmode 1 starts a launch only when it can have all its cores.
 *
 * Launches run one after another here, so this is told from order alone: per stream a vector of how far it knows the
 * other streams, moved on by records and waits. A wait for a value counts as one for every write of its word, which may be
 * queued behind it: rounds until nothing is new. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verify/judge.h"

typedef struct row { uint64_t *known; } row; /* per stream: how many of its tasks come before */

typedef struct judge {
  size_t streams;
  row *at;        /* per stream: what its next task comes after */
  row *recorded;  /* per task: of an event record or a value write, what it carries */
  row *before;    /* per task that takes part: what it comes after */
  uint64_t *place; /* per task: its number on its stream */
  uint64_t *memory;
} judge;

static bool join(const judge *j, row *into, const row *from) {
  bool any = false;
  for (size_t s = 0; s < j->streams; s++) {
    if (from->known[s] <= into->known[s]) continue;
    into->known[s] = from->known[s];
    any = true;
  }
  return any;
}

static uint32_t cores_needed(const sk__task *task, sk__core_type type) {
  switch ((sk_kernel_type)task->kernel->type) {
    case SK_AIV_ONLY:
    case SK_MIX_AIV_1_0: return type == SK__AIV ? task->blocks : 0;
    case SK_AIC_ONLY:
    case SK_MIX_AIC_1_0: return type == SK__AIC ? task->blocks : 0;
    case SK_MIX_AIC_1_1: return task->blocks;
    default: return type == SK__AIC ? task->blocks : 2 * task->blocks;
  }
}

/* Holds cores while it waits for others of its own. */
static bool holds(const sk__task *task, const sk__task_result *result) {
  return task->kind == SK__TASK_KERNEL && result->stats.whole_barriers && task->kernel->schedmode != 1;
}

static bool compete(const sk__soc *soc, const sk__task *a, const sk__task *b, sk__core_type *type) {
  for (int t = SK__AIC; t <= SK__AIV; t++) {
    uint32_t first = cores_needed(a, (sk__core_type)t), second = cores_needed(b, (sk__core_type)t);
    uint32_t there = t == SK__AIC ? soc->aic_count : soc->aiv_count;
    *type = (sk__core_type)t;
    if (first != 0 && second != 0 && first + second > there) return true;
  }
  return false;
}

static void add_end(sk__finding *finding, const sk__task *task) {
  sk__end *end = &finding->ends[finding->end_count++];
  *end = (sk__end){.role = "launch", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(end->kernel, sizeof end->kernel, task->kernel->name);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "%u blocks on stream %u", task->blocks, task->stream_index);
  if (task->file != NULL) sk__text_add(&detail, ", launched at %s:%u", task->file, task->line);
}

static void report(sk__checker *checker, const sk__soc *soc, const sk__task *a, const sk__task *b, sk__core_type type) {
  sk__finding finding = {.category = SK__CAT_HOST, .severity = SK__ERROR, .count = 1, .in_unfused = true};
  sk__text_copy(finding.id, sizeof finding.id, "H39");
  add_end(&finding, a);
  add_end(&finding, b);
  snprintf(finding.message, sizeof finding.message,
           "'%s' on stream %u and '%s' on stream %u may run at the same time. Both meet in barriers over all their cores, and %u and %u %s "
           "cores are more than the %u there are: each can hold a part and wait for the rest for ever",
           a->kernel->name, a->stream_index, b->kernel->name, b->stream_index, cores_needed(a, type), cores_needed(b, type),
           sk__core_type_name(type), type == SK__AIC ? soc->aic_count : soc->aiv_count);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "declare the kernels schedmode 1, launch fewer blocks, or order the two launches by an event");
  sk__report(checker, &finding);
}

static bool make(judge *j, sk__task *const *tasks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tasks[i]->stream_index >= j->streams) j->streams = tasks[i]->stream_index + 1;
  j->at = calloc(j->streams, sizeof *j->at);
  j->recorded = calloc(count, sizeof *j->recorded);
  j->before = calloc(count, sizeof *j->before);
  j->place = calloc(count, sizeof *j->place);
  j->memory = calloc((j->streams + 2 * count) * j->streams, sizeof *j->memory);
  if (j->at == NULL || j->recorded == NULL || j->before == NULL || j->place == NULL || j->memory == NULL) return false;
  uint64_t *next = j->memory;
  for (size_t s = 0; s < j->streams; s++, next += j->streams) j->at[s].known = next;
  for (size_t i = 0; i < count; i++, next += 2 * j->streams) {
    j->recorded[i].known = next;
    j->before[i].known = next + j->streams;
  }
  return true;
}

static void drop(judge *j) {
  free(j->at);
  free(j->recorded);
  free(j->before);
  free(j->place);
  free(j->memory);
}

/* The latest record of the event before this task, or count. */
static size_t record_of(sk__task *const *tasks, size_t wait, size_t count) {
  for (size_t i = wait; i-- > 0;)
    if (tasks[i]->kind == SK__TASK_EVENT_RECORD && tasks[i]->event == tasks[wait]->event) return i;
  return count;
}

/* Something is new that others may wait for. */
static bool place(judge *j, sk__task *const *tasks, size_t i, size_t count) {
  uint32_t stream = tasks[i]->stream_index;
  row *now = &j->at[stream];
  if (tasks[i]->kind == SK__TASK_EVENT_WAIT) {
    size_t record = record_of(tasks, i, count);
    if (record < count) (void)join(j, now, &j->recorded[record]);
  }
  for (size_t k = 0; tasks[i]->kind == SK__TASK_VALUE_WAIT && k < count; k++)
    if (tasks[k]->kind == SK__TASK_VALUE_WRITE && tasks[k]->to == tasks[i]->to) (void)join(j, now, &j->recorded[k]);
  (void)join(j, &j->before[i], now);
  if (now->known[stream] < j->place[i]) now->known[stream] = j->place[i];
  return (tasks[i]->kind == SK__TASK_EVENT_RECORD || tasks[i]->kind == SK__TASK_VALUE_WRITE) && join(j, &j->recorded[i], now);
}

static void place_all(judge *j, sk__task *const *tasks, size_t count) {
  bool values = false;
  for (size_t i = 0; i < count; i++) {
    j->place[i] = ++j->at[tasks[i]->stream_index].known[tasks[i]->stream_index];
    values |= tasks[i]->kind == SK__TASK_VALUE_WAIT;
  }
  for (bool any = true; any;) {
    for (size_t s = 0; s < j->streams; s++) memset(j->at[s].known, 0, j->streams * sizeof *j->at[s].known);
    any = false;
    for (size_t i = 0; i < count; i++) any |= place(j, tasks, i, count);
    any = any && values;
  }
}

void sk__judge_cores(sk__checker *checker, const sk__soc *soc, sk__task *const *tasks, const sk__task_result *results, size_t count) {
  size_t holding = 0;
  for (size_t i = 0; i < count; i++) holding += holds(tasks[i], &results[i]);
  judge j = {0};
  if (holding < 2 || !make(&j, tasks, count)) {
    drop(&j);
    return;
  }
  place_all(&j, tasks, count);
  for (size_t i = 0; i < count; i++) {
    if (!holds(tasks[i], &results[i])) continue;
    for (size_t k = 0; k < i; k++) {
      sk__core_type type = SK__AIC;
      bool ordered = j.before[i].known[tasks[k]->stream_index] >= j.place[k];
      if (!ordered && holds(tasks[k], &results[k]) && compete(soc, tasks[k], tasks[i], &type)) report(checker, soc, tasks[k], tasks[i], type);
    }
  }
  drop(&j);
}
