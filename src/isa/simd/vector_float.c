/* vector_float.c - inner loops of float and half arithmetic. Half is computed in float and rounded once,
 * which is correct rounding for + - * / and sqrt. */
#include "isa/simd/vector_loops.h"
#include "isa/simd/vector_math.h"

/* `x` is the result in terms of a, b, d (old destination), k (scalar operand). */
#define UNARY(op, tag, D, S, x)                  \
  KERNEL(op, tag) {                              \
    (void)s1;                                    \
    LOOP_##D({                                   \
      vf a = LD_##S(s0, i, m);                   \
      ST_##D(dst, i, m, x);                      \
    });                                          \
  }
#define BINARY(op, tag, D, S, x)                 \
  KERNEL(op, tag) {                              \
    LOOP_##D({                                   \
      vf a = LD_##S(s0, i, m);                   \
      vf b = LD_##S(s1, i, m);                   \
      ST_##D(dst, i, m, x);                      \
    });                                          \
  }
#define TERNARY(op, tag, D, S, x)                \
  KERNEL(op, tag) {                              \
    LOOP_##D({                                   \
      vf a = LD_##S(s0, i, m);                   \
      vf b = LD_##S(s1, i, m);                   \
      vf d = LD_##D(dst, i, m);                  \
      ST_##D(dst, i, m, x);                      \
    });                                          \
  }
#define SCALAR(op, tag, D, S, x)                 \
  KERNEL(op, tag) {                              \
    (void)s1;                                    \
    const vf k = SCALAR_##S;                     \
    LOOP_##D({                                   \
      vf a = LD_##S(s0, i, m);                   \
      ST_##D(dst, i, m, x);                      \
    });                                          \
  }
#define SCALAR_DST(op, tag, D, S, x)             \
  KERNEL(op, tag) {                              \
    (void)s1;                                    \
    const vf k = SCALAR_##S;                     \
    LOOP_##D({                                   \
      vf a = LD_##S(s0, i, m);                   \
      vf d = LD_##D(dst, i, m);                  \
      ST_##D(dst, i, m, x);                      \
    });                                          \
  }
#define HF(FORM, op, x) FORM(op, f32, f32, f32, x) FORM(op, f16, f16, f16, x)

HF(BINARY, add, v_canon(a + b))
HF(BINARY, sub, v_canon(a - b))
HF(BINARY, mul, v_canon(a * b))
HF(BINARY, div, v_canon(a / b))
HF(BINARY, max, v_max(a, b))
HF(BINARY, min, v_min(a, b))
HF(BINARY, add_relu, v_relu(a + b))
HF(BINARY, sub_relu, v_relu(a - b))
BINARY(add_relu, f16f32, f16, f32, v_relu(a + b))
BINARY(sub_relu, f16f32, f16, f32, v_relu(a - b))

/* Multiply and add: two roundings in the element type. */
TERNARY(mul_add, f32, f32, f32, v_canon(a * d + b))
TERNARY(mul_add_relu, f32, f32, f32, v_relu(a * d + b))
TERNARY(fma, f32, f32, f32, v_canon(a * b + d))
SCALAR_DST(axpy, f32, f32, f32, v_canon(a * k + d))
TERNARY(mul_add, f16, f16, f16, v_canon(STEP_f16(v_canon(a * d)) + b))
TERNARY(mul_add_relu, f16, f16, f16, v_relu(STEP_f16(v_canon(a * d)) + b))
TERNARY(fma, f16, f16, f16, v_canon(STEP_f16(v_canon(a * b)) + d))
SCALAR_DST(axpy, f16, f16, f16, v_canon(STEP_f16(v_canon(a * k)) + d))
/* Half times half is exact in float. */
TERNARY(fma, f32f16, f32, f16, v_canon(a * b + d))
SCALAR_DST(axpy, f32f16, f32, f16, v_canon(a * k + d))

HF(SCALAR, add_scalar, v_canon(a + k))
HF(SCALAR, mul_scalar, v_canon(a * k))
HF(SCALAR, max_scalar, v_max(a, k))
HF(SCALAR, min_scalar, v_min(a, k))
HF(SCALAR, leakyrelu, v_leakyrelu(a, k))

HF(UNARY, abs, v_abs(a))
HF(UNARY, relu, v_relu(a))
HF(UNARY, sqrt, v_canon(v_sqrt(a)))
HF(UNARY, rcp, v_canon(1.0f / a))
HF(UNARY, rsqrt, v_rsqrt(a))
UNARY(exp, f32, f32, f32, v_exp(a))
UNARY(log, f32, f32, f32, v_log(a))
UNARY(exp, f16, f16, f16, v_exp_half(a))
UNARY(log, f16, f16, f16, v_log_half(a))
