/* cube.h - what the cube's instruction files share: units, operands, clocks. */
#ifndef SK_ISA_CUBE_H
#define SK_ISA_CUBE_H

#include "ascendc/c_api/asc_cube.h"
#include "isa/move.h"
#include "isa/simd/cube_ops.h"

#define SK__FRACTAL_BYTES 512u
#define SK__L0C_ALIGN 64u
#define SK__L0C_FRACTAL_BYTES 1024u
#define SK__CUBE_SCRATCH_BYTES (1u << 20) /* of core->scratch */

static inline uint32_t sk__ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
static inline uint32_t sk__ceil_to(uint32_t a, uint32_t b) { return sk__ceil_div(a, b) * b; }

/* Elements of a fractal's row. */
static inline uint32_t sk__c0(uint32_t elem_bits) { return SK__BLOCK_BYTES * 8 / elem_bits; }

static inline void sk__advance_bytes(sk__core *core, sk__pipe pipe, uint64_t bytes, uint32_t per_cycle) {
  sk__advance(core, pipe, sk__startup(core, pipe) + (bytes + per_cycle - 1) / per_cycle);
}

/* Unit flags (cube_mmad.c): the bit of each 512-byte block of L0C. `set` is what the instruction waits
 * for not: Mmad waits for 0, Fixpipe for 1. mode 0 off, 2 keep, 3 flip; false: reported. */
bool sk__unit_flag_wait(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes);
void sk__unit_flag_done(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes);

#endif
