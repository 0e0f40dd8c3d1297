/* graph_text.c - reads a GE graph dump: nodes, their attributes, and the edges between them. */
#include "fuse/ge/graph_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fuse/ge/internal.h"
#include "fuse/ge/proto_text.h"

enum { MAX_TEXT_BYTES = 1 << 28, MAX_NAME_BYTES = 4096, MAX_INPUTS = 1 << 24, NO_NODE = -1 };

typedef struct input { const char *producer; uint32_t node; const char *place; } input;

/* What a node tells, before it is a sk__ge_node. */
typedef struct raw {
  const char *name, *type, *place;
  const char *scope, *options, *label, *core_type;
  int64_t id, stream, support, local_memory, blocks, ratio, aicores, vectorcores, event, notify;
  bool has_id, has_stream, has_support, has_ratio, has_event, has_notify, sink, reuse, hccl;
} raw;

typedef struct reading {
  sk__proto proto;
  sk__arena *arena;
  sk__text why;
  sk__ge_text_graph *out;
  SK__VEC(raw) nodes;
  SK__VEC(input) inputs;
} reading;

/* ---- attributes ------------------------------------------------------------------------------ */

typedef struct value { sk__proto_field field; bool present; } value;

/* The one value of an attribute definition that is looked at: text, number or truth. */
static sk_status read_definition(sk__proto *p, value *out) {
  sk__proto_field field;
  for (;;) {
    sk_status status = sk__proto_next(p, &field);
    if (status != SK_OK || field.kind == SK__PROTO_END) return status;
    if (field.kind == SK__PROTO_MESSAGE) {
      if ((status = sk__proto_skip(p)) != SK_OK) return status;
    } else if (sk__proto_is(&field, "s") || sk__proto_is(&field, "i") || sk__proto_is(&field, "b") || sk__proto_is(&field, "bt")) {
      *out = (value){field, true};
    }
  }
}

/* In the pbtxt form the value is a text that holds the definition. */
static sk_status unfold(reading *r, value *v) {
  sk__proto inner;
  char text[200] = "";
  sk__text why = sk__text_on(text, sizeof text);
  const char *place = v->field.place;
  if (v->field.kind != SK__PROTO_TEXT) return sk__proto_refuse(&r->proto, place, "an attribute that is no text");
  sk_status status = sk__proto_open(&inner, v->field.text, v->field.length, r->arena, &why);
  v->present = false;
  if (status == SK_OK) status = read_definition(&inner, v);
  v->field.place = place;
  return status == SK_PARSE ? sk__proto_refuse(&r->proto, place, "in the text of the attribute: %s", text) : status;
}

static sk_status take_text(reading *r, const value *v, const char **out) {
  size_t bad;
  if (v->field.kind != SK__PROTO_TEXT) return sk__proto_refuse(&r->proto, v->field.place, "not a text");
  if (v->field.length > SK__GE_MAX_OPTION_BYTES || strlen(v->field.text) != v->field.length || !sk__is_utf8(v->field.text, v->field.length, &bad))
    return sk__proto_refuse(&r->proto, v->field.place, "a text of more than %u bytes, or not of UTF-8 without zero bytes", SK__GE_MAX_OPTION_BYTES);
  *out = v->field.text;
  return SK_OK;
}

static sk_status take_truth(reading *r, const value *v, bool *out) {
  const char *word = v->field.text;
  bool yes = strcmp(word, "true") == 0 || strcmp(word, "True") == 0 || strcmp(word, "1") == 0;
  bool no = strcmp(word, "false") == 0 || strcmp(word, "False") == 0 || strcmp(word, "0") == 0;
  if (!yes && !no) return sk__proto_refuse(&r->proto, v->field.place, "neither true nor false");
  *out = yes;
  return SK_OK;
}

