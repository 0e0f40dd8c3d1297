/* The dump writer: what it writes is read back as the same graph; models as dumps. */
#include <unistd.h>

#include "../runtime/device_fixture.h"
#include "graph/graph.h"

static sk__graph *read_text(const char *text, size_t bytes) {
  sk__graph *graph = NULL;
  char why[256] = "";
  if (sk__graph_from_text(text, bytes, &graph, why, sizeof why) != SK_OK) fail_msg("%s", why);
  return graph;
}

static void same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a != NULL) assert_string_equal(a, b);
}

/* Everything the planner looks at. */
static void same_graph(const sk__graph *a, const sk__graph *b) {
  assert_int_equal(a->implicit_resets, b->implicit_resets);
  assert_int_equal(a->third_chip, b->third_chip);
  assert_int_equal(a->aic_count, b->aic_count);
  assert_int_equal(a->aiv_count, b->aiv_count);
  assert_int_equal(a->stream_count, b->stream_count);
  assert_int_equal(a->node_count, b->node_count);
  for (size_t i = 0; i < a->node_count; i++) {
    const sk__node *x = &a->nodes[i], *y = &b->nodes[i];
    assert_int_equal(x->id, y->id);
    assert_int_equal(x->stream, y->stream);
    assert_int_equal(x->position, y->position);
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->marker, y->marker);
    same_text(x->scope, y->scope);
    assert_int_equal(x->event_id, y->event_id);
    assert_int_equal(x->event_flag, y->event_flag);
    assert_int_equal(x->event_task_flag, y->event_task_flag);
    assert_int_equal(x->address, y->address);
    assert_int_equal(x->value, y->value);
    assert_int_equal(x->condition, y->condition);
    if (x->type != SK__NODE_KERNEL || x->marker != SK__NO_MARKER) continue;
    same_text(x->kernel.name, y->kernel.name);
    same_text(x->kernel.unbound_reason, y->kernel.unbound_reason);
    assert_int_equal(x->kernel.type, y->kernel.type);
    assert_int_equal(x->kernel.blocks, y->kernel.blocks);
    assert_int_equal(x->kernel.cap, y->kernel.cap);
    assert_int_equal(x->kernel.schedmode, y->kernel.schedmode);
    assert_int_equal(x->kernel.bound, y->kernel.bound);
    assert_int_equal(x->kernel.in_task_group, y->kernel.in_task_group);
    assert_int_equal(x->kernel.binding_copies, y->kernel.binding_copies);
    assert_memory_equal(x->kernel.code_bytes, y->kernel.code_bytes, sizeof x->kernel.code_bytes);
    assert_memory_equal(x->kernel.has_half, y->kernel.has_half, sizeof x->kernel.has_half);
    assert_int_equal(x->kernel.attributes_failed, y->kernel.attributes_failed);
    assert_int_equal(x->kernel.mix_split, y->kernel.mix_split);
    assert_int_equal(x->kernel.simt, y->kernel.simt);
  }
}

