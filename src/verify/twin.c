/* twin.c - the verifier: one segment of work, un-fused as the reference, then in every other mode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "fuse/ge/ge.h"
#include "verify/diagnose.h"
#include "verify/estimate.h"
#include "verify/judge.h"
#include "verify/kept.h"
#include "verify/run.h"
#include "verify/tracker.h"
#include "verify/undefined.h"
#include "verify/unwritten.h"
#include "verify/verify.h"

/* How a mode differed on what nobody has written, and only there. */
typedef struct doubt { uint32_t count; sk__buffer_difference items[SK__MAX_DIFFERENCES]; } doubt;

struct sk__verifier {
  sk__runtime *runtime;
  sk__segment_hook hook;
  sk__machine_options plain;   /* the machine's options outside twin runs */
  sk__progress_fn progress;
  void *progress_context;
  sk__verify_result result;
  sk__mode *mode_list;
  const char *ge_options;      /* of every scope in mode ge; NULL none */
  sk__tracker *tracker;        /* NULL: no timelines are kept */
  sk__task_costs costs;        /* of the segment in work, un-fused */
  json_t *last_plan;           /* what the latest plan says, without estimates; NULL */
  sk__observer_fn observer;
  void *observer_context;
  sk__judged_bindings judged;
  sk__order_sums sums;         /* of the running segment */
  bool again;                  /* a mode is run once more, for its results alone */
  sk__inherited inherited;     /* the same of earlier segments */
  sk__undefined undefined;     /* results of the segment that depend on what nobody has written */
  sk__left **left, **leaving;  /* per mode: lines in data caches before the segment, and behind it */
  doubt *doubts;               /* per mode: what counts once the host takes such a result */
  bool emulate;                /* vendor defects */
  bool diagnose;
  bool scoped;                 /* only segments that are asked for */
  uint32_t diagnosis_runs;     /* of all segments */
};

/* One segment of work in three forms. They differ only where the program made SuperKernels itself. */
typedef struct form { sk__task *const *tasks; size_t count; } form;
typedef struct segment {
  form made;                   /* as the program queued it */
  form apart;                  /* those SuperKernels taken apart: the reference */
  form marked;                 /* the same with their names as scopes */
  bool by_program;             /* there are any */
} segment;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- findings ---- */

static void collect_finding(sk__verify_result *result, size_t mode, const sk__finding *finding, sk__streams streams) {
  sk__seen_finding *seen = NULL;
  for (size_t i = 0; i < result->finding_count && seen == NULL; i++)
    if (sk__same_cause(&result->findings[i].finding, finding)) seen = &result->findings[i];
  if (seen == NULL) {
    sk__seen_finding *items = realloc(result->findings, (result->finding_count + 1) * sizeof *items);
    if (items == NULL) return; /* the mode's count still tells */
    result->findings = items;
    seen = &items[result->finding_count++];
    memset(seen, 0, sizeof *seen);
    seen->finding = *finding;
    seen->streams = streams;
  } else {
    seen->finding.count += finding->count;
    if (finding->severity < seen->finding.severity) seen->finding.severity = finding->severity; /* worst first */
  }
  if (seen->streams == SK__STREAMS_UNKNOWN) seen->streams = streams;
  bool fused = result->modes[mode].mode.kind != SK__MODE_UNFUSED;
  seen->finding.in_fused |= fused;
  seen->finding.in_unfused |= !fused;
  if (mode < 256) seen->modes[mode / 64] |= UINT64_C(1) << (mode % 64);
}

/* The host has taken a result that depends on what nobody has written: the modes in which it was another differ. */
static void collect_undefined(sk__verifier *verifier, const sk__finding *finding) {
  for (size_t i = 0; i < verifier->result.mode_count; i++) {
    sk__mode_result *mode = &verifier->result.modes[i];
    const doubt *d = &verifier->doubts[i];
    if (d->count == 0) continue;
    collect_finding(&verifier->result, i, finding, SK__STREAMS_UNKNOWN);
    mode->findings++;
    if (mode->outcome >= SK__MISMATCH) continue;
    mode->outcome = SK__MISMATCH;
    mode->difference_count = d->count;
    memcpy(mode->differences, d->items, sizeof d->items);
  }
}

/* Takes the checker's findings over into the mode, so that the next mode starts with none. plan: what ran,
 * NULL un-fused. */
