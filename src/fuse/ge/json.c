/* json.c - recorded cases read, and programs written in the form of the records. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "fuse/ge/internal.h"

enum { MAX_BLOCKS = 1 << 20, MAX_ARGS = 1 << 20, MAX_TILINGS = 1 << 20 };

static const struct { const char *name; sk_kernel_type type; int number; } types[] = {
    {"AIV_ONLY", SK_AIV_ONLY, 0},         {"AIC_ONLY", SK_AIC_ONLY, 1},         {"MIX_AIV_1_0", SK_MIX_AIV_1_0, 4},
    {"MIX_AIC_1_0", SK_MIX_AIC_1_0, 5},   {"MIX_AIC_1_1", SK_MIX_AIC_1_1, 6},   {"MIX_AIC_1_2", SK_MIX_AIC_1_2, 7},
};
enum { TYPES = sizeof types / sizeof types[0] };

static int type_index(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (name != NULL && strcmp(types[i].name, name) == 0) return i;
  return -1;
}
static int index_of_type(sk_kernel_type type) {
  for (int i = 0; i < TYPES; i++)
    if (types[i].type == type) return i;
  return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
  sk__arena *arena;
  sk__text why;
  size_t events; /* so far, over all subs */
  size_t sub;
  const char *label; /* of a description that is in no list; NULL */
} reader;

static sk_status bad(reader *r, const char *field, const char *wanted) {
  if (r->label != NULL) sk__text_add(&r->why, "%.100s.%s: not %s", r->label, field, wanted);
  else sk__text_add(&r->why, "subs[%zu].%s: not %s", r->sub, field, wanted);
  return SK_PARSE;
}

static sk_status read_count(reader *r, const json_t *object, const char *field, uint32_t most, uint32_t *out) {
  const json_t *value = json_object_get(object, field);
  if (value == NULL) return SK_OK;
  if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > most) return bad(r, field, "a count within its limits");
  *out = (uint32_t)json_integer_value(value);
  return SK_OK;
}

static sk_status read_flag(reader *r, const json_t *object, const char *field, bool *out) {
  const json_t *value = json_object_get(object, field);
  if (value == NULL) return SK_OK;
  if (!json_is_boolean(value)) return bad(r, field, "true or false");
  *out = json_is_true(value);
  return SK_OK;
}

static sk_status read_ids(reader *r, const json_t *object, const char *field, sk__ge_ids *out) {
  const json_t *value = json_object_get(object, field);
  if (value == NULL) return SK_OK;
  if (!json_is_array(value)) return bad(r, field, "a list of event ids");
  size_t count = json_array_size(value);
  r->events += count;
  if (r->events > SK__GE_MAX_EVENTS) return bad(r, field, "within the largest number of events");
  int64_t *items = sk__arena_array(r->arena, int64_t, count);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    if (!json_is_integer(json_array_get(value, i))) return bad(r, field, "a list of event ids");
    items[i] = json_integer_value(json_array_get(value, i));
  }
  *out = (sk__ge_ids){items, count};
  return SK_OK;
}

static sk_status read_tilings(reader *r, const json_t *object, sk__ge_sub *sub) {
  const json_t *value = json_object_get(object, "tiling");
  size_t count = value == NULL ? 1 : json_array_size(value);
  if (count == 0 || count > MAX_TILINGS) return bad(r, "tiling", "a list of [key, type]");
  sk__ge_tiling *tilings = sk__arena_array(r->arena, sk__ge_tiling, count);
  if (tilings == NULL) return SK_OUT_OF_MEMORY;
  if (value == NULL) tilings[0] = (sk__ge_tiling){0, sub->type};
  for (size_t i = 0; value != NULL && i < count; i++) {
    const json_t *pair = json_array_get(value, i), *key = json_array_get(pair, 0);
    int type = type_index(json_string_value(json_array_get(pair, 1)));
    if (!json_is_integer(key) || json_integer_value(key) < 0 || type < 0) return bad(r, "tiling", "a list of [key, type]");
    tilings[i] = (sk__ge_tiling){(uint64_t)json_integer_value(key), types[type].type};
  }
  sub->tilings = tilings;
  sub->tiling_count = count;
  return SK_OK;
}