static sk__graph *again(const sk__graph *graph) {
  json_t *dump = NULL;
  assert_int_equal(sk__graph_to_json(graph, &dump), SK_OK);
  char *text = json_dumps(dump, JSON_COMPACT);
  sk__graph *back = read_text(text, strlen(text));
  free(text);
  json_decref(dump);
  return back;
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void models_and_paths_that_are_none(void **state) {
  (void)state;
  device_open();
  int nothing = 0;
  assert_fails(aclmdlRIDebugJsonPrint(&nothing, "x.json", 0), ACL_ERROR_RT_INVALID_HANDLE, "no live captured model");
  aclrtStream stream = stream_new();
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_fails(aclmdlRIDebugJsonPrint(model, NULL, 0), ACL_ERROR_INVALID_PARAM, "path");
  assert_fails(aclmdlRIDebugJsonPrint(model, "", 0), ACL_ERROR_INVALID_PARAM, "path");
  assert_fails(aclmdlRIDebugJsonPrint(model, "x.json", 2), ACL_ERROR_INVALID_PARAM, "flags");
  assert_fails(aclmdlRIDebugJsonPrint(model, "/no/such/folder/x.json", 0), ACL_ERROR_FAILURE, "No such file");
}

static void names_that_json_cannot_hold(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(aclskScopeBegin("\xff", stream));
  assert_ok(aclskScopeEnd("\xff", stream));
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_fails(aclmdlRIDebugJsonPrint(model, "x.json", 0), ACL_ERROR_FAILURE, "UTF-8");
}

/* ---- use ------------------------------------------------------------------------------------- */

static void every_field_of_a_dump_comes_back(void **state) {
  (void)state;
  static const char text[] =
      "{\"soc\": \"Ascend950\", \"device\": {\"aic\": 20, \"aiv\": 40}, \"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": ["
      "{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"isScopeNode\": true, \"isScopeBegin\": true, \"scopeName\": \"s\"},"
      "{\"nodeId\": 2, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": {\"funcName\": \"k\", \"numBlocks\": 8,"
      " \"kernelTypeInt\": 3, \"taskRatio\": [1, 2], \"cap\": \"0xffffffffffffffff\", \"resolvedNum\": 2, \"taskGrp\": 5,"
      " \"schedMode\": {\"launch\": 1}, \"isSimtOp\": true, \"needMixKernelSplit\": false,"
      " \"resolvedFuncs\": [{\"funcSize\": [100, 200]}, {\"funcSize\": [300, 400]}]}}]},"
      "{\"nodeId\": 3, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": {\"funcName\": \"u\", \"numBlocks\": 1,"
      " \"kernelTypeInt\": 2, \"bindFail\": \"BINDMAP_INIT_EMPTY\"}}]},"
      "{\"nodeId\": 4, \"nodeType\": \"MEMORY_WRITE\", \"taskInfo\": [{\"valueWriteParams\": {\"devAddr\": \"0xfffffffffffffff0\","
      " \"value\": \"0xffffffffffffffff\"}}]},"
      "{\"nodeId\": 9, \"nodeType\": \"KERNEL\", \"isScopeNode\": true, \"isScopeEnd\": true, \"scopeName\": null}]},"
      "{\"streamIdxInGraph\": 1, \"nodes\": ["
      "{\"nodeId\": 5, \"nodeType\": \"MEMORY_WAIT\", \"taskInfo\": [{\"valueWaitParams\": {\"devAddr\": 16, \"value\": 1, \"flag\": 3}}]},"
      "{\"nodeId\": 6, \"nodeType\": \"NOTIFY\", \"taskInfo\": [{\"eventParams\": {\"eventId\": 7, \"eventFlag\": 32, \"eventTaskFlag\": 1}}]},"
      "{\"nodeId\": 7, \"nodeType\": \"RESET\", \"taskInfo\": [{\"eventParams\": {\"eventId\": \"0xfedcba9876543210\"}}]},"
      "{\"nodeId\": 8, \"nodeType\": \"DEFAULT\"}]}]}";
  sk__graph *graph = read_text(text, sizeof text - 1), *back = again(graph);
  same_graph(graph, back);
  sk__graph_free(graph);
  sk__graph_free(back);
}

static void a_captured_model_comes_back(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = stream_new(), other = stream_new();
  aclrtEvent fork = NULL, join = NULL;
  assert_ok(aclrtCreateEvent(&fork));
  assert_ok(aclrtCreateEvent(&join));
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(aclskScopeBegin("scope", stream));
  assert_ok(aclrtRecordEvent(fork, stream));
  assert_ok(aclrtStreamWaitEvent(other, fork));
  assert_ok(launch_add(other, &add_cube, 3, a, b, 1));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(aclrtRecordEvent(join, other));
  assert_ok(aclrtStreamWaitEvent(stream, join));
  assert_ok(aclrtResetEvent(join, stream));
  assert_ok(aclskScopeEnd("scope", stream));
  assert_ok(aclskScopeBegin(NULL, stream));
  assert_ok(aclskScopeEnd(NULL, stream));
  assert_ok(aclrtMemsetAsync(a, 32, 1, 32, stream));
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  char path[] = "test-dump-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  assert_ok(aclmdlRIDebugJsonPrint(model, path, 1));
  json_t *dump = json_load_file(path, 0, NULL);
  unlink(path);
  assert_non_null(dump);
  char why[256] = "";
  sk__graph *read = NULL, *made = NULL;
  if (sk__graph_from_json(dump, &read, why, sizeof why) != SK_OK) fail_msg("%s", why);
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  assert_ok(sk__model_tasks(model, "test", &tasks, &count, &optimised));
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(sk__runtime_get())), tasks, count, &made), SK_OK);
  same_graph(made, read);
  assert_int_equal(read->stream_count, 2);
  assert_int_equal(read->node_count, 4 * 3 + 2 + 5 + 1);
  sk__graph_free(read);
  sk__graph_free(made);
  json_decref(dump);
}

SK_TESTS(SK_TEST(models_and_paths_that_are_none), SK_TEST(names_that_json_cannot_hold), SK_TEST(every_field_of_a_dump_comes_back),
         SK_TEST(a_captured_model_comes_back))
