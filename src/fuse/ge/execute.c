/* execute.c - runs the program of a graph mode SuperKernel on the machine.
 *
 * Words are kept beside the machine's memory: they order, but are nobody's data. Those of a whole plan are what nodes of the
 * graph have told (fuse/course.h): then an SK stands at a word that is still to be written. The tiling of dynamic subs is
 * decided before. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "fuse/ge/plan.h"

/* What block 0 of a sub tells the idle cores of its type. A SyncAll needs them all, so there is never more
 * than one that somebody has not seen. */
typedef struct feed { _Atomic uint32_t published; _Atomic bool aiv_only, ended; } feed;

typedef struct session {
  const sk__ge_program *program;
  uint32_t *number_of;       /* per position: among the described subs */
  sk__ge_word *words;        /* per parameter number; NULL: everything waited for has happened, or of a plan: */
  sk__course *course;
  const sk__ge_tellers *tellers;
  feed *feeds[2];            /* by core type, per described sub */
  sk__launch launch;
} session;

/* Bits of the early-start configuration word, by core type: own barrier's set and wait, set and wait towards
 * the other type. */
typedef struct early_bits { uint32_t self_set, self_wait, cross_set, cross_wait; } early_bits;
static const early_bits early[2] = {[SK__AIC] = {1, 2, 4, 8}, [SK__AIV] = {16, 32, 64, 128}};

typedef struct lane { /* one core's way through the program */
  session *run;
  sk__core *core;
  bool feeding;              /* the next sub's SyncAlls are published */
  uint32_t wait_mask;        /* what the next sub's own wait does */
} lane;