static void collect_findings(sk__verifier *verifier, size_t mode, const sk__plan *plan) {
  sk__checker *checker = sk__machine_checker(sk__runtime_machine(verifier->runtime));
  size_t count = 0;
  const sk__finding *findings = sk__findings(checker, &count);
  bool no_flush = verifier->result.modes[mode].mode.kind == SK__MODE_NO_FLUSH;
  for (size_t i = 0; i < count && !verifier->again; i++) {
    if (no_flush && strcmp(findings[i].id, "H15") == 0) continue; /* the mode left the flushes out, nobody else */
    if (strcmp(findings[i].id, "UNDEFINED_RESULT") == 0) {
      collect_undefined(verifier, &findings[i]);
      continue;
    }
    sk__streams streams = plan != NULL ? sk__streams_of(plan, &findings[i]) : SK__STREAMS_UNKNOWN;
    collect_finding(&verifier->result, mode, &findings[i], streams);
    if (findings[i].severity == SK__ERROR) verifier->result.modes[mode].findings++;
  }
  sk__findings_clear(checker);
}

/* ---- one mode ---- */

static const char *ge_options_of(void *context, const char *scope) {
  (void)scope;
  return ((const sk__verifier *)context)->ge_options;
}

static void refuse_mode(sk__mode_result *mode, sk_status status, const char *why) {
  mode->status = status;
  mode->outcome = SK__FAILED;
  snprintf(mode->why, sizeof mode->why, "cannot be fused: %s", why);
}

static bool is_refusal(sk_status status) { return status == SK_INVALID_ARGUMENT || status == SK_STATE || status == SK_NOT_MODELLED; }

static sk_status run_ge(sk__verifier *verifier, form work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  sk__graph *graph = NULL;
  sk__ge_plan *plan = NULL;
  sk_status status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(verifier->runtime)), work.tasks, work.count, &graph);
  if (status != SK_OK) return status;
  char why[192] = "";
  status = sk__ge_plan_make(graph, ge_options_of, verifier, verifier->emulate, &plan, why, sizeof why);
  if (status == SK_OK) {
    status = sk__run_ge_plan(verifier->runtime, graph, plan, mode);
    collect_findings(verifier, index, sk__ge_plan_order(plan));
    sk__ge_plan_free(plan);
  } else if (is_refusal(status)) {
    refuse_mode(mode, status, why);
    status = SK_OK;
  }
  sk__graph_free(graph);
  return status;
}

/* A program that repeats itself gets one plan: the latest, if it says the same, counts up. `pure`: what it says
 * without the estimates, which may differ from one time to the next. */
static void add_plan(sk__verifier *verifier, json_t *plan, const json_t *pure) {
  sk__verify_result *result = &verifier->result;
  size_t count = json_array_size(result->plans);
  json_t *last = json_array_get(result->plans, count > 0 ? count - 1 : 0);
  if (last != NULL && json_equal(verifier->last_plan, pure)) {
    json_object_set_new(last, "segments", json_integer(json_integer_value(json_object_get(last, "segments")) + 1));
    json_decref(plan);
    return;
  }
  json_decref(verifier->last_plan);
  verifier->last_plan = json_deep_copy(pure);
  json_object_set_new(plan, "segment", json_integer((json_int_t)result->segments));
  json_object_set_new(plan, "segments", json_integer(1));
  json_array_append_new(result->plans, plan);
}

/* Listing for people, with the estimates behind it when there are any. */
static json_t *listing_of(sk__verifier *verifier, const sk__plan *plan, const sk__sk_estimate *estimates) {
  char *listing = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&listing, &bytes);
  if (stream == NULL) return NULL;
  sk__plan_print(plan, stream);
  if (estimates != NULL) sk__estimate_print(plan, estimates, sk__machine_soc(sk__runtime_machine(verifier->runtime)), stream);
  fclose(stream);
  json_t *text = json_string(listing);
  free(listing);
  return text;
}

/* The plan goes into the report as data and as the listing people read. */
static void keep_plan(sk__verifier *verifier, const sk__plan *plan, const uint64_t *sk_cycles) {
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(verifier->runtime));
  json_t *pure = sk__plan_json(plan);
  sk__tell_plan(pure, plan);
  json_t *json = json_deep_copy(pure);
  sk__sk_estimate *estimates = sk_cycles != NULL ? calloc(plan->sk_count + 1, sizeof *estimates) : NULL;
  if (estimates != NULL) sk__estimate_plan(plan, &verifier->costs, sk_cycles, soc, estimates);
  if (json != NULL) {
    for (size_t k = 0; estimates != NULL && k < plan->sk_count; k++)
      json_object_set_new(json_array_get(json_object_get(json, "scopes"), k), "estimate", sk__estimate_json(&estimates[k]));
    json_object_set_new(json, "listing", listing_of(verifier, plan, estimates));
    add_plan(verifier, json, pure);
  }
  json_decref(pure);
  free(estimates);
}

