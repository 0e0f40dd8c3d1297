/* Several host threads: the same results and the same findings as one. */
#include <pthread.h>

#include "run_fixture.h"

#define KERNEL(name) static void name(sk__core *core, void *context)

static void spin(uint32_t microseconds) {
  uint64_t until = sk__now_ns() + microseconds * UINT64_C(1000);
  while (sk__now_ns() < until) {}
}

typedef struct shared { uint64_t gm; uint32_t early; _Atomic uint32_t at[SK__MAX_CORES]; _Atomic uint64_t threads[2]; } shared;

static void note_thread(shared *s) {
  uint64_t self = (uint64_t)pthread_self(), none = 0;
  if (atomic_load(&s->threads[0]) == self || atomic_compare_exchange_strong(&s->threads[0], &none, self)) return;
  atomic_store(&s->threads[1], self);
}

KERNEL(meets) {
  shared *s = context;
  note_thread(s);
  for (uint32_t i = 1; i <= 30; i++) {
    s->at[core->index] = i;
    if (i % 10 == 0) spin(100);
    sk__sync_all(core, false);
    for (uint32_t c = 0; c < 72; c++) s->early += s->at[c] < i;
    if (core->type == SK__AIC) {
      sk__cross_set(core, SK__PIPE_FIX, 2, 1);
      sk__cross_wait(core, 2);
    } else {
      sk__cross_wait(core, 1);
      sk__cross_set(core, SK__PIPE_MTE3, 2, 2);
    }
    sk__cross_set(core, core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3, 0, 3);
    sk__cross_wait(core, 3);
  }
}
static void test_barriers_hold_between_threads(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 3; threads++) {
    sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = threads});
    for (int i = 0; i < 5; i++) {
      shared s = {0};
      assert_int_equal(launch(m, SK_MIX_AIC_1_2, 24, meets, meets, &s), SK_OK);
      assert_int_equal(s.early, 0);
    }
    assert_silent(m);
    sk__machine_destroy(m);
  }
}

KERNEL(long_work) {
  note_thread(context);
  (void)core;
  spin(200);
}
static void test_a_long_launch_gets_a_helper(void **state) {
  (void)state;
  sk__machine *m = machine_of(NULL, (sk__machine_options){.threads = 2});
  bool helped = false;
  for (int i = 0; i < 3 && !helped; i++) { /* from the second time on at once */
    shared s = {0};
    assert_int_equal(launch(m, SK_AIV_ONLY, 48, NULL, long_work, &s), SK_OK);
    helped = atomic_load(&s.threads[1]) != 0;
  }
  assert_true(helped);
  shared s = {0};
  sk__launch l = {.name = "atomics", .type = SK_AIV_ONLY, .blocks = 48, .flags = SK_KERNEL_USES_ATOMICS, .entry = {NULL, long_work}, .context = &s};
  assert_int_equal(sk__machine_run(m, &l, NULL, NULL, NULL), SK_OK);
  assert_int_equal(atomic_load(&s.threads[1]), 0); /* order of blocks would show: one thread */
  sk__machine_destroy(m);
}

/* One kernel with many mistakes, in the same places on every run. */
KERNEL(full_of_mistakes) {
  shared *s = context;
  uint32_t b = core->block_idx;
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 1);
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 1);
  if (b % 4 == 0) sk__wait_flag(core, SK__PIPE_V, SK__PIPE_MTE3, 2);
  if (b % 7 == 0) spin(150);
  core->site = (const void *)(uintptr_t)0x1000;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE3, SK__WRITE, s->gm + b / 2 * 512, 512, core->site, "store"); /* pairs collide */
  sk__cross_set(core, SK__PIPE_MTE3, 0, 14);
  sk__cross_wait(core, 14);
  for (int i = 0; i < 17; i++) sk__cross_set(core, SK__PIPE_MTE3, 0, 4);
  for (int i = 0; i < 16; i++) sk__cross_wait(core, 4);
  sk__local_operand(core, SK__MEM_UB, (const void *)(uintptr_t)(b * 1024 + 1), 32, 32, "dst");
  if (b == 5 || b == 40) *(volatile uint32_t *)(uintptr_t)(core->local + 900 * 1024) = 1;
  sk__sync_all(core, true);
}

/* Everything a report shows, as text. */
static char *transcript(sk__machine *m) {
  char *text = NULL;
  size_t bytes = 0, count;
  FILE *out = open_memstream(&text, &bytes);
  const sk__finding *all = sk__findings(sk__machine_checker(m), &count);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "%s %d %s | %s\n", all[i].id, (int)all[i].severity, all[i].message, all[i].remedy);
    for (uint32_t e = 0; e < all[i].end_count; e++)
      fprintf(out, "  %s %p %d %d %s\n", all[i].ends[e].role, all[i].ends[e].site, all[i].ends[e].core, all[i].ends[e].block, all[i].ends[e].detail);
  }
  fclose(out);
  return text;
}

