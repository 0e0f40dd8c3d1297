/* vector_reference.c - see vector_reference.h. */
#include "vector_reference.h"

#include <math.h>
#include <string.h>

#include "c_api/asc_vector.h"

/* ---- the table ----------------------------------------------------------------------------------- */

#define OP(op) OP_##op,
enum op {
  SK_VECTOR_BINARY_LIST(OP) SK_VECTOR_UNARY_LIST(OP) SK_VECTOR_SCALAR_LIST(OP) OP_duplicate, OP_convert
};
#undef OP

#define TYPE(T)                                                                                                \
  _Generic((T *)0, half *: F16, bfloat16_t *: BF16, float *: F32, int4b_t *: I4, int8_t *: I8, uint8_t *: U8,   \
           int16_t *: I16, uint16_t *: U16, int32_t *: I32, uint32_t *: U32, int64_t *: I64)
static float as_float(uint64_t k) { return sk_bits_float((uint32_t)k); }
#define AS(V, k) _Generic((V)0, float: as_float(k), default: (V)(k))

#define BINARY_CALLS(op, arg, tag, D, S, V)                                                                       \
  static void n_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                 \
    (void)k;                                                                                                      \
    sk_##op##_##tag##_n(d, a, b, count);                                                                          \
  }                                                                                                               \
  static void ns_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                \
    (void)k;                                                                                                      \
    sk_##op##_##tag##_ns(d, a, b, count);                                                                         \
  }                                                                                                               \
  static void h_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, const strides *s) {               \
    (void)k;                                                                                                      \
    sk_##op##_##tag##_h(d, a, b, (uint8_t)s->repeat, (uint8_t)s->db, (uint8_t)s->ab, (uint8_t)s->bb,              \
                        (uint8_t)s->dr, (uint8_t)s->ar, (uint8_t)s->br);                                          \
  }
#define UNARY_STRIDES (uint8_t)s->repeat, (uint16_t)s->db, (uint16_t)s->ab, (uint16_t)s->dr, (uint16_t)s->ar
#define UNARY_CALLS(op, arg, tag, D, S, V)                                                                        \
  static void n_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                 \
    (void)k, (void)b;                                                                                             \
    sk_##op##_##tag##_n(d, a, count);                                                                             \
  }                                                                                                               \
  static void ns_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                \
    (void)k, (void)b;                                                                                             \
    sk_##op##_##tag##_ns(d, a, count);                                                                            \
  }                                                                                                               \
  static void h_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, const strides *s) {               \
    (void)k, (void)b;                                                                                             \
    sk_##op##_##tag##_h(d, a, UNARY_STRIDES);                                                                     \
  }
#define SCALAR_CALLS(op, arg, tag, D, S, V)                                                                       \
  static void n_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                 \
    (void)b;                                                                                                      \
    sk_##op##_##tag##_n(d, a, AS(V, k), count);                                                                   \
  }                                                                                                               \
  static void ns_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                \
    (void)b;                                                                                                      \
    sk_##op##_##tag##_ns(d, a, AS(V, k), count);                                                                  \
  }                                                                                                               \
  static void h_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, const strides *s) {               \
    (void)b;                                                                                                      \
    sk_##op##_##tag##_h(d, a, AS(V, k), UNARY_STRIDES);                                                           \
  }
#define FILL_CALLS(op, arg, tag, D, S, V)                                                                         \
  static void n_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                 \
    (void)a, (void)b;                                                                                             \
    sk_##op##_##tag##_n(d, AS(V, k), count);                                                                      \
  }                                                                                                               \
  static void ns_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, uint32_t count) {                \
    (void)a, (void)b;                                                                                             \
    sk_##op##_##tag##_ns(d, AS(V, k), count);                                                                     \
  }                                                                                                               \
  static void h_##op##_##tag(void *d, const void *a, const void *b, uint64_t k, const strides *s) {               \
    (void)a, (void)b;                                                                                             \
    sk_##op##_##tag##_h(d, AS(V, k), (uint8_t)s->repeat, (uint16_t)s->db, (uint16_t)s->dr);                       \
  }
