/* course.c - which launch is next, and which run at once.
 *
 * A unit is ready when all it is tied to is over; the lowest ready one runs to its end. When none is ready and work is left,
 * an SK and work outside of it wait for each other: then an SK starts whose only open ties are waits inside of it. It runs
 * until none of its cores can go on, and stands; what it has told so far makes others ready, and they in turn let it go on.
 * When nothing can move, what stands is a deadlock. */
#include "fuse/course.h"

#include <stdio.h>

#include "base/memory.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/order.h"
#include "fuse/planner.h"

typedef struct unit {
  uint32_t open, inner;        /* ties not yet loosened; of them for waits inside it */
  bool started, over, parked;  /* parked: ready, but there are no cores for it */
  bool polls;                  /* ready, but for a value in memory */
  bool news;                   /* stands, and something it waits for was told */
  uint32_t *streams;           /* SKs: its streams, once each */
  uint32_t stream_count;
  sk__standing *standing;
  sk__snapshot *before, *after;
  sk__launch_result *result;
  uint64_t begin_cycles;       /* of an SK, its launch gap over */
} unit;

typedef struct play {
  sk__course *course;
  sk__machine *machine;
  sk__units units;
  unit *state;
  bool *loose;                 /* per tie */
  bool values;                 /* somebody waits for a value in memory */
  sk__ready ready;
  sk__stream **streams;        /* per stream of the graph */
  uint32_t *stream_sets;
  size_t standing, parked, polling;
  sk_status worst;
  /* Estimate. Launches follow one another, and what runs while an SK stands runs beside it: then streams have clocks. */
  uint64_t *clocks;            /* per stream of the graph */
  uint64_t group_cycles, latest_cycles; /* when the first of those that stand was launched; the latest end of any */
} play;

static void note(play *p, sk_status status) {
  if (p->worst == SK_OK) p->worst = status;
}
static const sk__decision *decision_of(const play *p, uint32_t u) { return &p->course->plan->decisions[p->units.leader[u]]; }
static bool is_sk(const play *p, uint32_t u) { return decision_of(p, u)->sk != UINT32_MAX; }
static bool takes_part(const sk__course *course, uint32_t node) { return course->part == NULL || course->part->member_of[node] != UINT32_MAX; }

