/* matmul_load.c - pieces of a Matmul object's inputs: from device memory into L1, from L1 into L0A and L0B.
 *
 * The loads are the instructions a kernel could issue itself, under the site of the Matmul call. */
#include <string.h>

#include "isa/cube.h"
#include "isa/cube_sparse.h"
#include "isa/matmul.h"

#define L1_ROUND 64u /* rows and columns of a piece in L1 are padded to what turned loads read */
#define INDEX_BYTES 8u /* of a row of 32 elements: two bits each */

/* ---- sizes ---------------------------------------------------------------------------------------- */

static uint32_t square_side(uint32_t bits) { return bits == 4 ? 64 : bits == 8 ? 32 : 16; }

uint32_t sk__matmul_piece_bytes(uint32_t rows, uint32_t columns, uint32_t bits) {
  return sk__ceil_to(rows, L1_ROUND) * sk__ceil_to(columns, L1_ROUND) * bits / 8;
}
uint32_t sk__matmul_l0_bytes(uint32_t outer, uint32_t k, uint32_t bits) {
  uint32_t side = square_side(bits);
  return sk__ceil_to(outer, side) * sk__ceil_to(k, side) * bits / 8;
}
uint32_t sk__matmul_n_computed(uint32_t n, uint32_t bits, bool turned) { return turned ? sk__ceil_to(n, square_side(bits)) : n; }

/* ---- into L1 ------------------------------------------------------------------------------------------------ */

void sk__matmul_load_rows(const sk__matmul_call *call, const sk__matmul_part *x, int32_t row, int32_t rows, uint64_t to, uint32_t height) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  uint32_t bits = sk__matmul_bits(x->from->element), c0 = sk__c0(bits);
  if (x->from->format == SK_MATMUL_NZ) {
    uint64_t block = (uint64_t)sk__ceil_to((uint32_t)x->all_rows, 16) * SK__BLOCK_BYTES;
    uint64_t from = x->from->address + (uint32_t)x->column / c0 * block + (uint64_t)row * SK__BLOCK_BYTES;
    uint64_t bytes = (uint64_t)sk__ceil_to((uint32_t)rows, 16) * SK__BLOCK_BYTES;
    sk__bursts b = {sk__ceil_div((uint32_t)x->columns, c0), bytes, block, (uint64_t)height * SK__BLOCK_BYTES};
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_L1, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, b, SK__BLOCK_BYTES);
    return;
  }
  uint32_t bytes = bits < 8 ? 1 : bits / 8, per_byte = bits < 8 ? 8 / bits : 1; /* int4: pairs, as bytes */
  sk__nd2nz p = {.elem_bytes = bytes, .nd_num = 1, .rows = (uint32_t)rows, .columns = (uint32_t)x->columns / per_byte,
                 .src_row = (uint32_t)x->pitch / per_byte, .c0_stride = height, .row_stride = 1};
  uint64_t from = x->from->address + ((uint64_t)row * (uint32_t)x->pitch + (uint32_t)x->column) / per_byte * bytes;
  sk__nd2nz_run(core, &p, (void *)(uintptr_t)to, (const void *)(uintptr_t)from);
}

/* A value instead of a matrix: whole blocks of it. */
static void load_scalar(const sk__matmul_call *call, const sk__matmul_part *x, uint64_t to) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  uint32_t bytes = sk__matmul_bits(x->from->element) / 8, c0 = SK__BLOCK_BYTES / bytes;
  uint64_t all = (uint64_t)x->height * sk__ceil_to((uint32_t)x->columns, c0) * bytes;
  uint8_t *l1 = sk__local_operand(core, SK__MEM_L1, (const void *)(uintptr_t)to, all, SK__BLOCK_BYTES, "the piece");
  if (l1 == NULL) return;
  for (uint64_t at = 0; at < all; at += bytes) memcpy(l1 + at, &x->from->value, bytes);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, l1, all);
  sk__advance(core, SK__PIPE_MTE2, sk__startup(core, SK__PIPE_MTE2));
}

