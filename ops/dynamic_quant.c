/* dynamic_quant.c - quantisation of each row by its own maximum, to int8 or int4.
 *
 * Rows are divided over the vector cores; the first (rows mod cores) cores take one more. A row up to one
 * chunk stays on chip between maximum and quantisation, a longer one is read twice. */
#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define CHUNK 4096u
#define ROW_BATCH 64u      /* rows whose scales leave together */
#define MAX_GROUPS 1024u

typedef struct quant_tiling {
  uint32_t rows, columns, groups, dtype, dst_bits, chunks;
  float limit; /* 127 or 7 */
} quant_tiling;

typedef struct quant {
  const quant_tiling *tiling;
  __gm__ uint8_t *x, *smooth;
  __ubuf__ float *input, *row, *raw_smooth, *smooth_row, *scratch, *maximum, *part, *multiplier;
  __ubuf__ int32_t *integer;
  __ubuf__ half *narrow;
  __ubuf__ uint8_t *packed;
  uint32_t smooth_loaded; /* group * chunks + chunk of what smooth_row holds, UINT32_MAX nothing */
} quant;

__aicore__ static inline uint32_t chunk_length(const quant_tiling *t, uint32_t chunk) {
  uint32_t left = t->columns - chunk * CHUNK;
  return left < CHUNK ? left : CHUNK;
}

/* GM to UB, and V may use it; V is done with what stood there before. */
__aicore__ static void load(__ubuf__ float *to, __gm__ uint8_t *from, uint32_t bytes) {
  asc_sync_notify(PIPE_V, PIPE_MTE2, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);
  asc_copy_gm2ub_align((__ubuf__ uint8_t *)to, from, bytes);
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
}

/* row := float(x) * float(smooth), one chunk of one row. */
__aicore__ static void load_chunk(quant *q, uint32_t row, uint32_t group, uint32_t chunk) {
  const quant_tiling *t = q->tiling;
  uint32_t count = chunk_length(t, chunk), bytes = dtype_bytes(t->dtype);
  load(q->input, q->x + ((uint64_t)row * t->columns + (uint64_t)chunk * CHUNK) * bytes, count * bytes);
  row_to_float(q->row, q->input, t->dtype, count);
  if (q->smooth == NULL) return;
  uint32_t wanted = group * t->chunks + chunk;
  if (q->smooth_loaded != wanted) {
    load(q->raw_smooth, q->smooth + ((uint64_t)group * t->columns + (uint64_t)chunk * CHUNK) * bytes, count * bytes);
    row_to_float(q->smooth_row, q->raw_smooth, t->dtype, count);
    q->smooth_loaded = wanted;
  }
  asc_mul(q->row, q->row, q->smooth_row, count);
  asc_sync_pipe(PIPE_V);
}

/* maximum := max |row| over all chunks, in every element of a block. The chunk loaded last stays in row. */
__aicore__ static void row_maximum(quant *q, uint32_t row, uint32_t group) {
  const quant_tiling *t = q->tiling;
  for (uint32_t chunk = 0; chunk < t->chunks; chunk++) {
    uint32_t count = chunk_length(t, chunk);
    load_chunk(q, row, group, chunk);
    asc_abs((__ubuf__ float *)q->integer, q->row, count);
    asc_sync_pipe(PIPE_V);
    row_max(chunk == 0 ? q->maximum : q->part, (__ubuf__ float *)q->integer, count, q->scratch);
    if (chunk == 0) continue;
    asc_max(q->maximum, q->maximum, q->part, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
  }
}

/* row * multiplier to integers, packed in `packed`. The integer goes through half, where every value in
 * range is exact. */
__aicore__ static void quantise_chunk(const quant *q, uint32_t count) {
  row_mul_block(q->row, q->multiplier, count);
  asc_float2int32_rn(q->integer, q->row, count);
  asc_sync_pipe(PIPE_V);
  asc_int322float(q->row, q->integer, count);
  asc_sync_pipe(PIPE_V);
  asc_float2half(q->narrow, q->row, count);
  asc_sync_pipe(PIPE_V);
  if (q->tiling->dst_bits == 8)
    asc_half2int8((__ubuf__ int8_t *)q->packed, q->narrow, count);
  else
    asc_half2int4((__ubuf__ int4b_t *)q->packed, q->narrow, count);
}

/* One row: quantised chunks to y, scale = 1 / multiplier into its block of `scales`. */
__aicore__ static void quantise_row(quant *q, uint32_t row, uint32_t group, __gm__ uint8_t *y, __ubuf__ float *scales) {
  const quant_tiling *t = q->tiling;
  row_maximum(q, row, group);
  asc_duplicate(q->multiplier, t->limit, FLOATS_PER_REPEAT);
  asc_duplicate(q->part, 1.0f, FLOATS_PER_REPEAT);
  asc_sync_pipe(PIPE_V);
  asc_div(q->multiplier, q->multiplier, q->maximum, FLOATS_PER_REPEAT);
  asc_sync_pipe(PIPE_V);
  asc_div(scales, q->part, q->multiplier, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
  for (uint32_t chunk = 0; chunk < t->chunks; chunk++) {
    uint32_t count = chunk_length(t, chunk);
    if (t->chunks > 1) load_chunk(q, row, group, chunk);
    asc_sync_notify(PIPE_MTE3, PIPE_V, 0); /* the last results have left */
    asc_sync_wait(PIPE_MTE3, PIPE_V, 0);
    quantise_chunk(q, count);
    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
    uint64_t first = (uint64_t)row * t->columns + (uint64_t)chunk * CHUNK;
    asc_copy_ub2gm_align(y + first * t->dst_bits / 8, q->packed, count * t->dst_bits / 8);
  }
}

/* Scales of a batch: one per 32-byte block, gathered by keeping every fourth and then every second. */
__aicore__ static void store_scales(__gm__ float *to, __ubuf__ float *blocks, __ubuf__ uint32_t *middle, __ubuf__ float *dense, uint32_t rows) {
  __ubuf__ uint32_t *from = (__ubuf__ uint32_t *)blocks;
  asc_sync_notify(PIPE_MTE3, PIPE_V, 1);
  asc_sync_wait(PIPE_MTE3, PIPE_V, 1);
  uint16_t repeats = (uint16_t)((rows + 7) / 8);
  asc_reduce(middle, from, from, repeats, 1, 3, 8, 0);
  asc_sync_pipe(PIPE_V);
  asc_reduce((__ubuf__ uint32_t *)dense, middle, middle, (uint16_t)((repeats * 16u + 63u) / 64u), 1, 1, 8, 0);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 1);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 1);
  asc_copy_ub2gm_align(to, dense, rows * (uint32_t)sizeof(float));
}