/* What runs for a node, and where. */
static sk__task *task_of(const sk__course *course, uint32_t node) {
  sk__task *own = course->part != NULL ? course->part->tasks[node] : NULL;
  return own != NULL ? own : course->plan->graph->nodes[node].task;
}
static sk__stream *stream_of(const sk__course *course, uint32_t node) {
  sk__stream *stream = task_of(course, node)->stream;
  return course->part != NULL && stream == course->part->captured ? course->part->replayed : stream;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t gap_of(const play *p) { return sk__machine_soc(p->machine)->costs.launch_cycles; }
static uint64_t clock_of(const play *p, uint32_t stream) { return p->standing > 0 ? larger(p->clocks[stream], p->group_cycles) : p->latest_cycles; }
static void set_clock(play *p, uint32_t stream, uint64_t cycles) {
  p->clocks[stream] = cycles;
  p->latest_cycles = larger(p->latest_cycles, cycles);
}

void sk__course_tell(const sk__course *course, const sk__core *core, sk__told *told) {
  told->done = true;
  told->cycles = course != NULL ? course->begin_cycles + core->cycles[SK__PIPE_S] : 0;
}

void sk__course_hear(const sk__course *course, sk__core *core, const sk__told *told) {
  if (course == NULL || told->cycles <= course->begin_cycles) return;
  core->cycles[SK__PIPE_S] = larger(core->cycles[SK__PIPE_S], told->cycles - course->begin_cycles);
}

/* A node outside of SKs. Beside what stands it adds nothing of its own. */
static void clock_node(play *p, uint32_t at, sk__launch_result *launched) {
  const sk__graph *graph = p->course->plan->graph;
  const sk__node *node = &graph->nodes[at];
  uint64_t cycles = clock_of(p, node->stream);
  uint32_t record = node->type == SK__NODE_WAIT ? sk__record_of(graph, node) : UINT32_MAX;
  if (record != UINT32_MAX) cycles = larger(cycles, p->course->told[record].cycles);
  if (launched != NULL) cycles += gap_of(p) + launched->stats.cycles;
  if (node->type == SK__NODE_NOTIFY) p->course->told[at].cycles = cycles;
  if (p->standing == 0) return;
  if (launched != NULL) launched->stats.elapsed_cycles = 0;
  set_clock(p, node->stream, cycles);
}

/* ---- single nodes ---------------------------------------------------------------------------- */

static sk_status join_order(sk__course *course, sk__stream *stream, sk__snapshot *order) {
  if (order == NULL) return SK_OK;
  sk__snapshot *joined = sk__snapshot_new(sk__machine_checker(sk__runtime_machine(course->runtime)), sk__stream_order(stream));
  if (joined == NULL) return SK_OUT_OF_MEMORY;
  sk__snapshot_join(joined, order);
  sk__stream_set_order(stream, joined);
  return SK_OK;
}

/* The runtime's event keeps one record only, and a later record may run before an earlier one's waits: waits inside the graph
 * take what their own record told. */
static sk_status run_wait(sk__course *course, uint32_t at) {
  const sk__task *task = task_of(course, at);
  uint32_t record = sk__record_of(course->plan->graph, &course->plan->graph->nodes[at]);
  return join_order(course, stream_of(course, at), record != UINT32_MAX ? course->told[record].order : sk__event_order(task->event));
}

/* A record inside an SK has noted its order itself. */
static void run_record(sk__course *course, uint32_t at) {
  sk__told *told = &course->told[at];
  sk__stream *stream = stream_of(course, at);
  sk__snapshot *order = told->order != NULL ? told->order : sk__stream_order(stream);
  if (!told->done && order != NULL) told->order = sk__snapshot_ref(order);
  told->done = true;
  sk__event_record(task_of(course, at)->event, stream, order); /* for waits outside of the graph */
}

sk_status sk__course_node(sk__course *course, uint32_t at) {
  const sk__node *node = &course->plan->graph->nodes[at];
  sk__task *task = task_of(course, at);
  if (node->type == SK__NODE_WAIT) return run_wait(course, at);
  if (node->type == SK__NODE_NOTIFY) {
    run_record(course, at);
    return SK_OK;
  }
  if (node->type == SK__NODE_RESET && course->part != NULL && course->plan->decisions[at].sk != UINT32_MAX) return SK_OK; /* a task behind the circle */
  sk__task_result result;
  sk_status status = sk__runtime_run_one(course->runtime, task, &result);
  if (task->kind == SK__TASK_SUPERKERNEL) { /* fused before: a launch of its own */
    const sk__superkernel *made = task->superkernel;
    course->results[(*course->launches)++] = (sk__launch_result){
        .name = made->name, .is_sk = true, .type = made->type, .blocks = made->blocks, .node = at, .status = result.status, .stats = result.stats};
  }
  if (task->kind == SK__TASK_KERNEL)
    course->results[(*course->launches)++] = (sk__launch_result){
        .name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .node = at, .status = result.status, .stats = result.stats};
  return status;
}

const char *sk__course_name(sk__course *course, uint32_t at) {
  const sk__node *node = &course->plan->graph->nodes[at];
  const char *name = node->type == SK__NODE_KERNEL ? node->kernel.name : sk__task_kind_name(node->task->kind);
  const char *text = sk__arena_format(&course->names, "the %s of node %llu outside of the SuperKernel", name, (unsigned long long)node->id);
  return text != NULL ? text : "an event outside of the SuperKernel";
}

/* ---- ties ------------------------------------------------------------------------------------ */

static void loosen(play *p, uint32_t number) {
  const sk__tie *tie = &p->units.ties.items[number];
  unit *to = &p->state[tie->to];
  if (p->loose[number]) return;
  p->loose[number] = true;
  to->open--;
  if (tie->wait != UINT32_MAX && p->course->inside[tie->wait]) {
    to->inner--;
    to->news = true;
  }
  if (to->open == 0 && !to->started) sk__ready_push(&p->ready, tie->to);
}

/* What the unit has told so far; over: all of it. */
static void tell(play *p, uint32_t u, bool over) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (over || (tie->record != UINT32_MAX && p->course->told[tie->record].done)) loosen(p, p->units.leaving[i]);
  }
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Type and blocks that must fit at once; 0 blocks: no cores. */
static uint32_t cores_of(const play *p, uint32_t u, sk_kernel_type *type) {
  const sk__plan *plan = p->course->plan;
  const sk__node *node = &plan->graph->nodes[p->units.leader[u]];
  uint32_t blocks = 0;
  if (is_sk(p, u)) {
    *type = plan->sks[decision_of(p, u)->sk].type;
    blocks = plan->sks[decision_of(p, u)->sk].blocks;
  } else if (node->task->kind == SK__TASK_KERNEL) {
    *type = (sk_kernel_type)node->task->kernel->type;
    blocks = node->task->kernel->schedmode == 1 ? node->task->blocks : 1;
  } else if (node->task->kind == SK__TASK_SUPERKERNEL) {
    *type = node->task->superkernel->type;
    blocks = node->task->superkernel->blocks;
  }
  const sk__soc *soc = sk__machine_soc(p->machine);
  uint32_t most = *type == SK_AIV_ONLY || *type == SK_MIX_AIV_1_0 ? soc->aiv_count : soc->aic_count;
  return blocks < most ? blocks : most; /* the rest would wait for its turn on an empty chip too */
}

