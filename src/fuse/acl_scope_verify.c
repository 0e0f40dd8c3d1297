/* acl_scope_verify.c - aclskScopeVerify: where the scopes of a described graph have to be cut. The same passes
 * as in a plan, batch mode and deadlock, on scopes that the caller names by number. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/super_kernel.h"
#include "fuse/planner.h"

enum { MAX_BLOCKS = 65535, WHY_BYTES = 256 };

typedef struct entry { aclskScopeVerifyNodeInfo *info; size_t position; } entry; /* position in the caller's array */

typedef struct verification {
  sk__planner p;
  sk__arena arena;
  sk__graph graph;
  entry *entries;              /* per graph node */
  SK__VEC(aclskScopeVerifySplitResult) results;
  char why[WHY_BYTES];
} verification;

static aclError failed(aclError code, const char *why) {
  char text[WHY_BYTES + 32];
  snprintf(text, sizeof text, "aclskScopeVerify: %s", why);
  return sk_report_error(code, text);
}

/* ---- the description ------------------------------------------------------------------------- */

static bool is_mix(const uint32_t ratio[2]) { return ratio[0] == 1 && ratio[1] <= 2; }

/* What is wrong with a node; NULL when nothing is. */
static const char *fault_of(const aclskScopeVerifyNodeInfo *info) {
  if (info->taskId < 0) return "taskId is negative";
  if (info->streamId < 0) return "streamId is negative";
  if (info->scopeId < -1) return "scopeId; legal: -1 for no scope, and above";
  if (info->extendType != 0 || info->extendInfo != NULL) return "extendType and extendInfo must be 0";
  if ((unsigned)info->taskType > ACLSK_SCOPE_VERIFY_NODE_COMPUTE) return "taskType; legal: 0 wait, 1 notify, 2 compute";
  if (info->taskType != ACLSK_SCOPE_VERIFY_NODE_COMPUTE) return info->eventId < 0 ? "eventId is negative" : NULL;
  if (info->numBlocks == 0) return NULL;
  if (info->numBlocks > MAX_BLOCKS) return "numBlocks is above 65535";
  if (info->kernelType != ACLSK_SCOPE_VERIFY_KERNEL_CUBE && info->kernelType != ACLSK_SCOPE_VERIFY_KERNEL_VECTOR &&
      info->kernelType != ACLSK_SCOPE_VERIFY_KERNEL_MIX)
    return "kernelType of a node with blocks; legal: 1 cube, 2 vector, 3 mix";
  bool vector_only = info->taskRatio[0] == 0 && info->taskRatio[1] == 1;
  if (info->kernelType == ACLSK_SCOPE_VERIFY_KERNEL_MIX && !is_mix(info->taskRatio) && !vector_only)
    return "taskRatio; legal: 1:0, 0:1, 1:1, 1:2";
  return NULL;
}

static sk_kernel_type type_of(const aclskScopeVerifyNodeInfo *info) {
  static const sk_kernel_type mixes[] = {SK_MIX_AIC_1_0, SK_MIX_AIC_1_1, SK_MIX_AIC_1_2};
  if (info->kernelType == ACLSK_SCOPE_VERIFY_KERNEL_CUBE) return SK_AIC_ONLY;
  if (info->kernelType == ACLSK_SCOPE_VERIFY_KERNEL_VECTOR) return SK_AIV_ONLY;
  return info->taskRatio[0] == 0 ? SK_MIX_AIV_1_0 : mixes[info->taskRatio[1]];
}

static int by_task(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->info->taskId != y->info->taskId) return x->info->taskId < y->info->taskId ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static int by_stream(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void make_node(sk__node *node, const aclskScopeVerifyNodeInfo *info) {
  *node = (sk__node){.id = (uint64_t)info->taskId, .type = SK__NODE_DEFAULT};
  if (info->taskType != ACLSK_SCOPE_VERIFY_NODE_COMPUTE) {
    node->type = info->taskType == ACLSK_SCOPE_VERIFY_NODE_WAIT ? SK__NODE_WAIT : SK__NODE_NOTIFY;
    node->event_id = (uint64_t)info->eventId;
  } else if (info->numBlocks > 0) {
    node->type = SK__NODE_KERNEL;
    node->kernel = (sk__kernel_info){.name = "operator", .type = type_of(info), .blocks = info->numBlocks,
                                     .schedmode = info->scheMode == 1, .bound = true, .binding_copies = 1};
  }
}

/* Streams in dense numbers, ascending. */
static sk_status number_streams(verification *v) {
  size_t count = v->graph.node_count;
  int64_t *ids = sk__arena_array(&v->arena, int64_t, count);
  if (ids == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) ids[i] = v->entries[i].info->streamId;
  qsort(ids, count, sizeof *ids, by_stream);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || ids[i] != ids[i - 1]) ids[kept++] = ids[i];
  v->graph.stream_count = (uint32_t)kept;
  for (size_t i = 0; i < count; i++) {
    const int64_t *found = bsearch(&v->entries[i].info->streamId, ids, kept, sizeof *ids, by_stream);
    v->graph.nodes[i].stream = (uint32_t)(found - ids);
  }
  return SK_OK;
}

