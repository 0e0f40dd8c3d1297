/* vector_int.c - inner loops of integer arithmetic, bit operations, shifts, fill and copy. Plain loops:
 * the compiler vectorises them at each level, and integers have the same bits everywhere. */
#include "isa/simd/vector_loops.h"

V_INLINE int64_t clamp(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }
#define CLAMP_i16(x) (int16_t)((x) < INT16_MIN ? INT16_MIN : (x) > INT16_MAX ? INT16_MAX : (x))
#define CLAMP_i32(x) (int32_t)clamp(x, INT32_MIN, INT32_MAX)
#define CLAMP_i8(x) (int8_t)((x) < INT8_MIN ? INT8_MIN : (x) > INT8_MAX ? INT8_MAX : (x))
#define WIDE_i16 int32_t
#define WIDE_i32 int64_t

/* Wraps around, or clamps when CTRL says so. `x` in terms of a wide x0 and x1. */
#define ARITHMETIC(op, tag, T, X1, x)                                          \
  KERNEL(op, tag) {                                                            \
    T *to = dst;                                                                 \
    const T *p0 = s0;                                                           \
    (void)s1;                                                                   \
    (void)p;                                                                   \
    X1;                                                                        \
    if ((p->flags & SK__V_INT_SATURATE) != 0)                                  \
      PLAIN_LOOP {                                                             \
        WIDE_##tag x0 = p0[i], x1 = X1_AT;                                     \
        to[i] = CLAMP_##tag(x);                                                \
      }                                                                        \
    else                                                                       \
      PLAIN_LOOP {                                                             \
        uint32_t x0 = (uint32_t)p0[i], x1 = (uint32_t)X1_AT;                   \
        to[i] = (T)(x);                                                        \
      }                                                                        \
  }

#define FROM_SOURCE(T) const T *p1 = s1
#define FROM_SCALAR(T) const T k = (T)p->scalar
#define X1_AT p1[i]
ARITHMETIC(add, i16, int16_t, FROM_SOURCE(int16_t), x0 + x1)
ARITHMETIC(add, i32, int32_t, FROM_SOURCE(int32_t), x0 + x1)
ARITHMETIC(sub, i16, int16_t, FROM_SOURCE(int16_t), x0 - x1)
ARITHMETIC(sub, i32, int32_t, FROM_SOURCE(int32_t), x0 - x1)
ARITHMETIC(mul, i16, int16_t, FROM_SOURCE(int16_t), x0 * x1)
ARITHMETIC(mul, i32, int32_t, FROM_SOURCE(int32_t), x0 * x1)
#undef X1_AT
#define X1_AT k
ARITHMETIC(add_scalar, i16, int16_t, FROM_SCALAR(int16_t), x0 + x1)
ARITHMETIC(add_scalar, i32, int32_t, FROM_SCALAR(int32_t), x0 + x1)
ARITHMETIC(mul_scalar, i16, int16_t, FROM_SCALAR(int16_t), x0 * x1)
ARITHMETIC(mul_scalar, i32, int32_t, FROM_SCALAR(int32_t), x0 * x1)
#undef X1_AT

/* One expression, no modes. */
#define PLAIN(op, tag, T, S, x)                  \
  KERNEL(op, tag) {                              \
    T *to = dst;                                   \
    const S *x0 = s0, *x1 = s1;                    \
    (void)x1;                                    \
    (void)p;                                     \
    PLAIN_LOOP to[i] = (T)(x);                   \
  }
#define WITH_SCALAR(op, tag, T, K, x)            \
  KERNEL(op, tag) {                              \
    T *to = dst;                                   \
    const T *x0 = s0;                             \
    const K k = (K)p->scalar;                    \
    (void)s1;                                     \
    PLAIN_LOOP to[i] = (T)(x);                   \
  }
#define MAX2(x, y) ((x) > (y) ? (x) : (y))
#define MIN2(x, y) ((x) < (y) ? (x) : (y))
PLAIN(max, i16, int16_t, int16_t, MAX2(x0[i], x1[i]))
PLAIN(max, i32, int32_t, int32_t, MAX2(x0[i], x1[i]))
PLAIN(min, i16, int16_t, int16_t, MIN2(x0[i], x1[i]))
PLAIN(min, i32, int32_t, int32_t, MIN2(x0[i], x1[i]))
WITH_SCALAR(max_scalar, i16, int16_t, int16_t, MAX2(x0[i], k))
WITH_SCALAR(max_scalar, i32, int32_t, int32_t, MAX2(x0[i], k))
WITH_SCALAR(min_scalar, i16, int16_t, int16_t, MIN2(x0[i], k))
WITH_SCALAR(min_scalar, i32, int32_t, int32_t, MIN2(x0[i], k))
PLAIN(relu, i32, int32_t, int32_t, MAX2(x0[i], 0))

