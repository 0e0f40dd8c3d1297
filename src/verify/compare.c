/* compare.c - how two buffers differ: bit-exact first, then by element type within its thresholds. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/verify.h"

const char *sk__dtype_name(sk__dtype dtype) {
  static const char *const names[] = {
#define X(name, text, bytes) text,
      SK__DTYPE_LIST(X)
#undef X
  };
  return names[dtype];
}

uint32_t sk__dtype_bytes(sk__dtype dtype) {
  static const uint32_t sizes[] = {
#define X(name, text, bytes) bytes,
      SK__DTYPE_LIST(X)
#undef X
  };
  return sizes[dtype];
}

sk__dtype sk__dtype_of_text(const char *type) {
  /* Longer spellings first: "uint8_t" holds "int8_t". GM_ADDR and uint8_t * carry any type. */
  static const struct { const char *text; sk__dtype dtype; } table[] = {
      {"bfloat16", SK__DTYPE_BF16}, {"float16", SK__DTYPE_F16}, {"half", SK__DTYPE_F16}, {"float", SK__DTYPE_F32},
      {"uint64_t", SK__DTYPE_U64},  {"int64_t", SK__DTYPE_I64}, {"uint32_t", SK__DTYPE_U32},
      {"int32_t", SK__DTYPE_I32},   {"uint16_t", SK__DTYPE_U16}, {"int16_t", SK__DTYPE_I16},
      {"uint8_t", SK__DTYPE_BYTES}, {"int8_t", SK__DTYPE_I8},   {"int", SK__DTYPE_I32},
  };
  if (type == NULL) return SK__DTYPE_BYTES;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strstr(type, table[i].text) != NULL) return table[i].dtype;
  return SK__DTYPE_BYTES;
}

/* Element i as a double (64-bit integers lose low bits; only differences are reported from it). */
static double element(sk__dtype dtype, const void *data, uint64_t i) {
#define READ(type)                                               \
  do {                                                           \
    type value;                                                  \
    memcpy(&value, (const char *)data + i * sizeof value, sizeof value); \
    return (double)value;                                        \
  } while (0)
  uint16_t half;
  switch (dtype) {
    case SK__DTYPE_F32: READ(float);
    case SK__DTYPE_F16:
    case SK__DTYPE_BF16:
      memcpy(&half, (const char *)data + i * 2, 2);
      return (double)(dtype == SK__DTYPE_F16 ? sk__f32_from_f16(half) : sk__f32_from_bf16(half));
    case SK__DTYPE_I8: READ(int8_t);
    case SK__DTYPE_I16: READ(int16_t);
    case SK__DTYPE_U16: READ(uint16_t);
    case SK__DTYPE_I32: READ(int32_t);
    case SK__DTYPE_U32: READ(uint32_t);
    case SK__DTYPE_I64: READ(int64_t);
    case SK__DTYPE_U64: READ(uint64_t);
    case SK__DTYPE_BYTES:
    case SK__DTYPE_U8: break;
  }
  READ(uint8_t);
#undef READ
}

static bool is_float(sk__dtype dtype) {
  return dtype == SK__DTYPE_F32 || dtype == SK__DTYPE_F16 || dtype == SK__DTYPE_BF16;
}

/* Position of a float on the number line of its type, so that neighbours differ by one. */
static int64_t position(sk__dtype dtype, const void *data, uint64_t i) {
  if (dtype == SK__DTYPE_F32) {
    int32_t bits;
    memcpy(&bits, (const char *)data + i * 4, 4);
    return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
  }
  int16_t bits;
  memcpy(&bits, (const char *)data + i * 2, 2);
  return bits < 0 ? -(int64_t)(bits & INT16_MAX) : bits;
}

/* Relative threshold of a type: a few units in the last place. */
static double threshold(sk__dtype dtype) {
  switch (dtype) {
    case SK__DTYPE_F32: return 0x1p-20;
    case SK__DTYPE_F16: return 0x1p-9;
    default: return 0x1p-6; /* bfloat16 */
  }
}

static bool within(sk__dtype dtype, double reference, double other) {
  if (isnan(reference) && isnan(other)) return true;
  if (!is_float(dtype) || !isfinite(reference) || !isfinite(other)) return reference == other;
  return fabs(reference - other) <= threshold(dtype) * fmax(fabs(reference), 0x1p-14);
}

static void add_element(sk__difference *out, const void *reference, const void *other, uint64_t i) {
  double a = element(out->dtype, reference, i), b = element(out->dtype, other, i);
  if (out->differing++ == 0) {
    out->first_index = i;
    out->first_reference = a;
    out->first_other = b;
  }
  double gap = fabs(a - b);
  if (isfinite(gap)) {
    if (gap > out->max_abs) out->max_abs = gap;
    double relative = a != 0.0 ? gap / fabs(a) : INFINITY;
    if (relative > out->max_rel) out->max_rel = relative;
  }
  if (is_float(out->dtype)) {
    int64_t ulp = position(out->dtype, reference, i) - position(out->dtype, other, i);
    uint64_t distance = (uint64_t)(ulp < 0 ? -ulp : ulp);
    if (distance > out->max_ulp) out->max_ulp = distance;
  } else if (gap == 1.0) {
    out->ties++;
  }
  if (!within(out->dtype, a, b)) out->match = SK__DIFFERENT;
}

void sk__compare(sk__dtype dtype, const void *reference, const void *other, uint64_t bytes, sk__difference *out) {
  memset(out, 0, sizeof *out);
  uint32_t size = sk__dtype_bytes(dtype);
  if (bytes % size != 0) {
    dtype = SK__DTYPE_BYTES;
    size = 1;
  }
  out->dtype = dtype;
  out->elements = bytes / size;
  if (memcmp(reference, other, bytes) == 0) return;
  out->match = SK__WITHIN_TOLERANCE;
  for (uint64_t i = 0; i < out->elements; i++)
    if (memcmp((const char *)reference + i * size, (const char *)other + i * size, size) != 0)
      add_element(out, reference, other, i);
}
