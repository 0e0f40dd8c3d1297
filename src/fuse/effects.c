/* effects.c - what each option does to a plan: the same graph is planned again with the option at its default, and
 * the two plans are compared. */
#include <string.h>

#include "base/text.h"
#include "fuse/options.h"
#include "fuse/planner.h"

/* ---- what can be counted in a plan ----------------------------------------------------------- */

#define MEASURES(X)                                                                                       \
  X(superkernels, "SuperKernels") X(operators, "operators in them") X(cores, "cores started")             \
  X(barriers, "barriers") X(full_barriers, "full barriers") X(flags, "flags between cube and vector cores") \
  X(early, "early-start steps") X(words, "waits and writes of words") X(flushes_before, "flushes before operators") \
  X(flushes_after, "flushes after operators") X(preloads, "preloads") X(preload_units, "preloaded units of 2 KiB") \
  X(copies, "code copies in use") X(checks, "counter checks")
typedef struct measures {
#define X(name, text) uint64_t name;
  MEASURES(X)
#undef X
} measures;

static void measure_op(const sk__op *op, measures *m) {
  switch (op->type) {
    case SK__OP_FUNC:
      m->flushes_before += (op->debug & SK__FUNC_DCCI_BEFORE) != 0;
      m->flushes_after += (op->debug & SK__FUNC_DO_AFTER_FLUSH) != 0;
      m->checks += (op->debug & SK__FUNC_CROSS_CORE_CHECK) != 0;
      m->copies += op->copy_count;
      m->early += op->early_mask != 0;
      return;
    case SK__OP_PRELOAD:
      m->preloads++;
      m->preload_units += op->preload_units;
      return;
    case SK__OP_SYNC:
      if (op->early_mask != 0) m->early++;
      else if (op->sync == SK__SYNC_ALL_SYNC) m->full_barriers++;
      else if (op->sync == SK__SYNC_AIC_TO_AIC || op->sync == SK__SYNC_AIV_TO_AIV) m->barriers++;
      else m->flags += op->sync == SK__SYNC_SET_AIC_TO_AIV || op->sync == SK__SYNC_SET_AIV_TO_AIC;
      return;
    case SK__OP_EVENT_NOTIFY:
    case SK__OP_EVENT_WAIT:
    case SK__OP_EVENT_RESET: m->words++; return;
  }
}

static measures measure(const sk__plan *plan) {
  measures m = {.superkernels = plan->sk_count};
  for (size_t k = 0; k < plan->sk_count; k++) {
    const sk__sk *sk = &plan->sks[k];
    m.cores += sk->blocks * (sk->type == SK_MIX_AIC_1_2 ? 3u : sk->type == SK_MIX_AIC_1_1 ? 2u : 1u);
    for (size_t i = 0; i < sk->member_count; i++) m.operators += plan->graph->nodes[sk->members[i].value].type == SK__NODE_KERNEL;
    for (int queue = SK__AIC; queue <= SK__AIV; queue++)
      for (size_t i = 0; i < sk->queue[queue].count; i++) measure_op(&sk->queue[queue].ops[i], &m);
  }
  return m;
}

static void tell(const char *what, uint64_t before, uint64_t after, sk__text *to) {
  if (before != after) sk__text_add(to, "%s%s %llu instead of %llu", to->length > 0 ? ", " : "", what, (unsigned long long)after, (unsigned long long)before);
}

/* The entry kernels' names, when they are all that tells the plans apart. */
static bool same_entries(const sk__plan *a, const sk__plan *b) {
  for (size_t k = 0; k < a->sk_count && k < b->sk_count; k++)
    if (strcmp(a->sks[k].entry, b->sks[k].entry) != 0) return false;
  return a->sk_count == b->sk_count;
}

static bool same_order(const sk__plan *a, const sk__plan *b) {
  for (size_t k = 0; k < a->sk_count && k < b->sk_count; k++) {
    if (a->sks[k].member_count != b->sks[k].member_count) return false;
    for (size_t i = 0; i < a->sks[k].member_count; i++)
      if (a->sks[k].members[i].value != b->sks[k].members[i].value) return false;
  }
  return a->sk_count == b->sk_count;
}

static bool same_decisions(const sk__plan *a, const sk__plan *b) {
  for (size_t i = 0; i < a->graph->node_count; i++)
    if (a->decisions[i].fate != b->decisions[i].fate || a->decisions[i].reason != b->decisions[i].reason) return false;
  return true;
}