static sk_status take_attribute(reading *r, raw *node, const char *key, const value *v) {
  const struct { const char *key; const char **to; } texts[] = {
      {"_super_kernel_scope", &node->scope}, {"_super_kernel_options", &node->options}, {"_user_stream_label", &node->label}, {"_cube_vector_core_type", &node->core_type}};
  const struct { const char *key; int64_t *to; int64_t most; bool *given; } numbers[] = {
      {"supportSuperKernel", &node->support, INT32_MAX, &node->has_support}, {"local_memory_size", &node->local_memory, INT64_MAX, NULL},
      {"tvm_blockdim", &node->blocks, 65535, NULL}, {"_task_ratio", &node->ratio, INT32_MAX, &node->has_ratio},
      {"_op_aicore_num", &node->aicores, 65535, NULL}, {"_op_vectorcore_num", &node->vectorcores, 65535, NULL},
      {"event_id", &node->event, INT64_MAX, &node->has_event}, {"notify_id", &node->notify, INT64_MAX, &node->has_notify}};
  const struct { const char *key; bool *to; } truths[] = {{"_tiling_sink_op", &node->sink}, {"_op_ensure_reuse_binary", &node->reuse}, {"_hccl", &node->hccl}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(key, texts[i].key) == 0) return take_text(r, v, texts[i].to);
  for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
    if (strcmp(key, truths[i].key) == 0) return take_truth(r, v, truths[i].to);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (strcmp(key, numbers[i].key) != 0) continue;
    if (numbers[i].given != NULL) *numbers[i].given = true;
    return sk__proto_number(&r->proto, &v->field, 0, numbers[i].most, numbers[i].to);
  }
  return SK_OK;
}

