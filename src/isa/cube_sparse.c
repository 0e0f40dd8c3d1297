/* cube_sparse.c - 4:2 structured sparsity: B holds two of every four elements of its columns, an index of two bits
 * each says which two, and the multiply-add takes the same two of A.
 *
 *   one byte of the index:  bits 1..0  3..2  5..4  7..6     of four elements of a column of dense B, in order
 *                           first second first second      of a group of four: element `first`, element 1 + `second`
 *
 * The index buffer is the cube's own, a quarter of L0B; a fractal of B at some place of L0B has its 128 bytes at a quarter
 * of that place. */
#include <string.h>

#include "isa/cube_sparse.h"
#include "isa/cube_unwritten.h"
#include "soc/soc_throughput.h"

#define INDEX_BYTES 128u /* of a fractal: 16 columns, 32 elements, 2 bits */
#define C0 32u           /* elements of a fractal's row */
#define MAX_DIM 4095u

static uint32_t fractal_in_l0b(const sk__core *core, const void *at) {
  return (uint32_t)(((uint64_t)(uintptr_t)at - sk__local_place_of(core, SK__MEM_L0B).address) / SK__FRACTAL_BYTES);
}

void sk__sparse_load(sk__core *core, void *dst, const void *src, const void *index, uint32_t first, uint32_t count) {
  if (core == NULL || count == 0) return;
  uint64_t bytes = (uint64_t)count * SK__FRACTAL_BYTES, index_bytes = (uint64_t)count * INDEX_BYTES;
  uint64_t start = (uint64_t)first * SK__FRACTAL_BYTES, index_start = (uint64_t)first * INDEX_BYTES;
  uint8_t *to = sk__local_operand(core, SK__MEM_L0B, dst, bytes, SK__FRACTAL_BYTES, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, start + bytes, SK__BLOCK_BYTES, "src");
  const uint8_t *idx = sk__local_operand(core, SK__MEM_L1, index, index_start + index_bytes, SK__BLOCK_BYTES, "idx");
  if (to == NULL || from == NULL || idx == NULL) return;
  from += start;
  bool unwritten = sk__l1_read(core, SK__PIPE_MTE1, from, 1, bytes, bytes);
  sk__local_access(core, SK__PIPE_MTE1, SK__READ_ANY, idx + index_start, index_bytes);
  memcpy(to, from, bytes);
  sk__unwritten_load load;
  if (!unwritten) {
    sk__unwritten_clear(core, SK__MEM_L0B, to, 1, bytes, bytes);
  } else if (sk__unwritten_begin(&load, core, SK__PIPE_MTE1, SK__MEM_L0B, to, from, bytes)) {
    memcpy(load.to, load.from, bytes);
    for (uint64_t i = 0; i < bytes; i += SK__FRACTAL_BYTES) sk__unwritten_unit(&load, to + i, from + i, SK__FRACTAL_BYTES);
  }
  sk__local_access(core, SK__PIPE_MTE1, SK__WRITE, to, bytes);
  uint8_t *buffer = sk__sparse_buffer_of(core);
  uint32_t at = fractal_in_l0b(core, to);
  memcpy(buffer + (size_t)at * INDEX_BYTES, idx + index_start, index_bytes);
  uint64_t *loaded = sk__framework_of(core)->sparse_loaded;
  for (uint32_t i = at; i < at + count; i++) loaded[i / 64] |= UINT64_C(1) << (i % 64);
  sk__advance_bytes(core, SK__PIPE_MTE1, bytes + index_bytes, sk__machine_soc(core->machine)->costs.l1_l0b_bytes_per_cycle);
}

