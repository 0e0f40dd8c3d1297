/* vector_pick.c - asc_reduce and asc_squeeze (keep chosen elements), asc_gather, asc_gather_datablock
 * (by byte offsets), asc_brcb (one element to a block).
 *
 * Only chosen elements count as read: what the pattern skips cannot change the result. */
#include <stdio.h>
#include <string.h>

#include "c_api/asc_vector_other.h"
#include "isa/vector_other.h"

/* ---- keep chosen elements -------------------------------------------------------------------- */

typedef struct picking {
  uint32_t size;            /* bytes per element */
  uint32_t pattern;         /* 0 = bits in memory, 1..7 fixed */
  sk__iterations it;        /* no mask: `prefix` elements of each repeat, tail = a shorter last one */
  sk__stream src;
  const uint8_t *bits;
  uint32_t bits_step;       /* bytes from one repeat's bits to the next */
} picking;

static uint32_t elems_of(const picking *p, uint32_t r) { return r < p->it.full ? p->it.prefix : p->it.tail; }

/* 64 pattern bits of repeat r from element `first` on. */
static uint64_t chosen(const picking *p, uint32_t r, uint32_t first) {
  static const uint64_t fixed[8] = {0, UINT64_C(0x5555555555555555), UINT64_C(0xaaaaaaaaaaaaaaaa),
                                    UINT64_C(0x1111111111111111), UINT64_C(0x2222222222222222),
                                    UINT64_C(0x4444444444444444), UINT64_C(0x8888888888888888), UINT64_MAX};
  uint32_t n = elems_of(p, r) - first;
  uint64_t bits = fixed[p->pattern];
  if (p->pattern == 0) memcpy(&bits, p->bits + (uint64_t)r * p->bits_step + first / 8, n >= 64 ? 8 : (n + 7) / 8);
  return n >= 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

static uint64_t count_chosen(const picking *p) {
  uint64_t kept = 0;
  for (uint32_t r = 0; r < sk__iteration_total(&p->it); r++)
    for (uint32_t first = 0; first < elems_of(p, r); first += 64) kept += (uint32_t)__builtin_popcountll(chosen(p, r, first));
  return kept;
}

static const uint8_t *source_at(const picking *p, uint32_t r, uint32_t elem) {
  uint32_t per_block = SK__BLOCK_BYTES / p->size;
  return p->src.base + (uint64_t)r * p->src.repeat_bytes + (uint64_t)(elem / per_block) * p->src.block_bytes +
         elem % per_block * p->size;
}

/* Declares the chosen elements as read. Where everything was initialised, whole blocks are declared: the
 * unit reads blocks, and elements one by one would cost far more than the instruction. */
static void source_footprint(sk__core *core, const picking *p) {
  bool blocks = sk__shadow_local_initialised(core->checker, &core->order, (uint64_t)p->src.base,
                                             sk__stream_extent(&p->src, &p->it));
  if (p->pattern == 7 || (p->pattern != 0 && blocks)) {
    sk__stream_access(core, SK__PIPE_V, SK__READ, &p->src, &p->it);
    return;
  }
  for (uint32_t r = 0; r < sk__iteration_total(&p->it); r++) {
    const uint8_t *start = NULL, *end = NULL; /* the run so far */
    for (uint32_t first = 0; first < elems_of(p, r); first += 64) {
      for (uint64_t bits = chosen(p, r, first); bits != 0; bits &= bits - 1) {
        const uint8_t *at = source_at(p, r, first + (uint32_t)__builtin_ctzll(bits)), *at_end = at + p->size;
        if (blocks) {
          at -= (uint64_t)at % SK__BLOCK_BYTES;
          at_end = at + SK__BLOCK_BYTES;
        }
        if (start == NULL || at < start || at > end) {
          if (start != NULL) sk__local_access(core, SK__PIPE_V, SK__READ, start, (uint64_t)(end - start));
          start = end = at;
        }
        if (at_end > end) end = at_end;
      }
    }
    if (start != NULL) sk__local_access(core, SK__PIPE_V, SK__READ, start, (uint64_t)(end - start));
  }
}

/* Fixed patterns of one contiguous repeat: every step-th element from `first` on. */
static uint8_t *keep_every(uint8_t *out, const uint8_t *row, uint32_t n, uint32_t first, uint32_t step, uint32_t size) {
  if (size == 4) {
    for (uint32_t e = first; e < n; e += step, out += 4) memcpy(out, row + 4 * (size_t)e, 4);
  } else {
    for (uint32_t e = first; e < n; e += step, out += 2) memcpy(out, row + 2 * (size_t)e, 2);
  }
  return out;
}

static void keep_chosen(const picking *p, uint8_t *out) {
  uint32_t size = p->size;
  for (uint32_t r = 0; r < sk__iteration_total(&p->it); r++) {
    bool contiguous = p->src.block_bytes == SK__BLOCK_BYTES;
    const uint8_t *row = p->src.base + (uint64_t)r * p->src.repeat_bytes;
    if (contiguous && p->pattern != 0) {
      uint32_t step = p->pattern == 7 ? 1 : p->pattern <= 2 ? 2 : 4;
      uint32_t first = p->pattern == 7 ? 0 : p->pattern <= 2 ? p->pattern - 1 : p->pattern - 3;
      out = keep_every(out, row, elems_of(p, r), first, step, size);
      continue;
    }
    for (uint32_t first = 0; first < elems_of(p, r); first += 64) {
      for (uint64_t bits = chosen(p, r, first); bits != 0; bits &= bits - 1, out += size) {
        uint32_t elem = first + (uint32_t)__builtin_ctzll(bits);
        const uint8_t *at = contiguous ? row + (uint64_t)elem * size : source_at(p, r, elem);
        if (size == 4) memcpy(out, at, 4);
        else memcpy(out, at, 2);
      }
    }
  }
}

/* Everything is collected before the destination is written: picking in place is allowed. */
static void pick(sk__core *core, picking *p, void *dst) {
  core->rsvd_count = 0;
  if (sk__iterations_empty(&p->it)) return;
  p->src.base = sk__ub_operand(core, p->src.base, sk__stream_extent(&p->src, &p->it), SK__BLOCK_BYTES, "src0");
  if (p->src.base == NULL) return;
  uint32_t total = sk__iteration_total(&p->it), last = total - 1;
  if (p->pattern == 0) {
    uint64_t bytes = (uint64_t)last * p->bits_step + (elems_of(p, last) + 7) / 8;
    p->bits = sk__ub_operand(core, p->bits, bytes, SK__BLOCK_BYTES, "src1");
    if (p->bits == NULL) return;
    if (core->checks)
      for (uint32_t r = 0; r < total; r++)
        sk__local_access(core, SK__PIPE_V, SK__READ, p->bits + (uint64_t)r * p->bits_step, (elems_of(p, r) + 7) / 8);
  }
  uint64_t kept = count_chosen(p), bytes = kept * p->size;
  uint8_t *d = sk__ub_operand(core, dst, bytes, SK__BLOCK_BYTES, "dst");
  if (d == NULL) return;
  if (core->checks) {
    source_footprint(core, p);
    if (kept != 0) sk__local_access(core, SK__PIPE_V, SK__WRITE, d, bytes);
  }
  keep_chosen(p, core->scratch);
  memcpy(d, core->scratch, bytes);
  core->rsvd_count = kept;
  sk__vector_time(core, SK__RATE_GATHER_MASK, p->size, (uint64_t)p->it.full * p->it.prefix + p->it.tail);
}

static void pick_count(sk__core *core, void *dst, const void *src0, const void *src1, uint32_t count, uint32_t size) {
  sk__mask_count_form(core, count);
  picking p = {.size = size, .src = sk__stream_of(src0, size * 8, 1, 8), .bits = src1,
               .it = {.lanes = count, .full = 1, .prefix = count}};
  pick(core, &p, dst);
}
/* The mask registers do not apply; in counter mode MASK0 says how many elements a repeat has. */
static void pick_strided(sk__core *core, void *dst, const void *src0, const void *src1, uint32_t size, SK_ARGS_PICK) {
  if (pattern_mode > 7) {
    sk__bad_argument(core, "pattern_mode", pattern_mode, "0..7");
    return;
  }
  uint32_t elems = sk__ctrl(core, SK__CTRL_COUNTER_MODE) ? (uint32_t)core->mask[0] : SK__REPEAT_BYTES / size;
  picking p = {.size = size, .pattern = pattern_mode,
               .src = sk__stream_of(src0, size * 8, src0_block_stride, src0_repeat_stride),
               .bits = src1, .bits_step = src1_repeat_stride * SK__BLOCK_BYTES,
               .it = {.lanes = elems, .full = repeat, .prefix = elems}};
  pick(core, &p, dst);
}
static void squeeze(sk__core *core, void *dst, const void *src0, const void *src1, uint32_t size, SK_ARGS_BINARY) {
  (void)dst_block_stride, (void)src1_block_stride, (void)dst_repeat_stride; /* the results are packed */
  uint32_t lanes = SK__REPEAT_BYTES / size;
  picking p = {.size = size, .src = sk__stream_of(src0, size * 8, src0_block_stride, src0_repeat_stride),
               .bits = src1, .bits_step = src1_repeat_stride * SK__BLOCK_BYTES,
               .it = {.lanes = lanes, .full = repeat, .prefix = lanes}};
  if (sk__ctrl(core, SK__CTRL_COUNTER_MODE)) p.it = sk__iterations_count((uint32_t)core->mask[0], lanes);
  pick(core, &p, dst);
}

#define PICK(tag, T)                                                                                        \
  void sk_reduce_##tag##_n(T *dst, const T *src0, const T *src1, uint32_t count) {                          \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(reduce), SK__SITE());                          \
    if (core != NULL) pick_count(core, dst, src0, src1, count, sizeof *dst);                                \
  }                                                                                                         \
  void sk_reduce_##tag##_ns(T *dst, const T *src0, const T *src1, uint32_t count) {                         \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME_SYNC(reduce), SK__SITE());                     \
    if (core == NULL) return;                                                                               \
    pick_count(core, dst, src0, src1, count, sizeof *dst);                                                  \
    sk__pipe_barrier(core, SK__PIPE_ALL);                                                                   \
  }                                                                                                         \
  void sk_reduce_##tag##_h(T *dst, const T *src0, const T *src1, SK_ARGS_PICK) {                            \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(reduce), SK__SITE());                          \
    if (core != NULL)                                                                                       \
      pick_strided(core, dst, src0, src1, sizeof *dst, repeat, src0_block_stride, pattern_mode,             \
                   src0_repeat_stride, src1_repeat_stride);                                                 \
  }                                                                                                         \
  void sk_squeeze_##tag##_h(T *dst, const T *src0, const T *src1, SK_ARGS_BINARY) {                         \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(squeeze), SK__SITE());                         \
    if (core != NULL)                                                                                       \
      squeeze(core, dst, src0, src1, sizeof *dst, repeat, dst_block_stride, src0_block_stride,              \
              src1_block_stride, dst_repeat_stride, src0_repeat_stride, src1_repeat_stride);                \
  }