static bool fits(const play *p, uint32_t u) {
  sk_kernel_type type = SK_AIV_ONLY;
  if (p->standing == 0) return true;
  uint32_t blocks = cores_of(p, u, &type);
  return blocks == 0 || blocks <= sk__machine_room(p->machine, type);
}

static void unpark(play *p) {
  for (uint32_t u = 0; u < p->units.count && p->parked > 0; u++) {
    if (!p->state[u].parked) continue;
    p->state[u].parked = false;
    p->parked--;
    sk__ready_push(&p->ready, u);
  }
}

/* ---- values in memory ------------------------------------------------------------------------ */

static bool waits_in_vain(const play *p, uint32_t node) {
  const sk__node *wait = &p->course->plan->graph->nodes[node];
  return wait->type == SK__NODE_MEMORY_WAIT && !sk__value_is(p->course->runtime, wait->address, wait->value, wait->condition);
}

static bool brought_inside(const play *p, const sk__sk *sk, const sk__node *wait) {
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *node = &p->course->plan->graph->nodes[sk->members[i].value];
    if (node->type == SK__NODE_MEMORY_WRITE && node->address == wait->address && sk__value_satisfies(node->value, wait->value, wait->condition)) return true;
  }
  return false;
}

/* A node whose value is not there: the unit itself, or a wait inside the SK that does not write the value itself. SK__NONE. */
static uint32_t missing_value(const play *p, uint32_t u) {
  if (!is_sk(p, u)) return waits_in_vain(p, p->units.leader[u]) ? p->units.leader[u] : SK__NONE;
  const sk__sk *sk = &p->course->plan->sks[decision_of(p, u)->sk];
  for (size_t i = 0; i < sk->member_count; i++) {
    uint32_t node = sk->members[i].value;
    if (waits_in_vain(p, node) && !brought_inside(p, sk, &p->course->plan->graph->nodes[node])) return node;
  }
  return SK__NONE;
}

/* Memory may have changed: who polls looks again. */
static void look_again(play *p) {
  for (uint32_t u = 0; u < p->units.count; u++) {
    unit *state = &p->state[u];
    if (state->standing != NULL && p->course->has_value != NULL && p->course->has_value(p->course, decision_of(p, u)->sk)) state->news = true;
    if (!state->polls || missing_value(p, u) != SK__NONE) continue;
    state->polls = false;
    p->polling--;
    sk__ready_push(&p->ready, u);
  }
}

/* ---- SKs ------------------------------------------------------------------------------------- */

static void over(play *p, uint32_t u) {
  p->state[u].over = true;
  tell(p, u, true);
  if (p->parked > 0) unpark(p);
  if (p->values) look_again(p);
}

/* A stream that an SK released has gone on since, and is not behind its end. */
static bool is_release(const sk__tie *tie) { return tie->record != UINT32_MAX && tie->wait == UINT32_MAX; }
static bool released(const play *p, uint32_t u, uint32_t stream) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (is_release(tie) && p->course->plan->graph->nodes[tie->record].stream == stream && p->course->told[tie->record].done) return true;
  }
  return false;
}

/* Released streams go on with what the sub-kernel that released them knew. */
static sk_status let_go(play *p, uint32_t u) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (p->loose[p->units.leaving[i]] || !is_release(tie) || !p->course->told[tie->record].done) continue;
    sk_status joined = join_order(p->course, p->streams[p->course->plan->graph->nodes[tie->record].stream], p->course->told[tie->record].order);
    if (joined != SK_OK) return joined;
    set_clock(p, p->course->plan->graph->nodes[tie->record].stream, p->course->told[tie->record].cycles);
  }
  return SK_OK;
}

