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

/* ---- instructions without their begin: for steps of the library that consist of several ------- */

/* GM to L1, rows to Nz. */
typedef struct sk__nd2nz {
  uint32_t elem_bytes, nd_num, rows, columns;
  uint32_t src_matrix, src_row;              /* strides in elements */
  uint32_t c0_stride, row_stride, nz_matrix; /* 32-byte units, 32-byte units, elements */
} sk__nd2nz;
void sk__nd2nz_run(sk__core *core, const sk__nd2nz *p, void *dst, const void *src);
/* L1 to L0A or L0B: fractals as they are, and squares of them turned. */
void sk__l1_fractals(sk__core *core, sk__mem mem, void *dst, const void *src, SK_ARGS_FRACTALS);
void sk__l1_transposed(sk__core *core, sk__mem mem, uint32_t bits, void *dst, const void *src, SK_ARGS_TRANS);
void sk__l1_words_turned(sk__core *core, sk__mem mem, void *dst, const void *src, uint32_t blocks, uint64_t block_bytes,
                         uint32_t square_step, uint32_t part_step);
void sk__l1_to_bt(sk__core *core, uint64_t dst, const void *src, uint32_t conv_control, sk__bursts b);
void sk__l1_to_fb(sk__core *core, void *dst, const void *src, sk__bursts b);
void sk__mmad_run(sk__core *core, sk_mmad_type type, void *c, const void *a, const void *b, const void *bias, uint32_t m,
                  uint32_t k, uint32_t n, uint32_t unit_flag, bool align_k, bool from_bias, bool from_zero);
typedef enum sk__fix_element {
  SK__FIX_F16, SK__FIX_BF16, SK__FIX_F32, SK__FIX_I8, SK__FIX_U8, SK__FIX_I16, SK__FIX_I32
} sk__fix_element;
void sk__fix(sk__core *core, sk__fix_element to, sk__fix_element from, bool to_l1, void *dst, const void *src, SK_ARGS_FIX);

/* Unit flags (cube_mmad.c): the bit of each 512-byte block of L0C. `set` is what the instruction waits
 * for not: Mmad waits for 0, Fixpipe for 1. mode 0 off, 2 keep, 3 flip; false: reported. */
bool sk__unit_flag_wait(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes);
void sk__unit_flag_done(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes);

#endif