static sk_status read_debug(reader *r, const json_t *object, sk__ge_sub *sub) {
  const json_t *value = json_object_get(object, "debug");
  if (value == NULL) return SK_OK;
  const json_t *list = json_array_get(value, 0), *bytes = json_array_get(value, 1);
  size_t count = json_array_size(list);
  if (!json_is_array(list) || !json_is_integer(bytes) || json_integer_value(bytes) < 0) return bad(r, "debug", "[options, bytes]");
  const char **words = sk__arena_array(r->arena, const char *, count);
  if (words == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    words[i] = json_string_value(json_array_get(list, i));
    if (words[i] == NULL) return bad(r, "debug", "[options, bytes]");
  }
  sub->debug = words;
  sub->debug_count = count;
  sub->debug_bytes = (uint64_t)json_integer_value(bytes);
  return SK_OK;
}

static sk_status read_wishes(reader *r, const json_t *object, sk__ge_sub *sub) {
  const json_t *list = json_object_get(object, "dcci");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *word = json_string_value(json_array_get(list, i));
    if (word == NULL) return bad(r, "dcci", "a list of before, after, disable");
    if (strcmp(word, "before") == 0) sub->dcci_before = true;
    else if (strcmp(word, "after") == 0) sub->dcci_after = true;
    else if (strcmp(word, "disable") == 0) sub->dcci_disable = true;
    else return bad(r, "dcci", "a list of before, after, disable");
  }
  return SK_OK;
}

static sk_status read_text_sizes(reader *r, const json_t *object, sk__ge_sub *sub) {
  enum { STANDARD_BYTES = 4096 };
  sub->text_bytes[SK__AIC] = sub->text_bytes[SK__AIV] = STANDARD_BYTES;
  const json_t *value = json_object_get(object, "text");
  if (value == NULL) return SK_OK;
  for (int i = 0; i < 2; i++) { /* null, the whole or one of the two: cannot be read */
    const json_t *bytes = json_array_get(value, (size_t)i);
    if (json_is_integer(bytes) && json_integer_value(bytes) >= 0 && json_integer_value(bytes) <= UINT32_MAX) sub->text_bytes[i] = (uint32_t)json_integer_value(bytes);
    else if (json_is_null(value) || json_is_null(bytes)) sub->text_bytes[i] = 0;
    else return bad(r, "text", "[bytes, bytes]");
  }
  return SK_OK;
}

/* Fields that the description may lack. */
static bool may_lack(const char *field) {
  static const char *const optional[] = {"split_mode", "debugOptions", "sub_op_with_sync_all", "sub_operator_op_type",
                                         "sub_operator_call_dcci_before_kernel_start", "sub_operator_call_dcci_after_kernel_end",
                                         "sub_operator_call_dcci_disable_on_kernel"};
  for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
    if (strcmp(field, optional[i]) == 0) return true;
  return false;
}

static sk_status read_numbers(reader *r, const json_t *object, sk__ge_sub *sub) {
  sk_status status = read_count(r, object, "blocks", MAX_BLOCKS, &sub->blocks);
  if (status == SK_OK) status = read_count(r, object, "args", MAX_ARGS, &sub->args);
  if (status == SK_OK) status = read_count(r, object, "split", UINT32_MAX, &sub->split);
  if (status == SK_OK) status = read_flag(r, object, "dynamic", &sub->dynamic);
  if (status == SK_OK) status = read_flag(r, object, "sync_all", &sub->sync_all);
  if (status == SK_OK) status = read_flag(r, object, "aicpu_tiling", &sub->aicpu_tiling);
  if (status == SK_OK) status = read_flag(r, object, "es_set", &sub->es_set);
  if (status == SK_OK) status = read_flag(r, object, "es_wait", &sub->es_wait);
  return status;
}

