/* check.c - our plan in the form in which decisions of the real planner are recorded, and where the two differ. */
#include <stdlib.h>
#include <string.h>

#include "fuse/planner.h"
#include "fuse/replay.h"

enum { VENDOR_FAILURE = 500001 };

static const char *const node_kinds[] = {
#define X(name) #name,
    SK__NODE_LIST(X)
#undef X
};
static const char *const stages[] = {"graph", "split", "postprocess", "build", "done"};
static const char *const conditions[] = {"GEQ", "EQ", "AND", "NOR"};

static json_int_t id_of(const sk__planner *p, uint32_t node) { return (json_int_t)p->graph->nodes[node].id; }

static json_t *ids(const sk__planner *p, const sk__list *list) {
  json_t *out = json_array();
  for (size_t i = 0; i < list->count; i++) json_array_append_new(out, json_integer(id_of(p, list->items[i])));
  return out;
}

/* ---- our plan in the form of the record ------------------------------------------------------ */

static json_t *nodes_json(const sk__planner *p) {
  json_t *out = json_array();
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    const sk__pnode *node = &p->nodes[i];
    json_t *row = json_pack("[I,s,i,s]", id_of(p, i), node_kinds[node->type], (int)node->fusible, sk__reason_code(node->reason));
    if (node->sub != SK__NO_SUB) json_array_append_new(row, json_string(sk__sub_code(node->sub)));
    json_array_append_new(out, row);
  }
  return out;
}

static json_t *names_json(const sk__planner *p, const sk__scope *scope) {
  json_t *out = json_array();
  const uint64_t *set = p->flag_sets[scope->flags];
  for (size_t i = 0; i < p->scope_name_count; i++)
    if ((set[i / 64] >> (i % 64) & 1u) != 0) json_array_append_new(out, json_string(p->scope_names[i]));
  return out;
}

static json_t *label(const sk__planner *p, bool is_event, uint32_t word, uint64_t address) {
  char text[64];
  if (!is_event && word != SK__NONE)
    snprintf(text, sizeof text, "s%u.%s%u", p->words.items[word].scope, p->words.items[word].back ? "back" : "front",
             p->words.items[word].stream);
  else if (word != SK__NONE) snprintf(text, sizeof text, "e0x%llx", (unsigned long long)p->events.items[word].key);
  else snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
  return json_string(text);
}
static json_t *op_label(const sk__planner *p, const sk__op *op) {
  uint32_t word = op->event->word;
  bool boundary = word != SK__NONE && word >= p->events.count;
  return label(p, !boundary, boundary ? word - (uint32_t)p->events.count : word, op->event->address);
}

static json_t *op_json(const sk__planner *p, const sk__sk *sk, const sk__op *op) {
  char copies[5] = {0};
  json_t *id = op->node == SK__NONE ? op_label(p, op) : json_integer(id_of(p, sk->members[op->node].value));
  switch (op->type) {
    case SK__OP_FUNC:
      for (uint32_t i = 0; i < op->copy_count && i < sizeof op->copies; i++) copies[i] = (char)('0' + op->copies[i]);
      return json_pack("[s,o,I,I,I,s]", "FUNC", id, (json_int_t)op->blocks, (json_int_t)op->debug, (json_int_t)op->early_mask, copies);
    case SK__OP_PRELOAD: return json_pack("[s,o,I,I]", "PRELOAD", id, (json_int_t)op->blocks, (json_int_t)op->preload_units);
    case SK__OP_SYNC:
      if (op->debug != 0) return json_pack("[s,o,s,i,i,I]", "SYNC", id, sk__sync_name(op->sync), 0, 0, (json_int_t)op->debug);
      if (op->early_mask == 0) return json_pack("[s,o,s]", "SYNC", id, sk__sync_name(op->sync));
      return json_pack("[s,o,s,I,I]", "SYNC", id, sk__sync_name(op->sync), (json_int_t)op->blocks, (json_int_t)op->early_mask);
    case SK__OP_EVENT_WAIT:
      return json_pack("[s,o,o,I,s]", "WAIT", id, op_label(p, op), (json_int_t)op->event->value, conditions[op->event->condition & 3]);
    case SK__OP_EVENT_NOTIFY:
    case SK__OP_EVENT_RESET: break;
  }
  return json_pack("[s,o,o,I]", op->type == SK__OP_EVENT_NOTIFY ? "NOTIFY" : "RESET", id, op_label(p, op), (json_int_t)op->event->value);
}

