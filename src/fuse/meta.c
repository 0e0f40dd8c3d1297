/* meta.c - what one call of the optimizer saw and did, in the files that the real one writes. A file that cannot be
 * written is logged; the call itself goes on. */
#include "fuse/meta.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

enum { PATH_BYTES = 256 };

struct sk__meta {
  char directory[PATH_BYTES];
  FILE *split;
};

static bool make_directory(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

static FILE *open_file(const sk__meta *meta, const char *name) {
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", meta->directory, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) sk__log(SK__LOG_WARNING, "%s: %s", path, strerror(errno));
  return file;
}

static void close_file(FILE *file, const char *name) {
  bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed) sk__log(SK__LOG_WARNING, "%s cannot be written: %s", name, strerror(errno));
}

sk__meta *sk__meta_open(void) {
  static unsigned calls; /* the runtime has no numbers for its models: the call counts for both */
  const char *asked = getenv("ASCEND_OP_COMPILE_SAVE_KERNEL_META");
  if (asked == NULL || strcmp(asked, "1") != 0) return NULL;
  sk__meta *meta = calloc(1, sizeof *meta);
  if (meta == NULL) return NULL;
  unsigned number = calls++;
  long pid = (long)getpid();
  bool made = make_directory("sk_meta");
  snprintf(meta->directory, sizeof meta->directory, "sk_meta/%ld", pid);
  made = made && make_directory(meta->directory);
  snprintf(meta->directory, sizeof meta->directory, "sk_meta/%ld/model_%u_%u", pid, number, number + 1);
  if (!made || !make_directory(meta->directory)) {
    sk__log(SK__LOG_WARNING, "%s cannot be made: %s", meta->directory, strerror(errno));
    free(meta);
    return NULL;
  }
  meta->split = open_file(meta, "sk_scope_split.log");
  return meta;
}

FILE *sk__meta_split_log(sk__meta *meta) { return meta != NULL ? meta->split : NULL; }

/* ---- logs ------------------------------------------------------------------------------------ */

static const char *const kinds[] = {
#define X(name) #name,
    SK__NODE_LIST(X)
#undef X
};

static void print_nodes(const sk__graph *graph, const sk__plan *plan, FILE *to) {
  static const char *const fates[] = {"stays", "fused", "launch", "removed", "boundary"};
  static const char *const markers[] = {"", " scope begin", " scope end", " scope placeholder"};
  for (size_t i = 0; i < graph->node_count; i++) {
    const sk__node *node = &graph->nodes[i];
    fprintf(to, "node %" PRIu64 " stream %u position %u %s%s", node->id, node->stream, node->position, kinds[node->type], markers[node->marker]);
    if (node->marker != SK__NO_MARKER) fprintf(to, " %s", node->scope != NULL ? node->scope : "None");
    else if (node->type == SK__NODE_KERNEL) fprintf(to, " %s blocks %u cap 0x%" PRIx64 " schedmode %u", node->kernel.name, node->kernel.blocks, node->kernel.cap, node->kernel.schedmode);
    if (plan != NULL) {
      sk__why why = sk__why_of(&plan->decisions[i]);
      fprintf(to, " %s %s%s%s", fates[plan->decisions[i].fate], why.reason, why.sub_reason != NULL ? "/" : "", why.sub_reason != NULL ? why.sub_reason : "");
    }
    fputc('\n', to);
  }
}

static void print_members(const sk__plan *plan, FILE *to) {
  for (size_t k = 0; k < plan->sk_count; k++) {
    fprintf(to, "%s: entry %s, launched in place of node %" PRIu64 "\n", plan->sks[k].name, plan->sks[k].entry, plan->graph->nodes[plan->sks[k].main.value].id);
    for (size_t i = 0; i < plan->sks[k].member_count; i++) {
      const sk__node *node = &plan->graph->nodes[plan->sks[k].members[i].value];
      fprintf(to, "  task %zu: node %" PRIu64 " %s %s\n", i, node->id, kinds[node->type], node->type == SK__NODE_KERNEL ? node->kernel.name : "");
    }
  }
}

