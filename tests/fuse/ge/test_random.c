/* Properties of every graph mode program, on random lists of operators and option strings. */
#include "base/rng.h"
#include "base/text.h"
#include "fuse/ge/internal.h"
#include "ge_text.h"

enum { MAX_SUBS = 12, MAX_LIST = 3, CASES = 30000 };

typedef struct any {
  sk__ge_sub subs[MAX_SUBS];
  int64_t send[MAX_SUBS][MAX_LIST], recv[MAX_SUBS][MAX_LIST];
  sk__ge_tiling tilings[MAX_SUBS][5];
  char options[256];
  sk__ge_input input;
} any;

static uint32_t below(sk__rng *rng, uint32_t n) { return (uint32_t)sk__rng_below(rng, n); }

static void any_sub(any *a, uint32_t i, sk__rng *rng, bool streams) {
  static const char *const types[] = {"Add", "Mul", "Cast"};
  sk__ge_sub *sub = &a->subs[i];
  *sub = (sk__ge_sub){.described = below(rng, 15) != 0, .type = (sk_kernel_type)below(rng, 6), .type_known = true, .complete = true, .task_known = true,
                      .blocks = 1 + below(rng, 24), .stream = streams ? (int64_t)below(rng, 3) : -1, .op_type = types[below(rng, 3)], .args = below(rng, 4),
                      .text_bytes = {below(rng, 20000), below(rng, 20000)}, .dynamic = below(rng, 6) == 0, .sync_all = below(rng, 4) == 0};
  if (!sub->dynamic && below(rng, 4) == 0) sub->es_set = sub->es_wait = true;
  if (below(rng, 5) == 0) sub->dcci_before = true;
  if (below(rng, 5) == 0) sub->dcci_after = true;
  if (below(rng, 8) == 0) sub->dcci_disable = true;
  sub->tiling_count = 1 + below(rng, 5);
  sub->tilings = a->tilings[i];
  for (uint32_t k = 0; k < sub->tiling_count; k++) a->tilings[i][k] = (sk__ge_tiling){k * 7 + below(rng, 7), (sk_kernel_type)below(rng, 6)};
  sub->send = (sk__ge_ids){a->send[i], i + 1 < a->input.count ? below(rng, MAX_LIST) : 0};
  sub->recv = (sk__ge_ids){a->recv[i], i > 0 ? below(rng, MAX_LIST) : 0};
  for (uint32_t k = 0; k < MAX_LIST; k++) {
    a->send[i][k] = below(rng, 6) == 0 ? 100 + below(rng, 50) : 10 * i + k;
    a->recv[i][k] = below(rng, 4) == 0 ? 200 + below(rng, 50) : 10 * below(rng, i + 1) + below(rng, MAX_LIST);
  }
}

static void any_options(any *a, sk__rng *rng) {
  static const char *const parts[] = {"stream-fusion=1", "stream-fusion=1", "early-start=0", "feed-sync-all=1", "profiling=1", "debug-sync-all=1", "debug-dcci-all=1",
                                      "preload-code=max", "preload-code=none", "split-mode=1", "split-mode=2", "dcci-before-kernel-start=Add,Cast",
                                      "dcci-disable-on-kernel=Mul", "debug-aic-num=24:debug-aiv-num=48", "x"};
  sk__text text = sk__text_on(a->options, sizeof a->options);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (below(rng, 5) == 0 && strstr(a->options, parts[i]) == NULL && (strncmp(parts[i], "pre", 3) != 0 || strstr(a->options, "pre") == NULL) &&
        (strncmp(parts[i], "spl", 3) != 0 || strstr(a->options, "spl") == NULL))
      sk__text_add(&text, ":%s", parts[i]);
}

static void any_case(any *a, sk__rng *rng, bool emulate) {
  memset(a, 0, sizeof *a);
  a->input = (sk__ge_input){a->subs, 1 + below(rng, MAX_SUBS), a->options, 24, 48, true, emulate};
  bool streams = below(rng, 2) == 0;
  for (uint32_t i = 0; i < a->input.count; i++) any_sub(a, i, rng, streams);
  any_options(a, rng);
}

