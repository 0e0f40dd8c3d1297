/* course_value.c - values in memory that units of a course wait for. */
#include "base/memory.h"
#include "fuse/course_play.h"

static bool brought_inside(const sk__play *p, const sk__sk *sk, const sk__node *wait) {
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *node = &sk__play_graph(p)->nodes[sk->members[i].value];
    if (node->type == SK__NODE_MEMORY_WRITE && node->address == wait->address && sk__value_satisfies(node->value, wait->value, wait->condition)) return true;
  }
  return false;
}

static void list_one(sk__play *p, sk__unit *state, uint32_t **room, uint32_t node) {
  if (sk__play_graph(p)->nodes[node].type != SK__NODE_MEMORY_WAIT) return;
  if (state->value_count++ == 0) state->values = *room;
  *(*room)++ = node;
}

sk_status sk__play_list_values(sk__play *p) {
  const sk__graph *graph = sk__play_graph(p);
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++) count += graph->nodes[i].type == SK__NODE_MEMORY_WAIT;
  p->values = count > 0;
  if (!p->values) return SK_OK;
  uint32_t *room = p->value_sets = sk__calloc(count, sizeof *p->value_sets);
  if (room == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t u = 0; u < p->units.count; u++) {
    if (!sk__play_is_sk(p, u)) {
      list_one(p, &p->state[u], &room, p->units.leader[u]);
      continue;
    }
    const sk__sk *sk = &p->course->plan->sks[sk__play_sk(p, u)];
    for (size_t i = 0; i < sk->member_count; i++) {
      uint32_t node = sk->members[i].value;
      if (graph->nodes[node].type == SK__NODE_MEMORY_WAIT && !brought_inside(p, sk, &graph->nodes[node])) list_one(p, &p->state[u], &room, node);
    }
  }
  return SK_OK;
}

uint32_t sk__play_missing_value(const sk__play *p, uint32_t u) {
  for (uint32_t i = 0; i < p->state[u].value_count; i++) {
    const sk__node *wait = &sk__play_graph(p)->nodes[p->state[u].values[i]];
    if (!sk__value_is(p->course->runtime, wait->address, wait->value, wait->condition)) return p->state[u].values[i];
  }
  return SK__NONE;
}

void sk__play_look_again(sk__play *p) {
  for (size_t i = 0; i < p->standing.count && p->course->has_value != NULL; i++) {
    uint32_t u = p->standing.items[i];
    if (p->course->has_value(p->course, sk__play_sk(p, u))) p->state[u].news = true;
  }
  for (size_t i = p->polling.count; i-- > 0;) {
    uint32_t u = p->polling.items[i];
    if (sk__play_missing_value(p, u) != SK__NONE) continue;
    p->state[u].polls = false;
    p->polling.items[i] = p->polling.items[--p->polling.count];
    sk__ready_push(&p->ready, u);
  }
}
