/* move.c - data movement between device memory and UB, and within UB. */
#include "isa/move.h"

#include <string.h>

#include "ascendc/c_api/asc_move.h"

#define UB_BYTES_PER_CYCLE 256u
#define MAX_ALIGN_BYTES 2097151u

/* ---- shared by all transfers ----------------------------------------------------------------- */

bool sk__bursts_legal(sk__core *core, uint32_t n, uint64_t len) {
  if (n == 0 || len == 0) return false;
  if (n > SK__MAX_BURSTS) {
    sk__bad_argument(core, "n_burst", n, "0..%u", SK__MAX_BURSTS);
    return false;
  }
  return true;
}

void sk__advance_gm(sk__core *core, sk__pipe pipe, uint64_t bytes, bool is_read) {
  const sk__costs *costs = &sk__machine_soc(core->machine)->costs;
  uint64_t rate = is_read ? costs->gm_read_bytes_per_cycle : costs->gm_write_bytes_per_cycle;
  uint64_t idle = core->cycles[pipe] <= core->cycles[SK__PIPE_S] ? costs->gm_latency_cycles : 0;
  sk__advance(core, pipe, costs->startup_cycles[pipe] + idle + (bytes + rate - 1) / rate);
}

void sk__move_gm_to_local(sk__core *core, sk__pipe pipe, sk__mem mem, void *dst, const void *src, sk__bursts bursts,
                          uint32_t align) {
  sk__bursts b = sk__bursts_merge(bursts);
  if (b.n == 0 || b.bytes == 0) return;
  uint8_t *to = sk__operand(core, mem, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), align, "dst");
  if (to == NULL) return;
  for (uint64_t i = 0; i < b.n; i++)
    if (!sk__gm_load(core, pipe, to + i * b.dst_step, (uint64_t)src + i * b.src_step, b.bytes)) return;
  sk__bursts_access(core, pipe, SK__WRITE, to, b.n, b.bytes, b.dst_step);
  sk__advance_gm(core, pipe, b.n * b.bytes, true);
}

void sk__move_local_to_gm(sk__core *core, sk__pipe pipe, sk__mem mem, void *dst, const void *src, sk__bursts bursts,
                          uint32_t align) {
  sk__bursts b = sk__bursts_merge(bursts);
  if (b.n == 0 || b.bytes == 0) return;
  const uint8_t *from = sk__operand(core, mem, src, sk__bursts_extent(b.n, b.bytes, b.src_step), align, "src");
  if (from == NULL) return;
  sk__bursts_access(core, pipe, SK__READ, from, b.n, b.bytes, b.src_step);
  for (uint64_t i = 0; i < b.n; i++)
    if (!sk__gm_store(core, pipe, (uint64_t)dst + i * b.dst_step, from + i * b.src_step, b.bytes)) return;
  sk__advance_gm(core, pipe, b.n * b.bytes, false);
}

void sk__move_local(sk__core *core, sk__pipe pipe, sk__mem dst_mem, void *dst, uint32_t dst_align, sk__mem src_mem,
                    const void *src, uint32_t src_align, sk__bursts bursts, uint32_t bytes_per_cycle) {
  sk__bursts b = sk__bursts_merge(bursts);
  if (b.n == 0 || b.bytes == 0) return;
  uint8_t *to = sk__operand(core, dst_mem, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), dst_align, "dst");
  const uint8_t *from = sk__operand(core, src_mem, src, sk__bursts_extent(b.n, b.bytes, b.src_step), src_align, "src");
  if (to == NULL || from == NULL) return;
  sk__bursts_access(core, pipe, SK__READ, from, b.n, b.bytes, b.src_step);
  for (uint64_t i = 0; i < b.n; i++) memmove(to + i * b.dst_step, from + i * b.src_step, b.bytes);
  sk__bursts_access(core, pipe, SK__WRITE, to, b.n, b.bytes, b.dst_step);
  sk__advance(core, pipe, sk__startup(core, pipe) + (b.n * b.bytes + bytes_per_cycle - 1) / bytes_per_cycle);
}

