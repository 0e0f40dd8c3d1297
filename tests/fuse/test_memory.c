/* Hard builds: planning with every allocation failing once. Without the failing allocator there is nothing
 * to test. */
#include "base/memory.h"
#include "graph_text.h"

#if SK__HARD
static void sweep(const char *text, sk__fuse_options options) {
  sk__graph *graph = graph_of(text);
  for (uint64_t n = 1;; n++) {
    sk__plan *plan = NULL;
    char why[256] = "";
    sk__alloc_fail_at(n);
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    sk__alloc_fail_at(0);
    if (status == SK_OK) {
      assert_true(n > 10);
      sk__plan_free(plan);
      break;
    }
    assert_int_equal(status, SK_OUT_OF_MEMORY);
  }
  sk__graph_free(graph);
}
#endif

static void test_every_allocation_may_fail(void **state) {
  (void)state;
#if SK__HARD
  sk__fuse_options options = sk__fuse_defaults();
  options.early_start = 1;
  sweep("0B(A) 0a:C8^2 0N(x) 1W(x) 1b:V8*^1 0c:M4 1N(y) 0W(y) 0d:V8 0E(A) 0R(x) 0R(y)", options);
  options.auto_op_parallel = 1;
  options.task_breaker_bypass = 1;
  options.emulate_vendor_defects = true;
  sweep("0o:C1! 1p:C1! 0a:C2 1b:V2 0c:C2 1d:V2 1w(q=1) 2D 0e:C2* 0f:C4* 0q:C1! 1r:C1!", options);
  options.debug_per_op_max_core_num = 1;
  sweep("0a:C2 1b:V2 0c:C2", options);
#else
  skip();
#endif
}

SK_TESTS(SK_TEST(test_every_allocation_may_fail))
