/* compare.c - inner loops of comparing and selecting.
 *
 * A comparison with a NaN is false, also "not equal" (the chip's rule). Bit e of the result belongs to
 * element e, little-endian. */
#include "isa/simd/compare_kernels.h"

#include <string.h>

/* Bit i of the result = byte i of eight bytes that are 0 or 1. */
static inline uint8_t pack8(const uint8_t *flags) {
  uint64_t bytes;
  memcpy(&bytes, flags, sizeof bytes);
  return (uint8_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}
#define PIECE 256 /* elements whose flags are kept before they are packed; a multiple of 8 */

#define COMPARE(test)                                                            \
  for (size_t done = 0; done < n; done += PIECE) {                               \
    uint8_t flags[PIECE];                                                        \
    size_t now = n - done < PIECE ? n - done : PIECE;                            \
    for (size_t i = 0; i < now; i++) flags[i] = (uint8_t)(test);                 \
    for (size_t i = 0; i < now; i += 8) *bits++ = pack8(flags + i);              \
  }
#define LEFT a[done + i]
#define RIGHT b[done + i]

static void compare_f32(uint8_t *bits, const float *a, const float *b, size_t n, sk__comparison what) {
  switch (what) {
    case SK__CMP_LT: COMPARE(LEFT < RIGHT) break;
    case SK__CMP_GT: COMPARE(LEFT > RIGHT) break;
    case SK__CMP_EQ: COMPARE(LEFT == RIGHT) break;
    case SK__CMP_LE: COMPARE(LEFT <= RIGHT) break;
    case SK__CMP_GE: COMPARE(LEFT >= RIGHT) break;
    case SK__CMP_NE: COMPARE((LEFT < RIGHT) | (LEFT > RIGHT)) break;
  }
}

/* A half as an integer of the same order, both zeros 0. */
static inline int16_t ordered(uint16_t half) {
  int16_t magnitude = (int16_t)(half & 0x7fffu), sign = (int16_t)((int16_t)half >> 15);
  return (int16_t)((magnitude ^ sign) - sign);
}
static inline int16_t is_number(uint16_t half) { return (half & 0x7fffu) <= 0x7c00u; }

#define HALVES(op) ((ordered(LEFT) op ordered(RIGHT)) & is_number(LEFT) & is_number(RIGHT))
static void compare_f16(uint8_t *bits, const uint16_t *a, const uint16_t *b, size_t n, sk__comparison what) {
  switch (what) {
    case SK__CMP_LT: COMPARE(HALVES(<)) break;
    case SK__CMP_GT: COMPARE(HALVES(>)) break;
    case SK__CMP_EQ: COMPARE(HALVES(==)) break;
    case SK__CMP_LE: COMPARE(HALVES(<=)) break;
    case SK__CMP_GE: COMPARE(HALVES(>=)) break;
    case SK__CMP_NE: COMPARE(HALVES(!=)) break;
  }
}
static void equal_i32(uint8_t *bits, const int32_t *a, const int32_t *b, size_t n) {
  COMPARE(LEFT == RIGHT)
}

static void select_b16(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *chosen, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = (uint16_t)((a[i] & chosen[i]) | (b[i] & ~chosen[i]));
}
static void select_b32(uint32_t *out, const uint32_t *a, const uint32_t *b, const uint32_t *chosen, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = (a[i] & chosen[i]) | (b[i] & ~chosen[i]);
}

const sk__simd_compare_table SK__SIMD(compare) = {
    .compare_f32 = compare_f32,
    .compare_f16 = compare_f16,
    .equal_i32 = equal_i32,
    .select_b16 = select_b16,
    .select_b32 = select_b32,
};
