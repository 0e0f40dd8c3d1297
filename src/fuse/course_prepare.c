/* course_prepare.c - a course before its first launch: units, what they are tied to, streams, and what has run already. */
#include "base/memory.h"
#include "fuse/course_play.h"

static bool takes_part(const sk__course *course, uint32_t node) { return course->part == NULL || course->part->member_of[node] != UINT32_MAX; }

/* Streams of the SKs, and who they are. */
static sk_status list_streams(sk__play *p) {
  const sk__graph *graph = sk__play_graph(p);
  p->streams = sk__calloc(graph->stream_count + 1, sizeof(sk__stream *));
  p->clocks = sk__calloc(graph->stream_count + 1, sizeof(uint64_t));
  p->stream_sets = sk__calloc(graph->node_count + 1, sizeof(uint32_t));
  if (p->streams == NULL || p->clocks == NULL || p->stream_sets == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    p->streams[graph->nodes[i].stream] = sk__course_stream(p->course, i);
    if (p->course->plan->decisions[i].sk != UINT32_MAX) p->state[p->units.unit_of[i]].stream_count++; /* room, at most */
  }
  uint32_t at = 0;
  for (uint32_t u = 0; u < p->units.count; u++) {
    p->state[u].streams = p->stream_sets + at;
    at += p->state[u].stream_count;
    p->state[u].stream_count = 0;
  }
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (p->course->plan->decisions[i].sk == UINT32_MAX) continue;
    sk__unit *state = &p->state[p->units.unit_of[i]];
    bool known = false;
    for (uint32_t s = state->stream_count; s-- > 0 && !known;) known = state->streams[s] == graph->nodes[i].stream;
    if (!known) state->streams[state->stream_count++] = graph->nodes[i].stream;
  }
  return SK_OK;
}

/* Behind an SK's last sub-kernel on a stream that it releases comes whatever stands there next. */
static void mark_releases(sk__play *p) {
  const sk__graph *graph = sk__play_graph(p);
  for (size_t i = 0; i < p->units.ties.count && p->course->releases != NULL; i++) {
    sk__tie *tie = &p->units.ties.items[i];
    if (tie->record != UINT32_MAX || !sk__play_is_sk(p, tie->from) || sk__play_is_sk(p, tie->to)) continue;
    const sk__node *next = sk__play_leader(p, tie->to);
    for (uint32_t at = next->position; at-- > 0;) {
      uint32_t node = graph->stream_nodes[next->stream][at];
      if (p->units.unit_of[node] != tie->from) continue;
      if (p->course->releases[node]) tie->record = node;
      if (p->course->releases[node] || graph->nodes[node].type == SK__NODE_KERNEL) break;
    }
  }
}

/* A record outside of the part has run as a task of its own: its event holds what it ordered. */
static void hear(sk__play *p, const sk__tie *tie) {
  sk__course *course = p->course;
  if (tie->wait == UINT32_MAX || !takes_part(course, tie->wait) || course->told[tie->record].done) return;
  sk__snapshot *order = sk__event_order(sk__course_task(course, tie->wait)->event);
  course->told[tie->record] = (sk__told){.done = true, .order = order != NULL ? sk__snapshot_ref(order) : NULL};
}

static void count_ties(sk__play *p) {
  for (uint32_t u = 0; u < p->units.count; u++)
    if (!takes_part(p->course, p->units.leader[u])) p->state[u].started = p->state[u].over = true;
  for (uint32_t i = 0; i < p->units.ties.count; i++) {
    const sk__tie *tie = &p->units.ties.items[i];
    if (p->state[tie->from].over) { /* it ran before */
      p->loose[i] = true;
      hear(p, tie);
      continue;
    }
    p->state[tie->to].open++;
    p->state[tie->to].inner += tie->wait != UINT32_MAX && p->course->inside[tie->wait];
  }
  for (uint32_t u = 0; u < p->units.count; u++)
    if (p->state[u].open == 0 && !p->state[u].started) sk__ready_push(&p->ready, u);
}

sk_status sk__play_prepare(sk__play *p) {
  sk_status status = sk__units_make(p->course->plan, &p->units);
  if (status != SK_OK) return status;
  size_t room = p->units.count + 1;
  p->state = sk__calloc(room, sizeof *p->state);
  p->loose = sk__calloc(p->units.ties.count + 1, sizeof(bool));
  p->ready.items = sk__calloc(room, sizeof(uint32_t));
  p->standing.items = sk__calloc(room, sizeof(uint32_t));
  p->polling.items = sk__calloc(room, sizeof(uint32_t));
  p->parked.items = sk__calloc(room, sizeof(uint32_t));
  if (p->state == NULL || p->loose == NULL || p->ready.items == NULL) return SK_OUT_OF_MEMORY;
  if (p->standing.items == NULL || p->polling.items == NULL || p->parked.items == NULL) return SK_OUT_OF_MEMORY;
  status = list_streams(p);
  if (status == SK_OK) status = sk__play_list_values(p);
  if (status != SK_OK) return status;
  mark_releases(p);
  count_ties(p);
  return SK_OK;
}

void sk__play_free(sk__play *p) {
  sk__units_free(&p->units);
  sk__free(p->state);
  sk__free(p->loose);
  sk__free(p->ready.items);
  sk__free(p->standing.items);
  sk__free(p->polling.items);
  sk__free(p->parked.items);
  sk__free(p->streams);
  sk__free(p->stream_sets);
  sk__free(p->value_sets);
  sk__free(p->clocks);
}
