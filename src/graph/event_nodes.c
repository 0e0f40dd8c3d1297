/* event_nodes.c - lists of nodes by event, sorted and searched. */
#include <stdlib.h>

#include "graph/graph.h"

static int by_event(const void *a, const void *b) {
  const sk__event_node *x = a, *y = b;
  if (x->event != y->event) return x->event < y->event ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

void sk__event_nodes_sort(sk__event_node *list, size_t count) { qsort(list, count, sizeof *list, by_event); }

size_t sk__event_nodes_find(const sk__event_node *list, size_t count, uint64_t event, uint32_t node) {
  const sk__event_node wanted = {event, node};
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (by_event(&list[middle], &wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