/* ---- whole blocks ---------------------------------------------------------------------------- */

static void gm_to_ub(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_UB, dst, src, b, SK__BLOCK_BYTES);
}
void sk_copy_gm2ub_z(void *dst, const void *src, uint32_t size) {
  gm_to_ub(sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub", SK__SITE()), dst, src, sk__bursts_size(size));
}
void sk_copy_gm2ub_zs(void *dst, const void *src, uint32_t size) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub_sync", SK__SITE());
  gm_to_ub(core, dst, src, sk__bursts_size(size));
  if (core != NULL) sk__full_barrier(core);
}
void sk_copy_gm2ub_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  gm_to_ub(sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub", SK__SITE()), dst, src,
           sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap));
}

static void ub_to_gm(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    sk__move_local_to_gm(core, SK__PIPE_MTE3, SK__MEM_UB, dst, src, b, SK__BLOCK_BYTES);
}
void sk_copy_ub2gm_z(void *dst, const void *src, uint32_t size) {
  ub_to_gm(sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm", SK__SITE()), dst, src, sk__bursts_size(size));
}
void sk_copy_ub2gm_zs(void *dst, const void *src, uint32_t size) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm_sync", SK__SITE());
  ub_to_gm(core, dst, src, sk__bursts_size(size));
  if (core != NULL) sk__full_barrier(core);
}
void sk_copy_ub2gm_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  ub_to_gm(sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm", SK__SITE()), dst, src,
           sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap));
}

static void ub_to_ub(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    sk__move_local(core, SK__PIPE_V, SK__MEM_UB, dst, SK__BLOCK_BYTES, SK__MEM_UB, src, SK__BLOCK_BYTES, b,
                   UB_BYTES_PER_CYCLE);
}
void sk_copy_ub2ub_z(void *dst, const void *src, uint32_t size) {
  ub_to_ub(sk__begin(SK__AIV, SK__PIPE_V, "asc_copy_ub2ub", SK__SITE()), dst, src, sk__bursts_size(size));
}
void sk_copy_ub2ub_zs(void *dst, const void *src, uint32_t size) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_copy_ub2ub_sync", SK__SITE());
  ub_to_ub(core, dst, src, sk__bursts_size(size));
  if (core != NULL) sk__full_barrier(core);
}
void sk_copy_ub2ub_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  ub_to_ub(sk__begin(SK__AIV, SK__PIPE_V, "asc_copy_ub2ub", SK__SITE()), dst, src,
           sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap));
}

/* ---- any number of bytes --------------------------------------------------------------------- */

typedef struct align_copy {
  uint32_t elem_bytes, n, len_bytes, left_elems, right_elems, src_gap, dst_gap;
} align_copy;

static bool align_legal(sk__core *core, const align_copy *a) {
  if (a->n == 0 || a->len_bytes == 0) return false;
  if (a->n > SK__MAX_BURSTS) {
    sk__bad_argument(core, "n_burst", a->n, "0..%u", SK__MAX_BURSTS);
    return false;
  }
  if (a->len_bytes > MAX_ALIGN_BYTES) {
    sk__bad_argument(core, "len_burst", a->len_bytes, "0..%u bytes", MAX_ALIGN_BYTES);
    return false;
  }
  uint32_t most = SK__BLOCK_BYTES / a->elem_bytes;
  if (a->left_elems > most || a->right_elems > most) {
    sk__bad_argument(core, a->left_elems > most ? "left_padding_num" : "right_padding_num",
                     a->left_elems > most ? a->left_elems : a->right_elems, "0..%u elements (32 bytes)", most);
    return false;
  }
  return true;
}

/* Bytes of one burst in UB: both paddings, the data and the rest up to a block. */
static uint64_t padded_bytes(const align_copy *a) {
  uint64_t bytes = (uint64_t)(a->left_elems + a->right_elems) * a->elem_bytes + a->len_bytes;
  return (bytes + SK__BLOCK_BYTES - 1) / SK__BLOCK_BYTES * SK__BLOCK_BYTES;
}