PICK(u16, uint16_t)
PICK(u32, uint32_t)

int64_t asc_get_rsvd_count(void) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_get_rsvd_count", SK__SITE());
  if (core == NULL) return 0;
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.scalar_cycles);
  return (int64_t)core->rsvd_count;
}

/* ---- gather ---------------------------------------------------------------------------------- */

/* Offsets of one instruction: which of them count, and what they point at. */
typedef struct gathering {
  const uint32_t *offset;
  uint32_t piece;           /* bytes each offset fetches */
  sk__iterations it;
} gathering;

/* Range of enabled offsets; false after a finding about a crooked one. */
static bool offset_range(sk__core *core, const gathering *g, uint32_t *least, uint32_t *most) {
  *least = UINT32_MAX, *most = 0;
  uint32_t crooked = 0;
  const uint32_t *offset = g->offset;
  for (uint32_t r = 0; r < sk__iteration_total(&g->it); r++, offset += g->it.lanes) {
    uint32_t n = r < g->it.full ? g->it.prefix : g->it.tail;
    for (uint32_t e = 0; e < n; e++) {
      if (g->it.pattern && !sk__lane_enabled(&g->it, r, e)) continue;
      crooked |= offset[e];
      if (offset[e] < *least) *least = offset[e];
      if (offset[e] > *most) *most = offset[e];
    }
  }
  if ((crooked & (g->piece - 1)) == 0) return true;
  for (uint32_t r = 0; r < sk__iteration_total(&g->it); r++) {
    for (uint32_t e = 0; e < g->it.lanes; e++) {
      uint32_t value = g->offset[r * g->it.lanes + e];
      if (!sk__lane_enabled(&g->it, r, e) || (value & (g->piece - 1)) == 0) continue;
      char what[40];
      snprintf(what, sizeof what, "offset %u", r * g->it.lanes + e);
      sk__bad_argument(core, what, value, "multiples of %u bytes", g->piece);
      return false;
    }
  }
  return true;
}

