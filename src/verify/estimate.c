/* estimate.c - see estimate.h. */
#include "verify/estimate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sk__task_costs_free(sk__task_costs *costs) {
  free(costs->cycles);
  *costs = (sk__task_costs){NULL, NULL, 0};
}

/* Nodes and tasks both stand in order of issue. */
static void add_members(const sk__plan *plan, const sk__task_costs *costs, const sk__soc *soc, sk__sk_estimate *out) {
  size_t at = 0;
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    const sk__node *node = &plan->graph->nodes[i];
    if (node->type != SK__NODE_KERNEL || node->marker != SK__NO_MARKER) continue;
    while (at < costs->count && costs->tasks[at] != node->task) at++;
    if (at == costs->count) return;
    if (plan->decisions[i].sk == UINT32_MAX) continue;
    sk__sk_estimate *sk = &out[plan->decisions[i].sk];
    sk->unfused_launches++;
    sk->unfused_cycles += costs->cycles[at];
    sk->unfused_gaps += soc->costs.launch_cycles;
  }
}

void sk__estimate_plan(const sk__plan *plan, const sk__task_costs *costs, const uint64_t *sk_cycles, const sk__soc *soc, sk__sk_estimate *out) {
  memset(out, 0, plan->sk_count * sizeof *out);
  add_members(plan, costs, soc, out);
  for (size_t k = 0; k < plan->sk_count; k++) {
    out[k].fused_cycles = sk_cycles[k];
    out[k].fused_gaps = soc->costs.launch_cycles;
    out[k].unfused_us = (double)(out[k].unfused_cycles + out[k].unfused_gaps) / soc->costs.clock_mhz;
    out[k].fused_us = (double)(out[k].fused_cycles + out[k].fused_gaps) / soc->costs.clock_mhz;
  }
}

json_t *sk__estimate_json(const sk__sk_estimate *e) {
  return json_pack("{s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:s}", "unfused_launches", (json_int_t)e->unfused_launches, "unfused_cycles",
                   (json_int_t)e->unfused_cycles, "unfused_gap_cycles", (json_int_t)e->unfused_gaps, "fused_cycles", (json_int_t)e->fused_cycles,
                   "fused_gap_cycles", (json_int_t)e->fused_gaps, "unfused_us", e->unfused_us, "fused_us", e->fused_us, "saved_us",
                   e->unfused_us - e->fused_us, "label", "estimate from a cost model, not a measurement");
}

/* Where a number of the chip profile comes from. */
static const char *origin_of(const sk__soc *soc, const char *field) {
  size_t count = 0;
  const sk__soc_fact *facts = sk__soc_facts(soc, &count);
  for (size_t i = 0; facts != NULL && i < count; i++)
    if (strcmp(facts[i].field, field) == 0) return sk__origin_name(facts[i].origin);
  return "not told";
}

void sk__estimate_print(const sk__plan *plan, const sk__sk_estimate *estimates, const sk__soc *soc, FILE *to) {
  if (plan->sk_count == 0) return;
  fprintf(to, "estimate from the cost model of %s, not a measurement (clock %u MHz: %s; launch gap %u cycles: %s):\n", soc->name, soc->costs.clock_mhz,
          origin_of(soc, "costs.clock_mhz"), soc->costs.launch_cycles, origin_of(soc, "costs.launch_cycles"));
  for (size_t k = 0; k < plan->sk_count; k++) {
    const sk__sk_estimate *e = &estimates[k];
    double mhz = soc->costs.clock_mhz;
    fprintf(to, "  %s: un-fused %" PRIu64 " launch%s %.2f us (%.2f us of launch gaps), fused %.2f us (%.2f us), saves %.2f us\n", plan->sks[k].name,
            e->unfused_launches, e->unfused_launches == 1 ? "" : "es", e->unfused_us, (double)e->unfused_gaps / mhz, e->fused_us, (double)e->fused_gaps / mhz, e->unfused_us - e->fused_us);
  }
}
