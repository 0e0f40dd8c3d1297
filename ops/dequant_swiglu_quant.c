/* dequant_swiglu_quant.c - dequantise, gate one half of each row by the other, quantise by row or by given scales.
 *
 * Rows are divided over the vector cores. A row whose halves fit one chunk stays on chip between maximum and
 * quantisation, a longer one is computed twice. With groups, each takes as many rows as its count says, with rows of
 * weight_scale, bias, quant_scale and quant_offset of its own; rows behind the last group stay as they are. */
#include <math.h>

#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define CHUNK 2048u    /* columns of a half */
#define ROW_BATCH 64u  /* rows whose scales come and go together */
#define MAX_GROUPS 1024u
#define DTYPE_INT32 3u /* beside those of row_tools.h */

typedef enum glu { GLU_HALVES, GLU_CLAMPED_PAIRS, GLU_CLAMPED_HALVES } glu;

typedef struct swiglu_tiling {
  uint32_t rows, columns; /* of a half */
  uint32_t chunks, dtype, glu, gate_right, dynamic, grouped;
  uint32_t groups, group_words; /* words of 64 bits per group: the count, or its number and the count */
  uint32_t has_weight, has_activation, bias_dtype, has_bias;
  uint32_t quant_dtype, quant_count, offset_dtype, offset_count; /* columns, 1, or 0: not given */
  float limit, alpha, beta;
} swiglu_tiling;

typedef struct swiglu {
  const swiglu_tiling *tiling;
  __gm__ uint8_t *x, *weight, *activation, *bias, *quant, *offset, *y, *scale;
  /* Rows of a chunk: both halves, the second CHUNK places on, or pairs in a row. */
  __ubuf__ float *raw, *values, *weights, *biases, *pair;
  /* One half of a chunk. */
  __ubuf__ float *quants, *offsets, *gate, *half_raw;
  __ubuf__ half *narrow;
  __ubuf__ int8_t *packed;
  __ubuf__ float *activations, *activation_blocks, *scale_blocks, *scale_dense;
  __ubuf__ uint32_t *scale_middle;
  __ubuf__ float *scratch, *maximum, *part, *multiplier;
  uint32_t loaded; /* group * chunks + chunk of what weights, biases, quants and offsets hold; UINT32_MAX nothing */
} swiglu;

__aicore__ static inline uint32_t element_bytes(uint32_t dtype) { return dtype == DTYPE_INT32 ? 4u : dtype_bytes(dtype); }
__aicore__ static inline uint32_t chunk_length(const swiglu_tiling *t, uint32_t chunk) {
  uint32_t left = t->columns - chunk * CHUNK;
  return left < CHUNK ? left : CHUNK;
}

/* ---- loads ------------------------------------------------------------------------------------------ */

/* V is done with the destination; what follows up to load_end may be filled. */
__aicore__ static void load_begin(void) {
  asc_sync_notify(PIPE_V, PIPE_MTE2, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);
}
__aicore__ static void load_end(void) {
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
}

/* The chunk's part of a row of 2 * columns elements. */
__aicore__ static void load_both(const swiglu *s, __ubuf__ float *to, __gm__ uint8_t *matrix, uint64_t row, uint32_t chunk, uint32_t dtype) {
  const swiglu_tiling *t = s->tiling;
  uint32_t count = chunk_length(t, chunk), bytes = element_bytes(dtype);
  __gm__ uint8_t *from = matrix + row * 2 * t->columns * bytes;
  load_begin();
  if (t->glu == GLU_CLAMPED_PAIRS) {
    asc_copy_gm2ub_align((__ubuf__ uint8_t *)to, from + (uint64_t)chunk * CHUNK * 2 * bytes, 2 * count * bytes);
  } else {
    asc_copy_gm2ub_align((__ubuf__ uint8_t *)to, from + (uint64_t)chunk * CHUNK * bytes, count * bytes);
    asc_copy_gm2ub_align((__ubuf__ uint8_t *)to + CHUNK * bytes, from + ((uint64_t)t->columns + (uint64_t)chunk * CHUNK) * bytes, count * bytes);
  }
  load_end();
}

