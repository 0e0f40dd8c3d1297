/* plan.c - a finished plan: SKs in order of their launches, and what becomes of every node. */
#include <stdlib.h>

#include "fuse/planner.h"

/* ---- decisions ------------------------------------------------------------------------------- */

static sk__decision decide(const sk__planner *p, uint32_t at, const uint32_t *sk_of_scope) {
  const sk__pnode *node = &p->nodes[at];
  sk__decision decision = {.sk = SK__NONE, .reason = node->reason, .sub_reason = node->sub};
  if (node->scope != SK__NONE) {
    const sk__scope *scope = &p->scopes.items[node->scope];
    decision.sk = sk_of_scope[node->scope];
    decision.fate = at == scope->main                                ? SK__LAUNCHES_SK
                    : p->updates[at].kind != SK__UPDATE_DISABLE ? SK__BOUNDARY : SK__REMOVED;
    return decision;
  }
  decision.fate = sk__is_marker(p, at) ? SK__REMOVED : SK__STAYS;
  return decision;
}

sk__why sk__why_of(const sk__decision *decision) {
  sk__reason reason = (sk__reason)decision->reason;
  sk__sub_reason sub = (sk__sub_reason)decision->sub_reason;
  sk__why why = {.reason = sk__reason_code(reason), .sub_reason = sk__sub_code(sub)};
  if (decision->sk != SK__NONE) return why;
  why.text = sub != SK__NO_SUB ? sk__sub_text(sub) : sk__reason_text(reason);
  const char *advice = sub != SK__NO_SUB ? sk__sub_advice(sub) : sk__reason_advice(reason);
  if (advice[0] != '\0') why.advice = advice;
  return why;
}

static sk_status fill_words(sk__plan *plan, const sk__planner *p) {
  plan->word_count = p->events.count + p->words.count;
  plan->words = sk__arena_array(plan->arena, sk__plan_word, plan->word_count);
  if (plan->words == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < plan->word_count; i++) {
    const sk__word *word = i < p->events.count ? NULL : &p->words.items[i - p->events.count];
    uint64_t key = word == NULL ? p->events.items[i].key : 0;
    const char *label = word == NULL
                            ? sk__arena_format(plan->arena, "%s0x%llx", p->events.items[i].by_address ? "" : "e", (unsigned long long)key)
                            : sk__arena_format(plan->arena, "s%u.%s%u", word->scope, word->back ? "back" : "front", word->stream);
    if (label == NULL) return SK_OUT_OF_MEMORY;
    plan->words[i] = (sk__plan_word){label, key};
  }
  return SK_OK;
}

static int by_main(const void *a, const void *b) {
  const sk__sk *x = a, *y = b;
  return x->main.value < y->main.value ? -1 : x->main.value > y->main.value;
}

static sk_status fill_plan(sk__plan *plan, const sk__planner *p) {
  size_t count = 0;
  for (size_t s = 0; s < p->scopes.count; s++) count += p->scopes.items[s].status == SK__SCOPE_SUCCESS;
  uint32_t *sk_of_scope = sk__arena_array(plan->arena, uint32_t, p->scopes.count);
  plan->sks = sk__arena_array(plan->arena, sk__sk, count);
  plan->decisions = sk__arena_alloc(plan->arena, p->graph->node_count * sizeof *plan->decisions);
  if (sk_of_scope == NULL || plan->sks == NULL || plan->decisions == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t s = 0; s < p->scopes.count; s++) {
    const sk__scope *scope = &p->scopes.items[s];
    if (scope->status != SK__SCOPE_SUCCESS) continue;
    sk__sk *sk = &plan->sks[plan->sk_count++];
    *sk = *scope->sk;
    sk->scope_id = s;
    sk->cut = sk__break_code(scope->broken);
    sk->cut_by = scope->broken != SK__BREAK_NONE ? (sk__node_index){scope->trigger} : SK__NO_NODE;
    sk->name = sk__arena_format(plan->arena, "sk_%u%s", s, scope->name + 4); /* behind "sk_*" */
    if (sk->name == NULL) return SK_OUT_OF_MEMORY;
  }
  qsort(plan->sks, plan->sk_count, sizeof *plan->sks, by_main);
  for (uint32_t i = 0; i < plan->sk_count; i++) sk_of_scope[plan->sks[i].scope_id] = i;
  for (uint32_t i = 0; i < p->graph->node_count; i++) plan->decisions[i] = decide(p, i, sk_of_scope);
  for (size_t i = 0; i < plan->sk_count; i++) /* whose place holds a boundary task is fused all the same */
    for (size_t m = 0; m < plan->sks[i].member_count; m++) {
      sk__decision *decision = &plan->decisions[plan->sks[i].members[m].value];
      if (decision->fate != SK__LAUNCHES_SK) decision->fate = SK__FUSED;
    }
  return fill_words(plan, p);
}

/* ---- life ------------------------------------------------------------------------------------ */

static sk__plan *plan_new(const sk__graph *graph, const sk__fuse_options *options) {
  sk__arena arena = {0};
  sk__plan *plan = sk__arena_new(&arena, sk__plan);
  if (plan == NULL) return NULL;
  plan->arena = sk__arena_new(&arena, sk__arena);
  if (plan->arena == NULL) {
    sk__arena_free(&arena);
    return NULL;
  }
  *plan->arena = arena; /* the arena lives in its own first chunk */
  plan->graph = graph;
  plan->options = *options;
  return plan;
}

void sk__plan_free(sk__plan *plan) {
  if (plan == NULL) return;
  sk__arena arena = *plan->arena;
  sk__arena_free(&arena);
}

sk_status sk__plan_make(const sk__graph *graph, const sk__fuse_options *options, sk__plan **out, char *why, size_t why_bytes) {
  return sk__plan_make_logged(graph, options, NULL, out, why, why_bytes);
}

sk_status sk__plan_make_logged(const sk__graph *graph, const sk__fuse_options *options, FILE *split_log, sk__plan **out, char *why, size_t why_bytes) {
  sk__plan *plan = plan_new(graph, options);
  if (plan == NULL) return SK_OUT_OF_MEMORY;
  sk__planner p = {.graph = graph, .options = &plan->options, .keep = plan->arena, .split_log = split_log, .why = sk__text_on(why, why_bytes)};
  sk_status status = sk__planner_run(&p);
  if (status == SK_OK) status = fill_plan(plan, &p);
  sk__planner_free(&p);
  sk__text_one_line(why);
  if (status != SK_OK) {
    sk__plan_free(plan);
    return status;
  }
  *out = plan;
  return SK_OK;
}