static sk_status read_sub(reader *r, const json_t *object, sk__ge_sub *sub) {
  *sub = (sk__ge_sub){.stream = -1, .args = 1, .op_type = ""};
  if (json_is_null(object)) return SK_OK;
  if (!json_is_object(object)) return bad(r, "", "an object or null");
  const char *type = json_string_value(json_object_get(object, "type")), *drop = json_string_value(json_object_get(object, "drop"));
  int index = type_index(type);
  sub->described = true;
  sub->type_known = index >= 0;
  sub->type = index >= 0 ? types[index].type : SK_AIV_ONLY;
  sub->complete = drop == NULL || may_lack(drop);
  const char *task = json_string_value(json_object_get(object, "task"));
  sub->task_known = task == NULL || strcmp(task, "normal") == 0 || strcmp(task, "dynamic") == 0;
  sub->name = json_string_value(json_object_get(object, "name"));
  if (json_string_value(json_object_get(object, "op_type")) != NULL) sub->op_type = json_string_value(json_object_get(object, "op_type"));
  const json_t *stream = json_object_get(object, "stream");
  if (stream != NULL && !json_is_integer(stream)) return bad(r, "stream", "a stream id");
  if (stream != NULL) sub->stream = json_integer_value(stream);
  sk_status status = read_numbers(r, object, sub);
  if (status == SK_OK) status = read_ids(r, object, "send", &sub->send);
  if (status == SK_OK) status = read_ids(r, object, "recv", &sub->recv);
  if (status == SK_OK && sub->dynamic) status = read_tilings(r, object, sub);
  if (status == SK_OK) status = read_debug(r, object, sub);
  if (status == SK_OK) status = read_wishes(r, object, sub);
  if (status == SK_OK) status = read_text_sizes(r, object, sub);
  return status;
}

sk_status sk__ge_sub_from_json(const json_t *object, const char *label, sk__arena *arena, sk__ge_sub *out, sk__text *why) {
  static const char *const keys[] = {"type", "blocks", "args", "split", "dynamic", "sync_all", "es_set", "es_wait", "tiling", "debug", "dcci", "text", "aicpu_tiling"};
  reader r = {.arena = arena, .why = *why, .label = label};
  sk_status status = json_is_object(object) ? SK_OK : bad(&r, "", "a description");
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    size_t at = 0, count = sizeof keys / sizeof keys[0];
    while (at < count && strcmp(keys[at], key) != 0) at++;
    if (at < count || status != SK_OK) continue;
    const char *meant = sk__nearest(key, keys, count);
    sk__text_add(&r.why, "%.100s: unknown field '%.60s'%s%s", label, key, meant != NULL ? "; did you mean " : "", meant != NULL ? meant : "");
    status = SK_PARSE;
  }
  if (status == SK_OK) status = read_sub(&r, object, out);
  if (status == SK_OK && !out->type_known) status = bad(&r, "type", "AIV_ONLY, AIC_ONLY, MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 or MIX_AIC_1_2");
  if (status == SK_OK && out->blocks == 0 && !out->dynamic) status = bad(&r, "blocks", "a count from 1");
  *why = r.why;
  return status;
}

static sk_status read_device(const json_t *record, sk__ge_input *out, sk__text *why) {
  const json_t *device = json_object_get(record, "device"), *aic = json_object_get(device, "aic"), *aiv = json_object_get(device, "aiv");
  out->aic_count = 24;
  out->aiv_count = 48;
  if (device == NULL) return SK_OK;
  if (!json_is_integer(aic) || !json_is_integer(aiv) || json_integer_value(aic) < 0 || json_integer_value(aiv) < 0 || json_integer_value(aic) > MAX_BLOCKS ||
      json_integer_value(aiv) > MAX_BLOCKS) {
    sk__text_add(why, "device: not {aic, aiv}");
    return SK_PARSE;
  }
  out->aic_count = (uint32_t)json_integer_value(aic);
  out->aiv_count = (uint32_t)json_integer_value(aiv);
  return SK_OK;
}

static bool chip_has_superkernel(const char *soc) {
  static const char *const chips[] = {"Ascend910B", "Ascend910_93", "Ascend950"};
  for (size_t i = 0; soc != NULL && i < sizeof chips / sizeof chips[0]; i++)
    if (strncmp(soc, chips[i], strlen(chips[i])) == 0) return true;
  return soc == NULL;
}

