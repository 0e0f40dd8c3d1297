/* GE graphs from text dumps: both forms, what attributes tell, and input that is none. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "fuse/ge/graph_text.h"
#include "fuse/ge/plan.h"
#include "harness.h"

/* ---- building texts: N name op [inputs] [scope] ---- */

#define SCOPE(name) " attr { key: \"_super_kernel_scope\" value { s: 's: \"" name "\"\\n' } }"
#define OPTIONS(text) " attr { key: \"_super_kernel_options\" value { s: 's: \"" text "\"\\n' } }"
#define SUPPORT " attr { key: \"supportSuperKernel\" value { s: 'i: 1\\n' } }"
#define NODE(name, op, rest) "node { name: \"" name "\" op: \"" op "\"" rest " }\n"
#define INPUT(text) " input: \"" text "\""

static const char chain[] = NODE("x", "Data", "") NODE("a", "MatMul", INPUT("x:0") SCOPE("s")) NODE("b", "Relu", INPUT("a:0") SCOPE("s"))
    NODE("c", "Add", INPUT("b:0") INPUT("^a")) NODE("out", "NetOutput", INPUT("c:0"));

static sk_status read_plan(const char *text, const char *options, const char *kernels, sk__ge_plan **plan, char *why, size_t bytes) {
  json_t *described = kernels != NULL ? json_loads(kernels, 0, NULL) : NULL;
  sk__ge_request request = {.options = options, .kernels = described};
  *plan = NULL;
  why[0] = '\0';
  return sk__ge_plan_read(text, strlen(text), &request, plan, why, bytes);
}

static void refused(const char *text, const char *place, const char *reason) {
  sk__ge_plan *plan;
  char why[512];
  assert_int_equal(read_plan(text, NULL, NULL, &plan, why, sizeof why), SK_PARSE);
  if (strstr(why, place) == NULL || strstr(why, reason) == NULL || strchr(why, '\n') != NULL) fail_msg("%s\n'%s' lacks '%s' or '%s'", text, why, place, reason);
}

static sk__ge_plan *planned(const char *text, const char *options, const char *kernels) {
  sk__ge_plan *plan;
  char why[512];
  sk_status status = read_plan(text, options, kernels, &plan, why, sizeof why);
  if (status != SK_OK) fail_msg("%s\n%s", text, why);
  return plan;
}

/* Members of all scopes: "s: a b | t: c". */
static void assert_scopes(const sk__ge_plan *plan, const char *expected) {
  char text[1024] = "";
  sk__text out = sk__text_on(text, sizeof text);
  for (size_t k = 0; k < plan->grouping.scope_count; k++) {
    const sk__ge_scope *scope = &plan->grouping.scopes[k];
    sk__text_add(&out, "%s%s:", k > 0 ? " | " : "", scope->scope);
    for (size_t i = 0; i < scope->member_count; i++) sk__text_add(&out, " %s", plan->ge.nodes[scope->members[i]].name);
  }
  assert_string_equal(text, expected);
}

static void assert_listed(const sk__ge_plan *plan, const char *part) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk__ge_plan_print(plan, to);
  fclose(to);
  if (strstr(text, part) == NULL) fail_msg("'%s' is not in:\n%s", part, text);
  free(text);
}

/* ---- no graph ---- */

