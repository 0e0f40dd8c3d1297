/* classify.c - the checkers name what they see: two accesses without an order. What only fusing brought about
 * gets the name of the hazard it is, with that hazard's remedy; the message, with both ends, stays. */
#include <string.h>

#include "base/text.h"
#include "verify/verify.h"

static bool both_in_subs(const sk__end *a, const sk__end *b) {
  return a->task >= 0 && b->task >= 0 && a->launch == b->launch;
}

/* The streams of two sub-kernels, by every SK of the plan in which they have these places and names. */
sk__streams sk__streams_of(const sk__plan *plan, const sk__finding *finding) {
  const sk__end *a = &finding->ends[0], *b = &finding->ends[1];
  if (finding->end_count < 2 || !both_in_subs(a, b)) return SK__STREAMS_UNKNOWN;
  sk__streams found = SK__STREAMS_UNKNOWN;
  for (size_t i = 0; i < plan->sk_count; i++) {
    const sk__sk *sk = &plan->sks[i];
    if ((size_t)a->task >= sk->member_count || (size_t)b->task >= sk->member_count) continue;
    const sk__task *first = plan->graph->nodes[sk->members[a->task].value].task;
    const sk__task *second = plan->graph->nodes[sk->members[b->task].value].task;
    if (first == NULL || second == NULL || first->kernel == NULL || second->kernel == NULL) continue;
    if (strcmp(first->kernel->name, a->kernel) != 0 || strcmp(second->kernel->name, b->kernel) != 0) continue;
    sk__streams here = first->stream_index == second->stream_index ? SK__STREAMS_SAME : SK__STREAMS_DIFFER;
    if (found != SK__STREAMS_UNKNOWN && found != here) return SK__STREAMS_UNKNOWN;
    found = here;
  }
  return found;
}

/* Two vector cores of one AI core in one sub-kernel: alone the operator had one of them. */
static bool is_second_vector_core(const sk__end *a, const sk__end *b) {
  return a->task == b->task && a->core_type == SK__AIV && b->core_type == SK__AIV && a->block == b->block &&
         a->sub_block != b->sub_block;
}

static bool from_raw_index(const sk__end *a, const sk__end *b) {
  return strcmp(a->detail, SK__RAW_INDEX) == 0 || strcmp(b->detail, SK__RAW_INDEX) == 0;
}

/* Two operators that meet because of early start. The end that came last tells where in its operator it stands:
 * the earlier operator behind its SetNextTaskStart, or the later one before its WaitPreTaskEnd. */
static const char *early_id(const sk__end *a, const sk__end *b) {
  const sk__end *first = a->task < b->task ? a : b, *second = first == a ? b : a;
  if (from_raw_index(a, b)) return NULL;
  if (first->detail[0] == '\0' && second->detail[0] == '\0') return NULL;
  if (strcmp(second->detail, "before WaitPreTaskEnd") == 0) return "H25";
  if (strcmp(first->detail, "after SetNextTaskStart") == 0) return "H24";
  return second->detail[0] != '\0' ? "H24" : "H25";
}

static const char *fused_id(const sk__seen_finding *seen) {
  const sk__finding *finding = &seen->finding;
  const sk__end *a = &finding->ends[0], *b = &finding->ends[1];
  if (strcmp(finding->id, "UNINITIALISED_READ") == 0 && a->task >= 0 && a->mem != SK__MEM_GM) return "H34";
  bool same_pipe = strcmp(finding->id, "SAME_PIPE") == 0;
  bool gm = strcmp(finding->id, "SYNC_GM") == 0 || (same_pipe && a->mem == SK__MEM_GM);
  bool local = strcmp(finding->id, "SYNC_LOCAL") == 0 || (same_pipe && a->mem != SK__MEM_GM);
  if ((!gm && !local) || finding->end_count < 2 || !both_in_subs(a, b)) return NULL;
  if (a->task == b->task) {
    if (!gm || !is_second_vector_core(a, b)) return NULL;
    return from_raw_index(a, b) ? "H5" : "H4";
  }
  const char *early = early_id(a, b);
  if (early != NULL) return early;
  if (seen->streams == SK__STREAMS_DIFFER) return "H36";
  return gm ? "H18" : "H19";
}

void sk__classified(const sk__seen_finding *seen, sk__finding *out) {
  *out = seen->finding;
  const char *id = out->in_unfused ? NULL : fused_id(seen);
  const sk__hazard *hazard = id != NULL ? sk__hazard_find(id) : NULL;
  if (hazard == NULL) return;
  sk__text_copy(out->id, sizeof out->id, hazard->id);
  sk__text_copy(out->remedy, sizeof out->remedy, hazard->remedy);
  out->category = hazard->category;
}
