/* vector_run.c - the one outline of all elementwise instructions: check, footprint, work, clock. */
#include <string.h>

#include "isa/isa.h"
#include "isa/simd/vector_kernels.h"

SK__SIMD_BIND(vector)

#define MAX_STRIDE 255u /* repeat strides: the instruction has eight bits for each */

static inline uint32_t flags_of(const sk__core *core) {
  const uint64_t usual = UINT64_C(1) << SK__CTRL_FLOAT_INF_NAN;
  const uint64_t all = usual | UINT64_C(1) << SK__CTRL_INT_SATURATE | UINT64_C(1) << SK__CTRL_CAST_TRUNCATE;
  if (__builtin_expect((core->ctrl & all) == usual, 1)) return 0;
  return (sk__ctrl(core, SK__CTRL_FLOAT_INF_NAN) ? 0 : SK__V_FLOAT_SATURATE) |
         (sk__ctrl(core, SK__CTRL_INT_SATURATE) ? SK__V_INT_SATURATE : 0) |
         (sk__ctrl(core, SK__CTRL_CAST_TRUNCATE) ? SK__V_CAST_TRUNCATE : 0);
}

/* A shift by more than the width has no meaning on the chip. */
static inline bool scalar_ok(sk__core *core, const sk__vinstr *instr, uint64_t scalar) {
  if (__builtin_expect(instr->scalar_bits == 0 || (uint32_t)scalar <= instr->scalar_bits, 1)) return true;
  sk__bad_argument(core, "the shift distance", (int32_t)scalar, "0..%u", instr->scalar_bits);
  return false;
}

/* Source and destination share bytes in a way that the flat loop would not do in order. */
static inline bool entangled(const uint8_t *d, uint64_t d_bytes, const uint8_t *s, uint64_t s_bytes, bool same_size) {
  if (d == s && same_size) return false;
  return d < s + s_bytes && s < d + d_bytes;
}

typedef struct operands {
  sk__stream d, s[2];
} operands;

/* Source and destination are one array, and its iterations do not overlap: nothing to judge. */
static inline bool in_place(const sk__stream *d, const sk__stream *s, const sk__iterations *it) {
  uint32_t blocks = (it->lanes * d->element_bits + SK__BLOCK_BYTES * 8 - 1) / (SK__BLOCK_BYTES * 8);
  return d->base == s->base && d->element_bits == s->element_bits && d->block_bytes == s->block_bytes &&
         d->repeat_bytes == s->repeat_bytes && d->block_bytes >= SK__BLOCK_BYTES &&
         d->repeat_bytes >= (blocks - 1) * d->block_bytes + SK__BLOCK_BYTES;
}

/* The general case, one iteration at a time: sources are read whole before the destination is written. */
static void run_in_order(sk__core *core, const sk__vinstr *instr, const operands *o, const sk__iterations *it,
                         const sk__vparams *params) {
  _Alignas(64) uint8_t near_by[3][SK__REPEAT_BYTES];
  uint8_t *copy[3] = {near_by[0], near_by[1], near_by[2]};
  if (it->lanes > 128 || it->lanes * instr->dst_bits > SK__REPEAT_BYTES * 8)
    for (uint32_t i = 0; i < 3; i++) copy[i] = (uint8_t *)core->scratch + i * SK__UB_BYTES;
  sk__vkernel *kernel = sk__simd_vector->kernel[instr->kernel];
  uint32_t total = sk__iteration_total(it);
  uint64_t d_bytes = sk__stream_extent(&o->d, it);
  for (uint32_t i = 0; i < instr->sources; i++)
    if (!in_place(&o->d, &o->s[i], it) &&
        entangled(o->d.base, d_bytes, o->s[i].base, sk__stream_extent(&o->s[i], it), false))
      (void)sk__vector_overlap(core, instr, &o->d, &o->s[i], i, it);
  for (uint32_t r = 0; r < total; r++) {
    for (uint32_t i = 0; i < instr->sources; i++) sk__stream_gather(&o->s[i], it, r, copy[i]);
    if (instr->reads_dst) sk__stream_gather(&o->d, it, r, copy[2]);
    kernel(copy[2], copy[0], copy[1], r < it->full ? it->prefix : it->tail, params);
    sk__stream_scatter(&o->d, it, r, copy[2]);
  }
}

