/* quant_matmul.c - int8 matrix product whose int32 sums leave as float16, bfloat16, int8 or int32.
 *
 * Packed scales (and int32 results) are the fixpipe's work: a kernel on cube cores alone. Scales in floating point,
 * scales per token, float biases and a separate offset are the vector cores' work: the cube writes a block of sums to
 * workspace, its two vector cores take half the rows each. Two blocks of sums per cube core are in flight; flags
 * between the cores say "full" and "free" for each. */
#include "acl/acl.h"
#include "cube_host.h"
#include "row_tools.h"

#define PITCH CUBE_BLOCK_N       /* integers from row to row of a block of sums */
#define SUMS_BYTES (CUBE_BLOCK_M * PITCH * 4u)
#define CHUNK_ROWS 32u           /* rows a vector core works on at once */
#define SLOTS 2u
/* Flags between the cube and its vector cores, one per slot. */
#define FULL 0
#define FREE 2
/* Flags between V and MTE2: chunks have 0 and 1, what belongs to the columns 2. */
#define COLUMNS_FREE 2

#define CTRL_FLOAT_INF_NAN (UINT64_C(1) << 48)

/* How sums become results. */
typedef enum finish {
  FINISH_INT32,      /* as they are */
  FINISH_FIX_HALF,   /* packed scale, fixpipe */
  FINISH_FIX_INT8,
  FINISH_FLOAT,      /* scale, then per token, then bias, one rounding */
  FINISH_CUT_HALF,   /* a float scale used as if packed: ten bits of mantissa, clamped to the largest half */
  FINISH_CUT_INT8    /* the same with nine bits and the offset in between */
} finish;

typedef struct quant_tiling {
  cube_tiling cube;
  uint32_t finish, out_dtype, out_bytes;
  uint32_t scale_dtype, scale_bytes, scale_count, offset_count;
  uint32_t bias_dtype, bias_bytes, bias_batched, float_bias;
} quant_tiling;

/* ---- the cube's side ------------------------------------------------------------------------------- */

typedef struct fix_side {
  __cbuf__ uint8_t *scale1;
  __fbuf__ uint64_t *table;
  __gm__ uint8_t *scale;
} fix_side;

/* Scales of the block's columns by way of L1 into the fixpipe's table, zeros behind the last. */
__aicore__ static void load_scales(const fix_side *f, const cube_block *b) {
  asc_fill_value_config all = {.repeat = 1, .blk_num = CUBE_BLOCK_N * 8 / 32, .dst_gap = 0};
  asc_sync_wait(PIPE_FIX, PIPE_MTE2, 0);
  asc_fill_l1((__cbuf__ uint32_t *)f->scale1, 0u, all);
  asc_sync_pipe(PIPE_MTE2);
  asc_copy_gm2l1_nd2nz((__cbuf__ int32_t *)f->scale1, (__gm__ int32_t *)(f->scale + (uint64_t)b->n0 * 8), 1, 1, (uint16_t)(2 * b->n), 0,
                       (uint16_t)(2 * b->n), 1, 1, 0);
  asc_sync_notify(PIPE_MTE2, PIPE_FIX, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_FIX, 0);
  asc_copy_l12fb((__fbuf__ void *)f->table, (__cbuf__ void *)f->scale1, cube_up(b->n * 8, 128));
  asc_sync_pipe(PIPE_FIX);
  asc_sync_notify(PIPE_FIX, PIPE_MTE2, 0);
}

/* Half a block to the result, or to the block of sums. */
__aicore__ static void store_half(const quant_tiling *t, const fix_side *f, __gm__ uint8_t *to, uint32_t pitch, __cc__ uint8_t *c, uint32_t m,
                                  uint32_t n, uint32_t half_block) {
  uint16_t rows = (uint16_t)m, columns = (uint16_t)n, step = (uint16_t)cube_up(m == 1 ? 2 : m, 16);
  bool single = t->scale_count == 1;
  if (t->finish == FINISH_FIX_HALF || t->finish == FINISH_FIX_INT8) asc_set_l0c2gm_config(0, (uint64_t)(f->table + half_block * CUBE_HALF_N), false);
  if (t->finish == FINISH_FIX_HALF)
    asc_copy_l0c2gm((__gm__ half *)to, (__cc__ int32_t *)c, columns, rows, pitch, step, 0, single ? DEQF16 : VDEQF16, 0, false, true);
  else if (t->finish == FINISH_FIX_INT8)
    asc_copy_l0c2gm((__gm__ int8_t *)to, (__cc__ int32_t *)c, columns, rows, pitch, step, 0, single ? REQ8 : VREQ8, 0, false, true);
  else
    asc_copy_l0c2gm((__gm__ int32_t *)to, (__cc__ int32_t *)c, columns, rows, pitch, step, 0, NoQuant, 0, false, true);
}

