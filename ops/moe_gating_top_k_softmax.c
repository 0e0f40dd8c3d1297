/* moe_gating_top_k_softmax.c - top-k of the softmax over the experts, one row of logits at a time.
 *
 * Rows are divided over the vector cores. A row that fits one chunk is loaded once; a longer one twice:
 * maximum and sum online in the first pass, weights, sort and a running top-k list in the second. */
#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define CHUNK 4096u  /* experts per chunk */
#define MAX_K 1024u
#define SORT_GROUP 32u
#define RECORD_FLOATS 2u /* a sort record is (key, index) */
#define FINISHED_BATCH 256u

typedef struct gating_tiling {
  uint32_t rows, experts, k, rows_per_core, dtype, chunks;
  uint32_t round_keys; /* half input, full-load variant: weights are rounded to half before they are sorted */
} gating_tiling;

/* What a core works with; buffers are local arrays of the kernel. */
typedef struct gating {
  const gating_tiling *tiling;
  uint32_t first_row, row_count, steps;
  __gm__ uint8_t *x;
  __ubuf__ float *input[2], *keys, *records[2], *best[2], *scratch, *maximum, *sum, *part, *scale;
  __ubuf__ uint32_t *index;
} gating;

__aicore__ static inline uint32_t chunk_length(const gating_tiling *t, uint32_t chunk) {
  uint32_t left = t->experts - chunk * CHUNK;
  return left < CHUNK ? left : CHUNK;
}

/* Loads are numbered through all rows: once per chunk, or twice when a row has several chunks. */
__aicore__ static inline uint32_t loads_per_row(const gating_tiling *t) { return t->chunks == 1 ? 1u : 2u * t->chunks; }

__aicore__ static void load_step(const gating *g, uint32_t step) {
  const gating_tiling *t = g->tiling;
  uint32_t per_row = loads_per_row(t), row = g->first_row + step / per_row, chunk = step % per_row % t->chunks;
  uint32_t bytes = dtype_bytes(t->dtype), buffer = step & 1u;
  if (step >= 2) asc_sync_wait(PIPE_V, PIPE_MTE2, buffer);
  __gm__ uint8_t *from = g->x + ((uint64_t)row * t->experts + (uint64_t)chunk * CHUNK) * bytes;
  asc_copy_gm2ub_align((__ubuf__ uint8_t *)g->input[buffer], from, chunk_length(t, chunk) * bytes);
  asc_sync_notify(PIPE_MTE2, PIPE_V, buffer);
}

/* The step's chunk as floats in keys, padded to whole sort groups with -inf; the next load is started. */
__aicore__ static void take_step(const gating *g, uint32_t step) {
  const gating_tiling *t = g->tiling;
  uint32_t count = chunk_length(t, step % loads_per_row(t) % t->chunks), buffer = step & 1u;
  if (step + 1 < g->steps) load_step(g, step + 1);
  asc_duplicate(g->keys, -__builtin_inff(), round_up(count, FLOATS_PER_REPEAT));
  asc_sync_pipe(PIPE_V);
  asc_sync_wait(PIPE_MTE2, PIPE_V, buffer);
  row_to_float(g->keys, g->input[buffer], t->dtype, count);
  if (step + 2 < g->steps) asc_sync_notify(PIPE_V, PIPE_MTE2, buffer);
}

/* keys := exp(keys - maximum) */
__aicore__ static void exp_keys(const gating *g, uint32_t count) {
  row_sub_block(g->keys, g->maximum, count);
  asc_exp(g->keys, g->keys, count);
  asc_sync_pipe(PIPE_V);
}

/* keys := keys / sum, rounded to half first where the variant sorts rounded weights. */
__aicore__ static void normalise_keys(const gating *g, uint32_t count) {
  row_div_block(g->keys, g->sum, count);
  if (!g->tiling->round_keys) return;
  __ubuf__ half *rounded = (__ubuf__ half *)g->records[0];
  asc_float2half_rn(rounded, g->keys, count);
  asc_sync_pipe(PIPE_V);
  asc_half2float(g->keys, rounded, count);
  asc_sync_pipe(PIPE_V);
}

