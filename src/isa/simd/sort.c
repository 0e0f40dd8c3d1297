/* sort.c - inner loops of the sorting instructions: 32-element sort by counting, merge of sorted queues.
 *
 * Scores are never compared as floats. A score's bits become an unsigned key that puts
 *
 *   -inf < ... < -0 < +0 < ... < +inf < NaN (by bit pattern: positive NaNs, then negative ones)
 *
 * The map is one-to-one, so a record comes back out of its key bit for bit. A record of 8 bytes (score in
 * the low word, index in the high word) travels through the merges as key << 32 | index. */
#include "isa/simd/sort_kernels.h"

#include <string.h>

#define LOW32 UINT64_C(0xffffffff)
#define BELOW_NEGATIVE_INFINITY UINT32_C(0x7fffff) /* how many negative NaNs the bare flip puts below -inf */
#define BELOW_NEGATIVE_INFINITY_F16 UINT32_C(0x3ff)

static inline uint32_t key_of_f32(uint32_t bits) {
  uint32_t flip = (uint32_t)((int32_t)bits >> 31) | UINT32_C(0x80000000);
  return (bits ^ flip) - BELOW_NEGATIVE_INFINITY;
}
static inline uint32_t f32_of_key(uint32_t key) {
  key += BELOW_NEGATIVE_INFINITY;
  return key ^ (~(uint32_t)((int32_t)key >> 31) | UINT32_C(0x80000000));
}
/* A half lives in the top half of the key; the two spare bytes of its record are dropped. */
static inline uint32_t key_of_f16(uint32_t bits) {
  uint32_t high = bits << 16;
  uint32_t flip = (uint32_t)((int32_t)high >> 31) | UINT32_C(0x80000000);
  return ((high ^ flip) & UINT32_C(0xffff0000)) - (BELOW_NEGATIVE_INFINITY_F16 << 16);
}
static inline uint32_t f16_of_key(uint32_t key) {
  key += BELOW_NEGATIVE_INFINITY_F16 << 16;
  return (key ^ (~(uint32_t)((int32_t)key >> 31) | UINT32_C(0x80000000))) >> 16;
}

/* ---- sort of 32 ------------------------------------------------------------------------------ */

#if defined(__AVX2__)
#define LANES 8
typedef int32_t lanes __attribute__((vector_size(32)));
static const lanes lane_number = {0, 1, 2, 3, 4, 5, 6, 7};
#else
#define LANES 4
typedef int32_t lanes __attribute__((vector_size(16)));
static const lanes lane_number = {0, 1, 2, 3};
#endif

/* rank = how many elements come before this one: the greater ones, and the equal ones in front of it.
 * key: signed order. Groups of lanes left of the own group count >=, those right of it >. */
static inline __attribute__((always_inline)) void rank32(const int32_t key[32], int32_t rank[32]) {
  for (int first = 0; first < 32; first += LANES) {
    lanes own, before = lane_number - lane_number + first;
    memcpy(&own, key + first, sizeof own);
    for (int j = 0; j < first; j++) before += own > key[j]; /* all of them, minus the smaller ones */
    for (int j = first + LANES; j < 32; j++) before -= own < key[j];
    for (int j = 0; j < LANES; j++) {
      int32_t other = key[first + j];
      before -= (own < other) | ((own == other) & (lane_number > j));
    }
    memcpy(rank + first, &before, sizeof before);
  }
}

static void sort32_f32(uint64_t *dst, const uint32_t *score, const uint32_t *index, uint32_t repeats) {
  for (uint32_t repeat = 0; repeat < repeats; repeat++) {
    _Alignas(64) int32_t key[32], rank[32];
    for (int i = 0; i < 32; i++) key[i] = (int32_t)(key_of_f32(score[i]) ^ UINT32_C(0x80000000));
    rank32(key, rank);
    for (int i = 0; i < 32; i++) dst[rank[i]] = (uint64_t)index[i] << 32 | score[i];
    dst += 32, score += 32, index += 32;
  }
}
static void sort32_f16(uint64_t *dst, const uint16_t *score, const uint32_t *index, uint32_t repeats) {
  for (uint32_t repeat = 0; repeat < repeats; repeat++) {
    _Alignas(64) int32_t key[32], rank[32];
    for (int i = 0; i < 32; i++) key[i] = (int32_t)(key_of_f16(score[i]) ^ UINT32_C(0x80000000));
    rank32(key, rank);
    for (int i = 0; i < 32; i++) dst[rank[i]] = (uint64_t)index[i] << 32 | score[i];
    dst += 32, score += 32, index += 32;
  }
}

/* ---- merge ----------------------------------------------------------------------------------- */

