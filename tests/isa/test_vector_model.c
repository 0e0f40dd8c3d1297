/* Which elements an instruction touches: random masks, strides, repeats, modes and overlaps, each against
 * a naive loop over iterations and elements. Memory and both footprints must agree to the byte. */
#include <stdio.h>
#include <string.h>

#include "vector_reference.h"

static uint8_t model_memory[UB_BYTES], model_read[UB_BYTES], model_written[UB_BYTES];

typedef struct layout { uint64_t base; uint32_t block, repeat; type t; } layout;

/* Place of element e of iteration r: byte address, and the nibble for int4. */
static uint64_t place(const layout *l, uint32_t r, uint32_t e, uint32_t *within) {
  uint32_t per_block = 256 / type_bits(l->t);
  *within = e % per_block;
  return l->base + (uint64_t)r * l->repeat * 32 + (uint64_t)(e / per_block) * l->block * 32;
}
static uint64_t get(const layout *l, uint32_t r, uint32_t e) {
  uint32_t within;
  uint64_t at = place(l, r, e, &within);
  uint64_t first = at + (uint64_t)within * type_bits(l->t) / 8, last = at + ((uint64_t)within * type_bits(l->t) + type_bits(l->t) - 1) / 8;
  memset(model_read + first, 1, last - first + 1);
  return element_load(l->t, model_memory + at, within);
}
static void put(const layout *l, uint32_t r, uint32_t e, uint64_t bits) {
  uint32_t within;
  uint64_t at = place(l, r, e, &within);
  uint64_t first = at + (uint64_t)within * type_bits(l->t) / 8, last = at + ((uint64_t)within * type_bits(l->t) + type_bits(l->t) - 1) / 8;
  memset(model_written + first, 1, last - first + 1);
  element_store(l->t, model_memory + at, within, bits);
}

static bool enabled(uint32_t r, uint32_t e, uint32_t lanes, bool counter) {
  if (counter) return (uint64_t)r * lanes + e < (uint32_t)sk__self->mask[0];
  return (sk__self->mask[e / 64] >> (e % 64) & 1) != 0;
}

/* Overlaps without a defined result, byte by byte: what the iteration before wrote is read; or, between equal
 * sizes, one element's source is another's destination. */
