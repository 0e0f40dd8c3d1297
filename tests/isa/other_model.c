/* other_model.c - naive memory, masks and numbers (other_model.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "isa/simd/compare_kernels.h"
#include "isa/simd/reduce_kernels.h"
#include "isa/simd/sort_kernels.h"

uint8_t model_memory[UB_BYTES];
static uint8_t was_read[UB_BYTES], was_written[UB_BYTES];

bool model_initialised;

bool sk__shadow_local_initialised(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes) {
  (void)checker, (void)order, (void)address, (void)bytes;
  return model_initialised;
}
void sk__scalar_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write, const void *site) {
  (void)site;
  memset((is_write ? fixture_written : fixture_read) + (address - core->local), 1, bytes);
}

void model_take(void) {
  memcpy(model_memory, fixture_ub, UB_BYTES);
  memset(was_read, 0, UB_BYTES);
  memset(was_written, 0, UB_BYTES);
  fixture_clear_records();
}
void model_start(uint64_t seed) {
  fixture_reset(seed);
  model_take();
}
uint64_t model_peek(uint64_t offset, uint32_t size) {
  uint64_t value = 0;
  assert_true(offset + size <= UB_BYTES);
  for (uint32_t i = 0; i < size; i++) value |= (uint64_t)model_memory[offset + i] << (8 * i);
  return value;
}
uint64_t model_read(uint64_t offset, uint32_t size) {
  uint64_t value = model_peek(offset, size);
  for (uint32_t i = 0; i < size; i++) was_read[offset + i] = 1;
  return value;
}
void model_write(uint64_t offset, uint32_t size, uint64_t value) {
  assert_true(offset + size <= UB_BYTES);
  for (uint32_t i = 0; i < size; i++) {
    model_memory[offset + i] = (uint8_t)(value >> (8 * i));
    was_written[offset + i] = 1;
  }
}
static void same_bytes(const char *what, const char *which, const uint8_t *model, const uint8_t *real) {
  if (memcmp(model, real, UB_BYTES) == 0) return;
  for (uint32_t i = 0; i < UB_BYTES; i++)
    if (model[i] != real[i])
      fail_msg("%s: %s differs at byte %u: model %02x, instruction %02x; finding '%s'", what, which, i, model[i], real[i],
               fixture_finding.message);
}
void model_compare(const char *what) {
  same_bytes(what, "memory", model_memory, fixture_ub);
  same_bytes(what, "the set of bytes written", was_written, fixture_written);
  same_bytes(what, "the set of bytes read", was_read, fixture_read);
}

/* ---- masks ----------------------------------------------------------------------------------- */

model_mask model_random_mask(bool with_counter, uint32_t most) {
  model_mask m = {.counter = with_counter && below(4) == 0, .count = 1 + below(most)};
  switch (below(4)) {
    case 0: m.bits[0] = m.bits[1] = UINT64_MAX; break;
    case 1: {
      uint32_t n = 1 + below(128);
      m.bits[0] = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
      m.bits[1] = n >= 128 ? UINT64_MAX : n <= 64 ? 0 : (UINT64_C(1) << (n - 64)) - 1;
      break;
    }
    case 2: m.bits[0] = fixture_random() & fixture_random(), m.bits[1] = fixture_random() & fixture_random(); break;
    default: m.bits[0] = fixture_random(), m.bits[1] = fixture_random(); break;
  }
  sk__core *core = sk__self;
  core->mask[0] = m.counter ? m.count : m.bits[0];
  core->mask[1] = m.counter ? 0 : m.bits[1];
  core->ctrl = (core->ctrl & ~(UINT64_C(1) << 56)) | (uint64_t)m.counter << 56;
  return m;
}
model_mask model_count(uint32_t count) { return (model_mask){.counter = true, .count = count}; }
uint32_t model_repeats(const model_mask *mask, uint32_t repeat, uint32_t lanes) {
  return mask->counter ? (mask->count + lanes - 1) / lanes : repeat;
}
bool model_on(const model_mask *mask, uint32_t r, uint32_t lane, uint32_t lanes) {
  if (mask->counter) return r * lanes + lane < mask->count;
  return (mask->bits[lane / 64] >> (lane % 64) & 1) != 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

double model_value(uint64_t bits, uint32_t size) {
  if (size == 4) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    return value;
  }
  double sign = (bits & 0x8000) != 0 ? -1 : 1;
  int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25));
}
uint32_t model_round(double value, uint32_t size, bool saturate) {
  if (size == 4) {
    float rounded = isnan(value) ? NAN : (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, 4);
    return isnan(value) ? 0x7fc00000u : bits;
  }
  if (isnan(value)) return saturate ? 0 : 0x7e00;
  uint32_t sign = signbit(value) ? 0x8000 : 0;
  double magnitude = fabs(value);
  if (magnitude >= 65520) return sign | (saturate ? 0x7bff : 0x7c00);
  int exponent = magnitude == 0 ? -14 : ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  double units = nearbyint(ldexp(magnitude, 10 - exponent)); /* of the last place */
  if (units >= 2048) units /= 2, exponent++;
  if (units < 1024) return sign | (uint32_t)units;
  return sign | ((uint32_t)(exponent + 15) << 10) | ((uint32_t)units - 1024);
}
int model_order(uint32_t a, uint32_t b, uint32_t size, bool by_pattern) {
  double x = model_value(a, size), y = model_value(b, size);
  uint32_t top = size == 2 ? 0x8000u : 0x80000000u;
  if (isnan(x) || isnan(y)) {
    if (!isnan(x)) return -1;
    if (!isnan(y)) return 1;
    if (!by_pattern || a == b) return 0;
    if ((a & top) != (b & top)) return (a & top) != 0 ? 1 : -1;
    return ((a & top) != 0) == (a > b) ? -1 : 1;
  }
  if (x < y) return -1;
  if (x > y) return 1;
  return (int)signbit(y) - (int)signbit(x) == 0 ? 0 : signbit(x) ? -1 : 1;
}
uint32_t model_number(uint32_t size) {
  static const uint32_t half[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d01, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x3c00};
  static const uint32_t word[] = {0, 0x80000000u, 0x7f800000, 0xff800000u, 0x7fc00000, 0xffc00001u, 0x7f800001, 1,
                                  0x80000001u, 0x7fffff, 0x800000, 0x7f7fffff, 0xff7fffffu, 0x3f800000};
  switch (below(16)) {
    case 0: return size == 2 ? half[below(14)] : word[below(14)];
    case 1: case 2: case 3: return model_round((double)below(7) - 3, size, false);
    case 4: case 5: return (uint32_t)fixture_random() & (size == 2 ? 0xffffu : 0xffffffffu);
    default: return model_round(((double)below(200001) - 100000) / (double)(1 + below(64)), size, true);
  }
}
void model_numbers(uint64_t offset, uint32_t size, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t bits = model_number(size);
    memcpy(fixture_ub + offset + (uint64_t)i * size, &bits, size);
  }
}

void model_each_level(void (*body)(void)) {
  for (uint32_t level = 0; level < SK__SIMD_LEVEL_COUNT; level++) {
    if (sk__simd_sort_of((sk__simd_level)level) == NULL) {
      printf("# level %s: not on this CPU\n", sk__simd_level_name((sk__simd_level)level));
      continue;
    }
    sk__simd_sort = sk__simd_sort_of((sk__simd_level)level);
    sk__simd_reduce = sk__simd_reduce_of((sk__simd_level)level);
    sk__simd_compare = sk__simd_compare_of((sk__simd_level)level);
    body();
  }
}
