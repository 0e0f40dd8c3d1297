/* trans_quant_param.c - scales and offsets to the packed words that the fixpipe of a quantised product takes.
 *
 * One vector core: V rounds the offsets, the scalar unit puts the words together. Chunks come and go by DMA, so that no
 * word waits in the data cache. */
#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define CHUNK 1024u

#define SIGNED_RESULT (UINT64_C(1) << 46)
#define OFFSET_BIT 37
#define SCALE_MASK 0xffffe000u /* sign, exponent and ten bits of mantissa */

typedef struct param_tiling { uint32_t count, scale_count, offset_count, round; } param_tiling;

typedef struct param_core {
  const param_tiling *tiling;
  __ubuf__ uint32_t *scales; /* bits of floats */
  __ubuf__ float *raw;
  __ubuf__ int32_t *offsets;
  __ubuf__ uint64_t *words;
} param_core;

/* To ten bits of mantissa, ties to even; what is below normal is zero, infinities and NaN keep their upper bits. */
__aicore__ static inline uint32_t rounded(uint32_t bits) {
  uint32_t sign = bits & 0x80000000u, rest = bits & 0x7fffffffu, exponent = rest >> 23;
  if (exponent == 0) return sign;
  if (exponent == 255) return sign | (rest & SCALE_MASK);
  return sign | ((rest + 0xfffu + (rest >> 13 & 1u)) & SCALE_MASK);
}

/* Elements first and up of both operands; one of a kind is loaded with each chunk. */
__aicore__ static void load_chunk(const param_core *c, __gm__ uint32_t *scale, __gm__ float *offset, uint32_t first, uint32_t count) {
  const param_tiling *t = c->tiling;
  uint32_t offsets = t->offset_count == 1 ? 1 : count;
  asc_copy_gm2ub_align(c->scales, scale + (t->scale_count == 1 ? 0 : first), (t->scale_count == 1 ? 1 : count) * 4);
  if (t->offset_count > 0) asc_copy_gm2ub_align(c->raw, offset + (t->offset_count == 1 ? 0 : first), offsets * 4);
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
  if (t->offset_count > 0) {
    asc_float2int32_rn(c->offsets, c->raw, offsets);
    asc_sync_pipe(PIPE_V);
    asc_max_scalar(c->offsets, c->offsets, -256, offsets);
    asc_sync_pipe(PIPE_V);
    asc_min_scalar(c->offsets, c->offsets, 255, offsets);
  }
  asc_sync_notify(PIPE_V, PIPE_S, 0);
  asc_sync_wait(PIPE_V, PIPE_S, 0);
}

__aicore__ static void pack_chunk(const param_core *c, uint32_t count) {
  const param_tiling *t = c->tiling;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t bits = c->scales[t->scale_count == 1 ? 0 : i];
    uint64_t word = (t->round ? rounded(bits) : bits & SCALE_MASK) | SIGNED_RESULT;
    if (t->offset_count > 0) word |= ((uint64_t)c->offsets[t->offset_count == 1 ? 0 : i] & 0x1ffu) << OFFSET_BIT;
    c->words[i] = word;
  }
}

__global__ __vector__ void trans_quant_param(__gm__ uint32_t *scale, __gm__ float *offset, __gm__ uint64_t *out, param_tiling tiling) {
  __ubuf__ uint32_t scales[CHUNK];
  __ubuf__ float raw[CHUNK];
  __ubuf__ int32_t offsets[CHUNK];
  __ubuf__ uint64_t words[CHUNK];
  asc_init();
  if (vector_index() > 0) return;
  param_core c = {&tiling, scales, raw, offsets, words};
  for (uint32_t first = 0; first < tiling.count; first += CHUNK) {
    uint32_t count = tiling.count - first < CHUNK ? tiling.count - first : CHUNK;
    load_chunk(&c, scale, offset, first, count);
    pack_chunk(&c, count);
    asc_sync_notify(PIPE_S, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_S, PIPE_MTE3, 0);
    asc_copy_ub2gm_align(out + first, words, count * 8);
    /* The next chunk waits for all of this one: its words have left, its operands are read. */
    asc_sync_notify(PIPE_MTE3, PIPE_S, 0);
    asc_sync_wait(PIPE_MTE3, PIPE_S, 0);
    asc_sync_notify(PIPE_S, PIPE_MTE2, 0);
    asc_sync_wait(PIPE_S, PIPE_MTE2, 0);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static int plan(sk_ops_job *job) {
  const sk_tensor *scale = job->in[0], *offset = job->in[1];
  const char *name = job->op->name;
  int64_t round = sk_ops_integer(job, 0), count = scale->shape[scale->rank - 1];
  if (round != 0 && round != 1) return sk_ops_refuse(name, "round_mode", (uint64_t)round, "0 (cut), 1 (to nearest)");
  if ((scale->rank == 2 && scale->shape[0] != 1) || count == 0) return sk_ops_refuse_shape(name, "scale", scale, "[n] or [1, n], not empty");
  sk_ops_output(&job->out[0], scale, SK_INT64);
  if (offset == NULL) return ACL_SUCCESS;
  if (offset->shape[0] == 0 || (offset->shape[0] != count && offset->shape[0] != 1 && count != 1))
    return sk_ops_refuse_shape(name, "offset", offset, "[n] or [1]; any [n] with one scale");
  int64_t longer = offset->shape[0] > count ? offset->shape[0] : count;
  job->out[0].rank = 1;
  job->out[0].shape[0] = longer;
  return ACL_SUCCESS;
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *scale = job->in[0], *offset = job->in[1];
  param_tiling tiling = {.count = (uint32_t)sk_ops_elements(&job->out[0]), .scale_count = (uint32_t)sk_ops_elements(scale),
                         .offset_count = offset != NULL ? (uint32_t)sk_ops_elements(offset) : 0, .round = sk_ops_integer(job, 0) == 1};
  sk_ops_begin_launch();
  trans_quant_param<<<1, 0, job->stream>>>((__gm__ uint32_t *)scale->data, (__gm__ float *)(offset != NULL ? offset->data : NULL),
                                           (__gm__ uint64_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_trans_quant_param = {plan, launch};
