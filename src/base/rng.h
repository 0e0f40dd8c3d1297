/* rng.h - seeded random numbers: the same seed gives the same sequence on every host. xoshiro256** by
 * Blackman and Vigna, seeded through splitmix64 as they advise. */
#ifndef SK_BASE_RNG_H
#define SK_BASE_RNG_H

#include <stdint.h>

typedef struct sk__rng {
  uint64_t state[4];
} sk__rng;

/* One step of splitmix64. On its own it is a good mixer of small integers into seeds: seed, then one
 * step per stream number, gives independent streams. */
static inline uint64_t sk__splitmix64(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static inline sk__rng sk__rng_from_seed(uint64_t seed) {
  sk__rng rng;
  for (int i = 0; i < 4; i++) rng.state[i] = sk__splitmix64(&seed);
  return rng;
}
static inline uint64_t sk__rotl64(uint64_t x, unsigned n) { return (x << n) | (x >> (64 - n)); }
static inline uint64_t sk__rng_next(sk__rng *rng) {
  uint64_t *s = rng->state;
  uint64_t result = sk__rotl64(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = sk__rotl64(s[3], 45);
  return result;
}
/* Uniform in 0 .. bound-1 without bias (Lemire's method); bound >= 1. */
static inline uint32_t sk__rng_below(sk__rng *rng, uint32_t bound) {
  uint64_t product = (sk__rng_next(rng) >> 32) * bound;
  if ((uint32_t)product < bound) {
    uint32_t threshold = (uint32_t)-bound % bound;
    while ((uint32_t)product < threshold) product = (sk__rng_next(rng) >> 32) * bound;
  }
  return (uint32_t)(product >> 32);
}
/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double sk__rng_unit(sk__rng *rng) { return (double)(sk__rng_next(rng) >> 11) * 0x1p-53; }

#endif
