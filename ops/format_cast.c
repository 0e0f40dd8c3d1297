/* format_cast.c - between row-major and FRACTAL_NZ storage: [.., M, N] and [.., ceil(N / C0), ceil(M / 16), 16, C0].
 *
 * The unit of work is a window of up to 64 rows and 512 bytes of columns: 16 columns of fractals, or 8 whose rows take
 * 64 bytes. In row-major storage it is a burst per row, in NZ a piece per column of fractals; V rearranges one into the
 * other, 32 bytes at a time. Windows are divided over the vector cores; while one is rearranged the next arrives. */
#include "acl/acl.h"
#include "ops_host.h"
#include "row_tools.h"

#define WINDOW_ROWS 64u    /* a multiple of 16 */
#define WINDOW_BYTES 512u  /* of a row */
#define BUFFER_BYTES (WINDOW_ROWS * WINDOW_BYTES)
#define BLOCK 32u

typedef struct format_tiling {
  uint32_t rows, columns, element_bytes, c0, to_nz;
  uint32_t windows_down, windows_across; /* per matrix */
  uint32_t units;
} format_tiling;

/* One window. */
typedef struct unit {
  uint64_t plain;      /* where its first row begins, in bytes */
  uint64_t packed;     /* where its first column of fractals begins */
  uint64_t packed_step; /* from there to the next one */
  uint32_t rows, padded, bytes, fractals; /* bytes: of a row */
} unit;

__aicore__ static inline uint32_t fractal_bytes(const format_tiling *t) { return t->c0 * t->element_bytes; }

__aicore__ static unit unit_at(const format_tiling *t, uint32_t index) {
  uint32_t down = index % t->windows_down, across = index / t->windows_down % t->windows_across, matrix = index / t->windows_down / t->windows_across;
  uint32_t row = down * WINDOW_ROWS, first = across * WINDOW_BYTES, row_bytes = t->columns * t->element_bytes;
  uint32_t all_fractals = (t->columns + t->c0 - 1) / t->c0, wide = fractal_bytes(t);
  unit u = {.rows = t->rows - row < WINDOW_ROWS ? t->rows - row : WINDOW_ROWS, .bytes = row_bytes - first < WINDOW_BYTES ? row_bytes - first : WINDOW_BYTES};
  u.padded = round_up(u.rows, 16);
  u.fractals = (u.bytes + wide - 1) / wide;
  u.plain = ((uint64_t)matrix * t->rows + row) * row_bytes + first;
  u.packed_step = (uint64_t)round_up(t->rows, 16) * wide;
  u.packed = ((uint64_t)matrix * all_fractals + first / wide) * u.packed_step + (uint64_t)row * wide;
  return u;
}

/* Whether the window's fractals are not filled: the rest has to be zero. */
__aicore__ static inline bool has_padding(const format_tiling *t, const unit *u) {
  return t->to_nz && (u->rows != u->padded || u->bytes != u->fractals * fractal_bytes(t));
}

__aicore__ static void load_unit(const format_tiling *t, uint32_t index, __ubuf__ uint8_t *buffer, __gm__ uint8_t *from, uint32_t turn) {
  unit u = unit_at(t, index);
  if (has_padding(t, &u)) asc_duplicate((__ubuf__ uint32_t *)buffer, 0u, BUFFER_BYTES / 4);
  asc_sync_notify(PIPE_V, PIPE_MTE2, turn);
  asc_sync_wait(PIPE_V, PIPE_MTE2, turn);
  if (t->to_nz)
    asc_copy_gm2ub_align(buffer, from + u.plain, (uint16_t)u.rows, u.bytes, 0, 0, t->columns * t->element_bytes - u.bytes,
                         (WINDOW_BYTES - round_up(u.bytes, BLOCK)) / BLOCK);
  else
    for (uint32_t f = 0; f < u.fractals; f++)
      asc_copy_gm2ub_align(buffer + f * WINDOW_ROWS * fractal_bytes(t), from + u.packed + f * u.packed_step, u.rows * fractal_bytes(t));
  asc_sync_notify(PIPE_MTE2, PIPE_V, turn);
}