__aicore__ static void store_block(const quant_tiling *t, const fix_side *f, const cube_core *c, const cube_block *b, __gm__ uint8_t *to,
                                   uint32_t pitch, uint32_t bytes) {
  for (uint32_t half_block = 0; half_block < 2; half_block++) {
    uint32_t n = cube_half_columns(b, half_block);
    if (n == 0) break;
    asc_sync_notify(PIPE_M, PIPE_FIX, half_block);
    asc_sync_wait(PIPE_M, PIPE_FIX, half_block);
    store_half(t, f, to + half_block * CUBE_HALF_N * bytes, pitch, c->c0 + half_block * CUBE_C0_FLOATS * 4, b->m, n, half_block);
    asc_sync_notify(PIPE_FIX, PIPE_M, half_block);
  }
}

__aicore__ static inline uint64_t result_index(const quant_tiling *t, const cube_block *b) {
  return ((uint64_t)b->batch * t->cube.m + b->m0) * t->cube.n + b->n0;
}

/* The block's int32 bias, where there is one. */
__aicore__ static void choose_bias(cube_core *c, const quant_tiling *t, const cube_block *b, __gm__ uint8_t *bias) {
  c->bias = bias + (t->bias_batched ? (uint64_t)b->batch * t->cube.n * 4 : 0);
}

__global__ __cube__ void quant_matmul_fix(__gm__ uint8_t *x1, __gm__ uint8_t *x2, __gm__ uint8_t *scale, __gm__ uint8_t *bias, __gm__ uint8_t *out,
                                          quant_tiling tiling) {
  __cbuf__ uint8_t a1[2 * CUBE_A1_BYTES], b1[2 * CUBE_B1_BYTES], bias1[CUBE_BLOCK_N * 4], scale1[CUBE_BLOCK_N * 8];
  __ca__ uint8_t a0[2 * CUBE_L0_BYTES];
  __cb__ uint8_t b0[2 * CUBE_L0_BYTES];
  __cc__ int32_t c0[2 * CUBE_C0_FLOATS];
  __fbuf__ uint64_t table[CUBE_BLOCK_N];
  asc_init();
  const quant_tiling *t = &tiling;
  cube_core c = {.tiling = &t->cube, .a1 = a1, .b1 = b1, .bias1 = bias1, .a0 = a0, .b0 = b0, .c0 = (__cc__ uint8_t *)c0, .a = x1, .b = x2};
  fix_side f = {.scale1 = scale1, .table = table, .scale = scale};
  bool fixed = t->finish != FINISH_INT32, columns = fixed && t->scale_count > 1;
  uint64_t ctrl = (uint64_t)asc_get_ctrl();
  if (fixed && !columns) {
    asc_dcci_single(scale); /* somebody may have written it since this core read the line */
    asc_set_l0c_copy_prequant(*(__gm__ uint64_t *)scale);
  }
  if (t->finish == FINISH_FIX_HALF) asc_set_ctrl(ctrl & ~CTRL_FLOAT_INF_NAN);
  uint32_t blocks = cube_blocks(c.tiling);
  cube_all_free(&c);
  if (columns) asc_sync_notify(PIPE_FIX, PIPE_MTE2, 0);
  for (uint32_t i = (uint32_t)asc_get_block_idx(); i < blocks; i += (uint32_t)asc_get_block_num()) {
    cube_block block = cube_block_at(c.tiling, i);
    choose_bias(&c, t, &block, bias);
    if (columns) load_scales(&f, &block);
    cube_multiply(&c, &block);
    store_block(t, &f, &c, &block, out + result_index(t, &block) * t->out_bytes, t->cube.n, t->out_bytes);
  }
  cube_take_back(&c);
  if (columns) asc_sync_wait(PIPE_FIX, PIPE_MTE2, 0);
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse its memories at once */
  asc_set_ctrl(ctrl);
}

