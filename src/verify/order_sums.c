/* order_sums.c - see order_sums.h. */
#include "verify/order_sums.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"

static double value_of(sk__dtype dtype, const void *at) {
  float single;
  uint16_t half;
  if (dtype == SK__DTYPE_F32) {
    memcpy(&single, at, sizeof single);
    return (double)single;
  }
  memcpy(&half, at, sizeof half);
  return (double)(dtype == SK__DTYPE_F16 ? sk__f32_from_f16(half) : sk__f32_from_bf16(half));
}

static double unit_of(sk__dtype dtype) { return dtype == SK__DTYPE_F32 ? 0x1p-24 : dtype == SK__DTYPE_F16 ? 0x1p-11 : 0x1p-8; }

static void add_result(sk__order_sum *sum, double result) {
  for (uint32_t i = 0; i < sum->result_count; i++)
    if (memcmp(&sum->results[i], &result, sizeof result) == 0) return;
  if (sum->result_count < SK__ORDER_RESULTS) sum->results[sum->result_count++] = result;
  else sum->more = true;
}

static sk__order_sum *sum_of(sk__order_sums *sums, uint64_t buffer) {
  for (size_t i = 0; i < sums->count; i++)
    if (sums->items[i].buffer == buffer) return &sums->items[i];
  if (sums->count == SK__ORDER_SUMS) return NULL;
  sk__order_sum *sum = &sums->items[sums->count++];
  *sum = (sk__order_sum){.buffer = buffer};
  return sum;
}

/* The element under the byte, by the type that is added: a buffer's declared type may be bytes. False: it is not whole. */
static bool element_under(sk__sum_kind kind, uint64_t address, uint64_t at, uint64_t bytes, sk__dtype *dtype, uint64_t *start) {
  *dtype = kind == SK__SUM_F32 ? SK__DTYPE_F32 : kind == SK__SUM_F16 ? SK__DTYPE_F16 : SK__DTYPE_BF16;
  uint32_t size = sk__dtype_bytes(*dtype);
  uint64_t low = (address + at) / size * size;
  *start = low - address;
  return low >= address && *start + size <= bytes;
}

static void track(sk__order_sums *sums, uint64_t buffer, const char *name, uint64_t address, sk__dtype dtype, double before, double now,
                  const sk__end *end) {
  sk__order_sum *sum = sum_of(sums, buffer);
  if (sum == NULL) return;
  sum->differing++;
  if (sum->result_count > 0) return;
  sum->address = address;
  sum->dtype = dtype;
  sum->end = *end;
  sk__text_copy(sum->name, sizeof sum->name, name);
  add_result(sum, before);
  add_result(sum, now);
}

bool sk__order_sums_excuse(sk__order_sums *sums, sk__checker *checker, uint64_t buffer, const char *name, uint64_t address,
                           const uint8_t *reference, uint8_t *other, uint64_t bytes) {
  bool any = false;
  for (uint64_t at = 0; at < bytes && sk__sums_any(checker); at++) {
    if (reference[at] == other[at]) continue;
    uint64_t adds = 0, start = 0;
    float largest = 0.0f;
    sk__sum_kind kind;
    sk__dtype dtype;
    sk__end end;
    if (!sk__sum_at(checker, address + at, &kind, &adds, &largest, &end) || !element_under(kind, address, at, bytes, &dtype, &start)) continue;
    double before = value_of(dtype, reference + start), now = value_of(dtype, other + start);
    if (!(fabs(before - now) <= 2.0 * (double)adds * unit_of(dtype) * (double)largest)) continue; /* NaN is no matter of order */
    memcpy(other + start, reference + start, sk__dtype_bytes(dtype));
    track(sums, buffer, name, address + start, dtype, before, now, &end);
    any = true;
  }
  return any;
}

void sk__order_sums_look(sk__order_sums *sums) {
  for (size_t i = 0; i < sums->count; i++) {
    sk__order_sum *sum = &sums->items[i];
    add_result(sum, value_of(sum->dtype, (const void *)(uintptr_t)sum->address));
  }
}

void sk__order_sums_report(const sk__order_sums *sums, sk__checker *checker) {
  for (size_t i = 0; i < sums->count; i++) {
    const sk__order_sum *sum = &sums->items[i];
    sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__INFO, .end_count = 1, .count = sum->differing};
    sk__text_copy(finding.id, sizeof finding.id, "ORDER_DEPENDENT");
    finding.ends[0] = sum->end;
    finding.ends[0].role = "adds";
    sk__text text = sk__text_on(finding.message, sizeof finding.message);
    sk__text_add(&text, "%s: floats are added in device memory in the order in which cores come, and sums of another order differ in rounding. "
                        "Element %llu was", sum->name, (unsigned long long)((sum->address - sum->buffer) / sk__dtype_bytes(sum->dtype)));
    for (uint32_t k = 0; k < sum->result_count; k++) sk__text_add(&text, "%s %.9g", k == 0 ? "" : k + 1 == sum->result_count && !sum->more ? " or" : ",", sum->results[k]);
    if (sum->more) sk__text_add(&text, " or others");
    sk__text_copy(finding.remedy, sizeof finding.remedy,
                  "nothing where rounding does not matter; else add in a fixed order (one core after the other), or in integers");
    sk__report(checker, &finding);
  }
}
