/* Which nodes of a GE graph become one SuperKernel, and what becomes of their events. */
#include "base/rng.h"
#include "ge_text.h"

enum { MAX = 32 };
typedef struct bed {
  sk__arena arena;
  sk__ge_node nodes[MAX];
  sk__ge_event events[MAX];
  sk__ge_graph graph;
  sk__ge_grouping out;
  char names[MAX][8];
  char why[256];
} bed;

/* Tokens "<id>:<stream><flags>": x not fusible, h collective, b other scope, o no scope, d data, e event node. */
static void bed_open(bed *b, const char *text, const char *options) {
  memset(b, 0, sizeof *b);
  b->graph = (sk__ge_graph){.nodes = b->nodes, .events = b->events, .aic_count = 24, .aiv_count = 48};
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *token = strtok(copy, " "); token != NULL; token = strtok(NULL, " ")) {
    assert_true(b->graph.node_count < MAX);
    sk__ge_node *node = &b->nodes[b->graph.node_count];
    char *rest;
    long id = strtol(token, &rest, 10);
    char *name = b->names[b->graph.node_count++];
    snprintf(name, sizeof b->names[0], "n%ld", id);
    *node = (sk__ge_node){.id = id, .name = name, .stream = rest[1] - '0', .scope = "s", .options = options, .supported = true,
                          .sub = {.described = true, .type = SK_AIV_ONLY, .type_known = true, .complete = true, .task_known = true, .blocks = 8, .op_type = ""}};
    for (const char *flag = rest + 2; *flag != '\0'; flag++) {
      if (*flag == 'x') node->supported = false;
      if (*flag == 'h') node->hccl = true;
      if (*flag == 'b') node->scope = "b";
      if (*flag == 'o') node->scope = NULL;
      if (*flag == 'd') node->kind = SK__GE_NODE_DATA;
      if (*flag == 'e') node->kind = SK__GE_NODE_EVENT;
      if (*flag == 't') node->tiling_on_aicpu = node->reuse_binary = true;
    }
  }
}

static uint32_t index_of(const bed *b, int64_t id) {
  for (uint32_t i = 0; i < b->graph.node_count; i++)
    if (b->nodes[i].id == id) return i;
  return UINT32_MAX;
}

static void connect(bed *b, int64_t from, int64_t to, int64_t event) {
  int64_t stream = b->nodes[index_of(b, to)].stream;
  b->events[b->graph.event_count++] = (sk__ge_event){SK__GE_EVENT_KIND, event, index_of(b, from), index_of(b, to), stream};
}

static sk_status group(bed *b, bool emulate) { return sk__ge_group(&b->graph, emulate, &b->arena, &b->out, b->why, sizeof b->why); }
static void bed_close(bed *b) { sk__arena_free(&b->arena); }

/* "name(1,2,3) name(..)" */
static void expect_scopes(bed *b, bool emulate, const char *wanted) {
  sk_status status = group(b, emulate);
  if (status != SK_OK) print_message("%s\n", b->why);
  assert_int_equal(status, SK_OK);
  char text[1024] = "";
  size_t at = 0;
  for (size_t k = 0; k < b->out.scope_count; k++) {
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s(", k > 0 ? " " : "", b->out.scopes[k].scope);
    for (size_t i = 0; i < b->out.scopes[k].member_count; i++)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i > 0 ? "," : "", (long long)b->nodes[b->out.scopes[k].members[i]].id);
    at += (size_t)snprintf(text + at, sizeof text - at, ")");
  }
  assert_string_equal(text, wanted);
}

