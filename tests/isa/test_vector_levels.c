/* Every inner loop gives the same bits at every instruction set level this CPU has. The lowest level is
 * the plain one: no fused multiply-add and no half conversion in hardware. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vector_reference.h"

#include "isa/simd/vector_kernels.h"

#define N 2053u /* odd: every loop has a partial turn */
#define BYTES (N * 8)

static const char *const names[] = {
#define ROW(op, tag) #op "_" #tag,
#define ROW_C(op, tag, D, S, from, to, rounding) #op "_" #tag,
    SK__VECTOR_KERNEL_LIST(ROW, ROW_C)};

/* Random bits, with exponents near one another in half of the draws, so that sums round. */
static void fill(uint8_t *to) {
  for (uint32_t i = 0; i < BYTES; i += 4) {
    uint32_t x = (uint32_t)fixture_random();
    if (fixture_random() & 1) x = (x & 0x83ffffffu) | 0x3c000000u;
    if (fixture_random() % 61 == 0) x = 0x7f800000u;
    memcpy(to + i, &x, 4);
  }
}

static void test_levels_agree(void **state) {
  (void)state;
  fixture_reset(sk_test_seed("levels"));
  static _Alignas(64) uint8_t a[BYTES], b[BYTES], d[BYTES], want[BYTES], got[BYTES];
  for (uint32_t k = 0; k < SK__VECTOR_KERNELS; k++) {
    bool bits4 = strstr(names[k], "_i4") != NULL || strstr(names[k], "i4_") != NULL;
    for (uint32_t turn = 0; turn < 24; turn++) {
      fill(a), fill(b), fill(d);
      sk__vparams p = {strncmp(names[k], "shift", 5) == 0 ? below(17) : fixture_random(), turn % 8};
      size_t n = turn < 8 ? N : 1 + below(70);
      if (bits4) n &= ~(size_t)1;
      memcpy(want, d, BYTES);
      sk__simd_vector_of(0)->kernel[k](want, a, b, n, &p);
      for (uint32_t level = 1; level < SK__SIMD_LEVEL_COUNT; level++) {
        const sk__simd_vector_table *table = sk__simd_vector_of((sk__simd_level)level);
        if (table == NULL) continue;
        memcpy(got, d, BYTES);
        table->kernel[k](got, a, b, n, &p);
        for (uint32_t i = 0; i < BYTES; i++)
          if (want[i] != got[i])
            fail_msg("%s at %s, byte %u of %zu elements: %02x, lowest level has %02x", names[k],
                     sk__simd_level_name((sk__simd_level)level), i, n, got[i], want[i]);
        memcpy(got, a, BYTES); /* in place */
        memcpy(want, a, BYTES);
        if (strstr(names[k], "2") == NULL && strstr(names[k], "relu_i8") == NULL && strstr(names[k], "f32f16") == NULL &&
            strstr(names[k], "f16f32") == NULL) {
          sk__simd_vector_of(0)->kernel[k](want, want, b, n, &p);
          table->kernel[k](got, got, b, n, &p);
          assert_memory_equal(want, got, BYTES);
        }
        memcpy(want, d, BYTES);
        sk__simd_vector_of(0)->kernel[k](want, a, b, n, &p);
      }
    }
  }
}

/* The emulated fused multiply-add inside exp and log meets every float in steps, not only random ones. */
static void test_functions_agree_over_all_floats(void **state) {
  (void)state;
  static const uint32_t kernels[] = {SK__K_exp_f32, SK__K_log_f32, SK__K_rsqrt_f32};
  static uint32_t in[4096], want[4096], got[4096];
  sk__vparams p = {0, 0};
  for (uint32_t f = 0; f < 3; f++)
    for (uint64_t x = 0; x < UINT64_C(1) << 32;) {
      size_t n = 0;
      for (; n < 4096 && x < UINT64_C(1) << 32; x += 1021) in[n++] = (uint32_t)x;
      sk__simd_vector_of(0)->kernel[kernels[f]](want, in, NULL, n, &p);
      for (uint32_t level = 1; level < SK__SIMD_LEVEL_COUNT; level++) {
        const sk__simd_vector_table *table = sk__simd_vector_of((sk__simd_level)level);
        if (table == NULL) continue;
        table->kernel[kernels[f]](got, in, NULL, n, &p);
        assert_memory_equal(want, got, n * 4);
      }
    }
}

static void test_unknown_level_ends_the_process(void **state) {
  (void)state;
  setenv("SUPERKERNEL_SIMD", "mmx", 1);
  char line[512];
  snprintf(line, sizeof line, "'/proc/%d/exe' --list >/dev/null 2>&1", (int)getpid());
  int status = system(line);
  assert_int_equal(WEXITSTATUS(status), 2);
  setenv("SUPERKERNEL_SIMD", sk__simd_level_name(0), 1);
  assert_int_equal(system(line), 0);
}

SK_TESTS(SK_TEST(test_levels_agree), SK_TEST(test_functions_agree_over_all_floats),
         SK_TEST(test_unknown_level_ends_the_process))