void asc_copy_l12l0b_sparse(int8_t *dst, const int8_t *src, const int8_t *index, uint16_t start_index, uint8_t repeat) {
  sk__sparse_load(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0b_sparse", SK__SITE()), dst, src, index, start_index, repeat);
}

/* ---- multiply-add ------------------------------------------------------------------------------- */

typedef struct sparse {
  sk__core *core;
  uint32_t m, n, k, k_fractals, n_fractals; /* k of dense B; fractals of A and of B along K and N */
  const uint8_t *a, *b, *index;
  int32_t *c;
  const int32_t *bias;
  bool zero;
} sparse;

static bool dims_legal(sk__core *core, uint32_t m, uint32_t k, uint32_t n) {
  const struct { const char *name; uint32_t value; } dims[] = {{"M", m}, {"K", k}, {"N", n}};
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
    if (dims[i].value > MAX_DIM) {
      sk__bad_argument(core, dims[i].name, dims[i].value, "0..%u", MAX_DIM);
      return false;
    }
  if (k % 4 == 0) return true;
  sk__bad_argument(core, "K", k, "multiples of 4");
  return false;
}

static bool resolve(sparse *x, void *c, const void *a, const void *b, const void *bias) {
  uint64_t a_bytes = (uint64_t)sk__ceil_div(x->m, 16) * x->k_fractals * SK__FRACTAL_BYTES;
  uint64_t b_bytes = (uint64_t)sk__ceil_div(x->k, C0) * x->n_fractals * SK__FRACTAL_BYTES;
  uint64_t c_bytes = (uint64_t)x->n_fractals * sk__ceil_to(x->m, 16) * SK__L0C_ALIGN;
  x->a = sk__local_operand(x->core, SK__MEM_L0A, a, a_bytes, SK__FRACTAL_BYTES, "fm");
  x->b = sk__local_operand(x->core, SK__MEM_L0B, b, b_bytes, SK__FRACTAL_BYTES, "filter");
  x->c = sk__local_operand(x->core, SK__MEM_L0C, c, c_bytes, SK__L0C_FRACTAL_BYTES, "dst");
  if (x->a == NULL || x->b == NULL || x->c == NULL) return false;
  const uint8_t *buffer = sk__sparse_buffer_of(x->core);
  uint32_t first = fractal_in_l0b(x->core, x->b), last = first + (uint32_t)(b_bytes / SK__FRACTAL_BYTES);
  const uint64_t *loaded = sk__framework_of(x->core)->sparse_loaded;
  for (uint32_t i = first; i < last; i++)
    if ((loaded[i / 64] >> (i % 64) & 1u) == 0) {
      sk__instr_finding(x->core, "UNINITIALISED_READ", SK__CAT_OPERATOR, SK__ERROR, "load B with LoadDataWithSparse",
                        "fractal %u of B has no index in the index buffer", i - first);
      return false;
    }
  x->index = buffer + (size_t)first * INDEX_BYTES;
  if (bias == NULL) return true;
  x->bias = sk__local_operand(x->core, SK__MEM_BT, bias, x->n * UINT64_C(4), 64, "bias");
  if (x->bias != NULL) sk__local_access(x->core, SK__PIPE_M, SK__READ, x->bias, x->n * UINT64_C(4));
  return x->bias != NULL;
}

/* Which columns of A belong to column n of B, in order; false: the index has a value that there is not. */
static bool columns_of(const sparse *x, uint32_t n, uint16_t *columns) {
  for (uint32_t k = 0; k < x->k; k++) {
    const uint8_t *fractal = x->index + ((size_t)(k / C0) * x->n_fractals + n / 16) * INDEX_BYTES;
    uint32_t at = n % 16 * C0 + k % C0, two = fractal[at / 4] >> (at % 4 * 2) & 3u;
    if (two == 3) {
      sk__instr_finding(x->core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "make the index of values 0..2",
                        "the index of B's element (%u, %u) is 3, legal: 0..2", k, n);
      return false;
    }
    columns[k] = (uint16_t)(k / 2 * 4 + two + k % 2);
  }
  return true;
}

static void column(const sparse *x, uint32_t n, const uint16_t *columns, const int8_t *b) {
  for (uint32_t m = 0; m < x->m; m++) {
    const int8_t *row = (const int8_t *)x->a + (size_t)(m / 16) * x->k_fractals * SK__FRACTAL_BYTES + m % 16 * C0;
    int32_t *c = x->c + ((size_t)(n / 16) * sk__ceil_to(x->m, 16) + m) * 16 + n % 16;
    int64_t sum = x->zero ? 0 : x->bias != NULL ? x->bias[n] : *c;
    for (uint32_t k = 0; k < x->k; k++) {
      sum += row[(size_t)(columns[k] / C0) * SK__FRACTAL_BYTES + columns[k] % C0] * b[k];
      sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
    *c = (int32_t)sum;
  }
}

static void compute(const sparse *x) {
  uint16_t *columns = x->core->scratch;
  int8_t *b = (int8_t *)(columns + MAX_DIM + 1);
  for (uint32_t n = 0; n < x->n; n++) {
    if (!columns_of(x, n, columns)) return;
    for (uint32_t k = 0; k < x->k; k++)
      b[k] = (int8_t)x->b[(((size_t)(k / C0) * x->n_fractals + n / 16) * 16 + n % 16) * C0 + k % C0];
    column(x, n, columns, b);
  }
}

static void touch_c(const sparse *x, sk__access kind) {
  uint64_t block = (uint64_t)sk__ceil_to(x->m, 16) * SK__L0C_ALIGN;
  sk__bursts_access(x->core, SK__PIPE_M, kind, x->c, x->n_fractals, (uint64_t)x->m * SK__L0C_ALIGN, block);
}

void sk__mmad_sparse_run(sk__core *core, void *c, const void *a, const void *b, const void *bias, uint32_t m, uint32_t k, uint32_t n,
                         uint32_t unit_flag, bool from_bias, bool from_zero) {
  if (core == NULL || m == 0 || k == 0 || n == 0 || !dims_legal(core, m, k, n)) return;
  sparse x = {.core = core, .m = m, .n = n, .k = k / 2, .k_fractals = sk__ceil_div(k, C0), .n_fractals = sk__ceil_div(n, 16),
              .zero = from_zero};
  if (!resolve(&x, c, a, b, from_bias && !from_zero ? bias : NULL)) return;
  uint64_t c_bytes = (uint64_t)x.n_fractals * sk__ceil_to(m, 16) * SK__L0C_ALIGN;
  if (!sk__unit_flag_wait(core, SK__PIPE_M, unit_flag, x.c, c_bytes)) return;
  if (core->checks && !x.zero && x.bias == NULL && (m / 16) * (n / 16) >= 10) sk__order_barrier(&core->order, SK__PIPE_M); /* as asc_mmad */
  uint64_t row = (uint64_t)x.k_fractals * SK__FRACTAL_BYTES;
  sk__bursts_access(core, SK__PIPE_M, SK__READ, x.a, m / 16, row, row);
  if (m % 16 != 0)
    sk__bursts_access(core, SK__PIPE_M, SK__READ, x.a + m / 16 * row, x.k_fractals, (uint64_t)(m % 16) * SK__BLOCK_BYTES, SK__FRACTAL_BYTES);
  sk__bursts_access(core, SK__PIPE_M, SK__READ, x.b, sk__ceil_div(x.k, C0), (uint64_t)n * SK__BLOCK_BYTES,
                    (uint64_t)x.n_fractals * SK__FRACTAL_BYTES);
  if (!x.zero && x.bias == NULL) touch_c(&x, SK__READ);
  if (sk__unwritten_any(core))
    sk__unwritten_multiply(core, &(sk__unwritten_product){
      .a = x.a, .b = x.b, .c = x.c, .bias = x.bias, .m = m, .k = x.k, .n = n, .bits = 8, .k_fractals = x.k_fractals,
      .n_fractals = x.n_fractals, .keep = !x.zero && x.bias == NULL, .sparse = true});
  compute(&x);
  touch_c(&x, SK__WRITE);
  sk__unit_flag_done(core, SK__PIPE_M, unit_flag, x.c, c_bytes);
  sk__advance(core, SK__PIPE_M, sk__startup(core, SK__PIPE_M) + sk__cube_cycles(m, n, x.k, SK__CUBE_K0_I8));
}

void asc_mmad_sparse(int32_t *c, const int8_t *a, const int8_t *b, SK_ARGS_SPARSE) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, "asc_mmad_sparse", SK__SITE());
  if (core == NULL) return;
  const void *table = (const void *)(uintptr_t)sk__local_place_of(core, SK__MEM_BT).address;
  sk__mmad_sparse_run(core, c, a, b, table, m, k, n, unit_flag, c_matrix_source && !c_matrix_init_val, c_matrix_init_val);
}
