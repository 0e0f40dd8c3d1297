/* ops.h - the operator library: one declarative record per operator, launched through the acl runtime.
 *
 * The records live in libskops. A record lists tensors and attributes with what is legal; every operator is used
 * through the same three calls:
 *
 *   const sk_operator *op = sk_operator_find("Add");
 *   sk_tensor self = {x, SK_BF16, SK_ND, 2, {64, 128}}, other = {y, SK_BF16, SK_ND, 2, {64, 128}}, out = {0};
 *   const sk_tensor *inputs[] = {&self, &other};
 *   sk_call call = {.inputs = inputs, .input_count = 2, .outputs = &out, .output_count = 1, .stream = stream};
 *   sk_operator_plan(op, &call);      fills type and shape of `out`, and call.workspace_bytes
 *   out.data = ...; call.workspace = ...;
 *   sk_operator_launch(op, &call);
 *
 * Ownership: all tensors and the workspace are the caller's device memory and must live until the work has run; the
 * records are static. Errors: an aclError; aclGetRecentErrMsg() names the operator, the argument, its value and what
 * is legal. Threads: as for a kernel launch. */
#ifndef SUPERKERNEL_OPS_H
#define SUPERKERNEL_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SK_OPS_EXPORT __attribute__((visibility("default")))

/* Values of aclDataType: X(name, value, text, bytes of an element). */
#define SK_DTYPE_LIST(X)                                                                                       \
  X(SK_FLOAT, 0, "float32", 4) X(SK_FLOAT16, 1, "float16", 2) X(SK_INT8, 2, "int8", 1) X(SK_INT32, 3, "int32", 4) \
  X(SK_UINT8, 4, "uint8", 1) X(SK_INT16, 6, "int16", 2) X(SK_INT64, 9, "int64", 8) X(SK_UINT64, 10, "uint64", 8)  \
  X(SK_BOOL, 12, "bool", 1) X(SK_BF16, 27, "bfloat16", 2)
typedef enum sk_dtype {
#define X(name, value, text, bytes) name = value,
  SK_DTYPE_LIST(X)
#undef X
} sk_dtype;

/* Values of aclFormat. ND: row-major. FRACTAL_NZ: storage [.., ceil(N / C0), ceil(M / 16), 16, C0] of a logical [.., M, N];
 * C0 is 32 for 8-bit elements and 16 for others, or what the format's name says. */
typedef enum sk_format {
  SK_ND = 2, SK_FRACTAL_NZ = 29, SK_FRACTAL_NZ_C0_16 = 50, SK_FRACTAL_NZ_C0_32 = 51, SK_FRACTAL_NZ_C0_8 = 54
} sk_format;

#define SK_MAX_RANK 8
typedef struct sk_tensor {
  void *data;                 /* device memory, contiguous; may be NULL where nothing runs (sk_operator_plan) */
  sk_dtype dtype;
  sk_format format;           /* every value but those of FRACTAL_NZ is taken as row-major */
  uint32_t rank;              /* 0 to 8; 0 is one element */
  int64_t shape[SK_MAX_RANK]; /* logical, outermost first */
} sk_tensor;

typedef enum sk_attribute_kind { SK_INTEGER, SK_REAL } sk_attribute_kind;
/* Booleans are integers 0 and 1, types aclDataType numbers. An integer is taken where a real is wanted. */
typedef struct sk_attribute {
  const char *name;
  sk_attribute_kind kind;
  int64_t integer;
  double real;
} sk_attribute;

/* One use of an operator. Inputs stand in the record's order; NULL is an optional tensor that is not given, and those
 * at the end may be left out. Attributes come in any order; those left out have the record's default. */
typedef struct sk_call {
  const sk_tensor *const *inputs;
  uint32_t input_count;
  sk_tensor *outputs;
  uint32_t output_count;
  const sk_attribute *attributes;
  uint32_t attribute_count;
  uint32_t blocks;        /* most blocks to start; 0 = as many as the operator wants on this device */
  void *workspace;        /* device memory of at least workspace_bytes, 64-byte aligned; NULL when that is 0 */
  size_t workspace_bytes;
  void *stream;           /* NULL = default stream */
} sk_call;

