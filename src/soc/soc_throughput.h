/* soc_throughput.h - how fast the vector and cube units are: cost = work / rate + startup of the pipe.
 *
 * Rates of architecture 2201. A row gives the elements done in `cycles` cycles, by element size. `given`
 * has the size in bytes as a bit where the rate is documented; the other cells follow from bytes per cycle
 * and are estimates. Between types of two sizes the wider one counts. */
#ifndef SK_SOC_SOC_THROUGHPUT_H
#define SK_SOC_SOC_THROUGHPUT_H

#include <stdint.h>

#include "soc/soc.h"

/*  name            given      b8   b16  b32  b64  cycles   instructions */
#define SK__VECTOR_RATE_LIST(X)                                                                            \
  X(ARITHMETIC,     2 | 4,     128, 128, 64,  32,  1, "add, sub, mul, max, min, abs, relu, rcp, rsqrt, leaky relu, and with a scalar") \
  X(TRANSCENDENTAL, 2 | 4,     32,  32,  32,  16,  1, "exp, ln, sqrt, div")                               \
  X(LOGIC,          2,         256, 128, 64,  32,  1, "and, or, not")                                      \
  X(SHIFT,          2 | 4,     128, 128, 64,  32,  1, "shifts")                                            \
  X(AXPY,           2 | 4,     128, 128, 64,  32,  1, "axpy; half into float counts as 32-bit")            \
  X(MUL_ADD_DST,    2 | 4,     64,  64,  32,  16,  1, "dst += src0 * src1; half into float counts as 32-bit") \
  X(FUSED_MUL_ADD,  2 | 4,     128, 128, 64,  32,  1, "dst = src0 * dst + src1, also with relu")           \
  X(MUL_CAST,       2,         128, 128, 64,  32,  1, "mul, then cast to 8 bits")                          \
  X(COMPARE,        2 | 4,     128, 128, 64,  32,  1, "compare, select")                                   \
  X(GATHER_MASK,    2 | 4,     64,  64,  32,  16,  1, "gather by mask")                                    \
  X(CAST,           1|2|4|8,   128, 128, 64,  32,  1, "conversions, by the wider type")                    \
  X(REDUCE_BLOCK,   2 | 4,     128, 128, 448, 224, 7, "reduction of each 32-byte block")                   \
  X(REDUCE_REPEAT,  2 | 4,     128, 128, 64,  32,  7, "reduction of each repeat")                          \
  X(REDUCE_PAIR,    2 | 4,     128, 128, 64,  32,  1, "reduction of adjacent pairs")                       \
  X(BROADCAST,      2 | 4,     8,   8,   8,   8,   1, "brcb; counts the inputs")                           \
  X(DUPLICATE,      2 | 4,     128, 128, 64,  32,  1, "duplicate, arithmetic progression")                 \
  X(SORT,           2 | 4,     2,   2,   2,   2,   1, "sort of 32, merge sort")                            \
  X(GATHER,         2 | 4,     5,   5,   5,   5,   1, "gather of elements")                                \
  X(GATHER_BLOCK,   2 | 4,     42,  42,  21,  10,  1, "gather of 32-byte blocks")                          \
  X(TRANSPOSE,      1 | 2 | 4, 256, 128, 64,  32,  1, "transpose, 5HD")                                    \
  X(COPY,           0,         256, 128, 64,  32,  1, "UB to UB")

typedef enum sk__vector_rate {
#define X(name, given, b8, b16, b32, b64, cycles, what) SK__RATE_##name,
  SK__VECTOR_RATE_LIST(X)
#undef X
  SK__VECTOR_RATES
} sk__vector_rate;

/* Cycles of the vector pipe for `elems` elements of elem_bytes (1, 2, 4 or 8; int4 data: 1), without the
 * startup. At least 1 for any work. */
static inline uint64_t sk__vector_cycles(sk__vector_rate rate, uint32_t elem_bytes, uint64_t elems) {
  static const uint16_t rates[SK__VECTOR_RATES][4] = {
#define X(name, given, b8, b16, b32, b64, cycles, what) {b8, b16, b32, b64},
    SK__VECTOR_RATE_LIST(X)
#undef X
  };
  static const uint8_t periods[SK__VECTOR_RATES] = {
#define X(name, given, b8, b16, b32, b64, cycles, what) cycles,
    SK__VECTOR_RATE_LIST(X)
#undef X
  };
  uint32_t size = elem_bytes >= 8 ? 3 : elem_bytes >= 4 ? 2 : elem_bytes >= 2 ? 1 : 0;
  uint32_t per_period = rates[rate][size];
  return (elems * periods[rate] + per_period - 1) / per_period;
}

/* The cube does 16 x 16 x k0 multiply-adds per cycle. Type of A and B, k0. */
#define SK__CUBE_K0_LIST(X) X(I4, 64) X(I8, 32) X(F16, 16) X(BF16, 16) X(F32, 4) X(HF32, 8)
enum {
#define X(name, k0) SK__CUBE_K0_##name = (k0),
  SK__CUBE_K0_LIST(X)
#undef X
};
static inline uint64_t sk__cube_cycles(uint32_t m, uint32_t n, uint32_t k, uint32_t k0) {
  return (uint64_t)((m + 15) / 16) * ((n + 15) / 16) * ((k + k0 - 1) / k0);
}

#endif
