/* explain.c - why an operator runs by itself, why a scope ends where it does, what an option does. */
#include <inttypes.h>
#include <string.h>

#include "fuse/ge/plan.h"

/* ---- operators ------------------------------------------------------------------------------- */

static const struct { const char *code, *text, *advice; } alone[] = {
#define X(code, text, advice) {#code, text, advice},
    SK__GE_ALONE_LIST(X)
#undef X
};
const char *sk__ge_alone_code(sk__ge_alone why) { return alone[why].code; }
const char *sk__ge_alone_text(sk__ge_alone why) { return alone[why].text; }
const char *sk__ge_alone_advice(sk__ge_alone why) { return alone[why].advice; }

bool sk__ge_is_operator(const sk__ge_node *node) { return node->kind == SK__GE_NODE_COMPUTE && strcmp(node->type, "NetOutput") != 0; }

/* Reasons of the node itself, in the order in which they are tested. */
static sk__ge_alone unfusible(const sk__ge_node *node) {
  if (node->hccl) return SK__GE_ALONE_NONE;
  if (!node->supported) return SK__GE_ALONE_OP_UNSUPPORT;
  if (node->simt) return SK__GE_ALONE_SIMT_OP_UNSUPPORT;
  return node->tiling_on_aicpu && !node->tiling_sink && node->reuse_binary ? SK__GE_ALONE_TILING_ON_AICPU : SK__GE_ALONE_NONE;
}

sk__ge_alone sk__ge_alone_of(const sk__ge_plan *plan, uint32_t at) {
  const sk__ge_node *node = &plan->ge.nodes[at];
  if (plan->scope_of[at] != UINT32_MAX) return SK__GE_ALONE_NONE;
  if (node->scope == NULL || node->scope[0] == '\0') return SK__GE_ALONE_NOT_IN_SCOPE;
  sk__ge_alone own = unfusible(node);
  return own != SK__GE_ALONE_NONE ? own : SK__GE_ALONE_SCOPE_BYPASSED;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

uint32_t sk__ge_cut_of(const sk__ge_plan *plan, uint32_t number, bool behind) {
  const sk__ge_scope *scope = &plan->grouping.scopes[number];
  if (behind ? !scope->cut_behind : !scope->cut_before) return UINT32_MAX;
  const sk__ge_node *nodes = plan->ge.nodes;
  int64_t id = behind ? scope->cut_end : scope->cut_begin;
  size_t low = 0, high = plan->ge.node_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (nodes[middle].id < id) low = middle + 1;
    else high = middle;
  }
  return low < plan->ge.node_count && nodes[low].id == id ? (uint32_t)low : UINT32_MAX;
}

const char *sk__ge_cut_reason(const sk__ge_plan *plan, uint32_t scope, uint32_t at) {
  const sk__ge_node *node = &plan->ge.nodes[at];
  sk__ge_alone own = unfusible(node);
  if (own != SK__GE_ALONE_NONE) return sk__ge_alone_text(own);
  if (node->scope == NULL || node->scope[0] == '\0') return "it lies in no scope";
  return strcmp(node->scope, plan->grouping.scopes[scope].base) != 0 ? "it lies in another scope" : "it is not fusible";
}

/* ---- options --------------------------------------------------------------------------------- */

static const char *const keys[] = {
#define X(name, key, kind, standard, legal, help) key,
    SK__GE_OPTION_LIST(X)
#undef X
};
const char *sk__ge_key_name(sk__ge_key key) { return keys[key]; }

static size_t steps(const sk__ge_program *program, sk__ge_step_kind kind) {
  size_t count = 0;
  for (int type = SK__AIC; type <= SK__AIV; type++)
    for (size_t i = 0; i < program->queue[type].count; i++) count += program->queue[type].items[i].kind == kind;
  return count;
}

static void early_start(const sk__ge_program *p, uint64_t value, sk__text *to) {
  if (value == 0) sk__text_add(to, p->sub_count > 1 ? "a full barrier between operators" : "no effect: there is one operator");
  else if (p->queue_count == 2) sk__text_add(to, "no effect: the SuperKernel has two queues, which have no early start");
  else if (p->sub_count < 2) sk__text_add(to, "no effect: there is one operator");
  else sk__text_add(to, "%zu early-start steps between operators%s", steps(p, SK__GE_STEP_ES_SET) + steps(p, SK__GE_STEP_ES_WAIT), value == 2 ? ", done by the SuperKernel for all" : "");
}

static void debug_numbers(const sk__ge_program *p, uint64_t value, sk__text *to) {
  if (value == 0) sk__text_add(to, "no effect: 0 leaves the computed cores");
  else sk__text_add(to, "the SuperKernel starts %u blocks of its forced type", p->blocks);
}

static bool in_list(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; length > 0 && at != NULL && *at != '\0';) {
    at += strspn(at, ", \t");
    size_t here = strcspn(at, ", \t");
    if (here == length && strncmp(at, word, length) == 0) return true;
    at += here;
  }
  return false;
}

