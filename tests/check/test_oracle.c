/* test_oracle.c - random programs: order and shadow against a graph that is searched for paths.
 *
 * The oracle knows nothing of clocks. Every instruction is a node; its ancestors are a bit set, built
 * from the edges that the documents name. Per byte it keeps the last writing node and all nodes that
 * read or atomically updated since. The verdict of the shadow is taken byte for byte, before findings
 * are merged, by wrapping sk__probe_trouble at link time. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check/shadow.h"
#include "meet.h"

#define NODES 1280
#define WORDS (NODES / 64)
#define CORES 4u /* cores 0..1 are AIC, 2..3 AIV in the small chip below */
#define GM_SPAN (3 * 4096u)
#define LOCAL_SPAN (2 * 4096u)
#define EVENTS 6
#define MESSAGES 3

typedef struct bits { uint64_t word[WORDS]; } bits;

static void bits_set(bits *b, int node) { b->word[node / 64] |= UINT64_C(1) << (node % 64); }
static bool bits_have(const bits *b, int node) { return (b->word[node / 64] >> (node % 64) & 1) != 0; }
static void bits_or(bits *b, const bits *from) {
  for (int i = 0; i < WORDS; i++) b->word[i] |= from->word[i];
}
static bool bits_outside(const bits *a, const bits *b) { /* something of a that is not in b */
  for (int i = 0; i < WORDS; i++)
    if ((a->word[i] & ~b->word[i]) != 0) return true;
  return false;
}

/* ---- the graph ------------------------------------------------------------------------------- */

enum { NOBODY = -1, HOST = -2 };

typedef struct byte_state { int writer; bits readers, atomics; } byte_state;

typedef struct core_state {
  sk__order order;
  int head[SK__PIPE_SLOTS]; /* what the next instruction of the pipe starts after */
  bits pending[SK__PIPE_SLOTS]; /* issued since, perhaps not complete */
  int launch_node, begin_node;
  bool event_full[EVENTS];
  sk__pipe event_src[EVENTS], event_dst[EVENTS];
  int event_node[EVENTS];
  sk__event_clock event_clock[EVENTS];
  int last_end; /* node of its last launch's end, NOBODY */
} core_state;

typedef struct world {
  sk__rng rng;
  bool strict, relaunch_any;
  sk__checker *checker;
  bits ancestors[NODES];
  int nodes;
  uint8_t actor[NODES]; /* core and pipe of an instruction */
  core_state core[CORES];
  sk__snapshot *message[MESSAGES];
  bits message_nodes[MESSAGES]; /* publishing nodes with their ancestors */
  sk__meeting meeting;
  byte_state gm[GM_SPAN], local[CORES][LOCAL_SPAN];
  uint64_t gm_base;
  uint64_t conflicts, fresh, accesses;
} world;

