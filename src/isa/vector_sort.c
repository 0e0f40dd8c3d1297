/* vector_sort.c - asc_bitsort (sort of 32) and asc_mrgsort4 (merge of up to four queues). */
#include <string.h>

#include "base/numbers.h"
#include "c_api/asc_vector_other.h"
#include "isa/simd/sort_kernels.h"
#include "isa/vector_other.h"

SK__SIMD_BIND(sort)

#define GROUP 32u               /* records one repeat of asc_bitsort makes */
#define RECORD_BYTES 8u
#define LONGEST_QUEUE 4095u

/* ---- sort of 32 ------------------------------------------------------------------------------ */

static void bitsort(sk__core *core, void *dst, const void *score, const uint32_t *index, int32_t repeat, bool is_f16) {
  if (repeat == 0) return;
  if (repeat < 0 || repeat > 255) {
    sk__bad_argument(core, "repeat", repeat, "0..255");
    return;
  }
  uint64_t elems = (uint64_t)repeat * GROUP, score_bytes = elems * (is_f16 ? 2 : 4);
  void *d = sk__ub_operand(core, dst, elems * RECORD_BYTES, SK__BLOCK_BYTES, "dst");
  const void *s = d == NULL ? NULL : sk__ub_operand(core, score, score_bytes, SK__BLOCK_BYTES, "src0");
  const void *i = s == NULL ? NULL : sk__ub_operand(core, index, elems * 4, SK__BLOCK_BYTES, "src1");
  if (i == NULL || sk__overlap_found(core, d, elems * RECORD_BYTES, s, score_bytes, "src0") ||
      sk__overlap_found(core, d, elems * RECORD_BYTES, i, elems * 4, "src1"))
    return;
  sk__local_access(core, SK__PIPE_V, SK__READ, s, score_bytes);
  sk__local_access(core, SK__PIPE_V, SK__READ, i, elems * 4);
  sk__local_access(core, SK__PIPE_V, SK__WRITE, d, elems * RECORD_BYTES);
  if (is_f16) sk__simd_sort->sort32_f16(d, s, i, (uint32_t)repeat);
  else sk__simd_sort->sort32_f32(d, s, i, (uint32_t)repeat);
  sk__vector_time(core, SK__RATE_SORT, 4, elems);
}

SK__OWN_FORM(bitsort, f16, (half *dst, const half *src0, const uint32_t *src1, int32_t repeat), dst, src0, src1, repeat, true)
SK__OWN_FORM(bitsort, f32, (float *dst, const float *src0, const uint32_t *src1, int32_t repeat), dst, src0, src1, repeat, false)

/* ---- merge ----------------------------------------------------------------------------------- */

typedef struct merge {
  const uint64_t *queue[4];
  uint32_t length[4];  /* 0 where the queue is not valid */
  uint32_t records;    /* of one repeat */
  uint32_t repeat;
  bool suspend, is_f16;
} merge;

/* Arguments that are wrong by themselves. */
static bool merge_arguments_ok(sk__core *core, const merge *m, uint32_t valid_bit, const uint16_t length[4]) {
  if (valid_bit != 3 && valid_bit != 7 && valid_bit != 15) {
    sk__bad_argument(core, "valid_bit", (int64_t)valid_bit, "3, 7 or 15");
    return false;
  }
  static const char *const names[4] = {"element_length_0", "element_length_1", "element_length_2", "element_length_3"};
  for (uint32_t q = 0; q < 4; q++) {
    if (m->length[q] <= LONGEST_QUEUE) continue;
    sk__bad_argument(core, names[q], m->length[q], "0..%u", LONGEST_QUEUE);
    return false;
  }
  if (m->repeat <= 1) return true;
  if (valid_bit != 15 || m->suspend) {
    sk__bad_argument(core, valid_bit != 15 ? "valid_bit" : "if_exhausted_suspension",
                     valid_bit != 15 ? (int64_t)valid_bit : 1, valid_bit != 15 ? "15 when repeat > 1" : "false when repeat > 1");
    return false;
  }
  for (uint32_t q = 1; q < 4; q++) {
    if (length[q] == length[0] && (uint64_t)m->queue[q] == (uint64_t)m->queue[0] + (uint64_t)q * length[0] * RECORD_BYTES)
      continue;
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "merge with one repeat per call",
                      "repeat is %u, and then the four queues must be equally long and follow each other; queue %u does not",
                      m->repeat, q);
    return false;
  }
  return true;
}

static bool merge_resolve(sk__core *core, merge *m) {
  static const char *const names[4] = {"src[0]", "src[1]", "src[2]", "src[3]"};
  uint64_t step = (uint64_t)(m->repeat - 1) * m->records * RECORD_BYTES;
  for (uint32_t q = 0; q < 4; q++) {
    if (m->length[q] == 0) continue;
    m->queue[q] = sk__ub_operand(core, m->queue[q], step + m->length[q] * RECORD_BYTES, SK__BLOCK_BYTES, names[q]);
    if (m->queue[q] == NULL) return false;
  }
  return true;
}

