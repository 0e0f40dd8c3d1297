/* Random graphs: whatever the plan, each kernel runs once on each of its queues, the flags of the two queues
 * pair up and never block for ever, and whoever depends on a task runs when all its cores have ended. */
#include "base/rng.h"
#include "graph_text.h"

enum { MAX_TASKS = 64, STREAMS = 3, ROUNDS = 3000 };

/* ---- graphs ---- */

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t used = strlen(text);
  vsnprintf(text + used, 4096 - used, format, arguments);
  va_end(arguments);
}

static void random_graph(sk__rng *rng, char *text) {
  int events = 0, open[26], open_count = 0, owner[26];
  uint32_t tasks = 4 + sk__rng_below(rng, 36), unbound_in = 4 + sk__rng_below(rng, 60);
  text[0] = '\0';
  for (uint32_t i = 0; i < tasks; i++) {
    uint32_t stream = sk__rng_below(rng, STREAMS), dice = sk__rng_below(rng, 10);
    if (dice < 7) {
      add(text, "%uk%u:%c%u%s%s ", stream, i, "CVmM"[sk__rng_below(rng, 4)], 1 + sk__rng_below(rng, 24),
          sk__rng_below(rng, unbound_in) == 0 ? "!" : "", sk__rng_below(rng, 8) == 0 ? "*" : "");
    } else if (dice == 7 && events < 26) {
      add(text, "%uN(%c) ", stream, 'a' + events);
      owner[events] = (int)stream;
      open[open_count++] = events++;
    } else if (open_count > 0) {
      int pick = (int)sk__rng_below(rng, (uint32_t)open_count), event = open[pick];
      add(text, "%dW(%c) ", (owner[event] + 1 + (int)sk__rng_below(rng, STREAMS - 1)) % STREAMS, 'a' + event);
      if (sk__rng_below(rng, 3) != 0) open[pick] = open[--open_count];
    }
  }
  for (int stream = 0; stream < STREAMS; stream++) add(text, "%dz%d:V1 ", stream, stream);
  for (int event = 0; event < events; event++) {
    add(text, "%dW(%c) ", (owner[event] + 1) % STREAMS, 'a' + event);
    add(text, "%dR(%c) ", owner[event], 'a' + event);
  }
}

/* ---- an SK as two threads that know what has ended ---- */

typedef struct known { uint64_t ended[2]; } known; /* tasks by member number, per half */
typedef struct walk {
  const sk__plan *plan;
  const sk__sk *sk;
  size_t at[2], stage[2]; /* stage inside an ALL_SYNC */
  known now[2];
  uint64_t started[2];    /* halves that were called, known or not */
  known box[2][64];       /* messages to each queue */
  size_t box_begin[2], box_end[2];
  uint64_t needs[MAX_TASKS], halves[2]; /* tasks a member depends on; members with a half on each queue */
  uint64_t calls[2];
} walk;

static void barrier(walk *w, int queue) { w->now[queue].ended[queue] |= w->started[queue]; }
static void send(walk *w, int queue) {
  int to = 1 - queue;
  assert_true(w->box_end[to] - w->box_begin[to] < 64);
  w->box[to][w->box_end[to]++ % 64] = w->now[queue];
}
static bool receive(walk *w, int queue) {
  if (w->box_begin[queue] == w->box_end[queue]) return false;
  const known *message = &w->box[queue][w->box_begin[queue]++ % 64];
  for (int half = 0; half < 2; half++) w->now[queue].ended[half] |= message->ended[half];
  return true;
}

static void check_needs(const walk *w, int queue, uint32_t member) {
  for (int half = 0; half < 2; half++) {
    uint64_t missing = w->needs[member] & w->halves[half] & ~w->now[queue].ended[half];
    if (missing == 0) continue;
    sk__plan_print(w->plan, stdout);
    print_message("member %u on queue %d runs before member %d has ended on queue %d\n", member, queue, __builtin_ctzll(missing), half);
    fail();
  }
}

/* One instruction; false: it must wait. */
static bool step(walk *w, int queue) {
  const sk__op *op = &w->sk->queue[queue].ops[w->at[queue]];
  if (op->type == SK__OP_SYNC) {
    bool both = w->sk->type == SK_MIX_AIC_1_1 || w->sk->type == SK_MIX_AIC_1_2;
    switch (op->sync) {
      case SK__SYNC_AIC_TO_AIC:
      case SK__SYNC_AIV_TO_AIV: barrier(w, queue); break;
      case SK__SYNC_SET_AIC_TO_AIV:
      case SK__SYNC_SET_AIV_TO_AIC: send(w, queue); break;
      case SK__SYNC_WAIT_AIC_TO_AIV:
      case SK__SYNC_WAIT_AIV_TO_AIC:
        if (!receive(w, queue)) return false;
        break;
      default:
        if (w->stage[queue] == 0) {
          barrier(w, queue);
          if (both) send(w, queue);
          w->stage[queue] = 1;
        }
        if (both && !receive(w, queue)) return false;
        w->stage[queue] = 0;
    }
  } else if (op->type != SK__OP_PRELOAD && op->node != UINT32_MAX) {
    if (op->type != SK__OP_EVENT_WAIT) check_needs(w, queue, op->node);
    assert_int_equal(w->calls[queue] >> op->node & 1, 0);
    w->calls[queue] |= UINT64_C(1) << op->node;
    w->started[queue] |= UINT64_C(1) << op->node;
  }
  w->at[queue]++;
  return true;
}