/* SK_INVALID_ARGUMENT: v->why tells what is wrong with the description. */
static sk_status make_graph(verification *v, const aclskScopeVerifyGraphInfo *described, const sk__soc *soc) {
  size_t count = described->nodeCount;
  v->graph = (sk__graph){.soc = soc, .aic_count = soc->aic_count, .aiv_count = soc->aiv_count, .node_count = count, .arena = &v->arena,
                         .implicit_resets = true};
  v->entries = sk__arena_array(&v->arena, entry, count);
  v->graph.nodes = sk__arena_array(&v->arena, sk__node, count);
  if (v->entries == NULL || v->graph.nodes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const char *fault = fault_of(&described->nodes[i]);
    if (fault != NULL) {
      snprintf(v->why, sizeof v->why, "nodes[%zu]: %s", i, fault);
      return SK_INVALID_ARGUMENT;
    }
    v->entries[i] = (entry){&described->nodes[i], i};
  }
  qsort(v->entries, count, sizeof *v->entries, by_task);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && v->entries[i].info->taskId == v->entries[i - 1].info->taskId) {
      snprintf(v->why, sizeof v->why, "nodes[%zu] and nodes[%zu] have the same taskId", v->entries[i - 1].position, v->entries[i].position);
      return SK_INVALID_ARGUMENT;
    }
    make_node(&v->graph.nodes[i], v->entries[i].info);
  }
  sk_status status = number_streams(v);
  return status == SK_OK ? sk__graph_index(&v->graph) : status;
}

/* ---- cutting --------------------------------------------------------------------------------- */

