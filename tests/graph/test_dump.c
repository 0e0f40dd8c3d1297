/* The dump reader: malformed input is refused with its place, well-formed input arrives whole. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "graph/graph.h"
#include "harness.h"

#define KERNEL(id, more)                                                                                            \
  "{\"nodeId\": " id ", \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"taskType\": \"KERNEL\", \"kernelParams\": "      \
  "{\"funcName\": \"k\", \"numBlocks\": 8, \"kernelTypeInt\": 3, \"taskRatio\": [1, 2]" more "}}]}"
#define STREAM(nodes) "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [" nodes "]}]}"

static sk__graph *read_text(const char *text) {
  sk__graph *graph = NULL;
  char why[256] = "";
  sk_status status = sk__graph_from_text(text, strlen(text), &graph, why, sizeof why);
  if (status != SK_OK) print_message("%s\n", why);
  assert_int_equal(status, SK_OK);
  return graph;
}

static void refused(const char *text, const char *reason) {
  sk__graph *graph = NULL;
  char why[256] = "";
  assert_int_equal(sk__graph_from_text(text, strlen(text), &graph, why, sizeof why), SK_PARSE);
  if (strstr(why, reason) == NULL) print_message("'%s' lacks '%s'\n", why, reason);
  assert_non_null(strstr(why, reason));
  assert_null(strchr(why, '\n'));
}

static void test_refuses_what_is_no_graph(void **state) {
  (void)state;
  refused("", "line 1");
  refused("{\"streams\": [", "line 1");
  refused("[]", "not an object");
  refused("{}", "streams: not a list");
  refused("{\"streams\": []}", "streams: not a list");
  refused("{\"streams\": [{}]}", "streams[0].streamIdxInGraph: missing");
  refused("{\"streams\": [{\"streamIdxInGraph\": 1}]}", "streams[0].streamIdxInGraph: 1 is above 0");
  refused("{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": []}]}", "streams[0].nodes: not a list");
  refused("{\"soc\": \"Ascend999\", \"streams\": []}", "soc: unknown chip");
}

static void test_refuses_malformed_nodes(void **state) {
  (void)state;
  refused(STREAM("1"), "streams[0].nodes[0]");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNAL\"}"), "did you mean KERNEL");
  refused(STREAM("{\"nodeType\": \"DEFAULT\"}"), "nodes[0].nodeId: missing");
  refused(STREAM("{\"nodeId\": -1, \"nodeType\": \"DEFAULT\"}"), "nodeId: -1 is below 0");
  refused(STREAM("{\"nodeId\": true, \"nodeType\": \"DEFAULT\"}"), "nodeId: not a number");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": {\"funcName\": \"k\", \"numBlocks\": -8}}]}"),
          "streams[0].nodes[0].taskInfo[0].kernelParams.numBlocks: -8 is below 0");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": {\"funcName\": \"k\", \"numBlocks\": 0}}]}"), "numBlocks: 0; legal");
  refused(STREAM(KERNEL("1", "") ",{\"nodeId\": 2, \"nodeType\": \"DEFAULT\", \"preNodeId\": 7}"), "streams[0].nodes[1].preNodeId: 7 is no node");
  refused(STREAM("{\"nodeId\": 2, \"nodeType\": \"DEFAULT\", \"nextNodeId\": -7}"), "streams[0].nodes[0].nextNodeId: -7 is below 0");
  refused(STREAM(KERNEL("2", "") "," KERNEL("1", "")), "nodes[1].nodeId: 1 after 2");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": []}"), "taskInfo: not a list of one object");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": [{}]}"), "kernelParams: missing");
  refused(STREAM(KERNEL("1", ", \"cap\": \"zz\"")), "taskInfo[0].kernelParams.cap: \"zz\" is no number");
  refused(STREAM(KERNEL("1", ", \"resolvedNum\": 5")), "resolvedNum: 5 is above 4");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"isScopeNode\": true}"), "neither begin, end nor placeholder");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"isScopeNode\": true, \"isScopeEnd\": true, \"scopeName\": \"\"}"),
          "scopeName: empty");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"WAIT\", \"taskInfo\": [{\"taskType\": \"VALUE_WAIT\"}]}"), "without value and condition");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"WAIT\", \"taskInfo\": [{\"eventParams\": {}}]}"), "eventParams.eventId: missing");
  refused(STREAM("{\"nodeId\": 1, \"nodeType\": \"MEMORY_WAIT\", \"taskInfo\": [{\"valueWaitParams\": {\"devAddr\": 1, \"flag\": 4}}]}"),
          "valueWaitParams.flag: 4 is above 3");
}

/* Counts that the file gives of itself tell when part of it is gone. */
static void test_refuses_counts_that_do_not_match(void **state) {
  (void)state;
  refused("{\"totalStreams\": 2, \"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [" KERNEL("1", "") "]}]}", "totalStreams: 2, but there are 1");
  refused("{\"totalNodes\": 4, \"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [" KERNEL("1", "") "]}]}", "totalNodes: 4, but there are 1");
  refused("{\"streams\": [{\"streamIdxInGraph\": 0, \"nodeCount\": 3, \"nodes\": [" KERNEL("1", "") "]}]}", "streams[0].nodeCount: 3, but there are 1");
  sk__graph_free(read_text("{\"totalStreams\": 1, \"totalNodes\": 1, \"streams\": [{\"streamIdxInGraph\": 0, \"nodeCount\": 1, \"nodes\": [" KERNEL("1", ", \"x\": 1") "]}]}"));
}
/* A scope's name has at most 255 bytes, a kernel's 4096. */
static void test_names_have_a_length(void **state) {
  (void)state;
  char name[4098], text[4600];
  for (int kernel = 0; kernel < 2; kernel++)
    for (size_t over = 0; over < 2; over++) {
      size_t length = (kernel ? 4096 : 255) + over;
      memset(name, 'n', length);
      name[length] = '\0';
      snprintf(text, sizeof text,
               kernel ? "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": "
                        "{\"numBlocks\": 1, \"kernelTypeInt\": 1, \"funcName\": \"%s\"}}]}]}]}"
                      : "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"isScopeNode\": true, \"isScopeBegin\": true, "
                        "\"scopeName\": \"%s\"}]}]}",
               name);
      if (over == 0) sk__graph_free(read_text(text));
      else refused(text, kernel ? "funcName: longer than 4096 bytes" : "scopeName: longer than 255 bytes");
    }
}
#define EVENT(id, type, event, flag) "{\"nodeId\": " id ", \"nodeType\": \"" type "\", \"taskInfo\": [{\"eventParams\": {\"eventId\": " event ", \"eventFlag\": " flag "}}]}"
#define STREAMS(a, b) "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [" a "]}, {\"streamIdxInGraph\": 1, \"nodes\": [" b "]}]}"
/* The wait that closes a circle of events, or none. */
static void test_circles_of_events(void **state) {
  (void)state;
  static const struct { const char *text; uint64_t wait; } cases[] = {
      {STREAMS(EVENT("1", "WAIT", "5", "0") "," EVENT("2", "NOTIFY", "6", "0"), EVENT("3", "WAIT", "6", "0") "," EVENT("4", "NOTIFY", "5", "0")), 1},
      {STREAMS(EVENT("1", "WAIT", "5", "0") "," EVENT("2", "NOTIFY", "5", "0"), KERNEL("3", "")), 1},
      {STREAMS(EVENT("1", "WAIT", "5", "32") "," EVENT("2", "NOTIFY", "6", "0"), EVENT("3", "WAIT", "6", "0") "," EVENT("4", "NOTIFY", "5", "32")), 0},
      {STREAMS(EVENT("1", "WAIT", "9", "0"), KERNEL("3", "")), 0}, /* recorded outside */
      {STREAMS(EVENT("3", "WAIT", "5", "0") "," EVENT("4", "NOTIFY", "6", "0"), EVENT("1", "NOTIFY", "5", "0") "," EVENT("5", "WAIT", "6", "0")), 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sk__graph *graph = read_text(cases[i].text);
    const sk__node *found = NULL;
    assert_int_equal(sk__graph_find_cycle(graph, &found), SK_OK);
    assert_int_equal(found != NULL ? found->id : 0, cases[i].wait);
    sk__graph_free(graph);
  }
}

static void test_refuses_endless_nesting(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  char *text = malloc(2 * DEPTH + 1);
  assert_non_null(text);
  memset(text, '[', DEPTH);
  memset(text + DEPTH, ']', DEPTH);
  text[2 * DEPTH] = '\0';
  refused(text, "depth");
  free(text);
}

static void test_kernel_fields(void **state) {
  (void)state;
  sk__graph *graph = read_text(STREAM(KERNEL("7",
      ", \"cap\": \"0x6\", \"taskGrp\": \"0x1\", \"resolvedNum\": 2, \"bindFail\": \"FUNC_NOT_FOUND\", "
      "\"schedMode\": {\"func\": 1, \"launch\": null}, \"resolvedFuncs\": [{\"funcSize\": [10, 20]}, {\"prefetchCnt\": [1, 2]}]")));
  const sk__node *node = &graph->nodes[0];
  assert_int_equal(node->id, 7);
  assert_int_equal(node->kernel.type, SK_MIX_AIC_1_2);
  assert_int_equal(node->kernel.cap, 6);
  assert_true(node->kernel.in_task_group);
  assert_int_equal(node->kernel.binding_copies, 2);
  assert_false(node->kernel.bound);
  assert_string_equal(node->kernel.unbound_reason, "FUNC_NOT_FOUND");
  assert_int_equal(node->kernel.schedmode, 1);
  assert_int_equal(node->kernel.code_bytes[0][1], 20);
  assert_int_equal(node->kernel.code_bytes[1][1], 4096);
  sk__graph_free(graph);
}

static void test_kernel_without_functions_is_unbound(void **state) {
  (void)state;
  sk__graph *graph = read_text(STREAM(KERNEL("1", ", \"resolvedNum\": 0, \"resolvedFuncs\": []") "," KERNEL("2", ", \"resolvedNum\": 1")));
  assert_false(graph->nodes[0].kernel.bound);
  assert_true(graph->nodes[1].kernel.bound);
  sk__graph_free(graph);
}

/* Optimising such a graph fails; reading does not, wherever the second one stands. */
static void test_two_nodes_of_one_id_are_read(void **state) {
  (void)state;
  sk__graph *graph = read_text(STREAM(KERNEL("2", "") "," KERNEL("5", "") "," KERNEL("2", "")));
  assert_int_equal(graph->node_count, 3);
  assert_int_equal(graph->nodes[1].id, 2);
  sk__graph_free(graph);
}

static void test_streams_are_merged_by_capture_order(void **state) {
  (void)state;
  sk__graph *graph = read_text("{\"device\": {\"aic\": 20, \"aiv\": 40}, \"streams\": ["
                               "{\"streamIdxInGraph\": 1, \"nodes\": [" KERNEL("2", "") "," KERNEL("5", "") "]},"
                               "{\"streamIdxInGraph\": 0, \"nodes\": [" KERNEL("3", "") "]}]}");
  assert_int_equal(graph->aic_count, 20);
  assert_int_equal(graph->node_count, 3);
  assert_int_equal(graph->nodes[0].id, 2);
  assert_int_equal(graph->nodes[1].id, 3);
  assert_int_equal(graph->nodes[1].stream, 0);
  assert_int_equal(graph->nodes[2].position, 1);
  assert_int_equal(graph->stream_nodes[1][1], 2);
  sk__graph_free(graph);
}

static void test_survives_damaged_text(void **state) {
  (void)state;
  static const char whole[] = STREAM(KERNEL("1", ", \"cap\": \"0x6\"") ","
      "{\"nodeId\": 2, \"nodeType\": \"NOTIFY\", \"taskInfo\": [{\"eventParams\": {\"eventId\": \"0x7\", \"eventFlag\": 0}}]},"
      "{\"nodeId\": 3, \"nodeType\": \"KERNEL\", \"isScopeNode\": true, \"isScopeBegin\": true, \"scopeName\": null}");
  sk__rng rng = sk__rng_from_seed(sk_test_seed("damaged text"));
  char text[sizeof whole];
  for (int round = 0; round < 20000; round++) {
    memcpy(text, whole, sizeof whole);
    for (uint32_t n = 1 + sk__rng_below(&rng, 3); n > 0; n--) {
      char fresh = sk__rng_below(&rng, 4) == 0 ? (char)sk__rng_below(&rng, 256) : "0129,:[]{}\"x-"[sk__rng_below(&rng, 13)];
      text[sk__rng_below(&rng, sizeof whole - 1)] = fresh;
    }
    sk__graph *graph = NULL;
    char why[64];
    sk_status status = sk__graph_from_text(text, sizeof whole - 1, &graph, why, sizeof why);
    assert_true(status == SK_OK || status == SK_PARSE);
    if (status == SK_OK) sk__graph_free(graph);
  }
}

SK_TESTS(SK_TEST(test_refuses_what_is_no_graph), SK_TEST(test_refuses_malformed_nodes), SK_TEST(test_refuses_counts_that_do_not_match),
         SK_TEST(test_names_have_a_length), SK_TEST(test_circles_of_events), SK_TEST(test_refuses_endless_nesting),
         SK_TEST(test_kernel_fields), SK_TEST(test_kernel_without_functions_is_unbound), SK_TEST(test_two_nodes_of_one_id_are_read), SK_TEST(test_streams_are_merged_by_capture_order), SK_TEST(test_survives_damaged_text))
