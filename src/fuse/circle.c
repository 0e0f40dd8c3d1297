/* circle.c - a circle in a fused model: SKs and work outside of them that wait for each other, run by the plan they stand in. */
#include <stdlib.h>

#include "base/memory.h"
#include "fuse/replace.h"

typedef struct plan_circle {
  sk__circle base;
  const sk__plan *plan;      /* lives as long as the context */
  const sk__maker *maker;
  void *context;
  uint32_t *member_of;       /* per node: its task in the circle, UINT32_MAX none; SKs: of all they take in */
} plan_circle;

/* ---- running --------------------------------------------------------------------------------- */

/* What stands in the model now is what runs: its arguments may be new, its stream another. */
static void take_tasks(const plan_circle *mine, sk__task *const *tasks, sk__task **of_node, sk__part *part) {
  for (size_t i = 0; i < mine->plan->graph->node_count; i++)
    if (mine->member_of[i] != UINT32_MAX && mine->plan->decisions[i].fate == SK__STAYS) of_node[i] = tasks[mine->member_of[i]];
  part->member_of = mine->member_of;
  part->tasks = of_node;
  for (uint32_t m = 0; m < mine->base.count; m++) {
    if (tasks[m]->captured == NULL) continue;
    part->captured = tasks[m]->captured;
    part->replayed = tasks[m]->replayed;
  }
}

static sk_status circle_run(sk__circle *base, sk__runtime *runtime, sk__task *const *tasks, sk__task_result *results) {
  const plan_circle *mine = (const plan_circle *)base;
  sk__launch_result *launched = sk__calloc(base->count + 1, sizeof *launched);
  sk__task **of_node = sk__calloc(mine->plan->graph->node_count + 1, sizeof(sk__task *));
  sk_status status = launched != NULL && of_node != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  size_t launches = 0;
  if (status == SK_OK) {
    sk__part part = {.captured = NULL};
    take_tasks(mine, tasks, of_node, &part);
    status = mine->maker->run(mine->context, runtime, &part, launched, &launches);
  }
  for (size_t i = 0; i < launches; i++)
    results[mine->member_of[launched[i].node]] = (sk__task_result){.status = launched[i].status, .stats = launched[i].stats};
  sk__free(launched);
  sk__free(of_node);
  return status;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void circle_free(sk__circle *base) {
  plan_circle *mine = (plan_circle *)base;
  mine->maker->drop(mine->context);
  free(mine->member_of);
  free((void *)(uintptr_t)base->issues);
  free(mine);
}

/* The circle's nodes as they were issued; parts as sk__parts_of counts them. */
static void list_issues(plan_circle *mine, sk__issue *issues, uint32_t *parts) {
  const sk__plan *plan = mine->plan;
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    uint32_t member = mine->member_of[i];
    const sk__node *node = &plan->graph->nodes[i];
    if (member == UINT32_MAX) continue;
    if (plan->decisions[i].fate == SK__STAYS) {
      issues[mine->base.issue_count++] = (sk__issue){member, UINT32_MAX};
      mine->base.host_visible |= sk__task_is_host_visible(node->task);
    } else if (sk__is_part(plan, (uint32_t)i, plan->decisions[i].sk)) {
      issues[mine->base.issue_count++] = (sk__issue){member, parts[member]++};
    }
  }
}

/* SKs by their number, other launches by their node. */
static void find_members(plan_circle *mine, const uint32_t *nodes, uint32_t *of_sk) {
  const sk__plan *plan = mine->plan;
  for (size_t k = 0; k < plan->sk_count; k++) of_sk[k] = UINT32_MAX;
  for (size_t i = 0; i < plan->graph->node_count; i++) mine->member_of[i] = UINT32_MAX;
  for (uint32_t m = 0; m < mine->base.count; m++) {
    if (plan->decisions[nodes[m]].sk != UINT32_MAX) of_sk[plan->decisions[nodes[m]].sk] = m;
    else mine->member_of[nodes[m]] = m;
  }
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->decisions[i].sk != UINT32_MAX) mine->member_of[i] = of_sk[plan->decisions[i].sk];
}

sk__circle *sk__circle_new(const sk__plan *plan, const uint32_t *nodes, uint32_t count, const sk__maker *maker, void *context) {
  size_t all = plan->graph->node_count + 1;
  plan_circle *mine = calloc(1, sizeof *mine);
  sk__issue *issues = calloc(all, sizeof *issues);
  uint32_t *member_of = calloc(all, sizeof *member_of), *of_sk = calloc(plan->sk_count + 1, sizeof *of_sk), *parts = calloc(count, sizeof *parts);
  bool good = mine != NULL && issues != NULL && member_of != NULL && of_sk != NULL && parts != NULL;
  if (good) {
    *mine = (plan_circle){.base = {.references = 1, .count = count, .issues = issues, .run = circle_run, .free = circle_free}, .plan = plan, .maker = maker,
                          .context = context, .member_of = member_of};
    find_members(mine, nodes, of_sk);
    list_issues(mine, issues, parts);
    maker->keep(context);
  } else {
    free(mine);
    free(issues);
    free(member_of);
  }
  free(of_sk);
  free(parts);
  return good ? &mine->base : NULL;
}
