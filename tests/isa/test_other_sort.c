/* asc_bitsort and asc_mrgsort4 against a naive model: ties, NaN, unequal queues, suspension. */
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "c_api/asc_vector_other.h"

#define RECORDS(n) ((uint64_t)(n) * 8)

/* ---- misuse ---------------------------------------------------------------------------------- */

static void expect(const char *part) {
  assert_int_equal(fixture_findings, 1);
  if (strstr(fixture_finding.message, part) == NULL) fail_msg("'%s' lacks '%s'", fixture_finding.message, part);
  assert_non_null(fixture_finding.ends[0].site);
}
static void sorted_queue(uint64_t offset, uint32_t n, uint32_t size);

static void test_bitsort_refuses(void **state) {
  (void)state;
  model_start(1);
  asc_bitsort((float *)ub(0), (float *)ub(0x8000), (uint32_t *)ub(0x10000), 256);
  expect("asc_bitsort: repeat is 256; legal: 0..255");
  model_start(1);
  asc_bitsort((float *)ub(0), (float *)ub(0x8000), (uint32_t *)ub(0x10000), -1);
  expect("repeat is -1");
  model_start(1);
  asc_bitsort((float *)ub(0), (float *)ub(224), (uint32_t *)ub(0x10000), 1);
  expect("dst and src0 share bytes");
  model_start(1);
  asc_bitsort_sync((half *)ub(0), (half *)ub(0x8000), (uint32_t *)ub(UB_BYTES - 96), 1);
  expect("src1");
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}
static void test_bitsort_of_nothing(void **state) {
  (void)state;
  model_start(1);
  asc_bitsort((float *)ub(0), (float *)ub(0), (uint32_t *)ub(0), 0);
  assert_int_equal(fixture_findings, 0);
  model_compare("repeat 0");
  sk__self->type = SK__AIC;
  asc_bitsort_sync((float *)ub(0), (float *)ub(0x8000), (uint32_t *)ub(0x10000), 4);
  model_compare("on a cube core");
}
static void test_mrgsort_refuses(void **state) {
  (void)state;
  model_start(1);
  float *q[4] = {ub(0), ub(256), ub(512), ub(768)};
  asc_mrgsort4((float *)ub(0x8000), q, 1, 32, 32, 32, 32, false, 5);
  expect("valid_bit is 5; legal: 3, 7 or 15");
  model_start(1);
  asc_mrgsort4((float *)ub(0x8000), q, 1, 32, 4096, 32, 32, false, 15);
  expect("element_length_1 is 4096; legal: 0..4095");
  model_start(1);
  asc_mrgsort4((float *)ub(0x8000), q, 2, 32, 32, 32, 32, true, 15);
  expect("if_exhausted_suspension is 1; legal: false when repeat > 1");
  model_start(1);
  asc_mrgsort4((float *)ub(0x8000), q, 2, 32, 32, 32, 32, false, 7);
  expect("valid_bit is 7");
  model_start(1);
  asc_mrgsort4((float *)ub(0x8000), q, 2, 32, 32, 16, 32, false, 15);
  expect("queue 2 does not");
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}
static void test_mrgsort_finds_unsorted_queue(void **state) {
  (void)state;
  model_start(3);
  for (uint32_t i = 0; i < 64; i++) {
    float score = (float)(64 - i);
    memcpy(ub(RECORDS(i)), &score, 4);
  }
  float *q[4] = {ub(0), ub(256), NULL, NULL};
  model_take();
  asc_mrgsort4((float *)ub(0x8000), q, 1, 32, 32, 9, 9, false, 3);
  assert_int_equal(fixture_findings, 0);
  float wrong = 1000;
  memcpy(ub(RECORDS(40)), &wrong, 4);
  asc_mrgsort4((float *)ub(0x8000), q, 1, 32, 32, 9, 9, false, 3);
  expect("queue 1 is not in descending order: its record 8");
}
static void test_mrgsort_refuses_overlap(void **state) {
  (void)state;
  model_start(3);
  sorted_queue(0, 32, 4);
  sorted_queue(256, 32, 4);
  model_take();
  float *q[4] = {ub(0), ub(256), NULL, NULL};
  asc_mrgsort4((float *)ub(256), q, 1, 32, 32, 0, 0, false, 3);
  expect("dst and src[1] share bytes");
}

/* ---- sort of 32 ------------------------------------------------------------------------------ */

