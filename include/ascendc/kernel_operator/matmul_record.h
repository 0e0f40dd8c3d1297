/* matmul_record.h - a Matmul object as the library sees it: operands, tiling, and where it has got to. C and C++. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_RECORD_H
#define SK_KERNEL_OPERATOR_MATMUL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* Fields of TCubeTiling, all int32_t, in order. */
#define SK_CUBE_TILING_LIST(X)                                                                                    \
  X(usedCoreNum) X(M) X(N) X(Ka) X(Kb) X(singleCoreM) X(singleCoreN) X(singleCoreK) X(baseM) X(baseN) X(baseK)    \
  X(depthA1) X(depthB1) X(stepM) X(stepN) X(isBias) X(transLength) X(iterateOrder) X(shareMode) X(shareL1Size)    \
  X(shareL0CSize) X(shareUbSize) X(batchM) X(batchN) X(singleBatchM) X(singleBatchN) X(stepKa) X(stepKb)          \
  X(depthAL1CacheUB) X(depthBL1CacheUB) X(dbL0A) X(dbL0B) X(dbL0C) X(ALayoutInfoB) X(ALayoutInfoS)                \
  X(ALayoutInfoN) X(ALayoutInfoG) X(ALayoutInfoD) X(BLayoutInfoB) X(BLayoutInfoS) X(BLayoutInfoN)                 \
  X(BLayoutInfoG) X(BLayoutInfoD) X(CLayoutInfoB) X(CLayoutInfoS1) X(CLayoutInfoN) X(CLayoutInfoG)                \
  X(CLayoutInfoS2) X(BatchNum)

typedef struct sk_cube_tiling {
#define X(name) int32_t name;
  SK_CUBE_TILING_LIST(X)
#undef X
} sk_cube_tiling;

typedef enum sk_matmul_element {
  SK_MATMUL_F16, SK_MATMUL_BF16, SK_MATMUL_F32, SK_MATMUL_I8, SK_MATMUL_I4, SK_MATMUL_I32, SK_MATMUL_U8
} sk_matmul_element;
typedef enum sk_matmul_format { SK_MATMUL_ND, SK_MATMUL_NZ, SK_MATMUL_ND_ALIGN, SK_MATMUL_VECTOR } sk_matmul_format;

/* How the matrices of a batch lie in device memory; b batches, s rows, n heads, g groups, d columns. */
typedef enum sk_matmul_layout { SK_MATMUL_ONE, SK_MATMUL_BSNGD, SK_MATMUL_SBNGD, SK_MATMUL_BNGS1S2, SK_MATMUL_NORMAL } sk_matmul_layout;

/* One of the inputs. Device memory or L1; inputs in the vector core's buffer are brought there by the service. */
typedef struct sk_matmul_operand {
  uint64_t address;   /* 0: not given yet */
  uint8_t element, format, layout;
  bool transposed;
  bool in_l1;         /* the matrix of the single shape stands there, in Nz */
  bool scalar;        /* no matrix: `value` everywhere, as the bits of an element; the address says that it is given */
  uint32_t value;
  int32_t rows, pitch; /* as it is stored, where it is a matrix of its own; 0: part of the whole matrix */
  uint32_t elems;     /* of the tensor in the vector core's buffer that a batch was given; 0: not from there */
} sk_matmul_operand;

/* Where results go. */
typedef struct sk_matmul_target {
  uint64_t address;   /* 0: the service's own memory, from where the vector core fetches the tile */
  uint8_t element, format;
  uint8_t atomic;     /* 0 none, 1 add, 2 max, 3 min */
  bool sequential;    /* the tile stands alone, its rows one after the other */
  bool channel_split; /* Nz of float: fractals of 8 columns */
  int32_t rows, pitch; /* of the matrix it is part of; 0: those of the whole C */
} sk_matmul_target;

/* What a function that takes a tile out of L0C is told: AscendC::DataCopyOutParams. */
typedef struct sk_matmul_out {
  uint16_t cBurstNum; /* columns of 16 */
  uint16_t burstLen;  /* a column of 16 in L0C, in 32 bytes */
  uint16_t srcStride;
  uint32_t dstStride; /* ND: elements from row to row; NZ: 32 bytes from column to column */
  uint16_t oriNSize;  /* ND: columns of the tile; NZ: 0 */
  bool enUnitFlag;
  uint64_t quantScalar, cbufWorkspaceAddr;
} sk_matmul_out;

/* A kernel's own functions in place of the copies in and out; NULL: none. They run on the cube core. */
typedef struct sk_matmul_functions {
  void (*copy_a)(uint64_t l1, uint32_t bytes, uint64_t gm, int32_t row, int32_t column, int32_t rows, int32_t columns, uint64_t user,
                 uint64_t data);
  void (*copy_b)(uint64_t l1, uint32_t bytes, uint64_t gm, int32_t row, int32_t column, int32_t rows, int32_t columns, uint64_t user,
                 uint64_t data);
  void (*copy_out)(uint64_t gm, uint64_t l0c, uint32_t bytes, const sk_matmul_out *params, uint64_t user, uint64_t data);
} sk_matmul_functions;

