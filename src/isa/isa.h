/* isa.h - floor 3, shared by all instruction files: the outline every instruction has.
 *
 *   void sk_foo_f32_n(float *dst, const float *src, uint32_t count) {
 *     sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_foo", SK__SITE()); // NULL on the other core type
 *     if (core == NULL || count == 0) return;
 *     if (count > LIMIT) { sk__bad_argument(core, "count", count, "1..%u", LIMIT); return; }
 *     float *d = sk__ub_operand(core, dst, count * 4, 32, "dst");       // resolve, align, bounds
 *     ...
 *     sk__local_access(core, SK__PIPE_V, SK__READ, s, count * 4);       // footprint
 *     sk__simd_area->foo_f32(d, s, count);                              // work (simd/simd.h)
 *     sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + cycles);
 *   }
 *
 * A wrong argument is a finding with the call site, and the instruction then does nothing. The site must
 * be taken in the function the kernel calls, not deeper. */
#ifndef SK_ISA_ISA_H
#define SK_ISA_ISA_H

#include <stdarg.h>

#include "machine/machine.h"

#define SK__SITE() __builtin_return_address(0)
#define SK__COLD __attribute__((cold, noinline))

#define SK__BLOCK_BYTES 32u
#define SK__REPEAT_BYTES 256u
#define SK__UB_BYTES (192u * 1024u) /* of UB, the same in every profile */

/* Bits of CTRL. */
#define SK__CTRL_HF32 46
#define SK__CTRL_HF32_TIES 47
#define SK__CTRL_FLOAT_INF_NAN 48
#define SK__CTRL_UB_CACHED 49
#define SK__CTRL_MMAD_N_FIRST 51
#define SK__CTRL_INT_SATURATE 53
#define SK__CTRL_COUNTER_MODE 56
#define SK__CTRL_CAST_TRUNCATE 59
static inline bool sk__ctrl(const sk__core *core, uint32_t bit) {
  if (__builtin_expect((core->ctrl_inherited >> bit & 1u) != 0, 0)) sk__state_report(core, SK__STATE_CTRL);
  return (core->ctrl >> bit & 1u) != 0;
}
static inline void sk__ctrl_set(sk__core *core, uint32_t bit, bool on) {
  core->ctrl = (core->ctrl & ~(UINT64_C(1) << bit)) | (uint64_t)on << bit;
  core->ctrl_inherited &= ~(UINT64_C(1) << bit);
}

/* ---- findings (report.c) ------------------------------------------------------------------- */

/* "<instr>: <what> is <value>; legal: <legal>". Legal is a printf format. */
SK__COLD void sk__bad_argument(sk__core *core, const char *what, int64_t value, const char *legal, ...)
    __attribute__((format(printf, 4, 5)));
/* Any other finding about the running instruction: id of the catalogue, message, remedy (may be ""). */
SK__COLD void sk__instr_finding(sk__core *core, const char *id, sk__category category, sk__severity severity,
                                const char *remedy, const char *message, ...)
    __attribute__((format(printf, 6, 7)));
/* The running instruction as the end of a finding. */
SK__COLD void sk__instr_end(const sk__core *core, sk__end *end);
/* The chip can do this, the simulator does not model it: a finding of category NOT_MODELLED. */
SK__COLD void sk__not_modelled_instr(sk__core *core, const char *what);

/* The pipe of an API enumerator; SK__PIPES: there is none on this architecture (sync.c). */
sk__pipe sk__pipe_of(int pipe);

/* The user got this event id from the living TPipe (pipe_event.c). */
bool sk__event_was_given(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id);

/* ---- begin and end ------------------------------------------------------------------------- */

/* sk__enter plus the no-op rule: NULL when this core is not of the type the instruction exists on. */
static inline sk__core *sk__begin(sk__core_type type, sk__pipe pipe, const char *instr, const void *site) {
  sk__core *core = sk__enter(pipe, instr, site);
  sk__checkpoint(core);
  return core->type == type ? core : NULL;
}
static inline uint64_t sk__startup(sk__core *core, sk__pipe pipe) {
  return sk__machine_soc(core->machine)->costs.startup_cycles[pipe];
}

