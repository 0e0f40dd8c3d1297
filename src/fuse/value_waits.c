/* value_waits.c - H41: a value wait that was fused though nobody in the graph writes what it waits for. A writer behind the
 * SuperKernel needs no look: the planner's deadlock rules keep such a wait out. */
#include "fuse/fuse.h"
#include "fuse/planner.h"

bool sk__waits_for_nobody(const sk__graph *graph, const sk__node *wait) {
  if (wait->type != SK__NODE_MEMORY_WAIT) return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const sk__node *node = &graph->nodes[i];
    bool writes = node->type == SK__NODE_MEMORY_WRITE && node->address == wait->address;
    if (writes && sk__value_satisfies(node->value, wait->value, wait->condition)) return false;
  }
  return true;
}