/* Sets (or waits) of an id on one core type, early start included. */
static uint32_t flags_of(const sk__ge_program *program, int type, bool set, uint32_t id) {
  uint32_t count = 0;
  for (size_t i = 0; i < program->queue[type].count; i++) {
    const sk__ge_step *step = &program->queue[type].items[i];
    if (step->kind == SK__GE_STEP_BAR) continue;
    for (int k = 0; k < step->flag_count; k++) count += step->flags[k].set == set && step->flags[k].id == id;
  }
  return count;
}

static void check_calls(const any *a, const sk__ge_program *program) {
  for (uint32_t i = 0; i < a->input.count; i++)
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      uint32_t calls = 0;
      for (size_t k = 0; k < program->queue[type].count; k++) {
        const sk__ge_step *step = &program->queue[type].items[k];
        calls += (step->kind == SK__GE_STEP_FUNC || step->kind == SK__GE_STEP_DFUNC) && step->sub == i;
      }
      bool here = a->subs[i].described && sk__ge_on(a->subs[i].type, (sk__core_type)type);
      if (a->subs[i].described && a->subs[i].dynamic && program->queue_count == 1) here = program->queue[type].launched;
      assert_int_equal(calls, here);
    }
}

static void check_program(const any *a, const sk__ge_program *program) {
  check_calls(a, program);
  assert_int_equal(flags_of(program, SK__AIV, true, 12), flags_of(program, SK__AIC, false, 12));
  assert_int_equal(flags_of(program, SK__AIC, true, 13), flags_of(program, SK__AIV, false, 13));
  assert_int_equal(flags_of(program, SK__AIC, true, 11), flags_of(program, SK__AIC, false, 11));
  assert_int_equal(flags_of(program, SK__AIV, true, 14), flags_of(program, SK__AIV, false, 14));
  assert_false(program->invalid_code);
  assert_false(sk__ge_hangs(program));
}

static void test_own_programs_are_complete_and_cannot_hang(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("ge programs"));
  static any a;
  uint32_t made[3] = {0};
  for (int n = 0; n < CASES; n++) {
    sk__arena arena = {0};
    sk__ge_program program;
    sk__ge_failure failure;
    any_case(&a, &rng, false);
    sk_status status = sk__ge_generate(&a.input, &arena, &program, &failure);
    made[status == SK_OK ? program.queue_count : 0]++;
    if (status == SK_OK) check_program(&a, &program);
    else {
      assert_int_equal(status, SK_INVALID_ARGUMENT);
      assert_int_not_equal(failure.error, SK__GE_NONE);
      assert_true(failure.why[0] != '\0' && strchr(failure.why, '\n') == NULL);
    }
    sk__arena_free(&arena);
  }
  print_message("refused %u, one queue %u, two queues %u\n", made[0], made[1], made[2]);
  assert_true(made[1] > CASES / 20 && made[2] > CASES / 100);
}

static void test_same_input_same_program(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("ge programs twice"));
  static any a;
  for (int n = 0; n < CASES / 20; n++) {
    sk__arena arena = {0};
    sk__ge_program program[2];
    sk__ge_failure failure[2];
    any_case(&a, &rng, n % 2 == 0);
    sk_status first = sk__ge_generate(&a.input, &arena, &program[0], &failure[0]), second = sk__ge_generate(&a.input, &arena, &program[1], &failure[1]);
    assert_int_equal(first, second);
    json_t *one = first == SK_OK ? sk__ge_program_json(&program[0]) : sk__ge_failure_json(&failure[0]);
    json_t *other = first == SK_OK ? sk__ge_program_json(&program[1]) : sk__ge_failure_json(&failure[1]);
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
    sk__arena_free(&arena);
  }
}

SK_TESTS(SK_TEST(test_own_programs_are_complete_and_cannot_hang), SK_TEST(test_same_input_same_program))