static sk_status add_result(verification *v, uint32_t node, aclskScopeVerifySplitType type, aclskScopeVerifySplitReason reason) {
  aclskScopeVerifySplitResult result = {.splitNode = v->entries[node].info, .splitType = type, .splitReason = reason};
  return sk__vec_push(&v->results, result) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* One scope per number, in order of first appearance; its nodes by task id. */
static sk_status make_scopes(verification *v) {
  size_t count = v->graph.node_count;
  for (size_t i = 0; i < count; i++) {
    int32_t number = v->entries[i].info->scopeId;
    bool known = number < 0;
    for (size_t s = 0; s < v->p.scopes.count && !known; s++) known = v->entries[v->p.scopes.items[s].nodes.items[0]].info->scopeId == number;
    if (known) continue;
    sk__scope scope = {.main = SK__NONE, .trigger = SK__NONE, .last_before_move = SK__NONE};
    size_t members = 0;
    for (size_t j = i; j < count; j++) members += v->entries[j].info->scopeId == number;
    scope.nodes.items = sk__arena_array(&v->p.scratch, uint32_t, members);
    if (scope.nodes.items == NULL) return SK_OUT_OF_MEMORY;
    for (size_t j = i; j < count; j++)
      if (v->entries[j].info->scopeId == number) scope.nodes.items[scope.nodes.count++] = (uint32_t)j;
    sk_status status = sk__scope_streams(&v->p, &scope);
    if (status != SK_OK) return status;
    if (!sk__vec_push(&v->p.scopes, scope)) return SK_OUT_OF_MEMORY;
  }
  return SK_OK;
}

/* What the passes leave out of every scope stays outside. */
static sk_status add_excluded(verification *v) {
  bool *kept = sk__arena_array(&v->p.scratch, bool, v->graph.node_count);
  if (kept == NULL) return SK_OUT_OF_MEMORY;
  for (size_t s = 0; s < v->p.scopes.count; s++)
    for (size_t i = 0; i < v->p.scopes.items[s].nodes.count; i++) kept[v->p.scopes.items[s].nodes.items[i]] = true;
  sk_status status = SK_OK;
  for (uint32_t i = 0; i < v->graph.node_count && status == SK_OK; i++)
    if (v->entries[i].info->scopeId >= 0 && !kept[i])
      status = add_result(v, i, ACLSK_SCOPE_VERIFY_SPLIT_EXCLUDE_NODE, ACLSK_SCOPE_VERIFY_DEADLOCK_DETECTED);
  return status;
}

static int by_node(const void *a, const void *b) {
  const aclskScopeVerifySplitResult *x = a, *y = b;
  return x->splitNode->taskId < y->splitNode->taskId ? -1 : x->splitNode->taskId > y->splitNode->taskId;
}

static sk_status cut_scopes(verification *v) {
  sk_status status = make_scopes(v);
  if (status == SK_OK) status = sk__schedmode_split(&v->p);
  for (size_t s = 0; s < v->p.scopes.count && status == SK_OK; s++)
    if (v->p.scopes.items[s].broken == SK__BREAK_SYNCALL_OP_DROP)
      status = add_result(v, v->p.scopes.items[s].trigger, ACLSK_SCOPE_VERIFY_SPLIT_BEFORE_NODE, ACLSK_SCOPE_VERIFY_SYNCALL_OP_DROP);
  if (status == SK_OK) status = sk__deadlock_refine(&v->p);
  if (status == SK_OK) status = add_excluded(v);
  if (status == SK_OK && v->results.count > 0) qsort(v->results.items, v->results.count, sizeof *v->results.items, by_node);
  return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static aclError run(verification *v, const aclskScopeVerifyGraphInfo *described, const sk__soc *soc) {
  for (size_t i = 0; i < described->nodeCount; i++)
    if (described->nodes[i].flag != 0)
      return failed(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "nodes with core counts known at run time only are not modelled");
  sk_status status = make_graph(v, described, soc);
  if (status == SK_INVALID_ARGUMENT) return failed(ACL_ERROR_INVALID_PARAM, v->why);
  sk__fuse_options options = sk__fuse_defaults();
  v->p = (sk__planner){.graph = &v->graph, .options = &options, .keep = &v->arena, .why = sk__text_on(v->why, sizeof v->why)};
  if (status == SK_OK) status = sk__classify(&v->p);
  if (status == SK_STATE) return failed(ACL_ERROR_INVALID_PARAM, v->why); /* an event recorded twice */
  if (status == SK_OK) status = cut_scopes(v);
  if (status == SK_OK) return ACL_SUCCESS;
  return status == SK_OUT_OF_MEMORY ? failed(ACL_ERROR_BAD_ALLOC, "no host memory") : failed(ACL_ERROR_FAILURE, v->why);
}

aclError aclskScopeVerify(const aclskScopeVerifyGraphInfo *verifyGraph, size_t maxSplitResultCount,
                          aclskScopeVerifySplitResult *splitResults, size_t *realSplitResultCount) {
  if (realSplitResultCount == NULL) return failed(ACL_ERROR_INVALID_PARAM, "realSplitResultCount is NULL");
  *realSplitResultCount = 0;
  if (verifyGraph == NULL || (verifyGraph->nodes == NULL && verifyGraph->nodeCount > 0)) return failed(ACL_ERROR_INVALID_PARAM, "no graph");
  if (splitResults == NULL && maxSplitResultCount > 0) return failed(ACL_ERROR_INVALID_PARAM, "splitResults is NULL");
  if (verifyGraph->extendType != 0 || verifyGraph->extendInfo != NULL)
    return failed(ACL_ERROR_INVALID_PARAM, "extendType and extendInfo of the graph must be 0");
  if (verifyGraph->nodeCount > SK__GRAPH_MAX_NODES) return failed(ACL_ERROR_INVALID_PARAM, "more than a million nodes");
  if (verifyGraph->nodeCount == 0) return ACL_SUCCESS;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  verification *v = sk__calloc(1, sizeof *v);
  if (v == NULL) return failed(ACL_ERROR_BAD_ALLOC, "no host memory");
  aclError error = run(v, verifyGraph, sk__machine_soc(sk__runtime_machine(runtime)));
  if (error == ACL_SUCCESS) {
    *realSplitResultCount = v->results.count;
    if (v->results.count > maxSplitResultCount) error = failed(ACL_ERROR_INVALID_PARAM, "more results than fit; realSplitResultCount tells how many");
    for (size_t i = 0; i < v->results.count && error == ACL_SUCCESS; i++) splitResults[i] = v->results.items[i];
  }
  if (v->p.graph != NULL) sk__planner_free(&v->p);
  sk__vec_free(&v->results);
  sk__arena_free(&v->arena);
  sk__free(v);
  return error;
}
