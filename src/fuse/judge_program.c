/* judge_program.c - an SK program checked before it runs: does every function have its cores, is nothing told to the
 * outside before all cores have finished, and does no early start reach across a barrier? What an edge without
 * synchronisation does is found when the program runs, by the accesses it leaves unordered. */
#include <stdio.h>

#include "base/text.h"
#include "fuse/judge.h"
#include "fuse/order.h"
#include "fuse/planner.h"

static uint32_t cores_of(const sk__sk *sk, int type) {
  switch (sk->type) {
    case SK_AIV_ONLY:
    case SK_MIX_AIV_1_0: return type == SK__AIV ? sk->blocks : 0;
    case SK_AIC_ONLY:
    case SK_MIX_AIC_1_0: return type == SK__AIC ? sk->blocks : 0;
    case SK_MIX_AIC_1_2: return type == SK__AIV ? 2 * sk->blocks : sk->blocks;
    default: return sk->blocks;
  }
}

static sk__finding finding_of(const sk__sk *sk, const char *kernel, const char *id) {
  sk__finding finding = {.category = SK__CAT_FUSER, .severity = SK__ERROR, .end_count = 1, .count = 1, .in_fused = true};
  sk__text_copy(finding.id, sizeof finding.id, id);
  sk__end *end = &finding.ends[0];
  *end = (sk__end){.role = "sub-kernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(end->kernel, sizeof end->kernel, kernel);
  sk__text_copy(end->detail, sizeof end->detail, sk->name);
  return finding;
}

static const char *kernel_of(const sk__plan *plan, const sk__sk *sk, const sk__op *op) {
  return plan->graph->nodes[sk->members[op->node].value].kernel.name;
}

static void judge_cores(sk__checker *checker, const sk__plan *plan, const sk__sk *sk, int type, const sk__op *op) {
  uint32_t there = cores_of(sk, type);
  if (op->blocks <= there) return;
  sk__finding finding = finding_of(sk, kernel_of(plan, sk, op), "SK_PROGRAM");
  snprintf(finding.message, sizeof finding.message, "%s is called on %u %s cores, and the SuperKernel starts %u", finding.ends[0].kernel,
           op->blocks, sk__core_type_name((sk__core_type)type), there);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "start the SuperKernel with the cores of its largest operator of each type");
  sk__report(checker, &finding);
}

/* The barrier of a whole queue; in early start the half of it that waits. */
static bool completes(const sk__op *op) {
  if (op->type != SK__OP_SYNC) return false;
  bool own = op->sync == SK__SYNC_AIC_TO_AIC || op->sync == SK__SYNC_AIV_TO_AIV;
  return op->sync == SK__SYNC_ALL_SYNC || (own && (op->early_mask & SK__EARLY_SELF_SET) == 0);
}

static void judge_notify(sk__checker *checker, const sk__plan *plan, const sk__sk *sk, const sk__queue *queue, size_t at) {
  const sk__op *before = &queue->ops[at];
  while (before-- > queue->ops)
    if (before->type == SK__OP_SYNC || before->type == SK__OP_FUNC) break;
  if (before < queue->ops || before->type != SK__OP_FUNC || before->blocks < 2) return;
  sk__finding finding = finding_of(sk, kernel_of(plan, sk, before), "H31");
  snprintf(finding.message, sizeof finding.message,
           "block 0 notifies the outside right behind %s, on %u cores, without a barrier between: who waits goes on before the others have finished",
           finding.ends[0].kernel, before->blocks);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "keep the barrier between an operator and a notify");
  sk__report(checker, &finding);
}

static void judge_early(sk__checker *checker, const sk__sk *sk, const sk__queue *queue) {
  const sk__op *open = NULL; /* an early start whose wait is still to come */
  for (size_t i = 0; i < queue->count; i++) {
    const sk__op *op = &queue->ops[i];
    if (op->type != SK__OP_SYNC) continue;
    if ((op->early_mask & SK__EARLY_SELF_SET) != 0) open = op;
    else if ((op->early_mask & SK__EARLY_SELF_WAIT) != 0) open = NULL;
    else if (open != NULL && completes(op)) {
      sk__finding finding = finding_of(sk, sk->name, "SK_PROGRAM");
      sk__text_copy(finding.message, sizeof finding.message,
                    "an early start is open across a barrier of the same cores: both count the same flag, and the barrier opens one arrival early");
      sk__text_copy(finding.remedy, sizeof finding.remedy, "end the early start before the barrier, or leave one of the two out");
      sk__report(checker, &finding);
      return;
    }
  }
}

void sk__judge_program(sk__checker *checker, const sk__plan *plan, const sk__sk *sk) {
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    const sk__queue *queue = &sk->queue[type];
    for (size_t i = 0; i < queue->count; i++) {
      const sk__op *op = &queue->ops[i];
      if (op->type == SK__OP_FUNC) judge_cores(checker, plan, sk, type, op);
      if (op->type == SK__OP_EVENT_NOTIFY && op->node != SK__NONE) judge_notify(checker, plan, sk, queue, i);
    }
    judge_early(checker, sk, queue);
  }
}