static uint32_t index_of(const sk__core *core, uint8_t by) {
  return core->type == SK__AIC || by == SK__GE_BY_BLOCK ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static void flag(sk__core *core, const sk__ge_flag_op *op) {
  if (op->set) sk__cross_set_system(core, (sk__pipe)op->pipe, op->mode, op->id);
  else sk__cross_wait_system(core, op->id);
}

static void barrier(sk__core *core, const sk__ge_flag_op *op) {
  flag(core, op);
  sk__cross_wait_system(core, op->id);
}

/* Waits that the sub makes itself on its busy cores become bits of its configuration word. */
static uint32_t mask_of(const sk__core *core, const sk__ge_step *step) {
  const early_bits *bits = &early[core->type];
  uint32_t mask = 0;
  for (int i = 0; i < step->flag_count; i++) {
    bool self = step->flags[i].id == 11 || step->flags[i].id == 14;
    mask |= step->flags[i].set ? bits->cross_set : self ? bits->self_wait : bits->cross_wait;
  }
  return mask;
}

static void early_start(lane *l, const sk__ge_step *step) {
  bool busy = step->some && index_of(l->core, step->by) < step->count;
  if (step->kind == SK__GE_STEP_ES_WAIT && step->some) l->wait_mask = mask_of(l->core, step);
  for (int i = 0; i < step->flag_count && !busy; i++) flag(l->core, &step->flags[i]);
}

/* ---- SyncAlls of small subs ------------------------------------------------------------------ */

static void publish(sk__core *core, bool aiv_only) {
  feed *f = core->view.sync_context;
  atomic_store_explicit(&f->aiv_only, aiv_only, memory_order_relaxed);
  atomic_fetch_add_explicit(&f->published, 1, memory_order_release);
}

static void replay(sk__core *core, feed *f) {
  for (uint32_t done = 0;;) {
    if (atomic_load_explicit(&f->published, memory_order_acquire) != done) {
      sk__sync_all(core, atomic_load_explicit(&f->aiv_only, memory_order_relaxed));
      done++;
    } else if (atomic_load_explicit(&f->ended, memory_order_acquire)) {
      return;
    } else {
      sk__yield(core);
    }
  }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool sets_next(const session *run, uint32_t number) {
  const sk__ge_program *program = run->program;
  const sk__ge_sub *sub = &program->inputs[program->subs[number]];
  return (program->features & SK__GE_FEATURE_EARLY) != 0 && sub->es_set && number + 1 < program->sub_count;
}

static void call(lane *l, const sk__ge_step *step, uint8_t by, uint32_t cores, feed *f) {
  sk__core *core = l->core;
  const sk__ge_program *program = l->run->program;
  uint32_t number = l->run->number_of[step->sub];
  const sk__task *task = program->inputs[step->sub].task;
  sk_kernel_entry entry = core->type == SK__AIC ? task->kernel->aic : task->kernel->aiv;
  if (entry == NULL) return;
  sk__view view = {
      .kernel = task->kernel->name,
      .block_num = task->blocks,
      .task = number,
      .sub_ratio = program->type == SK_MIX_AIC_1_2 ? 2 : program->type == SK_MIX_AIC_1_0 ? 0 : 1,
      .own_ratio = task->kernel->type == SK_MIX_AIC_1_2 ? 2 : task->kernel->type == SK_MIX_AIC_1_1 ? 1 : 0,
      .dynamic_ub_bytes = task->dynamic_ub_bytes,
      .beyond = step->kind == SK__GE_STEP_DFUNC && index_of(core, by) >= task->blocks,
      .schedmode = f != NULL ? 1 : task->kernel->schedmode, /* fed: its barriers are completed */
      .sk_num_blocks = cores,
      .early_mask = l->wait_mask | (sets_next(l->run, number) ? early[core->type].self_set : 0),
  };
  if (f != NULL && index_of(core, SK__GE_BY_CORE) == 0) {
    view.on_sync_all = publish;
    view.sync_context = f;
  }
  sk__core_begin_sub(core, &view);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.sub_call_cycles);
  SK__OWN_ARGUMENTS(args, task);
  entry(args);
  sk__core_end_sub(core);
}

static void function(lane *l, const sk__ge_step *step, uint8_t by, uint32_t count) {
  sk__core *core = l->core;
  feed *f = l->feeding ? &l->run->feeds[core->type][l->run->number_of[step->sub]] : NULL;
  bool both = core->type == SK__AIV && by == SK__GE_BY_BLOCK;
  if (index_of(core, by) < count) {
    call(l, step, by, both ? count * core->ratio : count, f);
    if (f != NULL && index_of(core, SK__GE_BY_CORE) == 0 && (step->feed & SK__GE_FEED_PUBLISH_END) != 0)
      atomic_store_explicit(&f->ended, true, memory_order_release);
  } else if (f != NULL && (step->feed & SK__GE_FEED_REPLAY) != 0) {
    replay(core, f);
  }
  l->wait_mask = 0;
}

/* The tiling that the host would have chosen is the kernel that was launched. */
static void dynamic_function(lane *l, const sk__ge_step *step) {
  sk_kernel_type type = (sk_kernel_type)l->run->program->inputs[step->sub].task->kernel->type;
  if (!sk__ge_on(type, l->core->type)) return;
  function(l, step, sk__ge_is_mix(type) ? SK__GE_BY_BLOCK : SK__GE_BY_CORE, sk__ge_is_aiv(type) ? step->vector_count : step->count);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* A word of a plan: who waits for it waits for all nodes that stand for it. */
static void word_of_plan(const lane *l, const sk__ge_step *step) {
  sk__core *core = l->core;
  const sk__ge_tellers *tellers = l->run->tellers;
  uint32_t word = step->param[0];
  for (uint32_t i = tellers->first[word]; i < tellers->first[word + 1]; i++) {
    sk__told *told = &l->run->course->told[tellers->nodes[i]];
    if (step->kind == SK__GE_STEP_NOTIFY) {
      sk__course_tell(l->run->course, core, told);
      if (core->checks) sk__order_publish(core->checker, &core->order, SK__PIPE_S, &told->order);
    } else if (step->kind == SK__GE_STEP_WAIT) {
      while (!told->done) sk__wait_outside(core, sk__course_name(l->run->course, tellers->nodes[i]));
      sk__course_hear(l->run->course, core, told);
      if (core->checks && told->order != NULL) sk__order_acquire(core->checker, &core->order, told->order);
    }
  }
}

static void word(lane *l, const sk__ge_step *step) {
  sk__core *core = l->core;
  if (l->run->course != NULL && index_of(core, SK__GE_BY_CORE) == 0) word_of_plan(l, step);
  if (l->run->words == NULL || index_of(core, SK__GE_BY_CORE) != 0) return;
  sk__ge_word *w = &l->run->words[step->param[0]];
  if (step->kind == SK__GE_STEP_WAIT) {
    while (!w->value) sk__yield(core);
    if (core->checks && w->order != NULL) sk__order_acquire(core->checker, &core->order, w->order);
  } else if (step->kind == SK__GE_STEP_NOTIFY) {
    w->value = true;
    if (core->checks) sk__order_publish(core->checker, &core->order, SK__PIPE_S, &w->order);
  } else {
    w->value = false;
  }
}

/* ---- one core -------------------------------------------------------------------------------- */

static void take(lane *l, const sk__ge_step *step) {
  sk__core *core = l->core;
  sk__enter(SK__PIPE_S, "SK step", NULL);
  switch (step->kind) {
    case SK__GE_STEP_FUNC: function(l, step, step->by, step->count); return;
    case SK__GE_STEP_DFUNC: dynamic_function(l, step); return;
    case SK__GE_STEP_SETFLAG:
    case SK__GE_STEP_WAITFLAG: flag(core, &step->flags[0]); return;
    case SK__GE_STEP_BAR: barrier(core, &step->flags[0]); return;
    case SK__GE_STEP_SYNCALL_MIX: sk__sync_all(core, false); return;
    case SK__GE_STEP_SYNCALL_V: sk__sync_all(core, true); return;
    case SK__GE_STEP_ES_SET:
    case SK__GE_STEP_ES_WAIT: early_start(l, step); return;
    case SK__GE_STEP_WAIT:
    case SK__GE_STEP_NOTIFY:
    case SK__GE_STEP_CLEAR: word(l, step); return;
    case SK__GE_STEP_DCCI: sk__dcache_clean_all(core); return;
    case SK__GE_STEP_PIPE_ALL: sk__pipe_barrier(core, SK__PIPE_ALL); return;
    case SK__GE_STEP_FEED: l->feeding = step->number >= 0; return;
    case SK__GE_STEP_SELECT: /* decided before the launch */
    case SK__GE_STEP_UNLOCK:
    case SK__GE_STEP_PRELOAD: /* instruction caches are not modelled */
    case SK__GE_STEP_PRELOAD_SK:
    case SK__GE_STEP_ES_CFG: /* what it tells is in the masks */
    case SK__GE_STEP_ZERO:   /* feeds start at zero */
    case SK__GE_STEP_PROF:
    case SK__GE_STEP_REPLAY: return; /* only in text that does not compile: refused before */
  }
}

static void run_queue(sk__core *core, void *context) {
  lane l = {.run = context, .core = core};
  const sk__ge_queue *queue = &l.run->program->queue[core->type];
  for (size_t i = 0; i < queue->count; i++) take(&l, &queue->items[i]);
  sk__enter(SK__PIPE_S, "SK end", NULL);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- findings about the program -------------------------------------------------------------- */

static void report(sk__checker *checker, const char *id, sk__severity severity, const char *kernel, const char *message, const char *remedy) {
  sk__finding finding = {.category = SK__CAT_OPTIONS, .severity = severity, .end_count = 1, .count = 1, .in_fused = true};
  finding.ends[0] = (sk__end){.role = "sub-kernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(finding.id, sizeof finding.id, id);
  sk__text_copy(finding.ends[0].kernel, sizeof finding.ends[0].kernel, kernel);
  sk__text_copy(finding.message, sizeof finding.message, message);
  sk__text_copy(finding.remedy, sizeof finding.remedy, remedy);
  sk__report(checker, &finding);
}

static void judge(sk__checker *checker, const sk__ge_program *program) {
  char message[400];
  for (size_t i = 0; i < program->sub_count; i++) {
    const sk__ge_sub *sub = &program->inputs[program->subs[i]];
    if (sub->type != SK_MIX_AIC_1_2 || program->type == SK_MIX_AIC_1_2) continue;
    snprintf(message, sizeof message, "%.100s is a 1:2 kernel and the SK starts one vector core per AI core", sub->task->kernel->name);
    report(checker, "H6", SK__ERROR, sub->task->kernel->name, message, "ask for twice as many vector cores as cube cores: debug-aic-num=a:debug-aiv-num=2a");
  }
  for (size_t i = 0; i < program->no_dcci_run_count; i++) {
    const char *first = program->inputs[program->subs[program->no_dcci_runs[i][0]]].task->kernel->name;
    const char *second = program->inputs[program->subs[program->no_dcci_runs[i][0] + 1]].task->kernel->name;
    snprintf(message, sizeof message, "%.100s and %.100s follow each other and dcci-disable-on-kernel names both", first, second);
    report(checker, "H15", SK__WARNING, first, message, "disable the flush only for kernels without scalar accesses to device memory");
  }
}

/* ---- launch ---------------------------------------------------------------------------------- */

static sk_status join_streams(const sk__ge_program *program, sk__checker *checker, sk__snapshot **before, sk__snapshot **after) {
  *before = sk__snapshot_new(checker, NULL);
  if (*before == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < program->sub_count; i++) {
    sk__snapshot *order = sk__stream_order(program->inputs[program->subs[i]].task->stream);
    if (order != NULL) sk__snapshot_join(*before, order);
  }
  *after = sk__snapshot_new(checker, *before);
  if (*after != NULL) return SK_OK;
  sk__snapshot_unref(*before);
  return SK_OUT_OF_MEMORY;
}

static void session_drop(session *run) {
  sk__free(run->number_of);
  sk__free(run->feeds[0]);
  sk__free(run->feeds[1]);
  *run = (session){0};
}

static sk_status session_make(const sk__ge_program *program, session *run) {
  if (program->invalid_code || program->blocks == 0) return SK_INVALID_ARGUMENT; /* it could not be built or launched */
  size_t last = 0;
  for (size_t i = 0; i < program->sub_count; i++) {
    if (program->inputs[program->subs[i]].task == NULL) return SK_INVALID_ARGUMENT; /* from a file: nothing to call */
    last = program->subs[i];
  }
  *run = (session){.program = program, .number_of = sk__calloc(last + 1, sizeof(uint32_t))};
  run->feeds[0] = sk__calloc(program->sub_count + 1, sizeof(feed));
  run->feeds[1] = sk__calloc(program->sub_count + 1, sizeof(feed));
  if (run->number_of == NULL || run->feeds[0] == NULL || run->feeds[1] == NULL) {
    session_drop(run);
    return SK_OUT_OF_MEMORY;
  }
  for (uint32_t i = 0; i < program->sub_count; i++) run->number_of[program->subs[i]] = i;
  return SK_OK;
}

static void prepare(session *run, sk__checker *checker, sk__launch_result *result) {
  const sk__ge_program *program = run->program;
  run->launch = (sk__launch){.name = program->name, .type = program->type, .blocks = program->blocks, .context = run, .is_sk = true};
  for (int type = SK__AIC; type <= SK__AIV; type++)
    if (program->queue[type].launched) run->launch.entry[type] = run_queue;
  for (size_t i = 0; i < program->sub_count; i++) run->launch.flags |= program->inputs[program->subs[i]].task->kernel->flags;
  judge(checker, program);
  *result = (sk__launch_result){.name = program->name, .is_sk = true, .type = program->type, .blocks = program->blocks};
}

sk_status sk__ge_launch(sk__runtime *runtime, const sk__ge_program *program, sk__ge_word *words, sk__snapshot *before, sk__snapshot *after,
                        sk__launch_result *result) {
  sk__machine *machine = sk__runtime_machine(runtime);
  session run;
  sk_status status = session_make(program, &run);
  if (status != SK_OK) return status;
  run.words = words;
  prepare(&run, sk__machine_checker(machine), result);
  status = result->status = sk__machine_run(machine, &run.launch, before, after, &result->stats);
  session_drop(&run);
  return status;
}

/* ---- in a plan ------------------------------------------------------------------------------- */

/* One that none of its words can hold up may run on several host threads. */
static bool may_stand(const session *run) {
  for (int type = SK__AIC; type <= SK__AIV; type++)
    for (size_t i = 0; i < run->program->queue[type].count; i++) {
      const sk__ge_step *step = &run->program->queue[type].items[i];
      if (step->kind != SK__GE_STEP_WAIT) continue;
      for (uint32_t n = run->tellers->first[step->param[0]]; n < run->tellers->first[step->param[0] + 1]; n++)
        if (!run->course->told[run->tellers->nodes[n]].done) return true;
    }
  return false;
}

sk_status sk__ge_begin(sk__course *course, const sk__ge_program *program, const sk__ge_tellers *tellers, sk__snapshot *before,
                       sk__snapshot *after, sk__launch_result *result, sk__standing **standing, void **keep) {
  sk__machine *machine = sk__runtime_machine(course->runtime);
  session *run = sk__calloc(1, sizeof *run);
  if (run == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = session_make(program, run);
  if (status != SK_OK) {
    sk__free(run);
    return status;
  }
  *keep = run;
  run->course = course;
  run->tellers = tellers;
  prepare(run, sk__machine_checker(machine), result);
  if (may_stand(run)) return sk__machine_begin(machine, &run->launch, before, after, &result->stats, standing);
  return sk__machine_run(machine, &run->launch, before, after, &result->stats);
}

void sk__ge_kept_free(void *keep) {
  if (keep != NULL) session_drop(keep);
  sk__free(keep);
}

sk_status sk__ge_run(sk__runtime *runtime, const sk__ge_program *program, sk__ge_word *words, sk__launch_result *result) {
  for (size_t i = 0; i < program->sub_count; i++)
    if (program->inputs[program->subs[i]].task == NULL) return SK_INVALID_ARGUMENT;
  sk__snapshot *before, *after;
  sk_status status = join_streams(program, sk__machine_checker(sk__runtime_machine(runtime)), &before, &after);
  if (status != SK_OK) return status;
  status = sk__ge_launch(runtime, program, words, before, after, result);
  for (size_t i = 0; i < program->sub_count; i++)
    sk__stream_set_order(program->inputs[program->subs[i]].task->stream, sk__snapshot_ref(after));
  sk__snapshot_unref(before);
  sk__snapshot_unref(after);
  return status;
}

sk__ge_sub sk__ge_sub_of_task(sk__task *task) {
  const sk_kernel *kernel = task->kernel;
  sk__ge_sub sub = {.described = true, .name = kernel->name, .type = (sk_kernel_type)kernel->type, .type_known = true, .complete = true,
                    .task_known = true, .blocks = task->blocks, .stream = (int64_t)task->stream_index, .op_type = kernel->name,
                    .args = kernel->param_count, .sync_all = (kernel->flags & SK_KERNEL_USES_CROSS_CORE) != 0, .task = task};
  return sub;
}