/* Whole prefixes of iterations whose blocks are contiguous, and that do not feed one another. */
static bool run_by_rows(const sk__vinstr *instr, const operands *o, const sk__iterations *it,
                        const sk__vparams *params) {
  if (it->pattern || o->d.block_bytes != SK__BLOCK_BYTES) return false;
  if (instr->dst_bits == 4 && ((it->prefix | it->tail) & 1u) != 0) return false;
  uint64_t d_bytes = sk__stream_extent(&o->d, it);
  for (uint32_t i = 0; i < instr->sources; i++) {
    if (o->s[i].block_bytes != SK__BLOCK_BYTES) return false;
    bool alike = instr->dst_bits == instr->src_bits && o->s[i].repeat_bytes == o->d.repeat_bytes &&
                 o->d.repeat_bytes >= it->lanes * instr->dst_bits / 8;
    if (entangled(o->d.base, d_bytes, o->s[i].base, sk__stream_extent(&o->s[i], it), alike)) return false;
  }
  sk__vkernel *kernel = sk__simd_vector->kernel[instr->kernel];
  uint32_t total = sk__iteration_total(it);
  for (uint32_t r = 0; r < total; r++)
    kernel(o->d.base + (uint64_t)r * o->d.repeat_bytes, o->s[0].base + (uint64_t)r * o->s[0].repeat_bytes,
           o->s[1].base + (uint64_t)r * o->s[1].repeat_bytes, r < it->full ? it->prefix : it->tail, params);
  return true;
}

static bool flat(const sk__vinstr *instr, const operands *o, const sk__iterations *it) {
  if (!sk__stream_flat(&o->d, it)) return false;
  uint64_t d_bytes = sk__stream_extent(&o->d, it);
  for (uint32_t i = 0; i < instr->sources; i++)
    if (!sk__stream_flat(&o->s[i], it) || entangled(o->d.base, d_bytes, o->s[i].base, sk__stream_extent(&o->s[i], it),
                                                    instr->dst_bits == instr->src_bits))
      return false;
  return instr->dst_bits != 4 || (it->tail & 1u) == 0;
}

static void footprint(sk__core *core, const sk__vinstr *instr, const operands *o, const sk__iterations *it) {
  for (uint32_t i = 0; i < instr->sources; i++) sk__stream_access(core, SK__PIPE_V, SK__READ, &o->s[i], it);
  if (instr->reads_dst) sk__stream_access(core, SK__PIPE_V, SK__READ, &o->d, it);
  sk__stream_access(core, SK__PIPE_V, SK__WRITE, &o->d, it);
}

static inline const char *source_name(uint32_t sources, uint32_t i) {
  return sources == 1 ? "src" : i == 0 ? "src0" : "src1";
}

static bool resolve(sk__core *core, const sk__vinstr *instr, operands *o, const sk__iterations *it) {
  o->d.base = sk__ub_operand(core, o->d.base, sk__stream_extent(&o->d, it), SK__BLOCK_BYTES, "dst");
  if (o->d.base == NULL) return false;
  for (uint32_t i = 0; i < instr->sources; i++) {
    o->s[i].base = sk__ub_operand(core, o->s[i].base, sk__stream_extent(&o->s[i], it), SK__BLOCK_BYTES,
                                  source_name(instr->sources, i));
    if (o->s[i].base == NULL) return false;
  }
  return true;
}

static void execute(sk__core *core, const sk__vinstr *instr, operands *o, const sk__iterations *it, uint64_t scalar) {
  if (sk__iterations_empty(it) || !scalar_ok(core, instr, scalar) || !resolve(core, instr, o, it)) return;
  if (core->checks) footprint(core, instr, o, it);
  sk__vparams params = {scalar, flags_of(core)};
  if (flat(instr, o, it))
    sk__simd_vector->kernel[instr->kernel](o->d.base, o->s[0].base, o->s[1].base,
                                           (size_t)it->full * it->lanes + it->tail, &params);
  else if (!run_by_rows(instr, o, it, &params))
    run_in_order(core, instr, o, it, &params);
  sk__advance(core, SK__PIPE_V,
              sk__startup(core, SK__PIPE_V) + (uint64_t)sk__iteration_total(it) * instr->cycles);
}