static json_t *queue_json(const sk__planner *p, const sk__sk *sk, int queue) {
  json_t *out = json_array();
  for (size_t i = 0; i < sk->queue[queue].count; i++) json_array_append_new(out, op_json(p, sk, &sk->queue[queue].ops[i]));
  return out;
}

static json_t *boundary_json(const sk__planner *p, const sk__scope *scope) {
  json_t *out = json_array();
  for (size_t i = 0; i < scope->boundary.count; i++) {
    const sk__boundary_op *op = &scope->boundary.items[i];
    json_array_append_new(out, json_pack("[s,o]", op->notify ? "NOTIFY" : "RESET", label(p, false, op->word, 0)));
  }
  return out;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static json_t *break_json(const sk__planner *p, const sk__scope *scope) {
  if (scope->broken == SK__BREAK_NONE) return json_null();
  json_t *out = json_pack("[s,I]", sk__break_code(scope->broken), id_of(p, scope->trigger));
  if (scope->broken == SK__BREAK_DEADLOCK_DETECTED) return out;
  if (scope->broken == SK__BREAK_UNFUSIBLE_NODE) qsort(scope->culprits.items, scope->culprits.count, sizeof(uint32_t), by_number);
  json_array_append_new(out, ids(p, &scope->culprits));
  return out;
}

static json_t *scope_json(const sk__planner *p, const sk__scope *scope, bool done) {
  json_t *streams = json_array();
  for (size_t i = 0; i < scope->streams.count; i++) json_array_append_new(streams, json_integer(scope->streams.items[i]));
  json_t *out = json_pack("{s:o,s:o,s:o,s:o,s:s}", "nodes", ids(p, &scope->nodes), "names", names_json(p, scope), "streams", streams,
                          "break", break_json(p, scope), "status", sk__scope_status_code(scope->status));
  if (!done || scope->status != SK__SCOPE_SUCCESS) return out;
  json_object_set_new(out, "main", json_integer(id_of(p, scope->main)));
  json_object_set_new(out, "tasks", ids(p, &scope->tasks));
  json_object_set_new(out, "name", json_string(scope->name));
  json_object_set_new(out, "sk", json_pack("{s:s,s:I,s:I,s:I}", "entry", scope->sk->entry, "blocks", (json_int_t)scope->sk->blocks,
                                           "aic_blocks", (json_int_t)scope->sk->queue[0].blocks, "aiv_blocks",
                                           (json_int_t)scope->sk->queue[1].blocks));
  json_object_set_new(out, "aic", queue_json(p, scope->sk, SK__AIC));
  json_object_set_new(out, "aiv", queue_json(p, scope->sk, SK__AIV));
  json_object_set_new(out, "boundary", boundary_json(p, scope));
  return out;
}

static json_t *updates_json(const sk__planner *p) {
  json_t *out = json_array();
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    const sk__update *update = &p->updates[i];
    switch (update->kind) {
      case SK__UPDATE_NONE: break;
      case SK__UPDATE_LAUNCH: json_array_append_new(out, json_pack("[I,s]", id_of(p, i), "LAUNCH")); break;
      case SK__UPDATE_DISABLE: json_array_append_new(out, json_pack("[I,s]", id_of(p, i), "DISABLE")); break;
      case SK__UPDATE_WRITE:
        json_array_append_new(out, json_pack("[I,s,o,I]", id_of(p, i), "WRITE", label(p, update->is_event, update->word, 0), (json_int_t)update->value));
        break;
      case SK__UPDATE_WAIT:
        json_array_append_new(out, json_pack("[I,s,o,I,s]", id_of(p, i), "WAIT", label(p, update->is_event, update->word, 0), (json_int_t)update->value, "EQ"));
        break;
    }
  }
  return out;
}

