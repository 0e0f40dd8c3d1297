/* cast.c - values to another type, element by element.
 *
 * Every conversion goes through one of two middle types: float32 from floats and to floats, int32 between integers.
 * Float to integer truncates and clamps, NaN gives 0; integer to integer keeps the low bits, as PyTorch does; to bool
 * is "not zero", judged by the bits without the sign. The steps of one call are chosen on the host, once. */
#include "acl/acl.h"
#include "element_tools.h"
#include "ops_host.h"

#define TILE_ELEMS 4096u
#define WIDE_BYTES (TILE_ELEMS * 8u) /* a tile of int64 */

/* X(name): what the source becomes in `middle`, then what `middle` becomes in the result. */
typedef enum cast_first {
  FIRST_NONE, FIRST_F16_F32, FIRST_BF16_F32, FIRST_I32_F32, FIRST_I64_F32, FIRST_I16_F32, FIRST_I8_F32, FIRST_U8_F32,
  FIRST_I64_LOW, FIRST_I16_I32, FIRST_I8_I32, FIRST_U8_I32,
  FIRST_F32_ONE, FIRST_F16_ONE, FIRST_I16_ONE, FIRST_I32_ONE, FIRST_I64_ONE, FIRST_8_ONE /* 0 or 1 in int16 */
} cast_first;
typedef enum cast_last {
  LAST_NONE, LAST_F32_F16, LAST_F32_BF16, LAST_F32_I32, LAST_F32_I64, LAST_F32_I16, LAST_F32_I8, LAST_F32_U8,
  LAST_I32_I64, LAST_I32_I16, LAST_I32_I8, LAST_I32_U8, LAST_ONE_U8
} cast_last;

typedef struct cast_tiling {
  uint64_t total, per_core;
  uint32_t first, last, from_bytes, to_bytes;
} cast_tiling;

typedef struct cast {
  const cast_tiling *tiling;
  element_stream stream;
  __ubuf__ uint8_t *middle, *scratch; /* a tile of 4-byte elements each */
} cast;

