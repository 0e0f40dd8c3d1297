/* plan_run.c - runs a planned graph: SuperKernels and what stays outside, in an order that respects streams and
 * events. */
#include "base/memory.h"
#include "fuse/ge/plan.h"
#include "fuse/judge.h"
#include "fuse/order.h"

/* ---- running --------------------------------------------------------------------------------- */

typedef struct runner {
  sk__runtime *runtime;
  const sk__ge_plan *plan;
  uint32_t *first, *adopted; /* event tasks of SK k: adopted[first[k]] .. adopted[first[k + 1]] */
  sk__launch_result *results;
  size_t *launches;
} runner;

static bool is_adopted(const sk__ge_plan *plan, uint32_t node) {
  return plan->order.decisions[node].sk != UINT32_MAX && plan->ge.nodes[node].kind == SK__GE_NODE_EVENT;
}

static sk_status sort_adopted(runner *r) {
  const sk__ge_plan *plan = r->plan;
  r->first = sk__calloc(plan->order.sk_count + 2, sizeof(uint32_t));
  r->adopted = sk__calloc(plan->graph->node_count + 1, sizeof(uint32_t));
  if (r->first == NULL || r->adopted == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->first[plan->order.decisions[i].sk + 2]++;
  for (size_t k = 0; k < plan->order.sk_count; k++) r->first[k + 2] += r->first[k + 1];
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->adopted[r->first[plan->order.decisions[i].sk + 1]++] = i;
  return SK_OK;
}

/* A wait for a record of the same SK is a matter of the program. */
static sk_status run_events(const runner *r, uint32_t sk, bool waits) {
  const sk__ge_plan *plan = r->plan;
  for (uint32_t i = r->first[sk]; i < r->first[sk + 1]; i++) {
    const sk__node *node = &plan->graph->nodes[r->adopted[i]];
    if ((node->type == SK__NODE_WAIT) != waits) continue;
    uint32_t record = plan->record[r->adopted[i]];
    if (record != UINT32_MAX && plan->order.decisions[record].sk == sk) continue;
    sk__task *task = node->task;
    sk_status status = sk__runtime_run(r->runtime, &task, 1, NULL);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static sk_status run_sk(const runner *r, uint32_t sk) {
  sk_status status = run_events(r, sk, true);
  if (status != SK_OK) return status;
  sk__launch_result *result = &r->results[(*r->launches)++];
  status = sk__ge_run(r->runtime, &r->plan->programs[sk], NULL, result);
  sk_status events = run_events(r, sk, false);
  return status != SK_OK ? status : events;
}

static sk_status run_alone(const runner *r, const sk__node *node) {
  sk__task *task = node->task;
  sk__task_result result;
  sk_status status = sk__runtime_run(r->runtime, &task, 1, &result);
  if (task->kind == SK__TASK_KERNEL)
    r->results[(*r->launches)++] = (sk__launch_result){.name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .status = result.status, .stats = result.stats};
  return status;
}

sk_status sk__ge_plan_run(sk__runtime *runtime, const sk__ge_plan *plan, sk__launch_result *results, size_t *launches) {
  runner r = {.runtime = runtime, .plan = plan, .results = results, .launches = launches};
  *launches = 0;
  if (plan->graph == NULL) return SK_INVALID_ARGUMENT;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  uint32_t *order = NULL;
  size_t count = 0;
  sk_status status = sk__plan_order(&plan->order, &order, &count);
  if (status == SK_NOT_MODELLED) sk__report_circle(runtime, &plan->order, order, count);
  if (status == SK_OK) status = sort_adopted(&r);
  sk_status worst = SK_OK;
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    uint32_t sk = plan->order.decisions[order[i]].sk;
    sk_status one = sk != UINT32_MAX ? run_sk(&r, sk) : run_alone(&r, &plan->graph->nodes[order[i]]);
    if (worst == SK_OK) worst = one;
  }
  sk__free(order);
  sk__free(r.first);
  sk__free(r.adopted);
  return status != SK_OK ? status : worst;
}
