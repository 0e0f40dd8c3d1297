/* dma.c - bursts of the data movers between device memory and a core's memories, with the atomics of
 * the core's mode.
 *
 * Order of a store: bounds, shadow, log, caches, then the bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "machine/dcache.h"
#include "machine/internal.h"
#include "machine/log.h"

/* A long store into a large allocation goes past the host's caches: it is not read again soon. Into a
 * small one it does not: the next kernel finds it in the last-level cache. */
static const uint64_t stream_least_bytes = 4096, stream_least_allocation_bytes = UINT64_C(8) << 20;

/* ---- atomics --------------------------------------------------------------------------------- */

/* Type codes of asc_set_store_atomic_config_v1 and their element sizes. */
#define ATOMIC_TYPE_LIST(X) X(F, 1, 4) X(H, 2, 2) X(I16, 3, 2) X(I32, 4, 4) X(I8, 5, 1) X(BF, 6, 2)
typedef enum atomic_type {
#define X(name, code, bytes) ATOMIC_##name = (code),
  ATOMIC_TYPE_LIST(X)
#undef X
} atomic_type;
typedef enum atomic_op { ATOMIC_ADD = 0, ATOMIC_MAX = 1, ATOMIC_MIN = 2, ATOMIC_OPS = 3 } atomic_op;

static uint32_t atomic_bytes(uint32_t type) {
  switch (type) {
#define X(name, code, bytes) case ATOMIC_##name: return (bytes);
    ATOMIC_TYPE_LIST(X)
#undef X
    default: return 0;
  }
}

static float quiet(float nan) { return sk__f32_from_bits(sk__bits_from_f32(nan) | 0x400000u); }

/* The vector rules: NaN if either is NaN, -0 below +0. Memory's operand comes first. */
static float combine_float(float a, float b, atomic_op op) {
  if (a != a) return quiet(a);
  if (b != b) return quiet(b);
  if (op == ATOMIC_ADD) return a + b;
  bool a_below = a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
  return a_below == (op == ATOMIC_MIN) ? a : b;
}

/* CTRL[53]: clamp instead of wrapping around. */
static int64_t combine_int(int64_t a, int64_t b, atomic_op op, uint32_t bits, bool clamp) {
  if (op == ATOMIC_MAX) return a > b ? a : b;
  if (op == ATOMIC_MIN) return a < b ? a : b;
  int64_t sum = a + b, most = (INT64_C(1) << (bits - 1)) - 1, least = -most - 1;
  if (clamp && sum > most) return most;
  if (clamp && sum < least) return least;
  return sum;
}

#define INT_LOOP(name, type, bits)                                                                             \
  static void combine_##name(uint8_t *gm, const uint8_t *from, uint64_t n, atomic_op op, bool clamp) {          \
    for (uint64_t i = 0; i < n; i++) {                                                                         \
      type a, b;                                                                                               \
      memcpy(&a, gm + i * sizeof a, sizeof a);                                                                 \
      memcpy(&b, from + i * sizeof b, sizeof b);                                                               \
      a = (type)combine_int(a, b, op, bits, clamp);                                                            \
      memcpy(gm + i * sizeof a, &a, sizeof a);                                                                 \
    }                                                                                                          \
  }
INT_LOOP(i8, int8_t, 8)
INT_LOOP(i16, int16_t, 16)
INT_LOOP(i32, int32_t, 32)

static void combine_f32(uint8_t *gm, const uint8_t *from, uint64_t n, atomic_op op) {
  for (uint64_t i = 0; i < n; i++) {
    float a, b;
    memcpy(&a, gm + i * sizeof a, sizeof a);
    memcpy(&b, from + i * sizeof b, sizeof b);
    a = combine_float(a, b, op);
    memcpy(gm + i * sizeof a, &a, sizeof a);
  }
}

