/* judge.c - findings about a plan as such, before anything runs. */
#include "fuse/judge.h"

#include <stdio.h>

#include "base/text.h"
#include "fuse/planner.h"

static sk__finding finding_of(const char *id, sk__category category, sk__severity severity, const sk__kernel_info *kernel) {
  sk__finding finding = {.category = category, .severity = severity, .end_count = 1, .count = 1, .in_fused = true};
  sk__text_copy(finding.id, sizeof finding.id, id);
  finding.ends[0] = (sk__end){.role = "sub-kernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(finding.ends[0].kernel, sizeof finding.ends[0].kernel, kernel->name);
  return finding;
}

static void judge_ratio(sk__checker *checker, const sk__sk *sk, const sk__kernel_info *kernel) {
  if (kernel->type != SK_MIX_AIC_1_2 || sk->type == SK_MIX_AIC_1_2) return;
  sk__finding finding = finding_of("H6", SK__CAT_OPTIONS, SK__ERROR, kernel);
  snprintf(finding.message, sizeof finding.message, "%s is a 1:2 kernel and runs in %s, which starts one vector core per AI core",
           kernel->name, sk->name);
  snprintf(finding.remedy, sizeof finding.remedy, "ask for twice as many vector cores as cube cores");
  sk__report(checker, &finding);
}

static void judge_stale_binary(sk__checker *checker, const sk__plan *plan, const sk__kernel_info *kernel) {
  if ((kernel->cap & SK_CAP_DISABLE_DCCI) != 0 || !sk__patterns_match(&plan->options.dcci_disable_on_kernel, kernel->name)) return;
  sk__finding finding = finding_of("H16", SK__CAT_OPTIONS, SK__WARNING, kernel);
  snprintf(finding.message, sizeof finding.message,
           "dcci_disable_on_kernel names %s, whose binary was not built for it: the flush after it stays", kernel->name);
  snprintf(finding.remedy, sizeof finding.remedy, "build %s again with this option", kernel->name);
  sk__report(checker, &finding);
}

static void judge_neighbours(sk__checker *checker, const sk__kernel_info *first, const sk__kernel_info *second) {
  sk__finding finding = finding_of("H15", SK__CAT_OPTIONS, SK__WARNING, first);
  finding.end_count = 2;
  finding.ends[1] = finding.ends[0];
  sk__text_copy(finding.ends[1].kernel, sizeof finding.ends[1].kernel, second->name);
  snprintf(finding.message, sizeof finding.message, "%s and %s follow each other and neither is followed by a data cache flush",
           first->name, second->name);
  snprintf(finding.remedy, sizeof finding.remedy, "disable the flush only for kernels without scalar accesses to device memory");
  sk__report(checker, &finding);
}

static void judge_queue(sk__checker *checker, const sk__plan *plan, const sk__sk *sk, int queue) {
  const sk__op *before = NULL;
  for (size_t i = 0; i < sk->queue[queue].count; i++) {
    const sk__op *op = &sk->queue[queue].ops[i];
    if (op->type != SK__OP_FUNC) continue;
    const sk__kernel_info *kernel = &plan->graph->nodes[sk->members[op->node].value].kernel;
    judge_ratio(checker, sk, kernel);
    judge_stale_binary(checker, plan, kernel);
    if (before != NULL && (before->debug & SK__FUNC_DO_AFTER_FLUSH) == 0 && (op->debug & SK__FUNC_DO_AFTER_FLUSH) == 0)
      judge_neighbours(checker, &plan->graph->nodes[sk->members[before->node].value].kernel, kernel);
    before = op;
  }
}

void sk__judge_plan(sk__checker *checker, const sk__plan *plan) {
  for (size_t k = 0; k < plan->sk_count; k++) sk__judge_program(checker, plan, &plan->sks[k]);
  for (size_t k = 0; k < plan->sk_count; k++)
    for (int queue = SK__AIC; queue <= SK__AIV; queue++) judge_queue(checker, plan, &plan->sks[k], queue);
}

void sk__report_never_starts(sk__checker *checker, const sk__plan *plan, uint32_t number) {
  const sk__sk *sk = &plan->sks[number];
  sk__finding finding = finding_of("DEADLOCK", SK__CAT_FUSER, SK__ERROR, &plan->graph->nodes[sk->members[0].value].kernel);
  snprintf(finding.message, sizeof finding.message,
           "%s never starts: in front of it stands a wait for work that itself comes behind the SuperKernel's end", sk->name);
  snprintf(finding.remedy, sizeof finding.remedy, "end the scope in front of what waits, or begin it behind");
  sk__report(checker, &finding);
}
