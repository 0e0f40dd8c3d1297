/* test_findings.c - causes, counts, canonical order, the catalogue. */
#include "fake_core.h"

#include <malloc.h>
#include <pthread.h>

#include "base/rng.h"

static sk__finding finding(const char *id, int site, int other, int32_t block, uint64_t address) {
  sk__finding f = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 2};
  snprintf(f.id, sizeof f.id, "%s", id);
  snprintf(f.message, sizeof f.message, "block %d at 0x%llx", block, (unsigned long long)address);
  f.ends[0] = (sk__end){.site = SITE(site), .block = block, .address = address, .kernel = "k"};
  f.ends[1] = (sk__end){.site = SITE(other), .block = block + 1, .address = address, .kernel = "k"};
  return f;
}

static void test_one_cause_is_one_finding(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  for (int i = 9; i >= 0; i--) {
    sk__finding f = finding("SYNC_GM", 1, 2, i, 0x1000u + (uint64_t)i);
    if (i % 2 == 0) { /* the ends the other way round are the same cause */
      sk__end e = f.ends[0];
      f.ends[0] = f.ends[1];
      f.ends[1] = e;
    }
    f.in_fused = i == 5;
    sk__report(checker, &f);
  }
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_int_equal(f->count, 10);
  assert_int_equal(f->ends[0].block, 1); /* block 0's occurrence begins with block 1 */
  assert_true(f->in_fused);
  assert_false(f->in_unfused);
  sk__checker_destroy(checker);
}

static void test_other_site_kernel_or_id_is_another_cause(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  sk__finding f = finding("SYNC_GM", 1, 2, 0, 0);
  sk__report(checker, &f);
  f = finding("SYNC_GM", 1, 3, 0, 0);
  sk__report(checker, &f);
  f = finding("SYNC_LOCAL", 1, 2, 0, 0);
  sk__report(checker, &f);
  f = finding("SYNC_GM", 1, 2, 0, 0);
  strcpy(f.ends[1].kernel, "other");
  sk__report(checker, &f);
  assert_int_equal(finding_count(checker), 4);
  sk__findings_clear(checker);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

__attribute__((noinline)) static const void *site_here(void) {
  __asm__ volatile(""); /* no two calls may be made one */
  return __builtin_extract_return_addr(__builtin_return_address(0));
}

/* An unrolled loop, an inlined function: several call sites, one line. */
static void test_call_sites_of_one_line_are_one_cause(void **state) {
  (void)state;
  const void *volatile sites[] = {site_here(), site_here(), site_here()};
  const void *volatile below = site_here();
  sk__checker *checker = fake_checker();
  for (int i = 0; i < 12; i++) {
    sk__finding f = finding("SYNC_GM", 1, 2, 20 - i, 0x1000);
    f.ends[i % 2].site = sites[i % 3]; /* as either end */
    f.in_fused = i == 7;
    sk__report(checker, &f);
  }
  sk__finding f = finding("SYNC_GM", 1, 2, 0, 0x1000);
  f.ends[1].site = below;
  sk__report(checker, &f);
  size_t n;
  const sk__finding *all = sk__findings(checker, &n);
  /* SITE(1) or SITE(2) with the line, and with the line below */
  assert_int_equal(n, 3);
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += all[i].count;
    if (all[i].count != 6) continue;
    assert_in_range(all[i].ends[0].block, 9, 10); /* the first occurrence in order of blocks */
    assert_true(all[i].in_fused == (all[i].ends[0].block == 9 ? true : false));
  }
  assert_int_equal(sum, 13);
  sk__checker_destroy(checker);
}

static void test_order_of_reports_does_not_show(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("order_of_reports"));
  sk__finding all[40];
  for (int i = 0; i < 40; i++) {
    all[i] = finding(i % 3 == 0 ? "H1" : "SYNC_GM", i % 5, i % 4, i, (uint64_t)i * 32);
  }
  sk__finding first[40];
  size_t first_count = 0;
  for (int round = 0; round < 20; round++) {
    sk__checker *checker = fake_checker();
    for (uint32_t i = 40; i > 1; i--) {
      uint32_t j = sk__rng_below(&rng, i);
      sk__finding t = all[i - 1];
      all[i - 1] = all[j];
      all[j] = t;
    }
    for (int i = 0; i < 40; i++) sk__report(checker, &all[i]);
    size_t n;
    const sk__finding *f = sk__findings(checker, &n);
    if (round == 0) {
      first_count = n;
      memcpy(first, f, n * sizeof *f);
    }
    assert_int_equal(n, first_count);
    assert_memory_equal(f, first, n * sizeof *f);
    sk__checker_destroy(checker);
  }
}