static sk__stream stream(const void *base, uint32_t bits, uint32_t block, uint32_t repeat) {
  return (sk__stream){(uint8_t *)(uintptr_t)base, bits, block * SK__BLOCK_BYTES, repeat * SK__BLOCK_BYTES};
}

/* Operands that overlap in part: one iteration after the other. */
static __attribute__((noinline)) void contiguous_in_order(sk__core *core, const sk__vinstr *instr, uint8_t *d,
                                                          const uint8_t *const *s, uint32_t count,
                                                          const sk__vparams *params) {
  uint32_t lanes = 1u << instr->lanes_log2;
  uint32_t d_repeat = lanes * instr->dst_bits / 256, s_repeat = lanes * instr->src_bits / 256;
  operands o = {stream(d, instr->dst_bits, 1, d_repeat),
                {stream(s[0], instr->src_bits, 1, s_repeat), stream(s[1], instr->src_bits, 1, s_repeat)}};
  sk__iterations it = sk__iterations_count(count, lanes);
  run_in_order(core, instr, &o, &it, params);
}

/* The hot path: everything is contiguous, so extents are products. Count forms, and repeats without gaps
 * under a full mask. `sources` is a constant of the caller. */
static inline __attribute__((always_inline)) void run_contiguous(sk__core *core, const sk__vinstr *instr,
                                                                 uint32_t sources, const void *dst, const void *src0,
                                                                 const void *src1, uint64_t scalar, uint32_t count) {
  uint64_t d_bytes = (uint64_t)count * instr->dst_bits / 8, s_bytes = (uint64_t)count * instr->src_bits / 8;
  if (__builtin_expect((((uint64_t)count * instr->dst_bits | (uint64_t)count * instr->src_bits) & 7u) != 0, 0)) {
    sk__bad_argument(core, "count", count, "even numbers, int4 elements come in pairs");
    return;
  }
  if (sources == 1 && !scalar_ok(core, instr, scalar)) return;
  uint8_t *d = sk__ub_operand(core, dst, d_bytes, SK__BLOCK_BYTES, "dst");
  if (__builtin_expect(d == NULL, 0)) return;
  const uint8_t *s[2] = {src0, src1};
  bool tangled = false;
  for (uint32_t i = 0; i < sources; i++) {
    s[i] = sk__ub_operand(core, s[i], s_bytes, SK__BLOCK_BYTES, source_name(sources, i));
    if (__builtin_expect(s[i] == NULL, 0)) return;
    tangled |= entangled(d, d_bytes, s[i], s_bytes, instr->dst_bits == instr->src_bits);
  }
  if (core->checks) {
    sk__local_range ranges[4];
    uint32_t n = 0;
    for (uint32_t i = 0; i < sources; i++) ranges[n++] = (sk__local_range){(uint64_t)s[i], s_bytes, SK__READ};
    if (instr->reads_dst) ranges[n++] = (sk__local_range){(uint64_t)d, d_bytes, SK__READ};
    ranges[n++] = (sk__local_range){(uint64_t)d, d_bytes, SK__WRITE};
    sk__shadow_local_ranges(core->checker, &core->order, SK__PIPE_V, ranges, n, core->site, core->instr);
  }
  sk__vparams params = {scalar, flags_of(core)};
  if (__builtin_expect(!tangled, 1)) sk__simd_vector->kernel[instr->kernel](d, s[0], s[1], count, &params);
  else contiguous_in_order(core, instr, d, s, count, &params);
  uint32_t iterations = (count + (1u << instr->lanes_log2) - 1) >> instr->lanes_log2;
  sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + (uint64_t)iterations * instr->cycles);
}

