/* matmul.c - c = a * b on the cube: half in, float out, tiled through L1 and L0 with double buffers everywhere.
 *
 *   matmul M K N      multiples of 128, 256 and 256
 *
 * A core owns blocks of 128 x 256 results, which fill L0C as two halves of 128 x 128. Along k it moves in steps of
 * 256 through L1 (two steps in flight) and of 128 through L0A and L0B (two tiles in flight each). Every buffer is
 * guarded by a pair of flags: "full" towards the pipe that reads it, "free" back to the pipe that fills it. */
#include <math.h>

#include "c_api/asc_simd.h"
#include "device.h"

#define BLOCK_M 128u
#define BLOCK_N 256u
#define STEP_K 256u     /* of one L1 buffer */
#define TILE 128u       /* all three sides of one asc_mmad */
#define FRACTAL 16u     /* a fractal is 16 x 16 halves */
#define FRACTAL_HALVES (FRACTAL * FRACTAL)
#define TILE_FRACTALS (TILE / FRACTAL)

/* Flags from M to MTE1: L0B buffers have 0 and 1, L0A buffers 2 and 3. */
#define FREE_L0B 0u
#define FREE_L0A 2u

typedef struct shape { uint32_t m, k, n; } shape;
typedef struct buffers { __cbuf__ half *a1, *b1; __ca__ half *a0; __cb__ half *b0; __cc__ float *c0; } buffers;
/* Which of two buffers is next. */
typedef struct turns { uint32_t l1, l0a, l0b; } turns;

/* One step of both operands into an L1 buffer, as Nz: columns of fractals, BLOCK_M or STEP_K rows high. */
__aicore__ static void load_step(const buffers *on, const shape *s, __gm__ half *a, __gm__ half *b, uint32_t buffer) {
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, buffer);
  asc_copy_gm2l1_nd2nz(on->a1 + buffer * BLOCK_M * STEP_K, a, 1, BLOCK_M, STEP_K, 0, (uint16_t)s->k, BLOCK_M, 1, 0);
  asc_copy_gm2l1_nd2nz(on->b1 + buffer * STEP_K * BLOCK_N, b, 1, STEP_K, BLOCK_N, 0, (uint16_t)s->n, STEP_K, 1, 0);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, buffer);
}

/* Nz to Zz: rows of fractals, each gathered from the columns of fractals in L1. */
__aicore__ static void load_l0a(__ca__ half *to, __cbuf__ half *from, uint32_t k) {
  for (uint32_t row = 0; row < TILE_FRACTALS; row++)
    asc_copy_l12l0a(to + row * TILE_FRACTALS * FRACTAL_HALVES, from + k * BLOCK_M, (uint16_t)row, TILE_FRACTALS,
                    BLOCK_M / FRACTAL, 0);
}

/* Nz to Zn: rows of fractals, each fractal transposed. */
__aicore__ static void load_l0b(__cb__ half *to, __cbuf__ half *from, uint32_t k, uint32_t n) {
  for (uint32_t row = 0; row < TILE_FRACTALS; row++)
    asc_copy_l12l0b_trans(to + row * TILE_FRACTALS * FRACTAL_HALVES, from + n * STEP_K, (uint16_t)(k / FRACTAL + row),
                          TILE_FRACTALS, STEP_K / FRACTAL, 0, false, 0);
}

/* One L1 step: two tiles along k, each against both halves of the block. */
__aicore__ static void multiply_step(const buffers *on, turns *turn, bool first_step) {
  uint32_t l1 = turn->l1;
  asc_sync_wait(PIPE_MTE2, PIPE_MTE1, l1);
  for (uint32_t k = 0; k < STEP_K; k += TILE, turn->l0a ^= 1u) {
    __ca__ half *a = on->a0 + turn->l0a * TILE * TILE;
    asc_sync_wait(PIPE_M, PIPE_MTE1, FREE_L0A + turn->l0a);
    load_l0a(a, on->a1 + l1 * BLOCK_M * STEP_K, k);
    for (uint32_t half_block = 0; half_block < 2; half_block++, turn->l0b ^= 1u) {
      __cb__ half *b = on->b0 + turn->l0b * TILE * TILE;
      bool first = first_step && k == 0;
      asc_sync_wait(PIPE_M, PIPE_MTE1, FREE_L0B + turn->l0b);
      load_l0b(b, on->b1 + l1 * STEP_K * BLOCK_N, k, half_block * TILE);
      asc_sync_notify(PIPE_MTE1, PIPE_M, turn->l0b); /* covers A: the pipe loaded it before */
      asc_sync_wait(PIPE_MTE1, PIPE_M, turn->l0b);
      if (first) asc_sync_wait(PIPE_FIX, PIPE_M, half_block); /* the last block's results have left */
      asc_mmad(on->c0 + half_block * TILE * TILE, a, b, TILE, TILE, TILE, 0, false, false, first);
      asc_sync_notify(PIPE_M, PIPE_MTE1, FREE_L0B + turn->l0b);
    }
    asc_sync_notify(PIPE_M, PIPE_MTE1, FREE_L0A + turn->l0a);
  }
  asc_sync_notify(PIPE_MTE1, PIPE_MTE2, l1);
  turn->l1 ^= 1u;
}

