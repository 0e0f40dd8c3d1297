/* dump_write.c - a graph as a graph dump: what dump.c reads back into the same graph. Handles, addresses and
 * argument blocks of the real system are not part of it. */
#include <stdio.h>

#include "base/file.h"
#include "graph/internal.h"

typedef struct writer {
  const sk__graph *graph;
  bool out_of_memory, bad_text;
} writer;

/* ---- values: a failure is noted and told at the end ------------------------------------------ */

static void put(writer *w, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) != 0) w->out_of_memory = true;
}
static void put_u64(writer *w, json_t *object, const char *key, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  put(w, object, key, value <= INT64_MAX ? json_integer((json_int_t)value) : json_string(text));
}
static void put_hex(writer *w, json_t *object, const char *key, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  put(w, object, key, json_string(text));
}
/* JSON holds UTF-8 only; a name of other bytes cannot be told. */
static void put_text(writer *w, json_t *object, const char *key, const char *text) {
  json_t *value = text != NULL ? json_string(text) : json_null();
  if (value == NULL) w->bad_text = true;
  else put(w, object, key, value);
}
static void put_pair(writer *w, json_t *object, const char *key, uint32_t first, uint32_t second) {
  put(w, object, key, json_pack("[I,I]", (json_int_t)first, (json_int_t)second));
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *type_name(sk_kernel_type type) {
  static const char *const names[] = {[SK_AIV_ONLY] = "AIV_ONLY", [SK_AIC_ONLY] = "AIC_ONLY", [SK_MIX_AIV_1_0] = "MIX_AIV_1_0",
                                      [SK_MIX_AIC_1_0] = "MIX_AIC_1_0", [SK_MIX_AIC_1_1] = "MIX_AIC_1_1", [SK_MIX_AIC_1_2] = "MIX_AIC_1_2"};
  return names[type];
}

/* Mix kernels of one core type occupy one queue like the plain ones: they are told as these. */
static void put_type(writer *w, json_t *object, const sk__kernel_info *kernel) {
  bool mix = kernel->type == SK_MIX_AIC_1_1 || kernel->type == SK_MIX_AIC_1_2;
  bool vector = kernel->type == SK_AIV_ONLY || kernel->type == SK_MIX_AIV_1_0;
  put(w, object, "kernelTypeInt", json_integer(mix ? 3 : vector ? 2 : 1));
  put_text(w, object, "kernelType", type_name(kernel->type));
  if (mix) put_pair(w, object, "taskRatio", kernel->has_half[SK__AIC], kernel->type == SK_MIX_AIC_1_2 ? 2 : 1);
  else put_pair(w, object, "taskRatio", !vector, vector);
}

static void put_functions(writer *w, json_t *object, const sk__kernel_info *kernel) {
  enum { FUNCTIONS = 4 };
  json_t *functions = json_array();
  bool sized = false;
  for (int i = 0; i < FUNCTIONS; i++) sized |= kernel->code_bytes[i][0] != 0 || kernel->code_bytes[i][1] != 0;
  for (int i = 0; i < FUNCTIONS && sized; i++) {
    json_t *function = json_object();
    put_pair(w, function, "funcSize", kernel->code_bytes[i][0], kernel->code_bytes[i][1]);
    if (json_array_append_new(functions, function) != 0) w->out_of_memory = true;
  }
  put(w, object, "resolvedNum", json_integer(kernel->binding_copies));
  put(w, object, "resolvedFuncs", functions);
}

static void put_kernel(writer *w, json_t *task, const sk__kernel_info *kernel) {
  json_t *object = json_object();
  put_text(w, object, "funcName", kernel->name);
  put(w, object, "numBlocks", json_integer(kernel->blocks));
  put_hex(w, object, "cap", kernel->cap);
  put_type(w, object, kernel);
  put(w, object, "needMixKernelSplit", json_boolean(kernel->mix_split));
  put(w, object, "isSimtOp", json_boolean(kernel->simt));
  put(w, object, "taskGrp", json_integer(kernel->in_task_group));
  if (kernel->schedmode <= 1) put(w, object, "schedMode", json_pack("{s:I}", "launch", (json_int_t)kernel->schedmode));
  if (!kernel->bound) put_text(w, object, "bindFail", kernel->unbound_reason != NULL ? kernel->unbound_reason : "FUNC_NOT_FOUND");
  put_functions(w, object, kernel);
  put(w, task, "kernelParams", object);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *const kinds[] = {
#define X(name) #name,
    SK__NODE_LIST(X)
#undef X
};

/* What an earlier optimisation made: a launch of its own here. */
static void put_superkernel(writer *w, json_t *object, const sk__superkernel *made) {
  json_t *info = json_object();
  put(w, info, "scopeId", json_integer(made->scope_id));
  put_text(w, info, "scopeName", made->scopes);
  put_text(w, info, "startKernelFuncName", made->first);
  put_text(w, info, "endKernelFuncName", made->last);
  put(w, object, "skinfos", info);
}

static void put_task(writer *w, json_t *object, const sk__node *node) {
  json_t *task = json_object(), *tasks = json_array();
  put_u64(w, task, "taskId", node->id);
  put(w, task, "streamId", json_integer(node->stream));
  const char *type = node->task != NULL ? sk__task_kind_name(node->task->kind) : kinds[node->type];
  put_text(w, task, "taskType", type);
  put(w, task, "taskTypeInt", json_integer(node->type));
  if (node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER) {
    put_kernel(w, task, &node->kernel);
  } else if (node->type == SK__NODE_NOTIFY || node->type == SK__NODE_WAIT || node->type == SK__NODE_RESET) {
    json_t *event = json_object();
    put_u64(w, event, "eventId", node->event_id);
    put(w, event, "eventFlag", json_integer(node->event_flag));
    put(w, event, "eventTaskFlag", json_integer(node->event_task_flag));
    put(w, task, "eventParams", event);
  } else if (node->type == SK__NODE_MEMORY_WRITE || node->type == SK__NODE_MEMORY_WAIT) {
    json_t *value = json_object();
    put_hex(w, value, "devAddr", node->address);
    put_u64(w, value, "value", node->value);
    if (node->type == SK__NODE_MEMORY_WAIT) put(w, value, "flag", json_integer(node->condition));
    put(w, task, node->type == SK__NODE_MEMORY_WRITE ? "valueWriteParams" : "valueWaitParams", value);
  }
  if (json_array_append_new(tasks, task) != 0) w->out_of_memory = true;
  put(w, object, "taskInfo", tasks);
}

static void put_neighbour(writer *w, json_t *object, const char *key, uint32_t stream, uint32_t position) {
  const sk__graph *graph = w->graph;
  if (position < graph->stream_sizes[stream]) put_u64(w, object, key, graph->nodes[graph->stream_nodes[stream][position]].id);
  else put_text(w, object, key, "none");
}

static json_t *node_json(writer *w, const sk__node *node) {
  json_t *object = json_object();
  put_u64(w, object, "nodeId", node->id);
  put(w, object, "streamIdxInGraph", json_integer(node->stream));
  put(w, object, "nodeIdxInStream", json_integer(node->position));
  put_text(w, object, "nodeType", kinds[node->type]);
  put_text(w, object, "scopeName", node->marker != SK__NO_MARKER ? node->scope : NULL);
  put(w, object, "isScopeNode", json_boolean(node->marker != SK__NO_MARKER));
  put(w, object, "isScopeBegin", json_boolean(node->marker == SK__MARK_BEGIN));
  put(w, object, "isScopeEnd", json_boolean(node->marker == SK__MARK_END));
  put(w, object, "isScopePlaceholder", json_boolean(node->marker == SK__MARK_PLACEHOLDER));
  put_neighbour(w, object, "preNodeId", node->stream, node->position - 1); /* below 0 wraps beyond the end */
  put_neighbour(w, object, "nextNodeId", node->stream, node->position + 1);
  put_task(w, object, node);
  if (node->task != NULL && node->task->kind == SK__TASK_SUPERKERNEL) put_superkernel(w, object, node->task->superkernel);
  return object;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static json_t *stream_json(writer *w, uint32_t stream) {
  json_t *object = json_object(), *nodes = json_array();
  for (uint32_t i = 0; i < w->graph->stream_sizes[stream]; i++)
    if (json_array_append_new(nodes, node_json(w, &w->graph->nodes[w->graph->stream_nodes[stream][i]])) != 0) w->out_of_memory = true;
  put(w, object, "streamIdxInGraph", json_integer(stream));
  put(w, object, "nodeCount", json_integer(w->graph->stream_sizes[stream]));
  put(w, object, "nodes", nodes);
  return object;
}

sk_status sk__graph_to_json(const sk__graph *graph, json_t **out) {
  writer w = {.graph = graph};
  json_t *dump = json_object(), *streams = json_array();
  put_text(&w, dump, "version", "1.0");
  put_text(&w, dump, "description", "graph of launches, as captured");
  put(&w, dump, "deviceId", json_integer(0));
  put(&w, dump, "device", json_pack("{s:I,s:I}", "aic", (json_int_t)graph->aic_count, "aiv", (json_int_t)graph->aiv_count));
  if (graph->third_chip) put_text(&w, dump, "soc", "Ascend950");
  if (graph->implicit_resets) put(&w, dump, "implicitResets", json_true());
  put(&w, dump, "totalStreams", json_integer(graph->stream_count));
  put(&w, dump, "totalNodes", json_integer((json_int_t)graph->node_count));
  for (uint32_t stream = 0; stream < graph->stream_count; stream++)
    if (json_array_append_new(streams, stream_json(&w, stream)) != 0) w.out_of_memory = true;
  put(&w, dump, "streams", streams);
  if (!w.out_of_memory && !w.bad_text) {
    *out = dump;
    return SK_OK;
  }
  json_decref(dump);
  return w.bad_text ? SK_INVALID_ARGUMENT : SK_OUT_OF_MEMORY;
}

sk_status sk__graph_write(const sk__graph *graph, const char *path) {
  json_t *dump = NULL;
  sk__file file;
  sk_status status = sk__graph_to_json(graph, &dump);
  if (status != SK_OK) return status;
  status = sk__file_begin(&file, path);
  if (status == SK_OK) {
    bool written = json_dumpf(dump, file.stream, JSON_INDENT(2)) == 0 && fputc('\n', file.stream) != EOF;
    if (written) {
      status = sk__file_commit(&file);
    } else {
      sk__file_abandon(&file);
      status = SK_IO;
    }
  }
  json_decref(dump);
  return status;
}