/* Merges up to four neighbouring runs of at most `run` records, `rest` records in all. */
__aicore__ static void merge_rest(__ubuf__ float *to, __ubuf__ float *from, uint32_t run, uint32_t rest) {
  uint32_t runs = (rest + run - 1) / run;
  if (runs == 1) {
    asc_copy_ub2ub(to, from, rest * RECORD_FLOATS * (uint32_t)sizeof(float));
    return;
  }
  uint16_t length[4] = {0, 0, 0, 0};
  __ubuf__ float *queue[4];
  for (uint32_t i = 0; i < 4; i++) {
    queue[i] = from + (i < runs ? i : 0) * run * RECORD_FLOATS;
    if (i < runs) length[i] = (uint16_t)(i + 1 < runs ? run : rest - i * run);
  }
  asc_mrgsort4(to, queue, 1, length[0], length[1], length[2], length[3], false, (uint8_t)((1u << runs) - 1u));
}

/* Sorts the keys of whole groups with their indices, descending and stable; the buffer with the result. */
__aicore__ static __ubuf__ float *sort_keys(const gating *g, uint32_t count) {
  uint32_t total = round_up(count, SORT_GROUP), from = 0;
  asc_bitsort(g->records[0], g->keys, g->index, (int32_t)(total / SORT_GROUP));
  asc_sync_pipe(PIPE_V);
  for (uint32_t run = SORT_GROUP; run < total; run *= 4, from ^= 1u) {
    __ubuf__ float *source = g->records[from], *target = g->records[from ^ 1u];
    uint32_t full = total / (4 * run), done = full * 4 * run;
    if (full > 0) {
      __ubuf__ float *queue[4] = {source, source + run * RECORD_FLOATS, source + 2 * run * RECORD_FLOATS,
                                  source + 3 * run * RECORD_FLOATS};
      uint16_t length = (uint16_t)run;
      asc_mrgsort4(target, queue, (uint8_t)full, length, length, length, length, false, 15);
    }
    if (done < total) merge_rest(target + done * RECORD_FLOATS, source + done * RECORD_FLOATS, run, total - done);
    asc_sync_pipe(PIPE_V);
  }
  return g->records[from];
}

/* A row in one chunk: weights in one go. Returns its sorted records. */
__aicore__ static __ubuf__ float *whole_row(const gating *g, uint32_t step) {
  uint32_t count = g->tiling->experts;
  take_step(g, step);
  row_max(g->maximum, g->keys, count, g->scratch);
  exp_keys(g, count);
  row_sum(g->sum, g->keys, count, g->scratch);
  normalise_keys(g, count);
  return sort_keys(g, count);
}