/* Does an enabled offset fetch bytes of [dst, dst + dst_bytes)? */
static bool fetches_from(const gathering *g, const uint8_t *src, const uint8_t *dst, uint64_t dst_bytes) {
  for (uint32_t r = 0; r < sk__iteration_total(&g->it); r++) {
    for (uint32_t e = 0; e < g->it.lanes; e++) {
      const uint8_t *at = src + g->offset[r * g->it.lanes + e];
      if (sk__lane_enabled(&g->it, r, e) && at < dst + dst_bytes && dst < at + g->piece) return true;
    }
  }
  return false;
}

/* Bytes the offsets point at, as few runs: a bit per piece between the least and the greatest offset.
 * Where everything there was initialised, a piece is a block (see source_footprint). */
static void gather_footprint(sk__core *core, const gathering *g, const uint8_t *src, uint32_t least, uint32_t most) {
  bool blocks = sk__shadow_local_initialised(core->checker, &core->order, (uint64_t)(src + least), most - least + g->piece);
  uint32_t piece = blocks ? SK__BLOCK_BYTES : g->piece, first = least / piece, pieces = most / piece - first + 1;
  uint64_t *seen = core->scratch;
  memset(seen, 0, (pieces + 63) / 64 * sizeof *seen);
  const uint32_t *offset = g->offset;
  for (uint32_t r = 0; r < sk__iteration_total(&g->it); r++, offset += g->it.lanes) {
    for (uint32_t e = 0; e < g->it.lanes; e++) {
      if (!sk__lane_enabled(&g->it, r, e)) continue;
      uint32_t at = offset[e] / piece - first;
      seen[at / 64] |= UINT64_C(1) << (at % 64);
    }
  }
  for (uint32_t at = 0; at < pieces;) {
    uint64_t word = seen[at / 64] >> (at % 64);
    if (word == 0) {
      at = (at / 64 + 1) * 64;
      continue;
    }
    at += (uint32_t)__builtin_ctzll(word);
    uint32_t n = 1;
    while (at + n < pieces && (seen[(at + n) / 64] >> ((at + n) % 64) & 1) != 0) n++;
    sk__local_access(core, SK__PIPE_V, SK__READ, src + ((uint64_t)first + at) * piece, (uint64_t)n * piece);
    at += n;
  }
}

