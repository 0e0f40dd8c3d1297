/* copy.c - the copies of bulk data, by what the CPU does best.
 *
 * A CPU with fast short string moves copies long ranges quickest by `rep movsb`, which reads ahead over pages and takes a
 * line that is written whole without reading it. Every other one is quickest with 32-byte registers, 128 bytes a turn, where
 * streams use non-temporal stores: these need a destination aligned to the register and a fence before another thread may
 * read. */
#include "machine/copy.h"

#include <stdint.h>
#include <string.h>

static void copy_plain(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static bool always(void) { return true; }

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

enum { TURN_BYTES = 128, SMALL_BYTES = 512, STRING_BYTES = 4096, FAST_SHORT_MOVES = 1u << 4 /* of edx, leaf 7 */ };

static void string_move(void *to, const void *from, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static bool has_fast_string_moves(void) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & FAST_SHORT_MOVES) != 0;
}

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

static void copy_near_string(void *to, const void *from, size_t bytes) {
  if (bytes < STRING_BYTES) copy_near_avx2(to, from, bytes);
  else string_move(to, from, bytes);
}

static void copy_stream_string(void *to, const void *from, size_t bytes) {
  if (bytes < STRING_BYTES) copy_stream_avx2(to, from, bytes);
  else string_move(to, from, bytes);
}

static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }
static bool has_string(void) { return has_avx2() && has_fast_string_moves(); }
#endif

const sk__copy_kind sk__copy_kinds[] = {
#if defined(__x86_64__)
  {"string", has_string, copy_near_string, copy_stream_string},
  {"avx2", has_avx2, copy_near_avx2, copy_stream_avx2},
#endif
  {"plain", always, copy_plain, copy_plain},
  {0},
};

const sk__copy_kind *sk__copy_here(void) {
  const sk__copy_kind *kind = sk__copy_kinds;
  while (!kind->runs_here()) kind++;
  return kind;
}