static void test_text_that_is_no_graph(void **state) {
  (void)state;
  refused("", "line 1, column 1", "no graph");
  refused("# nothing\n", "line 1", "no graph");
  refused("hello", "line 1, column 1", "'hello' has no value");
  refused("node", "line 1, column 1", "'node' has no value");
  refused("node { name: \"a\"", "line 1, column 17", "ends inside a message");
  refused("node { name: \"a }", "line 1, column 14", "closing \"");
  refused("node { name: \"a\\q\" }", "line 1, column 16", "no such escape");
  refused("}\n", "line 1, column 1", "without its opening");
  refused("node { name: }", "line 1, column 14", "no value");
  refused("node { input: [\"a\", ", "line 1, column 8", "closing ]");
  refused("node { \xff }", "line 1, column 8", "not UTF-8");
  refused("node { name: \"\xed\xa0\x80\" }", "line 1, column 15", "not UTF-8");
}
static void test_nodes_that_are_none(void **state) {
  (void)state;
  refused("\nnode { op: \"Add\" }", "line 2, column 1", "without name");
  refused("node { name: \"a\" }", "line 1, column 1", "without op");
  refused("op { name: \"a\" }", "line 1, column 1", "without type");
  refused("node { name: \"\" op: \"Add\" }", "column 14", "name of 0");
  refused("node { name: \"a\\000b\" op: \"Add\" }", "column 14", "zero bytes");
  refused("node { name: \"a\\377\" op: \"Add\" }", "column 14", "UTF-8");
  refused(NODE("a", "Add", "") NODE("a", "Sub", ""), "line 2, column 1", "second node of the name 'a'");
  refused(NODE("a", "Add", INPUT("nobody:0")), "line 1", "'nobody', which is no node");
  refused(NODE("a", "Add", INPUT("b:0")) NODE("b", "Add", INPUT("a:0")), "line 1", "depends on itself");
  refused(NODE("a", "Add", INPUT("a:0")), "line 1", "depends on itself");
  refused("op { name: \"a\" type: \"A\" id: 3 } op { name: \"b\" type: \"B\" id: 3 }", "column 34", "second node of the id 3");
  refused("op { name: \"a\" type: \"A\" id: -3 }", "column 30", "-3 is out of range");
  refused("op { name: \"a\" type: \"A\" stream_id: 99999999999 }", "column 37", "out of range");
}
static void test_attributes_that_are_none(void **state) {
  (void)state;
  refused(NODE("a", "Add", " attr { key: \"supportSuperKernel\" value { s: 'i: many\\n' } }"), "line 1", "not a whole number");
  refused(NODE("a", "Add", " attr { key: \"tvm_blockdim\" value { s: 'i: -1\\n' } }"), "line 1", "-1 is out of range");
  refused(NODE("a", "Add", " attr { key: \"tvm_blockdim\" value { s: 'i: 70000\\n' } }"), "line 1", "70000 is out of range");
  refused(NODE("a", "Add", " attr { key: \"_super_kernel_scope\" value { s: 's: \"x' } }"), "line 1", "in the text of the attribute");
  refused(NODE("a", "Add", " attr { key: \"_super_kernel_scope\" value { s: 'i: 3' } }"), "line 1", "not a text");
  refused(NODE("a", "Add", " attr { key: \"_super_kernel_scope\" value { i: 3 } }"), "line 1", "no text");
  refused(NODE("a", "Add", " attr { key: \"_hccl\" value { s: 'b: maybe' } }"), "line 1", "neither true nor false");
}
static void test_nesting_has_a_bound(void **state) {
  (void)state;
  char text[400] = "node { name: \"a\" op: \"Add\" ";
  for (int i = 0; i < 63; i++) strcat(text, "x{");
  for (int i = 0; i < 63; i++) strcat(text, "}");
  strcat(text, " }");
  sk__ge_plan_free(planned(text, NULL, NULL));
  memset(text, 0, sizeof text);
  for (int i = 0; i < 65; i++) strcat(text, "x{");
  refused(text, "line 1", "nested deeper than 64");
}
static void test_rules_that_a_graph_breaks(void **state) {
  (void)state;
  sk__ge_plan *plan;
  char why[512];
  assert_int_equal(read_plan(chain, "early-strat=0", NULL, &plan, why, sizeof why), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(why, "early-strat"));
  assert_int_equal(read_plan(NODE("a", "A", SCOPE("s") OPTIONS("strict-scope-check=abort")) NODE("b", "B", INPUT("a:0"))
                                 NODE("c", "C", INPUT("b:0") SCOPE("s") OPTIONS("strict-scope-check=abort")),
                             NULL, NULL, &plan, why, sizeof why),
                   SK_INVALID_ARGUMENT);
  assert_non_null(strstr(why, "node b"));
}
static void test_descriptions_that_are_none(void **state) {
  (void)state;
  static const struct { const char *kernels, *why; } bad[] = {
      {"{\"a\": 3}", "a.: not a description"}, {"{\"a\": {\"type\": \"AIC\", \"blocks\": 1}}", "a.type"}, {"{\"a\": {\"type\": \"AIC_ONLY\"}}", "a.blocks"},
      {"{\"MatMul\": {\"typ\": \"AIC_ONLY\"}}", "did you mean type"}, {"{\"a\": {\"type\": \"AIC_ONLY\", \"blocks\": -1}}", "a.blocks"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sk__ge_plan *plan;
    char why[512];
    assert_int_equal(read_plan(chain, NULL, bad[i].kernels, &plan, why, sizeof why), SK_PARSE);
    if (strstr(why, bad[i].why) == NULL) fail_msg("'%s' lacks '%s'", why, bad[i].why);
  }
}

/* ---- graphs ---- */

static void test_a_scope_of_attributes(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(chain, NULL, NULL);
  assert_scopes(plan, "s: a b");
  assert_false(plan->made[0]);
  assert_listed(plan, "not known: nothing describes the kernels of a, b");
  assert_listed(plan, "c (node 3): NOT_IN_SCOPE");
  assert_listed(plan, "written before compilation");
  sk__ge_plan_free(plan);
}
static void test_descriptions_make_a_program(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(chain, "early-start=0", "{\"MatMul\": {\"type\": \"AIC_ONLY\", \"blocks\": 20}, \"b\": {\"type\": \"AIV_ONLY\", \"blocks\": 16}}");
  assert_true(plan->made[0]);
  assert_int_equal(plan->programs[0].type, SK_MIX_AIC_1_1);
  assert_int_equal(plan->programs[0].blocks, 20);
  assert_listed(plan, "operators: a(AIC_ONLY x 20) b(AIV_ONLY x 16)");
  assert_listed(plan, "option early-start=0: a full barrier between operators");
  sk__ge_plan_free(plan);
}
static void test_the_other_form(void **state) {
  (void)state;
  static const char text[] = "name: \"model\" graph { name: \"g\"\n"
                             "op { name: \"b\" type: \"Relu\" input: \"a:0\" id: 7 stream_id: 2 attr { key: \"_super_kernel_scope\" value { s: \"s\" } }\n"
                             " attr { key: \"supportSuperKernel\" value { i: 1 } } attr { key: \"tvm_blockdim\" value { i: 48 } }\n"
                             " attr { key: \"_cube_vector_core_type\" value { s: \"VectorCore\" } } input_desc { shape { dim: [1, 2] } } }\n"
                             "op { name: \"a\" type: \"MatMul\" id: 3 stream_id: 2 attr { key: \"_super_kernel_scope\" value { s: \"s\" } }\n"
                             " attr { key: \"supportSuperKernel\" value { i: 1 } } attr { key: \"tvm_blockdim\" value { i: 24 } }\n"
                             " attr { key: \"_cube_vector_core_type\" value { s: \"MIX_AIC\" } } attr { key: \"_task_ratio\" value { i: 2 } } } }\n"
                             "graph { name: \"sub\" }";
  sk__ge_plan *plan = planned(text, NULL, NULL);
  assert_scopes(plan, "s: a b"); /* by id */
  assert_int_equal(plan->grouping.scopes[0].stream, 2);
  assert_true(plan->made[0]);
  assert_int_equal(plan->programs[0].type, SK_MIX_AIC_1_2);
  assert_int_equal(plan->programs[0].blocks, 24);
  assert_false(plan->before_compile);
  assert_listed(plan, "1 more graphs");
  sk__ge_plan_free(plan);
}
static void test_kernels_that_cannot_be_fused(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(NODE("a", "A", SCOPE("s") SUPPORT) NODE("b", "B", INPUT("a:0") SCOPE("s"))
                                  NODE("c", "C", INPUT("b:0") SCOPE("s") SUPPORT " attr { key: \"local_memory_size\" value { s: 'i: 64' } }")
                                      NODE("d", "D", INPUT("c:0") SCOPE("s") SUPPORT) NODE("e", "HcomAllReduce", INPUT("d:0") SCOPE("s")),
                              NULL, NULL);
  assert_scopes(plan, "s_split_-1_1: a | s_split_2_5: d e");
  assert_listed(plan, "b (node 1): OP_UNSUPPORT");
  assert_listed(plan, "c (node 2): SIMT_OP_UNSUPPORT");
  assert_listed(plan, "ends at b (node 1): it cannot be called from a SuperKernel");
  assert_listed(plan, "begins at c (node 2): its vector half is SIMT code");
  sk__ge_plan_free(plan);
}
static void test_a_bypassed_scope(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(NODE("a", "A", SCOPE("s") OPTIONS("strict-scope-check=bypass")) NODE("b", "B", INPUT("a:0"))
                                  NODE("c", "C", INPUT("b:0") SCOPE("s") OPTIONS("strict-scope-check=bypass")),
                              NULL, NULL);
  assert_scopes(plan, "");
  assert_listed(plan, "a (node 0): SCOPE_BYPASSED");
  assert_listed(plan, "warning: scope s is not fused: node b");
  sk__ge_plan_free(plan);
}
static void test_stream_labels_make_streams_and_events(void **state) {
  (void)state;
  static const char text[] = NODE("a", "A", SCOPE("s")) NODE("b", "B", INPUT("a:0") SCOPE("s") " attr { key: \"_user_stream_label\" value { s: 's: \"two\"' } }")
      NODE("c", "C", INPUT("b:0") SCOPE("s"));
  sk__ge_plan *plan = planned(text, NULL, "{\"A\": {\"type\": \"AIC_ONLY\", \"blocks\": 8}, \"B\": {\"type\": \"AIV_ONLY\", \"blocks\": 8}, \"C\": {\"type\": \"AIC_ONLY\", \"blocks\": 8}}");
  assert_int_equal(plan->ge.event_count, 2);
  assert_int_equal(plan->ge.nodes[1].stream, 1);
  assert_int_equal(plan->programs[0].queue_count, 1); /* connected by events */
  sk__ge_plan_free(plan);
}
static void test_sends_and_receives_are_events(void **state) {
  (void)state;
#define OP(name, type, number, stream, rest) "op { name: \"" name "\" type: \"" type "\" id: " #number " stream_id: " #stream " " rest " }\n"
#define IN_S "attr { key: \"_super_kernel_scope\" value { s: \"s\" } }"
#define EVENT "attr { key: \"event_id\" value { i: 5 } }"
  sk__ge_plan *plan = planned(OP("a", "A", 1, 0, IN_S) OP("send", "Send", 2, 0, EVENT) OP("recv", "Recv", 3, 1, EVENT) OP("b", "B", 4, 1, IN_S), NULL, NULL);
  assert_int_equal(plan->ge.event_count, 1);
  assert_int_equal(plan->ge.events[0].from, 0);
  assert_int_equal(plan->ge.events[0].to, 3);
  assert_int_equal(plan->grouping.scopes[0].subs[0].send.count, 1);
  assert_int_equal(plan->grouping.scopes[0].subs[1].recv.count, 1);
  sk__ge_plan_free(plan);
}
/* Each kind has ids of its own, notifies in an attribute of their own: one of another kind is no partner. */
static void test_notifies_and_memory_words_are_events_too(void **state) {
  (void)state;
#define ID(key, number) "attr { key: \"" key "\" value { i: " #number " } }"
  static const struct { const char *send, *send_id, *recv, *recv_id; int kind; } rows[] = {
      {"Send", ID("event_id", 5), "Recv", ID("event_id", 5), SK__GE_EVENT_KIND},
      {"SendNotify", ID("notify_id", 5), "RecvNotify", ID("notify_id", 5), SK__GE_NOTIFY_KIND},
      {"SendMem", ID("event_id", 5), "RecvMem", ID("event_id", 5), SK__GE_MEMORY_KIND},
      {"Send", ID("event_id", 5), "RecvNotify", ID("notify_id", 5), -1},
      {"SendMem", ID("event_id", 5), "Recv", ID("event_id", 5), -1},
      {"SendNotify", ID("event_id", 5), "RecvNotify", ID("event_id", 5), -1},
      {"SendNotify", ID("notify_id", 5), "RecvNotify", ID("notify_id", 6), -1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[1200];
    snprintf(text, sizeof text, OP("a", "A", 1, 0, "") "op { name: \"send\" type: \"%s\" id: 2 stream_id: 0 %s }\n"
             "op { name: \"recv\" type: \"%s\" id: 3 stream_id: 1 %s }\n" OP("b", "B", 4, 1, ""), rows[i].send, rows[i].send_id, rows[i].recv, rows[i].recv_id);
    sk__ge_plan *plan = planned(text, NULL, NULL);
    if (plan->ge.event_count != (rows[i].kind >= 0)) fail_msg("%s %s, %s %s: %zu events", rows[i].send, rows[i].send_id, rows[i].recv, rows[i].recv_id, plan->ge.event_count);
    if (rows[i].kind >= 0) assert_int_equal(plan->ge.events[0].kind, rows[i].kind);
    sk__ge_plan_free(plan);
  }
}
static void test_tiling_on_the_aicpu_keeps_a_reused_binary_out(void **state) {
  (void)state;
#define REUSE " attr { key: \"_op_ensure_reuse_binary\" value { s: 'b: true' } }"
#define SINK " attr { key: \"_tiling_sink_op\" value { s: 'b: true' } }"
  static const struct { const char *attributes, *kernel; bool stays_out; } rows[] = {
      {REUSE, "{\"type\": \"AIC_ONLY\", \"blocks\": 8, \"aicpu_tiling\": true}", true},
      {"", "{\"type\": \"AIC_ONLY\", \"blocks\": 8, \"aicpu_tiling\": true}", false},
      {REUSE, "{\"type\": \"AIC_ONLY\", \"blocks\": 8, \"aicpu_tiling\": false}", false},
      {REUSE SINK, "{\"type\": \"AIC_ONLY\", \"blocks\": 8, \"aicpu_tiling\": true}", false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[800], kernels[200];
    snprintf(text, sizeof text, NODE("a", "A", SCOPE("s") SUPPORT) "node { name: \"b\" op: \"B\" " INPUT("a:0") SCOPE("s") SUPPORT "%s }\n", rows[i].attributes);
    snprintf(kernels, sizeof kernels, "{\"A\": {\"type\": \"AIC_ONLY\", \"blocks\": 8}, \"B\": %s}", rows[i].kernel);
    sk__ge_plan *plan = planned(text, NULL, kernels);
    if ((plan->scope_of[1] == UINT32_MAX) != rows[i].stays_out) fail_msg("row %zu: '%s' %s", i, rows[i].attributes, rows[i].kernel);
    if (rows[i].stays_out) assert_listed(plan, "b (node 1): TILING_ON_AICPU");
    sk__ge_plan_free(plan);
  }
}
static void test_nodes_stand_behind_what_they_take(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(NODE("b", "B", INPUT("a:0")) NODE("a", "A", "") NODE("c", "C", ""), NULL, NULL);
  assert_string_equal(plan->ge.nodes[0].name, "a");
  assert_string_equal(plan->ge.nodes[1].name, "b");
  assert_string_equal(plan->ge.nodes[2].name, "c");
  sk__ge_plan_free(plan);
}
/* With ids the order of the file, and with it that of its streams, decides nothing; planned again it is the same plan. */
static char *plan_as_text(const char *const *parts, const uint32_t *order, size_t count) {
  char text[4096] = "";
  for (size_t i = 0; i < count; i++) strcat(text, parts[order[i]]);
  sk__ge_plan *plan = planned(text, "stream-fusion=1", "{\"A\": {\"type\": \"AIC_ONLY\", \"blocks\": 8}, \"B\": {\"type\": \"AIV_ONLY\", \"blocks\": 8}}");
  json_t *json = sk__ge_plan_json(plan);
  assert_non_null(json);
  char *out = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);
  json_decref(json);
  sk__ge_plan_free(plan);
  return out;
}
static void test_the_order_of_the_file_decides_nothing(void **state) {
  (void)state;
  static const char *const parts[] = {
      OP("a", "A", 1, 0, IN_S), OP("b", "B", 2, 1, IN_S), OP("send", "Send", 3, 0, EVENT), OP("recv", "Recv", 4, 1, EVENT), OP("c", "B", 5, 1, IN_S),
      OP("d", "A", 6, 2, ""), OP("e", "A", 7, 0, IN_S), OP("f", "B", 8, 0, "")};
  enum { PARTS = sizeof parts / sizeof parts[0], ROUNDS = 200 };
  uint32_t order[PARTS];
  for (uint32_t i = 0; i < PARTS; i++) order[i] = i;
  char *first = plan_as_text(parts, order, PARTS);
  assert_non_null(strstr(first, "sk_s_start_a_end_e"));
  sk__rng rng = sk__rng_from_seed(sk_test_seed("order of the file"));
  for (int round = 0; round < ROUNDS; round++) {
    char *again = plan_as_text(parts, order, PARTS);
    if (strcmp(first, again) != 0) fail_msg("round %d: %s\n%s", round, first, again);
    free(again);
    for (uint32_t i = PARTS; i-- > 1;) {
      uint32_t other = sk__rng_below(&rng, i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
  }
  free(first);
}
static void test_strings_and_lists(void **state) {
  (void)state;
  sk__ge_plan *plan = planned("node { name: \"a\" \"b\" # two strings\n op: 'A' } node < name: \"\\x63\\144\"; op: \"B\", input: [\"ab:0\", \"^ab\"] >", NULL, NULL);
  assert_string_equal(plan->ge.nodes[0].name, "ab");
  assert_string_equal(plan->ge.nodes[1].name, "cd");
  sk__ge_plan_free(plan);
}
static void test_json_and_graphviz(void **state) {
  (void)state;
  sk__ge_plan *plan = planned(chain, "split-mode=1", "{\"MatMul\": {\"type\": \"AIC_ONLY\", \"blocks\": 20}, \"Relu\": {\"type\": \"AIV_ONLY\", \"blocks\": 16}}");
  json_t *json = sk__ge_plan_json(plan);
  const json_t *scope = json_array_get(json_object_get(json, "scopes"), 0);
  assert_string_equal(json_string_value(json_object_get(json_object_get(json_object_get(scope, "options"), "split-mode"), "effect")), "1 copies of each operator");
  assert_true(json_is_object(json_object_get(scope, "program")));
  assert_int_equal(json_array_size(json_object_get(json, "decisions")), 3);
  json_decref(json);
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk__ge_plan_dot(plan, to);
  fclose(to);
  assert_non_null(strstr(text, "label=\"sk_s_start_a_end_b\""));
  assert_non_null(strstr(text, "n1 -> n2;"));
  free(text);
  sk__ge_plan_free(plan);
}

SK_TESTS(SK_TEST(test_text_that_is_no_graph), SK_TEST(test_nodes_that_are_none), SK_TEST(test_attributes_that_are_none), SK_TEST(test_nesting_has_a_bound),
         SK_TEST(test_rules_that_a_graph_breaks), SK_TEST(test_descriptions_that_are_none), SK_TEST(test_a_scope_of_attributes),
         SK_TEST(test_descriptions_make_a_program), SK_TEST(test_the_other_form), SK_TEST(test_kernels_that_cannot_be_fused), SK_TEST(test_a_bypassed_scope),
         SK_TEST(test_stream_labels_make_streams_and_events), SK_TEST(test_sends_and_receives_are_events), SK_TEST(test_notifies_and_memory_words_are_events_too), SK_TEST(test_tiling_on_the_aicpu_keeps_a_reused_binary_out), SK_TEST(test_nodes_stand_behind_what_they_take),
         SK_TEST(test_the_order_of_the_file_decides_nothing), SK_TEST(test_strings_and_lists), SK_TEST(test_json_and_graphviz))
