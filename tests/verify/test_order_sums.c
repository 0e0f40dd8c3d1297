/* The bound of ORDER_DEPENDENT, from both sides: 2 n u P with n additions, u half a unit in the last place of 1, P the
 * largest magnitude. What lies beyond it is a difference like any. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "verify/order_sums.h"

enum { ADDS = 4, PLACE = 4096 };
static const uint64_t base = SK__GM_BASE + PLACE;
static const float largest = 8.0f;
static const char instr[] = "asc_copy_ub2gm";
static const char site[] = "where it adds";

typedef struct scene { sk__checker *checker; sk__order order; sk__snapshot *after; } scene;

/* One core has added to 64 bytes; the call site has added ADDS times in all. */
static void scene_open(scene *s, sk__sum_kind kind) {
  memset(s, 0, sizeof *s);
  assert_int_equal(sk__checker_create(sk__soc_find(NULL), &s->checker), SK_OK);
  s->order.enabled = true;
  sk__order_begin(s->checker, &s->order, 30, NULL);
  sk__shadow_gm(s->checker, &s->order, SK__PIPE_MTE3, SK__ATOMIC, base, 64, site, instr);
  for (int i = 0; i < ADDS; i++) sk__sum_note(s->checker, site, instr, kind, i == 1 ? largest : 1.0f);
}

static void scene_close(scene *s) {
  s->after = sk__snapshot_new(s->checker, NULL);
  assert_non_null(s->after);
  sk__order_end(s->checker, &s->order, s->after);
  sk__snapshot_unref(s->after);
  sk__checker_destroy(s->checker);
}

static bool excused(scene *s, uint64_t address, const void *reference, const void *other, uint64_t bytes) {
  sk__order_sums sums = {.count = 0};
  uint8_t now[64];
  memcpy(now, other, bytes);
  bool any = sk__order_sums_excuse(&sums, s->checker, base, "sum", address, reference, now, bytes);
  assert_int_equal(memcmp(now, any ? reference : other, bytes), 0);
  assert_int_equal(sums.count, any);
  return any;
}

static bool floats(scene *s, float reference, float other) { return excused(s, base, &reference, &other, sizeof other); }

static void test_float_bound(void **state) {
  (void)state;
  scene s;
  scene_open(&s, SK__SUM_F32);
  float bound = 2.0f * ADDS * 0x1p-24f * largest; /* exact: 2^-18 */
  assert_true(floats(&s, 1.0f, 1.0f + bound));
  assert_true(floats(&s, 1.0f, 1.0f - bound));
  assert_true(floats(&s, 1.0f + bound, 1.0f));
  assert_false(floats(&s, 1.0f, nextafterf(1.0f + bound, 2.0f)));
  assert_false(floats(&s, 1.0f, nextafterf(1.0f - bound, 0.0f)));
  assert_false(floats(&s, nextafterf(1.0f + bound, 2.0f), 1.0f));
  assert_true(floats(&s, 0.0f, bound));
  assert_false(floats(&s, 0.0f, nextafterf(bound, 1.0f)));
  scene_close(&s);
}
static void test_half_bound(void **state) {
  (void)state;
  scene s;
  scene_open(&s, SK__SUM_F16); /* 2 * 4 * 2^-11 * 8 = 2^-5 */
  uint16_t one = 0x3c00, at = 0x3c20, beyond = 0x3c21, below = 0x3bc0, far_below = 0x3bbf;
  assert_true(excused(&s, base, &one, &at, 2));
  assert_false(excused(&s, base, &one, &beyond, 2));
  assert_true(excused(&s, base, &one, &below, 2));
  assert_false(excused(&s, base, &one, &far_below, 2));
  scene_close(&s);
}
static void test_bfloat_bound(void **state) {
  (void)state;
  scene s;
  scene_open(&s, SK__SUM_BF16); /* 2 * 4 * 2^-8 * 8 = 2^-2 */
  uint16_t one = 0x3f80, at = 0x3fa0, beyond = 0x3fa1;
  assert_true(excused(&s, base, &one, &at, 2));
  assert_false(excused(&s, base, &one, &beyond, 2));
  scene_close(&s);
}
static void test_what_is_no_matter_of_order(void **state) {
  (void)state;
  scene s;
  scene_open(&s, SK__SUM_F32);
  float one = 1.0f, near = nextafterf(1.0f, 2.0f);
  assert_true(excused(&s, base + 60, &one, &near, 4));
  assert_false(excused(&s, base + 64, &one, &near, 4)); /* nobody added there */
  assert_false(floats(&s, 1.0f, NAN));
  assert_false(floats(&s, NAN, 1.0f));
  assert_false(floats(&s, 1.0f, INFINITY));
  sk__sums_clear(s.checker);
  assert_false(floats(&s, 1.0f, near));
  scene_close(&s);
}

SK_TESTS(SK_TEST(test_float_bound), SK_TEST(test_half_bound), SK_TEST(test_bfloat_bound), SK_TEST(test_what_is_no_matter_of_order))
