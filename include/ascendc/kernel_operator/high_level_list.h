/* high_level_list.h - the elementwise functions of the high-level API, once: name and formula in double, of x
 * (and y, the second operand or the scalar). C and C++. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_LIST_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_LIST_H

/* One source. */
#define SK_HIGH_UNARY_LIST(X)                                                          \
  X(Gelu, 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))))       \
  X(FasterGelu, x / (1 + exp(-1.702 * x)))                                             \
  X(FasterGeluV2, x / (1 + exp(-1.702 * x)))                                           \
  X(Silu, x / (1 + exp(-x)))                                                           \
  X(Sigmoid, 1 / (1 + exp(-x)))                                                        \
  X(Tanh, tanh(x)) X(Log, log(x)) X(Log2, log2(x)) X(Log10, log10(x))                  \
  X(Sin, sin(x)) X(Cos, cos(x)) X(Tan, tan(x)) X(Asin, asin(x)) X(Acos, acos(x))       \
  X(Atan, atan(x)) X(Sinh, sinh(x)) X(Cosh, cosh(x)) X(Asinh, asinh(x))                \
  X(Acosh, acosh(x)) X(Atanh, atanh(x)) X(Erf, erf(x)) X(Erfc, erfc(x))                \
  X(Lgamma, lgamma(x)) X(Digamma, digamma(x))                                          \
  X(Floor, floor(x)) X(Ceil, ceil(x)) X(Round, nearbyint(x)) X(Trunc, trunc(x))        \
  X(Frac, x - trunc(x)) X(Sign, (x > 0) - (x < 0) + (x != x ? x : 0))                  \
  X(ExpTaylor, exp(x))

/* Two sources, or a source and a scalar. */
#define SK_HIGH_BINARY_LIST(X)                                                         \
  X(Power, pow(x, y)) X(Fmod, fmod(x, y))                                              \
  X(Swish, x / (1 + exp(-y * x)))                                                      \
  X(GeGLU, x * (y / (1 + exp(-1.595769121 * (y + 0.044715 * y * y * y)))))             \
  X(ReGlu, x * (y > 0 ? y : 0))                                                        \
  X(ClampMax, x > y ? y : x) X(ClampMin, x < y ? y : x)

#endif
