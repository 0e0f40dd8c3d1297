/* matmul_batch.c - IterateBatch and IterateNBatch: one small matrix product after the other, each where its layout says.
 *
 * A layout has batches b, rows s, heads n, groups g and columns d. A matrix is one (b, n, g); matrices are numbered with g
 * running fastest. An input with one group, head or batch where the other has several serves all of those. A C with one
 * group where the inputs have several takes their sum, added to what stands there. */
#include "isa/cube.h"
#include "isa/matmul.h"
#include "kernel_operator/library.h"

typedef struct axes { int64_t b, s, n, g, d; } axes;

static axes a_axes(const sk_matmul *mm) {
  const sk_cube_tiling *t = &mm->tiling;
  if (mm->a.layout != SK_MATMUL_NORMAL) return (axes){t->ALayoutInfoB, t->ALayoutInfoS, t->ALayoutInfoN, t->ALayoutInfoG, t->ALayoutInfoD};
  return mm->a.transposed ? (axes){1, mm->single_k, 1, 1, mm->single_m} : (axes){1, mm->single_m, 1, 1, mm->single_k};
}
static axes b_axes(const sk_matmul *mm) {
  const sk_cube_tiling *t = &mm->tiling;
  if (mm->b.layout != SK_MATMUL_NORMAL) return (axes){t->BLayoutInfoB, t->BLayoutInfoS, t->BLayoutInfoN, t->BLayoutInfoG, t->BLayoutInfoD};
  return mm->b.transposed ? (axes){1, mm->single_n, 1, 1, mm->single_k} : (axes){1, mm->single_k, 1, 1, mm->single_n};
}
static axes c_axes(const sk_matmul *mm, uint8_t layout) {
  const sk_cube_tiling *t = &mm->tiling;
  if (layout != SK_MATMUL_NORMAL) return (axes){t->CLayoutInfoB, t->CLayoutInfoS1, t->CLayoutInfoN, t->CLayoutInfoG, t->CLayoutInfoS2};
  return (axes){1, mm->single_m, 1, 1, mm->single_n};
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static int64_t larger_axis(int64_t a, int64_t b) { return a > b ? a : b; }

/* Products whose sum is one matrix of C. */
static uint32_t summed(const sk_matmul *mm, uint8_t c_layout) {
  if (mm->a.layout == SK_MATMUL_NORMAL) return 1;
  int64_t groups = larger_axis(a_axes(mm).g, b_axes(mm).g);
  return c_axes(mm, c_layout).g == 1 && groups > 1 ? (uint32_t)groups : 1;
}

uint32_t sk__matmul_batch_results(const sk_matmul *mm, const sk_matmul_batch *batch) {
  return larger(batch->batch_a, batch->batch_b) / summed(mm, batch->c_layout);
}

/* The matrix of an input that belongs to product i of a call. */
static uint32_t index_of(const sk_matmul *mm, const sk_matmul_batch *batch, bool of_a, uint32_t i) {
  if (mm->a.layout == SK_MATMUL_NORMAL)
    return i / (larger(batch->batch_a, batch->batch_b) / (of_a ? batch->batch_a : batch->batch_b));
  axes a = a_axes(mm), b = b_axes(mm), own = of_a ? a : b;
  int64_t groups = larger_axis(a.g, b.g), heads = larger_axis(a.n, b.n);
  int64_t g = i % groups, n = i / groups % heads, outer = i / (groups * heads);
  return (uint32_t)(((own.b == 1 ? 0 : outer) * own.n + (own.n == 1 ? 0 : n)) * own.g + (own.g == 1 ? 0 : g));
}

/* ---- what must hold ---------------------------------------------------------------------------- */

static bool wrong(sk__core *core, const char *what, int64_t value, const char *legal, int64_t bound) {
  sk__bad_argument(core, what, value, legal, (long long)bound);
  return false;
}
static bool axes_legal(sk__core *core, const char *what, axes x) {
  int64_t least = x.b < x.s ? x.b : x.s;
  least = least < x.n ? least : x.n, least = least < x.g ? least : x.g, least = least < x.d ? least : x.d;
  return least > 0 || wrong(core, what, least, "%lld or more; set the layout with SetALayout, SetBLayout and SetCLayout", 1);
}
static bool shape_legal(sk__core *core, const char *what, int64_t is, int32_t should) {
  return is == should || wrong(core, what, is, "%lld, as the single shape says", should);
}

/* Matrices in the vector core's buffer are all there. */
static bool holds(sk__core *core, const char *what, const sk_matmul_operand *x, axes shape, uint32_t matrices) {
  uint32_t bits = sk__matmul_bits(x->element);
  uint64_t matrix = x->format == SK_MATMUL_NZ ? (uint64_t)sk__ceil_to((uint32_t)shape.s, 16) * sk__ceil_to((uint32_t)shape.d, sk__c0(bits))
                                              : (uint64_t)(shape.s * shape.d);
  bool apart = x->layout == SK_MATMUL_NORMAL || x->layout == SK_MATMUL_BNGS1S2;
  uint64_t least = apart ? matrices * matrix : (uint64_t)(shape.b * shape.n * shape.g) * matrix;
  return x->elems == 0 || x->elems >= least || wrong(core, what, x->elems, "%lld or more, as the batch and the layout say", (int64_t)least);
}

bool sk__matmul_batch_legal(const sk__matmul_call *call, const sk_matmul *mm, const sk_matmul_batch *batch) {
  sk__core *core = call->core;
  if (batch->partial && !sk__matmul_one_tile(call, mm)) return false;
  if (batch->batch_a == 0) return wrong(core, "batchA", 0, "%lld or more", 1);
  if (batch->batch_b == 0) return wrong(core, "batchB", 0, "%lld or more", 1);
  uint32_t most = larger(batch->batch_a, batch->batch_b);
  if (!holds(core, "elements of A in the vector core's buffer", &mm->a, a_axes(mm), batch->batch_a) ||
      !holds(core, "elements of B in the vector core's buffer", &mm->b, b_axes(mm), batch->batch_b))
    return false;
  if (mm->a.layout == SK_MATMUL_NORMAL) {
    if (most % batch->batch_a != 0) return wrong(core, "batchA", batch->batch_a, "divisors of %lld, the other number of batches", most);
    if (most % batch->batch_b != 0) return wrong(core, "batchB", batch->batch_b, "divisors of %lld, the other number of batches", most);
    return true;
  }
  axes a = a_axes(mm), b = b_axes(mm), c = c_axes(mm, batch->c_layout);
  if (!axes_legal(core, "an axis of A's layout", a) || !axes_legal(core, "an axis of B's layout", b) ||
      (batch->c_layout != SK_MATMUL_NORMAL && !axes_legal(core, "an axis of C's layout", c)))
    return false;
  if (!shape_legal(core, "S of A's layout", a.s, mm->a.transposed ? mm->single_k : mm->single_m) ||
      !shape_legal(core, "D of A's layout", a.d, mm->a.transposed ? mm->single_m : mm->single_k) ||
      !shape_legal(core, "S of B's layout", b.s, mm->b.transposed ? mm->single_n : mm->single_k) ||
      !shape_legal(core, "D of B's layout", b.d, mm->b.transposed ? mm->single_k : mm->single_n))
    return false;
  int64_t needs_a = index_of(mm, batch, true, most - 1) + 1, needs_b = index_of(mm, batch, false, most - 1) + 1;
  if (batch->batch_a != needs_a) return wrong(core, "batchA", batch->batch_a, "%lld, as the layouts of A and B say", needs_a);
  if (batch->batch_b != needs_b) return wrong(core, "batchB", batch->batch_b, "%lld, as the layouts of A and B say", needs_b);
  uint32_t sum = summed(mm, batch->c_layout);
  if (batch->partial && sum > 1) {
    sk__not_modelled_instr(core, "enPartialSum with a C of one group for inputs with several");
    return false;
  }
  return most % sum == 0 || wrong(core, "the number of batches", most, "multiples of %lld, the groups that are added", sum);
}

/* ---- where matrices are --------------------------------------------------------------------------- */

/* Elements before matrix q, and from row to row. `matrix`: elements of one that stands alone. */
typedef struct matrix_place { uint64_t at; uint32_t pitch; } matrix_place;

static matrix_place place_of(uint8_t layout, axes x, uint64_t q, uint64_t matrix, uint32_t row) {
  uint64_t inner = (uint64_t)(x.n * x.g), d = (uint64_t)x.d;
  switch (layout) {
    case SK_MATMUL_BSNGD:
      return (matrix_place){q / inner * (uint64_t)x.s * inner * d + q % inner * d, (uint32_t)(inner * d)};
    case SK_MATMUL_SBNGD: return (matrix_place){q * d, (uint32_t)((uint64_t)x.b * inner * d)};
    default: return (matrix_place){q * matrix, row};
  }
}

static void place_input(sk_matmul_operand *x, axes shape, uint64_t q, uint32_t stride) {
  uint32_t bits = sk__matmul_bits(x->element), c0 = sk__c0(bits);
  bool nz = x->format == SK_MATMUL_NZ;
  uint64_t matrix = nz ? (uint64_t)sk__ceil_to((uint32_t)shape.s, 16) * sk__ceil_to((uint32_t)shape.d, c0) : (uint64_t)(shape.s * shape.d);
  matrix_place at = place_of(x->layout, shape, q, matrix, (uint32_t)shape.d);
  if (stride != 0) at.at = q * stride;
  x->address += at.at * bits / 8;
  x->rows = (int32_t)shape.s;
  x->pitch = (int32_t)at.pitch;
}

/* A result that stands alone in the format of the target. */
static uint64_t result_elems(const sk_matmul *mm, const sk_matmul_target *target) {
  uint32_t rows = (uint32_t)mm->single_m, columns = (uint32_t)mm->single_n;
  if (target->format == SK_MATMUL_NZ) return (uint64_t)sk__ceil_to(rows, 16) * sk__ceil_to(columns, 16);
  return (uint64_t)rows * (target->format == SK_MATMUL_ND_ALIGN ? sk__matmul_pitch(columns, target->element) : columns);
}

void sk__matmul_batch_place(const sk_matmul *mm, const sk_matmul_batch *batch, sk_matmul_target *target, uint64_t q) {
  axes c = c_axes(mm, batch->c_layout);
  matrix_place at = place_of(batch->c_layout, c, q, result_elems(mm, target), (uint32_t)mm->single_n);
  target->address += at.at * sk__matmul_bits(target->element) / 8;
  target->rows = mm->single_m;
  target->pitch = (int32_t)at.pitch;
}

uint64_t sk_matmul_batch_elems(const sk_matmul *mm, const sk_matmul_batch *batch, const sk_matmul_target *target) {
  return sk__matmul_batch_results(mm, batch) * result_elems(mm, target);
}

/* ---- one after the other -------------------------------------------------------------------------- */

void sk__matmul_batch_run(const sk__matmul_call *call, const sk_matmul *given, const sk_matmul_batch *batch, const sk_matmul_target *target) {
  uint32_t products = larger(batch->batch_a, batch->batch_b), sum = summed(given, batch->c_layout);
  for (uint32_t loop = 0; loop < batch->loops; loop++)
    for (uint32_t i = 0; i < products; i++) {
      sk_matmul mm = *given;
      sk_matmul_target to = *target;
      uint64_t q = (uint64_t)loop * (products / sum) + i / sum;
      place_input(&mm.a, a_axes(given), (uint64_t)loop * batch->batch_a + index_of(given, batch, true, i), batch->stride_a);
      place_input(&mm.b, b_axes(given), (uint64_t)loop * batch->batch_b + index_of(given, batch, false, i), batch->stride_b);
      sk__matmul_batch_place(&mm, batch, &to, q);
      if (batch->bias_per_batch) mm.bias.address += q * (uint32_t)mm.single_n * sk__matmul_bits(mm.bias.element) / 8;
      if (sum > 1) {
        to.atomic = 1;
        mm.with_bias = mm.with_bias && i % sum == 0;
      }
      for (uint32_t step = 0; step < sk__matmul_steps(&mm); step++) {
        sk__matmul_compute(call, &mm, step, batch->partial);
        sk__matmul_store(call, &mm, step, &to);
      }
    }
}