/* Fills [begin, end) of a burst; a pattern starts at the burst's first byte. */
static void fill(uint8_t *burst, uint64_t begin, uint64_t end, const uint8_t *pattern, uint32_t elem_bytes) {
  for (uint64_t i = begin; i < end; i++) burst[i] = pattern[i % elem_bytes];
}

typedef enum pad_source { PAD_REGISTER = 0, PAD_GIVEN = 1, PAD_FIRST_ELEMENT = 2 } pad_source;

static void gm_to_ub_align(sk__core *core, void *dst, const void *src, const align_copy *a, pad_source source,
                           uint64_t given) {
  if (core == NULL || !align_legal(core, a)) return;
  uint64_t left = (uint64_t)a->left_elems * a->elem_bytes, padded = padded_bytes(a);
  uint64_t dst_step = padded + (uint64_t)a->dst_gap * SK__BLOCK_BYTES;
  uint64_t src_step = (uint64_t)a->len_bytes + a->src_gap;
  if (padded == a->len_bytes) { /* nothing to fill: plain bursts */
    sk__bursts plain = {a->n, a->len_bytes, src_step, dst_step};
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_UB, dst, src, plain, SK__BLOCK_BYTES);
    return;
  }
  uint8_t *to = sk__ub_operand(core, dst, sk__bursts_extent(a->n, padded, dst_step), SK__BLOCK_BYTES, "dst");
  if (to == NULL) return;
  if (source != PAD_GIVEN && (a->left_elems != 0 || a->right_elems != 0)) sk__state_use(core, SK__STATE_PAD);
  uint64_t bits = source == PAD_GIVEN ? given : core->pad_value;
  uint8_t pattern[8];
  memcpy(pattern, &bits, sizeof pattern);
  for (uint32_t i = 0; i < a->n; i++) {
    uint8_t *burst = to + i * dst_step;
    if (!sk__gm_load(core, SK__PIPE_MTE2, burst + left, (uint64_t)src + i * src_step, a->len_bytes)) return;
    const uint8_t *value = source == PAD_FIRST_ELEMENT ? burst + left : pattern;
    if (left != 0) fill(burst, 0, left, value, a->elem_bytes);
    /* Counted from the start of the padding, so that a pattern does not depend on the length. */
    fill(burst + left + a->len_bytes, 0, padded - left - a->len_bytes, value, a->elem_bytes);
  }
  sk__bursts_access(core, SK__PIPE_MTE2, SK__WRITE, to, a->n, padded, dst_step);
  sk__advance_gm(core, SK__PIPE_MTE2, a->n * (uint64_t)a->len_bytes, true);
}

static void ub_to_gm_align(sk__core *core, void *dst, const void *src, const align_copy *a) {
  if (core == NULL || !align_legal(core, a)) return;
  uint64_t left = (uint64_t)a->left_elems * a->elem_bytes;
  uint64_t src_step = padded_bytes(a) + (uint64_t)a->src_gap * SK__BLOCK_BYTES;
  uint64_t dst_step = (uint64_t)a->len_bytes + a->dst_gap;
  const uint8_t *from = sk__ub_operand(core, src, sk__bursts_extent(a->n, left + a->len_bytes, src_step),
                                       SK__BLOCK_BYTES, "src");
  if (from == NULL) return;
  from += left;
  sk__bursts b = sk__bursts_merge((sk__bursts){a->n, a->len_bytes, src_step, dst_step});
  sk__bursts_access(core, SK__PIPE_MTE3, SK__READ, from, b.n, b.bytes, b.src_step);
  for (uint64_t i = 0; i < b.n; i++)
    if (!sk__gm_store(core, SK__PIPE_MTE3, (uint64_t)dst + i * b.dst_step, from + i * b.src_step, b.bytes)) return;
  sk__advance_gm(core, SK__PIPE_MTE3, b.n * b.bytes, false);
}