static void close_sk(play *p, uint32_t u) {
  unit *state = &p->state[u];
  uint32_t sk = decision_of(p, u)->sk;
  uint64_t end = state->begin_cycles + state->result->stats.cycles;
  for (uint32_t i = 0; i < state->stream_count; i++) {
    if (released(p, u, state->streams[i])) continue;
    sk__stream_set_order(p->streams[state->streams[i]], sk__snapshot_ref(state->after));
    sk__stream_add_cycles(p->streams[state->streams[i]], gap_of(p) + state->result->stats.cycles);
    set_clock(p, state->streams[i], end);
  }
  p->latest_cycles = larger(p->latest_cycles, end);
  state->result->stats.elapsed_cycles = p->standing == 0 ? p->latest_cycles - p->group_cycles : 0;
  sk__snapshot_unref(state->before);
  sk__snapshot_unref(state->after);
  state->before = state->after = NULL;
  note(p, state->result->status);
  if (p->course->finish != NULL) note(p, p->course->finish(p->course, sk));
  over(p, u);
}

/* It is over, or stands. */
static void has_run(play *p, uint32_t u, sk_status status) {
  unit *state = &p->state[u];
  state->result->status = status;
  note(p, let_go(p, u));
  if (state->standing == NULL) {
    close_sk(p, u);
    return;
  }
  tell(p, u, false);
  if (p->values) look_again(p);
}

static void open_sk(play *p, uint32_t u) {
  unit *state = &p->state[u];
  sk__checker *checker = sk__machine_checker(p->machine);
  uint32_t sk = decision_of(p, u)->sk;
  p->polling -= state->polls;
  state->polls = false;
  state->started = true;
  if (p->course->prepare != NULL) note(p, p->course->prepare(p->course, sk));
  state->result = &p->course->results[(*p->course->launches)++];
  *state->result = (sk__launch_result){.name = p->course->plan->sks[sk].name, .is_sk = true, .node = p->units.leader[u]};
  state->before = sk__snapshot_new(checker, NULL);
  for (uint32_t i = 0; i < state->stream_count && state->before != NULL; i++) {
    sk__snapshot *order = sk__stream_order(p->streams[state->streams[i]]);
    if (order != NULL) sk__snapshot_join(state->before, order);
  }
  state->after = state->before != NULL ? sk__snapshot_new(checker, state->before) : NULL;
  if (state->after == NULL) {
    sk__snapshot_unref(state->before);
    state->before = NULL;
    note(p, SK_OUT_OF_MEMORY);
    over(p, u);
    return;
  }
  state->news = false;
  if (p->standing == 0) p->group_cycles = p->latest_cycles;
  uint64_t start = p->group_cycles;
  for (uint32_t i = 0; i < state->stream_count; i++) start = larger(start, clock_of(p, state->streams[i]));
  sk__machine_set_begin(p->machine, start - p->group_cycles);
  p->course->begin_cycles = state->begin_cycles = start + gap_of(p);
  sk_status status = p->course->begin(p->course, sk, state->before, state->after, state->result, &state->standing);
  p->standing += state->standing != NULL;
  has_run(p, u, status);
}

static void go_on(play *p, uint32_t u) {
  unit *state = &p->state[u];
  state->news = false;
  p->course->begin_cycles = state->begin_cycles;
  sk_status status = sk__machine_go_on(p->machine, &state->standing, &state->result->stats);
  p->standing -= state->standing == NULL;
  has_run(p, u, status);
}

/* ---- nothing moves --------------------------------------------------------------------------- */

