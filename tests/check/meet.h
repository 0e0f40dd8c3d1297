/* meet.h - a barrier over some cores, as the machine plays it. */
#ifndef SK_TESTS_CHECK_MEET_H
#define SK_TESTS_CHECK_MEET_H

#include "check/check.h"

static inline void cores_meet_in(sk__checker *checker, sk__meeting *meeting, sk__order *const *orders, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) sk__meeting_arrive(checker, meeting, orders[i], n);
  sk__meeting_complete(meeting);
  for (uint32_t i = 0; i < n; i++) sk__meeting_depart(meeting, orders[i]);
}

/* The only one of its launch. */
static inline void cores_meet(sk__checker *checker, sk__order *const *orders, uint32_t n) {
  sk__meeting meeting = {0};
  cores_meet_in(checker, &meeting, orders, n);
  sk__meeting_end(&meeting);
}

#endif