/* 16-bit floats: the sum of two is exact enough in binary32 that one more rounding is the right one. */
#define SHORT_FLOAT_LOOP(name)                                                                                     \
  static void combine_##name(uint8_t *gm, const uint8_t *from, uint64_t n, atomic_op op, sk__float_mode limits) {   \
    for (uint64_t i = 0; i < n; i++) {                                                                             \
      uint16_t a, b;                                                                                               \
      memcpy(&a, gm + i * sizeof a, sizeof a);                                                                     \
      memcpy(&b, from + i * sizeof b, sizeof b);                                                                   \
      float sum = combine_float(sk__f32_from_##name(a), sk__f32_from_##name(b), op);                               \
      a = sk__##name##_from_f32(sum, SK__ROUND_RINT, limits);                                                      \
      memcpy(gm + i * sizeof a, &a, sizeof a);                                                                     \
    }                                                                                                              \
  }
SHORT_FLOAT_LOOP(f16)
SHORT_FLOAT_LOOP(bf16)

/* Magnitudes decide how far sums of another order can lie apart. */
static float largest_f32(const uint8_t *values, uint64_t n, float largest) {
  for (uint64_t i = 0; i < n; i++) {
    float value;
    memcpy(&value, values + i * sizeof value, sizeof value);
    value = __builtin_fabsf(value);
    largest = value > largest ? value : largest;
  }
  return largest;
}
static float largest_short(atomic_type type, const uint8_t *values, uint64_t n, float largest) {
  for (uint64_t i = 0; i < n; i++) {
    uint16_t bits;
    memcpy(&bits, values + i * sizeof bits, sizeof bits);
    float value = __builtin_fabsf(type == ATOMIC_H ? sk__f32_from_f16(bits) : sk__f32_from_bf16(bits));
    largest = value > largest ? value : largest;
  }
  return largest;
}
static void note_sum(sk__core *core, const uint8_t *sums, const uint8_t *addends, uint64_t bytes) {
  atomic_type type = (atomic_type)core->atomic_type;
  if (core->atomic_op != ATOMIC_ADD || (type != ATOMIC_F && type != ATOMIC_H && type != ATOMIC_BF)) return;
  float largest = type == ATOMIC_F ? largest_f32(sums, bytes / 4, largest_f32(addends, bytes / 4, 0.0f))
                                   : largest_short(type, sums, bytes / 2, largest_short(type, addends, bytes / 2, 0.0f));
  sk__sum_note(core->checker, core->site, core->instr, type == ATOMIC_F ? SK__SUM_F32 : type == ATOMIC_H ? SK__SUM_F16 : SK__SUM_BF16, largest);
}

static void store_atomic(sk__core *core, uint8_t *gm, const uint8_t *from, uint64_t bytes) {
  sk__memory *memory = core->dcache->memory;
  atomic_op op = (atomic_op)core->atomic_op;
  bool clamp = (core->ctrl >> 53 & 1) != 0;
  sk__float_mode limits = (core->ctrl >> 48 & 1) != 0 ? SK__FLOAT_INF_NAN : SK__FLOAT_SATURATE;
  uint64_t n = bytes / atomic_bytes(core->atomic_type);
  if (memory->threaded) pthread_mutex_lock(&memory->atomic_lock);
  switch ((atomic_type)core->atomic_type) {
    case ATOMIC_F: combine_f32(gm, from, n, op); break;
    case ATOMIC_H: combine_f16(gm, from, n, op, limits); break;
    case ATOMIC_BF: combine_bf16(gm, from, n, op, limits); break;
    case ATOMIC_I8: combine_i8(gm, from, n, op, clamp); break;
    case ATOMIC_I16: combine_i16(gm, from, n, op, clamp); break;
    case ATOMIC_I32: combine_i32(gm, from, n, op, clamp); break;
  }
  if (memory->threaded) pthread_mutex_unlock(&memory->atomic_lock);
}

/* The mode register holds something we do not know, or the burst ends inside an element. */
static __attribute__((cold, noinline)) void report_atomic(sk__core *core, uint64_t to, uint64_t bytes) {
  bool known = atomic_bytes(core->atomic_type) != 0 && core->atomic_op < ATOMIC_OPS;
  sk__finding finding = sk__core_finding(core, known ? "BAD_ARGUMENT" : "NOT_MODELLED",
                                         known ? SK__CAT_OPERATOR : SK__CAT_NOT_MODELLED, SK__ERROR);
  finding.ends[0].address = to;
  finding.ends[0].bytes = bytes;
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  if (known) {
    sk__text_add(&text, "%s moves %" PRIu64 " bytes to device memory in atomic mode, which is no multiple of the %u-byte element",
                 core->instr, bytes, atomic_bytes(core->atomic_type));
    sk__text_copy(finding.remedy, sizeof finding.remedy, "Move whole elements, or switch the atomic mode off first.");
  } else {
    sk__text_add(&text, "%s runs in atomic mode with type code %u and operation code %u, which are not known", core->instr,
                 core->atomic_type, core->atomic_op);
    sk__text_copy(finding.remedy, sizeof finding.remedy, "Set the mode with one of the documented types and operations.");
  }
  sk__report(core->checker, &finding);
}