/* The smooth row in force: the first group that ends behind the row; the last one found stays. */
__aicore__ static inline uint32_t group_of(__ubuf__ int32_t *ends, uint32_t groups, uint32_t row, uint32_t group) {
  for (uint32_t i = group; i < groups; i++)
    if (ends[i] >= (int32_t)row + 1) return i;
  return group;
}

__aicore__ static void load_group_ends(__ubuf__ int32_t *to, __gm__ int32_t *from, uint32_t groups) {
  asc_copy_gm2ub_align(to, from, groups * (uint32_t)sizeof(int32_t));
  asc_sync_notify(PIPE_MTE2, PIPE_S, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_S, 0);
}

__global__ __vector__ void dynamic_quant(__gm__ uint8_t *x, __gm__ uint8_t *smooth, __gm__ int32_t *group_index,
                                         __gm__ uint8_t *y, __gm__ float *scale, quant_tiling tiling) {
  __ubuf__ float input[CHUNK], row[CHUNK], raw_smooth[CHUNK], smooth_row[CHUNK];
  __ubuf__ int32_t integer[CHUNK], group_ends[MAX_GROUPS];
  __ubuf__ half narrow[CHUNK];
  __ubuf__ uint8_t packed[CHUNK];
  __ubuf__ float scratch[REDUCE_FLOATS], maximum[64], part[64], multiplier[64];
  __ubuf__ float scale_blocks[ROW_BATCH * FLOATS_PER_BLOCK], scale_dense[ROW_BATCH];
  __ubuf__ uint32_t scale_middle[4 * ROW_BATCH];

  asc_init();
  const quant_tiling *t = &tiling;
  uint32_t block = vector_index(), blocks = (uint32_t)asc_get_block_num();
  uint32_t each = t->rows / blocks, more = t->rows % blocks;
  uint32_t first = block * each + (block < more ? block : more), count = each + (block < more ? 1 : 0);
  if (count == 0) return;
  quant q = {.tiling = t, .x = x, .smooth = smooth, .input = input, .row = row, .raw_smooth = raw_smooth,
             .smooth_row = smooth_row, .scratch = scratch, .maximum = maximum, .part = part, .multiplier = multiplier,
             .integer = integer, .narrow = narrow, .packed = packed, .smooth_loaded = UINT32_MAX};
  reduce_prepare(scratch);
  asc_duplicate(scale_blocks, 0.0f, ROW_BATCH * FLOATS_PER_BLOCK);
  asc_duplicate(scale_middle, 0u, 4 * ROW_BATCH);
  asc_sync_pipe(PIPE_V);
  if (group_index != NULL) load_group_ends(group_ends, group_index, t->groups);
  uint32_t group = 0;
  for (uint32_t done = 0; done < count; done += ROW_BATCH) {
    uint32_t batch = count - done < ROW_BATCH ? count - done : ROW_BATCH;
    for (uint32_t i = 0; i < batch; i++) {
      uint32_t at = first + done + i;
      if (group_index != NULL) group = group_of(group_ends, t->groups, at, group);
      quantise_row(&q, at, group, y, scale_blocks + i * FLOATS_PER_BLOCK);
    }
    store_scales(scale + first + done, scale_blocks, scale_middle, scale_dense, batch);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static int refuse(const char *what, uint64_t value, const char *legal) {
  return sk_ops_refuse("sk_dynamic_quant", what, value, legal);
}

int sk_dynamic_quant(const void *x, const void *smooth, const int32_t *group_index, void *y, float *scale, uint32_t rows,
                     uint32_t columns, uint32_t groups, sk_dtype dtype, uint32_t dst_bits, uint32_t blocks, void *stream) {
  if (dtype != SK_FLOAT16 && dtype != SK_BF16) return refuse("dtype", dtype, "1 half, 27 bfloat16");
  if (columns == 0) return refuse("columns", columns, "1 and above");
  if (dst_bits != 8 && dst_bits != 4) return refuse("dst_bits", dst_bits, "8 (int8), 4 (int4)");
  if (dst_bits == 4 && columns % 8 != 0) return refuse("columns", columns, "a multiple of 8 for int4");
  if (group_index != NULL && smooth == NULL)
    return sk_ops_refuse_null("sk_dynamic_quant", "smooth", "device memory when group_index is given");
  if (group_index != NULL && (groups == 0 || groups > MAX_GROUPS)) return refuse("groups", groups, "1 to 1024");
  if (rows == 0) return ACL_SUCCESS;
  const sk_ops_tensor tensors[] = {{"x", x}, {"y", y}, {"scale", scale}};
  int missing = sk_ops_check_tensors("sk_dynamic_quant", tensors, 3);
  if (missing != ACL_SUCCESS) return missing;
  uint32_t cores = sk_ops_vector_cores(blocks);
  if (cores == 0) return refuse("blocks", blocks, "0, or up to 65535");
  quant_tiling tiling = {
      .rows = rows, .columns = columns, .groups = group_index != NULL ? groups : 1, .dtype = (uint32_t)dtype,
      .dst_bits = dst_bits, .chunks = (columns + CHUNK - 1) / CHUNK, .limit = dst_bits == 8 ? 127.0f : 7.0f,
  };
  uint32_t used = rows < cores ? rows : cores;
  (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  dynamic_quant<<<used, 0, stream>>>((__gm__ uint8_t *)x, (__gm__ uint8_t *)smooth, (__gm__ int32_t *)group_index,
                                     (__gm__ uint8_t *)y, scale, tiling);
  return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
}

/* ---- the record's code ---- */

static int plan(sk_ops_job *job) {
  const sk_tensor *x = job->in[0], *smooth = job->in[1], *ends = job->in[2];
  const char *name = job->op->name;
  int64_t bits = sk_ops_integer(job, 0), columns = x->shape[x->rank - 1];
  if (bits != 8 && bits != 4) return sk_ops_refuse(name, "dst_bits", (uint64_t)bits, "8 (int8), 4 (int4)");
  if (columns == 0 || (bits == 4 && columns % 8 != 0))
    return sk_ops_refuse_shape(name, "x", x, "a last dimension of 1 and above, for int4 a multiple of 8");
  if (sk_ops_rows(x) > INT32_MAX) return sk_ops_refuse_shape(name, "x", x, "at most 2147483647 rows");
  if (ends != NULL && smooth == NULL) return sk_ops_refuse_null(name, "smooth_scales", "a tensor when group_index is given");
  if (ends != NULL && (ends->shape[0] == 0 || ends->shape[0] > MAX_GROUPS))
    return sk_ops_refuse_shape(name, "group_index", ends, "1 to 1024 groups");
  if (smooth != NULL && smooth->dtype != x->dtype) return sk_ops_refuse_dtype(name, "smooth_scales", smooth, "the type of x");
  if (smooth != NULL && (smooth->shape[smooth->rank - 1] != columns || smooth->rank != (ends != NULL ? 2u : 1u) ||
                         (ends != NULL && smooth->shape[0] != ends->shape[0])))
    return sk_ops_refuse_shape(name, "smooth_scales", smooth, "[columns], with group_index [groups, columns]");
  sk_ops_output(&job->out[0], x, bits == 8 ? SK_INT8 : SK_INT32);
  if (bits == 4) job->out[0].shape[x->rank - 1] = columns / 8;
  sk_ops_output(&job->out[1], x, SK_FLOAT);
  job->out[1].rank--;
  return ACL_SUCCESS;
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *x = job->in[0], *smooth = job->in[1], *ends = job->in[2];
  return sk_dynamic_quant(x->data, smooth != NULL ? smooth->data : NULL, ends != NULL ? ends->data : NULL, job->out[0].data,
                          job->out[1].data, (uint32_t)sk_ops_rows(x), (uint32_t)sk_ops_columns(x),
                          ends != NULL ? (uint32_t)ends->shape[0] : 0, x->dtype, (uint32_t)sk_ops_integer(job, 0), job->blocks,
                          job->stream);
}

const sk_ops_code sk_ops_dynamic_quant = {plan, launch};
