/* element_tools.h - what elementwise kernels share: the division of elements over cores, and the turns of tiles.
 *
 * A core works on its elements in tiles with two buffers: while one is computed the next arrives. The result takes
 * the place of its input, so three flags per tile do: arrived (MTE2 to V), computed (V to MTE3), left (MTE3 to MTE2). */
#ifndef SK_OPS_ELEMENT_TOOLS_H
#define SK_OPS_ELEMENT_TOOLS_H

#include "row_tools.h"

#define ELEMENT_UNIT 512u /* cores begin at multiples of it, so that two never share a cache line */

typedef struct element_range { uint64_t first, count; } element_range;

/* The part of `total` elements that falls to this vector core. */
__aicore__ static inline element_range element_part(uint64_t total, uint64_t per_core) {
  uint64_t first = vector_index() * per_core;
  if (first >= total) return (element_range){total, 0};
  return (element_range){first, total - first < per_core ? total - first : per_core};
}

/* Elements per core for the host: whole units, as even as they come. */
static inline uint64_t element_share(uint64_t total, uint32_t cores) {
  uint64_t each = (total + cores - 1) / cores;
  return (each + ELEMENT_UNIT - 1) / ELEMENT_UNIT * ELEMENT_UNIT;
}

__aicore__ static inline uint32_t tile_length(const element_range *range, uint64_t tile, uint32_t tile_elems) {
  uint64_t left = range->count - tile * tile_elems;
  return left < tile_elems ? (uint32_t)left : tile_elems;
}

/* Before and after the loads of a tile: its buffer has left. */
__aicore__ static inline void tile_load_begin(uint64_t tile) {
  if (tile >= 2) asc_sync_wait(PIPE_MTE3, PIPE_MTE2, tile & 1u);
}
__aicore__ static inline void tile_load_end(uint64_t tile) { asc_sync_notify(PIPE_MTE2, PIPE_V, tile & 1u); }
/* Before and after the computation. */
__aicore__ static inline void tile_compute_begin(uint64_t tile) { asc_sync_wait(PIPE_MTE2, PIPE_V, tile & 1u); }
__aicore__ static inline void tile_compute_end(uint64_t tile) { asc_sync_notify(PIPE_V, PIPE_MTE3, tile & 1u); }
/* Before and after the store; a buffer that nobody loads again is not announced. */
__aicore__ static inline void tile_store_begin(uint64_t tile) { asc_sync_wait(PIPE_V, PIPE_MTE3, tile & 1u); }
__aicore__ static inline void tile_store_end(uint64_t tile, uint64_t tiles) {
  if (tile + 2 < tiles) asc_sync_notify(PIPE_MTE3, PIPE_MTE2, tile & 1u);
}

/* One tensor in, one out. */
typedef struct element_stream {
  element_range range;
  __gm__ uint8_t *from, *to;
  __ubuf__ uint8_t *buffer[2];
  uint32_t tile_elems, from_bytes, to_bytes; /* bytes of an element; from_bytes 0: nothing is loaded */
} element_stream;

__aicore__ static inline void tile_load(const element_stream *s, uint64_t tile) {
  uint64_t offset = (s->range.first + tile * s->tile_elems) * s->from_bytes;
  tile_load_begin(tile);
  if (s->from_bytes != 0)
    asc_copy_gm2ub_align(s->buffer[tile & 1u], s->from + offset, tile_length(&s->range, tile, s->tile_elems) * s->from_bytes);
  tile_load_end(tile);
}

__aicore__ static inline void tile_store(const element_stream *s, __ubuf__ uint8_t *from, uint64_t tile, uint64_t tiles) {
  uint64_t offset = (s->range.first + tile * s->tile_elems) * s->to_bytes;
  tile_store_begin(tile);
  asc_copy_ub2gm_align(s->to + offset, from, tile_length(&s->range, tile, s->tile_elems) * s->to_bytes);
  tile_store_end(tile, tiles);
}

#endif