/* The chunk's part of a row of `columns` elements as floats; one element fills a block. */
__aicore__ static void load_half(const swiglu *s, __ubuf__ float *to, __gm__ uint8_t *matrix, uint32_t row, uint32_t chunk, uint32_t dtype,
                                 uint32_t columns) {
  const swiglu_tiling *t = s->tiling;
  uint32_t count = columns == 1 ? 1 : chunk_length(t, chunk), bytes = element_bytes(dtype);
  uint64_t first = (uint64_t)row * columns + (columns == 1 ? 0 : (uint64_t)chunk * CHUNK);
  load_begin();
  asc_copy_gm2ub_align((__ubuf__ uint8_t *)s->half_raw, matrix + first * bytes, count * bytes);
  load_end();
  if (columns > 1) {
    row_to_float(to, s->half_raw, dtype, count);
    return;
  }
  row_to_float(s->part, s->half_raw, dtype, 1);
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
  asc_brcb((__ubuf__ uint32_t *)to, (__ubuf__ uint32_t *)s->part, 1, 8, 1);
  asc_sync_pipe(PIPE_V);
}

/* A statement on each stretch of the chunk's columns: `at` and `length`. */
#define EACH_STRETCH(statement)                                                          \
  do {                                                                                   \
    uint32_t stretches = t->glu == GLU_CLAMPED_PAIRS ? 1u : 2u, length = stretches == 1 ? 2 * count : count; \
    for (uint32_t i = 0; i < stretches; i++) {                                           \
      uint32_t at = i * CHUNK;                                                           \
      statement;                                                                         \
    }                                                                                    \
    asc_sync_pipe(PIPE_V);                                                               \
  } while (0)

__aicore__ static void both_to_float(const swiglu *s, __ubuf__ float *to, __ubuf__ float *from, uint32_t dtype, uint32_t count) {
  const swiglu_tiling *t = s->tiling;
  __ubuf__ uint8_t *bytes = (__ubuf__ uint8_t *)from;
  if (dtype == DTYPE_INT32)
    EACH_STRETCH(asc_int322float(to + at, (__ubuf__ int32_t *)from + at, length));
  else
    EACH_STRETCH(row_to_float(to + at, (__ubuf__ float *)(bytes + at * dtype_bytes(dtype)), dtype, length));
}

/* What belongs to the columns of this chunk in this group. Whole numbers of a bias stay whole. */
__aicore__ static void load_parameters(swiglu *s, uint32_t group, uint32_t chunk) {
  const swiglu_tiling *t = s->tiling;
  uint32_t wanted = group * t->chunks + chunk, count = chunk_length(t, chunk);
  if (s->loaded == wanted) return;
  if (t->has_weight) load_both(s, s->weights, s->weight, group, chunk, DTYPE_FLOAT);
  if (t->has_bias && t->bias_dtype == DTYPE_INT32) {
    load_both(s, s->biases, s->bias, group, chunk, DTYPE_INT32);
  } else if (t->has_bias) {
    load_both(s, s->raw, s->bias, group, chunk, t->bias_dtype);
    both_to_float(s, s->biases, s->raw, t->bias_dtype, count);
  }
  if (t->quant_count > 0) load_half(s, s->quants, s->quant, group, chunk, t->quant_dtype, t->quant_count);
  if (t->offset_count > 0) load_half(s, s->offsets, s->offset, group, chunk, t->offset_dtype, t->offset_count);
  s->loaded = wanted;
}

/* ---- one chunk of one row --------------------------------------------------------------------------- */

/* values := dequantised row. */
__aicore__ static void dequantise(const swiglu *s, uint32_t row, uint32_t in_batch, uint32_t chunk) {
  const swiglu_tiling *t = s->tiling;
  uint32_t count = chunk_length(t, chunk);
  __ubuf__ int32_t *whole = (__ubuf__ int32_t *)s->raw;
  load_both(s, s->raw, s->x, row, chunk, t->dtype);
  if (t->has_bias && t->bias_dtype == DTYPE_INT32) EACH_STRETCH(asc_add(whole + at, whole + at, (__ubuf__ int32_t *)s->biases + at, length));
  both_to_float(s, s->values, s->raw, t->dtype, count);
  if (t->has_weight) EACH_STRETCH(asc_mul(s->values + at, s->values + at, s->weights + at, length));
  if (t->has_activation) EACH_STRETCH(row_mul_block(s->values + at, s->activation_blocks + in_batch * FLOATS_PER_BLOCK, length));
  if (t->has_bias && t->bias_dtype != DTYPE_INT32) EACH_STRETCH(asc_add(s->values + at, s->values + at, s->biases + at, length));
}