/* "1>2 SK0>5": events in order of making */
static void expect_events(const bed *b, const char *wanted) {
  char text[1024] = "";
  size_t at = 0;
  for (size_t i = 0; i < b->out.event_count; i++) {
    const uint32_t ends[] = {b->out.events[i].from, b->out.events[i].to};
    for (int e = 0; e < 2; e++) {
      if ((ends[e] & SK__GE_SK_END) != 0) at += (size_t)snprintf(text + at, sizeof text - at, "%sSK%u", e > 0 ? ">" : i > 0 ? " " : "", ends[e] & ~SK__GE_SK_END);
      else at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", e > 0 ? ">" : i > 0 ? " " : "", (long long)b->nodes[ends[e]].id);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "%c", "enm"[b->out.events[i].kind]);
  }
  assert_string_equal(text, wanted);
}

/* ---- refusals ---- */

static void test_abort_names_node_and_scope(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0o 3:0", "strict-scope-check=abort");
  assert_int_equal(group(&b, false), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(b.why, "scope s: node n2"));
  bed_close(&b);
}

static void test_unknown_check_value(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0", "strict-scope-check=sometimes");
  assert_int_equal(group(&b, false), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(b.why, "legal: bypass, abort"));
  bed_close(&b);
  bed_open(&b, "1:0", "strict-scope-check=");
  assert_int_equal(group(&b, false), SK_INVALID_ARGUMENT);
  bed_close(&b);
  bed_open(&b, "1:0", " strict-scope-check=x:a=b=c"); /* not trimmed, and two '=': neither counts */
  expect_scopes(&b, false, "s(1)");
  bed_close(&b);
}

static void test_malformed_graphs(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "2:0 1:0", NULL);
  assert_int_equal(group(&b, false), SK_INVALID_ARGUMENT);
  bed_close(&b);
  bed_open(&b, "1:0", NULL);
  b.events[b.graph.event_count++] = (sk__ge_event){SK__GE_EVENT_KIND, 1, 0, 7, 0};
  assert_int_equal(group(&b, false), SK_INVALID_ARGUMENT);
  bed_close(&b);
}

/* ---- scopes ---- */

static void test_whole_scope(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0d 3:0 4:1 5:0e", NULL);
  expect_scopes(&b, false, "s(1,3,4)");
  assert_string_equal(b.out.scopes[0].name, "sk_s_start_n1_end_n4");
  bed_close(&b);
}

static void test_no_scope_no_kernel(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0o 2:0o", NULL);
  expect_scopes(&b, false, "");
  bed_close(&b);
  bed_open(&b, "", NULL);
  expect_scopes(&b, false, "");
  bed_close(&b);
}

static void test_cuts_split_over_all_streams(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:1 3:1 4:1x 5:0x 6:0 7:1 8:0x 9:1 10:0", NULL);
  expect_scopes(&b, false, "s_split_0_4(1,2,3) s_split_5_8(6,7) s_split_8_11(9,10)");
  bed_close(&b);
}

static void test_foreign_node_cuts(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0o 3:0 4:0b 5:0", NULL);
  expect_scopes(&b, false, "b(4) s_split_0_2(1) s_split_2_4(3) s_split_4_6(5)");
  bed_close(&b);
}

static void test_unfusible_node_alone_on_its_stream_cuts_nothing(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:1x 3:0", NULL);
  expect_scopes(&b, false, "s(1,3)");
  bed_close(&b);
}

static void test_remembered_node_outside_the_range_cuts(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0x 2:0 3:1 4:0", NULL);
  expect_scopes(&b, false, "s_split_1_5(2,3,4)");
  bed_close(&b);
}

static void test_collectives_are_fusible_whatever_the_rest(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0xh 3:0", NULL);
  expect_scopes(&b, false, "s(1,2,3)");
  bed_close(&b);
}

static void test_bypass_leaves_the_scope_unfused(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0o 3:0", "strict-scope-check=bypass");
  expect_scopes(&b, false, "");
  assert_int_equal(b.out.warning_count, 1);
  assert_non_null(strstr(b.out.warnings[0], "node n2"));
  bed_close(&b);
}

static void test_check_does_not_look_at_tiling_again(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0t 3:0", "strict-scope-check=abort");
  expect_scopes(&b, false, "s(1,2,3)");
  bed_close(&b);
  bed_open(&b, "1:0 2:0t 3:0", NULL);
  expect_scopes(&b, false, "s_split_0_2(1) s_split_2_4(3)");
  bed_close(&b);
}

/* ---- streams and events ---- */

static void test_stream_of_the_sk(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:2 2:1", NULL);
  expect_scopes(&b, false, "s(1,2)");
  assert_int_equal(b.out.scopes[0].stream, 2);
  bed_close(&b);
  bed_open(&b, "1:2h 2:1h 3:4 4:3", NULL); /* a collective first: lowest stream that starts with another */
  expect_scopes(&b, false, "s(1,2,3,4)");
  assert_int_equal(b.out.scopes[0].stream, 3);
  bed_close(&b);
  bed_open(&b, "1:2h 2:1h", NULL);
  expect_scopes(&b, false, "s(1,2)");
  assert_int_equal(b.out.scopes[0].stream, 2);
  bed_close(&b);
}