static sk_status read_attribute(reading *r, raw *node, bool folded) {
  const char *key = NULL;
  value v = {.present = false};
  sk__proto_field field;
  for (;;) {
    sk_status status = sk__proto_next(&r->proto, &field);
    if (status != SK_OK) return status;
    if (field.kind == SK__PROTO_END) break;
    if (sk__proto_is(&field, "key") && field.kind == SK__PROTO_TEXT) key = field.text;
    else if (sk__proto_is(&field, "value") && field.kind == SK__PROTO_MESSAGE) status = read_definition(&r->proto, &v);
    else if (field.kind == SK__PROTO_MESSAGE) status = sk__proto_skip(&r->proto);
    if (status != SK_OK) return status;
  }
  if (key == NULL || !v.present || key[0] == '[') return SK_OK; /* descriptors of tensors */
  if (folded) {
    sk_status status = unfold(r, &v);
    if (status != SK_OK || !v.present) return status;
  }
  return take_attribute(r, node, key, &v);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static sk_status take_name(reading *r, const sk__proto_field *field, const char **out) {
  size_t bad;
  if (field->kind != SK__PROTO_TEXT) return sk__proto_refuse(&r->proto, field->place, "not a text");
  if (field->length == 0 || field->length > MAX_NAME_BYTES || strlen(field->text) != field->length || !sk__is_utf8(field->text, field->length, &bad))
    return sk__proto_refuse(&r->proto, field->place, "a name of 0 or more than %d bytes, or not of UTF-8 without zero bytes", MAX_NAME_BYTES);
  *out = field->text;
  return SK_OK;
}

/* "producer:index", "^producer" or "producer:-1"; "" an input that is not fed. */
static sk_status take_input(reading *r, const sk__proto_field *field) {
  if (field->kind != SK__PROTO_TEXT) return sk__proto_refuse(&r->proto, field->place, "not a text");
  if (field->length == 0) return SK_OK;
  if (r->inputs.count == MAX_INPUTS) return sk__proto_refuse(&r->proto, field->place, "more than %d inputs", MAX_INPUTS);
  const char *from = field->text[0] == '^' ? field->text + 1 : field->text, *colon = strrchr(from, ':');
  char *producer = sk__arena_strdup(r->arena, from);
  if (producer == NULL) return SK_OUT_OF_MEMORY;
  if (colon != NULL) producer[colon - from] = '\0';
  input one = {producer, (uint32_t)r->nodes.count, field->place};
  return sk__vec_push(&r->inputs, one) ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status take_field(reading *r, raw *node, const sk__proto_field *field, bool folded) {
  if (sk__proto_is(field, "name")) return take_name(r, field, &node->name);
  if (sk__proto_is(field, folded ? "op" : "type")) return take_name(r, field, &node->type);
  if (sk__proto_is(field, "input")) return take_input(r, field);
  if (sk__proto_is(field, "attr") && field->kind == SK__PROTO_MESSAGE) return read_attribute(r, node, folded);
  if (!folded && sk__proto_is(field, "id")) {
    node->has_id = true;
    return sk__proto_number(&r->proto, field, 0, INT64_MAX / 4, &node->id);
  }
  if (!folded && sk__proto_is(field, "stream_id")) {
    node->has_stream = true;
    return sk__proto_number(&r->proto, field, -1, INT32_MAX, &node->stream);
  }
  return field->kind == SK__PROTO_MESSAGE ? sk__proto_skip(&r->proto) : SK_OK;
}

static sk_status read_node(reading *r, const char *place, bool folded) {
  raw node = {.place = place};
  sk__proto_field field;
  if (r->nodes.count == SK__GE_MAX_NODES) return sk__proto_refuse(&r->proto, place, "more than %u nodes", SK__GE_MAX_NODES);
  for (;;) {
    sk_status status = sk__proto_next(&r->proto, &field);
    if (status != SK_OK) return status;
    if (field.kind == SK__PROTO_END) break;
    if ((status = take_field(r, &node, &field, folded)) != SK_OK) return status;
  }
  if (node.name == NULL || node.type == NULL) return sk__proto_refuse(&r->proto, place, "a node without %s", node.name == NULL ? "name" : folded ? "op" : "type");
  return sk__vec_push(&r->nodes, node) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* Fields of a graph, or of what holds one: the first graph of a model counts. */
static sk_status read_fields(reading *r, bool inside) {
  sk__proto_field field;
  for (;;) {
    sk_status status = sk__proto_next(&r->proto, &field);
    if (status != SK_OK || field.kind == SK__PROTO_END) return status;
    if (field.kind != SK__PROTO_MESSAGE) continue;
    bool graph = !inside && sk__proto_is(&field, "graph");
    if (sk__proto_is(&field, "node")) status = read_node(r, field.name, true);
    else if (sk__proto_is(&field, "op")) status = read_node(r, field.name, false);
    else if (graph && r->nodes.count == 0) status = read_fields(r, true);
    else {
      r->out->other_graphs += graph;
      status = sk__proto_skip(&r->proto);
    }
    if (status != SK_OK) return status;
  }
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct names { uint32_t *slots; size_t mask; } names; /* 1 + node */

static uint32_t *slot_of(const reading *r, const names *all, const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char *c = name; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  size_t at = (size_t)(hash ^ hash >> 29) & all->mask;
  while (all->slots[at] != 0 && strcmp(r->nodes.items[all->slots[at] - 1].name, name) != 0) at = (at + 1) & all->mask;
  return &all->slots[at];
}

static sk_status index_names(reading *r, names *all) {
  all->mask = 15;
  while (all->mask < 2 * r->nodes.count) all->mask = 2 * all->mask + 1;
  all->slots = sk__arena_array(r->arena, uint32_t, all->mask + 1);
  if (all->slots == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < r->nodes.count; i++) {
    uint32_t *slot = slot_of(r, all, r->nodes.items[i].name);
    if (*slot != 0) return sk__proto_refuse(&r->proto, r->nodes.items[i].place, "a second node of the name '%.60s'", r->nodes.items[i].name);
    *slot = i + 1;
  }
  return SK_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct arrow { uint32_t from, to; } arrow;
typedef struct arrows { arrow *items; size_t count; } arrows;

static sk_status link_inputs(reading *r, arrows *out) {
  names all;
  sk_status status = index_names(r, &all);
  if (status != SK_OK) return status;
  out->items = sk__arena_array(r->arena, arrow, r->inputs.count);
  if (out->items == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < r->inputs.count; i++) {
    const input *one = &r->inputs.items[i];
    uint32_t from = *slot_of(r, &all, one->producer);
    if (from == 0) return sk__proto_refuse(&r->proto, one->place, "an input from '%.60s', which is no node", one->producer);
    out->items[out->count++] = (arrow){from - 1, one->node};
  }
  return SK_OK;
}

/* Nodes behind what they take, as they stand in the file otherwise. `rank`: place of each node. */
static sk_status sort_by_inputs(reading *r, const arrows *edges, uint32_t *rank) {
  size_t count = r->nodes.count, done = 0, waiting = 0;
  uint32_t *open = sk__arena_array(r->arena, uint32_t, count), *first = sk__arena_array(r->arena, uint32_t, count + 1);
  uint32_t *targets = sk__arena_array(r->arena, uint32_t, edges->count), *stack = sk__arena_array(r->arena, uint32_t, count);
  if (open == NULL || first == NULL || targets == NULL || stack == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < edges->count; i++) {
    open[edges->items[i].to]++;
    first[edges->items[i].from]++;
  }
  for (size_t i = 0; i < count; i++) first[i + 1] += first[i];
  for (size_t i = edges->count; i-- > 0;) targets[--first[edges->items[i].from]] = edges->items[i].to;
  for (uint32_t i = 0; i < count; i++) { /* a node that had to wait for a later one comes right behind that */
    if (open[i] != 0) continue;
    open[i] = UINT32_MAX;
    stack[waiting++] = i;
    while (waiting > 0) {
      uint32_t at = stack[--waiting];
      rank[at] = (uint32_t)done++;
      for (uint32_t k = first[at]; k < first[at + 1]; k++) {
        uint32_t to = targets[k];
        if (--open[to] != 0 || to > i) continue;
        open[to] = UINT32_MAX;
        stack[waiting++] = to;
      }
    }
  }
  for (size_t i = 0; i < count; i++)
    if (open[i] != UINT32_MAX) return sk__proto_refuse(&r->proto, r->nodes.items[i].place, "node '%.60s' takes what depends on itself", r->nodes.items[i].name);
  return SK_OK;
}

typedef struct place { int64_t id; uint32_t node; } place;
static int by_id(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static sk_status sort_by_ids(reading *r, uint32_t *rank) {
  place *places = sk__arena_array(r->arena, place, r->nodes.count);
  if (places == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < r->nodes.count; i++) places[i] = (place){r->nodes.items[i].id, i};
  qsort(places, r->nodes.count, sizeof *places, by_id);
  for (uint32_t i = 0; i < r->nodes.count; i++) {
    if (i > 0 && places[i].id == places[i - 1].id)
      return sk__proto_refuse(&r->proto, r->nodes.items[places[i].node].place, "a second node of the id %lld", (long long)places[i].id);
    rank[places[i].node] = i;
  }
  return SK_OK;
}

static bool all_have_ids(const reading *r) {
  for (size_t i = 0; i < r->nodes.count; i++)
    if (!r->nodes.items[i].has_id) return false;
  return true;
}

/* ---- nodes of the graph ---------------------------------------------------------------------- */

static bool listed(const char *word, const char *const *list) {
  while (*list != NULL && strcmp(word, *list) != 0) list++;
  return *list != NULL;
}

static sk__ge_node_kind kind_of(const raw *node) {
  static const char *const data[] = {"Data", "RefData", "Variable", "Const", "Constant", "ConstantOp", "ConstPlaceholder", NULL};
  static const char *const events[] = {"Send", "Recv", "SendNotify", "RecvNotify", "SendMem", "RecvMem", NULL};
  return listed(node->type, data) ? SK__GE_NODE_DATA : listed(node->type, events) ? SK__GE_NODE_EVENT : SK__GE_NODE_COMPUTE;
}

/* The kernel's type from core type and vector cores per cube core; false: not told. */
static bool type_of(const raw *node, sk_kernel_type *out) {
  static const char *const cube[] = {"AiCore", "AIC", NULL}, *const vector[] = {"VectorCore", "AIV", NULL}, *const mixed[] = {"MIX", "MIX_AIC", "MIX_AICORE", NULL};
  if (node->core_type == NULL) return false;
  bool mix = listed(node->core_type, mixed);
  if (listed(node->core_type, cube)) *out = SK_AIC_ONLY;
  else if (listed(node->core_type, vector)) *out = SK_AIV_ONLY;
  else if (strcmp(node->core_type, "MIX_AIV") == 0 && (!node->has_ratio || node->ratio == 0)) *out = SK_MIX_AIV_1_0;
  else if (mix && node->has_ratio && node->ratio <= 2) *out = node->ratio == 0 ? SK_MIX_AIC_1_0 : node->ratio == 1 ? SK_MIX_AIC_1_1 : SK_MIX_AIC_1_2;
  else return false;
  return true;
}

static void fill_node(const raw *node, bool before_compile, sk__ge_node *out) {
  *out = (sk__ge_node){.id = node->id, .name = node->name, .type = node->type, .kind = kind_of(node), .stream = node->stream, .scope = node->scope,
                       .options = node->options, .supported = before_compile || node->support == 1, .simt = node->local_memory > 0,
                       .tiling_sink = node->sink, .reuse_binary = node->reuse, .hccl = node->hccl || strncmp(node->type, "Hcom", 4) == 0,
                       .aicore_num = (uint32_t)node->aicores, .vectorcore_num = (uint32_t)node->vectorcores};
  out->sub = (sk__ge_sub){.described = true, .name = node->name, .type_known = true, .complete = true, .task_known = true, .stream = node->stream,
                          .blocks = (uint32_t)node->blocks, .op_type = node->type, .args = 1, .dynamic = node->sink};
  out->facts_known = type_of(node, &out->sub.type) && node->blocks > 0 && !node->sink;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }
static bool is_labelled(const raw *node) { return !node->has_stream && node->label != NULL && node->label[0] != '\0'; }

/* Without stream ids the label of the user's stream switch tells them apart: 1 and up, 0 where there is none. */
static sk_status number_labels(reading *r) {
  const char **labels = sk__arena_array(r->arena, const char *, r->nodes.count);
  if (labels == NULL) return SK_OUT_OF_MEMORY;
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < r->nodes.count; i++)
    if (is_labelled(&r->nodes.items[i])) labels[count++] = r->nodes.items[i].label;
  qsort(labels, count, sizeof *labels, by_text);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || strcmp(labels[kept - 1], labels[i]) != 0) labels[kept++] = labels[i];
  for (size_t i = 0; i < r->nodes.count; i++) {
    raw *node = &r->nodes.items[i];
    if (!is_labelled(node)) continue;
    const char *const *found = bsearch(&node->label, labels, kept, sizeof *labels, by_text);
    node->stream = found - labels + 1;
    if (node->stream > SK__GE_MAX_STREAMS) return sk__proto_refuse(&r->proto, node->place, "more than %u stream labels", SK__GE_MAX_STREAMS);
  }
  return SK_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The three kinds are told apart: their ids are counted separately. */
typedef struct post { sk__ge_event_kind kind; int64_t event; uint32_t node; bool receives; } post;
static int by_event(const void *a, const void *b) {
  const post *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->event != y->event) return x->event < y->event ? -1 : 1;
  if (x->receives != y->receives) return x->receives ? 1 : -1;
  return x->node < y->node ? -1 : x->node > y->node;
}

typedef struct standing { int64_t stream; uint32_t node; } standing;
static int by_stream(const void *a, const void *b) {
  const standing *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* Per node: the compute nodes before and behind it on its stream, UINT32_MAX none. */
static sk_status find_neighbours(const sk__ge_graph *graph, sk__arena *arena, uint32_t **before, uint32_t **behind) {
  size_t count = graph->node_count;
  standing *all = sk__arena_array(arena, standing, count);
  *before = sk__arena_array(arena, uint32_t, count);
  *behind = sk__arena_array(arena, uint32_t, count);
  if (all == NULL || *before == NULL || *behind == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count; i++) all[i] = (standing){graph->nodes[i].stream, i};
  qsort(all, count, sizeof *all, by_stream);
  uint32_t last = UINT32_MAX, next = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && all[i].stream != all[i - 1].stream) last = UINT32_MAX;
    (*before)[all[i].node] = last;
    if (graph->nodes[all[i].node].kind == SK__GE_NODE_COMPUTE) last = all[i].node;
  }
  for (size_t i = count; i-- > 0;) {
    if (i + 1 < count && all[i].stream != all[i + 1].stream) next = UINT32_MAX;
    (*behind)[all[i].node] = next;
    if (graph->nodes[all[i].node].kind == SK__GE_NODE_COMPUTE) next = all[i].node;
  }
  return SK_OK;
}

typedef SK__VEC(sk__ge_event) event_list;

/* A receive node belongs to the last send of its event in front of it, else to the first. Sends of one event stand
 * first, in order. */
static sk_status events_of_posts(const sk__ge_graph *graph, sk__arena *arena, const post *posts, size_t count, event_list *out) {
  uint32_t *before, *behind;
  sk_status status = find_neighbours(graph, arena, &before, &behind);
  size_t first = 0, sender = 0;
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    if (i == 0 || posts[i].kind != posts[i - 1].kind || posts[i].event != posts[i - 1].event) first = sender = i;
    if (!posts[i].receives || posts[first].receives) continue;
    while (!posts[sender + 1].receives && posts[sender + 1].node < posts[i].node) sender++;
    uint32_t from = before[posts[sender].node], to = behind[posts[i].node];
    if (from == UINT32_MAX || to == UINT32_MAX || from == to) continue;
    sk__ge_event one = {posts[i].kind, posts[i].event, from, to, graph->nodes[posts[i].node].stream};
    if (!sk__vec_push(out, one)) status = SK_OUT_OF_MEMORY;
  }
  return status;
}

/* Before stream allocation nobody has sent anything: an edge between streams becomes an event. */
static sk_status events_of_edges(const sk__ge_graph *graph, const arrows *edges, const uint32_t *rank, event_list *out) {
  for (size_t i = 0; i < edges->count; i++) {
    uint32_t from = rank[edges->items[i].from], to = rank[edges->items[i].to];
    const sk__ge_node *a = &graph->nodes[from], *b = &graph->nodes[to];
    if (a->kind != SK__GE_NODE_COMPUTE || b->kind != SK__GE_NODE_COMPUTE || a->stream == b->stream) continue;
    sk__ge_event one = {SK__GE_EVENT_KIND, (int64_t)out->count, from, to, b->stream};
    if (!sk__vec_push(out, one)) return SK_OUT_OF_MEMORY;
  }
  return SK_OK;
}

/* The id a send or receive of any kind carries; false: the node is none, or tells of none. */
static bool post_of(const raw *node, post *out) {
  static const struct { const char *send, *receive; sk__ge_event_kind kind; bool notify; } kinds[] = {
      {"Send", "Recv", SK__GE_EVENT_KIND, false}, {"SendNotify", "RecvNotify", SK__GE_NOTIFY_KIND, true}, {"SendMem", "RecvMem", SK__GE_MEMORY_KIND, false}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    bool receives = strcmp(node->type, kinds[i].receive) == 0;
    if (!receives && strcmp(node->type, kinds[i].send) != 0) continue;
    *out = (post){.kind = kinds[i].kind, .event = kinds[i].notify ? node->notify : node->event, .receives = receives};
    return kinds[i].notify ? node->has_notify : node->has_event;
  }
  return false;
}

static sk_status make_events(reading *r, const arrows *edges, const uint32_t *rank) {
  sk__ge_graph *graph = &r->out->graph;
  event_list events = {0};
  post *posts = sk__arena_array(r->arena, post, r->nodes.count);
  if (posts == NULL) return SK_OUT_OF_MEMORY;
  size_t count = 0;
  bool streams = false;
  for (uint32_t i = 0; i < r->nodes.count; i++) {
    const raw *node = &r->nodes.items[i];
    streams |= node->has_stream;
    if (!post_of(node, &posts[count])) continue;
    posts[count++].node = rank[i];
  }
  qsort(posts, count, sizeof *posts, by_event);
  sk_status status = streams ? events_of_posts(graph, r->arena, posts, count, &events) : events_of_edges(graph, edges, rank, &events);
  if (status == SK_OK) {
    graph->events = sk__arena_copy(r->arena, events.items, events.count * sizeof *events.items);
    graph->event_count = events.count;
    if (graph->events == NULL) status = SK_OUT_OF_MEMORY;
  }
  sk__vec_free(&events);
  return status;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static sk_status build(reading *r) {
  arrows edges = {NULL, 0};
  size_t count = r->nodes.count;
  uint32_t *rank = sk__arena_array(r->arena, uint32_t, count);
  sk__ge_node *nodes = sk__arena_array(r->arena, sk__ge_node, count);
  if (rank == NULL || nodes == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = link_inputs(r, &edges);
  bool ids = all_have_ids(r);
  if (status == SK_OK) status = ids ? sort_by_ids(r, rank) : sort_by_inputs(r, &edges, rank);
  if (status == SK_OK) status = number_labels(r);
  if (status != SK_OK) return status;
  r->out->before_compile = true;
  for (size_t i = 0; i < count; i++) r->out->before_compile &= !r->nodes.items[i].has_support;
  for (size_t i = 0; i < count; i++) {
    if (!ids) r->nodes.items[i].id = rank[i];
    fill_node(&r->nodes.items[i], r->out->before_compile, &nodes[rank[i]]);
  }
  r->out->graph = (sk__ge_graph){.nodes = nodes, .node_count = count};
  return make_events(r, &edges, rank);
}

sk_status sk__ge_graph_from_text(const char *text, size_t bytes, sk__arena *arena, sk__ge_text_graph *out, char *why, size_t why_bytes) {
  reading r = {.arena = arena, .why = sk__text_on(why, why_bytes), .out = out};
  *out = (sk__ge_text_graph){.before_compile = true};
  if (bytes > MAX_TEXT_BYTES) {
    sk__text_add(&r.why, "%zu bytes of text; at most %d", bytes, MAX_TEXT_BYTES);
    return SK_PARSE;
  }
  sk_status status = sk__proto_open(&r.proto, text, bytes, arena, &r.why);
  if (status == SK_OK) status = read_fields(&r, false);
  if (status == SK_OK && r.nodes.count == 0) status = sk__proto_refuse(&r.proto, text, "no node { } and no op { } in it: no graph");
  if (status == SK_OK) status = build(&r);
  sk__vec_free(&r.nodes);
  sk__vec_free(&r.inputs);
  return status;
}
