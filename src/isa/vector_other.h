/* vector_other.h - shared by the vector instructions that are not elementwise (private to this folder). */
#ifndef SK_ISA_VECTOR_OTHER_H
#define SK_ISA_VECTOR_OTHER_H

#include "isa/isa.h"
#include "soc/soc_throughput.h"

/* Entry points: "asc_<op>" and its form with a full barrier behind it. */
#define SK__NAME(op) "asc_" #op
#define SK__NAME_SYNC(op) "asc_" #op "_sync"

/* The two entry points of an instruction without a count form; the work is the static function `op`. */
#define SK__OWN_FORM(op, tag, PARAMS, ...)                                           \
  void sk_##op##_##tag##_h PARAMS {                                                  \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(op), SK__SITE());       \
    if (core != NULL) op(core, __VA_ARGS__);                                         \
  }                                                                                  \
  void sk_##op##_##tag##_hs PARAMS {                                                 \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME_SYNC(op), SK__SITE());  \
    if (core == NULL) return;                                                        \
    op(core, __VA_ARGS__);                                                           \
    sk__pipe_barrier(core, SK__PIPE_ALL);                                            \
  }

/* Clock of the vector pipe: start-up, then elements at the documented rate. */
static inline void sk__vector_time(sk__core *core, sk__vector_rate rate, uint32_t elem_bytes, uint64_t elems) {
  sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + sk__vector_cycles(rate, elem_bytes, elems));
}

/* Destination and source must not share bytes: a finding and true if they do. */
bool sk__overlap_found(sk__core *core, const void *dst, uint64_t dst_bytes, const void *src, uint64_t src_bytes,
                       const char *src_name);

/* An operand with strides in 32-byte blocks. */
static inline sk__stream sk__stream_of(const void *base, uint32_t elem_bits, uint32_t block_stride,
                                       uint32_t repeat_stride) {
  return (sk__stream){(uint8_t *)(uintptr_t)base, elem_bits, block_stride * SK__BLOCK_BYTES,
                      repeat_stride * SK__BLOCK_BYTES};
}

/* The operands of an instruction of two sources, as sk__stream_of made them: their bases are resolved, their accesses judged.
 * false: a finding was reported. */
bool sk__take_two_sources(sk__core *core, const sk__iterations *it, sk__stream *dst, sk__stream *src0, sk__stream *src1);

#endif
