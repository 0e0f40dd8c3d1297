/* H41: value waits that were fused although what they wait for cannot come, as a plan's listing tells. */
#include "graph_text.h"

/* The listing of a graph planned with value_breaker_bypass. */
static char *listing_of(const char *graph, uint32_t bypass) {
  sk__fuse_options options = sk__fuse_defaults();
  options.value_breaker_bypass = bypass;
  sk__plan *plan = plan_with(graph, options);
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  assert_non_null(to);
  sk__plan_print(plan, to);
  fclose(to);
  sk__plan_free(plan);
  return text;
}

static void tells(const char *graph, uint32_t bypass, const char *part) {
  char *text = listing_of(graph, bypass);
  if (strstr(text, part) == NULL) fail_msg("%s: '%s' is not in:\n%s", graph, part, text);
  free(text);
}

static void is_silent(const char *graph, uint32_t bypass) {
  char *text = listing_of(graph, bypass);
  if (strstr(text, "H41") != NULL) fail_msg("%s: H41 is in:\n%s", graph, text);
  free(text);
}

static void test_nobody_writes_it(void **state) {
  (void)state;
  tells("0a:V8 0u(x=1) 0b:V8", 2, "warning H41: the wait for a value at 0x78 (node 2) was fused, and nobody in this graph writes it");
}
static void test_a_value_that_does_not_do_is_nobody(void **state) {
  (void)state;
  tells("1w(x=2) 0a:V8 0u(x=1,1) 0b:V8", 2, "nobody in this graph writes it");
}
static void test_it_is_written_behind(void **state) {
  (void)state;
  is_silent("0a:V8 0u(x=1) 0b:V8! 0w(x=1)", 3); /* such a wait is not fused */
}
static void test_without_the_bypass_the_wait_stays_outside(void **state) {
  (void)state;
  is_silent("0a:V8 0u(x=1) 0b:V8", 0);
  is_silent("0a:V8 0u(x=1) 0b:V8! 0w(x=1)", 0);
}
static void test_it_is_written_by_another_stream(void **state) {
  (void)state;
  is_silent("1c:V8! 1w(x=1) 0a:V8 0u(x=1) 0b:V8", 3);
}
static void test_it_is_written_in_front(void **state) {
  (void)state;
  is_silent("0w(x=1) 0a:V8 0u(x=1) 0b:V8", 3);
}

SK_TESTS(SK_TEST(test_nobody_writes_it), SK_TEST(test_a_value_that_does_not_do_is_nobody), SK_TEST(test_it_is_written_behind),
         SK_TEST(test_without_the_bypass_the_wait_stays_outside), SK_TEST(test_it_is_written_by_another_stream), SK_TEST(test_it_is_written_in_front))
