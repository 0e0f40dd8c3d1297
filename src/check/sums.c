/* sums.c - float sums in device memory whose order nobody fixes: which call sites make them, and how large they are. */
#include "check/checker.h"

static sk__sum *find(sk__checker *checker, const void *site, const char *instr) {
  for (uint32_t i = 0; i < checker->sum_count; i++)
    if (checker->sums[i].site == site && checker->sums[i].instr == instr) return &checker->sums[i];
  return NULL;
}

/* Beyond SK__SUMS call sites nothing is known of the others: their differences count like any. */
void sk__sum_note(sk__checker *checker, const void *site, const char *instr, sk__sum_kind kind, float largest) {
  sk__sum *sum = find(checker, site, instr);
  if (sum == NULL) {
    if (checker->sum_count == SK__SUMS) return;
    sum = &checker->sums[checker->sum_count++];
    *sum = (sk__sum){site, instr, kind, 0, 0.0f};
  }
  sum->kind = kind;
  sum->adds++;
  if (largest > sum->largest) sum->largest = largest;
}

void sk__sums_clear(sk__checker *checker) { checker->sum_count = 0; }
bool sk__sums_any(const sk__checker *checker) { return checker->sum_count > 0; }

bool sk__sum_at(sk__checker *checker, uint64_t address, sk__sum_kind *kind, uint64_t *adds, float *largest, sk__end *end) {
  if (!sk__shadow_gm_last_writer(checker, address, end) || strcmp(end->role, "atomic") != 0) return false;
  const sk__sum *sum = find(checker, end->site, end->instr);
  if (sum == NULL) return false;
  *kind = sum->kind;
  *adds = sum->adds;
  *largest = sum->largest;
  return true;
}
