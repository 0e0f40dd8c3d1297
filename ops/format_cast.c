/* format_cast.c - between row-major and FRACTAL_NZ storage: [.., M, N] and [.., ceil(N / C0), ceil(M / 16), 16, C0].
 *
 * The unit of work is a column of fractals, C0 columns wide, cut into stretches of rows. To NZ its rows come as bursts
 * and leave as one piece with zeros where the matrix ends; back they come as one piece and leave as bursts. Units are
 * divided over the vector cores, two stretches in flight. */
#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define STRETCH_ROWS 1024u /* a multiple of 16; at most 64 bytes each */
#define BUFFER_BYTES (STRETCH_ROWS * 64u)

typedef struct format_tiling {
  uint32_t rows, columns, element_bytes, c0, to_nz;
  uint32_t stretches, fractal_columns; /* per matrix */
  uint32_t units;
} format_tiling;

/* One stretch of one column of fractals. */
typedef struct unit { uint64_t plain, packed; uint32_t rows, padded, bytes; } unit;

__aicore__ static unit unit_at(const format_tiling *t, uint32_t index) {
  uint32_t stretch = index % t->stretches, column = index / t->stretches % t->fractal_columns, matrix = index / t->stretches / t->fractal_columns;
  uint32_t first = stretch * STRETCH_ROWS, left = t->rows - first, columns = t->columns - column * t->c0, all = round_up(t->rows, 16);
  unit u = {.rows = left < STRETCH_ROWS ? left : STRETCH_ROWS};
  u.padded = round_up(u.rows, 16);
  u.bytes = (columns < t->c0 ? columns : t->c0) * t->element_bytes;
  u.plain = (((uint64_t)matrix * t->rows + first) * t->columns + (uint64_t)column * t->c0) * t->element_bytes;
  u.packed = (((uint64_t)matrix * t->fractal_columns + column) * all + first) * t->c0 * t->element_bytes;
  return u;
}

/* A row of C0 elements takes one block or two in UB. */
__aicore__ static void load_unit(const format_tiling *t, const unit *u, __ubuf__ uint8_t *to, __gm__ uint8_t *from) {
  uint32_t row_bytes = t->c0 * t->element_bytes;
  if (!t->to_nz) {
    asc_copy_gm2ub_align(to, from + u->packed, u->rows * row_bytes);
    return;
  }
  asc_copy_gm2ub_align(to, from + u->plain, (uint16_t)u->rows, u->bytes, 0, 0, t->columns * t->element_bytes - u->bytes,
                       (row_bytes - round_up(u->bytes, 32)) / 32);
}

__aicore__ static void store_unit(const format_tiling *t, const unit *u, __ubuf__ uint8_t *from, __gm__ uint8_t *to) {
  uint32_t row_bytes = t->c0 * t->element_bytes;
  if (t->to_nz) {
    asc_copy_ub2gm_align(to + u->packed, from, u->padded * row_bytes);
    return;
  }
  asc_copy_ub2gm_align(to + u->plain, from, (uint16_t)u->rows, u->bytes, 0, 0, (row_bytes - round_up(u->bytes, 32)) / 32,
                       t->columns * t->element_bytes - u->bytes);
}

/* Whether rows or columns of the unit's fractals are padding, which has to be zero. */
__aicore__ static inline bool has_padding(const format_tiling *t, const unit *u) {
  return t->to_nz && (u->rows != u->padded || u->bytes != t->c0 * t->element_bytes);
}