/* Into what it reads: a finding and true. */
static bool gathers_into_source(sk__core *core, const gathering *g, const uint8_t *src, uint32_t least, uint32_t most,
                                const uint8_t *dst, uint64_t dst_bytes) {
  bool near = src + least < dst + dst_bytes && dst < src + most + g->piece;
  if (dst != src && !(near && fetches_from(g, src, dst, dst_bytes))) return false;
  sk__instr_finding(core, "OVERLAP", SK__CAT_OPERATOR, SK__ERROR, "gather into memory of its own", "%s",
                    dst == src ? "dst and src are the same memory" : "an offset points into dst");
  return true;
}

/* Checks and footprints shared by both gathers; the addresses come back resolved. */
static bool gather_ready(sk__core *core, gathering *g, sk__stream *dst, const uint8_t **src) {
  sk__stream offsets = {(uint8_t *)(uintptr_t)g->offset, 32, SK__BLOCK_BYTES, g->it.lanes * 4};
  uint64_t dst_bytes = sk__stream_extent(dst, &g->it);
  dst->base = sk__ub_operand(core, dst->base, dst_bytes, SK__BLOCK_BYTES, "dst");
  if (dst->base == NULL) return false;
  offsets.base = sk__ub_operand(core, offsets.base, sk__stream_extent(&offsets, &g->it), SK__BLOCK_BYTES, "src_offset");
  if (offsets.base == NULL) return false;
  g->offset = (const uint32_t *)(const void *)offsets.base;
  /* Over its own offsets, element by element, is the one overlap that cannot overwrite an offset to come. */
  bool in_place = dst->base == offsets.base && g->piece == 4 && dst->repeat_bytes == SK__REPEAT_BYTES;
  if (!in_place && sk__overlap_found(core, dst->base, dst_bytes, offsets.base, sk__stream_extent(&offsets, &g->it), "src_offset"))
    return false;
  uint32_t least, most;
  if (!offset_range(core, g, &least, &most)) return false;
  *src = sk__ub_operand(core, *src, (uint64_t)most + g->piece, SK__BLOCK_BYTES, "src + offset");
  if (*src == NULL) return false;
  if (gathers_into_source(core, g, *src, least, most, dst->base, dst_bytes)) return false;
  if (!core->checks) return true;
  sk__stream_access(core, SK__PIPE_V, SK__READ, &offsets, &g->it);
  gather_footprint(core, g, *src, least, most);
  sk__stream_access(core, SK__PIPE_V, SK__WRITE, dst, &g->it);
  return true;
}

