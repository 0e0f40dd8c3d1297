/* What each option does to a plan, in words: a measure that changes, or why nothing does. */
#include "graph_text.h"

typedef struct told { char text[2048]; size_t count; } told;

static void note(void *context, const char *option, const char *value, const char *effect) {
  told *t = context;
  size_t used = strlen(t->text);
  snprintf(t->text + used, sizeof t->text - used, "%s=%s: %s\n", option, value, effect);
  t->count++;
}

static told effects_of(const char *graph, sk__fuse_options options) {
  told t = {.count = 0};
  sk__plan *plan = plan_with(graph, options);
  assert_int_equal(sk__plan_effects(plan, note, &t), SK_OK);
  sk__plan_free(plan);
  return t;
}

static void says(const told *t, const char *part) {
  if (strstr(t->text, part) == NULL) fail_msg("'%s' is not in:\n%s", part, t->text);
}

static void test_defaults_are_not_told(void **state) {
  (void)state;
  assert_int_equal(effects_of("0a:C8 0b:V8", sk__fuse_defaults()).count, 0);
}

static void test_no_effect_has_a_reason(void **state) {
  (void)state;
  static const char *const nobody[] = {"nobody"};
  sk__fuse_options options = sk__fuse_defaults();
  options.stream_fusion = 0;
  options.auto_op_parallel = 1;
  options.constant_codegen = 1;
  options.debug_cross_core_sync_check = 1;
  options.event_breaker_bypass = 1;
  options.value_breaker_bypass = 3;
  options.task_breaker_bypass = 1;
  options.dcci_before_kernel_start = options.dcci_disable_on_kernel = options.ubuf_lock_ignore_kernel = (sk__patterns){nobody, 1};
  told t = effects_of("0a:C8 0b:V8", options);
  assert_int_equal(t.count, 10);
  says(&t, "stream_fusion=0: no effect: 0 only warns");
  says(&t, "auto_op_parallel=1: no effect: no scope leaves a choice");
  says(&t, "constant_codegen=1: no effect: it compiles the same queues");
  says(&t, "event_breaker_bypass=1: no effect: the option is reserved");
  says(&t, "value_breaker_bypass=3: no effect: no value wait");
  says(&t, "task_breaker_bypass=1: no effect: no task");
  says(&t, "dcci_before_kernel_start=nobody: no effect: it matches no fused operator");
  says(&t, "dcci_disable_on_kernel=nobody: no effect");
  says(&t, "ubuf_lock_ignore_kernel=nobody: no effect: only the third chip");
}

static void test_nothing_fused_is_the_reason(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_sync_all = 1;
  told t = effects_of("0a:C8!", options);
  says(&t, "debug_sync_all=1: no effect: nothing is fused");
}

static void test_effects_are_measured(void **state) {
  (void)state;
  static const char *const a[] = {"a"};
  static const struct { const char *graph; size_t at; uint32_t value; const char *effect; } cases[] = {
#define AT(field) offsetof(sk__fuse_options, field)
      {"0a:C8 0b:V8", AT(debug_sync_all), 1, "full barriers 4 instead of 0, flags between cube and vector cores 0 instead of 1"},
      {"0a:C8 0b:V8", AT(split_mode), 1, "code copies in use 2 instead of 8"},
      {"0a:C8 0b:V8", AT(preload_code), 2, "preloaded units of 2 KiB 0 instead of 4"},
      {"0a:C8^2 0b:C8^1", AT(early_start), 1, "early-start steps 4 instead of 0"},
      {"0a:M8", AT(debug_op_exec_trace), 1, "entry kernel sk_entry_mix12_op_trace instead of sk_entry_mix12"},
      {"0a:M8", AT(debug_cross_core_sync_check), 1, "counter checks 2 instead of 0"},
      {"0a:C8 0b:V8", AT(debug_per_op_max_core_num), 1, "SuperKernels 2 instead of 1"},
      {"0a:C8 0b:C8 1c:V8 1d:V8", AT(auto_op_parallel), 1, "auto_op_parallel=1: "},
      {"0a:C8 1D 0b:V8 1c:C8", AT(task_breaker_bypass), 1, "task_breaker_bypass=1: "},
#undef AT
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sk__fuse_options options = sk__fuse_defaults();
    memcpy((char *)&options + cases[i].at, &cases[i].value, sizeof cases[i].value);
    told t = effects_of(cases[i].graph, options);
    assert_int_equal(t.count, 1);
    says(&t, cases[i].effect);
    if (strstr(t.text, "no effect") != NULL) fail_msg("%s: %s", cases[i].graph, t.text);
  }
  sk__fuse_options options = sk__fuse_defaults();
  options.dcci_before_kernel_start = (sk__patterns){a, 1};
  told t = effects_of("0a:C8 0b:V8", options);
  says(&t, "dcci_before_kernel_start=a: flushes before operators 1 instead of 0");
}

static void test_a_graph_that_needs_its_option(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_per_op_max_core_num = 1;
  told t = effects_of("0a:C8 1o:C8! 1N(x) 0W(x) 0b:C8", options);
  says(&t, "without it the graph cannot be optimised");
}

SK_TESTS(SK_TEST(test_defaults_are_not_told), SK_TEST(test_no_effect_has_a_reason), SK_TEST(test_nothing_fused_is_the_reason),
         SK_TEST(test_effects_are_measured), SK_TEST(test_a_graph_that_needs_its_option))
