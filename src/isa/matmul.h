/* matmul.h - shared by the two files of the Matmul object (private to this folder). */
#ifndef SK_ISA_MATMUL_H
#define SK_ISA_MATMUL_H

#include "isa/isa.h"
#include "kernel_operator/matmul_record.h"

/* The call of the kernel that a step belongs to. */
typedef struct sk__matmul_call { sk__core *core; const char *name; const void *site; } sk__matmul_call;

/* Tiles of the single shape. */
uint32_t sk__matmul_tiles(const sk_matmul *matmul);
typedef struct sk__matmul_area { int32_t m, n, rows, columns; } sk__matmul_area;
sk__matmul_area sk__matmul_area_of(const sk_matmul *matmul, uint32_t step);
/* Everything there that a tile needs; false: a finding said what is missing. */
bool sk__matmul_complete(const sk__matmul_call *call, const sk_matmul *matmul);
/* Memory of the cube core for this tiling, kept in the record. */
void sk__matmul_take_memory(const sk__matmul_call *call, sk_matmul *matmul);
/* Tile number `step` into L0C, added to what stands there if `keep`; L0C to its place in the result. */
void sk__matmul_compute(const sk__matmul_call *call, const sk_matmul *matmul, uint32_t step, bool keep);
void sk__matmul_store(const sk__matmul_call *call, const sk_matmul *matmul, uint32_t step, const sk_matmul_target *target);

uint32_t sk__matmul_bits(uint32_t element);
/* Elements from row to row of a result that stands alone: whole blocks of 32 bytes. */
uint32_t sk__matmul_pitch(uint32_t columns, uint32_t element);

#endif