static uint32_t write_turn[UB_BYTES];
static struct { uint32_t turn; uint16_t first, last; } read_by[2][UB_BYTES];
static uint32_t turn_now;
static bool undefined;
static bool may_accumulate(const row *w) {
  static const char *const ops[] = {"add_", "sub_", "mul_", "max_", "min_", "add_relu_", "sub_relu_"};
  for (uint32_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
    for (uint32_t t = 0; t < 3; t++) {
      char name[32];
      snprintf(name, sizeof name, "%s%s", ops[i], t == 0 ? "f16" : t == 1 ? "f32" : "i32");
      if (strcmp(name, w->name) == 0) return true;
    }
  return false;
}
static void note_read(const layout *l, uint32_t source, uint32_t r, uint32_t e) {
  uint32_t within;
  uint64_t at = place(l, r, e, &within), bit = (uint64_t)within * type_bits(l->t);
  for (uint64_t byte = at + bit / 8; byte <= at + (bit + type_bits(l->t) - 1) / 8; byte++) {
    undefined |= r > 0 && write_turn[byte] == turn_now - 1;
    if (read_by[source][byte].turn != turn_now) read_by[source][byte].turn = turn_now, read_by[source][byte].first = (uint16_t)e;
    read_by[source][byte].last = (uint16_t)e;
  }
}
static void note_write(const layout *l, const layout *s, uint32_t source, uint32_t r, uint32_t e, bool tell) {
  uint32_t within;
  uint64_t at = place(l, r, e, &within), bit = (uint64_t)within * type_bits(l->t);
  for (uint64_t byte = at + bit / 8; byte <= at + (bit + type_bits(l->t) - 1) / 8; byte++) {
    write_turn[byte] = turn_now;
    if (tell && type_bits(l->t) == type_bits(s->t) && read_by[source][byte].turn == turn_now)
      undefined |= read_by[source][byte].first != e || read_by[source][byte].last != e;
  }
}

/* An iteration reads all its elements before it writes any. */
static void model_run(const row *w, const layout *d, const layout *a, const layout *b, uint64_t k, uint32_t repeat,
                      uint32_t lanes, bool counter) {
  uint32_t iterations = counter ? ((uint32_t)sk__self->mask[0] + lanes - 1) / lanes : repeat;
  bool standing = may_accumulate(w) && (d->repeat == 0 || b->repeat == 0);
  undefined = false;
  turn_now += 2;
  for (uint32_t r = 0; r < iterations; r++, turn_now++) {
    uint64_t result[256];
    for (uint32_t e = 0; e < lanes; e++) {
      if (!enabled(r, e, lanes, counter)) continue;
      uint64_t av = w->shape == FILL ? 0 : get(a, r, e), bv = w->shape == BINARY ? get(b, r, e) : 0;
      if (w->shape != FILL) note_read(a, 0, r, e);
      if (w->shape == BINARY && !standing) note_read(b, 1, r, e);
      result[e] = reference(w, av, bv, w->reads_dst ? get(d, r, e) : 0, k, 0);
    }
    for (uint32_t e = 0; e < lanes; e++)
      if (enabled(r, e, lanes, counter)) {
        put(d, r, e, result[e]);
        note_write(d, a, 0, r, e, w->shape != FILL);
        note_write(d, b, 1, r, e, w->shape == BINARY && !standing);
      }
  }
}

static uint64_t random_mask(void) {
  switch (below(5)) {
    case 0: return UINT64_MAX;
    case 1: return (UINT64_C(1) << below(64)) - 1;
    case 2: return fixture_random() & fixture_random();
    case 3: return 0;
    default: return fixture_random();
  }
}
static uint32_t random_stride(uint32_t usual) { return below(2) ? usual : below(4) ? below(12) : 0; }

static void compare(const row *w, uint64_t number) {
  if (memcmp(model_memory, fixture_ub, UB_BYTES) == 0 && memcmp(model_read, fixture_read, UB_BYTES) == 0 &&
      memcmp(model_written, fixture_written, UB_BYTES) == 0)
    return;
  for (uint32_t i = 0; i < UB_BYTES; i++)
    if (model_memory[i] != fixture_ub[i] || model_read[i] != fixture_read[i] || model_written[i] != fixture_written[i])
      fail_msg("%s case %llu, byte %u: memory %x want %x, read %d want %d, written %d want %d", w->name,
               (unsigned long long)number, i, fixture_ub[i], model_memory[i], fixture_read[i], model_read[i],
               fixture_written[i], model_written[i]);
}

static void one_case(const row *w, uint64_t number, bool overlap) {
  uint32_t widest = type_bits(w->d) > type_bits(w->s) ? type_bits(w->d) : type_bits(w->s);
  uint32_t lanes = widest <= 16 ? 128 : 2048 / widest;
  uint32_t natural_d = lanes * type_bits(w->d) / 256, natural_s = lanes * type_bits(w->s) / 256;
  bool counter = below(3) == 0;
  strides s = {below(6), random_stride(1), random_stride(1), random_stride(1),
               random_stride(natural_d), random_stride(natural_s), random_stride(natural_s)};
  layout d = {32 * below(200), s.db == 0 ? 1 : s.db, s.dr, w->d};
  layout a = {65536 + 32 * below(200), s.ab, s.ar, w->s}, b = {131072 + 32 * below(200), s.bb, s.br, w->s};
  if (overlap) {
    a.base = d.base + 32 * (below(3) == 0 ? below(20) : 0);
    b.base = below(2) ? d.base + 32 * below(20) : b.base;
  }
  sk__self->mask[0] = counter ? below(600) : random_mask();
  sk__self->mask[1] = random_mask();
  sk__ctrl_set(sk__self, SK__CTRL_COUNTER_MODE, counter);
  uint64_t k = scalar_for(w, fixture_random());
  memcpy(model_memory, fixture_ub, UB_BYTES);
  memset(model_read, 0, UB_BYTES);
  memset(model_written, 0, UB_BYTES);
  fixture_clear_records();
  if (strncmp(w->name, "copy", 4) == 0 && counter) { /* the count is per iteration, and repeat applies */
    sk__self->mask[0] %= lanes + 1;
    uint64_t count = sk__self->mask[0];
    undefined = false;
    turn_now += 2;
    for (uint32_t r = 0; r < s.repeat; r++, turn_now++) {
      uint64_t value[128];
      for (uint32_t e = 0; e < count; e++) note_read(&a, 0, r, e), value[e] = get(&a, r, e);
      for (uint32_t e = 0; e < count; e++) put(&d, r, e, value[e]), note_write(&d, &a, 0, r, e, true);
    }
  } else {
    model_run(w, &d, &a, &b, k, s.repeat, lanes, counter);
  }
  w->strided(ub(d.base), ub(a.base), ub(b.base), k, &s);
  if ((fixture_findings != 0) != undefined)
    fail_msg("%s case %llu: %s overlap, %u findings", w->name, (unsigned long long)number,
             undefined ? "undefined" : "no undefined", fixture_findings);
  if (undefined) assert_string_equal(fixture_finding.id, "OVERLAP");
  compare(w, number);
}

static void run_cases(const char *name, bool overlap, uint32_t rounds) {
  fixture_reset(sk_test_seed(name));
  for (uint64_t n = 0; n < rounds; n++)
    for (uint32_t i = 0; i < row_count; i++)
      if (rows[i].exact) one_case(&rows[i], n, overlap);
}
static void test_random_layouts(void **state) { (void)state; run_cases("layouts", false, 40); }
/* Operands that share bytes: iterations go in order, each reads before it writes. */
static void test_random_overlaps(void **state) { (void)state; run_cases("overlaps", true, 40); }

/* Accumulation: src1 and dst stand still, src0 moves. */
static void test_accumulates_in_place(void **state) {
  (void)state;
  fixture_reset(3);
  float want[64];
  for (uint32_t e = 0; e < 64; e++) {
    want[e] = 1.0f;
    ((float *)ub(0))[e] = 1.0f;
    for (uint32_t r = 0; r < 5; r++) want[e] += ((float *)ub(4096))[r * 64 + e] = (float)(r * 100 + e);
  }
  for (uint32_t i = 0; i < row_count; i++)
    if (strcmp(rows[i].name, "add_f32") == 0) rows[i].strided(ub(0), ub(4096), ub(0), 0, &(strides){5, 1, 1, 1, 0, 8, 0});
  assert_memory_equal(want, ub(0), sizeof want);
}

SK_TESTS(SK_TEST(test_random_layouts), SK_TEST(test_random_overlaps), SK_TEST(test_accumulates_in_place))