/* The Z forms: one burst of any length, no padding but the rest of the last block. */
#define ALIGN_SIZE(tag, bytes)                                                                              \
  void sk_copy_gm2ub_align_##tag##_z(void *dst, const void *src, uint32_t size) {                           \
    align_copy a = {bytes, 1, size, 0, 0, 0, 0};                                                            \
    gm_to_ub_align(sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub_align", SK__SITE()), dst, src, &a,     \
                   PAD_REGISTER, 0);                                                                        \
  }                                                                                                         \
  void sk_copy_gm2ub_align_##tag##_zs(void *dst, const void *src, uint32_t size) {                          \
    align_copy a = {bytes, 1, size, 0, 0, 0, 0};                                                            \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub_align_sync", SK__SITE());            \
    gm_to_ub_align(core, dst, src, &a, PAD_REGISTER, 0);                                                    \
    if (core != NULL) sk__full_barrier(core);                                                               \
  }                                                                                                         \
  void sk_copy_gm2ub_align_##tag##_m(void *dst, const void *src, SK_ARGS_ALIGN) {                           \
    align_copy a = {bytes, n_burst, len_burst, left_padding_num, right_padding_num, src_gap, dst_gap};      \
    gm_to_ub_align(sk__begin(SK__AIV, SK__PIPE_MTE2, "asc_copy_gm2ub_align", SK__SITE()), dst, src, &a,     \
                   PAD_REGISTER, 0);                                                                        \
  }                                                                                                         \
  void sk_copy_ub2gm_align_##tag##_z(void *dst, const void *src, uint32_t size) {                           \
    align_copy a = {bytes, 1, size, 0, 0, 0, 0};                                                            \
    ub_to_gm_align(sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm_align", SK__SITE()), dst, src, &a);    \
  }                                                                                                         \
  void sk_copy_ub2gm_align_##tag##_zs(void *dst, const void *src, uint32_t size) {                          \
    align_copy a = {bytes, 1, size, 0, 0, 0, 0};                                                            \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm_align_sync", SK__SITE());            \
    ub_to_gm_align(core, dst, src, &a);                                                                     \
    if (core != NULL) sk__full_barrier(core);                                                               \
  }                                                                                                         \
  void sk_copy_ub2gm_align_##tag##_m(void *dst, const void *src, SK_ARGS_ALIGN) {                           \
    align_copy a = {bytes, n_burst, len_burst, left_padding_num, right_padding_num, src_gap, dst_gap};      \
    ub_to_gm_align(sk__begin(SK__AIV, SK__PIPE_MTE3, "asc_copy_ub2gm_align", SK__SITE()), dst, src, &a);    \
  }
SK_ALIGN_SIZES(ALIGN_SIZE)

static bool whole_elements(sk__core *core, uint32_t bytes, uint32_t elem_bytes) {
  if (bytes % elem_bytes == 0) return true;
  sk__bad_argument(core, "blockLen", bytes, "multiples of the element's %u bytes", elem_bytes);
  return false;
}

void sk_copy_gm2ub_pad(void *dst, const void *src, uint32_t elem_bytes, uint32_t n_burst, uint32_t len_bytes,
                       uint32_t left_elems, uint32_t right_elems, uint32_t src_gap_bytes, uint32_t dst_gap_blocks,
                       uint32_t pad_mode, uint64_t pad_bits) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE2, "DataCopyPad", SK__SITE());
  if (core == NULL) return;
  if (elem_bytes != 1 && elem_bytes != 2 && elem_bytes != 4 && elem_bytes != 8) {
    sk__bad_argument(core, "the element size", elem_bytes, "1, 2, 4, 8");
    return;
  }
  if (!whole_elements(core, len_bytes, elem_bytes)) return;
  if (elem_bytes == 8 && pad_mode == PAD_GIVEN && pad_bits != 0) {
    sk__bad_argument(core, "the padding value", (int64_t)pad_bits, "0 for elements of 8 bytes");
    return;
  }
  align_copy a = {elem_bytes, n_burst, len_bytes, left_elems, right_elems, src_gap_bytes, dst_gap_blocks};
  gm_to_ub_align(core, dst, src, &a, pad_mode <= PAD_FIRST_ELEMENT ? (pad_source)pad_mode : PAD_REGISTER, pad_bits);
}

