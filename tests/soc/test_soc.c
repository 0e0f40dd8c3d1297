/* test_soc.c - the chip profiles are complete and consistent. */
#include "soc/soc.h"

#include <string.h>

#include "base/window.h"
#include "harness.h"
#include "soc/soc_throughput.h"

static void test_an_unknown_chip_is_null(void **state) {
  (void)state;
  assert_null(sk__soc_find("ascend910"));
  assert_null(sk__soc_find("Ascend910_93"));
  assert_null(sk__soc_find(""));
}

static void test_the_three_chips(void **state) {
  (void)state;
  size_t count;
  const sk__soc *all = sk__soc_all(&count);
  assert_int_equal(count, 3);
  assert_ptr_equal(sk__soc_find(NULL), all);
  assert_ptr_equal(sk__soc_find("ascend910_93"), all);
  static const struct { const char *name; uint32_t aic, aiv; } wanted[] = {
    {"ascend910_93", 24, 48}, {"ascend910b3", 20, 40}, {"test", 2, 4}};
  for (size_t i = 0; i < 3; i++) {
    const sk__soc *soc = sk__soc_find(wanted[i].name);
    assert_non_null(soc);
    assert_int_equal(soc->aic_count, wanted[i].aic);
    assert_int_equal(soc->aiv_count, wanted[i].aiv);
    assert_int_equal(soc->npu_arch, 2201);
  }
}

static void test_every_chip_fits_the_address_window(void **state) {
  (void)state;
  size_t count;
  const sk__soc *all = sk__soc_all(&count);
  for (size_t i = 0; i < count; i++) {
    const sk__soc *soc = &all[i];
    assert_int_equal(soc->aiv_count, 2 * soc->aic_count);
    assert_true(soc->aic_count + soc->aiv_count <= SK__MAX_CORES);
    assert_true(soc->gm_bytes != 0 && soc->gm_bytes <= SK__GM_BYTES);
    uint64_t end = 0; /* memories of a cube core stand in this order in its slot, without overlap */
    for (int mem = SK__MEM_L1; mem < SK__MEMS; mem++) {
      assert_true(sk__mem_slot_offset(mem) >= end);
      assert_true(sk__mem_bytes(soc, SK__AIC, mem) != 0);
      end = sk__mem_slot_offset(mem) + sk__mem_bytes(soc, SK__AIC, mem);
    }
    assert_true(end <= SK__LOCAL_SLOT_BYTES);
    for (int type = 0; type < 2; type++) {
      assert_int_equal(soc->dcache_bytes[type] % 64, 0);
      assert_int_equal(soc->icache_bytes[type] % 128, 0);
    }
  }
}

static void test_memories_exist_where_they_should(void **state) {
  (void)state;
  const sk__soc *soc = sk__soc_find(NULL);
  assert_int_equal(sk__mem_bytes(soc, SK__AIV, SK__MEM_UB), 192 * 1024);
  assert_int_equal(sk__mem_bytes(soc, SK__AIC, SK__MEM_UB), 0);
  assert_int_equal(sk__mem_bytes(soc, SK__AIV, SK__MEM_L1), 0);
  assert_int_equal(sk__mem_bytes(soc, SK__AIC, SK__MEM_L1), 512 * 1024);
  assert_int_equal(sk__mem_bytes(soc, SK__AIC, SK__MEM_L0C), 128 * 1024);
  assert_int_equal(sk__mem_bytes(soc, SK__AIC, SK__MEM_GM), 0);
  assert_int_equal(sk__mem_slot_offset(SK__MEM_FB), 772 * 1024);
}