/* Resolves a UB operand. The common case (a raw offset or an address, aligned, inside one array or in UB without arrays) is
 * inline; everything else is judged by the machine. `bytes` = extent from the pointer to the end of the last byte
 * touched. */
static inline void *sk__ub_operand(sk__core *core, const void *pointer, uint64_t bytes, uint32_t align,
                                   const char *operand) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (address < SK__LOCAL_SLOT_BYTES) address += core->local;
  uint64_t offset = address - core->local;
  const sk__ub_map *ub = core->ub;
  if (__builtin_expect(offset / 256 < SK__UB_CHUNKS, 1)) {
    const sk__ub_stretch *in = &ub->stretch[ub->of_chunk[offset / 256]];
    uint64_t at = offset - in->start;
    if (__builtin_expect(at < in->bytes && bytes <= in->bytes - at && (address & (align - 1u)) == 0, 1))
      return (void *)(uintptr_t)address;
  }
  return sk__local_operand(core, SK__MEM_UB, pointer, bytes, align, operand);
}

/* ---- iterations: mask register, repeat, strides (vector_iterate.c) --------------------------- */

/* What mask register, mask mode and repeat make of one instruction. */
typedef struct sk__iterations {
  uint32_t lanes;   /* elements of one iteration */
  uint32_t full;    /* iterations that use the mask below */
  uint32_t prefix;  /* elements 0..prefix-1 of a full iteration are enabled ... */
  bool pattern;     /* ... unless this: `bits` say which (prefix = highest enabled + 1) */
  uint64_t bits[2];
  uint32_t tail;    /* counter mode: enabled elements of one more, partial iteration; 0 = none */
} sk__iterations;

/* `lanes` = elements per iteration: 256 / size of the widest operand. */
sk__iterations sk__iterations_of(const sk__core *core, uint32_t repeat, uint32_t lanes);
/* The first `count` elements, contiguous. */
static inline sk__iterations sk__iterations_count(uint32_t count, uint32_t lanes) {
  return (sk__iterations){.lanes = lanes, .full = count / lanes, .prefix = lanes, .tail = count % lanes};
}
static inline uint32_t sk__iteration_total(const sk__iterations *it) { return it->full + (it->tail != 0); }
static inline bool sk__iterations_empty(const sk__iterations *it) {
  return (it->full == 0 || it->prefix == 0) && it->tail == 0;
}
/* The element index is enabled in iteration `i`. */
static inline bool sk__lane_enabled(const sk__iterations *it, uint32_t i, uint32_t lane) {
  if (i >= it->full) return lane < it->tail;
  return lane < it->prefix && (!it->pattern || (it->bits[lane >> 6] >> (lane & 63u) & 1u) != 0);
}

/* Count form: counter mode with MASK0 = count for one instruction, then normal mode. The mask register
 * keeps the count. */
static inline void sk__mask_count_form(sk__core *core, uint32_t count) {
  core->mask[0] = count;
  core->mask[1] = 0;
  core->inherited &= ~(UINT64_C(1) << SK__STATE_MASK); /* who left the count is of no interest */
  sk__ctrl_set(core, SK__CTRL_COUNTER_MODE, false);
}

/* One operand: element e of iteration r stands at base + r * repeat_bytes + (e / n) * block_bytes +
 * (e % n) * size, n = elements per 32-byte block. */
typedef struct sk__stream {
  uint8_t *base;
  uint32_t element_bits; /* 4 .. 64 */
  uint32_t block_bytes, repeat_bytes;
} sk__stream;

/* Bytes from base to the end of the last byte an enabled element touches. */
uint64_t sk__stream_extent(const sk__stream *stream, const sk__iterations *it);
/* Footprint, exact to the enabled elements. Call only when core->checks (it is not cheap). */
void sk__stream_access(sk__core *core, sk__pipe pipe, sk__access kind, const sk__stream *stream,
                       const sk__iterations *it);
