/* Hard builds: grouping and generating with every allocation failing once. Without the failing allocator
 * there is nothing to test. */
#include "base/memory.h"
#include "../graph_text.h"
#include "fuse/ge/ge.h"

#if SK__HARD
static const char *options_of(void *context, const char *scope) {
  (void)scope;
  return context;
}

static void sweep(const char *text, const char *options, bool emulate) {
  sk__graph *graph = graph_of(text);
  for (uint64_t n = 1;; n++) {
    sk__ge_plan *plan = NULL;
    char why[512] = "";
    sk__alloc_fail_at(n);
    sk_status status = sk__ge_plan_make(graph, options_of, (void *)(uintptr_t)options, emulate, &plan, why, sizeof why);
    sk__alloc_fail_at(0);
    if (status == SK_OK) {
      assert_true(n > 5);
      sk__ge_plan_free(plan);
      break;
    }
    if (status != SK_OUT_OF_MEMORY) print_message("%s\n", why);
    assert_int_equal(status, SK_OUT_OF_MEMORY);
  }
  sk__graph_free(graph);
}

static void sweep_text(const char *text) {
  for (uint64_t n = 1;; n++) {
    sk__ge_request request = {.options = "early-start=0"};
    sk__ge_plan *plan = NULL;
    char why[512] = "";
    sk__alloc_fail_at(n);
    sk_status status = sk__ge_plan_read(text, strlen(text), &request, &plan, why, sizeof why);
    sk__alloc_fail_at(0);
    if (status == SK_OK) {
      assert_true(n > 10);
      sk__ge_plan_free(plan);
      break;
    }
    if (status != SK_OUT_OF_MEMORY) print_message("%s\n", why);
    assert_int_equal(status, SK_OUT_OF_MEMORY);
  }
}
#endif

static void test_every_allocation_may_fail(void **state) {
  (void)state;
#if SK__HARD
  sweep("0B(A) 0a:C8 0N(x) 1W(x) 1b:V8 1N(y) 0W(y) 0c:M4 0d:V8 0E(A)", "split-mode=2:feed-sync-all=1:profiling=1", false);
  sweep("0B(A) 0a:C8 1b:V8 0B() 0c:C8 0E() 0d:C8 1e:V8 0E(A)", "stream-fusion=1", false);
  sweep("0B(A) 0a:C8 1b:V8 0c:m4 1e:V8 0E(A)", "stream-fusion=1:compile-options=a,b:x", true);
  sweep_text("op { name: \"a\" type: \"A\" id: 1 stream_id: 0 attr { key: \"_super_kernel_scope\" value { s: \"s\" } } attr { key: \"tvm_blockdim\" value { i: 8 } }"
             " attr { key: \"_cube_vector_core_type\" value { s: \"AIC\" } } }"
             "op { name: \"s\" type: \"Send\" id: 2 stream_id: 0 attr { key: \"event_id\" value { i: 1 } } }"
             "op { name: \"r\" type: \"Recv\" id: 3 stream_id: 1 attr { key: \"event_id\" value { i: 1 } } }"
             "op { name: \"b\" type: \"B\" id: 4 stream_id: 1 input: \"a:0\" attr { key: \"_super_kernel_scope\" value { s: \"s\" } } }");
  sweep_text("node { name: \"b\" op: \"B\" input: \"a:0\" attr { key: \"_user_stream_label\" value { s: 's: \"x\"' } } }"
             "node { name: \"a\" op: \"A\" attr { key: \"_super_kernel_scope\" value { s: 's: \"t\"' } } }");
#else
  SK_SKIP("needs a hard build");
#endif
}

SK_TESTS(SK_TEST(test_every_allocation_may_fail))