static sk_status run_fused(sk__verifier *verifier, form work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(verifier->runtime));
  sk__graph *graph = NULL;
  sk__plan *plan = NULL;
  sk_status status = sk__graph_from_tasks(soc, work.tasks, work.count, &graph);
  if (status != SK_OK) return status;
  sk__fuse_options options = sk__mode_options(verifier->runtime, mode->mode.kind);
  options.emulate_vendor_defects = verifier->emulate;
  char why[192] = "";
  status = sk__plan_make(graph, &options, &plan, why, sizeof why);
  if (status == SK_OK) {
    bool first = mode->mode.kind == SK__MODE_FUSED && mode->mode.schedule.kind == SK__SCHEDULE_IN_ORDER;
    uint64_t *cycles = first ? calloc(plan->sk_count + 1, sizeof *cycles) : NULL;
    sk_status earlier = mode->status;
    mode->status = SK_OK;
    status = sk__run_plan(verifier->runtime, plan, mode, cycles);
    if (first && !verifier->again) keep_plan(verifier, plan, mode->status == SK_OK ? cycles : NULL); /* of what failed there is no time */
    if (earlier != SK_OK) mode->status = earlier;
    free(cycles);
    collect_findings(verifier, index, plan);
    sk__plan_free(plan);
  } else if (is_refusal(status)) {
    refuse_mode(mode, status, why);
    status = SK_OK;
  }
  sk__graph_free(graph);
  return status;
}

/* The reference: what each task costs is kept for the estimates of what is made of them. */
static sk_status run_reference(sk__verifier *verifier, form work, sk__mode_result *mode) {
  sk__task_costs_free(&verifier->costs);
  verifier->costs = (sk__task_costs){work.tasks, calloc(work.count + 1, sizeof(uint64_t)), work.count};
  if (verifier->costs.cycles == NULL) return SK_OUT_OF_MEMORY;
  return sk__run_tasks_timed(verifier->runtime, work.tasks, work.count, mode, verifier->costs.cycles);
}

/* The same of SuperKernels that the program made itself: their listings. */
static void keep_made(sk__verifier *verifier, form work) {
  char *listing = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&listing, &bytes);
  if (stream == NULL) return; /* the report then has no listing */
  for (size_t i = 0; i < work.count; i++) {
    const sk__superkernel *made = work.tasks[i]->superkernel;
    if (work.tasks[i]->kind != SK__TASK_SUPERKERNEL) continue;
    fprintf(stream, "%s: %u blocks, %zu tasks, made by the program\n", made->name, made->blocks, made->part_count);
    if (made->listing != NULL) fputs(made->listing, stream);
  }
  fclose(stream);
  json_t *json = json_pack("{s:s*}", "listing", listing);
  free(listing);
  sk__tell_made(json, work.tasks, work.count);
  if (json != NULL) add_plan(verifier, json, json);
}

/* Whose timeline is kept. */
static bool is_timed(sk__mode mode) {
  return mode.schedule.kind == SK__SCHEDULE_IN_ORDER && (mode.kind == SK__MODE_UNFUSED || mode.kind == SK__MODE_FUSED);
}

static sk_status run_kind(sk__verifier *verifier, const segment *work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  switch (mode->mode.kind) {
    case SK__MODE_UNFUSED:
      if (index == 0) return run_reference(verifier, work->apart, mode);
      return sk__run_tasks(verifier->runtime, work->apart.tasks, work->apart.count, mode);
    case SK__MODE_GE: return run_ge(verifier, work->marked, index);
    case SK__MODE_FUSED:
      if (!work->by_program) return run_fused(verifier, work->made, index);
      if (mode->mode.schedule.kind == SK__SCHEDULE_IN_ORDER && !verifier->again) keep_made(verifier, work->made);
      return sk__run_tasks(verifier->runtime, work->made.tasks, work->made.count, mode);
    default: return run_fused(verifier, work->marked, index);
  }
}

static sk_status run_mode(sk__verifier *verifier, const segment *work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__run_prepare(verifier->runtime, &verifier->plain, mode->mode.schedule);
  if (index > 0) sk__undefined_prepare(machine, verifier->again);
  sk__left *plain = sk__machine_swap_left(machine, sk__left_copy(verifier->left[index]));
  char name[SK__MODE_NAME_BYTES];
  sk__mode_name(mode->mode, name);
  if (verifier->progress != NULL)
    verifier->progress(verifier->progress_context, name, index, verifier->result.mode_count);
  bool timed = verifier->tracker != NULL && is_timed(mode->mode) && !verifier->again;
  if (timed) sk__tracker_start(verifier->tracker, machine, mode->mode.kind == SK__MODE_FUSED ? SK__TIMELINE_FUSED : SK__TIMELINE_UNFUSED);
  double start = now();
  sk_status status = run_kind(verifier, work, index);
  if (timed) sk__tracker_stop(verifier->tracker, machine);
  mode->seconds += now() - start;
  sk__left_free(verifier->leaving[index]);
  verifier->leaving[index] = sk__machine_swap_left(machine, plain);
  collect_findings(verifier, index, NULL);
  return status;
}