/* ---- what each member depends on ---- */

static bool is_kernel(const sk__node *node) { return node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER; }

static int member_of(const sk__sk *sk, uint32_t node) {
  for (size_t i = 0; i < sk->member_count; i++)
    if (sk->members[i].value == node) return (int)i;
  return -1;
}
/* The nearest kernel of the stream before or behind a node, as a member; -1. */
static int kernel_beside(const walk *w, uint32_t node, int direction) {
  const sk__graph *graph = w->plan->graph;
  const uint32_t *stream = graph->stream_nodes[graph->nodes[node].stream];
  for (int64_t at = (int64_t)graph->nodes[node].position + direction; at >= 0 && at < graph->stream_sizes[graph->nodes[node].stream]; at += direction)
    if (is_kernel(&graph->nodes[stream[at]])) return member_of(w->sk, stream[at]);
  return -1;
}

static void find_needs(walk *w) {
  const sk__graph *graph = w->plan->graph;
  for (uint32_t m = 0; m < w->sk->member_count; m++) {
    uint32_t node = w->sk->members[m].value;
    for (uint32_t p = 0; p < m; p++) { /* kernels and waits before it on its stream */
      const sk__node *other = &graph->nodes[w->sk->members[p].value];
      if (other->stream == graph->nodes[node].stream && other->type != SK__NODE_NOTIFY) w->needs[m] |= UINT64_C(1) << p;
    }
  }
  for (uint32_t n = 0; n < graph->node_count; n++)
    for (uint32_t v = 0; v < graph->node_count && graph->nodes[n].type == SK__NODE_NOTIFY; v++) {
      if (graph->nodes[v].type != SK__NODE_WAIT || graph->nodes[v].event_id != graph->nodes[n].event_id) continue;
      int before = kernel_beside(w, n, -1), after = kernel_beside(w, v, 1);
      if (before >= 0 && after >= 0) w->needs[after] |= UINT64_C(1) << before;
    }
}

static void check_sk(const sk__plan *plan, const sk__sk *sk) {
  walk w = {.plan = plan, .sk = sk};
  if (sk->member_count > MAX_TASKS) return;
  for (int queue = 0; queue < 2; queue++)
    for (size_t i = 0; i < sk->queue[queue].count; i++)
      if (sk->queue[queue].ops[i].type != SK__OP_SYNC && sk->queue[queue].ops[i].node != UINT32_MAX)
        w.halves[queue] |= UINT64_C(1) << sk->queue[queue].ops[i].node;
  find_needs(&w);
  bool moved = true;
  while (moved) {
    moved = false;
    for (int queue = 0; queue < 2; queue++)
      while (w.at[queue] < sk->queue[queue].count && step(&w, queue)) moved = true;
  }
  uint32_t launched[2] = {sk->type != SK_AIV_ONLY, sk->type != SK_AIC_ONLY};
  for (int queue = 0; queue < 2; queue++) {
    if (!launched[queue]) continue;
    assert_int_equal(w.at[queue], sk->queue[queue].count); /* nobody waits for ever */
    assert_int_equal(w.box_begin[queue], w.box_end[queue]); /* no flag is left over */
  }
  for (uint32_t m = 0; m < sk->member_count; m++) {
    const sk__node *node = &plan->graph->nodes[sk->members[m].value];
    if (node->type != SK__NODE_KERNEL) continue;
    assert_int_equal(w.calls[0] >> m & 1, node->kernel.type != SK_AIV_ONLY);
    assert_int_equal(w.calls[1] >> m & 1, node->kernel.type != SK_AIC_ONLY);
  }
}

static void play(const char *name, sk__fuse_options options, size_t wanted) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed(name));
  size_t planned = 0, shared = 0;
  for (int round = 0; round < ROUNDS; round++) {
    char text[4096], why[256];
    random_graph(&rng, text);
    sk__graph *graph = graph_of(text);
    sk__plan *plan = NULL;
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    if (status != SK_OK) assert_int_equal(status, SK_STATE);
    for (size_t k = 0; status == SK_OK && k < plan->sk_count; k++) {
      check_sk(plan, &plan->sks[k]);
      planned++;
      shared += plan->sks[k].member_count > 3;
    }
    sk__plan_free(plan);
    sk__graph_free(graph);
  }
  assert_true(planned >= wanted);
  assert_true(shared >= wanted / 4);
}

static void test_order_of_capture(void **state) {
  (void)state;
  play("order of capture", sk__fuse_defaults(), ROUNDS / 2);
}
static void test_alternating_order(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.auto_op_parallel = 1;
  play("alternating order", options, ROUNDS / 2);
}
static void test_full_barriers(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_sync_all = 1;
  play("full barriers", options, ROUNDS / 2);
}
static void test_per_operator(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_per_op_max_core_num = 1;
  play("per operator", options, 0);
}

SK_TESTS(SK_TEST(test_order_of_capture), SK_TEST(test_alternating_order), SK_TEST(test_full_barriers), SK_TEST(test_per_operator))