/* Every `pattern`-th of the 32-bit or 16-bit words: 1 the even ones, 2 the odd ones. */
__aicore__ static void pick_words(__ubuf__ uint32_t *to, __ubuf__ uint32_t *from, uint32_t words, uint8_t pattern) {
  begin_count(words);
  asc_reduce(to, from, from, 1, 1, pattern, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}
__aicore__ static void pick_halves(__ubuf__ uint16_t *to, __ubuf__ uint16_t *from, uint32_t halves, uint8_t pattern) {
  begin_count(halves);
  asc_reduce(to, from, from, 1, 1, pattern, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}

__aicore__ static void bytes_to_half(__ubuf__ half *to, __ubuf__ uint8_t *from, bool is_signed, uint32_t count) {
  if (is_signed)
    asc_int82half(to, (__ubuf__ int8_t *)from, count);
  else
    asc_uint82half(to, from, count);
  asc_sync_pipe(PIPE_V);
}

/* int32 to {0, 1} in int16: between -1 and 1, squared. */
__aicore__ static void words_to_one(__ubuf__ int16_t *to, __ubuf__ int32_t *x, uint32_t count) {
  asc_min_scalar(x, x, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_max_scalar(x, x, -1, count);
  asc_sync_pipe(PIPE_V);
  asc_mul(x, x, x, count);
  asc_sync_pipe(PIPE_V);
  asc_int322int16(to, x, count);
}

/* The source in `middle`. Results of a step are waited for by the caller. */
__aicore__ static void first_step(const cast *c, __ubuf__ uint8_t *from, uint32_t count) {
  __ubuf__ float *f = (__ubuf__ float *)c->middle;
  __ubuf__ int32_t *i = (__ubuf__ int32_t *)c->middle, *other = (__ubuf__ int32_t *)c->scratch;
  __ubuf__ int16_t *one = (__ubuf__ int16_t *)c->middle;
  __ubuf__ half *h = (__ubuf__ half *)c->scratch;
  switch (c->tiling->first) {
    case FIRST_F16_F32: asc_half2float(f, (__ubuf__ half *)from, count); break;
    case FIRST_BF16_F32: asc_bfloat162float(f, (__ubuf__ bfloat16_t *)from, count); break;
    case FIRST_I32_F32: asc_int322float_rn(f, (__ubuf__ int32_t *)from, count); break;
    case FIRST_I64_F32: asc_int642float_rn(f, (__ubuf__ int64_t *)from, count); break;
    case FIRST_I16_F32: asc_int162float(f, (__ubuf__ int16_t *)from, count); break;
    case FIRST_I8_F32:
    case FIRST_U8_F32:
      bytes_to_half(h, from, c->tiling->first == FIRST_I8_F32, count);
      asc_half2float(f, h, count);
      break;
    case FIRST_I64_LOW: pick_words((__ubuf__ uint32_t *)i, (__ubuf__ uint32_t *)from, 2 * count, 1); break;
    case FIRST_I16_I32:
      asc_int162float((__ubuf__ float *)other, (__ubuf__ int16_t *)from, count);
      asc_sync_pipe(PIPE_V);
      asc_float2int32_rn(i, (__ubuf__ float *)other, count);
      break;
    case FIRST_I8_I32:
    case FIRST_U8_I32:
      bytes_to_half(h, from, c->tiling->first == FIRST_I8_I32, count);
      asc_half2int32_rn(i, h, count);
      break;
    case FIRST_F16_ONE: /* the sign leaves at the top; what comes back is not negative */
      asc_shiftleft((__ubuf__ uint16_t *)one, (__ubuf__ uint16_t *)from, 1, count);
      asc_sync_pipe(PIPE_V);
      asc_shiftright((__ubuf__ uint16_t *)one, (__ubuf__ uint16_t *)one, 1, count);
      asc_sync_pipe(PIPE_V);
      asc_min_scalar(one, one, (int16_t)1, count);
      break;
    case FIRST_I16_ONE: /* between -1 and 1, squared */
      asc_min_scalar(one, (__ubuf__ int16_t *)from, (int16_t)1, count);
      asc_sync_pipe(PIPE_V);
      asc_max_scalar(one, one, (int16_t)-1, count);
      asc_sync_pipe(PIPE_V);
      asc_mul(one, one, one, count);
      break;
    case FIRST_8_ONE: /* bytes without a sign: never negative */
      bytes_to_half(h, from, false, count);
      asc_half2int16_rn(one, h, count);
      asc_sync_pipe(PIPE_V);
      asc_min_scalar(one, one, (int16_t)1, count);
      break;
    case FIRST_F32_ONE:
      asc_shiftleft((__ubuf__ uint32_t *)other, (__ubuf__ uint32_t *)from, 1, count);
      asc_sync_pipe(PIPE_V);
      asc_shiftright((__ubuf__ uint32_t *)other, (__ubuf__ uint32_t *)other, 1, count);
      asc_sync_pipe(PIPE_V);
      words_to_one(one, other, count);
      break;
    case FIRST_I32_ONE:
      asc_max(other, (__ubuf__ int32_t *)from, (__ubuf__ int32_t *)from, count);
      asc_sync_pipe(PIPE_V);
      words_to_one(one, other, count);
      break;
    case FIRST_I64_ONE: /* either half */
      pick_words((__ubuf__ uint32_t *)other, (__ubuf__ uint32_t *)from, 2 * count, 1);
      pick_words((__ubuf__ uint32_t *)i, (__ubuf__ uint32_t *)from, 2 * count, 2);
      asc_or((__ubuf__ uint16_t *)other, (__ubuf__ uint16_t *)other, (__ubuf__ uint16_t *)i, 2 * count);
      asc_sync_pipe(PIPE_V);
      words_to_one(one, other, count);
      break;
    default: break;
  }
  asc_sync_pipe(PIPE_V);
}

/* Integral floats or small integers to bytes; half holds what a byte can hold, and more clamps. */
__aicore__ static void half_to_bytes(__ubuf__ uint8_t *to, __ubuf__ half *from, bool is_signed, uint32_t count) {
  asc_sync_pipe(PIPE_V);
  if (is_signed)
    asc_half2int8((__ubuf__ int8_t *)to, from, count);
  else
    asc_half2uint8(to, from, count);
}

/* Low bytes of int32: the low halves, then up and down by eight bits. */
__aicore__ static void low_bytes(const cast *c, __ubuf__ uint8_t *to, bool is_signed, uint32_t count) {
  __ubuf__ int16_t *low = (__ubuf__ int16_t *)c->scratch;
  pick_halves((__ubuf__ uint16_t *)low, (__ubuf__ uint16_t *)c->middle, 2 * count, 1);
  asc_shiftleft(low, low, 8, count);
  asc_sync_pipe(PIPE_V);
  if (is_signed)
    asc_shiftright(low, low, 8, count);
  else
    asc_shiftright((__ubuf__ uint16_t *)low, (__ubuf__ uint16_t *)low, 8, count);
  asc_sync_pipe(PIPE_V);
  asc_int162half((__ubuf__ half *)c->middle, low, count);
  half_to_bytes(to, (__ubuf__ half *)c->middle, is_signed, count);
}

__aicore__ static void last_step(const cast *c, __ubuf__ uint8_t *to, __ubuf__ uint8_t *from, uint32_t count) {
  __ubuf__ float *f = (__ubuf__ float *)from;
  __ubuf__ int32_t *i = (__ubuf__ int32_t *)from;
  switch (c->tiling->last) {
    case LAST_F32_F16: asc_float2half_rn((__ubuf__ half *)to, f, count); break;
    case LAST_F32_BF16: asc_float2bfloat16_rn((__ubuf__ bfloat16_t *)to, f, count); break;
    case LAST_F32_I32: asc_float2int32_rz((__ubuf__ int32_t *)to, f, count); break;
    case LAST_F32_I64: asc_float2int64_rz((__ubuf__ int64_t *)to, f, count); break;
    case LAST_F32_I16: asc_float2int16_rz((__ubuf__ int16_t *)to, f, count); break;
    case LAST_F32_I8:
    case LAST_F32_U8: /* truncated first: half would round */
      asc_float2int32_rz((__ubuf__ int32_t *)c->scratch, f, count);
      asc_sync_pipe(PIPE_V);
      asc_int322float((__ubuf__ float *)c->middle, (__ubuf__ int32_t *)c->scratch, count);
      asc_sync_pipe(PIPE_V);
      asc_float2half((__ubuf__ half *)c->scratch, (__ubuf__ float *)c->middle, count);
      half_to_bytes(to, (__ubuf__ half *)c->scratch, c->tiling->last == LAST_F32_I8, count);
      break;
    case LAST_I32_I64: asc_int322int64((__ubuf__ int64_t *)to, i, count); break;
    case LAST_I32_I16: pick_halves((__ubuf__ uint16_t *)to, (__ubuf__ uint16_t *)from, 2 * count, 1); break;
    case LAST_I32_I8:
    case LAST_I32_U8:
      low_bytes(c, to, c->tiling->last == LAST_I32_I8, count);
      break;
    case LAST_ONE_U8:
      asc_int162half((__ubuf__ half *)c->scratch, (__ubuf__ int16_t *)from, count);
      half_to_bytes(to, (__ubuf__ half *)c->scratch, false, count);
      break;
    default: break;
  }
}

/* Where the result stands: in the buffer it came in, unless the first step's result is it. */
__aicore__ static __ubuf__ uint8_t *convert_tile(const cast *c, uint64_t tile) {
  const cast_tiling *t = c->tiling;
  uint32_t count = tile_length(&c->stream.range, tile, TILE_ELEMS);
  __ubuf__ uint8_t *from = c->stream.buffer[tile & 1u], *to = from;
  tile_compute_begin(tile);
  if (t->first != FIRST_NONE) {
    first_step(c, from, count);
    from = c->middle;
  }
  if (t->last != LAST_NONE && from == to) { /* no step may overwrite what it still has to read */
    asc_max((__ubuf__ int32_t *)c->middle, (__ubuf__ int32_t *)from, (__ubuf__ int32_t *)from, count);
    asc_sync_pipe(PIPE_V);
    from = c->middle;
  }
  if (t->last != LAST_NONE) last_step(c, to, from, count);
  if (t->last == LAST_NONE && t->first != FIRST_NONE)
    asc_max((__ubuf__ int32_t *)to, (__ubuf__ int32_t *)c->middle, (__ubuf__ int32_t *)c->middle, count);
  tile_compute_end(tile);
  return to;
}

__global__ __vector__ void cast_elementwise(__gm__ uint8_t *from, __gm__ uint8_t *to, cast_tiling tiling) {
  __ubuf__ uint8_t buffers[2 * WIDE_BYTES], middle[4 * TILE_ELEMS], scratch[4 * TILE_ELEMS];
  asc_init();
  const cast_tiling *t = &tiling;
  cast c = {.tiling = t, .middle = middle, .scratch = scratch,
            .stream = {element_part(t->total, t->per_core), from, to, {buffers, buffers + WIDE_BYTES}, TILE_ELEMS, t->from_bytes, t->to_bytes}};
  if (c.stream.range.count == 0) return;
  uint64_t tiles = (c.stream.range.count + TILE_ELEMS - 1) / TILE_ELEMS;
  tile_load(&c.stream, 0);
  for (uint64_t tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) tile_load(&c.stream, tile + 1);
    tile_store(&c.stream, convert_tile(&c, tile), tile, tiles);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

#define DST_TYPES "0 float32, 1 float16, 2 int8, 3 int32, 4 uint8, 6 int16, 9 int64, 12 bool, 27 bfloat16"

static bool is_float(sk_dtype dtype) { return dtype == SK_FLOAT || dtype == SK_FLOAT16 || dtype == SK_BF16; }

static int plan(sk_ops_job *job) {
  int64_t to = sk_ops_integer(job, 0);
  if (to < 0 || to > 63 || (job->op->outputs[0].dtypes & SK_DTYPE_BIT(to)) == 0)
    return sk_ops_refuse(job->op->name, "dst_type", (uint64_t)to, DST_TYPES);
  sk_ops_output(&job->out[0], job->in[0], (sk_dtype)to);
  return ACL_SUCCESS;
}

/* To one of three middles: float32, int32, or 0 and 1 in int16. */
static cast_first first_of(sk_dtype from, sk_dtype to) {
  bool wide = is_float(to);
  switch (from) {
    case SK_FLOAT: return to == SK_BOOL ? FIRST_F32_ONE : FIRST_NONE;
    case SK_FLOAT16: return to == SK_BOOL ? FIRST_F16_ONE : FIRST_F16_F32;
    case SK_BF16: return to == SK_BOOL ? FIRST_F16_ONE : FIRST_BF16_F32;
    case SK_INT32: return to == SK_BOOL ? FIRST_I32_ONE : wide ? FIRST_I32_F32 : FIRST_NONE;
    case SK_INT64: return to == SK_BOOL ? FIRST_I64_ONE : wide ? FIRST_I64_F32 : FIRST_I64_LOW;
    case SK_INT16: return to == SK_BOOL ? FIRST_I16_ONE : wide ? FIRST_I16_F32 : FIRST_I16_I32;
    case SK_INT8: return to == SK_BOOL ? FIRST_8_ONE : wide ? FIRST_I8_F32 : FIRST_I8_I32;
    default: return to == SK_BOOL ? FIRST_8_ONE : wide ? FIRST_U8_F32 : FIRST_U8_I32;
  }
}

static cast_last last_of(sk_dtype from, sk_dtype to) {
  bool floats = is_float(from);
  switch (to) {
    case SK_FLOAT16: return LAST_F32_F16;
    case SK_BF16: return LAST_F32_BF16;
    case SK_BOOL: return LAST_ONE_U8;
    case SK_INT32: return floats ? LAST_F32_I32 : LAST_NONE;
    case SK_INT64: return floats ? LAST_F32_I64 : LAST_I32_I64;
    case SK_INT16: return floats ? LAST_F32_I16 : LAST_I32_I16;
    case SK_INT8: return floats ? LAST_F32_I8 : LAST_I32_I8;
    case SK_UINT8: return floats ? LAST_F32_U8 : LAST_I32_U8;
    default: return LAST_NONE;
  }
}

static int launch(const sk_ops_job *job) {
  sk_dtype from = job->in[0]->dtype, to = job->out[0].dtype;
  uint32_t cores = sk_ops_vector_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  uint64_t total = sk_ops_elements(job->in[0]);
  bool copy = from == to || (from == SK_BOOL && to == SK_UINT8);
  cast_tiling tiling = {
      .total = total, .per_core = element_share(total, cores), .from_bytes = (uint32_t)sk_dtype_bytes(from),
      .to_bytes = (uint32_t)sk_dtype_bytes(to), .first = copy ? FIRST_NONE : (uint32_t)first_of(from, to),
      .last = copy ? LAST_NONE : (uint32_t)last_of(from, to),
  };
  uint32_t used = (uint32_t)((total + tiling.per_core - 1) / tiling.per_core);
  sk_ops_begin_launch();
  cast_elementwise<<<used, 0, job->stream>>>((__gm__ uint8_t *)job->in[0]->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_cast = {plan, launch};