/* Behind a segment: what a mode left in data caches is what its next segment begins with. */
static void keep_left(sk__verifier *verifier) {
  for (size_t i = 0; i < verifier->result.mode_count; i++) {
    sk__left_free(verifier->left[i]);
    verifier->left[i] = verifier->leaving[i];
    verifier->leaving[i] = NULL;
  }
}

/* ---- one segment ---- */

/* Runs the mode and compares memory with the reference. */
static sk_status run_and_compare(sk__verifier *verifier, const segment *work, size_t index, const sk__buffers *buffers, sk__image *reference,
                                 sk__undefined *undefined) {
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result *mode = &verifier->result.modes[index];
  sk_status status = sk__gm_begin(machine);
  if (status != SK_OK) return status;
  if (!verifier->again) sk__inherited_put(machine, &verifier->inherited);
  status = run_mode(verifier, work, index);
  bool comparable = status == SK_OK && mode->outcome != SK__FAILED;
  sk__order_sums others = {.count = 0}; /* with more operators results are other ones */
  sk__order_sums *sums = sk__mode_has_company(mode->mode.kind) ? &others : &verifier->sums;
  sk__undefined_take(machine, reference, verifier->again ? NULL : &verifier->inherited, undefined);
  sk_status judged = sk__image_judge(machine, buffers, reference, comparable, sums, mode);
  return status != SK_OK ? status : judged;
}

/* The mode has read what nobody wrote and failed or differs: once more, on what the reference found there. If then all is
 * well, a difference was none of fusing; the first mode of a segment that has one speaks for all. */
static sk_status compare_again(sk__verifier *verifier, const segment *work, size_t index, const sk__buffers *buffers, sk__image *reference,
                               const sk__mode_result *before, sk__undefined *undefined) {
  sk__mode_result *mode = &verifier->result.modes[index], first = *mode;
  sk__undefined none;
  *mode = *before;
  verifier->again = true;
  sk_status status = run_and_compare(verifier, work, index, buffers, reference, &none);
  verifier->again = false;
  sk__undefined_free(&none);
  if (status != SK_OK || mode->outcome == SK__FAILED || first.outcome == SK__FAILED) { /* one failure is enough */
    *mode = first;
    return status;
  }
  mode->findings = first.findings;
  mode->seconds += first.seconds - before->seconds;
  if (mode->outcome == SK__MISMATCH) return status;
  verifier->doubts[index].count = first.difference_count;
  memcpy(verifier->doubts[index].items, first.differences, sizeof first.differences);
  if (verifier->undefined.count > 0) return status;
  verifier->undefined = *undefined;
  *undefined = (sk__undefined){.count = 0};
  return status;
}

static sk_status compare_mode(sk__verifier *verifier, const segment *work, size_t index, const sk__buffers *buffers, sk__image *reference) {
  sk__mode_result *mode = &verifier->result.modes[index], before = *mode;
  sk__undefined undefined;
  sk_status status = run_and_compare(verifier, work, index, buffers, reference, &undefined);
  bool fails = mode->outcome >= SK__MISMATCH && before.outcome < SK__MISMATCH;
  if (status == SK_OK && fails && undefined.read)
    status = compare_again(verifier, work, index, buffers, reference, &before, &undefined);
  sk__undefined_free(&undefined);
  if (mode->mode.kind == SK__MODE_PER_OP && mode->outcome == SK__MISMATCH && before.outcome != SK__MISMATCH) {
    sk__judge_bodies(sk__runtime_machine(verifier->runtime), work->apart.tasks, work->apart.count, mode);
    collect_findings(verifier, index, NULL);
  }
  return status;
}

