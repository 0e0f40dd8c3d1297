/* forward.h - what an API header does: forwards inline, so that the call lies in the user's code. */
#ifndef SK_TESTS_CHECK_FORWARD_H
#define SK_TESTS_CHECK_FORWARD_H

const void *library_call(void);

static inline __attribute__((always_inline)) const void *api_inner(void) {
  return library_call();
}
static inline __attribute__((always_inline)) const void *api_outer(void) {
  return api_inner();
}

#endif
