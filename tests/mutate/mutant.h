/* mutant.h - what instrumented kernels ask: whether a place is to behave otherwise in this run. */
#ifndef MUTANT_H
#define MUTANT_H

#ifdef __cplusplus
extern "C"
#endif
/* Whether the place is mutated; notes that it was reached. */
int sk_mutant_at(unsigned site);

#define SK_MUTANT_LEFT_OUT(site, ...) (sk_mutant_at(site) ? (void)0 : (void)(__VA_ARGS__))
#define SK_MUTANT_FURTHER(site, pointer, bytes) \
  ((__typeof__((pointer) + 0))((__UINTPTR_TYPE__)(pointer) + (sk_mutant_at(site) ? (__UINTPTR_TYPE__)(bytes) : 0)))
#define SK_MUTANT_MORE(site, value, more) ((__typeof__(value))((value) + (sk_mutant_at(site) ? (__typeof__(value))(more) : 0)))
#define SK_MUTANT_TIMES(site, value, factor) ((__typeof__(value))((value) * (sk_mutant_at(site) ? (__typeof__(value))(factor) : 1)))

#endif