static void test_other_streams_are_bound(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:1o 2:0 3:1 4:0 5:1o", NULL);
  expect_scopes(&b, false, "s(2,3,4)");
  expect_events(&b, "1>SK0m 3>5m");
  const sk__ge_sub *sub = &b.out.scopes[0].subs[1];
  assert_int_equal(sub->send.count, 1);
  assert_int_equal(sub->send.items[0], INT32_MAX / 2 + 1); /* the first number went to 1>SK */
  assert_int_equal(sub->stream, 1);
  bed_close(&b);
}

static void test_events_inside_are_words(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:1 3:0", NULL);
  connect(&b, 1, 2, 5);
  connect(&b, 2, 3, 6);
  expect_scopes(&b, false, "s(1,2,3)");
  expect_events(&b, "1>2m 2>3m");
  assert_int_equal(b.out.scopes[0].subs[0].send.items[0], b.out.scopes[0].subs[1].recv.items[0]);
  assert_int_equal(b.out.scopes[0].subs[1].send.items[0], b.out.scopes[0].subs[2].recv.items[0]);
  bed_close(&b);
}

static void test_ends_of_the_scope_send_and_receive_for_it(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:1o 2:0 3:0 4:1o", NULL);
  connect(&b, 1, 2, 9);
  connect(&b, 3, 4, 7);
  connect(&b, 3, 4, 8); /* once per pair */
  expect_scopes(&b, false, "s(2,3)");
  expect_events(&b, "1>SK0e SK0>4e");
  assert_int_equal(b.out.events[0].id, 7); /* smallest of the removed ids first */
  assert_int_equal(b.out.scopes[0].subs[1].send.count, 0);
  bed_close(&b);
}

static void test_middle_node_waits_and_tells_itself(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:1o 2:0 3:0 4:0 5:1o", NULL);
  connect(&b, 1, 3, 9);
  connect(&b, 3, 5, 7);
  expect_scopes(&b, false, "s(2,3,4)");
  expect_events(&b, "1>3m 3>5m");
  bed_close(&b);
}

static void test_event_between_two_kernels(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0b 2:0b 3:1 4:1", NULL);
  connect(&b, 2, 3, 9);
  expect_scopes(&b, false, "b(1,2) s(3,4)");
  expect_events(&b, "SK0>SK1e");
  bed_close(&b);
}

static void test_limited_cores(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0", NULL);
  b.nodes[0].aicore_num = 8;
  b.nodes[1].vectorcore_num = 16;
  expect_scopes(&b, false, "s(1,2)");
  assert_int_equal(b.out.scopes[0].aic_count, 8);
  assert_int_equal(b.out.scopes[0].aiv_count, 16);
  b.nodes[1].vectorcore_num = 0; /* both must be known */
  expect_scopes(&b, false, "s(1,2)");
  assert_int_equal(b.out.scopes[0].aic_count, 24);
  bed_close(&b);
}

static void test_scope_goes_through_the_generator(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "1:0 2:0 3:0", "preload-code=none");
  expect_scopes(&b, false, "s(1,2,3)");
  sk__ge_input input = sk__ge_scope_input(&b.out.scopes[0], false);
  sk__ge_program program;
  sk__ge_failure failure;
  assert_int_equal(sk__ge_generate(&input, &b.arena, &program, &failure), SK_OK);
  char *lines = ge_lines(&program);
  assert_string_equal(lines, "V op0 [s14] cfg=5 [w14] op1 [s14] cfg=5 [w14] op2");
  free(lines);
  bed_close(&b);
}

/* ---- random graphs against the rule, written down plainly ---- */

static int by_id(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Ids that cut scope s: unfusible nodes that carried it, on streams where it runs, and every foreign node
 * between its first and last node of a stream. */
static size_t cuts_of(const bed *b, int64_t *cuts) {
  size_t count = 0;
  for (int64_t stream = 0; stream < 4; stream++) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < b->graph.node_count; i++) {
      const sk__ge_node *node = &b->nodes[i];
      if (node->stream != stream || node->kind != SK__GE_NODE_COMPUTE || node->scope == NULL || strcmp(node->scope, "s") != 0 || !node->supported) continue;
      if (node->id < first) first = node->id;
      last = node->id;
    }
    for (size_t i = 0; i < b->graph.node_count && first <= last; i++) {
      const sk__ge_node *node = &b->nodes[i];
      if (node->stream != stream || node->kind != SK__GE_NODE_COMPUTE) continue;
      bool mine = node->scope != NULL && strcmp(node->scope, "s") == 0;
      bool between = node->id >= first && node->id <= last;
      if ((mine && !node->supported) || (between && !mine)) cuts[count++] = node->id;
    }
  }
  return count;
}

