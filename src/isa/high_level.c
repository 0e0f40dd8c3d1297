/* high_level.c - the high-level functions of the tensor API, each as one step on V.
 *
 * The framework composes them from vector instructions in ways that are not published; here the result is
 * the formula in double, rounded once to the element type, the footprint that of the operands, the clock a
 * few passes over the data. So results agree within the functions' accuracy, not bit for bit. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "isa/high_level.h"

/* ---- operands ------------------------------------------------------------------------------------ */

double sk__high_get(const void *from, uint32_t bits, uint64_t i) {
  if (bits == 16) return sk__f32_from_f16(((const uint16_t *)from)[i]);
  return ((const float *)from)[i];
}
void sk__high_put(void *to, uint32_t bits, uint64_t i, double value) {
  if (bits == 16) ((uint16_t *)to)[i] = sk__f16_from_f32((float)value, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  else ((float *)to)[i] = (float)value;
}

bool sk__high_operand(sk__core *core, void **operand, uint64_t bytes, sk__access kind, const char *name) {
  if (*operand == NULL || bytes == 0) return true;
  *operand = sk__ub_operand(core, *operand, bytes, SK__BLOCK_BYTES, name);
  if (*operand == NULL) return false;
  sk__local_access(core, SK__PIPE_V, kind, *operand, bytes);
  return true;
}

/* What the call computes in between is not modelled, so what it leaves there is a pattern that is no number. */
bool sk__high_scratch(sk__core *core, sk_scratch tmp, uint32_t least) {
  if (least == 0) return true;
  sk_memory memory = {(uint64_t)(uintptr_t)tmp.address, tmp.bytes};
  if (!tmp.given && !sk__pipe_rest(core, &memory)) return true; /* without a pipe nobody says what is in use */
  if (memory.bytes < least) {
    sk__instr_finding(core, "LOCAL_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR,
                      tmp.given ? "give it what its Get...TmpSize function tells" : "make the buffers smaller",
                      "%s has %llu bytes; legal: %u or more, what its Get...TmpSize function tells",
                      tmp.given ? "sharedTmpBuffer" : "the unified buffer beyond the pipe's buffers", (unsigned long long)memory.bytes, least);
    return false;
  }
  void *base = (void *)(uintptr_t)memory.address;
  if (!sk__high_operand(core, &base, least, SK__WRITE, "sharedTmpBuffer")) return false;
  memset(base, 0xff, least);
  return true;
}

bool sk_high_scratch(const char *name, uint32_t repeats, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, name, SK__SITE());
  return core != NULL && sk__high_scratch(core, tmp, repeats * SK_TMP_REPEAT_BYTES);
}

/* A pass over `elems` elements at 64 per cycle, `passes` times. */
void sk__high_time(sk__core *core, uint64_t elems, uint32_t passes) {
  sk__advance(core, SK__PIPE_V, passes * (sk__startup(core, SK__PIPE_V) + (elems + 63) / 64));
}

/* ---- elementwise --------------------------------------------------------------------------------- */

/* Derivative of the logarithm of the gamma function: recurrence up to 10, then the asymptotic series. */
static double digamma(double x) {
  double result = 0;
  if (x <= 0) {
    if (floor(x) == x) return NAN;
    return digamma(1 - x) - 3.14159265358979323846 / tan(3.14159265358979323846 * x);
  }
  for (; x < 10; x += 1) result -= 1 / x;
  double inverse = 1 / (x * x);
  return result + log(x) - 0.5 / x - inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse / 240)));
}

static double apply(sk_high_op op, double x, double y) {
  switch (op) {
#define X(name, half_repeats, float_repeats, reuse_repeats, formula) \
  case SK_HIGH_##name: return (formula);
    SK_HIGH_UNARY_LIST(X)
    SK_HIGH_BINARY_LIST(X)
#undef X
  }
  return NAN;
}

static const char *const op_names[] = {
#define X(name, half_repeats, float_repeats, reuse_repeats, formula) #name,
    SK_HIGH_UNARY_LIST(X) SK_HIGH_BINARY_LIST(X)
#undef X
};

static bool operands(sk__core *core, void **dst, void **src0, void **src1, uint64_t bytes) {
  return sk__high_operand(core, src0, bytes, SK__READ, "src0") && sk__high_operand(core, src1, bytes, SK__READ, "src1") &&
         sk__high_operand(core, dst, bytes, SK__WRITE, "dst");
}