/* A mode that adds operators: its own un-fused run is what the fused one is compared with. */
static sk_status compare_in_company(sk__verifier *verifier, const segment *work, size_t index, const sk__buffers *buffers) {
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result *mode = &verifier->result.modes[index], plain = {.mode = mode->mode, .outcome = SK__REFERENCE};
  sk__neighbour_fn neighbour_of = mode->mode.kind == SK__MODE_NEIGHBOUR ? sk__neighbour_of : NULL;
  sk__task **unfused = NULL, **marked = NULL;
  size_t unfused_count = 0, marked_count = 0;
  sk__image reference = {NULL, 0, SK_OK};
  form base = work->apart;
  sk_status status = sk__tasks_in_company(verifier->runtime, base.tasks, base.count, neighbour_of, false, &unfused, &unfused_count);
  if (status == SK_OK)
    status = sk__tasks_in_company(verifier->runtime, base.tasks, base.count, neighbour_of, true, &marked, &marked_count);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    sk__run_prepare(verifier->runtime, &verifier->plain, (sk__schedule){SK__SCHEDULE_IN_ORDER, 0});
    status = sk__run_tasks(verifier->runtime, unfused, unfused_count, &plain);
    sk__findings_clear(sk__machine_checker(machine)); /* what they tell is told by the fused run as well */
    if (status == SK_OK) status = sk__image_take(machine, NULL, &reference);
    sk__gm_roll_back(machine);
  }
  if (status == SK_OK && plain.status != SK_OK) { /* it cannot even be done un-fused */
    mode->status = plain.status;
    mode->outcome = SK__FAILED;
    memcpy(mode->why, plain.why, sizeof mode->why);
  } else if (status == SK_OK) {
    segment company = {.made = {marked, marked_count}, .apart = {marked, marked_count}, .marked = {marked, marked_count}};
    status = compare_mode(verifier, &company, index, buffers, &reference);
  }
  sk__image_free(&reference);
  sk__tasks_free(unfused, unfused_count);
  sk__tasks_free(marked, marked_count);
  return status;
}

/* ---- options that hide -------------------------------------------------------------------------- */

/* Of SuperKernels that the program made with barriers for debugging; NULL: none. */
static const sk__superkernel *instrumented(form work) {
  for (size_t i = 0; i < work.count; i++) {
    const sk__fuse_options *options = work.tasks[i]->kind == SK__TASK_SUPERKERNEL ? sk__made_with(work.tasks[i]->superkernel) : NULL;
    if (options != NULL && options->debug_sync_all != 0) return work.tasks[i]->superkernel;
  }
  return NULL;
}

static bool is_of_mode(const sk__seen_finding *seen, size_t index) { return index < 256 && (seen->modes[index / 64] >> (index % 64) & 1) != 0; }

/* `known`: what the mode had before, of the first `count` findings. What it has beyond is told; false: nothing. */
static bool add_hidden(const sk__verify_result *result, size_t index, const bool *known, size_t count, sk__text *text) {
  bool any = false;
  for (size_t i = 0; i < result->finding_count; i++) {
    sk__finding classified;
    if (!is_of_mode(&result->findings[i], index) || (i < count && known[i])) continue;
    sk__classified(&result->findings[i], &classified);
    sk__text_add(text, "%s %s", any ? "," : " without them there is", classified.id);
    any = true;
  }
  return any;
}

static void report_hidden(sk__verifier *verifier, const sk__superkernel *made, size_t index, const bool *known, size_t count, bool differs) {
  sk__finding finding = {.category = SK__CAT_OPTIONS, .severity = SK__ERROR, .count = 1, .end_count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "H45");
  finding.ends[0] = (sk__end){.role = "SuperKernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(finding.ends[0].kernel, sizeof finding.ends[0].kernel, made->name);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "'%.80s' was made with debug_sync_all, whose barriers hide a defect:", made->name);
  bool any = add_hidden(&verifier->result, index, known, count, &text);
  if (differs) sk__text_add(&text, "%s results differ from those un-fused", any ? ", and" : " without them");
  if (!any && !differs) return;
  sk__text_copy(finding.remedy, sizeof finding.remedy, sk__hazard_find("H45")->remedy);
  collect_finding(&verifier->result, index, &finding, SK__STREAMS_UNKNOWN);
  verifier->result.modes[index].findings++;
}

/* H45: what the program made with such an option is planned and run once more without it. */
static sk_status look_behind(sk__verifier *verifier, const segment *work, size_t index, const sk__buffers *buffers, sk__image *reference) {
  const sk__superkernel *made = instrumented(work->made);
  if (made == NULL) return SK_OK;
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result bare = {.mode = verifier->result.modes[index].mode};
  sk__order_sums others = {.count = 0};
  size_t count = verifier->result.finding_count;
  bool *known = calloc(count + 1, sizeof(bool));
  if (known == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) known[i] = is_of_mode(&verifier->result.findings[i], index);
  sk__fuse_options options = *sk__made_with(made);
  options.debug_sync_all = 0;
  sk__graph *graph = NULL;
  sk__plan *plan = NULL;
  char why[192] = "";
  sk_status status = sk__graph_from_tasks(sk__machine_soc(machine), work->marked.tasks, work->marked.count, &graph);
  if (status == SK_OK) status = sk__plan_make(graph, &options, &plan, why, sizeof why);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    sk__run_prepare(verifier->runtime, &verifier->plain, bare.mode.schedule);
    status = sk__run_plan(verifier->runtime, plan, &bare, NULL);
    collect_findings(verifier, index, plan);
    sk_status judged = sk__image_judge(machine, buffers, reference, status == SK_OK && bare.outcome != SK__FAILED, &others, &bare);
    if (status == SK_OK) status = judged;
  }
  if (status == SK_OK) report_hidden(verifier, made, index, known, count, bare.outcome == SK__MISMATCH);
  free(known);
  sk__plan_free(plan);
  sk__graph_free(graph);
  return is_refusal(status) ? SK_OK : status; /* other modes tell that */
}