/* The kernel's own function, told which base block it is; true: there is one. */
static bool load_by_function(const sk_matmul *mm, const sk__matmul_part *x, uint64_t to) {
  bool is_a = x->from == &mm->a;
  if (mm->functions == NULL || (is_a ? mm->functions->copy_a : mm->functions->copy_b) == NULL) return false;
  bool k_is_row = x->from->transposed == is_a;
  int32_t k = k_is_row ? x->row : x->column, k_size = k_is_row ? x->rows : x->columns;
  int32_t outer = k_is_row ? x->column : x->row, outer_size = k_is_row ? x->columns : x->rows;
  int32_t k_at = k / mm->tiling.baseK, outer_at = outer / (is_a ? mm->tiling.baseM : mm->tiling.baseN);
  uint32_t bits = sk__matmul_bits(x->from->element), bytes = x->height * sk__ceil_to((uint32_t)x->columns, sk__c0(bits)) * bits / 8;
  if (is_a) mm->functions->copy_a(to, bytes, x->from->address, outer_at, k_at, outer_size, k_size, mm->user, mm->data);
  else mm->functions->copy_b(to, bytes, x->from->address, k_at, outer_at, k_size, outer_size, mm->user, mm->data);
  return true;
}

void sk__matmul_load_part(const sk__matmul_call *call, const sk_matmul *mm, const sk__matmul_part *x, uint64_t to) {
  if (load_by_function(mm, x, to)) return;
  if (x->from->scalar) load_scalar(call, x, to);
  else sk__matmul_load_rows(call, x, x->row, x->rows, to, x->height);
}

uint64_t sk__matmul_in_l1(const sk__matmul_part *x) {
  uint32_t c0 = sk__c0(sk__matmul_bits(x->from->element));
  return x->from->address + ((uint64_t)(uint32_t)x->column / c0 * x->height + (uint32_t)x->row) * SK__BLOCK_BYTES;
}

sk__matmul_part sk__matmul_part_of(const sk_matmul *mm, bool is_a, int32_t outer, int32_t outer_size, int32_t k, int32_t k_size) {
  const sk_matmul_operand *from = is_a ? &mm->a : &mm->b;
  bool dense = !is_a && mm->sparse_index != 0; /* two of four rows are left */
  bool k_is_row = from->transposed == is_a;
  uint32_t bits = sk__matmul_bits(from->element);
  sk__matmul_part x = {.from = from};
  int32_t org_k = (is_a ? mm->org_ka : mm->org_kb) / (dense ? 2 : 1), org_outer = is_a ? mm->org_m : mm->org_n;
  if (dense) k /= 2, k_size /= 2;
  x.row = k_is_row ? k : outer;
  x.rows = k_is_row ? k_size : outer_size;
  x.column = k_is_row ? outer : k;
  x.columns = k_is_row ? outer_size : k_size;
  x.all_rows = from->rows != 0 ? from->rows : k_is_row ? org_k : org_outer;
  x.pitch = from->pitch != 0 ? from->pitch : k_is_row ? org_outer : org_k;
  bool turn = is_a ? from->transposed : !from->transposed;
  x.height = sk__ceil_to((uint32_t)(from->in_l1 ? x.all_rows : x.rows), turn ? square_side(bits) : 16);
  return x;
}

/* ---- into L0A and L0B ------------------------------------------------------------------------------------------ */

static sk__core *loader(const sk__matmul_call *call) { return sk__begin(SK__AIC, SK__PIPE_MTE1, call->name, call->site); }
static void *fractal(uint64_t base, uint32_t index) { return (void *)(uintptr_t)(base + (uint64_t)index * SK__FRACTAL_BYTES); }

/* Fractals of K in a row of L0A, in a column of L0B: 32-bit elements in pairs, as Mmad's direction align has it. */
static uint32_t k_fractals(uint32_t k, uint32_t bits) { return bits == 32 ? sk__ceil_div(k, 16) * 2 : sk__ceil_div(k, sk__c0(bits)); }

/* Squares that lie side by side in row group g of the part; square i's fractals go to `first` + i * step + f * apart. Those of
 * 32-bit elements consist of two column blocks. */