/* ---- the vector cores' side ------------------------------------------------------------------------ */

typedef struct vector_side {
  const quant_tiling *tiling;
  __gm__ uint8_t *scale, *offset, *pertoken, *bias, *out;
  __ubuf__ uint8_t *sums[2], *narrow[2];                   /* a chunk each; a row takes PITCH places */
  __ubuf__ uint8_t *raw;                                   /* columns as they come */
  __ubuf__ float *scales, *biases, *token_blocks;          /* in float; one scale stands in a block of eight */
  __ubuf__ float *tokens[2];
  __ubuf__ int32_t *offsets;
  uint32_t turn;
} vector_side;

/* A row with one value per column, or with one for all that stands in a block; between begin_count and end_count. */
#define ROW_STRIDES(single) 1, 1, 1, (uint8_t)((single) ? 0 : 1), 8, 8, (uint8_t)((single) ? 0 : 8)

/* The first element of `from` in all eight of its block. */
__aicore__ static void spread_first(__ubuf__ int32_t *row, __ubuf__ int32_t *scratch) {
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
  asc_brcb((__ubuf__ uint32_t *)scratch, (__ubuf__ uint32_t *)row, 1, 8, 1);
  asc_sync_pipe(PIPE_V);
  asc_max(row, scratch, scratch, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
}

/* Columns of one operand to UB; V was told by the last block that it is done with the buffers. */
__aicore__ static void load_columns(__ubuf__ uint8_t *raw, __gm__ uint8_t *from, uint64_t first, uint32_t count, uint32_t bytes) {
  asc_sync_wait(PIPE_V, PIPE_MTE2, COLUMNS_FREE);
  asc_copy_gm2ub_align(raw, from + first * bytes, count * bytes);
  asc_sync_notify(PIPE_MTE2, PIPE_V, COLUMNS_FREE);
  asc_sync_wait(PIPE_MTE2, PIPE_V, COLUMNS_FREE);
}
__aicore__ static void columns_taken(void) { asc_sync_notify(PIPE_V, PIPE_MTE2, COLUMNS_FREE); }

__aicore__ static void load_scale_row(const vector_side *v, const cube_block *b) {
  const quant_tiling *t = v->tiling;
  bool single = t->scale_count == 1;
  uint32_t count = single ? 1 : b->n;
  __ubuf__ float *mask = v->token_blocks; /* not in use yet */
  load_columns(v->raw, v->scale, single ? 0 : b->n0, count, t->scale_bytes);
  if (t->scale_bytes == 8) {
    begin_count(2 * count);
    asc_reduce((__ubuf__ uint32_t *)v->scales, (__ubuf__ uint32_t *)v->raw, (__ubuf__ uint32_t *)v->raw, 1, 1, 1, 8, 0);
    end_count();
    asc_sync_pipe(PIPE_V);
  } else {
    row_to_float(v->scales, (__ubuf__ float *)v->raw, t->scale_dtype, count);
  }
  if (t->finish != FINISH_FLOAT) { /* ten bits of mantissa */
    asc_duplicate((__ubuf__ uint32_t *)mask, 0xffffe000u, count);
    asc_sync_pipe(PIPE_V);
    asc_and((__ubuf__ uint16_t *)v->scales, (__ubuf__ uint16_t *)v->scales, (__ubuf__ uint16_t *)mask, 2 * count);
    asc_sync_pipe(PIPE_V);
  }
  if (single) spread_first((__ubuf__ int32_t *)v->scales, (__ubuf__ int32_t *)v->token_blocks);
  columns_taken();
}

__aicore__ static void load_bias_row(const vector_side *v, const cube_block *b) {
  const quant_tiling *t = v->tiling;
  load_columns(v->raw, v->bias, (t->bias_batched ? (uint64_t)b->batch * t->cube.n : 0) + b->n0, b->n, t->bias_bytes);
  row_to_float(v->biases, (__ubuf__ float *)v->raw, t->bias_dtype, b->n);
  columns_taken();
}

/* Rounded and clipped to nine bits. */
__aicore__ static void load_offset_row(const vector_side *v, const cube_block *b) {
  bool single = v->tiling->offset_count == 1;
  uint32_t count = single ? 1 : b->n;
  load_columns(v->raw, v->offset, single ? 0 : b->n0, count, 4);
  asc_float2int32_rn(v->offsets, (__ubuf__ float *)v->raw, count);
  asc_sync_pipe(PIPE_V);
  asc_max_scalar(v->offsets, v->offsets, -256, count);
  asc_sync_pipe(PIPE_V);
  asc_min_scalar(v->offsets, v->offsets, 255, count);
  asc_sync_pipe(PIPE_V);
  if (single) spread_first(v->offsets, (__ubuf__ int32_t *)v->token_blocks);
  columns_taken();
}

#define EACH_ROW(statement)                                     \
  for (uint32_t r = 0; r < rows; r++) {                         \
    __ubuf__ float *row = sums + r * PITCH;                     \
    __ubuf__ int32_t *whole = (__ubuf__ int32_t *)row;          \
    (void)whole;                                                \
    statement;                                                  \
  }                                                             \
  asc_sync_pipe(PIPE_V)

/* Sums to results of the type, in `narrow`. */
__aicore__ static void finish_float(const vector_side *v, __ubuf__ float *sums, __ubuf__ uint8_t *narrow, uint32_t rows, uint32_t n) {
  const quant_tiling *t = v->tiling;
  EACH_ROW(asc_int322float(row, whole, n));
  begin_count(n);
  EACH_ROW(asc_mul(row, row, v->scales, ROW_STRIDES(t->scale_count == 1)));
  if (v->pertoken != NULL) {
    EACH_ROW(asc_mul(row, row, v->token_blocks + r * FLOATS_PER_BLOCK, ROW_STRIDES(true)));
  }
  end_count();
  if (t->float_bias) {
    EACH_ROW(asc_add(row, row, v->biases, n));
  }
  if (t->finish == FINISH_CUT_HALF) {
    EACH_ROW(asc_min_scalar(row, row, 65504.0f, n));
    EACH_ROW(asc_max_scalar(row, row, -65504.0f, n));
  }
  if (t->out_dtype == DTYPE_HALF) {
    EACH_ROW(asc_float2half_rn((__ubuf__ half *)narrow + r * PITCH, row, n));
  } else {
    EACH_ROW(asc_float2bfloat16_rn((__ubuf__ bfloat16_t *)narrow + r * PITCH, row, n));
  }
}

__aicore__ static void finish_int8(const vector_side *v, __ubuf__ float *sums, __ubuf__ uint8_t *narrow, uint32_t rows, uint32_t n) {
  const quant_tiling *t = v->tiling;
  EACH_ROW(asc_int322float(row, whole, n));
  begin_count(n);
  EACH_ROW(asc_mul(row, row, v->scales, ROW_STRIDES(t->scale_count == 1)));
  end_count();
  EACH_ROW(asc_float2int32_rn(whole, row, n));
  EACH_ROW(asc_max_scalar(whole, whole, -256, n));
  EACH_ROW(asc_min_scalar(whole, whole, 255, n));
  if (v->offset != NULL) {
    begin_count(n);
    EACH_ROW(asc_add(whole, whole, v->offsets, ROW_STRIDES(t->offset_count == 1)));
    end_count();
  }
  /* Half holds what is left exactly; the last step clamps to eight bits. */
  EACH_ROW(asc_int322float(row, whole, n));
  EACH_ROW(asc_float2half((__ubuf__ half *)row, row, n));
  EACH_ROW(asc_half2int8((__ubuf__ int8_t *)narrow + r * PITCH, (__ubuf__ half *)row, n));
}

/* One chunk of a block of sums: rows first and up. */
__aicore__ static void chunk(vector_side *v, const cube_block *b, __gm__ uint8_t *sums, uint32_t first, uint32_t rows) {
  const quant_tiling *t = v->tiling;
  uint32_t turn = v->turn, len = b->n * 4;
  asc_sync_wait(PIPE_V, PIPE_MTE2, turn);
  asc_copy_gm2ub_align(v->sums[turn], sums + (uint64_t)first * PITCH * 4, (uint16_t)rows, len, 0, 0, PITCH * 4 - len,
                       (PITCH * 4 - round_up(len, 32)) / 32);
  if (v->pertoken != NULL) asc_copy_gm2ub_align((__ubuf__ uint8_t *)v->tokens[turn], v->pertoken + ((uint64_t)b->m0 + first) * 4, rows * 4);
  asc_sync_notify(PIPE_MTE2, PIPE_V, turn);
  asc_sync_wait(PIPE_MTE2, PIPE_V, turn);
  asc_sync_wait(PIPE_MTE3, PIPE_V, turn);
  if (v->pertoken != NULL) {
    asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
    asc_brcb((__ubuf__ uint32_t *)v->token_blocks, (__ubuf__ uint32_t *)v->tokens[turn], 1, 8, (uint8_t)((rows + 7) / 8));
    asc_sync_pipe(PIPE_V);
  }
  if (t->finish == FINISH_CUT_INT8)
    finish_int8(v, (__ubuf__ float *)v->sums[turn], v->narrow[turn], rows, b->n);
  else
    finish_float(v, (__ubuf__ float *)v->sums[turn], v->narrow[turn], rows, b->n);
  asc_sync_notify(PIPE_V, PIPE_MTE2, turn);
  asc_sync_notify(PIPE_V, PIPE_MTE3, turn);
  asc_sync_wait(PIPE_V, PIPE_MTE3, turn);
  uint32_t out_bytes = b->n * t->out_bytes;
  asc_copy_ub2gm_align(v->out + (result_index(t, b) + (uint64_t)first * t->cube.n) * t->out_bytes, v->narrow[turn], (uint16_t)rows, out_bytes, 0, 0,
                       (PITCH * t->out_bytes - round_up(out_bytes, 32)) / 32, (t->cube.n - b->n) * t->out_bytes);
  asc_sync_notify(PIPE_MTE3, PIPE_V, turn);
  v->turn ^= 1u;
}

/* This vector core's rows of a block of sums. */
__aicore__ static void finish_block(vector_side *v, const cube_block *b, __gm__ uint8_t *sums) {
  uint32_t parts = (uint32_t)asc_get_sub_block_num(), part = (uint32_t)asc_get_sub_block_id(), each = (b->m + parts - 1) / parts;
  uint32_t first = part * each < b->m ? part * each : b->m, last = first + each < b->m ? first + each : b->m;
  load_scale_row(v, b);
  if (v->tiling->float_bias) load_bias_row(v, b);
  if (v->offset != NULL) load_offset_row(v, b);
  for (uint32_t row = first; row < last; row += CHUNK_ROWS) chunk(v, b, sums, row, last - row < CHUNK_ROWS ? last - row : CHUNK_ROWS);
}

/* ---- both sides ------------------------------------------------------------------------------------ */

typedef struct mix_memory { __gm__ uint8_t *x1, *x2, *scale, *offset, *pertoken, *bias, *out, *sums; } mix_memory;

/* Where the turn-th block of this cube core stands between the two sides. */
__aicore__ static inline __gm__ uint8_t *slot_of(__gm__ uint8_t *sums, uint32_t turn) {
  return sums + ((uint64_t)asc_get_block_idx() * SLOTS + turn % SLOTS) * SUMS_BYTES;
}

__aicore__ static void cube_side(const quant_tiling *t, const mix_memory *g, cube_core *c) {
  uint32_t blocks = cube_blocks(&t->cube), turn = 0;
  cube_all_free(c);
  for (uint32_t i = (uint32_t)asc_get_block_idx(); i < blocks; i += (uint32_t)asc_get_block_num(), turn++) {
    cube_block block = cube_block_at(&t->cube, i);
    choose_bias(c, t, &block, g->bias);
    cube_multiply(c, &block);
    if (turn >= SLOTS) asc_sync_block_wait(PIPE_FIX, FREE + turn % SLOTS);
    store_block(t, NULL, c, &block, slot_of(g->sums, turn), PITCH, 4);
    asc_sync_block_arrive(PIPE_FIX, FULL + turn % SLOTS);
  }
  for (uint32_t left = turn < SLOTS ? turn : SLOTS; left > 0; left--) asc_sync_block_wait(PIPE_FIX, FREE + (turn - left) % SLOTS);
  cube_take_back(c);
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse its memories at once */
}

__aicore__ static void finish_all(const quant_tiling *t, const mix_memory *g, vector_side *v) {
  uint32_t blocks = cube_blocks(&t->cube), turn = 0;
  for (int i = 0; i < 2; i++) asc_duplicate(v->tokens[i], 0.0f, CHUNK_ROWS); /* whole blocks of eight are spread, also behind the last row */
  asc_duplicate(v->scales, 0.0f, FLOATS_PER_BLOCK);
  asc_duplicate(v->offsets, 0, FLOATS_PER_BLOCK);
  for (int i = 0; i < 3; i++) asc_sync_notify(PIPE_V, PIPE_MTE2, i);
  for (int i = 0; i < 2; i++) asc_sync_notify(PIPE_MTE3, PIPE_V, i);
  for (uint32_t i = (uint32_t)asc_get_block_idx(); i < blocks; i += (uint32_t)asc_get_block_num(), turn++) {
    cube_block block = cube_block_at(&t->cube, i);
    asc_sync_block_wait(PIPE_MTE2, FULL + turn % SLOTS);
    finish_block(v, &block, slot_of(g->sums, turn));
    asc_sync_block_arrive(PIPE_MTE2, FREE + turn % SLOTS);
  }
  for (int i = 0; i < 3; i++) asc_sync_wait(PIPE_V, PIPE_MTE2, i);
  for (int i = 0; i < 2; i++) asc_sync_wait(PIPE_MTE3, PIPE_V, i);
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

__global__ __mix__(1, 2) void quant_matmul_mix(__gm__ uint8_t *x1, __gm__ uint8_t *x2, __gm__ uint8_t *scale, __gm__ uint8_t *offset,
                                               __gm__ uint8_t *pertoken, __gm__ uint8_t *bias, __gm__ uint8_t *out, __gm__ uint8_t *sums,
                                               quant_tiling tiling) {
  __cbuf__ uint8_t a1[2 * CUBE_A1_BYTES], b1[2 * CUBE_B1_BYTES], bias1[CUBE_BLOCK_N * 4];
  __ca__ uint8_t a0[2 * CUBE_L0_BYTES];
  __cb__ uint8_t b0[2 * CUBE_L0_BYTES];
  __cc__ int32_t c0[2 * CUBE_C0_FLOATS];
  __ubuf__ uint8_t chunks[2 * CHUNK_ROWS * PITCH * 4], narrow[2 * CHUNK_ROWS * PITCH * 2], raw[PITCH * 8];
  __ubuf__ float scales[PITCH], biases[PITCH], tokens[2 * CHUNK_ROWS], token_blocks[CHUNK_ROWS * FLOATS_PER_BLOCK];
  __ubuf__ int32_t offsets[PITCH];
  asc_init();
  const mix_memory g = {x1, x2, scale, offset, pertoken, bias, out, sums};
  if (ASCEND_IS_AIC) {
    cube_core c = {.tiling = &tiling.cube, .a1 = a1, .b1 = b1, .bias1 = bias1, .a0 = a0, .b0 = b0, .c0 = (__cc__ uint8_t *)c0, .a = x1, .b = x2};
    cube_side(&tiling, &g, &c);
  }
  if (ASCEND_IS_AIV) {
    vector_side v = {.tiling = &tiling, .scale = scale, .offset = offset, .pertoken = pertoken, .bias = bias, .out = out,
                     .sums = {chunks, chunks + CHUNK_ROWS * PITCH * 4}, .narrow = {narrow, narrow + CHUNK_ROWS * PITCH * 2}, .raw = raw,
                     .scales = scales, .biases = biases, .tokens = {tokens, tokens + CHUNK_ROWS}, .token_blocks = token_blocks, .offsets = offsets};
    finish_all(&tiling, &g, &v);
  }
}

/* ---- host ---- */

enum { IN_X1, IN_X2, IN_SCALE, IN_OFFSET, IN_PERTOKEN, IN_BIAS };
enum { AT_OUTPUT_DTYPE, AT_TRANSPOSE_X1, AT_TRANSPOSE_X2 };

static bool is_packed(const sk_tensor *scale) { return scale->dtype == SK_INT64 || scale->dtype == SK_UINT64; }

/* Which types go together. */
static int check_types(const sk_ops_job *job, sk_dtype out) {
  const char *name = job->op->name;
  const sk_tensor *scale = job->in[IN_SCALE], *offset = job->in[IN_OFFSET], *pertoken = job->in[IN_PERTOKEN], *bias = job->in[IN_BIAS];
  if (out != SK_FLOAT16 && out != SK_BF16 && out != SK_INT8 && out != SK_INT32)
    return sk_ops_refuse(name, "output_dtype", (uint64_t)out, "1 float16, 2 int8, 3 int32, 27 bfloat16");
  if (is_packed(scale) && out != SK_FLOAT16 && out != SK_INT8)
    return sk_ops_refuse_dtype(name, "scale", scale, "float32 or bfloat16 for bfloat16 and int32 results; packed words for float16 and int8");
  if (scale->dtype == SK_BF16 && out != SK_BF16 && out != SK_INT32)
    return sk_ops_refuse_dtype(name, "scale", scale, "int64, uint64 or float32 for float16 and int8 results");
  if (offset != NULL && out != SK_INT8) return sk_ops_refuse_text(name, "offset", "given", "nothing but for int8 results");
  if (pertoken != NULL && (is_packed(scale) || (out != SK_FLOAT16 && out != SK_BF16)))
    return sk_ops_refuse_text(name, "pertoken_scale", "given", "a float32 scale and float16 results, or bfloat16 results");
  if (bias == NULL || bias->dtype == SK_INT32) return ACL_SUCCESS;
  bool fits = out == SK_BF16 ? bias->dtype == SK_BF16 || bias->dtype == SK_FLOAT
                             : out == SK_FLOAT16 && pertoken != NULL && (bias->dtype == SK_FLOAT16 || bias->dtype == SK_FLOAT);
  if (fits) return ACL_SUCCESS;
  return sk_ops_refuse_dtype(name, "bias", bias,
                             "int32; with bfloat16 results bfloat16 and float32 too, with float16 results and pertoken_scale float16 and float32 too");
}

static int check_columns(const sk_ops_job *job, uint32_t input, int64_t n) {
  const sk_tensor *t = job->in[input];
  if (t == NULL || t->shape[0] == n || t->shape[0] == 1) return ACL_SUCCESS;
  return sk_ops_refuse_shape(job->op->name, job->op->inputs[input].name, t, "[n] or [1]");
}

static int shapes(const sk_ops_job *job, cube_tiling *t, sk_tensor *out) {
  const char *name = job->op->name;
  const sk_tensor *pertoken = job->in[IN_PERTOKEN], *bias = job->in[IN_BIAS];
  out->dtype = (sk_dtype)sk_ops_integer(job, AT_OUTPUT_DTYPE);
  int error = check_types(job, out->dtype);
  if (error == ACL_SUCCESS)
    error = sk_ops_cube_shapes(job, job->in[IN_X1], job->in[IN_X2], sk_ops_integer(job, AT_TRANSPOSE_X1) != 0,
                               sk_ops_integer(job, AT_TRANSPOSE_X2) != 0, t, out);
  if (error == ACL_SUCCESS && t->m == 0) error = sk_ops_refuse_shape(name, "x1", job->in[IN_X1], "1 and above along m");
  if (error == ACL_SUCCESS && t->n == 0) error = sk_ops_refuse_shape(name, "x2", job->in[IN_X2], "1 and above along n");
  if (error == ACL_SUCCESS) error = check_columns(job, IN_SCALE, t->n);
  if (error == ACL_SUCCESS) error = check_columns(job, IN_OFFSET, t->n);
  if (error != ACL_SUCCESS) return error;
  if (pertoken != NULL && pertoken->shape[0] != (int64_t)t->m) return sk_ops_refuse_shape(name, "pertoken_scale", pertoken, "[m]");
  if (bias == NULL) return ACL_SUCCESS;
  bool row = bias->rank == 1 && bias->shape[0] == (int64_t)t->n;
  bool batched = bias->rank == 3 && out->rank == 3 && bias->shape[0] == out->shape[0] && bias->shape[1] == 1 && bias->shape[2] == (int64_t)t->n;
  return row || batched ? ACL_SUCCESS : sk_ops_refuse_shape(name, "bias", bias, "[n], or [batch, 1, n] when the result has three dimensions");
}

static finish finish_of(const sk_ops_job *job, sk_dtype out) {
  bool packed = is_packed(job->in[IN_SCALE]);
  if (out == SK_INT32) return FINISH_INT32;
  if (out == SK_BF16 || job->in[IN_PERTOKEN] != NULL) return FINISH_FLOAT;
  if (out == SK_FLOAT16) return packed ? FINISH_FIX_HALF : FINISH_CUT_HALF;
  return packed && job->in[IN_OFFSET] == NULL ? FINISH_FIX_INT8 : FINISH_CUT_INT8;
}
static bool on_cube_alone(uint32_t finish) { return finish == FINISH_INT32 || finish == FINISH_FIX_HALF || finish == FINISH_FIX_INT8; }

static quant_tiling tiling_of(const sk_ops_job *job, const cube_tiling *cube, sk_dtype out) {
  const sk_tensor *scale = job->in[IN_SCALE], *offset = job->in[IN_OFFSET], *bias = job->in[IN_BIAS];
  bool whole_bias = bias != NULL && bias->dtype == SK_INT32;
  quant_tiling t = {
      .cube = *cube, .finish = (uint32_t)finish_of(job, out), .out_dtype = (uint32_t)out, .out_bytes = (uint32_t)sk_dtype_bytes(out),
      .scale_dtype = (uint32_t)scale->dtype, .scale_bytes = (uint32_t)sk_dtype_bytes(scale->dtype), .scale_count = (uint32_t)scale->shape[0],
      .offset_count = offset != NULL ? (uint32_t)offset->shape[0] : 0, .bias_dtype = bias != NULL ? (uint32_t)bias->dtype : 0,
      .bias_bytes = bias != NULL ? (uint32_t)sk_dtype_bytes(bias->dtype) : 0, .bias_batched = bias != NULL && bias->rank == 3,
      .float_bias = bias != NULL && !whole_bias,
  };
  t.cube.has_bias = whole_bias;
  return t;
}

static int plan(sk_ops_job *job) {
  cube_tiling cube;
  int error = shapes(job, &cube, &job->out[0]);
  if (error != ACL_SUCCESS) return error;
  uint32_t cores = sk_ops_cube_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  if (!on_cube_alone((uint32_t)finish_of(job, job->out[0].dtype)))
    job->workspace_bytes = (size_t)sk_ops_cube_tile(&cube, cores) * SLOTS * SUMS_BYTES;
  return ACL_SUCCESS;
}

static __gm__ uint8_t *data_of(const sk_tensor *t) { return t != NULL ? (__gm__ uint8_t *)t->data : NULL; }

static int launch(const sk_ops_job *job) {
  cube_tiling cube;
  sk_tensor out = {0};
  int error = shapes(job, &cube, &out);
  if (error != ACL_SUCCESS) return error;
  quant_tiling tiling = tiling_of(job, &cube, out.dtype);
  uint32_t used = sk_ops_cube_tile(&tiling.cube, sk_ops_cube_cores(job->blocks));
  __gm__ uint8_t *x1 = data_of(job->in[IN_X1]), *x2 = data_of(job->in[IN_X2]), *scale = data_of(job->in[IN_SCALE]), *bias = data_of(job->in[IN_BIAS]);
  __gm__ uint8_t *result = data_of(&job->out[0]);
  sk_ops_begin_launch();
  if (on_cube_alone(tiling.finish))
    quant_matmul_fix<<<used, 0, job->stream>>>(x1, x2, scale, bias, result, tiling);
  else
    quant_matmul_mix<<<used, 0, job->stream>>>(x1, x2, scale, data_of(job->in[IN_OFFSET]), data_of(job->in[IN_PERTOKEN]), bias, result,
                                               (__gm__ uint8_t *)job->workspace, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_quant_matmul = {plan, launch};
