/* cube_host.c - see cube_host.h. */
#include "cube_host.h"

#include <stdio.h>

#include "acl/acl.h"

#define MOST_PITCH 65535 /* the step from row to row that a load from device memory can make */

static int broadcast_batches(const sk_ops_job *job, const sk_tensor *a, const sk_tensor *b, cube_tiling *t, sk_tensor *out) {
  uint32_t a_rank = a->rank - 2, b_rank = b->rank - 2, rank = a_rank > b_rank ? a_rank : b_rank;
  uint64_t batches = 1;
  uint32_t a_step = 1, b_step = 1;
  t->batch_rank = rank;
  for (uint32_t i = rank; i-- > 0;) {
    int64_t a_size = i + a_rank >= rank ? a->shape[i + a_rank - rank] : 1, b_size = i + b_rank >= rank ? b->shape[i + b_rank - rank] : 1;
    if (a_size != b_size && a_size != 1 && b_size != 1)
      return sk_ops_refuse_shape(job->op->name, job->op->inputs[1].name, b, "batch dimensions that are equal to those of the first or 1");
    int64_t size = a_size == 1 ? b_size : a_size;
    t->batch_shape[i] = (uint32_t)size;
    t->a_step[i] = a_size == 1 ? 0 : a_step;
    t->b_step[i] = b_size == 1 ? 0 : b_step;
    a_step *= (uint32_t)a_size;
    b_step *= (uint32_t)b_size;
    batches *= (uint64_t)size;
    out->shape[i] = size;
  }
  if (batches > INT32_MAX) return sk_ops_refuse_shape(job->op->name, job->op->inputs[0].name, a, "at most 2147483647 matrices");
  t->batches = (uint32_t)batches;
  out->rank = rank + 2;
  return ACL_SUCCESS;
}

int sk_ops_cube_shapes(const sk_ops_job *job, const sk_tensor *a, const sk_tensor *b, bool a_transposed, bool b_transposed, cube_tiling *t,
                       sk_tensor *out) {
  const char *name = job->op->name, *first = job->op->inputs[0].name, *second = job->op->inputs[1].name;
  int64_t a_rows = a->shape[a->rank - 2], a_columns = a->shape[a->rank - 1], b_rows = b->shape[b->rank - 2], b_columns = b->shape[b->rank - 1];
  int64_t m = a_transposed ? a_columns : a_rows, k = a_transposed ? a_rows : a_columns;
  int64_t b_k = b_transposed ? b_columns : b_rows, n = b_transposed ? b_rows : b_columns;
  if (b_k != k) {
    char legal[96];
    snprintf(legal, sizeof legal, "%lld along k (the %s dimension of the stored matrix)", (long long)k, b_transposed ? "last" : "second last");
    return sk_ops_refuse_shape(name, second, b, legal);
  }
  if (sk_ops_c0(b) > 0 && sk_ops_c0(b) != CUBE_COLUMN / sk_dtype_bytes(b->dtype))
    return sk_ops_refuse(name, "columns of a fractal of the second operand", sk_ops_c0(b), "32 bytes of elements");
  if (k == 0) return sk_ops_refuse_shape(name, first, a, "1 and above along k");
  if (a_columns > MOST_PITCH) return sk_ops_refuse_shape(name, first, a, "a last dimension of at most 65535");
  if (b_columns > MOST_PITCH) return sk_ops_refuse_shape(name, second, b, "a last dimension of at most 65535");
  *t = (cube_tiling){.m = (uint32_t)m, .k = (uint32_t)k, .n = (uint32_t)n, .dtype = (uint32_t)a->dtype,
                     .element_bytes = (uint32_t)sk_dtype_bytes(a->dtype), .a_transposed = a_transposed, .b_transposed = b_transposed,
                     .b_nz = sk_ops_c0(b) > 0};
  out->format = SK_ND;
  int error = broadcast_batches(job, a, b, t, out);
  if (error != ACL_SUCCESS) return error;
  out->shape[out->rank - 2] = m;
  out->shape[out->rank - 1] = n;
  return ACL_SUCCESS;
}

/* Narrower blocks as long as cores would stand idle. */
uint32_t sk_ops_cube_tile(cube_tiling *t, uint32_t cores) {
  t->block_m = CUBE_BLOCK_M;
  t->block_n = CUBE_BLOCK_N;
  while (t->block_n > 64 && cube_blocks(t) < cores) t->block_n /= 2;
  while (t->block_m > 32 && cube_blocks(t) < cores) t->block_m /= 2;
  uint32_t blocks = cube_blocks(t);
  return blocks < cores ? blocks : cores;
}