/* gate := gate / (1 + exp(-factor * gate)), all of it in float, each step rounded. */
__aicore__ static void swish(__ubuf__ float *gate, __ubuf__ float *exponent, float factor, uint32_t count) {
  asc_mul_scalar(exponent, gate, factor, count);
  asc_sync_pipe(PIPE_V);
  asc_mul_scalar(exponent, exponent, -1.0f, count);
  asc_sync_pipe(PIPE_V);
  asc_exp(exponent, exponent, count);
  asc_sync_pipe(PIPE_V);
  asc_add_scalar(exponent, exponent, 1.0f, count);
  asc_sync_pipe(PIPE_V);
  asc_div(gate, gate, exponent, count);
  asc_sync_pipe(PIPE_V);
}

/* The gated product in s->gate. */
__aicore__ static void gated(const swiglu *s, uint32_t count) {
  const swiglu_tiling *t = s->tiling;
  __ubuf__ float *left = s->values, *right = s->values + CHUNK;
  if (t->glu == GLU_CLAMPED_PAIRS) {
    left = s->pair;
    right = s->pair + CHUNK;
    begin_count(2 * count);
    asc_reduce((__ubuf__ uint32_t *)left, (__ubuf__ uint32_t *)s->values, (__ubuf__ uint32_t *)s->values, 1, 1, 1, 8, 0);
    asc_reduce((__ubuf__ uint32_t *)right, (__ubuf__ uint32_t *)s->values, (__ubuf__ uint32_t *)s->values, 1, 1, 2, 8, 0);
    end_count();
    asc_sync_pipe(PIPE_V);
  }
  __ubuf__ float *gate = t->gate_right ? right : left, *other = t->gate_right ? left : right;
  if (t->glu != GLU_HALVES) {
    asc_min_scalar(gate, gate, t->limit, count);
    asc_min_scalar(other, other, t->limit, count);
    asc_sync_pipe(PIPE_V);
    asc_max_scalar(other, other, -t->limit, count);
    asc_sync_pipe(PIPE_V);
    asc_add_scalar(other, other, t->beta, count);
    asc_sync_pipe(PIPE_V);
  }
  swish(gate, s->half_raw, t->glu == GLU_HALVES ? 1.0f : t->alpha, count);
  asc_mul(s->gate, gate, other, count);
  asc_sync_pipe(PIPE_V);
}

