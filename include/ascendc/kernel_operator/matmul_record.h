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

/* One of the inputs. Device memory; inputs in the vector core's buffer are brought there by the service. */
typedef struct sk_matmul_operand {
  uint64_t address;   /* 0: not given yet */
  uint8_t element, format;
  bool transposed;
  int32_t rows, pitch; /* as it is stored, where it is a matrix of its own; 0: part of the whole matrix */
} sk_matmul_operand;

/* Where results go. */
typedef struct sk_matmul_target {
  uint64_t address;   /* 0: the service's own memory, from where the vector core fetches the tile */
  uint8_t element, format;
  uint8_t atomic;     /* 0 none, 1 add, 2 max, 3 min */
  bool sequential;    /* the tile stands alone, its rows one after the other */
  int32_t rows, pitch; /* of the matrix it is part of; 0: those of the whole C */
} sk_matmul_target;

typedef struct sk_matmul {
  sk_cube_tiling tiling;
  sk_matmul_operand a, b, bias;
  uint64_t quant_scalar, quant_vector;
  bool quant_given, quant_per_column;
  bool with_bias, hf32, hf32_toward_zero, ready;
  bool service;       /* the cube core does it on behalf of a vector core */
  int32_t org_m, org_n, org_ka, org_kb, org_kc;
  int32_t single_m, single_n, single_k;
  int32_t step;       /* tiles of the single shape that Iterate has passed */
  uint8_t number;     /* among the objects registered together */
  void *pipe;         /* the living TPipe of the core that computes */
  uint64_t l1, l0c;   /* memory taken from it, 0: none yet */
  uint32_t l1_bytes, l0c_bytes;
} sk_matmul;

/* What a vector core asks of the service. */
typedef enum sk_matmul_order { SK_MATMUL_QUIT, SK_MATMUL_TILE, SK_MATMUL_ALL } sk_matmul_order;
typedef struct sk_matmul_message {
  uint8_t order;
  const void *site;   /* the call it stands for */
  sk_matmul matmul;
  sk_matmul_target target;
} sk_matmul_message;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Part of REGIST_MATMUL_OBJ. tiling NULL: Init follows. */
void sk_matmul_init(sk_matmul *matmul, const void *tiling, void *pipe, bool service);
/* An input; `local` says that it stands in the vector core's buffer. */
void sk_matmul_give(sk_matmul *matmul, sk_matmul_operand *operand, const void *address, bool local, bool transposed);
void sk_matmul_shape(sk_matmul *matmul, int32_t m, int32_t n, int32_t k);
bool sk_matmul_iterate(sk_matmul *matmul, bool partial);
/* The tile of the last Iterate; `ub`: into the vector core's buffer. */
void sk_matmul_get(sk_matmul *matmul, const sk_matmul_target *target, void *ub);
void sk_matmul_all(sk_matmul *matmul, const sk_matmul_target *target, void *ub, bool wait);
void sk_matmul_wait(sk_matmul *matmul);
void sk_matmul_end(sk_matmul *matmul);
/* The service: the cube core runs it until its vector cores have quit. */
void sk_matmul_serve(uint64_t workspace, uint32_t objects);
void sk_matmul_begin_client(uint64_t workspace, uint32_t objects);
void sk_matmul_quit(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