/* A mode's status is the first failure of all its segments; how this one ended is what `run` leaves there when
 * it starts clean. */
static sk_status take_status(sk__mode_result *mode, sk_status earlier) {
  sk_status mine = mode->status;
  if (earlier != SK_OK) mode->status = earlier;
  return mine;
}

static void segment_close(segment *work) {
  if (!work->by_program) return;
  sk__tasks_free((sk__task **)(uintptr_t)work->apart.tasks, work->apart.count);
  sk__tasks_free((sk__task **)(uintptr_t)work->marked.tasks, work->marked.count);
}

static sk_status segment_open(sk__runtime *runtime, sk__task *const *tasks, size_t count, segment *work) {
  form made = {tasks, count};
  *work = (segment){.made = made, .apart = made, .marked = made};
  bool any = false;
  for (size_t i = 0; i < count; i++) any |= tasks[i]->kind == SK__TASK_SUPERKERNEL && tasks[i]->superkernel->part_count > 0;
  if (!any) return SK_OK;
  sk__task **apart = NULL, **marked = NULL;
  size_t apart_count = 0, marked_count = 0;
  sk_status status = sk__tasks_apart(runtime, tasks, count, false, &apart, &apart_count);
  if (status == SK_OK && (status = sk__tasks_apart(runtime, tasks, count, true, &marked, &marked_count)) != SK_OK)
    sk__tasks_free(apart, apart_count);
  if (status != SK_OK) return status;
  work->apart = (form){apart, apart_count};
  work->marked = (form){marked, marked_count};
  work->by_program = true;
  return SK_OK;
}

/* What the segment brought that was not there before is run otherwise, on memory as it was before the segment. */
static sk_status diagnose_segment(sk__verifier *verifier, const sk__segment *work, const sk__failures *failures) {
  bool any = verifier->result.finding_count > failures->first_finding;
  for (size_t i = 0; i < verifier->result.mode_count; i++) any |= verifier->result.modes[i].outcome != failures->outcomes[i];
  if (any && verifier->progress != NULL)
    verifier->progress(verifier->progress_context, "diagnosis", verifier->result.mode_count - 1, verifier->result.mode_count);
  return sk__diagnose(work, failures, &verifier->result, &verifier->diagnosis_runs);
}

static sk__outcome *outcomes_of(const sk__verify_result *result) {
  sk__outcome *outcomes = calloc(result->mode_count, sizeof *outcomes);
  for (size_t i = 0; outcomes != NULL && i < result->mode_count; i++) outcomes[i] = result->modes[i].outcome;
  return outcomes;
}

/* Segments are asked for by a scope or by SuperKernels that the program made. */
static bool is_asked_for(sk__task *const *tasks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tasks[i]->kind == SK__TASK_SCOPE_BEGIN || tasks[i]->kind == SK__TASK_SUPERKERNEL) return true;
  return false;
}

/* The other segments run once, as they are; what is found or fails counts for the reference. */
static sk_status pass_segment(sk__verifier *verifier, sk__task *const *tasks, size_t count) {
  sk__mode_result *plain = &verifier->result.modes[0], passed = {.mode = plain->mode};
  verifier->result.passed_segments++;
  sk__gm_set_defined(sk__runtime_machine(verifier->runtime), SK__GM_BASE, SK__GM_BYTES); /* nobody looks what it writes */
  sk_status status = sk__run_tasks(verifier->runtime, tasks, count, &passed);
  collect_findings(verifier, 0, NULL);
  if (passed.status == SK_OK) return status;
  if (plain->status == SK_OK) {
    plain->status = passed.status;
    plain->outcome = SK__FAILED;
    memcpy(plain->why, passed.why, sizeof plain->why);
  }
  return passed.status;
}