/* One step of a merge from the front: the greater head, the lower queue `a` on equal keys. Written so
 * that no compiler makes a branch of it: which head wins is as good as random. */
static inline __attribute__((always_inline)) uint64_t take_front(const uint64_t **a, const uint64_t **b) {
  const uint64_t *at_a = *a, *at_b = *b, *next_a = at_a + 1, *next_b = at_b + 1;
  uint64_t x = *at_a, y = *at_b, bound = x | LOW32;
#if defined(__x86_64__)
  __asm__("cmp %[y], %[bound]\n\t"
          "cmovb %[y], %[x]\n\t"
          "cmovae %[next_a], %[at_a]\n\t"
          "cmovb %[next_b], %[at_b]"
          : [x] "+&r"(x), [at_a] "+&r"(at_a), [at_b] "+&r"(at_b)
          : [bound] "r"(bound), [y] "r"(y), [next_a] "r"(next_a), [next_b] "r"(next_b)
          : "cc");
#else
  uint64_t b_wins = 0 - (uint64_t)(bound < y);
  x = (x & ~b_wins) | (y & b_wins);
  at_a = b_wins ? at_a : next_a;
  at_b = b_wins ? next_b : at_b;
#endif
  *a = at_a, *b = at_b;
  return x;
}
/* The same from the back: the smaller tail, the upper queue `b` on equal keys. */
static inline __attribute__((always_inline)) uint64_t take_back(const uint64_t **a, const uint64_t **b) {
  const uint64_t *at_a = *a, *at_b = *b, *next_a = at_a - 1, *next_b = at_b - 1;
  uint64_t x = *at_a, y = *at_b, bound = x | LOW32;
#if defined(__x86_64__)
  __asm__("cmp %[y], %[bound]\n\t"
          "cmovae %[y], %[x]\n\t"
          "cmovb %[next_a], %[at_a]\n\t"
          "cmovae %[next_b], %[at_b]"
          : [x] "+&r"(x), [at_a] "+&r"(at_a), [at_b] "+&r"(at_b)
          : [bound] "r"(bound), [y] "r"(y), [next_a] "r"(next_a), [next_b] "r"(next_b)
          : "cc");
#else
  uint64_t a_wins = 0 - (uint64_t)(bound < y);
  x = (x & a_wins) | (y & ~a_wins);
  at_a = a_wins ? next_a : at_a;
  at_b = a_wins ? at_b : next_b;
#endif
  *a = at_a, *b = at_b;
  return x;
}

/* Two merges of n with n records at once, each from both ends: four chains that do not wait for each
 * other. n steps from either end never leave a queue of n records, so no bound is tested. */
static void merge_two_equal(uint64_t *out, const uint64_t *a, uint32_t n) {
  const uint64_t *b = a + n, *c = b + n, *d = c + n;
  const uint64_t *front_a = a, *front_b = b, *back_a = b - 1, *back_b = c - 1;
  const uint64_t *front_c = c, *front_d = d, *back_c = d - 1, *back_d = d + n - 1;
  uint64_t *low = out, *low_end = out + 2 * n - 1, *high = out + 2 * n, *high_end = out + 4 * n - 1;
  for (uint32_t k = 0; k < n; k++) {
    *low++ = take_front(&front_a, &front_b);
    *high++ = take_front(&front_c, &front_d);
    *low_end-- = take_back(&back_a, &back_b);
    *high_end-- = take_back(&back_c, &back_d);
  }
}

/* n with n records as four chains: from both ends, and both ways from the middle of the result. The
 * middle chains are cut short where their queue might run out; the outer two finish. */
static void merge_equal(uint64_t *out, const uint64_t *a, const uint64_t *b, uint32_t n) {
  uint32_t from_a = 0, high = n; /* how many of the first n results come from a */
  while (from_a < high) {
    uint32_t middle = (from_a + high) / 2;
    if ((a[middle] | LOW32) >= b[n - middle - 1]) from_a = middle + 1;
    else high = middle;
  }
  uint32_t from_b = n - from_a, steps = n / 2;
  if (from_a < steps) steps = from_a;
  if (from_b < steps) steps = from_b;
  const uint64_t *front_a = a, *front_b = b, *back_a = a + n - 1, *back_b = b + n - 1;
  const uint64_t *up_a = a + from_a, *up_b = b + from_b, *down_a = up_a - 1, *down_b = up_b - 1;
  uint64_t *front = out, *back = out + 2 * n - 1, *up = out + n, *down = up - 1;
  for (uint32_t k = 0; k < steps; k++) {
    *front++ = take_front(&front_a, &front_b);
    *up++ = take_front(&up_a, &up_b);
    *back-- = take_back(&back_a, &back_b);
    *down-- = take_back(&down_a, &down_b);
  }
  for (uint32_t k = steps; k < n - steps; k++) {
    *front++ = take_front(&front_a, &front_b);
    *back-- = take_back(&back_a, &back_b);
  }
}