void sk_high_elementwise(sk_high_op op, uint32_t float_bits, void *dst, const void *src0, const void *src1, double scalar,
                         uint32_t count, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, op_names[op], SK__SITE());
  if (core == NULL || count == 0) return;
  uint32_t repeats = sk_tmp_repeats(op, float_bits / 8, tmp.reuse, src0 == NULL || src1 == NULL);
  if (!sk__high_scratch(core, tmp, repeats * SK_TMP_REPEAT_BYTES)) return;
  uint64_t bytes = (uint64_t)count * float_bits / 8;
  void *d = dst, *a = (void *)(uintptr_t)src0, *b = (void *)(uintptr_t)src1;
  if (!operands(core, &d, &a, &b, bytes)) return;
  for (uint32_t i = 0; i < count; i++)
    sk__high_put(d, float_bits, i, apply(op, a != NULL ? sk__high_get(a, float_bits, i) : scalar, b != NULL ? sk__high_get(b, float_bits, i) : scalar));
  sk__high_time(core, count, 8);
}

void sk_high_swiglu(uint32_t float_bits, void *dst, const void *src0, const void *src1, double beta, uint32_t count, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "SwiGLU", SK__SITE());
  if (core == NULL || count == 0 || !sk__high_scratch(core, tmp, float_bits == 16 ? 6 * SK_TMP_REPEAT_BYTES : 0)) return;
  uint64_t bytes = (uint64_t)count * float_bits / 8;
  void *d = dst, *a = (void *)(uintptr_t)src0, *b = (void *)(uintptr_t)src1;
  if (!operands(core, &d, &a, &b, bytes)) return;
  for (uint32_t i = 0; i < count; i++) {
    double x = sk__high_get(a, float_bits, i), y = sk__high_get(b, float_bits, i);
    sk__high_put(d, float_bits, i, x * y / (1 + exp(-beta * y)));
  }
  sk__high_time(core, count, 6);
}

double sk__high_half(double value) {
  return sk__f32_from_f16(sk__f16_from_f32((float)value, SK__ROUND_RINT, SK__FLOAT_INF_NAN));
}
int8_t sk__high_int8(double value) {
  double rounded = rint(value);
  return (int8_t)(rounded != rounded ? 0 : rounded < -128 ? -128 : rounded > 127 ? 127 : rounded);
}

/* ---- shapes ------------------------------------------------------------------------------------------ */

static uint64_t elements(const uint32_t *shape, uint32_t dims) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < dims; i++) n *= shape[i];
  return n;
}

void sk_high_broadcast(uint32_t elem_bytes, void *dst, const void *src, const uint32_t *dst_shape, const uint32_t *src_shape,
                       uint32_t dims, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Broadcast", SK__SITE());
  if (core == NULL) return;
  for (uint32_t i = 0; i < dims; i++)
    if (src_shape[i] != 1 && src_shape[i] != dst_shape[i]) {
      sk__bad_argument(core, "a dimension of the source", src_shape[i], "1 or %u, that of the result", dst_shape[i]);
      return;
    }
  uint64_t total = elements(dst_shape, dims);
  uint32_t axis = dims == 2 && src_shape[1] == 1;
  sk_tmp_sizes need = sk_tmp_broadcast((uint32_t)elements(src_shape, dims), dims == 2 ? dst_shape[0] : 1, dst_shape[dims - 1], axis, elem_bytes);
  if (!sk__high_scratch(core, tmp, need.least)) return;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, elements(src_shape, dims) * elem_bytes, SK__READ, "src") ||
      !sk__high_operand(core, &d, total * elem_bytes, SK__WRITE, "dst"))
    return;
  for (uint64_t i = 0; i < total; i++) {
    uint64_t rest = i, from = 0, step = 1;
    for (uint32_t k = dims; k-- > 0; rest /= dst_shape[k], step *= src_shape[k])
      if (src_shape[k] != 1) from += rest % dst_shape[k] * step;
    memcpy((uint8_t *)d + i * elem_bytes, (const uint8_t *)s + from * elem_bytes, elem_bytes);
  }
  sk__high_time(core, total, 1);
}
