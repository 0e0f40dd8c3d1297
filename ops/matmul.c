/* matmul.c - matrix products on the cube: float16, bfloat16 and float32 with one rounding at the end, int8 to int32. */
#include "acl/acl.h"
#include "cube_host.h"

typedef struct matmul_tiling {
  cube_tiling cube;
  uint32_t out_bytes;
} matmul_tiling;

__aicore__ static void store_half(const matmul_tiling *t, __gm__ uint8_t *to, __cc__ uint8_t *c, uint32_t m, uint32_t n) {
  const cube_tiling *cube = &t->cube;
  uint16_t rows = (uint16_t)m, columns = (uint16_t)n, step = (uint16_t)cube_up(m == 1 ? 2 : m, 16);
  if (cube->dtype == CUBE_INT8)
    asc_copy_l0c2gm((__gm__ int32_t *)to, (__cc__ int32_t *)c, columns, rows, cube->n, step, 0, NoQuant, 0, false, true);
  else if (cube->dtype == CUBE_HALF)
    asc_copy_l0c2gm((__gm__ half *)to, (__cc__ float *)c, columns, rows, cube->n, step, 0, F322F16, 0, false, true);
  else if (cube->dtype == CUBE_BF16)
    asc_copy_l0c2gm((__gm__ bfloat16_t *)to, (__cc__ float *)c, columns, rows, cube->n, step, 0, F322BF16, 0, false, true);
  else
    asc_copy_l0c2gm((__gm__ float *)to, (__cc__ float *)c, columns, rows, cube->n, step, 0, NoQuant, 0, false, true);
}

__aicore__ static void store_block(const matmul_tiling *t, const cube_core *c, const cube_block *b, __gm__ uint8_t *out) {
  uint64_t first = ((uint64_t)b->batch * t->cube.m + b->m0) * t->cube.n + b->n0;
  for (uint32_t half_block = 0; half_block < 2; half_block++) {
    uint32_t n = cube_half_columns(b, half_block);
    if (n == 0) break;
    asc_sync_notify(PIPE_M, PIPE_FIX, half_block);
    asc_sync_wait(PIPE_M, PIPE_FIX, half_block);
    store_half(t, out + (first + half_block * CUBE_HALF_N) * t->out_bytes, c->c0 + half_block * CUBE_C0_FLOATS * 4, b->m, n);
    asc_sync_notify(PIPE_FIX, PIPE_M, half_block);
  }
}

__global__ __cube__ void matmul(__gm__ uint8_t *a, __gm__ uint8_t *b, __gm__ uint8_t *out, matmul_tiling tiling) {
  __cbuf__ uint8_t a1[2 * CUBE_A1_BYTES], b1[2 * CUBE_B1_BYTES];
  __ca__ uint8_t a0[2 * CUBE_L0_BYTES];
  __cb__ uint8_t b0[2 * CUBE_L0_BYTES];
  __cc__ float c0[2 * CUBE_C0_FLOATS];
  asc_init();
  cube_core c = {.tiling = &tiling.cube, .a1 = a1, .b1 = b1, .a0 = a0, .b0 = b0, .c0 = (__cc__ uint8_t *)c0, .a = a, .b = b};
  uint32_t blocks = cube_blocks(c.tiling);
  cube_all_free(&c);
  for (uint32_t i = (uint32_t)asc_get_block_idx(); i < blocks; i += (uint32_t)asc_get_block_num()) {
    cube_block block = cube_block_at(c.tiling, i);
    cube_multiply(&c, &block);
    store_block(&tiling, &c, &block, out);
  }
  cube_take_back(&c);
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse its memories at once */
}

/* ---- host ---- */

static int shapes(const sk_ops_job *job, cube_tiling *t, sk_tensor *out) {
  const sk_tensor *a = job->in[0], *b = job->in[1];
  if (a->dtype != b->dtype) return sk_ops_refuse_dtype(job->op->name, job->op->inputs[1].name, b, "the type of self");
  if (sk_ops_c0(b) > 0 && b->dtype == SK_FLOAT)
    return sk_ops_refuse_text(job->op->name, job->op->inputs[1].name, "float32 in FRACTAL_NZ", "row-major storage, or 8 or 16-bit elements");
  int error = sk_ops_cube_shapes(job, a, b, sk_ops_integer(job, 0) != 0, sk_ops_integer(job, 1) != 0, t, out);
  out->dtype = a->dtype == SK_INT8 ? SK_INT32 : a->dtype;
  return error;
}

static int plan(sk_ops_job *job) {
  cube_tiling unused;
  return shapes(job, &unused, &job->out[0]);
}

static int launch(const sk_ops_job *job) {
  matmul_tiling tiling;
  sk_tensor out = {0};
  uint32_t cores = sk_ops_cube_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  int error = shapes(job, &tiling.cube, &out);
  if (error != ACL_SUCCESS) return error;
  tiling.out_bytes = (uint32_t)sk_dtype_bytes(out.dtype);
  uint32_t used = sk_ops_cube_tile(&tiling.cube, cores);
  sk_ops_begin_launch();
  matmul<<<used, 0, job->stream>>>((__gm__ uint8_t *)job->in[0]->data, (__gm__ uint8_t *)job->in[1]->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_matmul = {plan, launch};