#define SK_DTYPE_BIT(dtype) (UINT64_C(1) << (dtype))
typedef struct sk_operator_tensor {
  const char *name;
  const char *shape; /* for the reader: "[rows, columns]" */
  uint64_t dtypes;   /* legal types, a bit (SK_DTYPE_BIT) each */
  uint8_t least_rank, most_rank;
  bool optional;
  bool may_be_nz; /* stored as FRACTAL_NZ */
} sk_operator_tensor;
typedef struct sk_operator_attribute {
  const char *name;
  sk_attribute_kind kind;
  double otherwise;  /* the default */
  const char *legal; /* for the reader */
} sk_operator_attribute;

/* One record per operator: what `skv ops` prints, what calls are checked by, what tests are driven by. */
typedef struct sk_operator {
  const char *name;        /* GE operator type: "DynamicQuant" */
  const char *torch_name;  /* "npu_dynamic_quant", "add" */
  const char *kernel_type; /* "AIV", "AIC", "MIX 1:2" */
  const char *rule;        /* what it computes */
  const sk_operator_tensor *inputs, *outputs;
  const sk_operator_attribute *attributes;
  uint32_t input_count, output_count, attribute_count;
  const char *split; /* what is divided over the cores */
  const char *sync;  /* "none", "cross-core flags" ... */
  const struct sk_ops_code *code; /* the library's own */
} sk_operator;

/* All records, *count of them; static storage. */
SK_OPS_EXPORT const sk_operator *sk_operator_all(size_t *count);
/* By GE type or torch name; NULL when the library has none of that name. */
SK_OPS_EXPORT const sk_operator *sk_operator_find(const char *name);
/* Bytes of one element, 0 for a number that is no sk_dtype. */
SK_OPS_EXPORT size_t sk_dtype_bytes(sk_dtype dtype);
SK_OPS_EXPORT const char *sk_dtype_name(sk_dtype dtype);
/* Bytes of the tensor's storage: its elements, in FRACTAL_NZ with their padding. */
SK_OPS_EXPORT size_t sk_tensor_bytes(const sk_tensor *tensor);

/* Checks the call and fills dtype, format, rank and shape of its outputs and call->workspace_bytes. Reads no data and
 * starts nothing; `data` and `workspace` are left as they are. */
SK_OPS_EXPORT int sk_operator_plan(const sk_operator *op, sk_call *call);
/* Checks the call again and queues it on the stream. Outputs must have the type and shape of the plan, and memory;
 * they must not overlap inputs unless the record says so. Nothing is launched for outputs without elements. */
SK_OPS_EXPORT int sk_operator_launch(const sk_operator *op, const sk_call *call);

/* ---- the first two operators, by argument list ----------------------------------------------- */

/* Each queues one launch on `stream` and returns an aclError. blocks 0 = as many vector cores as the operator wants. */

/* Top-k of the softmax over the last dimension.
 * x [rows, experts] dtype; finished [rows] bool or NULL; y [rows, k] dtype; expert_idx, row_idx [rows, k] int32.
 * 1 <= k <= min(experts, 1024); row_idx[i][j] = i + j * rows; finished rows get expert_idx = experts. */
SK_OPS_EXPORT int sk_moe_gating_top_k_softmax(const void *x, const uint8_t *finished, void *y, int32_t *expert_idx,
                                              int32_t *row_idx, uint32_t rows, uint32_t experts, uint32_t k,
                                              sk_dtype dtype, uint32_t blocks, void *stream);
/* Per-row quantisation to int8: y = rint(x * smooth * 127 / m), scale = 1 / (127 / m), m = max |x * smooth|.
 * x [rows, columns] dtype (half or bfloat16); smooth [columns] (or [groups, columns]) dtype or NULL;
 * group_index [groups] int32 cumulative end rows or NULL; y [rows, columns] int8; scale [rows] float.
 * dst_bits 8, or 4: y is [rows, columns / 8] int32 holding signed nibbles. */
SK_OPS_EXPORT int sk_dynamic_quant(const void *x, const void *smooth, const int32_t *group_index, void *y, float *scale,
                                   uint32_t rows, uint32_t columns, uint32_t groups, sk_dtype dtype, uint32_t dst_bits,
                                   uint32_t blocks, void *stream);

#ifdef __cplusplus
}
#endif
#endif
