/* links.c - which kernels events join, over the whole graph: the nearest one before the record with the nearest one behind
 * each wait. */
#include <stdlib.h>

#include "fuse/planner.h"

/* The real planner stops at markers, which never become tasks, and so loses the edge. */
static bool stops_at(const sk__planner *p, uint32_t at) {
  return p->nodes[at].type == SK__NODE_KERNEL && (p->options->emulate_vendor_defects || !sk__is_marker(p, at));
}

/* Per node the nearest kernel before it, or behind it. */
static void fill_nearest(const sk__planner *p, uint32_t *nearest, bool behind) {
  for (uint32_t stream = 0; stream < p->graph->stream_count; stream++) {
    uint32_t size = p->graph->stream_sizes[stream], kernel = SK__NONE;
    for (uint32_t i = 0; i < size; i++) {
      uint32_t at = p->graph->stream_nodes[stream][behind ? size - 1 - i : i];
      nearest[at] = kernel;
      if (stops_at(p, at)) kernel = at;
    }
  }
}

static int by_kernels(const void *a, const void *b) {
  const sk__link *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

sk_status sk__find_links(sk__planner *p) {
  size_t nodes = p->graph->node_count, count = 0;
  for (size_t e = 0; e < p->events.count; e++) count += p->events.items[e].waits.count;
  uint32_t *before = sk__arena_array(&p->scratch, uint32_t, nodes), *behind = sk__arena_array(&p->scratch, uint32_t, nodes);
  p->links = sk__arena_array(&p->scratch, sk__link, count);
  if (before == NULL || behind == NULL || p->links == NULL) return SK_OUT_OF_MEMORY;
  fill_nearest(p, before, false);
  fill_nearest(p, behind, true);
  for (size_t e = 0; e < p->events.count; e++) {
    const sk__pevent *event = &p->events.items[e];
    if (event->notify == SK__NONE || before[event->notify] == SK__NONE) continue;
    for (size_t i = 0; i < event->waits.count; i++)
      if (behind[event->waits.items[i]] != SK__NONE)
        p->links[p->link_count++] = (sk__link){before[event->notify], behind[event->waits.items[i]]};
  }
  if (p->link_count > 0) qsort(p->links, p->link_count, sizeof *p->links, by_kernels);
  return SK_OK;
}

/* The first link that is not before (from, to). */
static size_t lower_bound(const sk__planner *p, sk__link key) {
  size_t low = 0, high = p->link_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (by_kernels(&p->links[middle], &key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool sk__linked(const sk__planner *p, uint32_t from, uint32_t to) {
  size_t at = lower_bound(p, (sk__link){from, to});
  return at < p->link_count && p->links[at].from == from && p->links[at].to == to;
}

const sk__link *sk__links_from(const sk__planner *p, uint32_t from, size_t *count) {
  size_t at = lower_bound(p, (sk__link){from, 0}), end = at;
  while (end < p->link_count && p->links[end].from == from) end++;
  *count = end - at;
  return p->links + at;
}