/* Rows of WINDOW_BYTES on one side, columns of fractals of WINDOW_ROWS rows on the other. */
__aicore__ static void rearrange(const format_tiling *t, const unit *u, __ubuf__ uint8_t *to, __ubuf__ uint8_t *from) {
  uint16_t blocks = (uint16_t)(fractal_bytes(t) / BLOCK), gap = (uint16_t)(WINDOW_BYTES / BLOCK - blocks);
  for (uint32_t f = 0; f < u->fractals; f++) {
    uint32_t in_row = f * fractal_bytes(t), in_nz = f * WINDOW_ROWS * fractal_bytes(t);
    if (t->to_nz)
      asc_copy_ub2ub((__ubuf__ void *)(to + in_nz), (__ubuf__ void *)(from + in_row), (uint16_t)u->padded, blocks, gap, 0);
    else
      asc_copy_ub2ub((__ubuf__ void *)(to + in_row), (__ubuf__ void *)(from + in_nz), (uint16_t)u->rows, blocks, 0, gap);
  }
}

__aicore__ static void store_unit(const format_tiling *t, const unit *u, __ubuf__ uint8_t *from, __gm__ uint8_t *to) {
  if (t->to_nz)
    for (uint32_t f = 0; f < u->fractals; f++)
      asc_copy_ub2gm_align(to + u->packed + f * u->packed_step, from + f * WINDOW_ROWS * fractal_bytes(t), u->padded * fractal_bytes(t));
  else
    asc_copy_ub2gm_align(to + u->plain, from, (uint16_t)u->rows, u->bytes, 0, 0, (WINDOW_BYTES - round_up(u->bytes, BLOCK)) / BLOCK,
                         t->columns * t->element_bytes - u->bytes);
}

__global__ __vector__ void format_cast(__gm__ uint8_t *from, __gm__ uint8_t *to, format_tiling tiling) {
  __ubuf__ uint8_t arriving[2 * BUFFER_BYTES], leaving[2 * BUFFER_BYTES];
  asc_init();
  asc_set_copy_pad_val((uint16_t)0); /* rows that end within a block are filled up with it */
  const format_tiling *t = &tiling;
  uint32_t first = vector_index(), step = (uint32_t)asc_get_block_num(), turn = 0;
  if (first >= t->units) return;
  for (uint32_t i = 0; i < 2; i++) asc_sync_notify(PIPE_MTE3, PIPE_V, i);
  load_unit(t, first, arriving, from, 0);
  for (uint32_t index = first; index < t->units; index += step, turn ^= 1u) {
    unit u = unit_at(t, index);
    if (t->units - index > step) load_unit(t, index + step, arriving + (turn ^ 1u) * BUFFER_BYTES, from, turn ^ 1u);
    asc_sync_wait(PIPE_MTE2, PIPE_V, turn);
    asc_sync_wait(PIPE_MTE3, PIPE_V, turn);
    rearrange(t, &u, leaving + turn * BUFFER_BYTES, arriving + turn * BUFFER_BYTES);
    asc_sync_notify(PIPE_V, PIPE_MTE3, turn);
    asc_sync_wait(PIPE_V, PIPE_MTE3, turn);
    store_unit(t, &u, leaving + turn * BUFFER_BYTES, to);
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
  if (sk_ops_columns(self) > UINT32_MAX / 4) return sk_ops_refuse_shape(name, "self", self, "a last dimension of at most 1073741823");
  sk_ops_output(&job->out[0], self, self->dtype);
  if (!from_nz) job->out[0].format = customized(job);
  size_t by_bytes = sk_dtype_bytes((sk_dtype)by), row_bytes = sk_ops_c0(from_nz ? self : &job->out[0]) * sk_dtype_bytes(self->dtype);
  if (from_nz && row_bytes != 32 && row_bytes != 64)
    return sk_ops_refuse(name, "format of self", (uint64_t)self->format, "one whose fractal rows take 32 or 64 bytes");
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
  tiling.windows_down = (tiling.rows + WINDOW_ROWS - 1) / WINDOW_ROWS;
  tiling.windows_across = (tiling.columns * tiling.element_bytes + WINDOW_BYTES - 1) / WINDOW_BYTES;
  uint64_t units = sk_ops_product(self, 0, self->rank - 2) * tiling.windows_down * tiling.windows_across;
  if (units > INT32_MAX) return sk_ops_refuse_shape(job->op->name, "self", self, "at most 2147483647 windows of 64 rows and 512 bytes");
  tiling.units = (uint32_t)units;
  sk_ops_begin_launch();
  format_cast<<<(tiling.units < cores ? tiling.units : cores), 0, job->stream>>>((__gm__ uint8_t *)self->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_format_cast = {plan, launch};