/* First pass over a long row: maximum and sum of exponentials, both rescaled as the maximum grows. */
__aicore__ static void online_pass(const gating *g, uint32_t step) {
  asc_duplicate(g->maximum, -__builtin_inff(), FLOATS_PER_REPEAT);
  asc_duplicate(g->sum, 0.0f, FLOATS_PER_REPEAT);
  for (uint32_t chunk = 0; chunk < g->tiling->chunks; chunk++) {
    uint32_t count = chunk_length(g->tiling, chunk);
    take_step(g, step + chunk);
    row_max(g->part, g->keys, count, g->scratch);
    asc_max(g->part, g->part, g->maximum, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
    asc_sub(g->scale, g->maximum, g->part, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
    asc_exp(g->scale, g->scale, FLOATS_PER_REPEAT);
    asc_max(g->maximum, g->part, g->part, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
    exp_keys(g, count);
    row_sum(g->part, g->keys, count, g->scratch);
    asc_mul(g->sum, g->sum, g->scale, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
    asc_add(g->sum, g->sum, g->part, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
  }
}

/* Second pass: each chunk's weights sorted and merged into the running list of the best k. */
__aicore__ static __ubuf__ float *select_pass(const gating *g, uint32_t step) {
  const gating_tiling *t = g->tiling;
  uint32_t have = 0, at = 0;
  for (uint32_t chunk = 0; chunk < t->chunks; chunk++) {
    uint32_t count = chunk_length(t, chunk), fresh = count < t->k ? count : t->k;
    take_step(g, step + chunk);
    exp_keys(g, count);
    normalise_keys(g, count);
    __ubuf__ float *sorted = sort_keys(g, count);
    if (have == 0) {
      asc_copy_ub2ub(g->best[at], sorted, round_up(fresh, SORT_GROUP) * RECORD_FLOATS * (uint32_t)sizeof(float));
      have = fresh;
    } else {
      __ubuf__ float *queue[4] = {g->best[at], sorted, sorted, sorted};
      asc_mrgsort4(g->best[at ^ 1u], queue, 1, (uint16_t)have, (uint16_t)fresh, 0, 0, false, 3);
      at ^= 1u;
      have = have + fresh < t->k ? have + fresh : t->k;
    }
    asc_sync_pipe(PIPE_V);
    asc_add_scalar((__ubuf__ int32_t *)g->index, (__ubuf__ int32_t *)g->index, (int32_t)CHUNK, CHUNK);
    asc_sync_pipe(PIPE_V);
  }
  asc_add_scalar((__ubuf__ int32_t *)g->index, (__ubuf__ int32_t *)g->index, -(int32_t)(t->chunks * CHUNK), CHUNK);
  asc_sync_pipe(PIPE_V);
  return g->best[at];
}

/* Splits sorted records into weights and indices, k of each (whole groups are written). */
__aicore__ static void split_records(__ubuf__ float *weights, __ubuf__ int32_t *experts, __ubuf__ float *records, uint32_t k) {
  __ubuf__ uint32_t *words = (__ubuf__ uint32_t *)records;
  uint16_t repeats = (uint16_t)(round_up(k, SORT_GROUP) / SORT_GROUP);
  asc_reduce((__ubuf__ uint32_t *)weights, words, words, repeats, 1, 1, 8, 0);
  asc_reduce((__ubuf__ uint32_t *)experts, words, words, repeats, 1, 2, 8, 0);
  asc_sync_pipe(PIPE_V);
}

/* The sum of a long row, read by the scalar unit. */
__aicore__ static bool sum_is_nan(const gating *g) {
  asc_sync_notify(PIPE_V, PIPE_S, 0);
  asc_sync_wait(PIPE_V, PIPE_S, 0);
  float sum = g->sum[0];
  asc_sync_notify(PIPE_S, PIPE_V, 0);
  asc_sync_wait(PIPE_S, PIPE_V, 0);
  return sum != sum;
}

__aicore__ static void long_row(const gating *g, uint32_t step, __ubuf__ float *weights, __ubuf__ int32_t *experts) {
  const gating_tiling *t = g->tiling;
  online_pass(g, step);
  bool nan = sum_is_nan(g);
  __ubuf__ float *records = select_pass(g, step + t->chunks);
  split_records(weights, experts, records, t->k);
  if (!nan) return;
  asc_duplicate(weights, __builtin_nanf(""), t->k);
  /* Without usable weights the first k experts are chosen. */
  asc_max(experts, (__ubuf__ int32_t *)g->index, (__ubuf__ int32_t *)g->index, t->k);
  asc_sync_pipe(PIPE_V);
}

/* Whether the row is finished; the flags come in batches through UB. */
__aicore__ static bool row_finished(__gm__ uint8_t *finished, __ubuf__ uint8_t *batch, uint32_t row, uint32_t at,
                                    uint32_t rows_left) {
  if (at % FINISHED_BATCH == 0) {
    asc_sync_notify(PIPE_S, PIPE_MTE2, 2);
    asc_sync_wait(PIPE_S, PIPE_MTE2, 2);
    asc_copy_gm2ub_align(batch, finished + row, rows_left < FINISHED_BATCH ? rows_left : FINISHED_BATCH);
    asc_sync_notify(PIPE_MTE2, PIPE_S, 2);
    asc_sync_wait(PIPE_MTE2, PIPE_S, 2);
  }
  return batch[at % FINISHED_BATCH] != 0;
}

__global__ __vector__ void moe_gating_top_k_softmax(__gm__ uint8_t *x, __gm__ uint8_t *finished, __gm__ uint8_t *y,
                                                    __gm__ int32_t *expert_idx, __gm__ int32_t *row_idx,
                                                    gating_tiling tiling) {
  __ubuf__ float input0[CHUNK], input1[CHUNK], keys[CHUNK];
  __ubuf__ uint32_t index[CHUNK];
  __ubuf__ float records0[CHUNK * RECORD_FLOATS], records1[CHUNK * RECORD_FLOATS];
  __ubuf__ float best0[2 * MAX_K * RECORD_FLOATS], best1[2 * MAX_K * RECORD_FLOATS];
  __ubuf__ float weights[MAX_K];
  __ubuf__ int32_t experts[MAX_K], row_base[MAX_K], row_out[MAX_K];
  __ubuf__ uint16_t narrow[MAX_K];
  __ubuf__ float scratch[REDUCE_FLOATS], maximum[64], sum[64], part[64], scale[64];
  __ubuf__ uint8_t finished_batch[FINISHED_BATCH];

  asc_init();
  const gating_tiling *t = &tiling;
  uint32_t first = vector_index() * t->rows_per_core;
  if (first >= t->rows) return;
  gating g = {.tiling = t, .first_row = first, .x = x, .input = {input0, input1}, .keys = keys, .index = index,
              .records = {records0, records1}, .best = {best0, best1}, .scratch = scratch, .maximum = maximum,
              .sum = sum, .part = part, .scale = scale};
  g.row_count = t->rows - first < t->rows_per_core ? t->rows - first : t->rows_per_core;
  g.steps = g.row_count * loads_per_row(t);
  fill_iota((__ubuf__ int32_t *)index, t->chunks > 1 ? CHUNK : round_up(t->experts, SORT_GROUP));
  asc_mul_scalar(row_base, (__ubuf__ int32_t *)index, (int32_t)t->rows, t->k);
  reduce_prepare(scratch);
  if (t->chunks > 1) { /* whole groups of the best are split, also where fewer than a group were chosen */
    asc_duplicate(best0, 0.0f, 2 * MAX_K * RECORD_FLOATS);
    asc_duplicate(best1, 0.0f, 2 * MAX_K * RECORD_FLOATS);
    asc_sync_pipe(PIPE_V);
  }
  load_step(&g, 0);

  uint32_t y_bytes = dtype_bytes(t->dtype);
  for (uint32_t i = 0; i < g.row_count; i++) {
    uint32_t row = first + i;
    bool done = finished != NULL && row_finished(finished, finished_batch, row, i, g.row_count - i);
    if (i > 0) asc_sync_wait(PIPE_MTE3, PIPE_V, 0); /* the last row's results have left */
    if (t->chunks == 1)
      split_records(weights, experts, whole_row(&g, i), t->k);
    else
      long_row(&g, i * loads_per_row(t), weights, experts);
    if (done) asc_duplicate(experts, (int32_t)t->experts, t->k);
    asc_add_scalar(row_out, row_base, (int32_t)row, t->k);
    if (t->dtype == DTYPE_HALF) asc_float2half_rn((__ubuf__ half *)narrow, weights, t->k);
    if (t->dtype == DTYPE_BF16) asc_float2bfloat16_rna((__ubuf__ bfloat16_t *)narrow, weights, t->k);
    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
    uint64_t out = (uint64_t)row * t->k;
    asc_copy_ub2gm_align(y + out * y_bytes, t->dtype == DTYPE_FLOAT ? (__ubuf__ uint8_t *)weights : (__ubuf__ uint8_t *)narrow,
                         t->k * y_bytes);
    asc_copy_ub2gm_align(expert_idx + out, experts, t->k * (uint32_t)sizeof(int32_t));
    asc_copy_ub2gm_align(row_idx + out, row_out, t->k * (uint32_t)sizeof(int32_t));
    if (i + 1 < g.row_count) asc_sync_notify(PIPE_MTE3, PIPE_V, 0);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static int refuse(const char *what, uint64_t value, const char *legal) {
  return sk_ops_refuse("sk_moe_gating_top_k_softmax", what, value, legal);
}

int sk_moe_gating_top_k_softmax(const void *x, const uint8_t *finished, void *y, int32_t *expert_idx, int32_t *row_idx,
                                uint32_t rows, uint32_t experts, uint32_t k, sk_dtype dtype, uint32_t blocks, void *stream) {
  if (dtype != SK_FLOAT && dtype != SK_FLOAT16 && dtype != SK_BF16) return refuse("dtype", dtype, "0 float, 1 half, 27 bfloat16");
  if (k > experts || k > MAX_K) return refuse("k", k, "0 to the number of experts, at most 1024");
  if (rows == 0 || k == 0) return ACL_SUCCESS; /* empty outputs, nothing to launch */
  if ((uint64_t)rows * k > INT32_MAX) return refuse("rows", rows, "at most 2147483647 / k, for row_idx counts in int32");
  const sk_ops_tensor tensors[] = {{"x", x}, {"y", y}, {"expert_idx", expert_idx}, {"row_idx", row_idx}};
  int missing = sk_ops_check_tensors("sk_moe_gating_top_k_softmax", tensors, 4);
  if (missing != ACL_SUCCESS) return missing;
  uint32_t cores = sk_ops_vector_cores(blocks);
  if (cores == 0) return refuse("blocks", blocks, "0, or up to 65535");
  bool performance = experts < 8 || (experts <= 1024 && experts % 8 == 0 && k <= 8);
  gating_tiling tiling = {
      .rows = rows, .experts = experts, .k = k, .rows_per_core = (rows + cores - 1) / cores, .dtype = (uint32_t)dtype,
      .chunks = (experts + CHUNK - 1) / CHUNK,
  };
  tiling.round_keys = dtype == SK_FLOAT16 && !performance && tiling.chunks == 1;
  uint32_t used = (rows + tiling.rows_per_core - 1) / tiling.rows_per_core;
  (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  moe_gating_top_k_softmax<<<used, 0, stream>>>((__gm__ uint8_t *)x, (__gm__ uint8_t *)finished, (__gm__ uint8_t *)y,
                                                expert_idx, row_idx, tiling);
  return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
}

/* ---- the record's code ---- */

static int plan(sk_ops_job *job) {
  const sk_tensor *x = job->in[0], *finished = job->in[1];
  int64_t k = sk_ops_integer(job, 0), experts = x->shape[x->rank - 1];
  if (k < 0 || k > experts || k > MAX_K)
    return sk_ops_refuse(job->op->name, "k", (uint64_t)k, "0 to the number of experts, at most 1024");
  if (sk_ops_rows(x) > INT32_MAX) return sk_ops_refuse_shape(job->op->name, "x", x, "at most 2147483647 rows");
  sk_ops_output(&job->out[0], x, x->dtype);
  job->out[0].shape[x->rank - 1] = k;
  sk_ops_output(&job->out[1], &job->out[0], SK_INT32);
  job->out[2] = job->out[1];
  if (finished == NULL) return ACL_SUCCESS;
  sk_tensor wanted = *x;
  wanted.rank--;
  return sk_ops_same_shape(finished, &wanted) ? ACL_SUCCESS
                                              : sk_ops_refuse_shape(job->op->name, "finished", finished, "x without its last dimension");
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *x = job->in[0], *finished = job->in[1];
  return sk_moe_gating_top_k_softmax(x->data, finished != NULL ? finished->data : NULL, job->out[0].data, job->out[1].data,
                                     job->out[2].data, (uint32_t)sk_ops_rows(x), (uint32_t)sk_ops_columns(x),
                                     (uint32_t)sk_ops_integer(job, 0), x->dtype, job->blocks, job->stream);
}

const sk_ops_code sk_ops_gating = {plan, launch};