static bool atomic_fits(sk__core *core, uint64_t to, uint64_t bytes) {
  uint32_t element = atomic_bytes(core->atomic_type);
  if (element != 0 && core->atomic_op < ATOMIC_OPS && bytes % element == 0) return true;
  report_atomic(core, to, bytes);
  return false;
}

/* Once for each core and call is enough. */
static __attribute__((cold, noinline)) void report_beyond(sk__core *core, sk__access kind, uint64_t address, uint64_t bytes) {
  core->view.beyond = false;
  sk__finding finding = sk__core_finding(core, "H43", SK__CAT_OPERATOR, SK__ERROR);
  sk__end *end = &finding.ends[0];
  end->role = kind == SK__READ ? "reader" : "writer";
  end->address = address;
  end->bytes = bytes;
  end->mem = SK__MEM_GM;
  snprintf(finding.message, sizeof finding.message,
           "%s of %s works on a core whose index is not below the %u blocks that its tiling has: the SuperKernel calls it on every core below its own "
           "block count",
           core->instr != NULL ? core->instr : "an access", core->view.kernel, core->view.block_num);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "return early when GetBlockIdx() >= GetBlockNum()");
  sk__report(core->checker, &finding);
}

/* ---- bursts ---------------------------------------------------------------------------------- */

bool sk__gm_load(sk__core *core, sk__pipe pipe, void *to, uint64_t from, uint64_t bytes) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  if (bytes == 0) return true;
  if (__builtin_expect(core->view.beyond, 0)) report_beyond(core, SK__READ, from, bytes);
  if (sk__extent_of(cache, from, bytes) == NULL) {
    sk__memory_report_bounds(memory, core, pipe, SK__READ, from, bytes, core->site, core->instr);
    return false;
  }
  if (core->checks) sk__shadow_gm(core->checker, &core->order, pipe, SK__READ, from, bytes, core->site, core->instr);
  memory->copy(to, (const void *)from, bytes);
  if (sk__dcache_near(memory, from, bytes)) sk__dcache_mover_read(core, pipe, to, from, bytes);
  return true;
}

bool sk__gm_store(sk__core *core, sk__pipe pipe, uint64_t to, const void *from, uint64_t bytes) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  bool atomic = core->atomic_type != 0;
  if (bytes == 0) return true;
  if (__builtin_expect(core->view.beyond, 0)) report_beyond(core, SK__WRITE, to, bytes);
  const sk__extent *extent = sk__extent_of(cache, to, bytes);
  if (extent == NULL) {
    sk__memory_report_bounds(memory, core, pipe, atomic ? SK__ATOMIC : SK__WRITE, to, bytes, core->site, core->instr);
    return false;
  }
  if (atomic && !atomic_fits(core, to, bytes)) return false;
  if (atomic) sk__state_use(core, SK__STATE_ATOMIC);
  if (core->checks)
    sk__shadow_gm(core->checker, &core->order, pipe, atomic ? SK__ATOMIC : SK__WRITE, to, bytes, core->site, core->instr);
  core->gm_stores++;
  bool large = bytes >= stream_least_bytes && extent->end - extent->start >= stream_least_allocation_bytes;
  bool just_saved = sk__log_open(memory, to, bytes); /* what was just saved is in the caches already */
  if (sk__dcache_near(memory, to, bytes)) sk__dcache_mover_write(core, pipe, to, bytes);
  if (atomic) store_atomic(core, (uint8_t *)to, from, bytes);
  else if (large && !just_saved) memory->copy_stream((void *)to, from, bytes);
  else memory->copy((void *)to, from, bytes);
  if (atomic && core->checks && !memory->threaded) note_sum(core, (const uint8_t *)to, from, bytes);
  return true;
}