/* Neighbours that are out of order as numbers: NaNs and zeros of either sign are no offence. */
static bool ascends(uint64_t record, uint64_t next, bool is_f16) {
  uint32_t bits[2] = {(uint32_t)record, (uint32_t)next};
  float value[2];
  for (uint32_t i = 0; i < 2; i++) {
    if (is_f16) value[i] = sk__f32_from_f16((uint16_t)bits[i]);
    else memcpy(&value[i], &bits[i], sizeof value[i]);
  }
  return value[0] < value[1];
}
SK__COLD static void report_unsorted(sk__core *core, const merge *m) {
  for (uint32_t q = 0; q < 4; q++) {
    for (uint32_t i = 1; i < m->length[q]; i++) {
      if (!ascends(m->queue[q][i - 1], m->queue[q][i], m->is_f16)) continue;
      sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__WARNING, "sort the queue before merging it",
                        "queue %u is not in descending order: its record %u is greater than the one before", q, i);
      return;
    }
  }
}

/* One merge into dst (written last). Returns the records written; used[] = records taken. */
static uint32_t merge_once(sk__core *core, const merge *m, void *dst, uint32_t used[4]) {
  if (!m->suspend && sk__simd_sort->merge4(dst, m->queue, m->length, m->is_f16, core->scratch)) {
    memcpy(used, m->length, sizeof m->length);
    return m->records;
  }
  if (!m->suspend) report_unsorted(core, m);
  sk__simd_sort->merge4_greedy(core->scratch, m->queue, m->length, m->is_f16, m->suspend, used);
  uint32_t records = used[0] + used[1] + used[2] + used[3];
  memcpy(dst, core->scratch, (uint64_t)records * RECORD_BYTES);
  return records;
}

/* What one merge will take when it stops at the first empty queue. */
static void suspended_use(sk__core *core, const merge *m, uint32_t valid_queues, uint32_t used[4]) {
  memset(used, 0, 4 * sizeof used[0]);
  for (uint32_t q = 0; q < valid_queues; q++)
    if (m->length[q] == 0) return; /* empty from the start: nothing is merged */
  sk__simd_sort->merge4_greedy(core->scratch, m->queue, m->length, m->is_f16, true, used);
}

static void merge_run(sk__core *core, merge *m, void *dst, uint32_t valid_queues) {
  uint32_t used[4];
  memcpy(used, m->length, sizeof used);
  if (m->suspend) suspended_use(core, m, valid_queues, used);
  uint64_t records = (uint64_t)(used[0] + used[1] + used[2] + used[3]) * m->repeat;
  for (uint32_t q = 0; q < 4; q++) core->merge_counts[q] = (uint16_t)used[q];
  if (records == 0) return;
  uint8_t *d = sk__ub_operand(core, dst, records * RECORD_BYTES, SK__BLOCK_BYTES, "dst");
  if (d == NULL) return;
  uint64_t step = (uint64_t)(m->repeat - 1) * m->records * RECORD_BYTES;
  static const char *const names[4] = {"src[0]", "src[1]", "src[2]", "src[3]"};
  for (uint32_t q = 0; q < 4; q++) {
    uint64_t bytes = m->length[q] == 0 ? 0 : step + m->length[q] * RECORD_BYTES;
    if (sk__overlap_found(core, d, records * RECORD_BYTES, m->queue[q], bytes, names[q])) return;
  }
  if (core->checks) {
    for (uint32_t q = 0; q < 4; q++) {
      uint32_t seen = used[q] + (used[q] < m->length[q]); /* a head that lost was looked at */
      if (seen != 0 && m->repeat == 1) sk__local_access(core, SK__PIPE_V, SK__READ, m->queue[q], seen * RECORD_BYTES);
    }
    if (m->repeat > 1) sk__local_access(core, SK__PIPE_V, SK__READ, m->queue[0], records * RECORD_BYTES);
    sk__local_access(core, SK__PIPE_V, SK__WRITE, d, records * RECORD_BYTES);
  }
  for (uint32_t r = 0; r < m->repeat; r++) {
    d += (uint64_t)merge_once(core, m, d, used) * RECORD_BYTES;
    for (uint32_t q = 0; q < 4; q++) m->queue[q] += m->length[q] != 0 ? m->records : 0;
  }
  sk__vector_time(core, SK__RATE_SORT, 4, records);
}

static void mrgsort4(sk__core *core, void *dst, const void *const *src, bool is_f16, SK_ARGS_MRGSORT) {
  if (repeat == 0) return;
  const uint16_t length[4] = {element_length_0, element_length_1, element_length_2, element_length_3};
  merge m = {.repeat = repeat, .suspend = if_exhausted_suspension, .is_f16 = is_f16};
  uint32_t valid_queues = (uint32_t)__builtin_popcount(valid_bit);
  for (uint32_t q = 0; q < 4; q++) {
    if ((valid_bit >> q & 1) == 0) continue;
    m.queue[q] = src[q];
    m.length[q] = length[q];
    m.records += length[q];
  }
  if (merge_arguments_ok(core, &m, valid_bit, length) && merge_resolve(core, &m)) merge_run(core, &m, dst, valid_queues);
}

#define PASS_MRGSORT \
  repeat, element_length_0, element_length_1, element_length_2, element_length_3, if_exhausted_suspension, valid_bit
SK__OWN_FORM(mrgsort4, f16, (half *dst, const void *const *src, SK_ARGS_MRGSORT), dst, src, true, PASS_MRGSORT)
SK__OWN_FORM(mrgsort4, f32, (float *dst, const void *const *src, SK_ARGS_MRGSORT), dst, src, false, PASS_MRGSORT)

void asc_get_vms4_sr(uint16_t sorted_num[4]) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_get_vms4_sr", SK__SITE());
  if (core == NULL) return;
  memcpy(sorted_num, core->merge_counts, sizeof core->merge_counts);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.scalar_cycles);
}
