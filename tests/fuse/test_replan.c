/* Random graphs of every kind of node: a plan does not depend on how the file lists the streams, on what was planned
 * before, nor on a trip through a file. */
#include "base/rng.h"
#include "graph_text.h"

enum { STREAMS = 4, ROUNDS = SK__HARD ? 200 : 3000 };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t used = strlen(text);
  vsnprintf(text + used, 4096 - used, format, arguments);
  va_end(arguments);
}

static void add_kernel(sk__rng *rng, char *text, uint32_t stream, uint32_t number) {
  add(text, "%uk%u:%c%u%s%s ", stream, number, "CVmM"[sk__rng_below(rng, 4)], 1 + sk__rng_below(rng, 24), sk__rng_below(rng, 20) == 0 ? "!" : "",
      sk__rng_below(rng, 8) == 0 ? "*" : "");
}

/* Kernels, records, waits and resets of events, value writes and waits, tasks that are no kernels, scopes. */
static void random_graph(sk__rng *rng, char *text) {
  uint32_t tasks = 6 + sk__rng_below(rng, 50), events = 0, addresses = 0, open = 0;
  char opened[3];
  text[0] = '\0';
  for (uint32_t i = 0; i < tasks; i++) {
    uint32_t stream = sk__rng_below(rng, STREAMS), dice = sk__rng_below(rng, 20);
    if (dice < 12) add_kernel(rng, text, stream, i);
    else if (dice == 12 && events < 26) add(text, "%uN%s(%c) ", stream, sk__rng_below(rng, 10) == 0 ? "!" : "", 'a' + (int)events++);
    else if (dice <= 14 && events > 0) add(text, "%uW(%c) ", stream, 'a' + (int)sk__rng_below(rng, events));
    else if (dice == 15 && events > 0) add(text, "%uR(%c) ", stream, 'a' + (int)sk__rng_below(rng, events));
    else if (dice == 16 && addresses < 26) add(text, "%uw(%c=1) ", stream, 'A' + (int)addresses++);
    else if (dice == 17 && addresses > 0) add(text, "%uu(%c=1,1) ", stream, 'A' + (int)sk__rng_below(rng, addresses));
    else if (dice == 18 && open < 3) add(text, "%uB(%c) ", stream, opened[open++] = "xyz"[sk__rng_below(rng, 3)]);
    else if (dice == 19 && open > 0) add(text, "%uE(%c) ", stream, opened[--open]);
    else add(text, "%uD ", stream);
  }
  while (open > 0) add(text, "0E(%c) ", opened[--open]);
  for (uint32_t stream = 0; stream < STREAMS; stream++) add(text, "%uz%u:V1 ", stream, stream); /* none is empty */
}

static sk__fuse_options random_options(sk__rng *rng) {
  sk__fuse_options options = sk__fuse_defaults();
  options.auto_op_parallel = sk__rng_below(rng, 2);
  options.early_start = sk__rng_below(rng, 2);
  options.debug_sync_all = sk__rng_below(rng, 6) == 0;
  options.debug_per_op_max_core_num = sk__rng_below(rng, 8) == 0;
  options.task_breaker_bypass = sk__rng_below(rng, 2);
  options.value_breaker_bypass = sk__rng_below(rng, 4);
  options.emulate_vendor_defects = sk__rng_below(rng, 2) == 1;
  return options;
}

/* Everything a plan says, as text; or why there is none. */
static char *plan_text(const sk__graph *graph, const sk__fuse_options *options, bool *planned) {
  char why[256] = "";
  sk__plan *plan = NULL;
  sk_status status = sk__plan_make(graph, options, &plan, why, sizeof why);
  if (status != SK_OK) {
    assert_int_equal(status, SK_STATE);
    *planned = false;
    return strdup(why);
  }
  json_t *json = sk__plan_json(plan);
  assert_non_null(json);
  char *text = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);
  json_decref(json);
  sk__plan_free(plan);
  *planned = true;
  return text;
}

static void shuffle(sk__rng *rng, json_t *streams) {
  for (size_t i = json_array_size(streams); i-- > 1;) {
    size_t other = sk__rng_below(rng, (uint32_t)i + 1);
    json_t *a = json_incref(json_array_get(streams, i)), *b = json_incref(json_array_get(streams, other));
    json_array_set_new(streams, i, b);
    json_array_set_new(streams, other, a);
  }
}

static sk__graph *shuffled(sk__rng *rng, const sk__graph *graph) {
  json_t *dump = NULL;
  sk__graph *out = NULL;
  char why[256] = "";
  assert_int_equal(sk__graph_to_json(graph, &dump), SK_OK);
  shuffle(rng, json_object_get(dump, "streams"));
  assert_int_equal(sk__graph_from_json(dump, &out, why, sizeof why), SK_OK);
  json_decref(dump);
  return out;
}

static void assert_same(const char *graph, const char *what, const char *first, const char *second) {
  if (strcmp(first, second) != 0) fail_msg("%s\n%s:\n%s\n%s", graph, what, first, second);
}

static void test_plans_do_not_depend_on_the_file(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("replan"));
  size_t plans = 0;
  for (int round = 0; round < ROUNDS; round++) {
    char text[4096];
    random_graph(&rng, text);
    sk__fuse_options options = random_options(&rng);
    sk__graph *graph = graph_of(text), *other = shuffled(&rng, graph);
    bool planned = false, again = false;
    char *first = plan_text(graph, &options, &planned), *second = plan_text(graph, &options, &again);
    assert_same(text, "planned twice", first, second);
    free(second);
    second = plan_text(other, &options, &again);
    assert_same(text, "streams listed in another order", first, second);
    plans += planned;
    free(first);
    free(second);
    sk__graph_free(graph);
    sk__graph_free(other);
  }
  assert_true(plans > ROUNDS / 4);
}

SK_TESTS(SK_TEST_LIMIT(test_plans_do_not_depend_on_the_file, 240)) /* two plans of each of many graphs: long under sanitizers */
