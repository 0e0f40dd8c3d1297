/* order_sums.h - results of float sums in device memory that differ from run to run only because their order is nobody's:
 * reported with the results seen (ORDER_DEPENDENT), not as a failure. Private to the verify floor.
 *
 * Two orders of n additions lie at most 2 n u P apart, with u half a unit in the last place of 1 and P the largest
 * magnitude of a partial sum. n and P are taken per call site and so, if anything, too large. */
#ifndef SK_VERIFY_ORDER_SUMS_H
#define SK_VERIFY_ORDER_SUMS_H

#include "verify/verify.h"

enum { SK__ORDER_SUMS = 32, SK__ORDER_RESULTS = 8 };
/* One buffer: the first element that was seen to differ, and its results. */
typedef struct sk__order_sum {
  uint64_t buffer, address, differing;
  sk__dtype dtype;
  char name[96];
  double results[SK__ORDER_RESULTS];
  uint32_t result_count;
  bool more;                    /* results beyond these were seen */
  sk__end end;                  /* who adds */
} sk__order_sum;
typedef struct sk__order_sums {
  sk__order_sum items[SK__ORDER_SUMS];
  size_t count;
} sk__order_sums;

/* Elements of `other`, memory at `address` as a run has just left it, that differ from the reference within the bound of
 * their sums are replaced by the reference's. True if that was so for any. `name`, `buffer`: the buffer they are in. */
bool sk__order_sums_excuse(sk__order_sums *sums, sk__checker *checker, uint64_t buffer, const char *name, uint64_t address,
                           const uint8_t *reference, uint8_t *other, uint64_t bytes);
/* Takes the results that the tracked elements have in memory now. */
void sk__order_sums_look(sk__order_sums *sums);
void sk__order_sums_report(const sk__order_sums *sums, sk__checker *checker);

#endif
