/* vector_overlap.c - operands that share bytes. The chip keeps several iterations under way, so two things
 * have no defined result: an iteration whose source is only partly its destination, and a destination that
 * is a source of the next iteration. Cold: called only when the operands' extents meet.
 *
 * Not reported, because each element is read before anything of its iteration is written: conversions in
 * place between different sizes. */
#include "isa/isa.h"

typedef struct run { uint64_t start, end; } run;

#define MAX_RUNS 128

/* Byte ranges of the enabled elements of iteration r, one per run within a block, at most MAX_RUNS. A copy in
 * counter mode may have longer iterations; those are judged only where they are contiguous, as one range. */
static uint32_t runs_of(const sk__stream *stream, const sk__iterations *it, uint32_t r, run *out) {
  uint32_t n = SK__BLOCK_BYTES * 8 / stream->element_bits, prefix = r < it->full ? it->prefix : it->tail, count = 0;
  uint64_t base = (uint64_t)stream->base + (uint64_t)r * stream->repeat_bytes;
  if (it->lanes > MAX_RUNS) {
    out[0] = (run){base, base + (uint64_t)prefix * stream->element_bits / 8};
    return stream->block_bytes == SK__BLOCK_BYTES ? 1 : 0;
  }
  for (uint32_t first = 0; first < prefix; first += n) {
    uint64_t block = base + (uint64_t)(first / n) * stream->block_bytes;
    for (uint32_t e = 0; e < n && first + e < prefix;) {
      if (!sk__lane_enabled(it, r, first + e)) {
        e++;
        continue;
      }
      uint32_t length = 1;
      while (e + length < n && first + e + length < prefix && sk__lane_enabled(it, r, first + e + length)) length++;
      out[count++] = (run){block + e * stream->element_bits / 8,
                           block + ((e + length) * stream->element_bits + 7) / 8};
      e += length;
    }
  }
  return count;
}

/* Some range of a meets some range of b. `aligned`: both list the same elements, and an element may be its
 * own source. */
static bool meet(const run *a, uint32_t a_count, const run *b, uint32_t b_count, bool aligned) {
  for (uint32_t i = 0; i < a_count; i++)
    for (uint32_t j = 0; j < b_count; j++)
      if (a[i].start < b[j].end && b[j].start < a[i].end && !(aligned && i == j && a[i].start == b[j].start))
        return true;
  return false;
}

bool sk__vector_overlap(sk__core *core, const sk__vinstr *instr, const sk__stream *d, const sk__stream *s,
                        uint32_t source, const sk__iterations *it) {
  /* The documented way to accumulate over iterations. */
  bool standing = s->repeat_bytes == 0 || d->repeat_bytes == 0;
  if (instr->accumulates && source == 1 && standing) return false;
  run written[MAX_RUNS], read[MAX_RUNS];
  uint32_t total = sk__iteration_total(it), w_count = 0;
  for (uint32_t r = 0; r < total; r++) {
    uint32_t r_count = runs_of(s, it, r, read);
    bool next = r > 0 && meet(written, w_count, read, r_count, false);
    w_count = runs_of(d, it, r, written);
    bool within = d->element_bits == s->element_bits && meet(written, w_count, read, r_count, true);
    if (!next && !within) continue;
    sk__instr_finding(core, "OVERLAP", SK__CAT_OPERATOR, SK__ERROR,
                      "let destination and source be the same or disjoint, or use a buffer between them",
                      next ? "the destination of iteration %u overlaps source %u of the next one"
                           : "in iteration %u the destination covers part of source %u at another offset",
                      next ? r - 1 : r, source);
    return true;
  }
  return false;
}
