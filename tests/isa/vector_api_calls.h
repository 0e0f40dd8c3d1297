/* vector_api_calls.h - every elementwise instruction through the public header, in the order of the
 * reference table. Included once as C and once as C++: both languages must reach the same functions. */
#ifndef TESTS_ISA_VECTOR_API_CALLS_H
#define TESTS_ISA_VECTOR_API_CALLS_H

#include "c_api/asc_simd.h"

#ifdef __cplusplus
static half value_f16(uint64_t k) { half h; h.bits = (uint16_t)k; return h; }
static bfloat16_t value_bf16(uint64_t k) { bfloat16_t b; b.bits = (uint16_t)k; return b; }
#else
static half value_f16(uint64_t k) {
  union { uint16_t u; half h; } both = {(uint16_t)k};
  return both.h;
}
static bfloat16_t value_bf16(uint64_t k) { return (bfloat16_t){(uint16_t)k}; }
#endif
static float value_f32(uint64_t k) {
  union { uint32_t u; float f; } both = {(uint32_t)k};
  return both.f;
}
static int16_t value_i16(uint64_t k) { return (int16_t)k; }
static uint16_t value_u16(uint64_t k) { return (uint16_t)k; }
static int32_t value_i32(uint64_t k) { return (int32_t)k; }
static uint32_t value_u32(uint64_t k) { return (uint32_t)k; }

typedef struct api_call {
  const char *name;
  void (*count)(void *d, const void *a, const void *b, uint64_t k, uint32_t count);
  void (*sync)(void *d, const void *a, const void *b, uint64_t k, uint32_t count);
  void (*strided)(void *d, const void *a, const void *b, uint64_t k, uint8_t repeat);
} api_call;

#define FUNCTIONS(op, tag, count_call, sync_call, strided_call)                                            \
  static void n_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {          \
    (void)a, (void)b, (void)k;                                                                             \
    count_call;                                                                                            \
  }                                                                                                        \
  static void ns_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {         \
    (void)a, (void)b, (void)k;                                                                             \
    sync_call;                                                                                             \
  }                                                                                                        \
  static void h_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint8_t repeat) {          \
    (void)a, (void)b, (void)k;                                                                             \
    strided_call;                                                                                          \
  }
#define BINARY(op, tag, D, S)                                                                             \
  FUNCTIONS(op, tag, asc_##op((D *)d, (const S *)a, (const S *)b, count),                                 \
            asc_##op##_sync((D *)d, (const S *)a, (const S *)b, count),                                   \
            asc_##op((D *)d, (const S *)a, (const S *)b, repeat, 1, 1, 1, 8, 8, 8))
#define UNARY(op, tag, D, S)                                                                              \
  FUNCTIONS(op, tag, asc_##op((D *)d, (const S *)a, count), asc_##op##_sync((D *)d, (const S *)a, count), \
            asc_##op((D *)d, (const S *)a, repeat, 1, 1, 8, 8))
#define SCALAR(op, tag, D, S, value)                                                                      \
  FUNCTIONS(op, tag, asc_##op((D *)d, (const S *)a, value(k), count),                                     \
            asc_##op##_sync((D *)d, (const S *)a, value(k), count),                                       \
            asc_##op((D *)d, (const S *)a, value(k), repeat, 1, 1, 8, 8))
#define FILL(op, tag, D, value)                                                                           \
  FUNCTIONS(op, tag, asc_##op((D *)d, value(k), count), asc_##op##_sync((D *)d, value(k), count),         \
            asc_##op((D *)d, value(k), repeat, 1, 8))
#include "vector_api_rows.h"
#undef BINARY
#undef UNARY
#undef SCALAR
#undef FILL

/* The table is made from the same rows: expand it inside braces. */
#define ROW(op, tag) {"asc_" #op, n_##op##_##tag, ns_##op##_##tag, h_##op##_##tag},
#define BINARY(op, tag, D, S) ROW(op, tag)
#define UNARY(op, tag, D, S) ROW(op, tag)
#define SCALAR(op, tag, D, S, value) ROW(op, tag)
#define FILL(op, tag, D, value) ROW(op, tag)

#endif