static size_t expect_by_rule(const bed *b, char *text, size_t bytes) {
  int64_t cuts[MAX + 2], members[MAX];
  size_t count = cuts_of(b, cuts), member_count = 0, at = 0, scopes = 0;
  for (size_t i = 0; i < b->graph.node_count; i++) {
    const sk__ge_node *node = &b->nodes[i];
    if (node->kind == SK__GE_NODE_COMPUTE && node->supported && node->scope != NULL && strcmp(node->scope, "s") == 0) members[member_count++] = node->id;
  }
  text[0] = '\0';
  if (member_count == 0) return 0;
  bool whole = count == 0;
  cuts[count++] = members[0] - 1;
  cuts[count++] = members[member_count - 1] + 1;
  qsort(cuts, count, sizeof *cuts, by_id);
  for (size_t c = 0; c + 1 < count; c++) {
    bool open = false;
    for (size_t i = 0; i < member_count; i++) {
      if (members[i] <= cuts[c] || members[i] >= cuts[c + 1]) continue;
      if (!open && whole) at += (size_t)snprintf(text + at, bytes - at, "s(");
      if (!open && !whole) at += (size_t)snprintf(text + at, bytes - at, "s_split_%lld_%lld(", (long long)cuts[c], (long long)cuts[c + 1]);
      at += (size_t)snprintf(text + at, bytes - at, "%s%lld", open ? "," : "", (long long)members[i]);
      open = true;
    }
    if (open) at += (size_t)snprintf(text + at, bytes - at, ")");
    scopes += open;
  }
  return scopes;
}

static void test_random_graphs_follow_the_rule(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("ge groups"));
  size_t most = 0;
  for (int n = 0; n < 3000; n++) {
    char graph[512] = "", wanted[2048], got[2048] = "";
    size_t at = 0, count = 1 + sk__rng_below(&rng, MAX - 1), found = 0, length = 0;
    static const char *const flags[] = {"", "", "", "", "x", "b", "o", "d"};
    for (size_t i = 0; i < count; i++) /* ids of three digits: names sort like numbers */
      at += (size_t)snprintf(graph + at, sizeof graph - at, "%zu:%u%s ", 101 + 2 * i, sk__rng_below(&rng, 4), flags[sk__rng_below(&rng, 8)]);
    bed b;
    bed_open(&b, graph, NULL);
    size_t scopes = expect_by_rule(&b, wanted, sizeof wanted);
    assert_int_equal(group(&b, n % 2 == 0), SK_OK);
    for (size_t k = 0; k < b.out.scope_count; k++) {
      if (b.out.scopes[k].scope[0] != 's') continue;
      found++;
      length += (size_t)snprintf(got + length, sizeof got - length, "%s(", b.out.scopes[k].scope);
      for (size_t i = 0; i < b.out.scopes[k].member_count; i++)
        length += (size_t)snprintf(got + length, sizeof got - length, "%s%lld", i > 0 ? "," : "", (long long)b.nodes[b.out.scopes[k].members[i]].id);
      length += (size_t)snprintf(got + length, sizeof got - length, ")");
    }
    if (strcmp(got, wanted) != 0) print_message("%s\n", graph);
    assert_string_equal(got, wanted);
    assert_int_equal(found, scopes);
    if (scopes > most) most = scopes;
    bed_close(&b);
  }
  assert_true(most > 4);
}

SK_TESTS(SK_TEST(test_abort_names_node_and_scope), SK_TEST(test_unknown_check_value), SK_TEST(test_malformed_graphs), SK_TEST(test_whole_scope),
         SK_TEST(test_no_scope_no_kernel), SK_TEST(test_cuts_split_over_all_streams), SK_TEST(test_foreign_node_cuts),
         SK_TEST(test_unfusible_node_alone_on_its_stream_cuts_nothing), SK_TEST(test_remembered_node_outside_the_range_cuts),
         SK_TEST(test_collectives_are_fusible_whatever_the_rest), SK_TEST(test_bypass_leaves_the_scope_unfused),
         SK_TEST(test_check_does_not_look_at_tiling_again), SK_TEST(test_stream_of_the_sk), SK_TEST(test_other_streams_are_bound),
         SK_TEST(test_events_inside_are_words), SK_TEST(test_ends_of_the_scope_send_and_receive_for_it),
         SK_TEST(test_middle_node_waits_and_tells_itself), SK_TEST(test_event_between_two_kernels), SK_TEST(test_limited_cores),
         SK_TEST(test_scope_goes_through_the_generator),
         SK_TEST(test_random_graphs_follow_the_rule))
