/* print.c - a plan for people. */
#include <stdio.h>
#include <string.h>

#include "fuse/fuse.h"

static const char *const type_names[] = {"AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_1_1", "MIX_1_2"};

static const char *member_name(const sk__plan *plan, const sk__sk *sk, uint32_t member) {
  const sk__node *node = &plan->graph->nodes[sk->members[member].value];
  return node->type == SK__NODE_KERNEL ? node->kernel.name : "event";
}

static const char *sync_text(sk__sync sync) {
  switch (sync) {
    case SK__SYNC_ALL_SYNC: return "ALL";
    case SK__SYNC_AIC_TO_AIC: return "b11";
    case SK__SYNC_AIV_TO_AIV: return "b14";
    case SK__SYNC_SET_AIC_TO_AIV: return "s13";
    case SK__SYNC_SET_AIV_TO_AIC: return "s12";
    case SK__SYNC_WAIT_AIC_TO_AIV: return "w13";
    case SK__SYNC_WAIT_AIV_TO_AIC: return "w12";
    case SK__SYNC_EARLY_START: break;
  }
  return "early";
}

static void print_op(const sk__plan *plan, const sk__sk *sk, const sk__op *op, FILE *to) {
  switch (op->type) {
    case SK__OP_FUNC: fprintf(to, " %s", member_name(plan, sk, op->node)); return;
    case SK__OP_PRELOAD: fprintf(to, " P:%s", member_name(plan, sk, op->node)); return;
    case SK__OP_SYNC:
      if (op->early_mask == 0) fprintf(to, " %s", sync_text(op->sync));
      else if ((op->early_mask & (1 | 16)) != 0) fprintf(to, " [set %s, count %u]", sync_text(op->sync) + 1, op->blocks);
      else if ((op->early_mask & (2 | 32)) != 0) fprintf(to, " [wait %s, count %u]", sync_text(op->sync) + 1, op->blocks);
      else fprintf(to, " [%s, count %u]", sync_text(op->sync), op->blocks);
      return;
    case SK__OP_EVENT_NOTIFY:
    case SK__OP_EVENT_WAIT:
    case SK__OP_EVENT_RESET: {
      const char *verb = op->type == SK__OP_EVENT_NOTIFY ? "N" : op->type == SK__OP_EVENT_WAIT ? "W" : "R";
      if (op->event->word != UINT32_MAX) fprintf(to, " %s:%s", verb, plan->words[op->event->word].label);
      else fprintf(to, " %s:0x%llx", verb, (unsigned long long)op->event->address);
      return;
    }
  }
}

static void print_cut(const sk__plan *plan, const sk__sk *sk, FILE *to) {
  if (sk->cut_by.value == UINT32_MAX) return;
  static const char *const kinds[] = {"kernel", "event record", "event wait", "event reset", "value write", "value wait", "task"};
  const sk__node *node = &plan->graph->nodes[sk->cut_by.value];
  const char *what = node->marker != SK__NO_MARKER ? "scope marker" : node->type == SK__NODE_KERNEL ? node->kernel.name : kinds[node->type];
  fprintf(to, "  ended by %s (node %llu): %s\n", what, (unsigned long long)node->id, sk->cut);
}

static void print_value_waits(const sk__plan *plan, const sk__sk *sk, FILE *to) {
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *wait = &plan->graph->nodes[sk->members[i].value];
    if (sk__waits_for_nobody(plan->graph, wait))
      fprintf(to, "  warning H41: the wait for a value at 0x%llx (node %llu) was fused, and nobody in this graph writes it: the SuperKernel polls "
                  "for it and holds all its cores; remove value_breaker_bypass, or move the wait out of the scope\n",
              (unsigned long long)wait->address, (unsigned long long)wait->id);
  }
}

static void print_sk(const sk__plan *plan, const sk__sk *sk, FILE *to) {
  uint32_t aic = sk->type == SK_AIV_ONLY ? 0 : sk->blocks;
  uint32_t aiv = sk->type == SK_AIC_ONLY ? 0 : sk->blocks * (sk->type == SK_MIX_AIC_1_2 ? 2 : 1);
  fprintf(to, "%s\n  %s, %u blocks: %u cube and %u vector cores, in place of node %llu\n", sk->name, type_names[sk->type],
          sk->blocks, aic, aiv, (unsigned long long)plan->graph->nodes[sk->main.value].id);
  fprintf(to, "  operators:");
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *node = &plan->graph->nodes[sk->members[i].value];
    if (node->type == SK__NODE_KERNEL) fprintf(to, " %s(%s x %u)", node->kernel.name, type_names[node->kernel.type], node->kernel.blocks);
  }
  fprintf(to, "\n");
  for (int queue = 0; queue < 2; queue++) {
    if (sk->queue[queue].count == 0) continue;
    fprintf(to, "  %s:", queue == SK__AIC ? "AIC" : "AIV");
    for (size_t i = 0; i < sk->queue[queue].count; i++) print_op(plan, sk, &sk->queue[queue].ops[i], to);
    fprintf(to, "\n");
  }
  print_cut(plan, sk, to);
  print_value_waits(plan, sk, to);
}

static void print_unfused(const sk__plan *plan, FILE *to) {
  bool headed = false;
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    const sk__node *node = &plan->graph->nodes[i];
    const sk__decision *decision = &plan->decisions[i];
    if (decision->fate != SK__STAYS || node->type != SK__NODE_KERNEL) continue;
    if (!headed) fprintf(to, "not fused:\n");
    headed = true;
    sk__why why = sk__why_of(decision);
    fprintf(to, "  %s (node %llu): %s%s%s", node->kernel.name, (unsigned long long)node->id, why.reason,
            why.sub_reason != NULL ? " / " : "", why.sub_reason != NULL ? why.sub_reason : "");
    if (why.text != NULL) fprintf(to, ": %s", why.text);
    if (why.advice != NULL) fprintf(to, "; %s", why.advice);
    fprintf(to, "\n");
  }
}

void sk__plan_print(const sk__plan *plan, FILE *to) {
  if (plan->sk_count == 0) fprintf(to, "no SuperKernel\n");
  for (size_t i = 0; i < plan->sk_count; i++) print_sk(plan, &plan->sks[i], to);
  print_unfused(plan, to);
}