static void load_squares(const sk__matmul_call *call, sk__mem mem, const sk__matmul_part *x, uint64_t from, uint32_t g, uint64_t to,
                         uint32_t first, uint32_t step, uint32_t apart) {
  uint32_t bits = sk__matmul_bits(x->from->element), side = square_side(bits);
  uint32_t count = sk__ceil_div((uint32_t)x->columns, side);
  if (bits == 32)
    sk__l1_words_turned(loader(call), mem, fractal(to, first), fractal(from, g), sk__ceil_div((uint32_t)x->columns, sk__c0(bits)),
                        (uint64_t)x->height * SK__BLOCK_BYTES, step, apart);
  else
    sk__l1_transposed(loader(call), mem, bits, fractal(to, first), (const void *)(uintptr_t)from, (uint16_t)g, (uint8_t)count,
                      (uint16_t)(x->height / side), (uint16_t)(step - 1), false, (uint16_t)(apart - 1));
}

void sk__matmul_load_a(const sk__matmul_call *call, const sk__matmul_part *x, uint64_t from, uint64_t to, uint32_t m, uint32_t k) {
  uint32_t bits = sk__matmul_bits(x->from->element), k1 = k_fractals(k, bits), side = square_side(bits);
  if (x->from->transposed) {
    for (uint32_t g = 0; g * side < k; g++)
      if (bits == 32) load_squares(call, SK__MEM_L0A, x, from, g, to, 2 * g, k1, 1);
      else load_squares(call, SK__MEM_L0A, x, from, g, to, g, side / 16 * k1, k1);
    return;
  }
  for (uint32_t r = 0; r * 16 < m; r++)
    sk__l1_fractals(loader(call), SK__MEM_L0A, fractal(to, r * k1), (const void *)(uintptr_t)from, (uint16_t)r,
                    (uint8_t)sk__ceil_div(k, sk__c0(bits)), (uint16_t)(x->height / 16), 0);
}

void sk__matmul_load_b(const sk__matmul_call *call, const sk__matmul_part *x, uint64_t from, uint64_t to, uint32_t n, uint32_t k) {
  uint32_t bits = sk__matmul_bits(x->from->element), side = square_side(bits), n1 = sk__ceil_div(sk__matmul_n_computed(n, bits, !x->from->transposed), 16);
  if (!x->from->transposed) {
    for (uint32_t g = 0; g * side < k; g++)
      if (bits == 32) load_squares(call, SK__MEM_L0B, x, from, g, to, 2 * g * n1, 1, n1);
      else load_squares(call, SK__MEM_L0B, x, from, g, to, g * n1, side / 16, 1);
    return;
  }
  for (uint32_t f = 0; f * sk__c0(bits) < k; f++)
    sk__l1_fractals(loader(call), SK__MEM_L0B, fractal(to, f * n1), (const void *)(uintptr_t)from, (uint16_t)(f * (x->height / 16)),
                    (uint8_t)n1, 1, 0);
}


/* ---- dense B with its index ------------------------------------------------------------------------------------- */

void sk__matmul_load_index(const sk__matmul_call *call, const sk_matmul *mm, const sk__matmul_part *x, uint64_t to) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  uint64_t block = (uint64_t)sk__ceil_to((uint32_t)x->all_rows, 16) * INDEX_BYTES;
  uint64_t from = mm->sparse_index + (uint32_t)x->column / 32 * block + (uint64_t)(uint32_t)x->row * INDEX_BYTES;
  uint64_t bytes = (uint64_t)x->height * INDEX_BYTES;
  sk__bursts b = {sk__ceil_div((uint32_t)x->columns, 32), bytes, block, bytes};
  sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_L1, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, b, SK__BLOCK_BYTES);
}

void sk__matmul_load_sparse(const sk__matmul_call *call, const sk__matmul_part *x, uint64_t from, uint64_t index, uint64_t to) {
  uint32_t count = sk__ceil_div((uint32_t)x->columns, 32) * (x->height / 16);
  sk__sparse_load(loader(call), (void *)(uintptr_t)to, (const void *)(uintptr_t)from, (const void *)(uintptr_t)index, 0, count);
}