static void test_every_number_has_a_fact_and_no_number_is_zero(void **state) {
  (void)state;
  size_t count, facts;
  const sk__soc *all = sk__soc_all(&count);
  sk__soc copy = all[0];
  assert_null(sk__soc_facts(&copy, &facts)); /* a record of somebody's own has no recorded origins */
  assert_int_equal(facts, 0);
  /* Members: core counts 2, sizes 7, caches 4, gm, l2, arch; costs: see the record, all of 32 bits. */
  const size_t members = 2 + 7 + 4 + 2 + 1 + sizeof(sk__costs) / sizeof(uint32_t);
  for (size_t i = 0; i < count; i++) {
    const sk__soc_fact *list = sk__soc_facts(&all[i], &facts);
    assert_int_equal(facts, members);
    for (size_t j = 0; j < facts; j++) {
      assert_true(list[j].value != 0);
      assert_true(list[j].origin < SK__ORIGINS);
      for (size_t k = 0; k < j; k++) assert_string_not_equal(list[j].field, list[k].field);
    }
    const uint32_t *costs = (const uint32_t *)&all[i].costs;
    for (size_t j = 0; j < sizeof(sk__costs) / sizeof(uint32_t); j++) assert_true(costs[j] != 0);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(sk__pipe_name(SK__PIPE_S), "S");
  assert_string_equal(sk__pipe_name(SK__PIPE_FIX), "FIX");
  assert_string_equal(sk__pipe_name(SK__PIPE_ALL), "ALL");
  assert_string_equal(sk__pipe_name((sk__pipe)8), "?");
  assert_string_equal(sk__mem_name(SK__MEM_L0C), "L0C");
  assert_string_equal(sk__mem_name(SK__MEMS), "?");
  assert_string_equal(sk__core_type_name(SK__AIV), "AIV");
  assert_string_equal(sk__core_type_name((sk__core_type)2), "?");
  assert_string_equal(sk__origin_name(SK__ORIGIN_ESTIMATE), "estimate");
  assert_string_equal(sk__origin_name(SK__ORIGINS), "?");
}

static void test_vector_rates(void **state) {
  (void)state;
  assert_int_equal(sk__vector_cycles(SK__RATE_ARITHMETIC, 2, 0), 0);
  assert_int_equal(sk__vector_cycles(SK__RATE_ARITHMETIC, 2, 1), 1);
  assert_int_equal(sk__vector_cycles(SK__RATE_ARITHMETIC, 2, 128), 1);
  assert_int_equal(sk__vector_cycles(SK__RATE_ARITHMETIC, 4, 128), 2);
  assert_int_equal(sk__vector_cycles(SK__RATE_TRANSCENDENTAL, 4, 64), 2);
  assert_int_equal(sk__vector_cycles(SK__RATE_CAST, 8, 64), 2);
  assert_int_equal(sk__vector_cycles(SK__RATE_REDUCE_REPEAT, 2, 128), 7);
  assert_int_equal(sk__vector_cycles(SK__RATE_REDUCE_REPEAT, 4, 64), 7);
  assert_int_equal(sk__vector_cycles(SK__RATE_REDUCE_BLOCK, 4, 64), 1);
  assert_int_equal(sk__vector_cycles(SK__RATE_SORT, 4, 32), 16);
  assert_int_equal(sk__vector_cycles(SK__RATE_TRANSPOSE, 1, 256), 1);
}

static void test_cube_rates(void **state) {
  (void)state;
  assert_int_equal(sk__cube_cycles(16, 16, 16, SK__CUBE_K0_F16), 1);
  assert_int_equal(sk__cube_cycles(17, 16, 17, SK__CUBE_K0_F16), 4);
  assert_int_equal(sk__cube_cycles(128, 128, 64, SK__CUBE_K0_I8), 128);
  assert_int_equal(sk__cube_cycles(0, 16, 16, SK__CUBE_K0_F32), 0);
}

SK_TESTS(SK_TEST(test_an_unknown_chip_is_null), SK_TEST(test_the_three_chips),
         SK_TEST(test_every_chip_fits_the_address_window), SK_TEST(test_memories_exist_where_they_should),
         SK_TEST(test_every_number_has_a_fact_and_no_number_is_zero), SK_TEST(test_names),
         SK_TEST(test_vector_rates), SK_TEST(test_cube_rates))
