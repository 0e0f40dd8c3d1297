/* copy.c - copies with 32-byte registers, 128 bytes a turn: faster than the C library's on bulk data.
 *
 * Streams use non-temporal stores, which need a destination aligned to the register and a fence before
 * another thread may read. */
#include "machine/copy.h"

#include <stdint.h>
#include <string.h>

void sk__copy_plain(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

#if defined(__x86_64__)
#include <immintrin.h>

enum { TURN_BYTES = 128, SMALL_BYTES = 512 };

__attribute__((target("avx2"))) static void copy_near_avx2(void *to, const void *from, size_t bytes) {
  uint8_t *out = to;
  const uint8_t *in = from;
  if (bytes >= SMALL_BYTES) {
    for (; bytes >= TURN_BYTES; bytes -= TURN_BYTES, in += TURN_BYTES, out += TURN_BYTES) {
      __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)in);
      __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(in + 32));
      __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(in + 64));
      __m256i d = _mm256_loadu_si256((const __m256i *)(const void *)(in + 96));
      _mm256_storeu_si256((__m256i *)(void *)out, a);
      _mm256_storeu_si256((__m256i *)(void *)(out + 32), b);
      _mm256_storeu_si256((__m256i *)(void *)(out + 64), c);
      _mm256_storeu_si256((__m256i *)(void *)(out + 96), d);
    }
  }
  memcpy(out, in, bytes);
}

__attribute__((target("avx2"))) static void copy_stream_avx2(void *to, const void *from, size_t bytes) {
  uint8_t *out = to;
  const uint8_t *in = from;
  size_t peel = (size_t)(-(uintptr_t)out & 63);
  if (bytes < SMALL_BYTES) {
    memcpy(out, in, bytes);
    return;
  }
  memcpy(out, in, peel);
  out += peel, in += peel, bytes -= peel;
  for (; bytes >= TURN_BYTES; bytes -= TURN_BYTES, in += TURN_BYTES, out += TURN_BYTES) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)in);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(in + 32));
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(in + 64));
    __m256i d = _mm256_loadu_si256((const __m256i *)(const void *)(in + 96));
    _mm256_stream_si256((__m256i *)(void *)out, a);
    _mm256_stream_si256((__m256i *)(void *)(out + 32), b);
    _mm256_stream_si256((__m256i *)(void *)(out + 64), c);
    _mm256_stream_si256((__m256i *)(void *)(out + 96), d);
  }
  memcpy(out, in, bytes);
  _mm_sfence();
}

sk__copy_fn sk__copy_near(void) { return __builtin_cpu_supports("avx2") ? copy_near_avx2 : sk__copy_plain; }
sk__copy_fn sk__copy_stream(void) { return __builtin_cpu_supports("avx2") ? copy_stream_avx2 : sk__copy_plain; }

#else

sk__copy_fn sk__copy_near(void) { return sk__copy_plain; }
sk__copy_fn sk__copy_stream(void) { return sk__copy_plain; }

#endif