static int new_node(world *w) { return w->nodes++; }
static void edge(world *w, int from, int to) {
  if (from < 0) return;
  bits_set(&w->ancestors[to], from);
  bits_or(&w->ancestors[to], &w->ancestors[from]);
}
static void edges(world *w, const bits *from, int to) {
  for (int n = 0; n < to; n++)
    if (bits_have(from, n)) edge(w, n, to);
}
/* A node that is issued to the pipe: after the scalar unit and after what the pipe must start after. */
static int issue_node(world *w, core_state *c, sk__pipe p) {
  int node = new_node(w);
  edge(w, c->head[SK__PIPE_S], node);
  edge(w, c->head[p], node);
  return node;
}
/* A node that waits until everything on the pipe is complete. */
static int drain_node(world *w, core_state *c, sk__pipe p) {
  int node = issue_node(w, c, p);
  edges(w, &c->pending[p], node);
  return node;
}
static void all_pipes_after(core_state *c, int node) {
  for (int p = 0; p < SK__PIPE_SLOTS; p++) {
    c->head[p] = node;
    memset(&c->pending[p], 0, sizeof(bits));
  }
}
static void edges_from_core(world *w, const core_state *c, int node) {
  for (int p = 0; p < SK__PIPES; p++) {
    edge(w, c->head[p], node);
    edges(w, &c->pending[p], node);
  }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

enum { AFTER_WRITER = 1, AFTER_ACCESSOR = 2, FRESH = 4 };
static uint8_t *seen_verdict; /* of the bytes of the current access */
static uint64_t seen_low, seen_high;

void __wrap_sk__probe_trouble(sk__probe *probe, sk__trouble trouble, uint64_t other, uint16_t other_origin,
                              bool other_writes, uint64_t low, uint64_t high);
void __wrap_sk__probe_trouble(sk__probe *probe, sk__trouble trouble, uint64_t other, uint16_t other_origin,
                              bool other_writes, uint64_t low, uint64_t high) {
  (void)other;
  (void)other_origin;
  probe->met = true; /* as the real one does */
  assert_true(low >= seen_low && high <= seen_high && low < high);
  if (trouble == SK__TROUBLE_FRESH && probe->any) return; /* told to whoever fills such memory, no finding */
  uint8_t bit = trouble == SK__TROUBLE_FRESH ? FRESH : other_writes ? AFTER_WRITER : AFTER_ACCESSOR;
  for (uint64_t a = low; a < high; a++) seen_verdict[a - seen_low] |= bit;
}

/* What earlier instructions of the node's own pipe and launch read or updated is overwritten in order, also when same-pipe
 * accesses are judged. */
static bool rivals(const world *w, const bits *accessors, const bits *ordered, int node, int launch_node) {
  if (!bits_outside(accessors, ordered)) return false;
  if (!w->strict && !bits_have(accessors, node)) return true;
  bits rest = *ordered;
  for (int n = launch_node; n < node; n++)
    if (bits_have(accessors, n) && w->actor[n] == w->actor[node]) bits_set(&rest, n);
  return bits_outside(accessors, &rest);
}

/* What is ordered before the node's accesses; an earlier launch has left local memory. */
static bits ordered_before(const world *w, int node, bool local, const core_state *c) {
  bits ordered = w->ancestors[node];
  bits_set(&ordered, node); /* what this very instruction did */
  for (int n = 0; local && n < c->launch_node; n++) bits_set(&ordered, n);
  return ordered;
}

static uint8_t judge(const world *w, byte_state *b, int node, sk__access kind, bool local, const core_state *c,
                     const bits *ordered) {
  uint8_t verdict = 0;
  /* A write of the very instruction is one of its pipe's like any other. */
  bool own_write = w->strict && b->writer == node && w->actor[node] % SK__PIPE_SLOTS != SK__PIPE_S;
  if (b->writer >= 0 && (own_write || !bits_have(ordered, b->writer))) verdict |= AFTER_WRITER;
  bool has_atomic = false;
  for (int i = 0; i < WORDS; i++) has_atomic |= b->atomics.word[i] != 0;
  bool fresh = local ? b->writer < c->begin_node : b->writer == NOBODY && !has_atomic;
  if (kind == SK__READ || (kind == SK__ATOMIC && !local)) verdict |= fresh ? FRESH : 0;
  bool is_write = kind == SK__WRITE || (local && kind == SK__ATOMIC);
  if (is_write || kind == SK__ATOMIC) verdict |= rivals(w, &b->readers, ordered, node, c->launch_node) ? AFTER_ACCESSOR : 0;
  if (is_write || kind == SK__READ || kind == SK__READ_ANY)
    verdict |= rivals(w, &b->atomics, ordered, node, c->launch_node) ? AFTER_ACCESSOR : 0;
  if (is_write) {
    memset(b, 0, sizeof *b);
    b->writer = node;
  } else {
    bits_set(kind == SK__ATOMIC ? &b->atomics : &b->readers, node);
  }
  return verdict;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static uint32_t below(world *w, uint32_t n) { return sk__rng_below(&w->rng, n); }

/* Lengths and places that meet the levels: whole pages, chunks, blocks, odd bytes. */
static void pick_range(world *w, uint32_t span, uint32_t *at, uint32_t *bytes) {
  static const uint32_t grains[] = {4096, 1024, 256, 256, 32, 32, 4, 1};
  uint32_t grain = grains[below(w, 8)];
  uint32_t places = span / grain;
  *at = below(w, places) * grain;
  *bytes = (1 + below(w, 4)) * grain;
  if (below(w, 8) == 0) *at += below(w, grain);
  if (below(w, 8) == 0) *bytes += below(w, 64);
  if (*bytes > span - *at) *bytes = span - *at;
}

static const char *const instrs[] = {"load", "store", "add"};
static const char code[64];

static void one_access(world *w, core_state *c, uint32_t core, sk__pipe p, int node, bool local, sk__access kind) {
  uint32_t at, bytes;
  pick_range(w, local ? LOCAL_SPAN : GM_SPAN, &at, &bytes);
  uint32_t pieces = 1, stride = 0, way = local ? below(w, 3) : 3, extent = bytes;
  if (way == 0) { /* several pieces, which may touch */
    stride = bytes + below(w, 3) * (below(w, 2) == 0 ? 32 : bytes);
    if (bytes <= 256 && below(w, 2) == 0) stride = 256 * (1 + below(w, 3)); /* a column of chunks */
    while (pieces < 9 && at + pieces * stride + bytes <= LOCAL_SPAN) pieces++;
    extent = (pieces - 1) * stride + bytes;
  }
  uint64_t address = (local ? sk__local_slot(core) : w->gm_base) + at;
  uint8_t *expected = calloc(extent, 1), *seen = calloc(extent, 1);
  bits ordered = ordered_before(w, node, local, c);
  for (uint32_t piece = 0; piece < pieces; piece++)
    for (uint32_t i = piece * stride; i < piece * stride + bytes; i++)
      expected[i] = judge(w, local ? &w->local[core][at + i] : &w->gm[at + i], node, kind, local, c, &ordered);
  seen_verdict = seen;
  seen_low = address;
  seen_high = address + extent;
  const void *site = code + 1 + below(w, 3);
  const char *instr = instrs[below(w, 3)];
  sk__local_range range = {address, bytes, kind};
  switch (way) {
    case 0: sk__shadow_local_strided(w->checker, &c->order, p, kind, address, pieces, bytes, stride, site, instr); break;
    case 1: sk__shadow_local_ranges(w->checker, &c->order, p, &range, 1, site, instr); break;
    case 2: sk__shadow_local(w->checker, &c->order, p, kind, address, bytes, site, instr); break;
    default: sk__shadow_gm(w->checker, &c->order, p, kind, address, bytes, site, instr); break;
  }
  for (uint32_t i = 0; i < extent; i++) {
    if (seen[i] != expected[i]) {
      print_error("node %d core %u pipe %d kind %d %s+0x%x byte 0x%x: seen %d expected %d\n", node, core, p, kind,
                  local ? "local" : "gm", at, at + i, seen[i], expected[i]);
      fail();
    }
    w->conflicts += (expected[i] & (AFTER_WRITER | AFTER_ACCESSOR)) != 0;
    w->fresh += (expected[i] & FRESH) != 0;
  }
  w->accesses++;
  free(expected);
  free(seen);
}

static const sk__pipe aiv_pipes[] = {SK__PIPE_S, SK__PIPE_V, SK__PIPE_MTE2, SK__PIPE_MTE3};
static const sk__pipe aic_pipes[] = {SK__PIPE_M, SK__PIPE_MTE1, SK__PIPE_MTE3, SK__PIPE_FIX};

static sk__pipe any_pipe(world *w, uint32_t core) { return core < 2 ? aic_pipes[below(w, 4)] : aiv_pipes[below(w, 4)]; }

static void step_instruction(world *w, core_state *c, uint32_t core) {
  sk__pipe p = any_pipe(w, core);
  int node = issue_node(w, c, p);
  w->actor[node] = (uint8_t)(core * SK__PIPE_SLOTS + p);
  sk__order_issue(&c->order, p);
  uint32_t accesses = 1 + below(w, 2);
  for (uint32_t i = 0; i < accesses; i++) {
    bool local = below(w, 2) == 0;
    static const sk__access kinds[] = {SK__READ, SK__READ, SK__WRITE, SK__ATOMIC, SK__READ_ANY};
    one_access(w, c, core, p, node, local, kinds[below(w, local ? 5 : 4)]);
  }
  if (!w->strict || p == SK__PIPE_S) c->head[p] = node;
  else bits_set(&c->pending[p], node);
}

/* ---- synchronisation ------------------------------------------------------------------------- */

static void step_flag(world *w, core_state *c, uint32_t core) {
  uint32_t e = below(w, EVENTS);
  if (!c->event_full[e]) {
    c->event_src[e] = any_pipe(w, core);
    c->event_dst[e] = any_pipe(w, core);
    sk__order_set_flag(&c->order, c->event_src[e], &c->event_clock[e]);
    c->event_node[e] = drain_node(w, c, c->event_src[e]);
  } else {
    sk__pipe dst = c->event_dst[e];
    sk__order_wait_flag(&c->order, dst, &c->event_clock[e]);
    int node = issue_node(w, c, dst);
    edge(w, c->event_node[e], node);
    c->head[dst] = node;
  }
  c->event_full[e] = !c->event_full[e];
}

static void step_barrier(world *w, core_state *c, uint32_t core) {
  if (below(w, 3) == 0) {
    sk__order_barrier(&c->order, SK__PIPE_ALL);
    int node = new_node(w);
    edges_from_core(w, c, node);
    all_pipes_after(c, node);
    return;
  }
  sk__pipe p = any_pipe(w, core);
  if (p == SK__PIPE_S) return;
  sk__order_barrier(&c->order, p);
  int node = drain_node(w, c, p);
  c->head[p] = node;
  memset(&c->pending[p], 0, sizeof(bits));
}

static void step_message(world *w, core_state *c, uint32_t core) {
  uint32_t m = below(w, MESSAGES);
  uint32_t what = below(w, 5);
  if (what == 0) {
    sk__snapshot_unref(w->message[m]);
    w->message[m] = NULL;
    memset(&w->message_nodes[m], 0, sizeof(bits));
  } else if (what < 3) {
    sk__pipe p = any_pipe(w, core);
    sk__order_publish(w->checker, &c->order, p, &w->message[m]);
    bits_set(&w->message_nodes[m], drain_node(w, c, p));
  } else if (w->message[m] != NULL) {
    sk__order_acquire(w->checker, &c->order, w->message[m]);
    int node = issue_node(w, c, SK__PIPE_S);
    edges(w, &w->message_nodes[m], node);
    c->head[SK__PIPE_S] = node;
  }
}

static void step_sync_all(world *w) {
  sk__order *orders[CORES];
  uint32_t n = 0;
  int node = new_node(w);
  uint32_t mask = 1 + below(w, (1u << CORES) - 1);
  for (uint32_t i = 0; i < CORES; i++) {
    if ((mask >> i & 1) == 0) continue;
    orders[n++] = &w->core[i].order;
    edges_from_core(w, &w->core[i], node);
  }
  cores_meet_in(w->checker, &w->meeting, orders, n);
  for (uint32_t i = 0; i < CORES; i++)
    if ((mask >> i & 1) != 0) all_pipes_after(&w->core[i], node);
}

static void begin_launch(world *w, core_state *c, uint32_t core, const bits *before_nodes, sk__snapshot *before) {
  c->order.enabled = true;
  sk__snapshot *begin = sk__snapshot_launch(w->checker, before);
  sk__order_begin(w->checker, &c->order, core, begin);
  sk__snapshot_unref(begin);
  int node = new_node(w);
  edges(w, before_nodes, node);
  all_pipes_after(c, node);
  c->launch_node = c->begin_node = node;
  memset(c->event_full, 0, sizeof c->event_full);
}

/* Ends a launch into a snapshot and starts another one behind it (or, if any order will do, behind nothing). */
static void step_relaunch(world *w, core_state *c, uint32_t core) {
  sk__snapshot *after = sk__snapshot_new(w->checker, NULL);
  int end = new_node(w);
  edges_from_core(w, c, end);
  sk__order_end(w->checker, &c->order, after);
  bits before = {0};
  bits_set(&before, end);
  uint32_t m = below(w, MESSAGES);
  if (w->message[m] != NULL) { /* as if another stream had finished too */
    sk__snapshot_join(after, w->message[m]);
    bits_or(&before, &w->message_nodes[m]);
  }
  if (w->relaunch_any && below(w, 2) == 0) {
    memset(&before, 0, sizeof before);
    begin_launch(w, c, core, &before, NULL);
  } else {
    begin_launch(w, c, core, &before, after);
  }
  sk__snapshot_unref(after);
}

static void step_host(world *w) {
  uint32_t at, bytes;
  pick_range(w, GM_SPAN, &at, &bytes);
  bool reset = below(w, 2) == 0;
  if (reset) sk__shadow_gm_reset(w->checker, w->gm_base + at, bytes);
  else sk__shadow_gm_host_write(w->checker, w->gm_base + at, bytes);
  for (uint32_t i = 0; i < bytes; i++) {
    memset(&w->gm[at + i], 0, sizeof w->gm[0]);
    w->gm[at + i].writer = reset ? NOBODY : HOST;
  }
}

static void step(world *w) {
  uint32_t core = below(w, CORES), what = below(w, 100);
  core_state *c = &w->core[core];
  if (what < 50) step_instruction(w, c, core);
  else if (what < 74) step_flag(w, c, core);
  else if (what < 80) step_barrier(w, c, core);
  else if (what < 93) step_message(w, c, core);
  else if (what < 95) step_sync_all(w);
  else if (what < 97) step_relaunch(w, c, core);
  else if (what < 98) step_host(w);
  else {
    sk__order_begin_sub(&c->order);
    c->begin_node = w->nodes; /* instructions from here on */
  }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const sk__soc chip = {.name = "small", .aic_count = 2, .aiv_count = 2};

static void run_program(world *w, uint64_t seed, uint32_t number) {
  bool strict = w->strict, any = w->relaunch_any;
  sk__checker *checker = w->checker;
  uint64_t conflicts = w->conflicts, fresh = w->fresh, accesses = w->accesses;
  memset(w, 0, sizeof *w);
  w->strict = strict;
  w->relaunch_any = any;
  w->checker = checker;
  w->conflicts = conflicts;
  w->fresh = fresh;
  w->accesses = accesses;
  w->rng = sk__rng_from_seed(seed + number);
  w->gm_base = SK__GM_BASE + (uint64_t)number * 2 * GM_SPAN;
  for (uint32_t i = 0; i < GM_SPAN; i++) w->gm[i].writer = NOBODY;
  for (uint32_t k = 0; k < CORES; k++)
    for (uint32_t i = 0; i < LOCAL_SPAN; i++) w->local[k][i].writer = NOBODY;
  bits nothing = {0};
  for (uint32_t k = 0; k < CORES; k++) begin_launch(w, &w->core[k], k, &nothing, NULL);
  while (w->nodes < NODES - 4) step(w);
  for (uint32_t k = 0; k < CORES; k++) sk__order_end(checker, &w->core[k].order, NULL);
  for (uint32_t m = 0; m < MESSAGES; m++) sk__snapshot_unref(w->message[m]);
}

static void run_programs(const char *name, uint32_t programs, bool strict, bool any, uint32_t threads) {
  uint64_t seed = sk_test_seed(name);
  world *w = calloc(1, sizeof *w);
  w->strict = strict;
  w->relaunch_any = any;
  assert_int_equal(sk__checker_create(&chip, &w->checker), SK_OK);
  sk__checker_set_same_pipe(w->checker, strict);
  sk__checker_set_threads(w->checker, threads);
  for (uint32_t i = 0; i < programs; i++) run_program(w, seed, i);
  print_message("%llu accesses, %llu bytes in conflict, %llu fresh\n", (unsigned long long)w->accesses,
                (unsigned long long)w->conflicts, (unsigned long long)w->fresh);
  assert_true(w->conflicts > 1000 && w->fresh > 1000); /* the test tests something */
  sk__meeting_end(&w->meeting);
  sk__checker_destroy(w->checker);
  free(w);
}

static void test_verdicts_equal_the_graph(void **state) {
  (void)state;
  run_programs("verdicts_equal_the_graph", 12, false, false, 1);
}
static void test_verdicts_equal_the_graph_same_pipe_judged(void **state) {
  (void)state;
  run_programs("same_pipe_judged", 8, true, false, 1);
}
static void test_page_locks_change_nothing(void **state) {
  (void)state;
  run_programs("page_locks", 3, false, false, 2);
}
/* Launches of streams without an event between them share cores: a later one's clocks do not cover an earlier one. */
static void test_unordered_launches_equal_the_graph(void **state) {
  (void)state;
  run_programs("unordered_launches", 6, false, true, 1);
}

SK_TESTS(SK_TEST(test_verdicts_equal_the_graph), SK_TEST(test_verdicts_equal_the_graph_same_pipe_judged),
         SK_TEST(test_page_locks_change_nothing), SK_TEST(test_unordered_launches_equal_the_graph))