/* Which operators a list of types names. */
static void flush_list(const sk__ge_program *p, sk__ge_key key, const char *list, sk__text *to) {
  size_t named = 0;
  for (size_t i = 0; i < p->sub_count; i++) {
    const sk__ge_sub *sub = &p->inputs[p->subs[i]];
    if (!in_list(list, sub->op_type)) continue;
    const char *name = sub->name != NULL ? sub->name : sub->op_type;
    if (named < 8) sk__text_add(to, "%s%.60s", named == 0 ? "" : ", ", name);
    named++;
  }
  if (named > 8) sk__text_add(to, " and %zu more", named - 8);
  if (named == 0) sk__text_add(to, "no effect: no operator of these types is in the SuperKernel");
  else sk__text_add(to, key == SK__GE_KEY_DCCI_DISABLE ? " without any flush" : key == SK__GE_KEY_DCCI_BEFORE ? " flushed before the call" : " flushed after the call");
}

static void feed(const sk__ge_program *p, uint64_t value, sk__text *to) {
  size_t fed = 0;
  for (int type = SK__AIC; type <= SK__AIV; type++)
    for (size_t i = 0; i < p->queue[type].count; i++) fed += (p->queue[type].items[i].feed & SK__GE_FEED_REPLAY) != 0;
  if (value == 0) sk__text_add(to, "no effect: it is off");
  else if (fed == 0) sk__text_add(to, "no effect: no operator that uses SyncAll has fewer blocks than the SuperKernel");
  else sk__text_add(to, "idle cores replay the SyncAll calls of %zu calls; %" PRIu64 " bytes of workspace", fed, p->workspace_bytes);
}

static void preload(const sk__ge_program *p, sk__text *to) {
  size_t subs = steps(p, SK__GE_STEP_PRELOAD), whole = steps(p, SK__GE_STEP_PRELOAD_SK);
  if (subs + whole == 0) sk__text_add(to, "nothing is preloaded");
  else sk__text_add(to, "%zu preloads%s", subs + whole, whole > 0 ? " of the SuperKernel as a whole" : " of operators");
}

static void on_or_off(uint64_t value, const char *what, sk__text *to) {
  if (value == 0) sk__text_add(to, "no effect: it is off");
  else sk__text_add(to, "%s", what);
}

static void strict_check(const sk__ge_plan *plan, uint32_t scope, sk__text *to) {
  if (plan->grouping.scopes[scope].split) sk__text_add(to, "the scope holds foreign operators and was cut at them");
  else sk__text_add(to, "no effect: no foreign operator lies between the scope's operators");
}

void sk__ge_option_effect(const sk__ge_plan *plan, uint32_t scope, sk__ge_key key, sk__text *to) {
  const sk__ge_program *p = &plan->programs[scope];
  uint64_t value = p->options.values[key].number;
  const char *text = p->options.values[key].text;
  if (key == SK__GE_KEY_STRICT_SCOPE_CHECK) {
    strict_check(plan, scope, to);
    return;
  }
  if (!plan->made[scope]) {
    sk__text_add(to, "not known: not all operators are described");
    return;
  }
  switch (key) {
    case SK__GE_KEY_FUNC_ALIGN:
      if (value == 0) sk__text_add(to, "the function has no alignment attribute");
      else sk__text_add(to, "the function is aligned to %" PRIu64 " bytes", value);
      return;
    case SK__GE_KEY_PRELOAD_CODE: preload(p, to); return;
    case SK__GE_KEY_EARLY_START: early_start(p, value, to); return;
    case SK__GE_KEY_STREAM_FUSION:
      if (p->queue_count == 2) sk__text_add(to, "cube and vector cores walk two queues");
      else if (value == 0) sk__text_add(to, "no effect: it is off");
      else sk__text_add(to, "no effect: neighbours run on one stream or are connected by events");
      return;
    case SK__GE_KEY_DEBUG_DCCI_ALL: on_or_off(value, "every operator is followed by a full pipe barrier and a flush of the data cache", to); return;
    case SK__GE_KEY_DEBUG_SYNC_ALL: on_or_off(value, "every operator is followed by a full barrier", to); return;
    case SK__GE_KEY_FEED_SYNC_ALL: feed(p, value, to); return;
    case SK__GE_KEY_PROFILING: on_or_off(value, "time records are written", to); return;
    case SK__GE_KEY_COMPILE_OPTIONS: sk__text_add(to, "%zu words go to the compiler", p->compile_option_count); return;
    case SK__GE_KEY_DCCI_BEFORE:
    case SK__GE_KEY_DCCI_AFTER:
    case SK__GE_KEY_DCCI_DISABLE: flush_list(p, key, text, to); return;
    case SK__GE_KEY_SPLIT_MODE: sk__text_add(to, "%u copies of each operator", p->copies); return;
    case SK__GE_KEY_DEBUG_AIC_NUM:
    case SK__GE_KEY_DEBUG_AIV_NUM: debug_numbers(p, value, to); return;
    case SK__GE_KEY_STRICT_SCOPE_CHECK:
    case SK__GE_KEYS: return;
  }
}
