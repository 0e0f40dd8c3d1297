/* dump.c - reads a graph dump. Everything is checked where it stands; what the planner does not look at
 * (handles, addresses, derived positions) is passed over. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graph/internal.h"

enum { MAX_TEXT_BYTES = 1 << 30, MAX_NAME_BYTES = 4096, MAX_BLOCKS = 65535, MAX_STREAMS = 65536, NAME_LIMIT = 255 };

typedef struct reader {
  sk__graph *graph;
  sk__text why;
  size_t stream, node; /* where in the file; SIZE_MAX outside */
  const char *part;    /* inside taskInfo[0], or NULL */
  size_t late_stream, late_node; /* the first node with an id below that of the node before; SIZE_MAX none */
  uint64_t late_id, before_late;
} reader;

static sk_status refuse(reader *r, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
static sk_status refuse(reader *r, const char *key, const char *format, ...) {
  if (r->why.length != 0) return SK_PARSE;
  if (r->stream != SIZE_MAX) sk__text_add(&r->why, "streams[%zu].", r->stream);
  if (r->node != SIZE_MAX) sk__text_add(&r->why, "nodes[%zu].", r->node);
  if (r->part != NULL) sk__text_add(&r->why, "taskInfo[0].%s.", r->part);
  sk__text_add(&r->why, "%s: ", key);
  va_list arguments;
  va_start(arguments, format);
  sk__text_vadd(&r->why, format, arguments);
  va_end(arguments);
  return SK_PARSE;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A number, or text holding one (0x...). An absent key leaves *out as it is. */
static sk_status read_u64(reader *r, const json_t *object, const char *key, uint64_t limit, uint64_t *out) {
  const json_t *value = json_object_get(object, key);
  if (value == NULL) return SK_OK;
  uint64_t number = 0;
  if (json_is_integer(value) && json_integer_value(value) >= 0) {
    number = (uint64_t)json_integer_value(value);
  } else if (json_is_string(value)) {
    const char *text = json_string_value(value);
    char *end = NULL;
    errno = 0;
    number = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) return refuse(r, key, "\"%.40s\" is no number", text);
  } else if (json_is_integer(value)) {
    return refuse(r, key, "%lld is below 0", (long long)json_integer_value(value));
  } else {
    return refuse(r, key, "not a number");
  }
  if (number > limit) return refuse(r, key, "%llu is above %llu", (unsigned long long)number, (unsigned long long)limit);
  *out = number;
  return SK_OK;
}

static sk_status read_u32(reader *r, const json_t *object, const char *key, uint32_t limit, uint32_t *out) {
  uint64_t number = *out;
  sk_status status = read_u64(r, object, key, limit, &number);
  *out = (uint32_t)number;
  return status;
}

static sk_status read_need(reader *r, const json_t *object, const char *key) {
  return json_object_get(object, key) != NULL ? SK_OK : refuse(r, key, "missing");
}

static sk_status read_name(reader *r, const json_t *value, const char *key, size_t limit, const char **out) {
  if (!json_is_string(value)) return refuse(r, key, "not a text");
  if (json_string_length(value) > limit || json_string_length(value) != strlen(json_string_value(value)))
    return refuse(r, key, "longer than %zu bytes, or holds a zero byte", limit);
  *out = sk__arena_strdup(r->graph->arena, json_string_value(value));
  return *out != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status read_pair(reader *r, const json_t *array, const char *key, uint32_t out[2]) {
  if (!json_is_array(array) || json_array_size(array) != 2) return refuse(r, key, "not a pair");
  for (size_t i = 0; i < 2; i++) {
    const json_t *value = json_array_get(array, i);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > INT32_MAX)
      return refuse(r, key, "not a pair of numbers from 0 to %d", INT32_MAX);
    out[i] = (uint32_t)json_integer_value(value);
  }
  return SK_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static sk_status read_type(reader *r, const json_t *object, sk__kernel_info *kernel) {
  uint32_t type = 0, ratio[2] = {1, 0};
  sk_status status = read_need(r, object, "kernelTypeInt");
  if (status == SK_OK) status = read_u32(r, object, "kernelTypeInt", UINT32_MAX, &type);
  if (status == SK_OK && type == 3) status = read_pair(r, json_object_get(object, "taskRatio"), "taskRatio", ratio);
  if (status != SK_OK) return status;
  switch (type) {
    case 1: kernel->type = SK_AIC_ONLY; break;
    case 2: kernel->type = SK_AIV_ONLY; break;
    case 3: /* the cube share is not looked at: a vector-only MIX kernel counts as 1:1 without its cube half */
      if (ratio[1] > 2) return refuse(r, "taskRatio", "%u:%u; legal vector shares: 0, 1, 2", ratio[0], ratio[1]);
      kernel->type = ratio[1] == 0 ? SK_AIC_ONLY : ratio[1] == 1 ? SK_MIX_AIC_1_1 : SK_MIX_AIC_1_2;
      break;
    default: return refuse(r, "kernelTypeInt", "%u; legal: 1 cube, 2 vector, 3 mix", type);
  }
  kernel->has_half[SK__AIC] = kernel->type != SK_AIV_ONLY && ratio[0] > 0;
  kernel->has_half[SK__AIV] = kernel->type != SK_AIC_ONLY;
  kernel->mix_split = r->graph->third_chip && type == 3 && kernel->type != SK_AIC_ONLY;
  if (json_object_get(object, "needMixKernelSplit") != NULL)
    kernel->mix_split = json_is_true(json_object_get(object, "needMixKernelSplit"));
  return SK_OK;
}

static sk_status read_functions(reader *r, const json_t *object, sk__kernel_info *kernel) {
  enum { UNIT_BYTES = 2048, MAX_FUNCTIONS = 4 };
  kernel->binding_copies = 1;
  sk_status status = read_u32(r, object, "resolvedNum", MAX_FUNCTIONS, &kernel->binding_copies);
  if (kernel->binding_copies == 0) kernel->binding_copies = 1;
  const json_t *functions = json_object_get(object, "resolvedFuncs");
  if (status != SK_OK || functions == NULL) return status;
  size_t count = json_array_size(functions);
  if (!json_is_array(functions) || count > MAX_FUNCTIONS) return refuse(r, "resolvedFuncs", "not a list of at most %d functions", MAX_FUNCTIONS);
  for (size_t i = 0; i < MAX_FUNCTIONS && count > 0 && status == SK_OK; i++) {
    const json_t *function = json_array_get(functions, count == 1 ? 0 : i < count ? i : 0);
    const json_t *sizes = json_object_get(function, "funcSize"), *units = json_object_get(function, "prefetchCnt");
    if (sizes != NULL) status = read_pair(r, sizes, "funcSize", kernel->code_bytes[i]);
    else if (units != NULL && (status = read_pair(r, units, "prefetchCnt", kernel->code_bytes[i])) == SK_OK)
      for (int half = 0; half < 2; half++) kernel->code_bytes[i][half] = (kernel->code_bytes[i][half] & 0xffff) * UNIT_BYTES;
  }
  return status;
}

/* The launch's attribute when it is legal, else the function's, else off. */
static void read_schedmode(const json_t *object, sk__kernel_info *kernel) {
  const json_t *mode = json_object_get(object, "schedMode");
  const json_t *values[2] = {json_object_get(mode, "launch"), json_object_get(mode, "func")};
  kernel->schedmode = 0;
  for (int i = 0; i < 2; i++) {
    if (!json_is_integer(values[i])) continue;
    json_int_t value = json_integer_value(values[i]);
    if (value != 0 && value != 1) continue;
    kernel->schedmode = (uint32_t)value;
    return;
  }
}

static sk_status read_kernel(reader *r, const json_t *task, sk__node *node) {
  const json_t *object = json_object_get(task, "kernelParams");
  if (object == NULL) return refuse(r, "taskInfo[0].kernelParams", "missing");
  r->part = "kernelParams";
  sk__kernel_info *kernel = &node->kernel;
  uint64_t group = 0;
  uint32_t vector_type = 0;
  sk_status status = read_need(r, object, "funcName");
  if (status == SK_OK) status = read_name(r, json_object_get(object, "funcName"), "funcName", MAX_NAME_BYTES, &kernel->name);
  if (status == SK_OK) status = read_need(r, object, "numBlocks");
  if (status == SK_OK) status = read_u32(r, object, "numBlocks", MAX_BLOCKS, &kernel->blocks);
  if (status == SK_OK && kernel->blocks == 0) status = refuse(r, "numBlocks", "0; legal: 1 to %d", MAX_BLOCKS);
  if (status == SK_OK) status = read_type(r, object, kernel);
  if (status == SK_OK) status = read_functions(r, object, kernel);
  if (status == SK_OK) status = read_u64(r, object, "cap", UINT64_MAX, &kernel->cap);
  if (status == SK_OK) status = read_u64(r, object, "taskGrp", UINT64_MAX, &group);
  if (status == SK_OK) status = read_u32(r, object, "aivType", UINT32_MAX, &vector_type);
  if (status != SK_OK) return status;
  read_schedmode(object, kernel);
  kernel->in_task_group = group != 0;
  kernel->simt = r->graph->third_chip && (vector_type == 3 || vector_type == 4 || json_is_true(json_object_get(object, "isSimtOp")));
  kernel->bound = !json_is_integer(json_object_get(object, "resolvedNum")) || json_integer_value(json_object_get(object, "resolvedNum")) > 0;
  const json_t *failure = json_object_get(object, "bindFail");
  if (failure != NULL && !json_is_null(failure)) {
    if ((status = read_name(r, failure, "bindFail", MAX_NAME_BYTES, &kernel->unbound_reason)) != SK_OK) return status;
    kernel->attributes_failed = strcmp(kernel->unbound_reason, "ATTR_QUERY_FAILED") == 0;
    kernel->bound = false;
  }
  r->part = NULL;
  return SK_OK;
}

/* ---- other nodes ----------------------------------------------------------------------------- */

static sk_status read_event(reader *r, const json_t *task, sk__node *node) {
  const json_t *object = json_object_get(task, "eventParams");
  const json_t *kind = json_object_get(task, "taskType");
  if (json_is_string(kind) && strncmp(json_string_value(kind), "VALUE_", 6) == 0)
    return refuse(r, "taskInfo[0]", "a value task without value and condition, as dumps from before the update have it; use the dump from after it");
  if (object == NULL) return refuse(r, "taskInfo[0].eventParams", "missing");
  r->part = "eventParams";
  sk_status status = read_need(r, object, "eventId");
  if (status == SK_OK) status = read_u64(r, object, "eventId", UINT64_MAX, &node->event_id);
  if (status == SK_OK) status = read_u32(r, object, "eventFlag", UINT32_MAX, &node->event_flag);
  if (status == SK_OK) status = read_u32(r, object, "eventTaskFlag", UINT32_MAX, &node->event_task_flag);
  r->part = NULL;
  return status;
}

static sk_status read_value(reader *r, const json_t *task, sk__node *node) {
  const char *part = node->type == SK__NODE_MEMORY_WRITE ? "valueWriteParams" : "valueWaitParams";
  const json_t *object = json_object_get(task, part);
  if (object == NULL) return refuse(r, "taskInfo[0]", "%s missing", part);
  r->part = part;
  sk_status status = read_need(r, object, "devAddr");
  if (status == SK_OK) status = read_u64(r, object, "devAddr", UINT64_MAX, &node->address);
  if (status == SK_OK) status = read_u64(r, object, "value", UINT64_MAX, &node->value);
  if (status == SK_OK) status = read_u32(r, object, "flag", 3, &node->condition);
  r->part = NULL;
  return status;
}

static sk_status read_marker(reader *r, const json_t *object, sk__node *node) {
  if (json_is_true(json_object_get(object, "isScopeBegin"))) node->marker = SK__MARK_BEGIN;
  else if (json_is_true(json_object_get(object, "isScopeEnd"))) node->marker = SK__MARK_END;
  else if (json_is_true(json_object_get(object, "isScopePlaceholder"))) node->marker = SK__MARK_PLACEHOLDER;
  else return refuse(r, "isScopeNode", "neither begin, end nor placeholder");
  const json_t *name = json_object_get(object, "scopeName");
  if (name == NULL || json_is_null(name)) return SK_OK;
  sk_status status = read_name(r, name, "scopeName", NAME_LIMIT, &node->scope);
  return status == SK_OK && node->scope[0] == '\0' ? refuse(r, "scopeName", "empty") : status;
}

static sk_status read_node(reader *r, const json_t *object, sk__node *node) {
  static const char *const kinds[] = {
#define X(name) #name,
      SK__NODE_LIST(X)
#undef X
  };
  const json_t *kind = json_object_get(object, "nodeType"), *tasks = json_object_get(object, "taskInfo");
  if (!json_is_object(object)) return refuse(r, "node", "not an object");
  if (!json_is_string(kind)) return refuse(r, "nodeType", "missing or not a text");
  size_t type = 0;
  while (type < SK__NODE_TYPES && strcmp(kinds[type], json_string_value(kind)) != 0) type++;
  if (type == SK__NODE_TYPES) {
    const char *meant = sk__nearest(json_string_value(kind), kinds, SK__NODE_TYPES);
    return refuse(r, "nodeType", "\"%.40s\" is unknown%s%s", json_string_value(kind), meant != NULL ? "; did you mean " : "",
                  meant != NULL ? meant : "");
  }
  node->type = (sk__node_type)type;
  sk_status status = read_need(r, object, "nodeId");
  if (status == SK_OK) status = read_u64(r, object, "nodeId", INT64_MAX, &node->id);
  if (status != SK_OK || node->type == SK__NODE_DEFAULT) return status;
  if (json_is_true(json_object_get(object, "isScopeNode")))
    return node->type == SK__NODE_KERNEL ? read_marker(r, object, node) : refuse(r, "isScopeNode", "only kernels mark scopes");
  const json_t *task = json_array_get(tasks, 0);
  if (!json_is_object(task)) return refuse(r, "taskInfo", "not a list of one object");
  if (node->type == SK__NODE_KERNEL) return read_kernel(r, task, node);
  bool value = node->type == SK__NODE_MEMORY_WRITE || node->type == SK__NODE_MEMORY_WAIT;
  return value ? read_value(r, task, node) : read_event(r, task, node);
}

/* ---- what the file says of itself ------------------------------------------------------------ */

/* A count that is there must be that of what is there: otherwise something was lost. */
static sk_status check_count(reader *r, const json_t *object, const char *key, size_t count) {
  uint64_t said = count;
  sk_status status = read_u64(r, object, key, INT64_MAX, &said);
  return status == SK_OK && said != count ? refuse(r, key, "%llu, but there are %zu", (unsigned long long)said, count) : status;
}

static bool has_id(const sk__graph *graph, uint64_t id) {
  size_t low = 0, high = graph->node_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (graph->nodes[middle].id < id) low = middle + 1;
    else high = middle;
  }
  return low < graph->node_count && graph->nodes[low].id == id;
}

static sk_status check_neighbour(reader *r, const json_t *node, const char *key) {
  const json_t *value = json_object_get(node, key);
  uint64_t id = 0;
  if (!json_is_integer(value)) return SK_OK; /* "none" */
  sk_status status = read_u64(r, node, key, INT64_MAX, &id);
  return status == SK_OK && !has_id(r->graph, id) ? refuse(r, key, "%llu is no node", (unsigned long long)id) : status;
}

static sk_status check_neighbours(reader *r, const json_t *streams) {
  sk_status status = SK_OK;
  for (r->stream = 0; r->stream < json_array_size(streams) && status == SK_OK; r->stream++) {
    const json_t *nodes = json_object_get(json_array_get(streams, r->stream), "nodes");
    for (r->node = 0; r->node < json_array_size(nodes) && status == SK_OK; r->node++) {
      status = check_neighbour(r, json_array_get(nodes, r->node), "preNodeId");
      if (status == SK_OK) status = check_neighbour(r, json_array_get(nodes, r->node), "nextNodeId");
    }
  }
  return status;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static sk_status read_stream(reader *r, const json_t *object, bool *seen, size_t *at) {
  uint32_t number = 0;
  sk_status status = read_need(r, object, "streamIdxInGraph");
  if (status == SK_OK) status = read_u32(r, object, "streamIdxInGraph", r->graph->stream_count - 1, &number);
  if (status != SK_OK) return status;
  if (seen[number]) return refuse(r, "streamIdxInGraph", "%u occurs twice", number);
  seen[number] = true;
  const json_t *nodes = json_object_get(object, "nodes");
  if (!json_is_array(nodes) || json_array_size(nodes) == 0) return refuse(r, "nodes", "not a list of at least one node");
  if ((status = check_count(r, object, "nodeCount", json_array_size(nodes))) != SK_OK) return status;
  for (r->node = 0; r->node < json_array_size(nodes); r->node++) {
    sk__node *node = &r->graph->nodes[*at];
    node->stream = number;
    node->position = (uint32_t)r->node;
    if ((status = read_node(r, json_array_get(nodes, r->node), node)) != SK_OK) return status;
    if (r->node > 0 && node->id < node[-1].id && r->late_stream == SIZE_MAX) {
      r->late_stream = r->stream;
      r->late_node = r->node;
      r->late_id = node->id;
      r->before_late = node[-1].id;
    }
    ++*at;
  }
  r->node = SIZE_MAX;
  return SK_OK;
}

static int by_id(const void *a, const void *b) {
  const sk__node *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

/* Nodes out of order. A graph in which two have one id is read as it is: optimising it fails, as on the real system. */
static sk_status check_order(reader *r) {
  const sk__node *nodes = r->graph->nodes;
  if (r->late_stream == SIZE_MAX) return SK_OK;
  for (size_t i = 1; i < r->graph->node_count; i++)
    if (nodes[i].id == nodes[i - 1].id) return SK_OK;
  r->stream = r->late_stream;
  r->node = r->late_node;
  return refuse(r, "nodeId", "%llu after %llu: nodes of a stream stand in capture order", (unsigned long long)r->late_id,
                (unsigned long long)r->before_late);
}

static sk_status read_device(reader *r, const json_t *dump) {
  const sk__soc *chip = sk__soc_find(NULL);
  const json_t *device = json_object_get(dump, "device"), *soc = json_object_get(dump, "soc");
  r->graph->aic_count = chip->aic_count;
  r->graph->aiv_count = chip->aiv_count;
  r->graph->third_chip = json_is_string(soc) && strcmp(json_string_value(soc), "Ascend950") == 0;
  if (soc != NULL && !json_is_null(soc) && !r->graph->third_chip)
    return refuse(r, "soc", "unknown chip; known: Ascend950 (without the key: A2/A3)");
  r->graph->implicit_resets = json_is_true(json_object_get(dump, "implicitResets"));
  sk_status status = read_u32(r, device, "aic", 1024, &r->graph->aic_count);
  if (status == SK_OK) status = read_u32(r, device, "aiv", 2048, &r->graph->aiv_count);
  return status;
}

static sk_status read_graph(reader *r, const json_t *dump) {
  if (!json_is_object(dump)) return refuse(r, "graph", "not an object");
  const json_t *streams = json_object_get(dump, "streams");
  sk_status status = read_device(r, dump);
  if (status != SK_OK) return status;
  if (!json_is_array(streams) || json_array_size(streams) == 0 || json_array_size(streams) > MAX_STREAMS)
    return refuse(r, "streams", "not a list of 1 to %d streams", MAX_STREAMS);
  size_t total = 0, at = 0;
  for (size_t s = 0; s < json_array_size(streams); s++) total += json_array_size(json_object_get(json_array_get(streams, s), "nodes"));
  status = check_count(r, dump, "totalStreams", json_array_size(streams));
  if (status == SK_OK) status = check_count(r, dump, "totalNodes", total);
  if (status != SK_OK) return status;
  if (total > SK__GRAPH_MAX_NODES) return refuse(r, "streams", "%zu nodes; at most %u", total, SK__GRAPH_MAX_NODES);
  r->graph->stream_count = (uint32_t)json_array_size(streams);
  r->graph->node_count = total;
  r->graph->nodes = sk__arena_array(r->graph->arena, sk__node, total);
  bool *seen = sk__arena_array(r->graph->arena, bool, r->graph->stream_count);
  if (r->graph->nodes == NULL || seen == NULL) return SK_OUT_OF_MEMORY;
  for (r->stream = 0; r->stream < r->graph->stream_count && status == SK_OK; r->stream++)
    status = read_stream(r, json_array_get(streams, r->stream), seen, &at);
  if (status != SK_OK) return status;
  qsort(r->graph->nodes, total, sizeof *r->graph->nodes, by_id);
  status = check_order(r);
  if (status == SK_OK) status = check_neighbours(r, streams);
  return status == SK_OK ? sk__graph_index(r->graph) : status;
}

sk_status sk__graph_from_json(const json_t *dump, sk__graph **out, char *why, size_t why_bytes) {
  reader r = {.graph = sk__graph_new(), .why = sk__text_on(why, why_bytes), .stream = SIZE_MAX, .node = SIZE_MAX, .late_stream = SIZE_MAX};
  if (r.graph == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = read_graph(&r, dump);
  if (status != SK_OK) {
    sk__text_one_line(why);
    sk__graph_free(r.graph);
    return status;
  }
  *out = r.graph;
  return SK_OK;
}

sk_status sk__graph_from_text(const char *text, size_t bytes, sk__graph **out, char *why, size_t why_bytes) {
  sk__text reason = sk__text_on(why, why_bytes);
  if (bytes > MAX_TEXT_BYTES) {
    sk__text_add(&reason, "%zu bytes of text; at most %d", bytes, MAX_TEXT_BYTES);
    return SK_PARSE;
  }
  json_error_t error;
  json_t *dump = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error); /* jansson itself bounds the nesting */
  if (dump == NULL) {
    sk__text_add(&reason, "line %d, column %d: %s", error.line, error.column, error.text);
    sk__text_one_line(why);
    return json_error_code(&error) == json_error_out_of_memory ? SK_OUT_OF_MEMORY : SK_PARSE;
  }
  sk_status status = sk__graph_from_json(dump, out, why, why_bytes);
  json_decref(dump);
  return status;
}