static void gather(sk__core *core, void *dst, const void *src, const uint32_t *offset, const sk__iterations *it,
                   uint32_t dst_repeat_stride, uint32_t size) {
  if (sk__iterations_empty(it)) return;
  gathering g = {offset, size, *it};
  sk__stream d = sk__stream_of(dst, size * 8, 1, dst_repeat_stride);
  const uint8_t *s = src;
  if (!gather_ready(core, &g, &d, &s)) return;
  uint32_t total = sk__iteration_total(it);
  for (uint32_t r = 0; r < total; r++, g.offset += it->lanes) {
    _Alignas(64) uint8_t row[SK__REPEAT_BYTES];
    uint32_t n = r < it->full ? it->prefix : it->tail;
    for (uint32_t e = 0; e < n; e++) {
      uint32_t from = it->pattern && !sk__lane_enabled(it, r, e) ? 0 : g.offset[e];
      if (size == 4) memcpy(row + 4 * e, s + from, 4);
      else memcpy(row + 2 * e, s + from, 2);
    }
    sk__stream_scatter(&d, it, r, row);
  }
  sk__vector_time(core, SK__RATE_GATHER, size, (uint64_t)it->full * it->lanes + it->tail);
}

/* Eight offsets a repeat, a whole block each; the mask does not apply. As a stream: elements of 32 bytes
 * are described as eight of 4 bytes each. */
static void gather_datablock(sk__core *core, void *dst, const void *src, const uint32_t *offset, uint32_t size,
                             SK_ARGS_GATHER_BLOCK) {
  if (repeat == 0) return;
  uint32_t block = dst_block_stride == 0 ? 1 : dst_block_stride;
  gathering g = {offset, SK__BLOCK_BYTES, {.lanes = 8, .full = repeat, .prefix = 8}};
  sk__iterations words = {.lanes = 64, .full = repeat, .prefix = 64};
  sk__stream d = sk__stream_of(dst, 32, block, dst_repeat_stride), offsets = sk__stream_of(offset, 32, 1, 1);
  uint64_t dst_bytes = sk__stream_extent(&d, &words);
  d.base = sk__ub_operand(core, dst, dst_bytes, SK__BLOCK_BYTES, "dst");
  if (d.base == NULL) return;
  g.offset = sk__ub_operand(core, offset, repeat * SK__BLOCK_BYTES, SK__BLOCK_BYTES, "src_offset");
  uint32_t least, most;
  if (g.offset == NULL || sk__overlap_found(core, d.base, dst_bytes, g.offset, repeat * SK__BLOCK_BYTES, "src_offset") ||
      !offset_range(core, &g, &least, &most))
    return;
  const uint8_t *s = sk__ub_operand(core, src, (uint64_t)most + SK__BLOCK_BYTES, SK__BLOCK_BYTES, "src + offset");
  if (s == NULL || gathers_into_source(core, &g, s, least, most, d.base, dst_bytes)) return;
  if (core->checks) {
    offsets.base = (uint8_t *)(uintptr_t)g.offset;
    sk__stream_access(core, SK__PIPE_V, SK__READ, &offsets, &g.it);
    gather_footprint(core, &g, s, least, most);
    sk__stream_access(core, SK__PIPE_V, SK__WRITE, &d, &words);
  }
  for (uint32_t r = 0; r < repeat; r++) {
    uint8_t row[SK__REPEAT_BYTES];
    for (uint32_t b = 0; b < 8; b++) memcpy(row + b * SK__BLOCK_BYTES, s + g.offset[r * 8 + b], SK__BLOCK_BYTES);
    sk__stream_scatter(&d, &words, r, row);
  }
  sk__vector_time(core, SK__RATE_GATHER_BLOCK, size, (uint64_t)repeat * SK__REPEAT_BYTES / size);
}