typedef struct sk_matmul {
  sk_cube_tiling tiling;
  sk_matmul_operand a, b, bias;
  uint64_t quant_scalar, quant_vector;
  bool quant_given, quant_per_column, quant_in_l1;
  bool with_bias, hf32, hf32_toward_zero, ready;
  bool service;       /* the cube core does it on behalf of a vector core */
  int32_t org_m, org_n, org_ka, org_kb, org_kc;
  int32_t single_m, single_n, single_k;
  int32_t step;       /* tiles of the single shape that Iterate has passed */
  bool kept;          /* the latest one stands in L0C: partial sums */
  uint8_t number;     /* among the objects registered together */
  uint8_t triangle;   /* 1: tiles below the diagonal are left out, 2: those above */
  bool partial_output; /* Iterate gives each piece of K by itself */
  bool dual_master;   /* both kinds of cores run the kernel's code; the cube core computes */
  uint64_t sparse_index; /* B is dense 4:2 with this index, in Nz; 0: it is not */
  const sk_matmul_functions *functions;
  uint64_t user, data; /* for them */
  void *pipe;         /* the living TPipe of the core that computes; its L1 and L0C serve all its Matmul objects */
  uint64_t l0c;       /* where the tile is computed, 0: in that memory */
} sk_matmul;

/* A call over several matrices of a layout. */
typedef struct sk_matmul_batch {
  uint8_t c_layout;
  bool bias_per_batch, partial;
  uint32_t batch_a, batch_b;
  uint32_t loops;      /* so many calls, one after the other */
  uint32_t stride_a, stride_b; /* elements from matrix to matrix; 0: as the layout says */
} sk_matmul_batch;

/* What a vector core asks of the service. */
typedef enum sk_matmul_order {
  SK_MATMUL_QUIT, SK_MATMUL_TILE, SK_MATMUL_ALL, SK_MATMUL_BATCH, SK_MATMUL_LOAD,
  SK_MATMUL_KEEP, SK_MATMUL_ADD /* a tile that stays in L0C, and one that is added to it */
} sk_matmul_order;

/* A copy to L1 that a vector core asks for: bursts, or rows to Nz. */
typedef struct sk_matmul_load {
  uint64_t to, from;
  bool to_nz, from_ub;
  uint32_t count, length_blocks, src_gap_blocks, dst_gap_blocks;
  uint32_t elem_bytes, matrices, rows, columns, src_matrix, src_row, c0_stride, row_stride, nz_matrix;
} sk_matmul_load;

typedef struct sk_matmul_message {
  uint8_t order;
  const void *site;   /* the call it stands for */
  sk_matmul matmul;
  sk_matmul_target target;
  sk_matmul_batch batch;
  sk_matmul_load load;
} sk_matmul_message;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Part of REGIST_MATMUL_OBJ. tiling NULL: Init follows. */
void sk_matmul_init(sk_matmul *matmul, const void *tiling, void *pipe, bool service);
/* An input; `local` says that it stands in the vector core's buffer. */
void sk_matmul_give(sk_matmul *matmul, sk_matmul_operand *operand, const void *address, bool local, bool transposed);
/* Matrices of a batch in the vector core's buffer, as they would lie in device memory. */
void sk_matmul_give_batch(sk_matmul *matmul, sk_matmul_operand *operand, const void *address, uint32_t elems, bool transposed);
void sk_matmul_give_l1(sk_matmul *matmul, sk_matmul_operand *operand, const void *address, bool transposed);
void sk_matmul_give_scalar(sk_matmul *matmul, sk_matmul_operand *operand, uint32_t value);
void sk_matmul_shape(sk_matmul *matmul, int32_t m, int32_t n, int32_t k);
bool sk_matmul_iterate(sk_matmul *matmul, bool partial);
/* The tile of the last Iterate; `ub`: into the vector core's buffer. */
void sk_matmul_get(sk_matmul *matmul, const sk_matmul_target *target, void *ub);
/* wait: for the end of it; later: the caller does so by sk_matmul_wait, which with two masters must be known. */
void sk_matmul_all(sk_matmul *matmul, const sk_matmul_target *target, void *ub, bool wait, bool later);
void sk_matmul_batches(sk_matmul *matmul, const sk_matmul_batch *batch, const sk_matmul_target *target, void *ub, bool wait);
/* Elements of C that one call of a batch writes, gaps of the layout left out. */
uint64_t sk_matmul_batch_elems(const sk_matmul *matmul, const sk_matmul_batch *batch, const sk_matmul_target *target);
/* What call number `taken` left in the workspace at `target`, into the vector core's buffer. */
void sk_matmul_batch_take(sk_matmul *matmul, const sk_matmul_batch *batch, const sk_matmul_target *target, uint64_t taken, void *ub);
void sk_matmul_wait(sk_matmul *matmul);
void sk_matmul_end(sk_matmul *matmul);
/* The service: the cube core runs it until its vector cores have quit. functions: of each object, NULL where it has none. */
void sk_matmul_serve(uint64_t workspace, uint32_t objects, const sk_matmul_functions *const *functions);
void sk_matmul_begin_client(uint64_t workspace, uint32_t objects);
void sk_matmul_quit(void);
/* TSCM of a vector core: a copy into its cube core's L1, done by the service. */
void sk_matmul_load_l1(const char *name, const sk_matmul_load *load);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
