/* pipeline.c - runs the passes in order, again from the start when one of them asks for it. */
#include "fuse/planner.h"

#include "base/log.h"

enum { MAX_SPLITS = 10 };

sk_status sk__plan_refuse(sk__planner *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (p->why.length == 0) sk__text_vadd(&p->why, format, arguments);
  va_end(arguments);
  return SK_STATE;
}

const char *sk__break_code(sk__break reason) {
  static const char *const codes[] = {"NONE", "UNFUSIBLE_NODE", "DEADLOCK_DETECTED", "SYNCALL_OP_DROP"};
  return codes[reason];
}
const char *sk__scope_status_code(sk__scope_status status) {
  static const char *const codes[] = {"INIT", "SUCCESS", "RESOURCE_INSUFFICIENT", "NO_TARGET_NODE", "UNRECOVERABLE_FAIL"};
  return codes[status];
}

const char *sk__node_label(const sk__planner *p, uint32_t at) {
  static const char *const kinds[] = {"kernel", "event record", "event wait", "event reset", "value write", "value wait", "task"};
  const sk__node *node = &p->graph->nodes[at];
  if (node->marker != SK__NO_MARKER) return "scope marker";
  return node->type == SK__NODE_KERNEL ? node->kernel.name : kinds[node->type];
}

static void log_scopes(const sk__planner *p, int round, const char *pass) {
  if (p->split_log == NULL) return;
  fprintf(p->split_log, "round %d, %s: %zu scopes%s\n", round + 1, pass, p->scopes.count, p->resplit ? ", split again" : "");
  for (size_t s = 0; s < p->scopes.count; s++) {
    const sk__scope *scope = &p->scopes.items[s];
    fprintf(p->split_log, "  scope %zu:", s);
    for (size_t i = 0; i < scope->nodes.count; i++) fprintf(p->split_log, " %llu", (unsigned long long)p->graph->nodes[scope->nodes.items[i]].id);
    fprintf(p->split_log, "; break %s", sk__break_code(scope->broken));
    if (scope->trigger != SK__NONE) fprintf(p->split_log, " at %llu", (unsigned long long)p->graph->nodes[scope->trigger].id);
    fputc('\n', p->split_log);
  }
}

typedef struct pass { const char *name; sk_status (*run)(sk__planner *p); bool task_bypass; } pass;
static const pass passes[] = {
    {"initial split", sk__initial_split, false},          {"schedmode split", sk__schedmode_split, false},
    {"deadlock refine", sk__deadlock_refine, false},      {"default nodes", sk__prune_default_nodes, true},
    {"deadlock refine again", sk__deadlock_refine, true}, {"streams of events", sk__prune_event_streams, false}};

/* One round of splitting; p->resplit = begin again. */
static sk_status split_once(sk__planner *p, int round) {
  p->resplit = false;
  sk__vec_clear(&p->scopes);
  if (p->options->debug_per_op_max_core_num != 0 || p->options->single_op_scopes) {
    sk_status status = sk__per_op_split(p);
    if (status == SK_OK) log_scopes(p, round, "one operator each");
    return status;
  }
  for (size_t i = 0; i < sizeof passes / sizeof passes[0] && !p->resplit; i++) {
    if (passes[i].task_bypass && p->options->task_breaker_bypass == 0) continue;
    sk_status status = passes[i].run(p);
    if (status != SK_OK) return status;
    log_scopes(p, round, passes[i].name);
  }
  return SK_OK;
}

static sk_status split(sk__planner *p) {
  for (int round = 0; round < MAX_SPLITS; round++) {
    sk_status status = split_once(p, round);
    if (status != SK_OK || !p->resplit) return status;
  }
  sk__vec_clear(&p->scopes); /* the pass that asked for another round has given the scopes up */
  sk__log(SK__LOG_WARNING, "splitting into scopes did not settle in %d rounds; nothing is fused", MAX_SPLITS);
  return SK_OK;
}

/* Scope by scope: a failure leaves the later ones untouched. */
static sk_status finish(sk__planner *p) {
  size_t nodes = p->graph->node_count;
  p->step_of = sk__arena_alloc(&p->scratch, nodes * sizeof(uint32_t));
  p->updates = sk__arena_array(&p->scratch, sk__update, nodes);
  p->last_step = sk__arena_array(&p->scratch, uint32_t, p->graph->stream_count);
  if (p->step_of == NULL || p->updates == NULL || p->last_step == NULL) return SK_OUT_OF_MEMORY;
  memset(p->step_of, 0xff, nodes * sizeof(uint32_t));
  if (p->options->emulate_vendor_defects) {
    p->remembered = sk__arena_array(&p->scratch, sk__remembered, nodes);
    if (p->remembered == NULL) return SK_OUT_OF_MEMORY;
  }
  sk_status status = sk__find_links(p);
  if (status != SK_OK) return status;
  for (uint32_t s = 0; s < p->scopes.count; s++)
    for (size_t i = 0; i < p->scopes.items[s].nodes.count; i++) p->nodes[p->scopes.items[s].nodes.items[i]].scope = s;
  for (uint32_t s = 0; s < p->scopes.count; s++) {
    p->stage = SK__STAGE_POSTPROCESS;
    sk__arena_reset(&p->scope_scratch);
    if ((status = sk__place_launch(p, s)) != SK_OK) return status;
    if (p->scopes.items[s].status != SK__SCOPE_SUCCESS) continue;
    p->stage = SK__STAGE_BUILD;
    if ((status = sk__build_sk(p, s)) != SK_OK) return status;
  }
  sk__rewrite_events(p);
  for (size_t i = 0; i < p->markers.count; i++) { /* markers vanish even where nothing was fused */
    sk__update *update = &p->updates[p->markers.items[i]];
    if (update->kind == SK__UPDATE_NONE) update->kind = SK__UPDATE_DISABLE;
  }
  return SK_OK;
}

sk_status sk__planner_run(sk__planner *p) {
  p->stage = SK__STAGE_GRAPH;
  sk_status status = sk__classify(p);
  if (status == SK_OK) status = sk__mark_scopes(p);
  if (status != SK_OK) return status;
  sk__classify_after_scopes(p);
  p->stage = SK__STAGE_SPLIT;
  if ((status = split(p)) != SK_OK) return status;
  if ((status = finish(p)) != SK_OK) return status;
  p->stage = SK__STAGE_DONE;
  return SK_OK;
}

void sk__planner_free(sk__planner *p) {
  for (size_t e = 0; e < p->events.count; e++) {
    sk__vec_free(&p->events.items[e].waits);
    sk__vec_free(&p->events.items[e].resets);
    sk__vec_free(&p->events.items[e].writes);
  }
  sk__vec_free(&p->events);
  for (size_t s = 0; s < p->scopes.count; s++) sk__vec_free(&p->scopes.items[s].boundary);
  sk__vec_free(&p->scopes);
  sk__vec_free(&p->words);
  sk__vec_free(&p->ops[SK__AIC]);
  sk__vec_free(&p->ops[SK__AIV]);
  sk__arena_free(&p->scratch);
  sk__arena_free(&p->scope_scratch);
}
