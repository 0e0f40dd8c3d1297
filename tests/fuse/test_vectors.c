/* test_vectors.c - the planner against recorded decisions of the real one. */
#include "vectors.h"

static void test_agrees_with_every_record_when_defects_are_emulated(void **state) {
  (void)state;
  vectors_agree_when_emulated("plan/plan_vectors.jsonl", sk__plan_check);
}

static void test_own_rules_differ_only_where_a_defect_is_tagged(void **state) {
  (void)state;
  vectors_differ_only_where_tagged("plan/plan_vectors.jsonl", sk__plan_check);
}

SK_TESTS(SK_TEST(test_agrees_with_every_record_when_defects_are_emulated), SK_TEST(test_own_rules_differ_only_where_a_defect_is_tagged))
