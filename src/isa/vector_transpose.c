/* vector_transpose.c - asc_transpose (16 x 16) and asc_transto5hd_* (blocks by lists of addresses). */
#include <stdio.h>
#include <string.h>

#include "c_api/asc_vector_other.h"
#include "isa/vector_other.h"

#define LIST 16u /* addresses of a list: two registers */

static void transpose(sk__core *core, void *dst, const void *src) {
  uint16_t in[256], out[256];
  uint16_t *d = sk__ub_operand(core, dst, sizeof out, SK__BLOCK_BYTES, "dst");
  const uint16_t *s = d == NULL ? NULL : sk__ub_operand(core, src, sizeof in, SK__BLOCK_BYTES, "src");
  if (s == NULL || (s != d && sk__overlap_found(core, d, sizeof out, s, sizeof in, "src"))) return;
  sk__local_access(core, SK__PIPE_V, SK__READ, s, sizeof in);
  sk__local_access(core, SK__PIPE_V, SK__WRITE, d, sizeof out);
  memcpy(in, s, sizeof in);
  for (uint32_t row = 0; row < 16; row++)
    for (uint32_t column = 0; column < 16; column++) out[column * 16 + row] = in[row * 16 + column];
  memcpy(d, out, sizeof out);
  sk__vector_time(core, SK__RATE_TRANSPOSE, 2, 256);
}
SK__OWN_FORM(transpose, b16, (void *dst, const void *src), dst, src)

void sk_set_va_reg(ub_addr8_t va, const void *eight_addresses) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_set_va_reg", SK__SITE());
  if (core == NULL) return;
  if ((uint32_t)va > VA7) {
    sk__bad_argument(core, "the register", (int64_t)va, "VA0..VA7");
    return;
  }
  memcpy(core->va[va], eight_addresses, sizeof core->va[va]);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.scalar_cycles);
}

/* ---- by lists of addresses ------------------------------------------------------------------- */

typedef struct blocks {
  uint8_t *at[LIST];
  uint64_t step_bytes; /* from one repeat to the next */
} blocks;

/* The 16 addresses of a register pair, checked. */
static bool resolve_list(sk__core *core, uint32_t va, uint32_t repeat, uint32_t stride, const char *which, blocks *out) {
  if (va >= VA7) {
    sk__bad_argument(core, which, va, "VA0..VA6, the first register of a pair");
    return false;
  }
  out->step_bytes = (uint64_t)stride * SK__BLOCK_BYTES;
  /* A single repeat starts one stride in, which is why strides should be 0 then. */
  uint64_t first = repeat == 1 ? out->step_bytes : 0;
  uint64_t extent = (uint64_t)(repeat - 1) * out->step_bytes + SK__BLOCK_BYTES;
  for (uint32_t i = 0; i < LIST; i++) {
    char name[24];
    snprintf(name, sizeof name, "%s[%u]", which, i);
    const void *address = (const void *)(uintptr_t)(core->va[va + i / 8][i % 8] + first);
    out->at[i] = sk__ub_operand(core, address, extent, SK__BLOCK_BYTES, name);
    if (out->at[i] == NULL) return false;
  }
  return true;
}
static void list_footprint(sk__core *core, const blocks *list, sk__access kind, uint32_t repeat, uint32_t offset,
                           uint32_t bytes) {
  for (uint32_t i = 0; i < LIST; i++)
    sk__local_access_strided(core, SK__PIPE_V, kind, list->at[i] + offset, list->step_bytes == 0 ? 1 : repeat, bytes,
                             list->step_bytes);
}

/* The sixteen blocks of one repeat. Element j of destination block i: */
static void turn_b8(uint8_t out[LIST][32], const uint8_t in[LIST][32], uint32_t dst_half, uint32_t src_half) {
  for (uint32_t i = 0; i < 16; i++)
    for (uint32_t j = 0; j < 16; j++) out[i][16 * dst_half + j] = in[j][16 * src_half + i];
}
static void turn_b16(uint8_t out[LIST][32], const uint8_t in[LIST][32]) {
  for (uint32_t i = 0; i < 16; i++)
    for (uint32_t j = 0; j < 16; j++) memcpy(out[i] + 2 * j, in[j] + 2 * i, 2);
}
/* Even blocks come from the first eight sources, odd ones from the last eight. */
static void turn_b32(uint8_t out[LIST][32], const uint8_t in[LIST][32]) {
  for (uint32_t i = 0; i < 16; i++)
    for (uint32_t j = 0; j < 8; j++) memcpy(out[i] + 4 * j, in[8 * (i % 2) + j] + 4 * (i / 2), 4);
}

static void transto5hd(sk__core *core, uint32_t dst, uint32_t src, uint32_t repeat, uint32_t dst_stride,
                       uint32_t src_stride, uint32_t size, uint32_t dst_half, uint32_t src_half) {
  if (repeat == 0) return;
  blocks d, s;
  if (!resolve_list(core, dst, repeat, dst_stride, "dst", &d) || !resolve_list(core, src, repeat, src_stride, "src", &s))
    return;
  if (repeat == 1 && (dst_stride | src_stride) != 0)
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__WARNING, "pass strides of 0 with a single repeat",
                      "with repeat 1 the lists are moved by one stride (dst %u, src %u blocks)", dst_stride, src_stride);
  uint32_t used = size == 1 ? 16 : SK__BLOCK_BYTES, dst_offset = 16 * dst_half, src_offset = 16 * src_half;
  if (core->checks) {
    list_footprint(core, &s, SK__READ, repeat, src_offset, used);
    list_footprint(core, &d, SK__WRITE, repeat, dst_offset, used);
  }
  for (uint32_t t = 0; t < repeat; t++) {
    uint8_t in[LIST][32], out[LIST][32];
    for (uint32_t i = 0; i < LIST; i++) memcpy(in[i], s.at[i] + t * s.step_bytes, SK__BLOCK_BYTES);
    if (size == 1) turn_b8(out, (const uint8_t(*)[32])in, dst_half, src_half);
    else if (size == 2) turn_b16(out, (const uint8_t(*)[32])in);
    else turn_b32(out, (const uint8_t(*)[32])in);
    for (uint32_t i = 0; i < LIST; i++) memcpy(d.at[i] + t * d.step_bytes + dst_offset, out[i] + dst_offset, used);
  }
  sk__vector_time(core, SK__RATE_TRANSPOSE, size, (uint64_t)repeat * (size == 1 ? 256 : 512 / size));
}

void asc_transto5hd_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride,
                       bool dst_high_half, bool src_high_half) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_transto5hd_b8", SK__SITE());
  if (core != NULL) transto5hd(core, dst, src, repeat, dst_stride, src_stride, 1, dst_high_half, src_high_half);
}
void asc_transto5hd_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_transto5hd_b16", SK__SITE());
  if (core != NULL) transto5hd(core, dst, src, repeat, dst_stride, src_stride, 2, 0, 0);
}
void asc_transto5hd_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_transto5hd_b32", SK__SITE());
  if (core != NULL) transto5hd(core, dst, src, repeat, dst_stride, src_stride, 4, 0, 0);
}
