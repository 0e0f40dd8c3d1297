/* ops.h - the operator library: one declarative record per operator, launched through the acl runtime.
 *
 * The records live in libskops; each names its kernel, computes its tiling on the host and queues one
 * launch on a stream. Shapes and rules: the record's own text. */
#ifndef SUPERKERNEL_OPS_H
#define SUPERKERNEL_OPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SK_OPS_EXPORT __attribute__((visibility("default")))

/* One record per operator: what `skv ops` prints and what tests and benchmarks are driven by. */
typedef struct sk_operator {
  const char *name;       /* GE operator type: "DynamicQuant" */
  const char *torch_name; /* "npu_dynamic_quant" */
  const char *kernel_type; /* "AIV", "AIC", "MIX 1:2" */
  const char *inputs;     /* names, dtypes, shapes */
  const char *outputs;
  const char *attributes; /* names with legal ranges */
  const char *split;      /* what is divided over the cores */
  const char *sync;       /* "none", "SyncAll" ... */
} sk_operator;
/* All records, *count of them; static storage. */
SK_OPS_EXPORT const sk_operator *sk_operator_all(size_t *count);

typedef enum sk_dtype { SK_FLOAT = 0, SK_FLOAT16 = 1, SK_BF16 = 27 } sk_dtype; /* values of aclDataType */

/* All calls queue one launch on `stream` (NULL = default) and return an aclError; the text of a refusal
 * (which argument, the legal values) is in aclGetRecentErrMsg(). All tensors are contiguous device memory
 * owned by the caller. blocks 0 = as many vector cores as the operator wants. */

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