static void compare(const sk__plan *without, const sk__plan *with, sk__text *to) {
  measures a = measure(without), b = measure(with);
#define X(name, text) tell(text, a.name, b.name, to);
  MEASURES(X)
#undef X
  if (to->length == 0 && !same_order(without, with)) sk__text_add(to, "another order of operators");
  if (to->length == 0 && !same_decisions(without, with)) sk__text_add(to, "other decisions on tasks outside the SuperKernels");
  if (!same_entries(without, with) && with->sk_count > 0)
    sk__text_add(to, "%sentry kernel %s instead of %s", to->length > 0 ? ", " : "", with->sks[0].entry, without->sk_count > 0 ? without->sks[0].entry : "none");
}

/* ---- why nothing ----------------------------------------------------------------------------- */

/* X(option, what keeps it from having an effect, first match of the two plans' graph and options counts) */
static const char *why_nothing(const sk__plan *plan, const char *option) {
  static const struct { const char *option, *why; } because[] = {
      {"stream_fusion", "0 only warns when a scope spans streams"},
      {"auto_op_parallel", "no scope leaves a choice between operators of several streams"},
      {"early_start", "no operator has an early-start capability in reach of another"},
      {"constant_codegen", "it compiles the same queues into the entry kernel"},
      {"preload_code", "no operator would be preloaded otherwise"},
      {"split_mode", "nothing is fused"},
      {"debug_sync_all", "nothing is fused"},
      {"debug_op_exec_trace", "the entry kernel writes trace words already"},
      {"debug_cross_core_sync_check", "no SuperKernel holds a MIX operator"},
      {"debug_per_op_max_core_num", "nothing can be fused"},
      {"dcci_disable_on_kernel", "it matches no fused operator, or the flush stays because the binary was not built for it"},
      {"dcci_before_kernel_start", "it matches no fused operator"},
      {"dcci_after_kernel_end", "it matches no fused operator that is not flushed anyway"},
      {"ubuf_lock_ignore_kernel", "only the third chip cuts the task list into groups"},
      {"event_breaker_bypass", "the option is reserved"},
      {"value_breaker_bypass", "no value wait of that kind could be fused"},
      {"task_breaker_bypass", "no task that is no kernel cuts a scope"},
  };
  if (plan->sk_count == 0 && strcmp(option, "event_breaker_bypass") != 0) return "nothing is fused";
  for (size_t i = 0; i < sizeof because / sizeof because[0]; i++)
    if (strcmp(because[i].option, option) == 0) return because[i].why;
  return "the plan is the same without it";
}

/* ---- option by option ------------------------------------------------------------------------ */

typedef struct teller { const sk__plan *plan; sk__effect_fn tell; void *context; sk_status status; } teller;

static void tell_effect(teller *t, const char *option, const char *value, const sk__fuse_options *without) {
  sk__plan *other = NULL;
  char why[256] = "", effect[512];
  sk__text text = sk__text_on(effect, sizeof effect);
  sk_status status = sk__plan_make(t->plan->graph, without, &other, why, sizeof why);
  if (status == SK_OK) compare(other, t->plan, &text);
  else if (status == SK_STATE || status == SK_INVALID_ARGUMENT) sk__text_add(&text, "without it the graph cannot be optimised: %s", why);
  else t->status = status;
  if (text.length == 0) sk__text_add(&text, "no effect: %s", why_nothing(t->plan, option));
  sk__plan_free(other);
  if (t->status == SK_OK) t->tell(t->context, option, value, effect);
}

static void patterns_text(const sk__patterns *patterns, char *out, size_t bytes) {
  sk__text text = sk__text_on(out, bytes);
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->items[i] != NULL) sk__text_add(&text, "%s%s", text.length > 0 ? "," : "", patterns->items[i]);
}

sk_status sk__plan_effects(const sk__plan *plan, sk__effect_fn tell_fn, void *context) {
  const sk__fuse_options *given = &plan->options, standard = sk__fuse_defaults();
  teller t = {plan, tell_fn, context, SK_OK};
  char value[256];
#define TRY(name)                             \
  do {                                        \
    sk__fuse_options without = *given;        \
    without.name = standard.name;             \
    tell_effect(&t, #name, value, &without);  \
  } while (0)
#define X(name, dictionary, low, high, normal, help)   \
  if (given->name != standard.name && t.status == SK_OK) { \
    snprintf(value, sizeof value, "%u", given->name);  \
    TRY(name);                                         \
  }
  SK__NUMBER_OPTIONS(X)
#undef X
#define X(name, high)                                  \
  if (given->name != standard.name && t.status == SK_OK) { \
    snprintf(value, sizeof value, "%u", given->name);  \
    TRY(name);                                         \
  }
  SK__STRATEGY_OPTIONS(X)
#undef X
#define X(name, help)                                  \
  if (given->name.count > 0 && t.status == SK_OK) {    \
    patterns_text(&given->name, value, sizeof value);  \
    TRY(name);                                         \
  }
  SK__PATTERN_OPTIONS(X)
#undef X
#undef TRY
  return t.status;
}