/* No gaps anywhere: the operand is one flat array of the enabled elements. */
static inline bool sk__stream_flat(const sk__stream *stream, const sk__iterations *it) {
  uint32_t iteration_bytes = it->lanes * stream->element_bits / 8;
  return (stream->block_bytes == SK__BLOCK_BYTES || iteration_bytes <= SK__BLOCK_BYTES) &&
         (stream->repeat_bytes == iteration_bytes || sk__iteration_total(it) == 1) &&
         (it->full == 0 || (it->prefix == it->lanes && !it->pattern));
}
/* Collects iteration r into `to` (packed, whole blocks up to the last enabled element), and puts the
 * enabled elements back from such a packed copy. */
void sk__stream_gather(const sk__stream *stream, const sk__iterations *it, uint32_t r, void *to);
void sk__stream_scatter(const sk__stream *stream, const sk__iterations *it, uint32_t r, const void *from);

/* ---- elementwise instructions (vector_run.c) ------------------------------------------------- */

/* Modes of a kernel, from CTRL. */
#define SK__V_FLOAT_SATURATE 1u /* half, bfloat16: +-inf -> +-MAX, NaN -> 0, after each step */
#define SK__V_INT_SATURATE 2u
#define SK__V_CAST_TRUNCATE 4u
typedef struct sk__vparams {
  uint64_t scalar; /* bits of the scalar operand, in its own type */
  uint32_t flags;
} sk__vparams;

/* The work on n packed elements. d equals a or b, or overlaps neither. */
typedef void sk__vkernel(void *d, const void *a, const void *b, size_t n, const sk__vparams *params);

/* What is constant about one elementwise instruction. */
typedef struct sk__vinstr {
  const char *name, *name_sync; /* for findings */
  uint16_t kernel;              /* index in sk__simd_vector->kernel */
  uint8_t dst_bits, src_bits;   /* per element */
  uint8_t lanes_log2;           /* elements per iteration */
  uint8_t sources;              /* 0 (fill), 1, 2 */
  uint8_t reads_dst;            /* 1: the old destination is an operand */
  uint8_t cycles;               /* per iteration */
  uint8_t scalar_bits;          /* width check of shift distances: 0 = none */
  uint8_t accumulates;          /* 1: dst may overlap src1 where one of them stands still */
  uint8_t count_is_mask;        /* 1: in counter mode MASK0 is per iteration and repeat applies (copy) */
} sk__vinstr;

typedef struct sk__vstrides { /* in 32-byte blocks */
  uint32_t repeat;
  uint32_t dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat;
} sk__vstrides;

/* Reports when source number `source` and the destination overlap in a way that has no defined result. (vector_overlap.c) */
bool sk__vector_overlap(sk__core *core, const sk__vinstr *instr, const sk__stream *d, const sk__stream *s,
                        uint32_t source, const sk__iterations *it);

/* Count forms by number of sources: fill, unary (with or without scalar), binary; then with a barrier. */
void sk__vector_count_0(const sk__vinstr *instr, void *dst, uint64_t scalar, uint32_t count, const void *site);
void sk__vector_count_1(const sk__vinstr *instr, void *dst, const void *src, uint64_t scalar, uint32_t count,
                        const void *site);
void sk__vector_count_2(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint32_t count,
                        const void *site);
void sk__vector_sync_0(const sk__vinstr *instr, void *dst, uint64_t scalar, uint32_t count, const void *site);
void sk__vector_sync_1(const sk__vinstr *instr, void *dst, const void *src, uint64_t scalar, uint32_t count,
                       const void *site);
void sk__vector_sync_2(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint32_t count,
                       const void *site);
void sk__vector_strided(const sk__vinstr *instr, void *dst, const void *src0, const void *src1, uint64_t scalar,
                        const sk__vstrides *strides, const void *site);

#endif
