/* links.c - which kernels events join, over the whole graph: the nearest one before the record with the nearest one behind
 * each wait. */
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

/* Links in order of their senders, those of one in order of its receivers: counted, then put in place. What is not filled yet
 * is 0, above which nothing is moved. */
static void place(sk__planner *p, const uint32_t *before, const uint32_t *behind) {
  uint32_t *end = p->link_first + 1; /* of each sender's links so far; when all stand, where the next one's begin */
  for (int put = 0; put < 2; put++) {
    for (size_t e = 0; e < p->events.count; e++) {
      const sk__pevent *event = &p->events.items[e];
      uint32_t from = event->notify == SK__NONE ? SK__NONE : before[event->notify];
      for (size_t i = 0; from != SK__NONE && i < event->waits.count; i++) {
        uint32_t to = behind[event->waits.items[i]];
        if (to == SK__NONE) continue;
        uint32_t at = end[from]++;
        for (; put != 0 && at > p->link_first[from] && p->links[at - 1] > to; at--) p->links[at] = p->links[at - 1];
        if (put != 0) p->links[at] = to;
      }
    }
    if (put == 0) { /* counts become places */
      uint32_t sum = 0;
      for (size_t n = 0; n < p->graph->node_count; n++) {
        uint32_t count = end[n];
        end[n] = sum;
        sum += count;
      }
    }
  }
}

sk_status sk__find_links(sk__planner *p) {
  size_t nodes = p->graph->node_count, count = 0;
  for (size_t e = 0; e < p->events.count; e++) count += p->events.items[e].waits.count;
  uint32_t *before = sk__arena_alloc(&p->scratch, nodes * sizeof *before), *behind = sk__arena_alloc(&p->scratch, nodes * sizeof *behind);
  p->links = sk__arena_array(&p->scratch, uint32_t, count);
  p->link_first = sk__arena_array(&p->scratch, uint32_t, nodes + 1);
  if (before == NULL || behind == NULL || p->links == NULL || p->link_first == NULL) return SK_OUT_OF_MEMORY;
  fill_nearest(p, before, false);
  fill_nearest(p, behind, true);
  place(p, before, behind);
  return SK_OK;
}

const uint32_t *sk__links_from(const sk__planner *p, uint32_t from, size_t *count) {
  *count = p->link_first[from + 1] - p->link_first[from];
  return p->links + p->link_first[from];
}

bool sk__linked(const sk__planner *p, uint32_t from, uint32_t to) {
  size_t count, low = 0;
  const uint32_t *links = sk__links_from(p, from, &count);
  for (size_t high = count; low < high;) {
    size_t middle = low + (high - low) / 2;
    if (links[middle] < to) low = middle + 1;
    else high = middle;
  }
  return low < count && links[low] == to;
}