static void test_a_million_reports_cost_no_more_than_ten(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  sk__finding f = finding("SYNC_GM", 1, 2, 3, 4);
  for (int i = 0; i < 10; i++) sk__report(checker, &f);
  for (int i = 0; i < 20; i++) assert_int_equal(finding_count(checker), 1); /* the allocator keeps some freed blocks */
  size_t before = mallinfo2().uordblks;
  for (int i = 10; i < 1000000; i++) sk__report(checker, &f);
  assert_int_equal(mallinfo2().uordblks, before);
  for (int i = 0; i < 20; i++) assert_int_equal(finding_count(checker), 1); /* nor does reading them */
  assert_int_equal(mallinfo2().uordblks, before);
  assert_int_equal(sk__reports(checker), 1000000);
  assert_int_equal(only_finding(checker, "SYNC_GM")->count, 1000000);
  sk__checker_destroy(checker);
}

static void *report_many(void *checker) {
  for (int i = 0; i < 20000; i++) {
    sk__finding f = finding("SYNC_GM", i % 50, 1, i, 0);
    sk__report(checker, &f);
  }
  return NULL;
}
static void test_threads_report_at_once(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, report_many, checker), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  size_t n;
  const sk__finding *f = sk__findings(checker, &n);
  assert_int_equal(n, 50);
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += f[i].count;
  assert_int_equal(sum, 80000);
  sk__checker_destroy(checker);
}

static void test_more_waiters_than_ends(void **state) {
  (void)state;
  sk__finding f = {0};
  for (int i = 0; i < 20; i++) {
    sk__end end = {.role = "waits", .core = i};
    snprintf(end.detail, sizeof end.detail, "waits for flag %d", i);
    sk__finding_add_waiter(&f, &end);
  }
  assert_int_equal(f.end_count, 8);
  assert_int_equal(f.ends[7].core, 7);
  assert_string_equal(f.ends[7].detail, "waits for flag 7 (and 12 more)");
}

static void test_every_hazard_of_the_sheet_is_explained(void **state) {
  (void)state;
  for (int i = 1; i <= 45; i++) {
    char id[8];
    snprintf(id, sizeof id, "H%d", i);
    assert_non_null(sk__hazard_find(id));
  }
  size_t n;
  const sk__hazard *h = sk__hazard_all(&n);
  for (size_t i = 0; i < n; i++) {
    assert_true(strlen(h[i].id) < sizeof((sk__finding *)0)->id);
    assert_true(strlen(h[i].remedy) < sizeof((sk__finding *)0)->remedy);
    assert_true(strlen(h[i].title) > 0 && strlen(h[i].cause) > 0 && strlen(h[i].symptom) > 0);
    assert_true(strlen(h[i].detection) > 0);
    assert_ptr_equal(sk__hazard_find(h[i].id), &h[i]); /* ids are unique */
  }
}

static void test_hazards_are_found_in_any_case_and_nearly(void **state) {
  (void)state;
  assert_string_equal(sk__hazard_find("sync_gm")->id, "SYNC_GM");
  assert_null(sk__hazard_find("H46"));
  assert_null(sk__hazard_find(""));
  assert_string_equal(sk__hazard_nearest("SYNC_LOCL"), "SYNC_LOCAL");
  assert_null(sk__hazard_nearest("nothing like it"));
  assert_string_equal(sk__category_name(SK__CAT_FUSER), "fuser");
  assert_string_equal(sk__severity_name(SK__WARNING), "warning");
}

SK_TESTS(SK_TEST(test_one_cause_is_one_finding), SK_TEST(test_other_site_kernel_or_id_is_another_cause),
         SK_TEST(test_call_sites_of_one_line_are_one_cause), SK_TEST(test_order_of_reports_does_not_show), SK_TEST(test_a_million_reports_cost_no_more_than_ten),
         SK_TEST(test_threads_report_at_once), SK_TEST(test_more_waiters_than_ends),
         SK_TEST(test_every_hazard_of_the_sheet_is_explained), SK_TEST(test_hazards_are_found_in_any_case_and_nearly))