/* A segment that fails un-fused is not run fused: there is nothing to compare with, and its findings tell. */
static sk_status verify_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  sk__verifier *verifier = context;
  sk__machine *machine = sk__runtime_machine(runtime);
  if (verifier->scoped && !is_asked_for(tasks, count)) return pass_segment(verifier, tasks, count);
  verifier->result.segments++;
  if (verifier->observer != NULL) verifier->observer(verifier->observer_context, tasks, count);
  double start = now();
  sk__image reference = {NULL, 0, SK_OK};
  sk__unwritten unwritten = {NULL, 0, 0};
  sk__buffers buffers = {NULL, 0};
  sk__mode_result *plain = &verifier->result.modes[0];
  sk_status earlier = plain->status, ended = SK_OK;
  plain->status = SK_OK;
  verifier->sums.count = 0;
  sk__inherited_refresh(machine, &verifier->inherited);
  segment work;
  sk__outcome *outcomes = outcomes_of(&verifier->result);
  sk__failures failures = {verifier->result.finding_count, outcomes};
  sk_status status = segment_open(runtime, tasks, count, &work);
  if (status == SK_OK && outcomes == NULL) status = SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = sk__buffers_of(machine, work.apart.tasks, work.apart.count, &buffers);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    status = run_mode(verifier, &work, 0);
    ended = plain->status;
    if (status == SK_OK) status = sk__image_take(machine, NULL, &reference);
    sk__inherited_forget(&verifier->inherited, &reference);
    sk__unwritten_take(machine, &reference, &unwritten);
    sk__gm_roll_back(machine);
  }
  if (verifier->result.mode_count > 1) {
    sk__judge_bindings(sk__machine_checker(machine), work.apart.tasks, work.apart.count, &verifier->judged);
    collect_findings(verifier, 1, NULL);
  }
  for (size_t i = 1; i < verifier->result.mode_count && status == SK_OK && ended == SK_OK; i++)
    status = sk__mode_has_company(verifier->result.modes[i].mode.kind) ? compare_in_company(verifier, &work, i, &buffers)
                                                                       : compare_mode(verifier, &work, i, &buffers, &reference);
  for (size_t i = 1; i < verifier->result.mode_count && status == SK_OK && ended == SK_OK; i++)
    if (verifier->result.modes[i].mode.kind == SK__MODE_FUSED && verifier->result.modes[i].mode.schedule.kind == SK__SCHEDULE_IN_ORDER)
      status = look_behind(verifier, &work, i, &buffers, &reference);
  if (verifier->sums.count > 0) {
    sk__order_sums_report(&verifier->sums, sk__machine_checker(machine));
    collect_findings(verifier, 1, NULL);
  }
  if (verifier->diagnose && status == SK_OK && ended == SK_OK) {
    sk__segment whole = {runtime, &verifier->plain, work.marked.tasks, work.marked.count, &buffers, &reference, verifier->emulate, verifier->ge_options};
    status = diagnose_segment(verifier, &whole, &failures);
  }
  free(outcomes);
  keep_left(verifier);
  sk_status put = sk__image_put(machine, &reference); /* the device is left as the reference left it */
  if (status == SK_OK) status = put;
  sk__unwritten_put(machine, &unwritten);
  sk__unwritten_free(&unwritten);
  if (status == SK_OK) status = sk__gm_set_undefined(machine, verifier->undefined.items, verifier->undefined.count, &verifier->undefined.reader);
  if (status == SK_OK) status = sk__inherited_keep(machine, &verifier->inherited);
  sk__inherited_add(&verifier->inherited, &verifier->undefined);
  sk__undefined_free(&verifier->undefined);
  sk__machine_configure(machine, &verifier->plain);
  sk__image_free(&reference);
  sk__buffers_free(&buffers);
  segment_close(&work);
  verifier->result.seconds += now() - start;
  if (verifier->result.status == SK_OK) verifier->result.status = status;
  ended = take_status(plain, earlier);
  return status != SK_OK ? status : ended;
}

/* A plain run: the same bookkeeping, one mode, nothing rolled back. */
static sk_status record_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)runtime;
  sk__verifier *verifier = context;
  verifier->result.segments++;
  if (verifier->observer != NULL) verifier->observer(verifier->observer_context, tasks, count);
  sk__mode_result *mode = &verifier->result.modes[0];
  double start = now();
  sk_status earlier = mode->status;
  mode->status = SK_OK;
  sk_status status = sk__run_tasks(verifier->runtime, tasks, count, mode);
  sk_status ended = take_status(mode, earlier);
  mode->seconds += now() - start;
  verifier->result.seconds = mode->seconds;
  collect_findings(verifier, 0, NULL);
  return status != SK_OK ? status : ended;
}

/* ---- life ---- */

void sk__verifier_attach(sk__verifier *verifier) { sk__runtime_set_hook(verifier->runtime, verifier->hook, verifier); }

