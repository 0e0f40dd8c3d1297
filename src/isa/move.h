/* move.h - what all data movement instructions share: bursts, their merging, footprint and cost. */
#ifndef SK_ISA_MOVE_H
#define SK_ISA_MOVE_H

#include "isa/isa.h"

#define SK__MAX_BURSTS 4095u

/* n bursts of `bytes` bytes; steps are bytes from the start of one burst to the start of the next. */
typedef struct sk__bursts {
  uint64_t n, bytes, src_step, dst_step;
} sk__bursts;

/* Bursts and gaps in 32-byte blocks (the M form). */
static inline sk__bursts sk__bursts_blocks(uint32_t n, uint32_t len, uint32_t src_gap, uint32_t dst_gap) {
  return (sk__bursts){n, (uint64_t)len * SK__BLOCK_BYTES, (uint64_t)(len + src_gap) * SK__BLOCK_BYTES,
                      (uint64_t)(len + dst_gap) * SK__BLOCK_BYTES};
}
/* The whole blocks of `size` bytes (the Z form). */
static inline sk__bursts sk__bursts_size(uint32_t size) {
  uint64_t bytes = size / SK__BLOCK_BYTES * SK__BLOCK_BYTES;
  return (sk__bursts){bytes != 0, bytes, bytes, bytes};
}
static inline uint64_t sk__bursts_extent(uint64_t n, uint64_t bytes, uint64_t step) {
  return n == 0 ? 0 : (n - 1) * step + bytes;
}
/* Neighbouring bursts become one where both sides are contiguous. */
static inline sk__bursts sk__bursts_merge(sk__bursts b) {
  if (b.n > 1 && b.src_step == b.bytes && b.dst_step == b.bytes) b = (sk__bursts){1, b.n * b.bytes, 0, 0};
  return b;
}

/* Footprint of n pieces, one call where they are contiguous. */
static inline void sk__bursts_access(sk__core *core, sk__pipe pipe, sk__access kind, const void *address,
                                     uint64_t n, uint64_t bytes, uint64_t step) {
  if (n == 1 || step == bytes)
    sk__local_access(core, pipe, kind, address, n * bytes);
  else
    sk__local_access_strided(core, pipe, kind, address, n, bytes, step);
}

/* A memory of the running core as an operand; UB takes the inline way. NULL: reported. */
static inline void *sk__operand(sk__core *core, sk__mem mem, const void *pointer, uint64_t bytes, uint32_t align,
                                const char *operand) {
  if (mem == SK__MEM_UB) return sk__ub_operand(core, pointer, bytes, align, operand);
  return sk__local_operand(core, mem, pointer, bytes, align, operand);
}

/* The three kinds of transfer: bounds, work, footprint and clock. align is that of the local side. */
void sk__move_gm_to_local(sk__core *core, sk__pipe pipe, sk__mem mem, void *dst, const void *src, sk__bursts bursts,
                          uint32_t align);
void sk__move_local_to_gm(sk__core *core, sk__pipe pipe, sk__mem mem, void *dst, const void *src, sk__bursts bursts,
                          uint32_t align);
void sk__move_local(sk__core *core, sk__pipe pipe, sk__mem dst_mem, void *dst, uint32_t dst_align, sk__mem src_mem,
                    const void *src, uint32_t src_align, sk__bursts bursts, uint32_t bytes_per_cycle);

/* n is the burst count of an instruction: 0 is nothing (false, silently), too many is a finding. */
bool sk__bursts_legal(sk__core *core, uint32_t n, uint64_t len);

/* Clock of a GM transfer: bytes over bandwidth, plus the latency when the pipe had run dry. */
void sk__advance_gm(sk__core *core, sk__pipe pipe, uint64_t bytes, bool is_read);

/* "_sync": a full barrier after the instruction. */
static inline void sk__full_barrier(sk__core *core) { sk__pipe_barrier(core, SK__PIPE_ALL); }

#endif
