/* course_sk.c - SKs of a course: they start, stand, let streams go on, go on themselves, and end. */
#include "fuse/course_play.h"

/* A stream that an SK released has gone on since, and is not behind its end. */
static bool is_release(const sk__tie *tie) { return tie->record != UINT32_MAX && tie->wait == UINT32_MAX; }
static bool released(const sk__play *p, uint32_t u, uint32_t stream) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (is_release(tie) && sk__play_graph(p)->nodes[tie->record].stream == stream && p->course->told[tie->record].done) return true;
  }
  return false;
}

/* Released streams go on with what the sub-kernel that released them knew. */
static sk_status let_go(sk__play *p, uint32_t u) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (p->loose[p->units.leaving[i]] || !is_release(tie) || !p->course->told[tie->record].done) continue;
    uint32_t stream = sk__play_graph(p)->nodes[tie->record].stream;
    sk_status joined = sk__stream_join(p->course->runtime, p->streams[stream], p->course->told[tie->record].order);
    if (joined != SK_OK) return joined;
    sk__play_set_clock(p, stream, p->course->told[tie->record].cycles);
  }
  return SK_OK;
}

void sk__play_close(sk__play *p, uint32_t u) {
  sk__unit *state = &p->state[u];
  uint64_t end = state->begin_cycles + state->result->stats.cycles;
  for (uint32_t i = 0; i < state->stream_count; i++) {
    if (released(p, u, state->streams[i])) continue;
    sk__stream_set_order(p->streams[state->streams[i]], sk__snapshot_ref(state->after));
    sk__stream_add_cycles(p->streams[state->streams[i]], sk__play_gap(p) + state->result->stats.cycles);
    sk__play_set_clock(p, state->streams[i], end);
  }
  p->latest_cycles = sk__later(p->latest_cycles, end);
  state->result->stats.elapsed_cycles = p->standing.count == 0 ? p->latest_cycles - p->group_cycles : 0;
  sk__snapshot_unref(state->before);
  sk__snapshot_unref(state->after);
  state->before = state->after = NULL;
  sk__play_note(p, state->result->status);
  if (p->course->finish != NULL) sk__play_note(p, p->course->finish(p->course, sk__play_sk(p, u)));
  sk__play_over(p, u);
}

/* It is over, or stands. */
static void has_run(sk__play *p, uint32_t u, sk_status status) {
  sk__unit *state = &p->state[u];
  state->result->status = status;
  sk__play_note(p, let_go(p, u));
  if (state->standing == NULL) {
    sk__play_close(p, u);
    return;
  }
  sk__play_tell(p, u, false);
  if (p->values) sk__play_look_again(p);
}

/* What it is ordered after: all that its streams did. */
static bool take_orders(const sk__play *p, sk__unit *state) {
  sk__checker *checker = sk__machine_checker(p->machine);
  state->before = sk__snapshot_new(checker, NULL);
  for (uint32_t i = 0; i < state->stream_count && state->before != NULL; i++) {
    sk__snapshot *order = sk__stream_order(p->streams[state->streams[i]]);
    if (order != NULL) sk__snapshot_join(state->before, order);
  }
  state->after = state->before != NULL ? sk__snapshot_new(checker, state->before) : NULL;
  if (state->after != NULL) return true;
  sk__snapshot_unref(state->before);
  state->before = NULL;
  return false;
}

static void set_begin(sk__play *p, sk__unit *state) {
  if (p->standing.count == 0) p->group_cycles = p->latest_cycles;
  uint64_t start = p->group_cycles;
  for (uint32_t i = 0; i < state->stream_count; i++) start = sk__later(start, sk__play_clock(p, state->streams[i]));
  sk__machine_set_begin(p->machine, start - p->group_cycles);
  p->course->begin_cycles = state->begin_cycles = start + sk__play_gap(p);
}

void sk__play_open(sk__play *p, uint32_t u) {
  sk__unit *state = &p->state[u];
  uint32_t sk = sk__play_sk(p, u);
  if (state->polls) sk__unit_list_remove(&p->polling, u);
  state->polls = false;
  state->started = true;
  if (p->course->prepare != NULL) sk__play_note(p, p->course->prepare(p->course, sk));
  state->result = &p->course->results[(*p->course->launches)++];
  *state->result = (sk__launch_result){.name = p->course->plan->sks[sk].name, .is_sk = true, .node = p->units.leader[u]};
  if (!take_orders(p, state)) {
    sk__play_note(p, SK_OUT_OF_MEMORY);
    sk__play_over(p, u);
    return;
  }
  state->news = false;
  set_begin(p, state);
  sk_status status = p->course->begin(p->course, sk, state->before, state->after, state->result, &state->standing);
  if (state->standing != NULL) sk__unit_list_add(&p->standing, u);
  has_run(p, u, status);
}

void sk__play_go_on(sk__play *p, uint32_t u) {
  sk__unit *state = &p->state[u];
  state->news = false;
  p->course->begin_cycles = state->begin_cycles;
  sk_status status = sk__machine_go_on(p->machine, &state->standing, &state->result->stats);
  if (state->standing == NULL) sk__unit_list_remove(&p->standing, u);
  has_run(p, u, status);
}