sk_status sk__ge_input_from_json(const json_t *record, sk__arena *arena, sk__ge_input *out, char *why, size_t why_bytes) {
  reader r = {.arena = arena, .why = sk__text_on(why, why_bytes)};
  const json_t *list = json_object_get(record, "subs");
  *out = (sk__ge_input){.options = json_string_value(json_object_get(record, "options"))};
  out->chip_supported = chip_has_superkernel(json_string_value(json_object_get(record, "soc")));
  sk_status status = read_device(record, out, &r.why);
  if (status != SK_OK || list == NULL || json_is_null(list)) return status;
  out->count = json_array_size(list);
  if (!json_is_array(list) || out->count > SK__GE_MAX_SUBS) {
    sk__text_add(&r.why, "subs: not a list of at most %u", SK__GE_MAX_SUBS);
    return SK_PARSE;
  }
  sk__ge_sub *subs = sk__arena_array(arena, sk__ge_sub, out->count);
  if (subs == NULL) return SK_OUT_OF_MEMORY;
  for (r.sub = 0; r.sub < out->count && status == SK_OK; r.sub++) status = read_sub(&r, json_array_get(list, r.sub), &subs[r.sub]);
  out->subs = subs;
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static json_t *strings(const char *const *items, size_t count) {
  json_t *out = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(out, json_string(items[i]));
  return out;
}

static json_t *options_json(const sk__ge_options *options) {
  static const char *const keys[] = {
#define X(name, key, kind, standard, legal, help) key,
      SK__GE_OPTION_LIST(X)
#undef X
  };
  json_t *out = json_object();
  for (int i = 0; i < SK__GE_KEYS; i++) {
    if (!options->values[i].given) continue;
    bool text = i == SK__GE_KEY_PRELOAD_CODE || (i >= SK__GE_KEY_COMPILE_OPTIONS && i <= SK__GE_KEY_DCCI_DISABLE);
    json_object_set_new(out, keys[i], text ? json_string(options->values[i].text) : json_integer((json_int_t)options->values[i].number));
  }
  return out;
}

static const char *pipe_text(uint8_t pipe) { return sk__pipe_name((sk__pipe)pipe); }

static json_t *flag_json(const sk__ge_flag_op *op) {
  if (op->set) return json_pack("[s,i,i,s]", "SETFLAG", op->id, op->mode, pipe_text(op->pipe));
  return json_pack("[s,i]", "WAITFLAG", op->id);
}

static json_t *early_json(const sk__ge_step *step, const char *name) {
  json_t *flags = json_array();
  for (int i = 0; i < step->flag_count; i++) json_array_append_new(flags, flag_json(&step->flags[i]));
  json_t *idle = step->some ? json_pack("[s,I]", step->by == SK__GE_BY_BLOCK ? "block" : "core", (json_int_t)step->count) : json_null();
  return json_pack("[s,o,o]", name, idle, flags);
}

static json_t *dynamic_call_json(const sk__ge_step *step) {
  json_t *out = json_pack("[s,I,I,i]", "DFUNC", (json_int_t)step->sub, (json_int_t)step->count, step->copies);
  if (step->vector_count != step->count || step->feed != 0) json_array_append_new(out, json_integer((json_int_t)step->vector_count));
  if (step->feed != 0) json_array_append_new(out, json_integer(step->feed));
  return out;
}

static json_t *step_json(const sk__ge_step *step, sk__core_type type) {
  static const char *const names[] = {
#define X(name) #name,
      SK__GE_STEP_LIST(X)
#undef X
  };
  const char *name = names[step->kind], *by = step->by == SK__GE_BY_BLOCK ? "block" : "core";
  json_int_t sub = step->sub, count = step->count, param = step->param[0];
  switch (step->kind) {
    case SK__GE_STEP_FUNC: return json_pack("[s,I,s,I,i,i]", name, sub, by, count, step->copies, step->feed);
    case SK__GE_STEP_DFUNC: return dynamic_call_json(step);
    case SK__GE_STEP_SELECT: return json_pack("[s,I,I,I,I]", name, sub, param, (json_int_t)step->param[1], (json_int_t)step->param[2]);
    case SK__GE_STEP_PRELOAD: return json_pack("[s,I,s,I,i]", name, sub, by, count, step->units);
    case SK__GE_STEP_PRELOAD_SK: return json_pack("[s,i]", name, step->units);
    case SK__GE_STEP_SETFLAG:
    case SK__GE_STEP_WAITFLAG: return flag_json(&step->flags[0]);
    case SK__GE_STEP_BAR: return json_pack("[s,s,s]", name, type == SK__AIC ? "C" : "V", pipe_text(step->flags[0].pipe));
    case SK__GE_STEP_ES_SET:
    case SK__GE_STEP_ES_WAIT: return early_json(step, name);
    case SK__GE_STEP_ES_CFG: return json_pack("[s,I]", name, (json_int_t)step->number);
    case SK__GE_STEP_UNLOCK:
    case SK__GE_STEP_WAIT:
    case SK__GE_STEP_NOTIFY:
    case SK__GE_STEP_CLEAR: return json_pack("[s,I]", name, param);
    case SK__GE_STEP_FEED: return json_pack("[s,o]", name, step->number < 0 ? json_null() : json_integer(step->number));
    case SK__GE_STEP_ZERO: return json_pack("[s,I,s]", name, (json_int_t)step->number, type == SK__AIC ? "L1" : "UB");
    case SK__GE_STEP_PROF: return json_pack("[s,I,i,i]", name, (json_int_t)step->number, step->prof_kind, (int)step->begin);
    case SK__GE_STEP_SYNCALL_MIX:
    case SK__GE_STEP_SYNCALL_V:
    case SK__GE_STEP_DCCI:
    case SK__GE_STEP_PIPE_ALL:
    case SK__GE_STEP_REPLAY: break;
  }
  return json_pack("[s]", name);
}

static json_t *queue_json(const sk__ge_queue *queue, sk__core_type type) {
  if (!queue->launched) return json_null();
  json_t *out = json_array();
  for (size_t i = 0; i < queue->count; i++) json_array_append_new(out, step_json(&queue->items[i], type));
  return out;
}

/* The depth is that of a halving. */
static json_t *select_json(const sk__ge_select *select, int32_t at) {
  if (at == -1) return json_null();
  if (at < -1) {
    const sk__ge_tiling *tiling = &select->tilings[-2 - at];
    return json_pack("[I,i]", (json_int_t)tiling->key, types[index_of_type(tiling->type)].number);
  }
  const sk__ge_choice *choice = &select->choices[at];
  return json_pack("[s,I,o,o]", choice->less ? "<" : "==", (json_int_t)choice->pivot, select_json(select, choice->yes), select_json(select, choice->no));
}

static json_t *edges_json(const sk__ge_edge *edges, size_t count) {
  json_t *out = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *kinds = json_array();
#define X(name, bit) \
  if ((edges[i].kinds & (bit)) != 0) json_array_append_new(kinds, json_string(#name));
    SK__GE_EDGE_LIST(X)
#undef X
    json_array_append_new(out, json_pack("[I,I,o]", (json_int_t)edges[i].from, (json_int_t)edges[i].to, kinds));
  }
  return out;
}

static json_t *features_json(uint32_t features) {
  json_t *out = json_array();
#define X(name, bit, text) \
  if ((features & (bit)) != 0) json_array_append_new(out, json_string(text));
  SK__GE_FEATURE_LIST(X)
#undef X
  return out;
}

static json_t *params_json(const sk__ge_program *program) {
  json_t *out = json_array();
  for (size_t i = 0; i < program->sub_count; i++)
    json_array_append_new(out, json_pack("[I,I,I]", (json_int_t)program->params[i].kernel, (json_int_t)program->params[i].notify, (json_int_t)program->params[i].wait));
  return out;
}

static json_t *sk_params_json(const sk__ge_program *program) {
  json_t *out = json_object();
  if (program->workspace_param != 0) json_object_set_new(out, "workspace", json_integer(program->workspace_param));
  if (program->profiling_param == 0) return out;
  json_object_set_new(out, "profiling", json_integer(program->profiling_param));
  json_object_set_new(out, "task_id", json_integer(program->task_param));
  return out;
}

static json_t *runs_json(const sk__ge_program *program) {
  json_t *out = json_array();
  for (size_t i = 0; i < program->no_dcci_run_count; i++) {
    json_t *run = json_array();
    for (uint32_t k = program->no_dcci_runs[i][0]; k <= program->no_dcci_runs[i][1]; k++) json_array_append_new(run, json_integer(program->subs[k]));
    json_array_append_new(out, run);
  }
  return out;
}

/* Keys that stand only where there is something to tell. */
static void add_optional(const sk__ge_program *program, json_t *out) {
  if (program->options.ignored_count > 0) json_object_set_new(out, "ignored", strings(program->options.ignored, program->options.ignored_count));
  if (program->no_dcci_run_count > 0) json_object_set_new(out, "no_dcci_runs", runs_json(program));
  if (program->invalid_code) json_object_set_new(out, "invalid_code", json_string("else without if"));
  if ((program->features & SK__GE_FEATURE_DUMP) != 0) {
    bool mix = sk__ge_is_mix(program->type);
    json_object_set_new(out, "debug", json_pack("[o,I]", strings(program->debug, program->debug_count), (json_int_t)program->debug_bytes));
    json_object_set_new(out, "dump", json_pack("[i,I]", (int)mix, (json_int_t)program->workspace_bytes));
  }
  if (program->select_count > 0) {
    json_t *selects = json_object();
    for (size_t i = 0; i < program->select_count; i++) {
      char key[16];
      snprintf(key, sizeof key, "%u", program->selects[i].sub);
      json_object_set_new(selects, key, select_json(&program->selects[i], 0));
    }
    json_object_set_new(out, "select", selects);
  }
  if (program->queue_count == 2) {
    json_object_set_new(out, "edges", edges_json(program->edges, program->edge_count));
    json_object_set_new(out, "edges_kept", edges_json(program->edges_kept, program->edge_kept_count));
  }
}

json_t *sk__ge_program_json(const sk__ge_program *program) {
  json_t *inner = json_array();
  for (size_t i = 0; i < program->inner_event_count; i++) json_array_append_new(inner, json_integer(program->inner_events[i]));
  json_t *out = json_pack("{s:o,s:s,s:I,s:I,s:I,s:I,s:I}", "options", options_json(&program->options), "type", types[index_of_type(program->type)].name, "blocks",
                          (json_int_t)program->blocks, "queues", (json_int_t)program->queue_count, "align", (json_int_t)program->align, "copies",
                          (json_int_t)program->copies, "workspace", (json_int_t)program->workspace_bytes);
  if (out == NULL) return NULL;
  json_object_set_new(out, "features", features_json(program->features));
  json_object_set_new(out, "compile_options", strings(program->compile_options, program->compile_option_count));
  json_object_set_new(out, "params", params_json(program));
  json_object_set_new(out, "nparams", json_integer(program->param_count));
  json_object_set_new(out, "sk_params", sk_params_json(program));
  json_object_set_new(out, "inner_events", inner);
  add_optional(program, out);
  json_object_set_new(out, "aic", queue_json(&program->queue[SK__AIC], SK__AIC));
  json_object_set_new(out, "aiv", queue_json(&program->queue[SK__AIV], SK__AIV));
  return out;
}

json_t *sk__ge_failure_json(const sk__ge_failure *failure) {
  json_t *out = json_pack("{s:s}", "error", sk__ge_error_name(failure->error));
  if (failure->key != NULL) json_object_set_new(out, "key", json_string(failure->key));
  if (failure->sub != UINT32_MAX) json_object_set_new(out, "sub", json_integer(failure->sub));
  if (failure->side >= 0) json_object_set_new(out, "side", json_string(failure->side == SK__AIC ? "aic" : "aiv"));
  if (failure->crash != NULL) json_object_set_new(out, "why", json_string(failure->crash));
  return out;
}