__aicore__ static void store_block(const buffers *on, const shape *s, __gm__ float *c) {
  for (uint32_t half_block = 0; half_block < 2; half_block++) {
    asc_sync_notify(PIPE_M, PIPE_FIX, half_block);
    asc_sync_wait(PIPE_M, PIPE_FIX, half_block);
    asc_copy_l0c2gm(c + half_block * TILE, on->c0 + half_block * TILE * TILE, TILE, TILE, s->n, TILE, 0, NoQuant, 0, false, true);
    asc_sync_notify(PIPE_FIX, PIPE_M, half_block);
  }
}

/* At the start every buffer is free; at the end every "free" has to be taken back. */
__aicore__ static void all_free(void) {
  for (uint32_t i = 0; i < 2; i++) {
    asc_sync_notify(PIPE_MTE1, PIPE_MTE2, i);
    asc_sync_notify(PIPE_M, PIPE_MTE1, FREE_L0A + i);
    asc_sync_notify(PIPE_M, PIPE_MTE1, FREE_L0B + i);
    asc_sync_notify(PIPE_FIX, PIPE_M, i);
  }
}
__aicore__ static void take_back(void) {
  for (uint32_t i = 0; i < 2; i++) {
    asc_sync_wait(PIPE_MTE1, PIPE_MTE2, i);
    asc_sync_wait(PIPE_M, PIPE_MTE1, FREE_L0A + i);
    asc_sync_wait(PIPE_M, PIPE_MTE1, FREE_L0B + i);
    asc_sync_wait(PIPE_FIX, PIPE_M, i);
  }
}

__global__ __cube__ void matmul(__gm__ half *a, __gm__ half *b, __gm__ float *c, shape s) {
  __cbuf__ half a1[2 * BLOCK_M * STEP_K], b1[2 * STEP_K * BLOCK_N];
  __ca__ half a0[2 * TILE * TILE];
  __cb__ half b0[2 * TILE * TILE];
  __cc__ float c0[2 * TILE * TILE];
  asc_init();
  buffers on = {a1, b1, a0, b0, c0};
  turns turn = {0, 0, 0};
  uint32_t rows = s.m / BLOCK_M, blocks = rows * (s.n / BLOCK_N);
  all_free();
  for (uint32_t block = (uint32_t)asc_get_block_idx(); block < blocks; block += (uint32_t)asc_get_block_num()) {
    uint64_t m = (uint64_t)(block % rows) * BLOCK_M, n = (uint64_t)(block / rows) * BLOCK_N;
    for (uint32_t k = 0; k < s.k; k += STEP_K) {
      load_step(&on, &s, a + m * s.k + k, b + (uint64_t)k * s.n + n, turn.l1);
      multiply_step(&on, &turn, k == 0);
    }
    store_block(&on, &s, c + m * s.n + n);
  }
  take_back();
  asc_sync();
}

/* ---- host ---- */

typedef struct job { half *a, *b; float *c; shape s; aclrtStream stream; } job;

static void run(void *context) {
  const job *j = context;
  matmul<<<24, 0, j->stream>>>(j->a, j->b, j->c, j->s);
  device_check(aclrtSynchronizeStream(j->stream), "matmul");
}

static half *random_halves(size_t count, uint64_t state) {
  half *data = malloc(count * sizeof *data);
  if (data == NULL) contender_stop("matmul", "out of memory");
  for (size_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    data[i] = (half)((float)(state >> 40) * 0x1p-23f - 1.0f);
  }
  return data;
}

/* Some results of every block against sums in double; 4096 is a generous factor on float's rounding. */
static void compare(const job *j, const half *a, const half *b) {
  size_t count = (size_t)j->s.m * j->s.n;
  float *c = malloc(count * sizeof *c);
  if (c == NULL) contender_stop("matmul", "out of memory");
  device_download(c, j->c, count * sizeof *c);
  for (size_t i = 0; i < count; i += 4099) {
    size_t row = i / j->s.n, column = i % j->s.n;
    double sum = 0;
    for (size_t k = 0; k < j->s.k; k++) sum += (double)a[row * j->s.k + k] * (double)b[k * j->s.n + column];
    if (fabs(sum - (double)c[i]) > 0x1p-12 * sqrt((double)j->s.k)) contender_stop("matmul", "a result is wrong");
  }
  free(c);
}

int main(int argc, char **argv) {
  job j = {.stream = device_open()};
  j.s.m = contender_number("matmul", argc > 1 ? argv[1] : NULL, 32768);
  j.s.k = contender_number("matmul", argc > 2 ? argv[2] : NULL, 32768);
  j.s.n = contender_number("matmul", argc > 3 ? argv[3] : NULL, 32768);
  if (j.s.m % BLOCK_M != 0 || j.s.k % STEP_K != 0 || j.s.n % BLOCK_N != 0)
    contender_stop("matmul", "M, K and N must be multiples of 128, 256 and 256");
  size_t a_count = (size_t)j.s.m * j.s.k, b_count = (size_t)j.s.k * j.s.n;
  half *a = random_halves(a_count, 1), *b = random_halves(b_count, 2);
  j.a = device_upload(a, a_count * sizeof *a);
  j.b = device_upload(b, b_count * sizeof *b);
  j.c = device_upload(NULL, (size_t)j.s.m * j.s.n * sizeof *j.c);
  run(&j);
  compare(&j, a, b);
  free(a);
  free(b);
  return contender_serve(run, &j);
}
