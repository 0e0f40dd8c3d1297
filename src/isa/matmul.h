/* matmul.h - shared by the files of the Matmul object (private to this folder). */
#ifndef SK_ISA_MATMUL_H
#define SK_ISA_MATMUL_H

#include "isa/isa.h"
#include "kernel_operator/matmul_record.h"

/* The call of the kernel that a step belongs to. */
typedef struct sk__matmul_call { sk__core *core; const char *name; const void *site; } sk__matmul_call;
static inline sk__matmul_call sk__matmul_begin(const char *name, const void *site) {
  return (sk__matmul_call){sk__enter(SK__PIPE_S, name, site), name, site};
}

/* ---- a tile (matmul.c) ---------------------------------------------------------------------------- */

uint32_t sk__matmul_bits(uint32_t element);
/* Elements from row to row of a result that stands alone: whole blocks of 32 bytes. */
uint32_t sk__matmul_pitch(uint32_t columns, uint32_t element);

/* Steps of the single shape: tiles, or their pieces of K where each is given by itself. */
uint32_t sk__matmul_steps(const sk_matmul *matmul);
typedef struct sk__matmul_area { int32_t m, n, rows, columns; } sk__matmul_area;
sk__matmul_area sk__matmul_area_of(const sk_matmul *matmul, uint32_t step);
/* Everything there that a tile needs; false: a finding said what is missing. */
bool sk__matmul_complete(const sk__matmul_call *call, const sk_matmul *matmul);
/* Memory of the cube core for this tiling, kept in its pipe; whole_l0c: two vector cores share it, a half each. */
void sk__matmul_take_memory(const sk__matmul_call *call, const sk_matmul *matmul, bool whole_l0c);
uint32_t sk__matmul_tile_bytes(const sk_matmul *matmul);
/* Step number `step` into L0C, added to what stands there if `keep`; L0C to its place in the result. */
void sk__matmul_compute(const sk__matmul_call *call, const sk_matmul *matmul, uint32_t step, bool keep);
void sk__matmul_store(const sk__matmul_call *call, const sk_matmul *matmul, uint32_t step, const sk_matmul_target *target);
/* Computes and stores them all, one after the other. */
void sk__matmul_run(const sk__matmul_call *call, const sk_matmul *matmul, const sk_matmul_target *target);

/* ---- tiles that stay (matmul_l0c.c) ------------------------------------------------------------------ */

/* A tile that leaves L0C at once; one that stays; one that is added to what stays; no new one. */
typedef enum sk__matmul_use { SK__TILE_PASSES, SK__TILE_STAYS, SK__TILE_ADDS, SK__TILE_STORED } sk__matmul_use;
/* Memory for the call, and the place in L0C for a vector core's tile (0 for a cube core on its own); false: a finding said why not. */
bool sk__matmul_place_tile(const sk__matmul_call *call, sk_matmul *matmul, uint32_t vector_core, uint32_t vector_cores, sk__matmul_use use);
/* Partial sums are of one tile; false: a finding said so. */
bool sk__matmul_one_tile(const sk__matmul_call *call, const sk_matmul *matmul);

/* ---- pieces of inputs (matmul_load.c) --------------------------------------------------------------- */

/* A rectangle of an input as it is stored, and where it goes: Nz with `height` rows per column block, whole squares where loads
 * turn them. */
typedef struct sk__matmul_part {
  const sk_matmul_operand *from;
  int32_t row, rows, column, columns;
  int32_t all_rows, pitch; /* of the whole matrix */
  uint32_t height;
} sk__matmul_part;

/* A or B: the piece [outer.., k..]. */
sk__matmul_part sk__matmul_part_of(const sk_matmul *matmul, bool is_a, int32_t outer, int32_t outer_size, int32_t k, int32_t k_size);
/* Into L1, by the kernel's own function where it has one; from L1, where it is `piece`, into L0A or L0B. */
void sk__matmul_load_part(const sk__matmul_call *call, const sk_matmul *matmul, const sk__matmul_part *part, uint64_t to);
void sk__matmul_load_rows(const sk__matmul_call *call, const sk__matmul_part *part, int32_t row, int32_t rows, uint64_t to, uint32_t height);
void sk__matmul_load_a(const sk__matmul_call *call, const sk__matmul_part *part, uint64_t piece, uint64_t to, uint32_t m, uint32_t k);
void sk__matmul_load_b(const sk__matmul_call *call, const sk__matmul_part *part, uint64_t piece, uint64_t to, uint32_t n, uint32_t k);
/* Where a piece begins of an input that stands in L1 whole. */
uint64_t sk__matmul_in_l1(const sk__matmul_part *part);
/* Dense B with its index, into L1 and L0B. */
void sk__matmul_load_index(const sk__matmul_call *call, const sk_matmul *matmul, const sk__matmul_part *part, uint64_t to);
void sk__matmul_load_sparse(const sk__matmul_call *call, const sk__matmul_part *part, uint64_t piece, uint64_t index, uint64_t to);

/* Bytes of a piece in L1, and in L0 (rows of 16, turned squares whole). */
uint32_t sk__matmul_piece_bytes(uint32_t rows, uint32_t columns, uint32_t bits);
uint32_t sk__matmul_l0_bytes(uint32_t outer, uint32_t k, uint32_t bits);
/* Columns that Mmad computes: whole squares, where loads write those. */
uint32_t sk__matmul_n_computed(uint32_t n, uint32_t bits, bool turned);

/* ---- batches (matmul_batch.c) ------------------------------------------------------------------------ */

/* False: a finding said what is wrong. */
bool sk__matmul_batch_legal(const sk__matmul_call *call, const sk_matmul *matmul, const sk_matmul_batch *batch);
void sk__matmul_batch_run(const sk__matmul_call *call, const sk_matmul *matmul, const sk_matmul_batch *batch, const sk_matmul_target *target);
uint32_t sk__matmul_batch_results(const sk_matmul *matmul, const sk_matmul_batch *batch);
/* The target moved to result q. */
void sk__matmul_batch_place(const sk_matmul *matmul, const sk_matmul_batch *batch, sk_matmul_target *target, uint64_t q);

/* ---- a vector core and the service (matmul_client.c) ----------------------------------------------------- */

/* The two words in a vector core's slot that order goes with: its message, and the service's reply. */
uint64_t sk__matmul_message_word(sk__core *client);
uint64_t sk__matmul_reply_word(sk__core *client);
/* Sends, after the reply to the message before; waits for the reply. */
void sk__matmul_post(const sk__matmul_call *call, const sk_matmul_message *message);
void sk__matmul_await(sk__core *core);
/* An input in the vector core's own buffer goes to its slot, where the operand finds it; nothing, with a finding: no room. */
void sk__matmul_pass(const sk__matmul_call *call, const sk_matmul *matmul, sk_matmul_operand *operand, const void *address, uint64_t bytes);
/* Lets results of this size go to the slot; false, with a finding: no room. Then from there into the vector core's buffer. */
bool sk__matmul_through_slot(sk__core *core, sk_matmul_target *target, uint32_t rows, uint32_t columns);
void sk__matmul_fetch(sk__core *core, void *ub, uint32_t matrices, uint32_t rows, uint32_t columns, const sk_matmul_target *target);

#endif