#define OP(op) SK_ROWS_##op(BINARY_CALLS, op, )
SK_VECTOR_BINARY_LIST(OP)
#undef OP
#define OP(op) SK_ROWS_##op(UNARY_CALLS, op, )
SK_VECTOR_UNARY_LIST(OP)
#undef OP
#define OP(op) SK_ROWS_##op(SCALAR_CALLS, op, )
SK_VECTOR_SCALAR_LIST(OP)
#undef OP
SK_ROWS_duplicate(FILL_CALLS, duplicate, )
#define CONVERT_CALLS(op, tag, D, S, from, to, mode) UNARY_CALLS(op, , tag, D, S, )
SK_VECTOR_CONVERT_LIST(CONVERT_CALLS)

#define IS_INTO(op) (OP_##op == OP_mul_add || OP_##op == OP_mul_add_relu || OP_##op == OP_fma || OP_##op == OP_axpy)
#define IS_NEAR(op, D) ((OP_##op == OP_exp || OP_##op == OP_log || OP_##op == OP_rsqrt) && TYPE(D) == F32)
#define ROW(shape_, op, tag, D, S) \
  {#op "_" #tag, OP_##op, shape_, TYPE(D), TYPE(S), 0, false, IS_INTO(op), !IS_NEAR(op, D), \
   n_##op##_##tag, ns_##op##_##tag, h_##op##_##tag},
#define BINARY_ROW(op, arg, tag, D, S, V) ROW(BINARY, op, tag, D, S)
#define UNARY_ROW(op, arg, tag, D, S, V) ROW(UNARY, op, tag, D, S)
#define SCALAR_ROW(op, arg, tag, D, S, V) ROW(SCALAR, op, tag, D, S)
#define FILL_ROW(op, arg, tag, D, S, V) ROW(FILL, op, tag, D, S)
#define CONVERT_ROW(op, tag, D, S, from, to, mode)                                            \
  {#op "_" #tag, OP_convert, UNARY, TYPE(D), TYPE(S), SK__ROUND_##mode, true, false, true,     \
   n_##op##_##tag, ns_##op##_##tag, h_##op##_##tag},
const row rows[] = {
#define OP(op) SK_ROWS_##op(BINARY_ROW, op, )
    SK_VECTOR_BINARY_LIST(OP)
#undef OP
#define OP(op) SK_ROWS_##op(UNARY_ROW, op, )
    SK_VECTOR_UNARY_LIST(OP)
#undef OP
#define OP(op) SK_ROWS_##op(SCALAR_ROW, op, )
    SK_VECTOR_SCALAR_LIST(OP)
#undef OP
    SK_ROWS_duplicate(FILL_ROW, duplicate, ) SK_VECTOR_CONVERT_LIST(CONVERT_ROW)};
const uint32_t row_count = sizeof rows / sizeof rows[0];

/* ---- types --------------------------------------------------------------------------------------- */

uint32_t type_bits(type t) {
  static const uint8_t bits[TYPES] = {16, 16, 32, 4, 8, 8, 16, 16, 32, 32, 64};
  return bits[t];
}
bool type_is_float(type t) { return t <= F32; }

uint64_t element_load(type t, const void *base, uint64_t index) {
  uint64_t bits = 0;
  if (t == I4) return (((const uint8_t *)base)[index / 2] >> (index % 2 * 4)) & 15u;
  memcpy(&bits, (const uint8_t *)base + index * (type_bits(t) / 8), type_bits(t) / 8);
  return bits;
}
void element_store(type t, void *base, uint64_t index, uint64_t bits) {
  if (t == I4) {
    uint8_t *at = (uint8_t *)base + index / 2;
    uint32_t shift = index % 2 * 4;
    *at = (uint8_t)((*at & ~(15u << shift)) | (bits & 15u) << shift);
    return;
  }
  memcpy((uint8_t *)base + index * (type_bits(t) / 8), &bits, type_bits(t) / 8);
}

static int64_t to_int(type t, uint64_t bits) {
  switch (t) {
    case I4: return (int64_t)(bits << 60) >> 60;
    case I8: return (int8_t)bits;
    case I16: return (int16_t)bits;
    case I32: return (int32_t)bits;
    case I64: return (int64_t)bits;
    default: return (int64_t)bits;
  }
}
/* Float formats by their parameters. */
static const struct { int exponent_bits, mantissa_bits; } formats[] = {{5, 10}, {8, 7}, {8, 23}};

long double to_value(type t, uint64_t bits) {
  if (!type_is_float(t)) return (long double)to_int(t, bits);
  int eb = formats[t].exponent_bits, mb = formats[t].mantissa_bits, bias = (1 << (eb - 1)) - 1;
  bool negative = (bits >> (eb + mb) & 1) != 0;
  int e = (int)(bits >> mb) & ((1 << eb) - 1);
  uint64_t m = bits & ((UINT64_C(1) << mb) - 1);
  long double v = e == (1 << eb) - 1 ? (m != 0 ? (long double)NAN : (long double)INFINITY)
                  : e == 0           ? ldexpl((long double)m, 1 - bias - mb)
                                     : ldexpl((long double)(m + (UINT64_C(1) << mb)), e - bias - mb);
  return negative ? -v : v;
}
static long double to_integral(long double x, int mode) {
  switch (mode) {
    case SK__ROUND_FLOOR: return floorl(x);
    case SK__ROUND_CEIL: return ceill(x);
    case SK__ROUND_TRUNC: return truncl(x);
    case SK__ROUND_ROUND: return roundl(x);
    case SK__ROUND_ODD: {
      long double t = truncl(x);
      if (t != x && fmodl(t, 2) == 0) t += copysignl(1, x);
      return t;
    }
    default: return rintl(x);
  }
}
static uint64_t nan_of(type t) { return t == F16 ? 0x7e00 : t == BF16 ? 0x7fc0 : 0x7fc00000; }

/* Rounds once to a float format. */
static uint64_t from_value(type t, long double x, int mode, bool saturate) {
  int eb = formats[t].exponent_bits, mb = formats[t].mantissa_bits, bias = (1 << (eb - 1)) - 1;
  uint64_t sign = signbit(x) ? UINT64_C(1) << (eb + mb) : 0, inf = ((UINT64_C(1) << eb) - 1) << mb;
  if (t == F32) saturate = false;
  if (isnan(x)) return saturate ? 0 : nan_of(t);
  if (isinf(x)) return sign | (saturate ? inf - 1 : inf);
  if (x == 0) return sign;
  int e;
  frexpl(x, &e); /* |x| in [2^(e-1), 2^e) */
  int quantum = (e - 1 < 1 - bias ? 1 - bias : e - 1) - mb;
  long double units = fabsl(to_integral(ldexpl(x, -quantum), mode)); /* may be 2^(mb+1): the next binade */
  if (units == ldexpl(1, mb + 1)) units /= 2, quantum++;
  if (units == 0) return sign;
  if (quantum + mb > bias) return sign | (saturate ? inf - 1 : inf);
  uint64_t m = (uint64_t)units;
  if (m < UINT64_C(1) << mb) return sign | m;
  return sign | (uint64_t)(quantum + mb + bias) << mb | (m - (UINT64_C(1) << mb));
}
static uint64_t clamp_to(type t, long double x) {
  static const struct { long double low, high; } range[TYPES] = {
      [I4] = {-8, 7}, [I8] = {-128, 127}, [U8] = {0, 255}, [I16] = {-32768, 32767}, [U16] = {0, 65535},
      [I32] = {-2147483648.0L, 2147483647}, [U32] = {0, 4294967295.0L},
      [I64] = {-0x1p63L, 0x1p63L - 1}};
  if (isnan(x)) return 0;
  if (x < range[t].low) x = range[t].low;
  if (x > range[t].high) x = range[t].high;
  uint64_t bits = (uint64_t)(int64_t)x;
  return type_bits(t) == 64 ? bits : bits & ((UINT64_C(1) << type_bits(t)) - 1);
}
static uint64_t low_bits(type t, int64_t x) {
  return type_bits(t) == 64 ? (uint64_t)x : (uint64_t)x & ((UINT64_C(1) << type_bits(t)) - 1);
}

/* ---- conversions ----------------------------------------------------------------------------------- */

/* A NaN keeps its sign and leading payload, and becomes quiet. */
static uint64_t nan_between(type d, type s, uint64_t bits) {
  uint64_t sign = bits >> (type_bits(s) - 1) & 1;
  uint64_t payload = (bits & ((UINT64_C(1) << formats[s].mantissa_bits) - 1));
  int shift = formats[d].mantissa_bits - formats[s].mantissa_bits;
  payload = shift >= 0 ? payload << shift : payload >> -shift;
  return sign << (type_bits(d) - 1) | nan_of(d) | payload;
}
static uint64_t convert(const row *r, uint64_t a, uint32_t flags) {
  bool saturate = (flags & SK__V_FLOAT_SATURATE) != 0;
  long double x = to_value(r->s, a);
  if (type_is_float(r->d)) {
    if (r->s == BF16) return a << 16;
    if (isnan(x)) return saturate && r->d != F32 ? 0 : nan_between(r->d, r->s, a);
    if (r->s == F32 && r->d == F32) x = to_integral(x, r->rounding) + 0.0L;
    return from_value(r->d, x, r->rounding, saturate);
  }
  if (type_is_float(r->s)) x = to_integral(x, r->rounding);
  if ((flags & SK__V_CAST_TRUNCATE) == 0 || isinf(x) || isnan(x)) return clamp_to(r->d, x);
  if (!type_is_float(r->s)) return low_bits(r->d, to_int(r->s, a));
  x = fmodl(x, 0x1p64L); /* low 64 bits in two's complement */
  uint64_t magnitude = (uint64_t)fabsl(x);
  return low_bits(r->d, (int64_t)(x < 0 ? 0 - magnitude : magnitude));
}

/* ---- arithmetic ------------------------------------------------------------------------------------- */

static long double greater(long double a, long double b, bool want_max) {
  if (isnan(a) || isnan(b)) return (long double)NAN;
  if (a == b) return (signbit(a) != 0) == want_max ? b : a;
  return (a > b) == want_max ? a : b;
}
static long double relu(long double x) { return isnan(x) ? x : x > 0 ? x : 0.0L; }

static uint64_t float_op(const row *r, uint64_t ab, uint64_t bb, uint64_t db, uint64_t kb, bool saturate) {
  long double a = to_value(r->s, ab), b = to_value(r->s, bb), k = to_value(r->s, kb), x;
  long double d = type_is_float(r->d) ? to_value(r->d, db) : 0;
  type t = r->d;
/* A product on its way into a sum: rounded in the type of the destination. */
#define STEP(x) to_value(t, from_value(t, x, SK__ROUND_RINT, saturate))
  switch (r->op) {
    case OP_add: x = a + b; break;
    case OP_sub: x = a - b; break;
    case OP_mul: x = a * b; break;
    case OP_div: x = (long double)((double)a / (double)b); break;
    case OP_max: x = greater(a, b, true); break;
    case OP_min: x = greater(a, b, false); break;
    case OP_mul_add: x = STEP(a * d) + b; break;
    case OP_mul_add_relu: x = relu(STEP(a * d) + b); break;
    case OP_fma: x = STEP(a * b) + d; break;
    case OP_axpy: x = STEP(a * k) + d; break;
    case OP_add_relu: x = relu(a + b); break;
    case OP_sub_relu: x = relu(a - b); break;
    case OP_mul_cast_half2int8: case OP_mul_cast_half2uint8: x = a * b; break;
    case OP_add_scalar: x = a + k; break;
    case OP_sub_scalar: x = a - k; break;
    case OP_mul_scalar: x = a * k; break;
    case OP_max_scalar: x = greater(a, k, true); break;
    case OP_min_scalar: x = greater(a, k, false); break;
    case OP_leakyrelu: x = a > 0 ? a : a * k; break;
    case OP_exp: x = (long double)exp((double)a); break;
    case OP_log: x = (long double)log((double)a); break;
    case OP_sqrt: x = (long double)sqrt((double)a); break;
    case OP_rcp: x = 1.0L / a; break;
    case OP_rsqrt: x = 1.0L / sqrtl(a); break;
    case OP_relu: x = relu(a); break;
    default: x = (long double)NAN;
  }
  /* The float sum of a narrowing form is rounded before it is narrowed. */
  if (r->d == F16 && r->s == F32) x = to_value(F32, from_value(F32, x, SK__ROUND_RINT, false));
  if (!type_is_float(r->d)) {
    x = to_value(F32, from_value(F32, x, SK__ROUND_RINT, false));
    return clamp_to(r->d, to_integral(x, SK__ROUND_RINT));
  }
  return from_value(r->d, x, SK__ROUND_RINT, saturate);
}

static uint64_t int_op(const row *r, uint64_t ab, uint64_t bb, uint64_t kb, bool saturate) {
  int64_t a = to_int(r->s, ab), b = to_int(r->s, bb), k = to_int(r->s, kb), x = 0;
  uint32_t distance = (uint32_t)kb;
  bool wraps = true;
  switch (r->op) {
    case OP_add: x = a + b; break;
    case OP_sub: x = a - b; break;
    case OP_mul: x = a * b; break;
    case OP_add_scalar: x = a + k; break;
    case OP_sub_scalar: { /* the negative is formed in float */
      uint64_t minus = clamp_to(r->d, to_value(F32, from_value(F32, -(long double)k, SK__ROUND_RINT, false)));
      x = a + to_int(r->d, minus);
      break;
    }
    case OP_mul_scalar: x = a * k; break;
    case OP_max: x = a > b ? a : b; break;
    case OP_min: x = a < b ? a : b; break;
    case OP_max_scalar: x = a > k ? a : k; break;
    case OP_min_scalar: x = a < k ? a : k; break;
    case OP_and: x = a & b; break;
    case OP_or: x = a | b; break;
    case OP_not: x = ~a, wraps = false; break;
    case OP_relu: x = a > 0 ? a : 0; break;
    case OP_copy: x = a; break;
    case OP_shiftleft: return low_bits(r->d, (int64_t)((uint64_t)a << distance));
    case OP_shiftright: x = a >> distance; break;
    case OP_shiftright_round: x = (int64_t)floorl(ldexpl((long double)a, -(int)distance) + 0.5L), wraps = false; break;
    case OP_add_relu: case OP_sub_relu:
      x = r->op == OP_add_relu ? a + b : a - b;
      if (r->d == I16 && !saturate) x = (int16_t)x;
      return clamp_to(r->d, x > 0 ? x : 0);
    default: break;
  }
  return saturate && wraps ? clamp_to(r->d, x) : low_bits(r->d, x);
}

uint64_t reference(const row *r, uint64_t a, uint64_t b, uint64_t d, uint64_t k, uint32_t flags) {
  bool saturate = (flags & SK__V_FLOAT_SATURATE) != 0;
  if (r->is_conversion) return convert(r, a, flags);
  if (r->op == OP_duplicate) return low_bits(r->d, (int64_t)k);
  if (!type_is_float(r->s)) return int_op(r, a, b, k, (flags & SK__V_INT_SATURATE) != 0);
  if (r->op == OP_abs) { /* a sign bit is cleared, whatever the rest is */
    if (r->d == F32) return a & 0x7fffffffu;
    uint64_t rest = a & 0x7fffu;
    if (rest > 0x7c00) return saturate ? 0 : rest | 0x200;
    return saturate && rest == 0x7c00 ? 0x7bff : rest;
  }
  return float_op(r, a, b, d, k, saturate);
}

uint64_t scalar_for(const row *r, uint64_t random) {
  if (r->op == OP_shiftleft || r->op == OP_shiftright || r->op == OP_shiftright_round)
    return random % (type_bits(r->d) + 1);
  return low_bits(r->shape == FILL ? r->d : r->s, (int64_t)random);
}
