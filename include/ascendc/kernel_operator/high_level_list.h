/* high_level_list.h - the elementwise functions of the high-level API, once: name, temporary memory and formula in double, of
 * x (and y, the second operand or the scalar). C and C++.
 *
 * Temporary memory: at least so many repeats of 256 bytes for half, for float, and for float with isReuseSource. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_LIST_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_LIST_H

/* One source. */
#define SK_HIGH_UNARY_LIST(X)                                                                     \
  X(Gelu, 3, 3, 3, 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))))          \
  X(FasterGelu, 3, 3, 3, x / (1 + exp(-1.702 * x)))                                                \
  X(FasterGeluV2, 3, 3, 3, x / (1 + exp(-1.702 * x)))                                              \
  X(Silu, 0, 0, 0, x / (1 + exp(-x)))                                                              \
  X(Sigmoid, 1, 1, 1, 1 / (1 + exp(-x)))                                                           \
  X(Tanh, 4, 1, 1, tanh(x)) X(Log, 0, 0, 0, log(x)) X(Log2, 1, 0, 0, log2(x)) X(Log10, 0, 0, 0, log10(x)) \
  X(Sin, 8, 3, 2, sin(x)) X(Cos, 8, 3, 2, cos(x)) X(Tan, 10, 4, 4, tan(x))                         \
  X(Asin, 6, 2, 2, asin(x)) X(Acos, 6, 2, 2, acos(x)) X(Atan, 12, 5, 5, atan(x))                   \
  X(Sinh, 4, 1, 1, sinh(x)) X(Cosh, 6, 2, 2, cosh(x)) X(Asinh, 3, 3, 3, asinh(x))                  \
  X(Acosh, 2, 1, 1, acosh(x)) X(Atanh, 4, 1, 1, atanh(x))                                          \
  X(Erf, 8, 3, 3, erf(x)) X(Erfc, 16, 7, 7, erfc(x))                                               \
  X(Lgamma, 26, 8, 7, lgamma(x)) X(Digamma, 16, 7, 6, digamma(x))                                  \
  X(Floor, 2, 0, 0, floor(x)) X(Ceil, 2, 1, 1, ceil(x)) X(Round, 1, 0, 0, nearbyint(x)) X(Trunc, 2, 1, 1, trunc(x)) \
  X(Frac, 4, 0, 0, x - trunc(x)) X(Sign, 3, 3, 3, (x > 0) - (x < 0) + (x != x ? x : 0))            \
  X(ExpTaylor, 4, 3, 2, exp(x))

/* Two sources, or a source and a scalar. */
#define SK_HIGH_BINARY_LIST(X)                                                                     \
  X(Power, 8, 5, 5, pow(x, y)) X(Fmod, 8, 1, 1, fmod(x, y))                                        \
  X(Swish, 0, 0, 0, x / (1 + exp(-y * x)))                                                         \
  X(GeGLU, 4, 0, 0, x * (y / (1 + exp(-1.595769121 * (y + 0.044715 * y * y * y)))))                \
  X(ReGlu, 6, 1, 1, x * (y > 0 ? y : 0))                                                           \
  X(ClampMax, 1, 1, 1, x > y ? y : x) X(ClampMin, 1, 1, 1, x < y ? y : x)

typedef enum sk_high_op {
#define X(name, half_repeats, float_repeats, reuse_repeats, formula) SK_HIGH_##name,
  SK_HIGH_UNARY_LIST(X) SK_HIGH_BINARY_LIST(X)
#undef X
} sk_high_op;

#endif