__global__ __vector__ void format_cast(__gm__ uint8_t *from, __gm__ uint8_t *to, format_tiling tiling) {
  __ubuf__ uint8_t buffers[2 * BUFFER_BYTES];
  asc_init();
  asc_set_copy_pad_val((uint16_t)0); /* rows that end within a block are filled up with it */
  const format_tiling *t = &tiling;
  uint32_t turn = 0;
  for (uint32_t i = 0; i < 2; i++) asc_sync_notify(PIPE_MTE3, PIPE_V, i);
  for (uint32_t index = vector_index(); index < t->units; index += (uint32_t)asc_get_block_num(), turn ^= 1u) {
    unit u = unit_at(t, index);
    __ubuf__ uint8_t *buffer = buffers + turn * BUFFER_BYTES;
    asc_sync_wait(PIPE_MTE3, PIPE_V, turn);
    if (has_padding(t, &u)) asc_duplicate((__ubuf__ uint32_t *)buffer, 0u, u.padded * t->c0 * t->element_bytes / 4);
    asc_sync_notify(PIPE_V, PIPE_MTE2, turn);
    asc_sync_wait(PIPE_V, PIPE_MTE2, turn);
    load_unit(t, &u, buffer, from);
    asc_sync_notify(PIPE_MTE2, PIPE_MTE3, turn);
    asc_sync_wait(PIPE_MTE2, PIPE_MTE3, turn);
    store_unit(t, &u, buffer, to);
    asc_sync_notify(PIPE_MTE3, PIPE_V, turn);
  }
  for (uint32_t i = 0; i < 2; i++) asc_sync_wait(PIPE_MTE3, PIPE_V, i);
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

enum { AT_FORMAT, AT_CUSTOMIZE };

/* The format for the type that is asked for: as many columns as take 32 bytes of it. */
static sk_format customized(const sk_ops_job *job) {
  if (!job->given[AT_CUSTOMIZE]) return SK_FRACTAL_NZ;
  size_t bytes = sk_dtype_bytes((sk_dtype)sk_ops_integer(job, AT_CUSTOMIZE));
  sk_tensor plain = *job->in[0], named = plain;
  plain.format = SK_FRACTAL_NZ;
  named.format = bytes == 1 ? SK_FRACTAL_NZ_C0_32 : bytes == 2 ? SK_FRACTAL_NZ_C0_16 : SK_FRACTAL_NZ_C0_8;
  return sk_ops_c0(&plain) == sk_ops_c0(&named) ? SK_FRACTAL_NZ : named.format;
}

static int plan(sk_ops_job *job) {
  const sk_tensor *self = job->in[0];
  const char *name = job->op->name;
  int64_t format = sk_ops_integer(job, AT_FORMAT), by = sk_ops_integer(job, AT_CUSTOMIZE);
  bool from_nz = sk_ops_c0(self) > 0;
  if (format != SK_ND && format != SK_FRACTAL_NZ) return sk_ops_refuse(name, "acl_format", (uint64_t)format, "2 (ND), 29 (FRACTAL_NZ)");
  if (from_nz == (format == SK_FRACTAL_NZ))
    return sk_ops_refuse_text(name, "acl_format", "the format of self", "29 for row-major storage, 2 for FRACTAL_NZ");
  sk_ops_output(&job->out[0], self, self->dtype);
  if (!from_nz) job->out[0].format = customized(job);
  size_t by_bytes = sk_dtype_bytes((sk_dtype)by), row_bytes = sk_ops_c0(from_nz ? self : &job->out[0]) * sk_dtype_bytes(self->dtype);
  if (job->given[AT_CUSTOMIZE] && (by_bytes == 0 || by_bytes == 8 || (row_bytes != 32 && row_bytes != 64)))
    return sk_ops_refuse(name, "customize_dtype", (uint64_t)by, "a type of 1, 2 or 4 bytes of which 32 bytes are 32 or 64 bytes of elements of self");
  return ACL_SUCCESS;
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *self = job->in[0];
  uint32_t cores = sk_ops_vector_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  format_tiling tiling = {.rows = (uint32_t)self->shape[self->rank - 2], .columns = (uint32_t)self->shape[self->rank - 1],
                          .element_bytes = (uint32_t)sk_dtype_bytes(self->dtype), .to_nz = sk_ops_c0(&job->out[0]) > 0};
  tiling.c0 = sk_ops_c0(tiling.to_nz ? &job->out[0] : self);
  tiling.stretches = (tiling.rows + STRETCH_ROWS - 1) / STRETCH_ROWS;
  tiling.fractal_columns = (tiling.columns + tiling.c0 - 1) / tiling.c0;
  uint64_t units = sk_ops_product(self, 0, self->rank - 2) * tiling.stretches * tiling.fractal_columns;
  if (units > INT32_MAX) return sk_ops_refuse_shape(job->op->name, "self", self, "at most 2147483647 columns of fractals");
  tiling.units = (uint32_t)units;
  sk_ops_begin_launch();
  format_cast<<<(tiling.units < cores ? tiling.units : cores), 0, job->stream>>>((__gm__ uint8_t *)self->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_format_cast = {plan, launch};
