/* kept.c - the SuperKernels of a segment in short, for the report: who is in which. */
#include <stdio.h>
#include <string.h>

#include "verify/kept.h"

static json_t *in_short(const char *name, const char *scopes, uint32_t blocks, json_t *kernels) {
  return json_pack("{s:s, s:s, s:I, s:o}", "name", name, "scopes", scopes, "blocks", (json_int_t)blocks, "kernels", kernels);
}

static bool is_kernel(const sk__node *node) { return node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER; }

/* The names of an SK's scopes stand in its own name: "sk_<id>_<scopes>_start_<first>_end_<last>". */
static void scopes_in(const sk__sk *sk, const char *first, char *out, size_t bytes) {
  char head[32], tail[160];
  int skip = snprintf(head, sizeof head, "sk_%u_", sk->scope_id);
  snprintf(tail, sizeof tail, "_start_%s", first);
  const char *end = strlen(sk->name) > (size_t)skip ? strstr(sk->name + skip, tail) : NULL;
  snprintf(out, bytes, "%.*s", end != NULL ? (int)(end - sk->name - skip) : 0, sk->name + skip);
}

static json_t *planned_sk(const sk__plan *plan, const sk__sk *sk) {
  json_t *kernels = json_array();
  char scopes[1024] = "";
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *node = &plan->graph->nodes[sk->members[i].value];
    if (!is_kernel(node)) continue;
    if (json_array_size(kernels) == 0) scopes_in(sk, node->kernel.name, scopes, sizeof scopes);
    json_array_append_new(kernels, json_string(node->kernel.name));
  }
  return in_short(sk->name, scopes, sk->blocks, kernels);
}

void sk__tell_plan(json_t *json, const sk__plan *plan) {
  json_t *made = json_array(), *others = json_array();
  for (size_t i = 0; i < plan->sk_count; i++) json_array_append_new(made, planned_sk(plan, &plan->sks[i]));
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    const sk__node *node = &plan->graph->nodes[i];
    if (is_kernel(node) && plan->decisions[i].sk == UINT32_MAX) json_array_append_new(others, json_string(node->kernel.name));
  }
  json_object_set_new(json, "superkernels", made);
  json_object_set_new(json, "launched_alone", others);
}

static json_t *made_sk(const sk__superkernel *made) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < made->part_count; i++)
    if (made->parts[i]->kind == SK__TASK_KERNEL) json_array_append_new(kernels, json_string(made->parts[i]->kernel->name));
  return in_short(made->name, made->scopes, made->blocks, kernels);
}

void sk__tell_made(json_t *json, sk__task *const *tasks, size_t count) {
  json_t *made = json_array(), *others = json_array();
  for (size_t i = 0; i < count; i++) {
    if (tasks[i]->kind == SK__TASK_KERNEL) json_array_append_new(others, json_string(tasks[i]->kernel->name));
    if (tasks[i]->kind == SK__TASK_SUPERKERNEL) json_array_append_new(made, made_sk(tasks[i]->superkernel));
  }
  json_object_set_new(json, "superkernels", made);
  json_object_set_new(json, "launched_alone", others);
}
