/* bench_cube - the cube over OpenBLAS sgemm of the same shape, one thread each, interleaved in one process.
 *
 * Prints ratios (time over sgemm; for int8 and int4 the rate over sgemm's): medians of a few repeats. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cube_fixture.h"

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void openblas_set_num_threads(int threads);

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *values, size_t n) {
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}
static void sgemm(const float *a, const float *b, float *c, int m, int n, int k) {
  cblas_sgemm(101, 111, 111, m, n, k, 1, a, k, b, n, 0, c, n);
}

/* ---- a whole product through L1 and L0 ------------------------------------------------------- */

enum { D = 2048, BM = 128, BN = 256, BK = 128, LK = 512 };
typedef struct whole { half *a, *b; float *c; } whole;

static void whole_tile(const whole *w, uint32_t m, uint32_t n) {
  half *l1a = (half *)0, *l1b = (half *)(uintptr_t)(256 << 10), *l0a = (half *)0, *l0b = (half *)0;
  float *l0c = (float *)0;
  for (uint32_t k = 0; k < D; k += LK) {
    asc_sync_pipe(PIPE_ALL);
    asc_copy_gm2l1_nd2nz(l1a, w->a + m * D + k, 1, BM, LK, 0, D, BM, 1, 0);
    asc_copy_gm2l1_nd2nz(l1b, w->b + k * D + n, 1, LK, BN, 0, D, LK, 1, 0);
    for (uint32_t kk = 0; kk < LK; kk += BK) {
      asc_sync_pipe(PIPE_ALL);
      for (uint16_t i = 0; i < BM / 16; i++)
        asc_copy_l12l0a(l0a + i * BK * 16, l1a + kk * BM, i, BK / 16, BM / 16, 0);
      for (uint16_t i = 0; i < BK / 16; i++)
        asc_copy_l12l0b_trans(l0b + i * BN * 16, l1b, (uint16_t)(kk / 16 + i), BN / 16, LK / 16, 0, false, 0);
      asc_sync_pipe(PIPE_ALL);
      asc_mmad(l0c, l0a, l0b, BM, BK, BN, 0, false, false, k + kk == 0);
    }
  }
  asc_sync_pipe(PIPE_ALL);
  asc_copy_l0c2gm(w->c + m * D + n, l0c, BN, BM, D, BM, 0, NoQuant, 0, false, true);
}
static void whole_kernel(sk__core *core, void *context) {
  (void)core;
  for (uint32_t n = 0; n < D; n += BN)
    for (uint32_t m = 0; m < D; m += BM) whole_tile(context, m, n);
}

static void bench_whole(bool checks) {
  enum { REPEATS = 5 };
  sk__machine *machine = machine_of("test", (sk__machine_options){.checks = checks});
  size_t n = (size_t)D * D;
  uint16_t *h = malloc(n * 2);
  float *f = malloc(n * 4), *out = malloc(n * 4);
  for (size_t i = 0; i < n; i++) {
    f[i] = (float)((int)((uint32_t)(i * 2654435761u) >> 20) - 2048) / 1024;
    h[i] = sk__f16_from_f32(f[i], SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  }
  whole w = {gm(machine, n * 2, h), gm(machine, n * 2, h), gm(machine, n * 4, NULL)};
  sk__snapshot *order = sk__snapshot_new(sk__machine_checker(machine), NULL);
  double ratios[REPEATS];
  for (uint32_t i = 0; i < REPEATS; i++) {
    sk__launch l = {.name = "matmul", .type = SK_AIC_ONLY, .blocks = 1, .entry = {whole_kernel, NULL}, .context = &w};
    double start = seconds();
    assert_int_equal(sk__machine_run(machine, &l, order, order, NULL), SK_OK);
    double middle = seconds();
    sgemm(f, f, out, D, D, D);
    ratios[i] = (middle - start) / (seconds() - middle);
  }
  printf("matmul f16 2048^3, checks %s: time over sgemm %.2f\n", checks ? "on" : "off", median(ratios, REPEATS));
  print_findings(machine);
  sk__snapshot_unref(order);
  sk__machine_destroy(machine);
  free(h), free(f), free(out);
}

/* ---- one instruction ------------------------------------------------------------------------- */

typedef struct shape { const char *name; sk_mmad_type type; uint16_t m, k, n; } shape;
static void instruction_kernel(sk__core *core, void *context) {
  enum { REPEATS = 9, INNER = 40 };
  const shape *s = context;
  uint8_t *a = local(core, SK__MEM_L0A), *b = local(core, SK__MEM_L0B), *c = local(core, SK__MEM_L0C);
  for (uint32_t i = 0; i < 65536; i++) a[i] = b[i] = (uint8_t)(i * 7 % 61);
  float *x = calloc(512 * 512, 4), *out = calloc(512 * 512, 4);
  double ratios[REPEATS];
  for (uint32_t r = 0; r < REPEATS; r++) {
    double start = seconds();
    for (uint32_t i = 0; i < INNER; i++) sk_mmad_bias(c, a, b, NULL, s->type, s->m, s->k, s->n, 0, false, false, true);
    double middle = seconds();
    for (uint32_t i = 0; i < INNER; i++) sgemm(x, x, out, s->m, s->n, s->k);
    ratios[r] = (seconds() - middle) / (middle - start);
  }
  printf("mmad %s %ux%ux%u: rate over sgemm %.2f\n", s->name, s->m, s->k, s->n, median(ratios, REPEATS));
  free(x), free(out);
}

int main(void) {
  static const shape shapes[] = {
      {"f16", SK_MMAD_F16, 128, 128, 128}, {"bf16", SK_MMAD_BF16, 128, 128, 128}, {"f32", SK_MMAD_F32, 128, 64, 128},
      {"f16", SK_MMAD_F16, 16, 256, 128},  {"f16", SK_MMAD_F16, 1, 256, 128},     {"i8", SK_MMAD_I8, 128, 256, 128},
      {"i4", SK_MMAD_I4, 128, 256, 128},
  };
  openblas_set_num_threads(1);
  sk__machine *machine = plain_machine();
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) run_aic(machine, instruction_kernel, (void *)(uintptr_t)&shapes[i]);
  sk__machine_destroy(machine);
  bench_whole(false);
  bench_whole(true);
  return 0;
}
