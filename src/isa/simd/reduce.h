#ifndef SK_ISA_SIMD_REDUCE_H
#define SK_ISA_SIMD_REDUCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef SK__SIMD
#define SK__SIMD(n) x_##n
#endif
void SK__SIMD(sum8_f32)(float *out, const float *in, size_t groups);
void SK__SIMD(sum2_f32)(float *out, const float *in, size_t n);
void SK__SIMD(sum_f16)(uint16_t *out, const uint16_t *in, size_t results, uint32_t per_result, bool saturate);
void SK__SIMD(order_f32)(int32_t *key, const uint32_t *bits, size_t n, bool least);
void SK__SIMD(order_f16)(int32_t *key, const uint16_t *bits, size_t n, bool least);
void SK__SIMD(greatest)(int32_t *out, const int32_t *key, size_t groups, uint32_t per_group);
void SK__SIMD(first_of)(uint32_t *index, const int32_t *value, const int32_t *key, size_t groups, uint32_t per_group);
#endif