static void model_bitsort(uint64_t dst, uint64_t score, uint64_t index, uint32_t repeat, uint32_t size) {
  for (uint32_t r = 0; r < repeat; r++) {
    uint32_t key[32], order[32];
    for (uint32_t i = 0; i < 32; i++) {
      key[i] = (uint32_t)model_read(score + (r * 32 + i) * size, size);
      uint32_t at = i; /* insertion: behind everything that is not smaller */
      while (at > 0 && model_order(key[order[at - 1]], key[i], size, true) < 0) order[at] = order[at - 1], at--;
      order[at] = i;
    }
    for (uint32_t i = 0; i < 32; i++) {
      model_write(dst + RECORDS(r * 32 + i), 4, key[order[i]]);
      model_write(dst + RECORDS(r * 32 + i) + 4, 4, model_read(index + (r * 32 + order[i]) * 4, 4));
    }
  }
}
static void bitsort_body(void) {
  uint64_t seed = sk_test_seed("bitsort");
  for (uint32_t round = 0; round < 60; round++) {
    model_start(seed + round);
    uint32_t repeat = round == 0 ? 255 : 1 + below(12);
    bool is_f16 = round % 2 == 0;
    model_numbers(0x10000, is_f16 ? 2 : 4, repeat * 32);
    model_take();
    if (is_f16) asc_bitsort((half *)ub(0), (half *)ub(0x10000), (uint32_t *)ub(0x20000), (int32_t)repeat);
    else asc_bitsort((float *)ub(0), (float *)ub(0x10000), (uint32_t *)ub(0x20000), (int32_t)repeat);
    model_bitsort(0, 0x10000, 0x20000, repeat, is_f16 ? 2 : 4);
    model_compare(is_f16 ? "bitsort f16" : "bitsort f32");
  }
}
static void test_bitsort(void **state) {
  (void)state;
  model_each_level(bitsort_body);
}
static void test_bitsort_keeps_order_of_ties(void **state) {
  (void)state;
  model_start(1);
  for (uint32_t i = 0; i < 32; i++) {
    float one = 1;
    memcpy(ub(0x1000 + 4 * i), &one, 4);
    memcpy(ub(0x2000 + 4 * i), &i, 4);
  }
  asc_bitsort((float *)ub(0), (float *)ub(0x1000), (uint32_t *)ub(0x2000), 1);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(((uint32_t *)ub(0))[2 * i + 1], i);
}

/* ---- merge ----------------------------------------------------------------------------------- */

