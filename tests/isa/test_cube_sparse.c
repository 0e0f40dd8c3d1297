/* test_cube_sparse.c - 4:2 structured sparsity: misuse, then every pattern of two in four against a model in 64 bits. */
#include "cube_fixture.h"

enum { M = 20, N = 32, K = 128, DENSE = K / 2 };

static int8_t a[M][K], full[K][N], dense[DENSE][N];
static uint8_t code[DENSE][N];
static int32_t start[M][N], got[M][N];

static void make_operands(void) {
  static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  memset(full, 0, sizeof full);
  for (int m = 0; m < M; m++)
    for (int k = 0; k < K; k++) a[m][k] = (int8_t)((m * 37 + k * 11) % 255 - 127);
  for (int n = 0; n < N; n++)
    for (int k = 0; k < DENSE; k++) {
      const uint8_t *pair = pairs[(n + k / 2) % 6];
      dense[k][n] = (int8_t)((n * 13 + k * 29) % 255 - 127);
      code[k][n] = (uint8_t)(pair[k % 2] - k % 2);
      full[k / 2 * 4 + pair[k % 2]][n] = dense[k][n];
    }
}

/* A in L0A as fractals of rows, B and its index in L1 as fractals of columns, C in L0C. */
static void place_operands(sk__core *core) {
  int8_t *l0a = (int8_t *)local(core, SK__MEM_L0A), *b = (int8_t *)local(core, SK__MEM_L1);
  uint8_t *index = (uint8_t *)b + 65536;
  int32_t *c = (int32_t *)local(core, SK__MEM_L0C);
  memset(l0a, 0, 65536), memset(index, 0, 16384);
  for (int m = 0; m < M; m++)
    for (int k = 0; k < K; k++) l0a[((m / 16 * (K / 32) + k / 32) * 16 + m % 16) * 32 + k % 32] = a[m][k];
  for (int n = 0; n < N; n++)
    for (int k = 0; k < DENSE; k++) {
      int at = ((k / 32 * (N / 16) + n / 16) * 16 + n % 16) * 32 + k % 32;
      b[at] = dense[k][n];
      index[at / 4] = (uint8_t)(index[at / 4] | code[k][n] << (at % 4 * 2));
    }
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) c[(n / 16 * 32 + m) * 16 + n % 16] = start[m][n];
}

static void product_kernel(sk__core *core, void *context) {
  bool from_zero = *(bool *)context;
  place_operands(core);
  int8_t *l0a = (int8_t *)local(core, SK__MEM_L0A), *l0b = (int8_t *)local(core, SK__MEM_L0B), *b = (int8_t *)local(core, SK__MEM_L1);
  int32_t *c = (int32_t *)local(core, SK__MEM_L0C);
  asc_copy_l12l0b_sparse(l0b, b, b + 65536, 0, 1);
  asc_copy_l12l0b_sparse(l0b + 512, b, b + 65536, 1, DENSE / 32 * (N / 16) - 1);
  asc_mmad_sparse(c, l0a, l0b, M, K, N, 0, false, from_zero);
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) got[m][n] = c[(n / 16 * 32 + m) * 16 + n % 16];
}
static void test_product(void **state) {
  (void)state;
  make_operands();
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) start[m][n] = m == 3 ? INT32_MAX : m == 4 ? INT32_MIN : m * 1000 - n;
  for (int zero = 0; zero < 2; zero++) {
    bool from_zero = zero == 1;
    sk__machine *machine = plain_machine();
    run_aic(machine, product_kernel, &from_zero);
    sk__machine_destroy(machine);
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) {
        int64_t sum = from_zero ? 0 : start[m][n];
        for (int k = 0; k < K; k++) {
          sum += (int64_t)a[m][k] * full[k][n];
          sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        }
        assert_int_equal(got[m][n], sum);
      }
  }
}

/* ---- misuse ------------------------------------------------------------------------------------ */

static void misuse_kernel(sk__core *core, void *context) {
  place_operands(core);
  int8_t *l0a = (int8_t *)local(core, SK__MEM_L0A), *l0b = (int8_t *)local(core, SK__MEM_L0B), *b = (int8_t *)local(core, SK__MEM_L1);
  uint8_t *index = (uint8_t *)b + 65536;
  int32_t *c = (int32_t *)local(core, SK__MEM_L0C);
  switch (*(uint32_t *)context) {
    case 0: asc_copy_l12l0b_sparse(l0a, b, (int8_t *)index, 0, 1); break;
    case 1: asc_mmad_sparse(c, l0a, l0b, M, K, N, 0, false, true); break; /* B has no index */
    case 2:
      index[5] = 3 << 4; /* the third element of the fractal's first row of 8 bytes: first of a group */
      asc_copy_l12l0b_sparse(l0b, b, (int8_t *)index, 0, DENSE / 32 * (N / 16));
      asc_mmad_sparse(c, l0a, l0b, M, K, N, 0, false, true);
      break;
    case 3:
      asc_copy_l12l0b_sparse(l0b, b, (int8_t *)index, 0, DENSE / 32 * (N / 16));
      asc_mmad_sparse(c, l0a, l0b, M, K - 2, N, 0, false, true);
      break;
    case 4: asc_mmad_sparse(c, l0a, l0b, 4096, K, N, 0, false, true); break;
    case 5: asc_copy_l12l0b_sparse(l0b, b, (int8_t *)index, 0, 0); break;
    default: asc_mmad_sparse(c, l0a, l0b, M, 0, N, 0, false, true); break;
  }
}
static void test_misuse_is_found(void **state) {
  (void)state;
  const char *const ids[] = {"LOCAL_OUT_OF_BOUNDS", "UNINITIALISED_READ", "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT", NULL, NULL};
  make_operands();
  for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    sk__machine *machine = plain_machine();
    run_aic(machine, misuse_kernel, &i);
    if (ids[i] != NULL) assert_only(machine, ids[i]);
    else assert_silent(machine);
    sk__machine_destroy(machine);
  }
}

SK_TESTS(SK_TEST(test_misuse_is_found), SK_TEST(test_product))
