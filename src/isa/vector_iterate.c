/* vector_iterate.c - the vector execution model: which elements an instruction touches, and where. */
#include <string.h>

#include "isa/isa.h"

static uint64_t low_bits(uint32_t n) { return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

sk__iterations sk__iterations_of(const sk__core *core, uint32_t repeat, uint32_t lanes) {
  sk__state_use(core, SK__STATE_MASK);
  if (sk__ctrl(core, SK__CTRL_COUNTER_MODE)) return sk__iterations_count((uint32_t)core->mask[0], lanes);
  sk__iterations it = {.lanes = lanes, .full = repeat};
  it.bits[0] = core->mask[0] & low_bits(lanes);
  it.bits[1] = lanes > 64 ? core->mask[1] & low_bits(lanes - 64) : 0;
  it.prefix = it.bits[1] != 0 ? 128u - (uint32_t)__builtin_clzll(it.bits[1])
                              : (it.bits[0] != 0 ? 64u - (uint32_t)__builtin_clzll(it.bits[0]) : 0u);
  it.pattern = (uint32_t)(__builtin_popcountll(it.bits[0]) + __builtin_popcountll(it.bits[1])) != it.prefix;
  return it;
}

static uint32_t per_block(const sk__stream *stream) { return SK__BLOCK_BYTES * 8 / stream->element_bits; }
/* Bytes that hold elements 0..n-1 of a block. */
static uint32_t packed_bytes(const sk__stream *stream, uint32_t n) { return (n * stream->element_bits + 7) / 8; }

/* Extent of one iteration whose last enabled element is prefix-1. Blocks may stand still (stride 0). */
static uint64_t iteration_extent(const sk__stream *stream, uint32_t prefix) {
  if (prefix == 0) return 0;
  uint32_t n = per_block(stream), last = (prefix - 1) / n;
  uint64_t extent = (uint64_t)last * stream->block_bytes + packed_bytes(stream, prefix - last * n);
  if (last > 0) {
    uint64_t before = (uint64_t)(last - 1) * stream->block_bytes + SK__BLOCK_BYTES;
    if (before > extent) extent = before;
  }
  return extent;
}

uint64_t sk__stream_extent(const sk__stream *stream, const sk__iterations *it) {
  uint64_t extent = 0;
  if (it->full != 0 && it->prefix != 0)
    extent = (uint64_t)(it->full - 1) * stream->repeat_bytes + iteration_extent(stream, it->prefix);
  if (it->tail != 0) {
    uint64_t tail = (uint64_t)it->full * stream->repeat_bytes + iteration_extent(stream, it->tail);
    if (tail > extent) extent = tail;
  }
  return extent;
}

/* One iteration with elements 0..prefix-1 enabled. */
static void access_prefix(sk__core *core, sk__pipe pipe, sk__access kind, const sk__stream *stream,
                          const uint8_t *at, uint32_t prefix) {
  uint32_t n = per_block(stream), blocks = prefix / n, rest = prefix % n;
  if (stream->block_bytes == SK__BLOCK_BYTES) {
    sk__local_access(core, pipe, kind, at, packed_bytes(stream, prefix));
    return;
  }
  if (stream->block_bytes == 0) {
    sk__local_access(core, pipe, kind, at, blocks != 0 ? SK__BLOCK_BYTES : packed_bytes(stream, rest));
    return;
  }
  if (blocks != 0) sk__local_access_strided(core, pipe, kind, at, blocks, SK__BLOCK_BYTES, stream->block_bytes);
  if (rest != 0)
    sk__local_access(core, pipe, kind, at + (uint64_t)blocks * stream->block_bytes, packed_bytes(stream, rest));
}

/* One iteration under an arbitrary mask: runs of enabled elements, block by block. */
static void access_pattern(sk__core *core, sk__pipe pipe, sk__access kind, const sk__stream *stream,
                           const sk__iterations *it, const uint8_t *at) {
  uint32_t n = per_block(stream);
  for (uint32_t first = 0; first < it->prefix; first += n) {
    const uint8_t *block = at + (uint64_t)(first / n) * stream->block_bytes;
    for (uint32_t e = 0; e < n && first + e < it->prefix;) {
      if (!sk__lane_enabled(it, 0, first + e)) {
        e++;
        continue;
      }
      uint32_t run = 1;
      while (e + run < n && sk__lane_enabled(it, 0, first + e + run)) run++;
      uint32_t from = e * stream->element_bits / 8, to = ((e + run) * stream->element_bits + 7) / 8;
      sk__local_access(core, pipe, kind, block + from, to - from);
      e += run;
    }
  }
}

void sk__stream_access(sk__core *core, sk__pipe pipe, sk__access kind, const sk__stream *stream,
                       const sk__iterations *it) {
  if (sk__stream_flat(stream, it)) {
    sk__local_access(core, pipe, kind, stream->base, sk__stream_extent(stream, it));
    return;
  }
  if (it->full != 0 && it->prefix != 0) {
    uint32_t repeats = stream->repeat_bytes == 0 ? 1 : it->full;
    if (!it->pattern && stream->block_bytes == SK__BLOCK_BYTES) {
      sk__local_access_strided(core, pipe, kind, stream->base, repeats, packed_bytes(stream, it->prefix),
                               stream->repeat_bytes);
    } else {
      for (uint32_t r = 0; r < repeats; r++) {
        const uint8_t *at = stream->base + (uint64_t)r * stream->repeat_bytes;
        if (it->pattern) access_pattern(core, pipe, kind, stream, it, at);
        else access_prefix(core, pipe, kind, stream, at, it->prefix);
      }
    }
  }
  if (it->tail != 0)
    access_prefix(core, pipe, kind, stream, stream->base + (uint64_t)it->full * stream->repeat_bytes, it->tail);
}

void sk__stream_gather(const sk__stream *stream, const sk__iterations *it, uint32_t r, void *to) {
  const uint8_t *from = stream->base + (uint64_t)r * stream->repeat_bytes;
  uint32_t bytes = packed_bytes(stream, r < it->full ? it->prefix : it->tail), done = 0;
  uint8_t *out = to;
  for (; done + SK__BLOCK_BYTES <= bytes; done += SK__BLOCK_BYTES, from += stream->block_bytes)
    memcpy(out + done, from, SK__BLOCK_BYTES);
  if (done < bytes) memcpy(out + done, from, bytes - done);
}

/* The elements of one block that `bits` names. */
#define SCATTER(T)                                                     \
  for (; bits != 0; bits &= bits - 1) {                                \
    uint32_t e = (uint32_t)__builtin_ctzll(bits);                      \
    memcpy(to + e * sizeof(T), from + e * sizeof(T), sizeof(T));       \
  }                                                                    \
  break
static void scatter_block(uint8_t *to, const uint8_t *from, uint64_t bits, uint32_t element_bits) {
  switch (element_bits) {
    case 64: SCATTER(uint64_t);
    case 32: SCATTER(uint32_t);
    case 16: SCATTER(uint16_t);
    case 8: SCATTER(uint8_t);
    default:
      for (; bits != 0; bits &= bits - 1) {
        uint32_t e = (uint32_t)__builtin_ctzll(bits), nibble = (e & 1u) != 0 ? 0xf0u : 0x0fu;
        to[e / 2] = (uint8_t)((to[e / 2] & ~nibble) | (from[e / 2] & nibble));
      }
  }
}

void sk__stream_scatter(const sk__stream *stream, const sk__iterations *it, uint32_t r, const void *from) {
  uint8_t *to = stream->base + (uint64_t)r * stream->repeat_bytes;
  const uint8_t *in = from;
  uint32_t n = per_block(stream), prefix = r < it->full ? it->prefix : it->tail;
  bool pattern = r < it->full && it->pattern;
  for (uint32_t first = 0; first < prefix; first += n, in += SK__BLOCK_BYTES, to += stream->block_bytes) {
    uint32_t some = prefix - first < n ? prefix - first : n;
    uint64_t bits = low_bits(some);
    if (pattern) bits &= it->bits[first >> 6] >> (first & 63u);
    if (bits == low_bits(n)) memcpy(to, in, SK__BLOCK_BYTES);
    else scatter_block(to, in, bits, stream->element_bits);
  }
}
