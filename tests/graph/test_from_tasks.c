/* Graphs of what a program launched. Streams and events are only identities here. */
#include <string.h>

#include "graph/graph.h"
#include "harness.h"

static char identities[16];
static sk__stream *stream(int n) { return (sk__stream *)(void *)&identities[n]; }
static sk__event *event(int n) { return (sk__event *)(void *)&identities[8 + n]; }

static const sk_kernel kernel = {.abi = SK_KERNEL_ABI, .type = SK_MIX_AIC_1_1, .name = "k", .schedmode = 1};

static sk__graph *graph_of(sk__task *tasks, size_t count) {
  sk__task *list[32];
  for (size_t i = 0; i < count; i++) list[i] = &tasks[i];
  sk__graph *graph = NULL;
  assert_int_equal(sk__graph_from_tasks(sk__soc_find(NULL), list, count, &graph), SK_OK);
  return graph;
}
#define GRAPH(...) graph_of((sk__task[]){__VA_ARGS__}, sizeof((sk__task[]){__VA_ARGS__}) / sizeof(sk__task))
#define LAUNCH(s) {.kind = SK__TASK_KERNEL, .stream = stream(s), .kernel = &kernel, .blocks = 8}
#define EVENT(what, s, e) {.kind = SK__TASK_EVENT_##what, .stream = stream(s), .event = event(e)}

static void test_nothing(void **state) {
  (void)state;
  sk__graph *graph = graph_of(NULL, 0);
  assert_int_equal(graph->node_count, 0);
  sk__graph_free(graph);
}

static void test_launches_and_copies(void **state) {
  (void)state;
  sk__graph *graph = GRAPH(LAUNCH(3), {.kind = SK__TASK_COPY, .stream = stream(1)}, LAUNCH(3));
  assert_int_equal(graph->stream_count, 2);
  assert_int_equal(graph->nodes[0].type, SK__NODE_KERNEL);
  assert_string_equal(graph->nodes[0].kernel.name, "k");
  assert_int_equal(graph->nodes[0].kernel.type, SK_MIX_AIC_1_1);
  assert_int_equal(graph->nodes[0].kernel.schedmode, 1);
  assert_true(graph->nodes[0].kernel.bound);
  assert_int_equal(graph->nodes[1].type, SK__NODE_DEFAULT);
  assert_int_equal(graph->nodes[1].stream, 1);
  assert_int_equal(graph->nodes[2].position, 1);
  sk__graph_free(graph);
}

static void test_a_scope_mark_is_three_nodes(void **state) {
  (void)state;
  char name[] = "A";
  sk__graph *graph = GRAPH({.kind = SK__TASK_SCOPE_BEGIN, .stream = stream(0), .scope = name}, LAUNCH(0),
                           {.kind = SK__TASK_SCOPE_END, .stream = stream(0)});
  assert_int_equal(graph->node_count, 7);
  assert_int_equal(graph->nodes[0].marker, SK__MARK_BEGIN);
  assert_int_equal(graph->nodes[1].marker, SK__MARK_PLACEHOLDER);
  assert_int_equal(graph->nodes[6].marker, SK__MARK_END);
  name[0] = 'x'; /* the graph owns its text */
  assert_string_equal(graph->nodes[2].scope, "A");
  assert_null(graph->nodes[6].scope);
  sk__graph_free(graph);
}

static void test_each_record_is_an_event_of_its_own(void **state) {
  (void)state;
  sk__graph *graph = GRAPH(EVENT(RECORD, 0, 1), EVENT(WAIT, 1, 1), EVENT(RESET, 1, 1), EVENT(RECORD, 0, 1), EVENT(WAIT, 1, 1));
  assert_int_equal(graph->nodes[0].type, SK__NODE_NOTIFY);
  assert_int_equal(graph->nodes[1].type, SK__NODE_WAIT);
  assert_int_equal(graph->nodes[2].type, SK__NODE_RESET);
  assert_int_equal(graph->nodes[1].event_id, graph->nodes[0].event_id);
  assert_int_equal(graph->nodes[2].event_id, graph->nodes[0].event_id);
  assert_int_equal(graph->nodes[4].event_id, graph->nodes[3].event_id);
  assert_int_not_equal(graph->nodes[3].event_id, graph->nodes[0].event_id);
  for (int i = 0; i < 5; i++) assert_int_equal(graph->nodes[i].event_flag, 0);
  sk__graph_free(graph);
}

static void test_half_an_event_belongs_to_the_outside(void **state) {
  (void)state;
  sk__graph *graph = GRAPH(EVENT(WAIT, 0, 1), EVENT(RECORD, 0, 2), LAUNCH(0));
  assert_int_equal(graph->nodes[0].event_flag, SK__EVENT_EXTERNAL);
  assert_int_equal(graph->nodes[1].event_flag, SK__EVENT_EXTERNAL);
  assert_int_not_equal(graph->nodes[0].event_id, graph->nodes[1].event_id);
  sk__graph_free(graph);
}

SK_TESTS(SK_TEST(test_nothing), SK_TEST(test_launches_and_copies), SK_TEST(test_a_scope_mark_is_three_nodes),
         SK_TEST(test_each_record_is_an_event_of_its_own), SK_TEST(test_half_an_event_belongs_to_the_outside))
