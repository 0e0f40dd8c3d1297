/* high_level_rows.c - high-level functions over rows: sums and the k greatest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/high_level.h"

sk__core *sk__high_begin_rows(const char *name, const sk_rows *shape, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, name, site);
  if (core == NULL || shape->rows == 0 || shape->columns == 0) return NULL;
  if (shape->columns <= shape->pitch) return core;
  sk__bad_argument(core, "the number of columns", shape->columns, "1..%u, the length of a row", shape->pitch);
  return NULL;
}

bool sk__high_matrix(sk__core *core, void **operand, const sk_rows *s, sk__access kind, const char *name) {
  if (s->nz_rows == 0) return sk__high_operand(core, operand, sk__high_matrix_bytes(s), kind, name);
  if (*operand == NULL) return true;
  uint64_t group = (uint64_t)s->nz_rows * SK__NZ_COLUMNS * s->float_bits / 8, used = (uint64_t)s->rows * SK__NZ_COLUMNS * s->float_bits / 8;
  uint32_t groups = (s->columns + SK__NZ_COLUMNS - 1) / SK__NZ_COLUMNS;
  *operand = sk__ub_operand(core, *operand, (groups - 1) * group + used, SK__BLOCK_BYTES, name);
  if (*operand == NULL) return false;
  for (uint32_t i = 0; i < groups; i++) sk__local_access(core, SK__PIPE_V, kind, (uint8_t *)*operand + i * group, used);
  return true;
}

/* ---- sums ------------------------------------------------------------------------------------------- */

void sk_high_row_sum(const sk_rows *shape, void *dst, const void *src, double factor, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows(factor == 1 ? "Sum" : "Mean", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t type = shape->float_bits / 8;
  sk_tmp_sizes need = factor == 1 ? sk_tmp_sum(shape->columns, type) : sk_tmp_mean(shape->columns, type, shape->value_bits / 8);
  if (!sk__high_scratch(core, tmp, need.least)) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, sk__high_matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)shape->rows * bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    double total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) total += sk__high_get(s, bits, (uint64_t)r * shape->pitch + i);
    sk__high_put(d, bits, r, total * factor);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 2);
}

void sk_high_running_sum(const sk_rows *shape, void *dst, void *last_row, const void *src, bool along_rows,
                         sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("CumSum", shape, SK__SITE());
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_running_sum(shape->rows, shape->pitch, shape->float_bits / 8, along_rows).least)) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *s = (void *)(uintptr_t)src;
  uint64_t last_bytes = (uint64_t)(along_rows ? shape->rows : shape->columns) * bits / 8;
  if (!sk__high_operand(core, &s, sk__high_matrix_bytes(shape), SK__READ, "src") || !sk__high_operand(core, &d, sk__high_matrix_bytes(shape), SK__WRITE, "dst") ||
      !sk__high_operand(core, &last_row, last_bytes, SK__WRITE, "lastRow"))
    return;
  uint32_t lines = along_rows ? shape->rows : shape->columns, steps = along_rows ? shape->columns : shape->rows;
  for (uint32_t line = 0; line < lines; line++) {
    double total = 0;
    for (uint32_t step = 0; step < steps; step++) {
      uint64_t at = along_rows ? (uint64_t)line * shape->pitch + step : (uint64_t)step * shape->pitch + line;
      total += sk__high_get(s, bits, at);
      sk__high_put(d, bits, at, total);
    }
    if (last_row != NULL) sk__high_put(last_row, bits, line, total);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 4);
}

/* ---- the k greatest ------------------------------------------------------------------------------------ */

typedef struct candidate { double value; uint32_t at; } candidate;
static int greater_first(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->value != y->value) return x->value > y->value ? -1 : 1;
  return x->at < y->at ? -1 : 1;
}

void sk_high_top_k(const sk_rows *shape, void *values, int32_t *positions, const void *src, const int32_t *index, const void *finished,
                   uint32_t k, bool largest) {
  sk__core *core = sk__high_begin_rows("TopK", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits, value_pitch = (k * bits / 8 + 31) / 32 * 256 / bits, position_pitch = (k + 7) / 8 * 8;
  if (k == 0 || k > shape->columns || shape->columns * sizeof(candidate) > 1u << 20) {
    sk__bad_argument(core, "k", k, "1..%u of at most 65536 columns", shape->columns);
    return;
  }
  void *v = values, *p = positions, *s = (void *)(uintptr_t)src, *n = (void *)(uintptr_t)index, *f = (void *)(uintptr_t)finished;
  if (!sk__high_operand(core, &s, sk__high_matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &n, (uint64_t)shape->columns * 4, SK__READ, "srcIndex") ||
      !sk__high_operand(core, &f, shape->rows, SK__READ, "finish") ||
      !sk__high_operand(core, &v, ((uint64_t)(shape->rows - 1) * value_pitch + k) * bits / 8, SK__WRITE, "dstValue") ||
      !sk__high_operand(core, &p, ((uint64_t)(shape->rows - 1) * position_pitch + k) * 4, SK__WRITE, "dstIndex"))
    return;
  candidate *row = core->scratch;
  for (uint32_t r = 0; r < shape->rows; r++) {
    for (uint32_t i = 0; i < shape->columns; i++) {
      double x = sk__high_get(s, bits, (uint64_t)r * shape->pitch + i);
      row[i] = (candidate){largest ? x : -x, i};
    }
    qsort(row, shape->columns, sizeof *row, greater_first);
    bool is_finished = f != NULL && ((const uint8_t *)f)[r] != 0;
    for (uint32_t i = 0; i < k; i++) {
      int32_t at = n != NULL ? ((const int32_t *)n)[row[i].at] : (int32_t)row[i].at;
      sk__high_put(v, bits, (uint64_t)r * value_pitch + i, largest ? row[i].value : -row[i].value);
      ((int32_t *)p)[(uint64_t)r * position_pitch + i] = is_finished ? (int32_t)shape->columns : at;
    }
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 32);
}