/* Any two lengths: as many unchecked steps from both ends as the shorter rest allows, again and again. */
static void merge_any(uint64_t *out, const uint64_t *a, uint32_t a_records, const uint64_t *b, uint32_t b_records) {
  const uint64_t *a_end = a + a_records, *b_end = b + b_records;
  uint64_t *back = out + a_records + b_records - 1;
  for (;;) {
    size_t a_left = (size_t)(a_end - a), b_left = (size_t)(b_end - b), steps = (a_left < b_left ? a_left : b_left) / 2;
    if (steps == 0) break;
    const uint64_t *last_a = a_end - 1, *last_b = b_end - 1;
    for (size_t k = 0; k < steps; k++) {
      *out++ = take_front(&a, &b);
      *back-- = take_back(&last_a, &last_b);
    }
    a_end = last_a + 1, b_end = last_b + 1;
  }
  while (a < a_end && b < b_end) *out++ = (*a | LOW32) >= *b ? *a++ : *b++;
  while (a < a_end) *out++ = *a++;
  while (b < b_end) *out++ = *b++;
}
static void merge_pair(uint64_t *out, const uint64_t *a, uint32_t a_records, const uint64_t *b, uint32_t b_records) {
  if (a_records == b_records && a_records > 0) merge_equal(out, a, b, a_records);
  else merge_any(out, a, a_records, b, b_records);
}

/* Records to keys; false when a key is greater than the one before it. */
static bool keys_of_records(uint64_t *key, const uint64_t *record, uint32_t n, bool is_f16) {
  if (is_f16) {
    for (uint32_t i = 0; i < n; i++) key[i] = (uint64_t)key_of_f16((uint32_t)record[i]) << 32 | record[i] >> 32;
  } else {
    for (uint32_t i = 0; i < n; i++) key[i] = (uint64_t)key_of_f32((uint32_t)record[i]) << 32 | record[i] >> 32;
  }
  uint64_t wrong = 0;
  for (uint32_t i = 1; i < n; i++) wrong |= (uint64_t)((key[i - 1] | LOW32) < key[i]);
  return wrong == 0;
}
static void records_of_keys(uint64_t *record, const uint64_t *key, uint32_t n, bool is_f16) {
  if (is_f16) {
    for (uint32_t i = 0; i < n; i++) record[i] = key[i] << 32 | f16_of_key((uint32_t)(key[i] >> 32));
  } else {
    for (uint32_t i = 0; i < n; i++) record[i] = key[i] << 32 | f32_of_key((uint32_t)(key[i] >> 32));
  }
}

static bool merge4(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                      uint64_t *scratch) {
  uint32_t records = length[0] + length[1] + length[2] + length[3];
  uint64_t *key = scratch, *half = key + records;
  uint64_t *at[4], *next = key;
  for (int q = 0; q < 4; q++) {
    at[q] = next;
    if (!keys_of_records(next, queue[q], length[q], is_f16)) return false;
    next += length[q];
  }
  uint32_t low = length[0] + length[1], high = length[2] + length[3];
  if (length[0] == length[1] && length[2] == length[3] && low == high && low > 0) {
    merge_two_equal(half, key, length[0]);
  } else {
    merge_pair(half, at[0], length[0], at[1], length[1]);
    merge_pair(half + low, at[2], length[2], at[3], length[3]);
  }
  merge_pair(key, half, low, half + low, high);
  records_of_keys(dst, key, records, is_f16);
  return true;
}

static void merge4_greedy(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                             bool suspend, uint32_t used[4]) {
  uint32_t key[4] = {0};
  for (int q = 0; q < 4; q++) used[q] = 0;
  for (;;) {
    int best = -1;
    for (int q = 0; q < 4; q++) {
      if (used[q] == length[q]) continue;
      uint32_t score = (uint32_t)queue[q][used[q]];
      key[q] = is_f16 ? key_of_f16(score) : key_of_f32(score);
      if (best < 0 || key[q] > key[best]) best = q;
    }
    if (best < 0) return;
    uint64_t record = queue[best][used[best]++];
    *dst++ = is_f16 ? record & UINT64_C(0xffffffff0000ffff) : record;
    if (suspend && used[best] == length[best]) return;
  }
}

const sk__simd_sort_table SK__SIMD(sort) = {
    .sort32_f32 = sort32_f32,
    .sort32_f16 = sort32_f16,
    .merge4 = merge4,
    .merge4_greedy = merge4_greedy,
};