static json_t *plan_json(const sk__planner *p, sk_status status) {
  bool done = status == SK_OK;
  json_t *out = json_pack("{s:i}", "ret", done ? 0 : VENDOR_FAILURE);
  if (!done) json_object_set_new(out, "stage", json_string(stages[p->stage]));
  if (!done && p->stage == SK__STAGE_GRAPH) return out;
  json_object_set_new(out, "nodes", nodes_json(p));
  json_t *scopes = json_array();
  for (size_t s = 0; s < p->scopes.count && (done || p->stage != SK__STAGE_SPLIT); s++)
    json_array_append_new(scopes, scope_json(p, &p->scopes.items[s], done));
  json_object_set_new(out, "scopes", scopes);
  if (!done) return out;
  json_t *updates = updates_json(p);
  json_object_set_new(out, "model_updates", json_integer(json_array_size(updates) > 0));
  json_object_set_new(out, "updates", updates);
  return out;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void compare(sk__replay *r, const char *kind, const json_t *expected, const json_t *mine) {
  if (expected == NULL && mine == NULL) return;
  if (expected == NULL || mine == NULL || !json_equal(expected, mine)) sk__replay_differs(r, kind, expected, mine, "");
}

static bool holds(const json_t *list, const json_t *value) {
  for (size_t i = 0; i < json_array_size(list); i++)
    if (json_equal(json_array_get(list, i), value)) return true;
  return false;
}

/* Of several nodes that ended streams of a scope any may be recorded as the trigger. */
static void compare_break(sk__replay *r, const json_t *expected, const json_t *mine) {
  const json_t *list = json_array_get(expected, 2), *ours = json_array_get(mine, 2);
  bool unfusible = json_is_string(json_array_get(expected, 0)) && strcmp(json_string_value(json_array_get(expected, 0)), "UNFUSIBLE_NODE") == 0;
  if (!unfusible || !json_is_array(mine)) {
    compare(r, "break", expected, mine);
    return;
  }
  bool same = json_equal(json_array_get(expected, 0), json_array_get(mine, 0)) && json_array_size(list) == json_array_size(ours) &&
              holds(list, json_array_get(mine, 1));
  for (size_t i = 0; i < json_array_size(list); i++) same = same && holds(ours, json_array_get(list, i));
  if (!same) sk__replay_differs(r, "break", expected, mine, "");
}

static void compare_plan(sk__replay *r, const json_t *expected, const json_t *mine) {
  static const char *const whole[] = {"ret", "stage", "nodes"}, *const rest[] = {"updates", "model_updates"};
  static const char *const parts[] = {"nodes", "names", "streams", "status", "main", "tasks", "name", "sk", "aic", "aiv", "boundary"};
  static const char *const part_kinds[] = {"scope nodes", "scope names", "scope streams", "scope status", "main node", "tasks",
                                           "display name", "launch", "AIC queue", "AIV queue", "boundary"};
  for (size_t i = 0; i < 3; i++) compare(r, whole[i], json_object_get(expected, whole[i]), json_object_get(mine, whole[i]));
  const json_t *theirs = json_object_get(expected, "scopes"), *ours = json_object_get(mine, "scopes");
  if (json_array_size(theirs) != json_array_size(ours)) sk__replay_differs(r, "scopes", theirs, ours, "");
  else
    for (size_t s = 0; s < json_array_size(theirs); s++) {
      const json_t *a = json_array_get(theirs, s), *b = json_array_get(ours, s);
      for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        compare(r, part_kinds[i], json_object_get(a, parts[i]), json_object_get(b, parts[i]));
      compare_break(r, json_object_get(a, "break"), json_object_get(b, "break"));
    }
  for (size_t i = 0; i < 2; i++) compare(r, rest[i], json_object_get(expected, rest[i]), json_object_get(mine, rest[i]));
}

/* ---- one case -------------------------------------------------------------------------------- */

static sk_status play(sk__replay *r) {
  const json_t *record = r->record;
  char why[256] = "", reason[256] = "";
  sk__graph *graph = NULL;
  sk__fuse_options options;
  sk__arena arena = {0};
  sk_status status = sk__graph_from_json(json_object_get(record, "graph"), &graph, why, sizeof why);
  if (status == SK_OK)
    status = sk__fuse_options_read(json_object_get(record, "options"), &arena, &options, NULL, NULL, why, sizeof why);
  if (status == SK_OK) {
    options.emulate_vendor_defects = r->emulate;
    sk__planner p = {.graph = graph, .options = &options, .keep = &arena, .why = sk__text_on(reason, sizeof reason)};
    sk_status planned = sk__planner_run(&p);
    if (planned == SK_OK || planned == SK_STATE) {
      json_t *mine = plan_json(&p, planned);
      compare_plan(r, json_object_get(record, "expect"), mine);
      json_decref(mine);
    } else {
      status = planned;
    }
    sk__planner_free(&p);
  } else if (status == SK_PARSE || status == SK_INVALID_ARGUMENT) {
    sk__replay_unreadable(r, why);
    status = SK_OK;
  }
  sk__graph_free(graph);
  sk__arena_free(&arena);
  return status;
}

sk_status sk__plan_check(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result) {
  sk__replay replay = {.emulate = emulate_vendor_defects, .report = report, .result = result, .play = play};
  return sk__replay_all(&replay, vectors);
}
