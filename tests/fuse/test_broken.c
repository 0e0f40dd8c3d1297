/* SK programs broken by hand, as a fuser with a defect would make them: each is found, and whole it is silent. */
#include "run_bed.h"

enum { AIC, AIV };

/* Plans what was launched; the program may then be broken. */
static sk__sk *plan_of(bed *b, const sk__fuse_options *options) {
  if (b->graph == NULL) take_graph(b);
  assert_int_equal(sk__plan_make(b->graph, options, &b->plan, b->why, sizeof b->why), SK_OK);
  assert_int_equal(b->plan->sk_count, 1);
  return (sk__sk *)(uintptr_t)&b->plan->sks[0];
}

/* Runs the plan; whether there is a finding of this id, or with NULL any. */
static bool finds(bed *b, const char *id) {
  sk__launch_result results[16];
  size_t launches = 0, count = 0;
  (void)!sk__plan_run(b->runtime, b->plan, results, &launches);
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", findings[i].id, findings[i].message);
  return id == NULL ? count > 0 : finding(b, id) != NULL;
}

static sk__op *op_of(sk__sk *sk, int queue, sk__op_type type) {
  for (size_t i = 0; i < sk->queue[queue].count; i++)
    if (sk->queue[queue].ops[i].type == type) return &sk->queue[queue].ops[i];
  fail();
  return NULL;
}
static void drop(sk__queue *queue, sk__op *op) {
  memmove(op, op + 1, (size_t)(queue->ops + queue->count - (op + 1)) * sizeof *op);
  queue->count--;
}

/* ---- an edge that nothing covers ---- */

static bool chain(bool broken, const char *id) {
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  launch(&b, &vector, 16, 1, 2, 10); /* other cores read what the first wrote */
  sk__fuse_options options = sk__fuse_defaults();
  sk__sk *sk = plan_of(&b, &options);
  if (broken) drop(&sk->queue[AIV], op_of(sk, AIV, SK__OP_SYNC));
  return finds(&b, id);
}
static void test_an_edge_without_a_barrier_is_found(void **state) {
  (void)state;
  assert_true(chain(true, "SYNC_GM"));
}
static void test_the_whole_chain_is_silent(void **state) {
  (void)state;
  assert_false(chain(false, NULL));
}

static bool cross(bool broken, const char *id) {
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  sk__fuse_options options = sk__fuse_defaults();
  sk__sk *sk = plan_of(&b, &options);
  for (int queue = AIC; broken && queue <= AIV; queue++)
    for (size_t i = sk->queue[queue].count; i-- > 0;)
      if (sk->queue[queue].ops[i].type == SK__OP_SYNC) drop(&sk->queue[queue], &sk->queue[queue].ops[i]);
  return finds(&b, id);
}
static void test_an_edge_between_core_types_without_flags_is_found(void **state) {
  (void)state;
  assert_true(cross(true, "SYNC_GM"));
}
static void test_the_whole_edge_between_core_types_is_silent(void **state) {
  (void)state;
  assert_false(cross(false, NULL));
}

/* ---- early start ---- */

static bool early_pair(bool broken, const char *id) {
  bed b;
  bed_open(&b);
  for (int i = 0; i < 2; i++) launch(&b, &vector, 8, i, i + 1, 1);
  sk__fuse_options options = sk__fuse_defaults();
  sk__sk *sk = plan_of(&b, &options);
  sk__op *barrier = op_of(sk, AIV, SK__OP_SYNC);
  sk__queue *queue = &sk->queue[AIV];
  sk__op *ops = calloc(queue->count + 2, sizeof *ops), set = *barrier, wait = *barrier;
  set.early_mask = 16;  /* nobody leaves it to an operator: blocks stays 0 */
  wait.early_mask = 32;
  set.blocks = wait.blocks = 0;
  size_t at = (size_t)(barrier - queue->ops), n = 0;
  memcpy(ops, queue->ops, at * sizeof *ops);
  n = at;
  ops[n++] = set;
  if (broken) ops[n++] = *barrier;
  ops[n++] = wait;
  memcpy(ops + n, barrier + 1, (queue->count - at - 1) * sizeof *ops);
  sk__queue whole = *queue;
  *queue = (sk__queue){ops, n + queue->count - at - 1, whole.blocks};
  bool found = finds(&b, id);
  *queue = whole;
  free(ops);
  return found;
}
static void test_an_early_start_across_a_barrier_is_found(void **state) {
  (void)state;
  assert_true(early_pair(true, "SK_PROGRAM"));
}
static void test_an_early_start_alone_is_silent(void **state) {
  (void)state;
  assert_false(early_pair(false, NULL));
}

/* ---- telling the outside ---- */

static bool notify(bool broken, const char *id) {
  bed b;
  bed_open(&b);
  void *first = b.stream, *second, *event;
  assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  launch(&b, &vector, 8, 0, 1, 1);
  assert_int_equal(aclrtRecordEvent(event, first), ACL_SUCCESS);
  launch(&b, &vector, 8, 0, 3, 1);
  assert_int_equal(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
  b.stream = second;
  launch(&b, &cube, 8, 1, 2, 10); /* stays outside */
  take_graph(&b);
  b.graph->nodes[4].kernel.bound = false;
  sk__fuse_options options = sk__fuse_defaults();
  sk__sk *sk = plan_of(&b, &options);
  sk__queue *queue = &sk->queue[AIV];
  sk__op *told = op_of(sk, AIV, SK__OP_EVENT_NOTIFY);
  for (sk__op *op = told; broken && op-- > queue->ops;)
    if (op->type == SK__OP_SYNC) drop(queue, op);
  return finds(&b, id);
}
static void test_a_notify_before_all_cores_have_finished_is_found(void **state) {
  (void)state;
  assert_true(notify(true, "H31"));
}
static void test_a_notify_behind_the_barrier_is_silent(void **state) {
  (void)state;
  assert_false(notify(false, NULL));
}

/* ---- cores ---- */

static bool absent(bool broken, const char *id) {
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  sk__fuse_options options = sk__fuse_defaults();
  sk__sk *sk = plan_of(&b, &options);
  if (broken) sk->type = SK_AIC_ONLY;
  return finds(&b, id);
}
static void test_an_operator_on_cores_that_are_not_started_is_found(void **state) {
  (void)state;
  assert_true(absent(true, "SK_PROGRAM"));
}
static void test_an_operator_on_its_cores_is_silent(void **state) {
  (void)state;
  assert_false(absent(false, NULL));
}

SK_TESTS(SK_TEST(test_an_edge_without_a_barrier_is_found), SK_TEST(test_the_whole_chain_is_silent),
         SK_TEST(test_an_edge_between_core_types_without_flags_is_found), SK_TEST(test_the_whole_edge_between_core_types_is_silent),
         SK_TEST(test_an_early_start_across_a_barrier_is_found), SK_TEST(test_an_early_start_alone_is_silent),
         SK_TEST(test_a_notify_before_all_cores_have_finished_is_found), SK_TEST(test_a_notify_behind_the_barrier_is_silent),
         SK_TEST(test_an_operator_on_cores_that_are_not_started_is_found), SK_TEST(test_an_operator_on_its_cores_is_silent))
