/* reduce_kernels.h - inner loops of the reducing instructions, on packed elements. */
#ifndef SK_ISA_SIMD_REDUCE_KERNELS_H
#define SK_ISA_SIMD_REDUCE_KERNELS_H

#include <stdbool.h>

#include "isa/simd/simd.h"

typedef struct sk__simd_reduce_table {
  /* out[g] = ((x0+x1)+(x2+x3))+((x4+x5)+(x6+x7)) of each eight; out may be the start of in. NaN results
   * are the quiet NaN without payload. */
  void (*sum8_f32)(float *out, const float *in, size_t groups);
  void (*sum2_f32)(float *out, const float *in, size_t n);
  /* The same tree over 2, 16 or 128 halves, every sum rounded to half (to nearest even) and, if asked,
   * saturated. Source and destination do not overlap. */
  void (*sum_f16)(uint16_t *out, const uint16_t *in, size_t results, uint32_t per_result, bool saturate);
  /* Signed keys of the order -inf < -0 < +0 < +inf < NaN; `least`: of the reverse, NaN on top again.
   * No number has the key INT32_MIN. */
  void (*order_f32)(int32_t *key, const uint32_t *bits, size_t n, bool least);
  void (*order_f16)(int32_t *key, const uint16_t *bits, size_t n, bool least);
  /* Greatest key of each group, and where it stands first. per_group: a multiple of 8. */
  void (*greatest)(int32_t *out, const int32_t *key, size_t groups, uint32_t per_group);
  void (*first_of)(uint32_t *index, const int32_t *value, const int32_t *key, size_t groups, uint32_t per_group);
} sk__simd_reduce_table;
SK__SIMD_AREA(reduce)

#endif