PLAIN(and, i16, int16_t, int16_t, x0[i] & x1[i])
PLAIN(and, u16, uint16_t, uint16_t, x0[i] & x1[i])
PLAIN(or, i16, int16_t, int16_t, x0[i] | x1[i])
PLAIN(or, u16, uint16_t, uint16_t, x0[i] | x1[i])
PLAIN(not, i16, int16_t, int16_t, ~x0[i])
PLAIN(not, u16, uint16_t, uint16_t, ~x0[i])

/* Narrowing: the exact sum, then relu, then clamp. */
PLAIN(add_relu, i8i16, int8_t, int16_t, CLAMP_i8(MAX2(x0[i] + x1[i], 0)))
PLAIN(sub_relu, i8i16, int8_t, int16_t, CLAMP_i8(MAX2(x0[i] - x1[i], 0)))
#define RELU_i16(op, sign)                                                              \
  KERNEL(op, i16) {                                                                     \
    int16_t *to = dst;                                                                    \
    const int16_t *x0 = s0, *x1 = s1;                                                     \
    if ((p->flags & SK__V_INT_SATURATE) != 0)                                           \
      PLAIN_LOOP to[i] = CLAMP_i16(MAX2(x0[i] sign x1[i], 0));                          \
    else                                                                                \
      PLAIN_LOOP {                                                                      \
        int16_t sum = (int16_t)(x0[i] sign x1[i]);                                      \
        to[i] = MAX2(sum, (int16_t)0);                                                  \
      }                                                                                 \
  }
RELU_i16(add_relu, +)
RELU_i16(sub_relu, -)

/* Shifts. The distance may equal the width (checked before): then every bit is shifted out. */
#define SHIFT_LEFT(tag, T, bits)                                     \
  KERNEL(shiftleft, tag) {                                           \
    T *to = dst;                                                       \
    const T *x0 = s0;                                                 \
    const uint32_t k = (uint32_t)p->scalar;                          \
    (void)s1;                                                         \
    if (k >= (bits))                                                 \
      memset(to, 0, n * sizeof(T));                                  \
    else                                                             \
      PLAIN_LOOP to[i] = (T)((uint32_t)x0[i] << k);                  \
  }
SHIFT_LEFT(i16, int16_t, 16)
SHIFT_LEFT(u16, uint16_t, 16)
SHIFT_LEFT(i32, int32_t, 32)
SHIFT_LEFT(u32, uint32_t, 32)
#define SHIFT_RIGHT(tag, T, bits, past)                              \
  KERNEL(shiftright, tag) {                                          \
    T *to = dst;                                                       \
    const T *x0 = s0;                                                 \
    uint32_t k = (uint32_t)p->scalar;                                \
    (void)s1;                                                         \
    if (k >= (bits))                                                 \
      PLAIN_LOOP to[i] = (T)(past);                                  \
    else                                                             \
      PLAIN_LOOP to[i] = (T)(x0[i] >> k);                            \
  }
SHIFT_RIGHT(i16, int16_t, 16, x0[i] < 0 ? -1 : 0)
SHIFT_RIGHT(i32, int32_t, 32, x0[i] < 0 ? -1 : 0)
SHIFT_RIGHT(u16, uint16_t, 16, 0)
SHIFT_RIGHT(u32, uint32_t, 32, 0)
/* To nearest, ties towards plus infinity: half of the last kept bit is added before the shift. */
#define SHIFT_ROUND(tag, T, W)                                                 \
  KERNEL(shiftright_round, tag) {                                              \
    T *to = dst;                                                                 \
    const T *x0 = s0;                                                           \
    const uint32_t k = (uint32_t)p->scalar;                                    \
    const W middle = k == 0 ? 0 : (W)1 << (k - 1);                               \
    (void)s1;                                                                   \
    PLAIN_LOOP to[i] = (T)(((W)x0[i] + middle) >> k);                            \
  }
SHIFT_ROUND(i16, int16_t, int32_t)
SHIFT_ROUND(i32, int32_t, int64_t)

#define FILL(tag, T)                             \
  KERNEL(duplicate, tag) {                       \
    T *to = dst;                                   \
    const T k = (T)p->scalar;                    \
    (void)s0;                                     \
    (void)s1;                                     \
    PLAIN_LOOP to[i] = k;                        \
  }
FILL(f16, uint16_t)
FILL(bf16, uint16_t)
FILL(i16, uint16_t)
FILL(u16, uint16_t)
FILL(f32, uint32_t)
FILL(i32, uint32_t)
FILL(u32, uint32_t)

#define COPY(tag, T)                             \
  KERNEL(copy, tag) {                            \
    (void)s1;                                     \
    (void)p;                                     \
    if (dst != s0) memcpy(dst, s0, n * sizeof(T));     \
  }
COPY(i16, uint16_t)
COPY(u16, uint16_t)
COPY(i32, uint32_t)
COPY(u32, uint32_t)
