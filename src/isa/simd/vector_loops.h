/* vector_loops.h - what the elementwise loops are written in: loads to and stores from float vectors by
 * type tag, and the loop over whole vectors with one partial turn at the end. */
#ifndef SK_ISA_SIMD_VECTOR_LOOPS_H
#define SK_ISA_SIMD_VECTOR_LOOPS_H

#include "isa/simd/vec.h"
#include "isa/simd/vector_kernels.h"

#define KERNEL(op, tag) SK__VECTOR_KERNEL(op, tag)

/* The body sees i (first element) and m (elements, VW except in the last turn). */
#define LOOP(...)                        \
  do {                                   \
    size_t i = 0;                        \
    for (; i + VW <= n; i += VW) {       \
      const size_t m = VW;               \
      __VA_ARGS__                        \
    }                                    \
    if (i < n) {                         \
      const size_t m = n - i;            \
      __VA_ARGS__                        \
    }                                    \
  } while (0)

/* The same by type of the result: a loop of its own for saturating halves. */
#define LOOP_f32(...)  \
  do {                 \
    (void)p;           \
    LOOP(__VA_ARGS__); \
  } while (0)
#define LOOP_f16(...)                                   \
  do {                                                  \
    if ((p->flags & SK__V_FLOAT_SATURATE) != 0) {       \
      enum { saturate = 1 };                            \
      LOOP(__VA_ARGS__);                                \
    } else {                                            \
      enum { saturate = 0 };                            \
      LOOP(__VA_ARGS__);                                \
    }                                                   \
  } while (0)

/* Loops over plain integers, where d equals a source or overlaps none. */
#if defined(__clang__)
#define PLAIN_LOOP _Pragma("clang loop vectorize(assume_safety)") for (size_t i = 0; i < n; i++)
#else
#define PLAIN_LOOP _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++)
#endif

/* Saturating mode: NaN to 0, infinities and everything beyond to the largest half. */
V_INLINE vf v_limit_half(vf x) {
  x = v_if(x == x, x, v_set(0));
  x = v_if(x > 65504.0f, v_set(65504.0f), x);
  return v_if(x < -65504.0f, v_set(-65504.0f), x);
}
V_INLINE vh v_half_result(vf x, int saturate) { return v_to_half(saturate ? v_limit_half(x) : x); }

/* By tag: load as float, store a float result, one rounding step in the element type. */
#define LD_f32(p, i, m) v_load_f32(p, i, m)
#define LD_f16(p, i, m) v_from_half(v_load_h(p, i, m))
#define ST_f32(p, i, m, x) v_store_f32(p, i, m, x)
#define ST_f16(p, i, m, x) v_store_h(p, i, m, v_half_result(x, saturate))
#define STEP_f32(x) (x)
#define STEP_f16(x) v_from_half(v_half_result(x, saturate))
#define SCALAR_f32 v_set(scalar_f32(p))
#define SCALAR_f16 v_from_half((vh){0} + (uint16_t)p->scalar)

V_INLINE float scalar_f32(const sk__vparams *p) {
  float x;
  uint32_t bits = (uint32_t)p->scalar;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#endif