/* Random records in descending order, many of them equal. */
static void sorted_queue(uint64_t offset, uint32_t n, uint32_t size) {
  uint32_t few = below(2);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t score = few ? model_round(below(5), size, false) : model_number(size);
    uint32_t at = i;
    uint64_t record;
    while (at > 0) {
      memcpy(&record, fixture_ub + offset + RECORDS(at - 1), 8);
      if (model_order((uint32_t)record & (size == 2 ? 0xffffu : UINT32_MAX), score, size, true) >= 0) break;
      memcpy(fixture_ub + offset + RECORDS(at), &record, 8);
      at--;
    }
    record = fixture_random() << 32 | score;
    memcpy(fixture_ub + offset + RECORDS(at), &record, 8);
  }
}
/* Takes the greatest head, the lowest queue among equals. used[] = records taken. */
static void model_merge(uint64_t dst, const uint64_t queue[4], const uint32_t length[4], uint32_t queues, uint32_t size,
                        bool suspend, uint32_t used[4]) {
  memset(used, 0, 16);
  uint32_t written = 0, mask = size == 2 ? 0xffffu : UINT32_MAX;
  for (;;) {
    int best = -1;
    uint32_t best_score = 0;
    for (uint32_t q = 0; q < queues; q++)
      if (suspend && used[q] == length[q]) return;
    for (uint32_t q = 0; q < queues; q++) {
      if (used[q] == length[q]) continue;
      uint32_t score = (uint32_t)model_read(queue[q] + RECORDS(used[q]), 8) & mask;
      if (best >= 0 && model_order(score, best_score, size, true) <= 0) continue;
      best = (int)q;
      best_score = score;
    }
    if (best < 0) return;
    uint64_t record = model_peek(queue[best] + RECORDS(used[best]++), 8);
    model_write(dst + RECORDS(written++), 8, size == 2 ? record & UINT64_C(0xffffffff0000ffff) : record);
  }
}
static void merge_case(uint64_t seed, uint32_t longest, bool suspend) {
  model_start(seed);
  bool is_f16 = below(2) == 0;
  uint32_t size = is_f16 ? 2 : 4, queues = 2 + below(3), length[4] = {0, 0, 0, 0}, used[4];
  uint64_t queue[4] = {0, 0, 0, 0}, at = 0;
  uint32_t shape = below(3); /* any lengths, all the same, pairs */
  for (uint32_t q = 0; q < queues; q++) {
    length[q] = (shape == 1 && q > 0) || (shape == 2 && q % 2 == 1) ? length[q - 1] : below(longest + 1);
    queue[q] = at;
    sorted_queue(at, length[q], size);
    at += (RECORDS(length[q]) + 31) / 32 * 32 + 32 * below(2);
  }
  uint64_t dst = (at + 31) / 32 * 32;
  model_take();
  half *h[4];
  float *f[4];
  for (uint32_t q = 0; q < 4; q++) h[q] = ub(queue[q]), f[q] = ub(queue[q]);
  uint8_t valid = (uint8_t)((1 << queues) - 1);
  uint16_t lengths[4] = {(uint16_t)length[0], (uint16_t)length[1], (uint16_t)length[2], (uint16_t)length[3]};
  if (is_f16) asc_mrgsort4((half *)ub(dst), h, 1, lengths[0], lengths[1], lengths[2], lengths[3], suspend, valid);
  else asc_mrgsort4((float *)ub(dst), f, 1, lengths[0], lengths[1], lengths[2], lengths[3], suspend, valid);
  assert_int_equal(fixture_findings, 0);
  model_merge(dst, queue, length, queues, size, suspend, used);
  model_compare("mrgsort4");
  uint16_t counts[4];
  asc_get_vms4_sr(counts);
  for (uint32_t q = 0; q < 4; q++) assert_int_equal(counts[q], used[q]);
}
static void merge_body(void) {
  uint64_t seed = sk_test_seed("merge");
  for (uint32_t round = 0; round < 120; round++) merge_case(seed + round, round % 3 == 0 ? 6 : 90, false);
  for (uint32_t round = 0; round < 8; round++) merge_case(seed + 1000 + round, 800, false);
}
static void test_merge(void **state) {
  (void)state;
  model_each_level(merge_body);
}
static void suspend_body(void) {
  uint64_t seed = sk_test_seed("suspend");
  for (uint32_t round = 0; round < 120; round++) merge_case(seed + round, round % 3 == 0 ? 5 : 60, true);
}
static void test_merge_suspends(void **state) {
  (void)state;
  model_each_level(suspend_body);
}
static void repeat_body(void) {
  uint64_t seed = sk_test_seed("merge repeats");
  for (uint32_t round = 0; round < 10; round++) {
    model_start(seed + round);
    uint32_t size = round % 2 == 0 ? 2 : 4, repeat = 2 + below(5), n = 4 * (1 + below(16)), used[4];
    for (uint32_t i = 0; i < 4 * repeat; i++) sorted_queue(RECORDS(i * n), n, size);
    model_take();
    uint64_t dst = 0x18000;
    half *h[4];
    float *f[4];
    for (uint32_t q = 0; q < 4; q++) h[q] = ub(RECORDS(q * n)), f[q] = ub(RECORDS(q * n));
    uint16_t n16 = (uint16_t)n;
    if (size == 2) asc_mrgsort4_sync((half *)ub(dst), h, (uint8_t)repeat, n16, n16, n16, n16, false, 15);
    else asc_mrgsort4_sync((float *)ub(dst), f, (uint8_t)repeat, n16, n16, n16, n16, false, 15);
    assert_int_equal(fixture_findings, 0);
    assert_int_equal(fixture_barriers, 1);
    for (uint32_t r = 0; r < repeat; r++) {
      uint64_t queue[4];
      uint32_t length[4] = {n, n, n, n};
      for (uint32_t q = 0; q < 4; q++) queue[q] = RECORDS((r * 4 + q) * n);
      model_merge(dst + RECORDS(r * 4 * n), queue, length, 4, size, false, used);
    }
    model_compare("mrgsort4 with repeats");
  }
}
static void test_merge_repeats(void **state) {
  (void)state;
  model_each_level(repeat_body);
}
/* Queues that are not in order: still the greatest head each time. */
static void unsorted_body(void) {
  uint64_t seed = sk_test_seed("unsorted");
  for (uint32_t round = 0; round < 20; round++) {
    model_start(seed + round);
    uint64_t queue[4];
    uint32_t length[4], used[4];
    float *f[4];
    for (uint32_t q = 0; q < 4; q++) {
      length[q] = below(40);
      queue[q] = 0x1000 * q;
      f[q] = ub(queue[q]);
      for (uint32_t i = 0; i < length[q]; i++) model_numbers(queue[q] + RECORDS(i), 4, 1);
    }
    model_take();
    asc_mrgsort4((float *)ub(0x8000), f, 1, (uint16_t)length[0], (uint16_t)length[1], (uint16_t)length[2],
                 (uint16_t)length[3], false, 15);
    model_merge(0x8000, queue, length, 4, 4, false, used);
    model_compare("mrgsort4 of unsorted queues");
  }
}
static void test_merge_of_unsorted_queues(void **state) {
  (void)state;
  model_each_level(unsorted_body);
}

SK_TESTS(SK_TEST(test_bitsort_refuses), SK_TEST(test_bitsort_of_nothing), SK_TEST(test_mrgsort_refuses),
         SK_TEST(test_mrgsort_finds_unsorted_queue), SK_TEST(test_mrgsort_refuses_overlap), SK_TEST(test_bitsort),
         SK_TEST(test_bitsort_keeps_order_of_ties), SK_TEST(test_merge), SK_TEST(test_merge_suspends),
         SK_TEST(test_merge_repeats), SK_TEST(test_merge_of_unsorted_queues))