static sk_status create(sk__runtime *runtime, sk__mode *modes, size_t count, bool twin, sk__verifier **out) {
  sk__verifier *verifier = calloc(1, sizeof *verifier);
  sk__mode_result *results = calloc(count, sizeof *results);
  json_t *plans = json_array();
  doubt *doubts = calloc(count, sizeof *doubts);
  sk__left **left = calloc(2 * count, sizeof(sk__left *));
  if (verifier == NULL || results == NULL || plans == NULL || doubts == NULL || left == NULL) {
    free(verifier);
    free((void *)left);
    free(results);
    free(doubts);
    json_decref(plans);
    return SK_OUT_OF_MEMORY;
  }
  verifier->runtime = runtime;
  verifier->doubts = doubts;
  verifier->left = left;
  verifier->leaving = left + count;
  verifier->mode_list = modes;
  verifier->plain = *sk__machine_options_of(sk__runtime_machine(runtime));
  verifier->result.mode_count = count;
  verifier->result.modes = results;
  verifier->result.plans = plans;
  for (size_t i = 0; i < count; i++) {
    results[i].mode = modes[i];
    results[i].outcome = i == 0                               ? SK__REFERENCE
                         : modes[i].kind == SK__MODE_UNFUSED ? SK__SAME
                                                             : SK__NOTHING_FUSED;
  }
  verifier->hook = twin ? verify_segment : record_segment;
  sk__verifier_attach(verifier);
  *out = verifier;
  return SK_OK;
}

sk_status sk__verifier_create(sk__runtime *runtime, sk__mode *modes, size_t mode_count, sk__verifier **out) {
  return create(runtime, modes, mode_count, true, out);
}

sk_status sk__recorder_create(sk__runtime *runtime, sk__verifier **out) {
  sk__mode *mode = calloc(1, sizeof *mode);
  if (mode == NULL) return SK_OUT_OF_MEMORY;
  mode->schedule = sk__machine_options_of(sk__runtime_machine(runtime))->schedule;
  return create(runtime, mode, 1, false, out);
}

void sk__verifier_set_progress(sk__verifier *verifier, sk__progress_fn progress, void *context) {
  verifier->progress = progress;
  verifier->progress_context = context;
}

void sk__verifier_set_ge_options(sk__verifier *verifier, const char *options) { verifier->ge_options = options; }

void sk__verifier_set_emulate(sk__verifier *verifier, bool emulate_vendor_defects) { verifier->emulate = emulate_vendor_defects; }

void sk__verifier_set_diagnose(sk__verifier *verifier, bool diagnose) { verifier->diagnose = diagnose; }

void sk__verifier_set_scoped(sk__verifier *verifier, bool scoped) { verifier->scoped = scoped; }

sk_status sk__verifier_keep_timelines(sk__verifier *verifier) {
  verifier->tracker = sk__tracker_new(sk__machine_soc(sk__runtime_machine(verifier->runtime))->costs.launch_cycles);
  return verifier->tracker != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

const sk__timeline *sk__verifier_timeline(const sk__verifier *verifier, sk__timeline_kind kind) {
  return verifier->tracker != NULL ? sk__tracker_timeline(verifier->tracker, kind) : NULL;
}

void sk__verifier_set_observer(sk__verifier *verifier, sk__observer_fn observer, void *context) {
  verifier->observer = observer;
  verifier->observer_context = context;
}

void sk__verifier_collect(sk__verifier *verifier) { collect_findings(verifier, 0, NULL); }

const sk__verify_result *sk__verifier_result(sk__verifier *verifier) { return &verifier->result; }

void sk__verifier_destroy(sk__verifier *verifier) {
  if (verifier == NULL) return;
  sk__runtime_set_hook(verifier->runtime, NULL, NULL);
  sk__tracker_free(verifier->tracker);
  json_decref(verifier->result.plans);
  json_decref(verifier->last_plan);
  sk__task_costs_free(&verifier->costs);
  for (size_t i = 0; i < verifier->result.mode_count; i++) sk__diagnosis_free(verifier->result.modes[i].diagnosis);
  for (size_t i = 0; i < verifier->result.finding_count; i++) sk__diagnosis_free(verifier->result.findings[i].diagnosis);
  free(verifier->result.modes);
  free(verifier->result.findings);
  free(verifier->mode_list);
  free(verifier->judged.items);
  free(verifier->doubts);
  sk__inherited_free(&verifier->inherited);
  for (size_t i = 0; i < 2 * verifier->result.mode_count; i++) sk__left_free(verifier->left[i]);
  free((void *)verifier->left);
  free(verifier);
}