void sk_copy_ub2gm_pad(void *dst, const void *src, uint32_t elem_bytes, uint32_t n_burst, uint32_t len_bytes,
                       uint32_t src_gap_blocks, uint32_t dst_gap_bytes) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_MTE3, "DataCopyPad", SK__SITE());
  if (core == NULL || !whole_elements(core, len_bytes, elem_bytes)) return;
  align_copy a = {elem_bytes, n_burst, len_bytes, 0, 0, src_gap_blocks, dst_gap_bytes};
  ub_to_gm_align(core, dst, src, &a);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void set_pad(uint64_t bits, const void *site) {
  sk__core *core = sk__enter(SK__PIPE_S, "asc_set_copy_pad_val", site);
  core->pad_value = bits;
  sk__state_set(core, SK__STATE_PAD, 0);
  sk__advance(core, SK__PIPE_S, 1);
}
void sk_set_copy_pad_val_b8(uint8_t value) { set_pad(value, SK__SITE()); }
void sk_set_copy_pad_val_b16(uint16_t value) { set_pad(value, SK__SITE()); }
void sk_set_copy_pad_val_b32(uint32_t value) { set_pad(value, SK__SITE()); }
void sk_set_copy_pad_val_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  set_pad(bits, SK__SITE());
}

/* Atomics of later stores to device memory; types and operations as in the register. */
enum { ATOMIC_ADD = 0, ATOMIC_MAX = 1, ATOMIC_MIN = 2, ATOMIC_TYPES = 7 };
static void set_atomic(const char *instr, uint32_t type, uint32_t op, const void *site) {
  sk__core *core = sk__enter(SK__PIPE_S, instr, site);
  core->atomic_type = type;
  core->atomic_op = op;
  sk__state_set(core, SK__STATE_ATOMIC, 0);
  sk__advance(core, SK__PIPE_S, 1);
}
void asc_set_atomic_none(void) { set_atomic("asc_set_atomic_none", 0, ATOMIC_ADD, SK__SITE()); }
#define ATOMIC_SETTERS(name, type)                                                                             \
  void asc_set_atomic_add_##name(void) { set_atomic("asc_set_atomic_add_" #name, type, ATOMIC_ADD, SK__SITE()); } \
  void asc_set_atomic_max_##name(void) { set_atomic("asc_set_atomic_max_" #name, type, ATOMIC_MAX, SK__SITE()); } \
  void asc_set_atomic_min_##name(void) { set_atomic("asc_set_atomic_min_" #name, type, ATOMIC_MIN, SK__SITE()); }
SK_ATOMIC_LIST(ATOMIC_SETTERS)

void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op) {
  sk__core *core = sk__enter(SK__PIPE_S, "asc_set_store_atomic_config_v1", SK__SITE());
  if (type >= ATOMIC_TYPES) {
    sk__bad_argument(core, "type", type, "0..%d", ATOMIC_TYPES - 1);
  } else if (op != ATOMIC_ADD) {
    sk__bad_argument(core, "op", op, "0 (add)");
  } else {
    core->atomic_type = type;
    core->atomic_op = op;
    sk__state_set(core, SK__STATE_ATOMIC, 0);
  }
}
void sk_get_store_atomic_config(asc_store_atomic_config *cfg) {
  sk__core *core = sk__enter(SK__PIPE_S, "asc_get_store_atomic_config", SK__SITE());
  cfg->config = 0;
  cfg->atomic_type = core->atomic_type & 7u;
  cfg->atomic_op = core->atomic_op & 3u;
}