/* The node that would have told what the SK waits for, or what stands in front of it: a unit that has not run. */
static void blame(const play *p, uint32_t u, sk__hopeless *hopeless, char *why, size_t bytes) {
  const sk__graph *graph = p->course->plan->graph;
  const sk__soc *soc = sk__machine_soc(p->machine);
  for (uint32_t v = 0; v < p->units.count; v++) {
    if (!p->state[v].parked) continue;
    sk_kernel_type type = SK_AIV_ONLY;
    uint32_t blocks = cores_of(p, v, &type), room = sk__machine_room(p->machine, type);
    const char *name = is_sk(p, v) ? p->course->plan->sks[decision_of(p, v)->sk].name : graph->nodes[p->units.leader[v]].kernel.name;
    bool aiv = type == SK_AIV_ONLY || type == SK_MIX_AIV_1_0;
    snprintf(why, bytes, "and '%.80s', which has to run first, cannot start: it needs cores for %u blocks at once, and of %u %s there are %u left beside what stands",
             name, blocks, aiv ? soc->aiv_count : soc->aic_count, aiv ? "AIV" : "AI cores", room);
    *hopeless = (sk__hopeless){"H39", SK__CAT_HOST, why, "cut the scope at the wait, or use fewer blocks"};
    return;
  }
  const char *waits = NULL;
  for (size_t i = 0; i < p->units.ties.count && waits == NULL; i++) {
    const sk__tie *tie = &p->units.ties.items[i];
    if (tie->from != u || p->loose[i]) continue;
    const sk__node *node = &graph->nodes[p->units.leader[tie->to]];
    waits = is_sk(p, tie->to) ? p->course->plan->sks[decision_of(p, tie->to)->sk].name : node->type == SK__NODE_KERNEL ? node->kernel.name : sk__task_kind_name(node->task->kind);
  }
  uint32_t wait = missing_value(p, u);
  if (wait != SK__NONE) {
    snprintf(why, bytes, "which nothing that runs before the SuperKernel's end writes");
    *hopeless = (sk__hopeless){"H41", SK__CAT_OPTIONS, why, "remove value_breaker_bypass, or move the wait out of the scope"};
    return;
  }
  if (waits != NULL) snprintf(why, bytes, "which in turn waits for the SuperKernel's end: '%.80s' comes behind it", waits);
  else snprintf(why, bytes, "which nothing that is left can bring");
  *hopeless = (sk__hopeless){"DEADLOCK", SK__CAT_FUSER, why, "cut the scope at the wait"};
}

