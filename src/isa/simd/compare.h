#ifndef SK_ISA_SIMD_COMPARE_H
#define SK_ISA_SIMD_COMPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef SK__SIMD
#define SK__SIMD(n) x_##n
#endif
typedef enum sk__comparison { SK__CMP_LT, SK__CMP_GT, SK__CMP_EQ, SK__CMP_LE, SK__CMP_GE, SK__CMP_NE } sk__comparison;
void SK__SIMD(compare_f32)(uint8_t *bits, const float *a, const float *b, size_t n, sk__comparison what);
void SK__SIMD(compare_f16)(uint8_t *bits, const uint16_t *a, const uint16_t *b, size_t n, sk__comparison what);
void SK__SIMD(equal_i32)(uint8_t *bits, const int32_t *a, const int32_t *b, size_t n);
void SK__SIMD(select_b16)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *chosen, size_t n);
void SK__SIMD(select_b32)(uint32_t *out, const uint32_t *a, const uint32_t *b, const uint32_t *chosen, size_t n);
#endif