static void test_findings_do_not_depend_on_the_threads(void **state) {
  (void)state;
  char *first = NULL;
  for (int i = 0; i < 8; i++) {
    sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = 1 + (uint32_t)i % 3});
    void *gm;
    assert_int_equal(sk__gm_alloc(m, 64 * 512, "tensor", &gm), SK_OK);
    for (int k = 0; k < 2; k++) {
      shared s = {.gm = (uint64_t)(uintptr_t)gm};
      sk__findings_clear(sk__machine_checker(m));
      sk__launch l = {.name = "mistakes", .type = SK_MIX_AIV_1_0, .blocks = 48, .entry = {NULL, full_of_mistakes}, .context = &s};
      assert_int_equal(sk__machine_run(m, &l, NULL, NULL, NULL), SK_FAULT);
    }
    char *text = transcript(m);
    if (first == NULL) {
      first = text;
      printf("%s", first);
      assert_true(finding_count(m) >= 5);
    } else {
      assert_string_equal(text, first);
      free(text);
    }
    sk__machine_destroy(m);
  }
  free(first);
}

/* Three cores write each line, of which two run at the same time if there are two threads: which writes meet is luck. */
KERNEL(three_write_one_line) {
  shared *s = context;
  note_thread(s);
  spin(core->block_idx % 5 * 20);
  core->site = (const void *)(uintptr_t)0x1000;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE3, SK__WRITE, s->gm + core->block_idx % 16 * 512, 512, core->site, "store");
}
static void test_a_race_is_told_alike_with_any_number_of_threads(void **state) {
  (void)state;
  char *first = NULL;
  for (int i = 0; i < 9; i++) {
    sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = 1 + (uint32_t)i % 3,
                                                            .schedule = {i < 6 ? SK__SCHEDULE_IN_ORDER : SK__SCHEDULE_REVERSED, 0}});
    void *gm;
    assert_int_equal(sk__gm_alloc(m, 16 * 512, "tensor", &gm), SK_OK);
    shared s = {.gm = (uint64_t)(uintptr_t)gm};
    for (int k = 0; k < 4; k++) /* it never turns out silent */
      assert_int_equal(launch(m, SK_AIV_ONLY, 48, NULL, three_write_one_line, &s), SK_OK);
    char *text = transcript(m);
    if (i % 6 == 0) {
      free(first);
      first = text;
      assert_int_equal(finding_count(m), 1);
    } else {
      assert_string_equal(text, first);
      free(text);
    }
    sk__machine_destroy(m);
  }
  free(first);
}

KERNEL(writes_its_own) {
  shared *s = context;
  note_thread(s);
  spin(200);
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE3, SK__WRITE, s->gm + core->block_idx * 512, 512, core->site, "store");
}
/* On memory of its own each time: launches here are not ordered. True: two threads took part. */
static bool helped(sk__machine *m, uint32_t blocks) {
  void *gm;
  assert_int_equal(sk__gm_alloc(m, 48 * 512, "tensor", &gm), SK_OK);
  shared s = {.gm = (uint64_t)(uintptr_t)gm};
  assert_int_equal(launch(m, SK_AIV_ONLY, blocks, NULL, writes_its_own, &s), SK_OK);
  return atomic_load(&s.threads[1]) != 0;
}
static void test_checked_kernels_get_helpers_once_they_were_silent(void **state) {
  (void)state;
  sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = 2});
  bool any = false;
  assert_false(helped(m, 48)); /* the first time */
  for (int i = 0; i < 3; i++) any |= helped(m, 48);
  assert_true(any);
  assert_false(helped(m, 47)); /* other blocks: unknown */
  sk__machine_options random = *sk__machine_options_of(m);
  random.schedule = (sk__schedule){SK__SCHEDULE_RANDOM, 7};
  sk__machine_configure(m, &random); /* a schedule says in which order cores run */
  assert_false(helped(m, 48));
  assert_silent(m);
  sk__machine_destroy(m);
}

/* With a context, all cores meet. */
KERNEL(deadlocks_across) {
  spin(20);
  if (context != NULL || core->block_idx != 30) sk__sync_all(core, true);
}
static void test_deadlocks_are_found_across_threads(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = 2});
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, deadlocks_across, m), SK_OK); /* silent: the next is shared */
    for (int k = 0; k < 3; k++) {
      assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, deadlocks_across, NULL), SK_DEADLOCK);
      assert_only(m, "DEADLOCK");
      assert_non_null(strstr(finding_of(m, "DEADLOCK")->message, "AIV 0-29, 31-47"));
    }
    sk__machine_destroy(m);
  }
}

SK_TESTS(SK_TEST(test_barriers_hold_between_threads), SK_TEST(test_a_long_launch_gets_a_helper),
         SK_TEST(test_findings_do_not_depend_on_the_threads), SK_TEST(test_a_race_is_told_alike_with_any_number_of_threads),
         SK_TEST(test_checked_kernels_get_helpers_once_they_were_silent), SK_TEST(test_deadlocks_are_found_across_threads))