static void gather_count(void *dst, const void *src, const uint32_t *offset, uint32_t count, uint32_t size, bool sync,
                         const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? SK__NAME_SYNC(gather) : SK__NAME(gather), site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, SK__REPEAT_BYTES / size);
  gather(core, dst, src, offset, &it, 8, size);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

#define GATHER(tag, bytes)                                                                                \
  void sk_gather_##tag##_n(void *dst, const void *src, const uint32_t *src_offset, uint32_t count) {      \
    gather_count(dst, src, src_offset, count, bytes, false, SK__SITE());                                  \
  }                                                                                                       \
  void sk_gather_##tag##_ns(void *dst, const void *src, const uint32_t *src_offset, uint32_t count) {     \
    gather_count(dst, src, src_offset, count, bytes, true, SK__SITE());                                   \
  }                                                                                                       \
  void sk_gather_##tag##_h(void *dst, const void *src, const uint32_t *src_offset, SK_ARGS_GATHER) {      \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(gather), SK__SITE());                        \
    if (core == NULL) return;                                                                             \
    sk__iterations it = sk__iterations_of(core, repeat, SK__REPEAT_BYTES / (bytes));                      \
    gather(core, dst, src, src_offset, &it, dst_repeat_stride, bytes);                                    \
  }
GATHER(b16, 2)
GATHER(b32, 4)

#define GATHER_BLOCK(tag, T)                                                                               \
  SK__OWN_FORM(gather_datablock, tag, (T *dst, const T *src, const uint32_t *src_offset, SK_ARGS_GATHER_BLOCK), \
               dst, src, src_offset, sizeof *dst, dst_repeat_stride, dst_block_stride, repeat)
GATHER_BLOCK(u16, uint16_t)
GATHER_BLOCK(u32, uint32_t)

/* ---- broadcast ------------------------------------------------------------------------------- */

static void brcb(sk__core *core, void *dst, const void *src, uint32_t size, SK_ARGS_BRCB) {
  if (repeat == 0) return;
  uint32_t block = (dst_block_stride == 0 ? 1u : dst_block_stride) * SK__BLOCK_BYTES;
  sk__iterations it = {.lanes = SK__REPEAT_BYTES / size, .full = repeat, .prefix = SK__REPEAT_BYTES / size};
  sk__stream out = {dst, size * 8, block, dst_repeat_stride * SK__BLOCK_BYTES};
  uint64_t src_bytes = (uint64_t)repeat * 8 * size, dst_bytes = sk__stream_extent(&out, &it);
  out.base = sk__ub_operand(core, dst, dst_bytes, SK__BLOCK_BYTES, "dst");
  if (out.base == NULL) return;
  const uint8_t *s = sk__ub_operand(core, src, src_bytes, SK__BLOCK_BYTES, "src");
  if (s == NULL || sk__overlap_found(core, out.base, dst_bytes, s, src_bytes, "src")) return;
  if (core->checks) {
    sk__local_access(core, SK__PIPE_V, SK__READ, s, src_bytes);
    sk__stream_access(core, SK__PIPE_V, SK__WRITE, &out, &it);
  }
  for (uint32_t r = 0; r < repeat; r++) {
    uint8_t *to = out.base + (uint64_t)r * out.repeat_bytes;
    for (uint32_t b = 0; b < 8; b++, s += size, to += block) {
      uint64_t word = 0;
      memcpy(&word, s, size);
      word = size == 4 ? word * UINT64_C(0x100000001) : word * UINT64_C(0x0001000100010001);
      const uint64_t words[4] = {word, word, word, word};
      memcpy(to, words, sizeof words);
    }
  }
  sk__vector_time(core, SK__RATE_BROADCAST, size, (uint64_t)repeat * 8);
}

#define BRCB(tag, T)                                                                                           \
  SK__OWN_FORM(brcb, tag, (T *dst, const T *src, SK_ARGS_BRCB), dst, src, sizeof *dst, dst_block_stride,       \
               dst_repeat_stride, repeat)
BRCB(u16, uint16_t)
BRCB(u32, uint32_t)