__aicore__ static void row_add_block(__ubuf__ float *row, __ubuf__ float *block, uint32_t count) {
  begin_count(count);
  asc_add(row, row, block, 1, 1, 1, 0, 8, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}

/* Whether a group's only scale is zero, which then counts as one; read by the scalar unit. */
__aicore__ static bool scale_is_zero(const swiglu *s) {
  asc_sync_notify(PIPE_V, PIPE_S, 0);
  asc_sync_wait(PIPE_V, PIPE_S, 0);
  bool zero = s->quants[0] == 0.0f;
  asc_sync_notify(PIPE_S, PIPE_V, 0);
  asc_sync_wait(PIPE_S, PIPE_V, 0);
  return zero;
}

/* By the scales that are given: divided by each column's, or times the reciprocal of the only one. */
__aicore__ static void scale_statically(const swiglu *s, uint32_t count) {
  const swiglu_tiling *t = s->tiling;
  if (t->quant_count > 1) {
    asc_div(s->gate, s->gate, s->quants, count);
    asc_sync_pipe(PIPE_V);
  } else if (t->quant_count == 1 && !(t->grouped && scale_is_zero(s))) {
    asc_duplicate(s->part, 1.0f, FLOATS_PER_BLOCK);
    asc_sync_pipe(PIPE_V);
    asc_div(s->part, s->part, s->quants, FLOATS_PER_BLOCK);
    asc_sync_pipe(PIPE_V);
    row_mul_block(s->gate, s->part, count);
  }
  if (t->offset_count > 1) {
    asc_add(s->gate, s->gate, s->offsets, count);
    asc_sync_pipe(PIPE_V);
  } else if (t->offset_count == 1) {
    row_add_block(s->gate, s->offsets, count);
  }
}

/* The row as it is before it is rounded, but for its own scale. */
__aicore__ static void compute_chunk(swiglu *s, uint32_t row, uint32_t in_batch, uint32_t group, uint32_t chunk) {
  const swiglu_tiling *t = s->tiling;
  uint32_t count = chunk_length(t, chunk);
  load_parameters(s, group, chunk);
  dequantise(s, row, in_batch, chunk);
  gated(s, count);
  if (!t->dynamic) {
    scale_statically(s, count);
  } else if (t->quant_count > 1) {
    asc_mul(s->gate, s->gate, s->quants, count);
    asc_sync_pipe(PIPE_V);
  } else if (t->quant_count == 1) {
    row_mul_block(s->gate, s->quants, count);
  }
}

/* Rounded to whole numbers, by way of half, where all in range are exact. */
__aicore__ static void store_chunk(const swiglu *s, uint32_t row, uint32_t chunk) {
  const swiglu_tiling *t = s->tiling;
  uint32_t count = chunk_length(t, chunk);
  __ubuf__ int32_t *whole = (__ubuf__ int32_t *)s->half_raw;
  asc_float2int32_rn(whole, s->gate, count);
  asc_sync_pipe(PIPE_V);
  asc_int322float(s->gate, whole, count);
  asc_sync_pipe(PIPE_V);
  asc_float2half(s->narrow, s->gate, count);
  asc_sync_pipe(PIPE_V);
  asc_sync_notify(PIPE_MTE3, PIPE_V, 0); /* the last results have left */
  asc_sync_wait(PIPE_MTE3, PIPE_V, 0);
  asc_half2int8(s->packed, s->narrow, count);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  asc_copy_ub2gm_align((__gm__ int8_t *)s->y + (uint64_t)row * t->columns + (uint64_t)chunk * CHUNK, s->packed, count);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

/* The row's scale and what it is multiplied by (or, with groups, divided by). */
__aicore__ static void row_scale(swiglu *s, uint32_t row, uint32_t in_batch, uint32_t group) {
  const swiglu_tiling *t = s->tiling;
  __ubuf__ float *scale = s->scale_blocks + in_batch * FLOATS_PER_BLOCK;
  for (uint32_t chunk = 0; chunk < t->chunks; chunk++) {
    uint32_t count = chunk_length(t, chunk);
    compute_chunk(s, row, in_batch, group, chunk);
    asc_abs(s->half_raw, s->gate, count);
    asc_sync_pipe(PIPE_V);
    row_max(chunk == 0 ? s->maximum : s->part, s->half_raw, count, s->scratch);
    if (chunk == 0) continue;
    asc_max(s->maximum, s->maximum, s->part, FLOATS_PER_REPEAT);
    asc_sync_pipe(PIPE_V);
  }
  if (t->grouped) {
    asc_mul_scalar(s->multiplier, s->maximum, 1.0f / 127.0f, FLOATS_PER_BLOCK);
    asc_mul_scalar(scale, s->maximum, 1.0f / 127.0f, FLOATS_PER_BLOCK);
    asc_sync_pipe(PIPE_V);
    return;
  }
  asc_duplicate(s->part, 127.0f, FLOATS_PER_BLOCK);
  asc_duplicate(s->multiplier, 1.0f, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
  asc_div(scale, s->maximum, s->part, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
  asc_div(s->multiplier, s->multiplier, scale, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
}

__aicore__ static void quantise_row(swiglu *s, uint32_t row, uint32_t in_batch, uint32_t group) {
  const swiglu_tiling *t = s->tiling;
  if (t->dynamic) row_scale(s, row, in_batch, group);
  for (uint32_t chunk = 0; chunk < t->chunks; chunk++) {
    if (!t->dynamic || t->chunks > 1) compute_chunk(s, row, in_batch, group, chunk);
    if (t->dynamic && t->grouped)
      row_div_block(s->gate, s->multiplier, chunk_length(t, chunk));
    else if (t->dynamic)
      row_mul_block(s->gate, s->multiplier, chunk_length(t, chunk));
    store_chunk(s, row, chunk);
  }
}

/* Activation scales of a batch, each in a block of its own. */
__aicore__ static void load_activations(const swiglu *s, uint32_t first, uint32_t rows) {
  load_begin();
  asc_copy_gm2ub_align(s->activations, (__gm__ float *)s->activation + first, rows * (uint32_t)sizeof(float));
  load_end();
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
  asc_brcb((__ubuf__ uint32_t *)s->activation_blocks, (__ubuf__ uint32_t *)s->activations, 1, 8, (uint8_t)((rows + 7) / 8));
  asc_sync_pipe(PIPE_V);
}

/* Scales of a batch: one per block, gathered by keeping every fourth and then every second. */
__aicore__ static void store_scales(const swiglu *s, uint32_t first, uint32_t rows) {
  __ubuf__ uint32_t *from = (__ubuf__ uint32_t *)s->scale_blocks, *middle = s->scale_middle;
  uint16_t repeats = (uint16_t)((rows + 7) / 8);
  asc_sync_notify(PIPE_MTE3, PIPE_V, 1);
  asc_sync_wait(PIPE_MTE3, PIPE_V, 1);
  asc_reduce(middle, from, from, repeats, 1, 3, 8, 0);
  asc_sync_pipe(PIPE_V);
  asc_reduce((__ubuf__ uint32_t *)s->scale_dense, middle, middle, (uint16_t)((repeats * 16u + 63u) / 64u), 1, 1, 8, 0);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 1);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 1);
  asc_copy_ub2gm_align((__gm__ float *)s->scale + first, s->scale_dense, rows * (uint32_t)sizeof(float));
}

/* ---- groups ------------------------------------------------------------------------------------------- */

/* Where rows belong: a walk through the groups, in UB. Without groups there is one that holds every row. */
typedef struct walk {
  const swiglu_tiling *tiling;
  __ubuf__ int64_t *words;
  uint32_t at, group; /* place in the list, and the number of the group found there */
  uint64_t end;       /* rows up to and with it */
} walk;

__aicore__ static inline uint64_t rows_of(const walk *w, uint32_t at) {
  int64_t count = w->words[at * w->tiling->group_words + w->tiling->group_words - 1];
  return count > 0 ? (uint64_t)count : 0;
}
__aicore__ static void enter(walk *w) {
  w->group = w->tiling->group_words == 2 ? (uint32_t)w->words[2 * w->at] : w->at;
  w->end += rows_of(w, w->at);
}
__aicore__ static uint64_t begin_walk(walk *w) {
  uint64_t total = 0;
  if (!w->tiling->grouped) {
    w->end = w->tiling->rows;
    return w->tiling->rows;
  }
  for (uint32_t i = 0; i < w->tiling->groups; i++) total += rows_of(w, i);
  enter(w);
  return total;
}
/* The group of a row; rows come in ascending order. */
__aicore__ static uint32_t group_of(walk *w, uint64_t row) {
  while (row >= w->end && w->at + 1 < w->tiling->groups) {
    w->at++;
    enter(w);
  }
  return w->group;
}

__global__ __vector__ void dequant_swiglu_quant(__gm__ uint8_t *x, __gm__ uint8_t *weight, __gm__ uint8_t *activation, __gm__ uint8_t *bias,
                                                __gm__ uint8_t *quant, __gm__ uint8_t *offset, __gm__ int32_t *group_index, __gm__ uint8_t *y,
                                                __gm__ uint8_t *scale, swiglu_tiling tiling) {
  __ubuf__ float raw[2 * CHUNK], values[2 * CHUNK], weights[2 * CHUNK], biases[2 * CHUNK], pair[2 * CHUNK];
  __ubuf__ float quants[CHUNK], offsets[CHUNK], gate[CHUNK], half_raw[CHUNK];
  __ubuf__ half narrow[CHUNK];
  __ubuf__ int8_t packed[CHUNK];
  __ubuf__ int64_t words[2 * MAX_GROUPS];
  __ubuf__ float activations[ROW_BATCH], activation_blocks[ROW_BATCH * FLOATS_PER_BLOCK], scale_blocks[ROW_BATCH * FLOATS_PER_BLOCK];
  __ubuf__ float scale_dense[ROW_BATCH], scratch[REDUCE_FLOATS], maximum[64], part[64], multiplier[64];
  __ubuf__ uint32_t scale_middle[4 * ROW_BATCH];

  asc_init();
  const swiglu_tiling *t = &tiling;
  swiglu s = {.tiling = t, .x = x, .weight = weight, .activation = activation, .bias = bias, .quant = quant, .offset = offset, .y = y,
              .scale = scale, .raw = raw, .values = values, .weights = weights, .biases = biases, .pair = pair, .quants = quants,
              .offsets = offsets, .gate = gate, .half_raw = half_raw, .narrow = narrow, .packed = packed, .activations = activations,
              .activation_blocks = activation_blocks, .scale_blocks = scale_blocks, .scale_dense = scale_dense, .scale_middle = scale_middle,
              .scratch = scratch, .maximum = maximum, .part = part, .multiplier = multiplier, .loaded = UINT32_MAX};
  walk w = {.tiling = t, .words = words};
  if (t->grouped) {
    asc_copy_gm2ub_align((__ubuf__ int32_t *)words, group_index, t->groups * t->group_words * (uint32_t)sizeof(int64_t));
    asc_sync_notify(PIPE_MTE2, PIPE_S, 0);
    asc_sync_wait(PIPE_MTE2, PIPE_S, 0);
  }
  uint64_t total = begin_walk(&w);
  uint32_t block = vector_index(), blocks = (uint32_t)asc_get_block_num();
  uint32_t each = (uint32_t)(total / blocks), more = (uint32_t)(total % blocks);
  uint32_t first = block * each + (block < more ? block : more), count = each + (block < more ? 1 : 0);
  if (count == 0) return;
  reduce_prepare(scratch);
  asc_duplicate(part, 0.0f, 64);
  asc_duplicate(activations, 0.0f, ROW_BATCH);
  asc_duplicate(scale_blocks, 0.0f, ROW_BATCH * FLOATS_PER_BLOCK);
  asc_duplicate(scale_middle, 0u, 4 * ROW_BATCH);
  asc_sync_pipe(PIPE_V);
  for (uint32_t done = 0; done < count; done += ROW_BATCH) {
    uint32_t batch = count - done < ROW_BATCH ? count - done : ROW_BATCH;
    if (t->has_activation) load_activations(&s, first + done, batch);
    for (uint32_t i = 0; i < batch; i++) {
      uint32_t row = first + done + i;
      quantise_row(&s, row, i, group_of(&w, row));
    }
    if (t->dynamic) store_scales(&s, first + done, batch);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

enum { IN_X, IN_WEIGHT, IN_ACTIVATION, IN_BIAS, IN_QUANT, IN_OFFSET, IN_GROUPS, IN_COUNT };
enum { AT_LEFT, AT_MODE, AT_GLU, AT_LIMIT, AT_ALPHA, AT_BETA };

/* A tensor of rows, or with groups of a row for each: [columns], [1, columns] or [groups, columns]. */
static bool rows_fit(const sk_tensor *t, int64_t groups, int64_t columns) {
  if (groups == 0) return t->shape[t->rank - 1] == columns && (t->rank == 1 || t->shape[0] == 1);
  return t->rank == 2 && t->shape[0] == groups && t->shape[1] == columns;
}
/* The same, or one value (with groups: one for each). */
static bool values_fit(const sk_tensor *t, int64_t groups, int64_t columns) {
  if (rows_fit(t, groups, columns)) return true;
  return groups == 0 ? sk_ops_elements(t) == 1 : t->rank == 1 && t->shape[0] == groups;
}

static int check_attributes(const sk_ops_job *job) {
  const char *name = job->op->name;
  int64_t mode = sk_ops_integer(job, AT_MODE), glu_mode = sk_ops_integer(job, AT_GLU);
  double limit = sk_ops_real(job, AT_LIMIT);
  if (mode != 0 && mode != 1) return sk_ops_refuse(name, "quant_mode", (uint64_t)mode, "0 (static), 1 (dynamic)");
  if (glu_mode < 0 || glu_mode > 2) return sk_ops_refuse(name, "swiglu_mode", (uint64_t)glu_mode, "0, 1, 2");
  if (!isfinite(limit) || limit <= 0.0) return sk_ops_refuse_text(name, "clamp_limit", "not a positive number", "finite and above 0");
  if (!isfinite(sk_ops_real(job, AT_ALPHA))) return sk_ops_refuse_text(name, "glu_alpha", "no number", "finite");
  if (!isfinite(sk_ops_real(job, AT_BETA))) return sk_ops_refuse_text(name, "glu_bias", "no number", "finite");
  return ACL_SUCCESS;
}

static int check_scales(const sk_ops_job *job, int64_t groups, int64_t columns, uint64_t rows) {
  const char *name = job->op->name;
  const sk_tensor *x = job->in[IN_X], *weight = job->in[IN_WEIGHT], *activation = job->in[IN_ACTIVATION], *bias = job->in[IN_BIAS];
  if (x->dtype == SK_INT32 && weight == NULL) return sk_ops_refuse_null(name, "weight_scale", "a tensor when x is int32");
  if (x->dtype != SK_INT32 && activation != NULL) return sk_ops_refuse_text(name, "activation_scale", "given", "nothing when x is no int32");
  if (x->dtype != SK_INT32 && bias != NULL) return sk_ops_refuse_text(name, "bias", "given", "nothing when x is no int32");
  if (weight != NULL && !rows_fit(weight, groups, 2 * columns))
    return sk_ops_refuse_shape(name, "weight_scale", weight, "[2H] or [1, 2H]; with group_index [groups, 2H]");
  if (activation != NULL && (sk_ops_elements(activation) != rows || (activation->rank > 1 && activation->shape[activation->rank - 1] != 1)))
    return sk_ops_refuse_shape(name, "activation_scale", activation, "[rows] or [rows, 1]");
  if (bias != NULL && !rows_fit(bias, groups, 2 * columns)) return sk_ops_refuse_shape(name, "bias", bias, "[2H]; with group_index [groups, 2H]");
  return ACL_SUCCESS;
}

static int check_quantisation(const sk_ops_job *job, int64_t groups, int64_t columns) {
  const char *name = job->op->name, *legal = "[H], [1, H] or one element; with group_index [groups, H] or [groups]";
  const sk_tensor *quant = job->in[IN_QUANT], *offset = job->in[IN_OFFSET];
  bool dynamic = sk_ops_integer(job, AT_MODE) == 1;
  if (dynamic && offset != NULL) return sk_ops_refuse_text(name, "quant_offset", "given", "nothing with quant_mode 1");
  if (!dynamic && quant != NULL && offset == NULL) return sk_ops_refuse_null(name, "quant_offset", "a tensor when quant_mode is 0 and quant_scale is given");
  if (!dynamic && quant == NULL && offset != NULL) return sk_ops_refuse_null(name, "quant_scale", "a tensor when quant_offset is given");
  if (quant != NULL && !values_fit(quant, groups, columns)) return sk_ops_refuse_shape(name, "quant_scale", quant, legal);
  if (offset != NULL && !values_fit(offset, groups, columns)) return sk_ops_refuse_shape(name, "quant_offset", offset, legal);
  if (groups == 0 && quant != NULL && quant->dtype != SK_FLOAT) return sk_ops_refuse_dtype(name, "quant_scale", quant, "float32 without group_index");
  if (groups == 0 && offset != NULL && offset->dtype != SK_FLOAT) return sk_ops_refuse_dtype(name, "quant_offset", offset, "float32 without group_index");
  return ACL_SUCCESS;
}

static int plan(sk_ops_job *job) {
  const char *name = job->op->name;
  const sk_tensor *x = job->in[IN_X], *list = job->in[IN_GROUPS];
  int64_t last = x->shape[x->rank - 1], columns = last / 2, groups = list != NULL ? list->shape[0] : 0;
  uint64_t rows = sk_ops_rows(x);
  int error = check_attributes(job);
  if (error != ACL_SUCCESS) return error;
  if (last == 0 || last % 2 != 0) return sk_ops_refuse_shape(name, "x", x, "an even last dimension of 2 and above");
  if (rows > INT32_MAX) return sk_ops_refuse_shape(name, "x", x, "at most 2147483647 rows");
  if (list != NULL && (groups == 0 || groups > (int64_t)MAX_GROUPS || (list->rank == 2 && list->shape[1] != 2)))
    return sk_ops_refuse_shape(name, "group_index", list, "[groups] or [groups, 2], 1 to 1024 groups");
  if (list != NULL && last % 64 != 0) return sk_ops_refuse_shape(name, "x", x, "a last dimension that is a multiple of 64 with group_index");
  if (list != NULL && x->dtype == SK_FLOAT16) return sk_ops_refuse_dtype(name, "x", x, "int32, bfloat16 with group_index");
  error = check_scales(job, groups, columns, rows);
  if (error == ACL_SUCCESS) error = check_quantisation(job, groups, columns);
  if (error != ACL_SUCCESS) return error;
  sk_ops_output(&job->out[0], x, SK_INT8);
  job->out[0].shape[x->rank - 1] = columns;
  sk_ops_output(&job->out[1], x, SK_FLOAT);
  job->out[1].rank--;
  return ACL_SUCCESS;
}

/* Elements of a row of a tensor that has one row, or one for each group. */
static uint32_t count_of(const sk_tensor *t, uint32_t groups) { return t == NULL ? 0 : (uint32_t)(sk_ops_elements(t) / (groups > 0 ? groups : 1)); }
static uint32_t type_of(const sk_tensor *t) { return t != NULL ? (uint32_t)t->dtype : DTYPE_FLOAT; }

static int launch(const sk_ops_job *job) {
  const sk_tensor *x = job->in[IN_X], *list = job->in[IN_GROUPS];
  uint32_t cores = sk_ops_vector_cores(job->blocks), groups = list != NULL ? (uint32_t)list->shape[0] : 0, rows = (uint32_t)sk_ops_rows(x);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  swiglu_tiling tiling = {
      .rows = rows, .columns = (uint32_t)sk_ops_columns(x) / 2, .dtype = (uint32_t)x->dtype,
      /* Without groups the clamped forms are not looked at; with them the first of a pair, or the first half, is the gate. */
      .glu = list != NULL ? (uint32_t)sk_ops_integer(job, AT_GLU) : GLU_HALVES, .dynamic = sk_ops_integer(job, AT_MODE) == 1,
      .grouped = list != NULL, .groups = groups, .group_words = list != NULL && list->rank == 2 ? 2 : 1,
      .has_weight = job->in[IN_WEIGHT] != NULL, .has_activation = job->in[IN_ACTIVATION] != NULL, .has_bias = job->in[IN_BIAS] != NULL,
      .bias_dtype = type_of(job->in[IN_BIAS]), .quant_dtype = type_of(job->in[IN_QUANT]), .quant_count = count_of(job->in[IN_QUANT], groups),
      .offset_dtype = type_of(job->in[IN_OFFSET]), .offset_count = count_of(job->in[IN_OFFSET], groups),
      .limit = (float)sk_ops_real(job, AT_LIMIT), .alpha = (float)sk_ops_real(job, AT_ALPHA), .beta = (float)sk_ops_real(job, AT_BETA),
  };
  tiling.chunks = (tiling.columns + CHUNK - 1) / CHUNK;
  tiling.gate_right = tiling.glu == GLU_HALVES && sk_ops_integer(job, AT_LEFT) == 0;
  __gm__ uint8_t *in[IN_COUNT];
  for (uint32_t i = 0; i < IN_COUNT; i++) in[i] = job->in[i] != NULL ? (__gm__ uint8_t *)job->in[i]->data : NULL;
  sk_ops_begin_launch();
  dequant_swiglu_quant<<<(rows < cores ? rows : cores), 0, job->stream>>>(in[IN_X], in[IN_WEIGHT], in[IN_ACTIVATION], in[IN_BIAS], in[IN_QUANT], in[IN_OFFSET],
                                                        (__gm__ int32_t *)in[IN_GROUPS], (__gm__ uint8_t *)job->out[0].data,
                                                        (__gm__ uint8_t *)job->out[1].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_dequant_swiglu_quant = {plan, launch};