static void print_reasons(const sk__plan *plan, FILE *to) {
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    const sk__node *node = &plan->graph->nodes[i];
    const sk__decision *decision = &plan->decisions[i];
    if (decision->fate != SK__STAYS || node->type != SK__NODE_KERNEL) continue;
    sk__why why = sk__why_of(decision);
    fprintf(to, "not fused: %s (node %" PRIu64 "): %s%s%s: %s; %s\n", node->kernel.name, node->id, why.reason, why.sub_reason != NULL ? "/" : "",
            why.sub_reason != NULL ? why.sub_reason : "", why.text, why.advice != NULL ? why.advice : "");
  }
  for (size_t k = 0; k < plan->sk_count; k++) {
    fprintf(to, "fused scope: %s: break reason %s", plan->sks[k].name, plan->sks[k].cut);
    if (plan->sks[k].cut_by.value != UINT32_MAX) fprintf(to, " at node %" PRIu64, plan->graph->nodes[plan->sks[k].cut_by.value].id);
    fputc('\n', to);
  }
}

/* ---- what the entry kernel is given ----------------------------------------------------------- */

/* One task record: the fields that a core reads. Addresses of the device are none here, so entries and events go by what they
 * stand for. */
static void print_record(const sk__plan *plan, const sk__op *op, FILE *to) {
  static const char *const types[] = {
#define X(name, value) [value] = #name,
      SK__TASK_TYPE_LIST(X)
#undef X
  };
  fprintf(to, "index %" PRIu32 " type %s numBlocks %" PRIu32 " entryCnt %" PRIu32, op->node, types[op->type], op->blocks, op->copy_count);
  for (uint32_t i = 0; i < op->copy_count; i++) fprintf(to, "%s%u", i == 0 ? " entry " : ",", op->copies[i]);
  switch (op->type) {
    case SK__OP_FUNC: fprintf(to, " debugOptions %" PRIu32 " extraInfo %" PRIu32, op->debug, op->early_mask); break;
    case SK__OP_SYNC: fprintf(to, " args %u (%s) extraInfo %" PRIu32, (unsigned)op->sync, sk__sync_name(op->sync), op->early_mask); break;
    case SK__OP_PRELOAD: fprintf(to, " args %" PRIu32 " units", op->preload_units); break;
    default:
      if (op->event->word != UINT32_MAX) fprintf(to, " args %s", plan->words[op->event->word].label);
      else fprintf(to, " args 0x%" PRIx64, op->event->address);
      fprintf(to, " value %" PRIu64, op->event->value);
      if (op->type == SK__OP_EVENT_WAIT) fprintf(to, " extraInfo %" PRIu32, op->event->condition);
  }
  fputc('\n', to);
}

static void print_dfx(const sk__node *node, size_t index, FILE *to) {
  const sk__kernel_info *kernel = &node->kernel;
  bool aic = kernel->type != SK_AIV_ONLY && kernel->type != SK_MIX_AIV_1_0, aiv = kernel->type != SK_AIC_ONLY && kernel->type != SK_MIX_AIC_1_0;
  fprintf(to, "  dfx %zu: %s numBlocks %" PRIu32 " cubeNum %" PRIu32 " vecNum %" PRIu32 " code size %" PRIu32 " %" PRIu32 "\n", index, kernel->name, kernel->blocks,
          aic ? kernel->blocks : 0, !aiv ? 0 : kernel->type == SK_MIX_AIC_1_2 ? 2 * kernel->blocks : kernel->blocks, kernel->code_bytes[0][SK__AIC],
          kernel->code_bytes[0][SK__AIV]);
}