static inline __attribute__((always_inline)) void count_form(const sk__vinstr *instr, uint32_t sources, bool sync,
                                                             const void *dst, const void *src0, const void *src1,
                                                             uint64_t scalar, uint32_t count, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? instr->name_sync : instr->name, site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  if (count != 0) run_contiguous(core, instr, sources, dst, src0, src1, scalar, count);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

void sk__vector_count_0(const sk__vinstr *instr, void *dst, uint64_t scalar, uint32_t count, const void *site) {
  count_form(instr, 0, false, dst, NULL, NULL, scalar, count, site);
}
void sk__vector_count_1(const sk__vinstr *instr, void *dst, const void *src, uint64_t scalar, uint32_t count,
                        const void *site) {
  count_form(instr, 1, false, dst, src, NULL, scalar, count, site);
}
void sk__vector_count_2(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint32_t count,
                        const void *site) {
  count_form(instr, 2, false, dst, src0, src1, 0, count, site);
}
void sk__vector_sync_0(const sk__vinstr *instr, void *dst, uint64_t scalar, uint32_t count, const void *site) {
  count_form(instr, 0, true, dst, NULL, NULL, scalar, count, site);
}
void sk__vector_sync_1(const sk__vinstr *instr, void *dst, const void *src, uint64_t scalar, uint32_t count,
                       const void *site) {
  count_form(instr, 1, true, dst, src, NULL, scalar, count, site);
}
void sk__vector_sync_2(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint32_t count,
                       const void *site) {
  count_form(instr, 2, true, dst, src0, src1, 0, count, site);
}

static bool strides_ok(sk__core *core, const sk__vinstr *instr, const sk__vstrides *k) {
  static const char *const names[3] = {"dst_repeat_stride", "src0_repeat_stride", "src1_repeat_stride"};
  uint32_t repeat[3] = {k->dst_repeat, k->src0_repeat, k->src1_repeat};
  for (uint32_t i = 0; i <= instr->sources; i++) {
    if (repeat[i] <= MAX_STRIDE) continue;
    sk__bad_argument(core, i == 1 && instr->sources == 1 ? "src_repeat_stride" : names[i], repeat[i], "0..%u", MAX_STRIDE);
    return false;
  }
  return true;
}

/* A mask of so many elements was asked for just before, by the same call of the C++ layer. */
static bool mask_fits(sk__core *core, const sk__vinstr *instr) {
  uint64_t length = core->mask_length, lanes = UINT64_C(1) << instr->lanes_log2;
  core->mask_length = 0;
  if (__builtin_expect(length <= lanes, 1)) return true;
  sk__bad_argument(core, "mask", (int64_t)length, "0..%u, the elements of a repeat", (uint32_t)lanes);
  return false;
}

/* Full mask, blocks and iterations one after the other. */
static bool contiguous(const sk__core *core, const sk__vinstr *instr, const sk__vstrides *k) {
  uint32_t lanes = 1u << instr->lanes_log2, d_repeat = lanes * instr->dst_bits / 256, s_repeat = lanes * instr->src_bits / 256;
  uint64_t high = lanes > 64 ? core->mask[1] : UINT64_MAX;
  uint64_t low = lanes < 64 ? core->mask[0] | UINT64_MAX << lanes : core->mask[0];
  if ((low & high) != UINT64_MAX || k->dst_block > 1) return false;
  bool gaps = k->dst_repeat != d_repeat;
  if (instr->sources > 0) gaps |= k->src0_repeat != s_repeat || k->src0_block != 1;
  if (instr->sources > 1) gaps |= k->src1_repeat != s_repeat || k->src1_block != 1;
  return !gaps;
}

void sk__vector_strided(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint64_t scalar,
                        const sk__vstrides *k, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, instr->name, site);
  if (core == NULL || !mask_fits(core, instr) || !strides_ok(core, instr, k)) return;
  bool counter = sk__ctrl(core, SK__CTRL_COUNTER_MODE);
  if (!counter && k->repeat != 0 && contiguous(core, instr, k)) {
    uint32_t count = k->repeat << instr->lanes_log2;
    if (instr->sources == 2) run_contiguous(core, instr, 2, dst, src0, src1, scalar, count);
    else if (instr->sources == 1) run_contiguous(core, instr, 1, dst, src0, src1, scalar, count);
    else run_contiguous(core, instr, 0, dst, src0, src1, scalar, count);
    return;
  }
  sk__iterations it = sk__iterations_of(core, k->repeat, 1u << instr->lanes_log2);
  if (instr->count_is_mask && counter) {
    uint32_t count = (uint32_t)core->mask[0];
    it = (sk__iterations){.lanes = count, .full = count != 0 ? k->repeat : 0, .prefix = count};
  }
  operands o = {stream(dst, instr->dst_bits, k->dst_block == 0 ? 1 : k->dst_block, k->dst_repeat),
                {stream(src0, instr->src_bits, k->src0_block, k->src0_repeat),
                 stream(src1, instr->src_bits, k->src1_block, k->src1_repeat)}};
  execute(core, instr, &o, &it, scalar);
}