static void give_up(play *p, uint32_t u) {
  unit *state = &p->state[u];
  sk__hopeless hopeless;
  char why[240];
  blame(p, u, &hopeless, why, sizeof why);
  state->result->status = sk__machine_give_up(p->machine, &state->standing, &hopeless, &state->result->stats);
  p->standing--;
  close_sk(p, u);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void run_ready(play *p, uint32_t u) {
  if (p->values && missing_value(p, u) != SK__NONE) {
    p->state[u].polls = true;
    p->polling++;
    return;
  }
  if (!fits(p, u)) {
    p->state[u].parked = true;
    p->parked++;
    return;
  }
  if (is_sk(p, u)) {
    open_sk(p, u);
    return;
  }
  uint32_t node = p->units.leader[u];
  size_t launches = *p->course->launches;
  p->state[u].started = true;
  if (p->standing > 0) sk__machine_set_begin(p->machine, clock_of(p, p->course->plan->graph->nodes[node].stream) - p->group_cycles);
  note(p, sk__course_node(p->course, node));
  clock_node(p, node, *p->course->launches > launches ? &p->course->results[launches] : NULL);
  over(p, u);
}

/* The first unit of a kind, UINT32_MAX none. */
static uint32_t first_with_news(const play *p) {
  for (uint32_t u = 0; u < p->units.count && p->standing > 0; u++)
    if (p->state[u].standing != NULL && p->state[u].news) return u;
  return UINT32_MAX;
}
static uint32_t first_to_open(const play *p) {
  for (uint32_t u = 0; u < p->units.count; u++) {
    const unit *state = &p->state[u];
    if (state->started || !is_sk(p, u) || !fits(p, u)) continue;
    if (state->polls || (state->open > 0 && state->open == state->inner)) return u;
  }
  return UINT32_MAX;
}
static uint32_t first_standing(const play *p) {
  for (uint32_t u = 0; u < p->units.count && p->standing > 0; u++)
    if (p->state[u].standing != NULL) return u;
  return UINT32_MAX;
}

static sk_status run_all(play *p) {
  for (;;) {
    uint32_t u;
    if (p->ready.count > 0) run_ready(p, sk__ready_pop(&p->ready));
    else if ((u = first_with_news(p)) != UINT32_MAX) go_on(p, u);
    else if ((u = first_to_open(p)) != UINT32_MAX) open_sk(p, u);
    else if ((u = first_standing(p)) != UINT32_MAX) give_up(p, u);
    else break;
  }
  for (uint32_t u = 0; u < p->units.count && p->polling > 0; u++) {
    if (!p->state[u].polls) continue;
    sk__report_value_wait(p->course->runtime, p->course->plan->graph->nodes[p->units.leader[u]].task, NULL);
    note(p, SK_DEADLOCK);
  }
  for (uint32_t u = 0; u < p->units.count && p->polling == 0; u++) {
    if (p->state[u].over || !is_sk(p, u)) continue;
    sk__report_never_starts(sk__machine_checker(p->machine), p->course->plan, decision_of(p, u)->sk);
    note(p, SK_DEADLOCK);
    break;
  }
  return p->worst;
}

/* Streams of the SKs, and who they are. */
static sk_status list_streams(play *p) {
  const sk__graph *graph = p->course->plan->graph;
  p->streams = sk__calloc(graph->stream_count + 1, sizeof(sk__stream *));
  p->clocks = sk__calloc(graph->stream_count + 1, sizeof(uint64_t));
  p->stream_sets = sk__calloc(graph->node_count + 1, sizeof(uint32_t));
  if (p->streams == NULL || p->clocks == NULL || p->stream_sets == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    p->streams[graph->nodes[i].stream] = stream_of(p->course, i);
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
    unit *state = &p->state[p->units.unit_of[i]];
    bool known = false;
    for (uint32_t s = state->stream_count; s-- > 0 && !known;) known = state->streams[s] == graph->nodes[i].stream;
    if (!known) state->streams[state->stream_count++] = graph->nodes[i].stream;
  }
  return SK_OK;
}

/* Behind an SK's last sub-kernel on a stream that it releases comes whatever stands there next. */
static void mark_releases(play *p) {
  const sk__graph *graph = p->course->plan->graph;
  for (size_t i = 0; i < p->units.ties.count && p->course->releases != NULL; i++) {
    sk__tie *tie = &p->units.ties.items[i];
    if (tie->record != UINT32_MAX || !is_sk(p, tie->from) || is_sk(p, tie->to)) continue;
    const sk__node *next = &graph->nodes[p->units.leader[tie->to]];
    for (uint32_t at = next->position; at-- > 0;) {
      uint32_t node = graph->stream_nodes[next->stream][at];
      if (p->units.unit_of[node] != tie->from) continue;
      if (p->course->releases[node]) tie->record = node;
      if (p->course->releases[node] || graph->nodes[node].type == SK__NODE_KERNEL) break;
    }
  }
}

/* A record outside of the part has run as a task of its own: its event holds what it ordered. */
static void hear(play *p, const sk__tie *tie) {
  sk__course *course = p->course;
  if (tie->wait == UINT32_MAX || !takes_part(course, tie->wait) || course->told[tie->record].done) return;
  sk__snapshot *order = sk__event_order(task_of(course, tie->wait)->event);
  course->told[tie->record] = (sk__told){.done = true, .order = order != NULL ? sk__snapshot_ref(order) : NULL};
}

static sk_status prepare(play *p) {
  sk_status status = sk__units_make(p->course->plan, &p->units);
  if (status != SK_OK) return status;
  p->state = sk__calloc(p->units.count + 1, sizeof *p->state);
  p->loose = sk__calloc(p->units.ties.count + 1, sizeof(bool));
  p->ready.items = sk__calloc(p->units.count + 1, sizeof(uint32_t));
  if (p->state == NULL || p->loose == NULL || p->ready.items == NULL) return SK_OUT_OF_MEMORY;
  status = list_streams(p);
  if (status != SK_OK) return status;
  mark_releases(p);
  for (size_t i = 0; i < p->course->plan->graph->node_count; i++) p->values |= p->course->plan->graph->nodes[i].type == SK__NODE_MEMORY_WAIT;
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
  return SK_OK;
}

sk_status sk__course_run(sk__course *course) {
  play p = {.course = course, .machine = sk__runtime_machine(course->runtime)};
  sk_status status = prepare(&p);
  if (status == SK_OK) status = run_all(&p);
  for (size_t i = 0; i < course->plan->graph->node_count; i++)
    if (course->told[i].order != NULL) sk__snapshot_unref(course->told[i].order);
  sk__units_free(&p.units);
  sk__free(p.state);
  sk__free(p.loose);
  sk__free(p.ready.items);
  sk__free(p.streams);
  sk__free(p.stream_sets);
  sk__free(p.clocks);
  sk__arena_free(&course->names);
  return status;
}
