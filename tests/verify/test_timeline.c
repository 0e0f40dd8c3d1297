/* Timelines: nothing unless asked; spans per core that follow each other; both runs, each launch once. */
#include "twin_fixture.h"

static void work(void) {
  void *a = buffer_new(1), *b = buffer_new(0);
  launch(NULL, &add_vector, 4, a, b, 1);
  launch(NULL, &add_cube, 2, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
}

static size_t spans_of(const sk__timeline *timeline, const char *name, bool launches) {
  size_t found = 0;
  for (size_t i = 0; i < timeline->count; i++)
    found += strcmp(timeline->spans[i].name, name) == 0 && (timeline->spans[i].task == UINT32_MAX) == launches;
  return found;
}

static void nothing_unless_asked(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,fused");
  work();
  assert_null(sk__verifier_timeline(verifier, SK__TIMELINE_FUSED));
}

static void a_mode_without_a_timeline_leaves_none(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,per-op,fused/reversed");
  assert_int_equal(sk__verifier_keep_timelines(verifier), SK_OK);
  work();
  assert_int_equal(sk__verifier_timeline(verifier, SK__TIMELINE_FUSED)->count, 0);
  assert_int_equal(sk__verifier_timeline(verifier, SK__TIMELINE_UNFUSED)->count, 4 + 2);
}

static void every_launch_and_sub_kernel_is_there(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,fused");
  assert_int_equal(sk__verifier_keep_timelines(verifier), SK_OK);
  work();
  const sk__timeline *plain = sk__verifier_timeline(verifier, SK__TIMELINE_UNFUSED), *fused = sk__verifier_timeline(verifier, SK__TIMELINE_FUSED);
  assert_int_equal(plain->count, 4 + 2);
  assert_int_equal(spans_of(plain, add_vector.name, true) + spans_of(plain, add_cube.name, true), strcmp(add_vector.name, add_cube.name) == 0 ? 12 : 6);
  size_t subs = 0, launches = 0;
  for (size_t i = 0; i < fused->count; i++) {
    subs += fused->spans[i].task != UINT32_MAX;
    launches += fused->spans[i].task == UINT32_MAX;
    assert_int_equal(fused->spans[i].launch, 0);
  }
  assert_int_equal(subs, 4 + 2);
  assert_true(launches >= 4 + 2); /* idle cores take part in the SK */
  assert_int_equal(plain->dropped + fused->dropped, 0);
}

/* Per core, launches do not overlap, and a sub-kernel lies within its launch. */
static void spans_of_a_core_nest(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,fused");
  assert_int_equal(sk__verifier_keep_timelines(verifier), SK_OK);
  work();
  work(); /* a second segment stands behind the first */
  for (int kind = 0; kind < SK__TIMELINES; kind++) {
    const sk__timeline *timeline = sk__verifier_timeline(verifier, (sk__timeline_kind)kind);
    for (size_t i = 0; i < timeline->count; i++) {
      const sk__timeline_span *x = &timeline->spans[i];
      assert_true(x->begin_cycles <= x->end_cycles);
      for (size_t j = 0; j < timeline->count; j++) {
        const sk__timeline_span *y = &timeline->spans[j];
        if (i == j || x->core != y->core) continue;
        if (x->launch == y->launch && x->task != UINT32_MAX && y->task == UINT32_MAX)
          assert_true(x->begin_cycles >= y->begin_cycles && x->end_cycles <= y->end_cycles);
        if (x->launch < y->launch) assert_true(x->end_cycles <= y->begin_cycles);
      }
    }
  }
  const sk__timeline *plain = sk__verifier_timeline(verifier, SK__TIMELINE_UNFUSED);
  assert_int_equal(plain->spans[plain->count - 1].launch, 3);
  assert_true(plain->spans[plain->count - 1].end_cycles <= twin_result()->modes[0].cycles);
}

static size_t seen_segments, seen_tasks;
static void see(void *context, sk__task *const *tasks, size_t count) {
  (void)tasks;
  assert_ptr_equal(context, &seen_segments);
  seen_segments++;
  seen_tasks += count;
}

static void observers_are_told_of_each_segment(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) { /* under the verifier, under the recorder */
    seen_segments = seen_tasks = 0;
    sk__verifier_set_observer(twin_open(round == 0 ? "unfused,fused" : NULL), see, &seen_segments);
    work();
    work();
    assert_int_equal(seen_segments, 2);
    assert_int_equal(seen_tasks, 4);
  }
}

SK_TESTS(SK_TEST(nothing_unless_asked), SK_TEST(a_mode_without_a_timeline_leaves_none), SK_TEST(every_launch_and_sub_kernel_is_there),
         SK_TEST(spans_of_a_core_nest), SK_TEST(observers_are_told_of_each_segment))
