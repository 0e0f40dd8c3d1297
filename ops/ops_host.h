/* ops_host.h - host side helpers of the operator library. */
#ifndef SK_OPS_HOST_H
#define SK_OPS_HOST_H

#include "superkernel/ops.h"

/* ---- refusals -------------------------------------------------------------------------------- */

/* Records "call: what is value; legal: legal" as this thread's error text and returns 100000. */
int sk_ops_refuse(const char *call, const char *what, uint64_t value, const char *legal);
/* The same with the value as text. */
int sk_ops_refuse_text(const char *call, const char *what, const char *value, const char *legal);
/* The same for a tensor that is missing: "call: what is NULL; legal: legal". */
int sk_ops_refuse_null(const char *call, const char *what, const char *legal);
/* A tensor's shape: "Add: other is [3, 4]; legal: ...". */
int sk_ops_refuse_shape(const char *call, const char *what, const sk_tensor *tensor, const char *legal);
/* A tensor's type: "Add: other is int32; legal: ...". */
int sk_ops_refuse_dtype(const char *call, const char *what, const sk_tensor *tensor, const char *legal);
/* The first of the tensors that is NULL is refused; ACL_SUCCESS when all are there. */
typedef struct sk_ops_tensor { const char *name; const void *address; } sk_ops_tensor;
int sk_ops_check_tensors(const char *call, const sk_ops_tensor *tensors, uint32_t count);

/* ---- cores ----------------------------------------------------------------------------------- */

/* The vector cores an operator may use: `asked`, or all of the device for 0. 0 = not legal. */
uint32_t sk_ops_vector_cores(uint32_t asked);
/* The same for blocks with a cube core. */
uint32_t sk_ops_cube_cores(uint32_t asked);

/* ---- an operator's code ---------------------------------------------------------------------- */

#define SK_OPS_MAX_INPUTS 8u
#define SK_OPS_MAX_OUTPUTS 3u
#define SK_OPS_MAX_ATTRIBUTES 12u

/* A call whose tensors have legal types and ranks. in[i] NULL: not given. Attributes in the record's order. */
typedef struct sk_ops_job {
  const sk_operator *op;
  const sk_tensor *in[SK_OPS_MAX_INPUTS];
  sk_tensor out[SK_OPS_MAX_OUTPUTS]; /* plan fills all but data */
  sk_attribute attribute[SK_OPS_MAX_ATTRIBUTES];
  bool given[SK_OPS_MAX_ATTRIBUTES];
  size_t workspace_bytes;
  void *workspace;
  uint32_t blocks;
  void *stream;
} sk_ops_job;

typedef struct sk_ops_code {
  int (*plan)(sk_ops_job *job);          /* the checks that are the operator's own; outputs */
  int (*launch)(const sk_ops_job *job);  /* planned, all memory there, something to compute */
} sk_ops_code;

static inline int64_t sk_ops_integer(const sk_ops_job *job, uint32_t attribute) { return job->attribute[attribute].integer; }
static inline double sk_ops_real(const sk_ops_job *job, uint32_t attribute) { return job->attribute[attribute].real; }

/* Product of the dimensions first, first + 1 ... last - 1. */
static inline uint64_t sk_ops_product(const sk_tensor *t, uint32_t first, uint32_t last) {
  uint64_t product = 1;
  for (uint32_t i = first; i < last; i++) product *= (uint64_t)t->shape[i];
  return product;
}
static inline uint64_t sk_ops_elements(const sk_tensor *t) { return sk_ops_product(t, 0, t->rank); }
/* The last dimension, and the product of the others. */
static inline uint64_t sk_ops_columns(const sk_tensor *t) { return t->rank == 0 ? 1 : (uint64_t)t->shape[t->rank - 1]; }
static inline uint64_t sk_ops_rows(const sk_tensor *t) { return t->rank == 0 ? 1 : sk_ops_product(t, 0, t->rank - 1); }
/* Columns of a fractal; 0 for row-major storage. */
uint32_t sk_ops_c0(const sk_tensor *t);
bool sk_ops_same_shape(const sk_tensor *a, const sk_tensor *b);
/* An output like `shape`, with a type of its own. */
void sk_ops_output(sk_tensor *out, const sk_tensor *shape, sk_dtype dtype);
/* What a launch returned: the code of this thread's last error, after sk_ops_begin_launch cleared it. */
void sk_ops_begin_launch(void);
int sk_ops_end_launch(void);

extern const sk_ops_code sk_ops_gating, sk_ops_dynamic_quant, sk_ops_add, sk_ops_sub, sk_ops_mul, sk_ops_cast, sk_ops_matmul,
    sk_ops_quant_matmul, sk_ops_dequant_swiglu_quant, sk_ops_format_cast, sk_ops_is_inf, sk_ops_pows,
    sk_ops_trans_quant_param;

#endif
