/* compare_kernels.h - inner loops of comparing and selecting, on packed elements. */
#ifndef SK_ISA_SIMD_COMPARE_KERNELS_H
#define SK_ISA_SIMD_COMPARE_KERNELS_H

#include "isa/simd/simd.h"

typedef enum sk__comparison { SK__CMP_LT, SK__CMP_GT, SK__CMP_EQ, SK__CMP_LE, SK__CMP_GE, SK__CMP_NE } sk__comparison;

typedef struct sk__simd_compare_table {
  /* Bit e of bits = "a[e] what b[e]"; n is a multiple of 8. bits overlaps neither source. */
  void (*compare_f32)(uint8_t *bits, const float *a, const float *b, size_t n, sk__comparison what);
  void (*compare_f16)(uint8_t *bits, const uint16_t *a, const uint16_t *b, size_t n, sk__comparison what);
  void (*equal_i32)(uint8_t *bits, const int32_t *a, const int32_t *b, size_t n);
  /* out = a where chosen is all ones, b where it is 0. */
  void (*select_b16)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *chosen, size_t n);
  void (*select_b32)(uint32_t *out, const uint32_t *a, const uint32_t *b, const uint32_t *chosen, size_t n);
} sk__simd_compare_table;
SK__SIMD_AREA(compare)

#endif