static void write_device_args(const sk__meta *meta, const sk__plan *plan) {
  FILE *to = open_file(meta, "sk_device_args.log");
  if (to == NULL) return;
  for (size_t k = 0; k < plan->sk_count; k++) {
    const sk__sk *sk = &plan->sks[k];
    fprintf(to, "%s: scopeId %" PRIu32 " nodeCnt %zu entry %s\n", sk->name, sk->scope_id, sk->member_count, sk->entry);
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      fprintf(to, "  %s queue, 4 copies: numBlocks %" PRIu32 " taskCnt %zu\n", type == SK__AIC ? "AIC" : "AIV", sk->queue[type].blocks, sk->queue[type].count);
      for (size_t i = 0; i < sk->queue[type].count; i++) {
        fputs("    ", to);
        print_record(plan, &sk->queue[type].ops[i], to);
      }
    }
    for (size_t i = 0; i < sk->member_count; i++) {
      const sk__node *node = &plan->graph->nodes[sk->members[i].value];
      if (node->type == SK__NODE_KERNEL) print_dfx(node, i, to);
    }
  }
  close_file(to, "sk_device_args.log");
}

static void write_logs(const sk__meta *meta, const sk__graph *origin, const sk__plan *plan, const char *why) {
  static const char *const names[] = {"sk_node_detail.log", "sk_fused_nodes.log", "sk_fusion_fail_reasons.log", "super_kernel.log"};
  for (int i = 0; i < 4; i++) {
    FILE *to = open_file(meta, names[i]);
    if (to == NULL) continue;
    bool all = i == 3;
    if (i == 0 || all) print_nodes(origin, plan, to);
    if ((i == 1 || all) && plan != NULL) print_members(plan, to);
    if ((i == 2 || all) && plan != NULL) print_reasons(plan, to);
    if (all && plan != NULL) sk__plan_print(plan, to);
    if (plan == NULL && (i >= 2)) fprintf(to, "the model is not fused: %s\n", why);
    close_file(to, names[i]);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_json(const sk__meta *meta, const char *name, json_t *json) {
  FILE *to = json != NULL ? open_file(meta, name) : NULL;
  if (json == NULL) sk__log(SK__LOG_WARNING, "%s/%s cannot be written: no memory, or a name is not UTF-8", meta->directory, name);
  if (to != NULL) {
    if (json_dumpf(json, to, JSON_INDENT(2)) != 0) sk__log(SK__LOG_WARNING, "%s/%s cannot be written", meta->directory, name);
    fputc('\n', to);
    close_file(to, name);
  }
  json_decref(json);
}

/* Options are in the plan's own JSON. */
static void write_graph(const sk__meta *meta, const char *name, const sk__graph *graph, json_t *plan_json) {
  json_t *json = NULL;
  if (sk__graph_to_json(graph, &json) != SK_OK) json = NULL;
  if (json != NULL && plan_json != NULL) {
    json_object_set(json, "options", json_object_get(plan_json, "options"));
    json_object_set(json, "inner_options", json_object_get(plan_json, "inner_options"));
  }
  write_json(meta, name, json);
}

void sk__meta_close(sk__meta *meta, const sk__graph *origin, const sk__plan *plan, const char *why, sk__task *const *tasks, size_t count) {
  if (meta == NULL) return;
  if (meta->split != NULL) close_file(meta->split, "sk_scope_split.log");
  if (origin != NULL) {
    json_t *queues = plan != NULL ? sk__plan_json(plan) : NULL;
    sk__graph *updated = NULL;
    write_logs(meta, origin, plan, why);
    write_graph(meta, "sk_graph_origin.json", origin, queues);
    if (plan != NULL && sk__graph_from_tasks(origin->soc, tasks, count, &updated) == SK_OK) write_graph(meta, "sk_graph_updated.json", updated, queues);
    if (plan != NULL) write_json(meta, "sk_task_queue.json", json_incref(queues));
    if (plan != NULL) write_device_args(meta, plan);
    sk__graph_free(updated);
    json_decref(queues);
  }
  free(meta);
}
