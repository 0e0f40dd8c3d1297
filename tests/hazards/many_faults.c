/* SYNC_GM: cores race by plain stores and copies in loops that compilers unroll, merge and widen, in helper functions that
 * are inlined twice, and in branches that look alike. @with SYNC_LOCAL @with H11 @with H12 @with H13 @with SAME_PIPE */
#include "hazard.h"

#define WORDS 64u

__aicore__ static inline void put(__gm__ int32_t *to, int32_t value) {
  to[0] = value;
  to[1] = value + 1;
  to[2] = value + 2, to[3] = value + 3;
}

__aicore__ static int32_t sum(const __gm__ int32_t *from) {
  int32_t all = 0;
  for (uint32_t i = 0; i < WORDS; i++) all += from[i];
  return all;
}

__global__ __vector__ void faults(__gm__ int32_t *out, __gm__ int32_t *words) {
  __ubuf__ int32_t tile[2 * TILE];
  asc_init();
#ifdef REPAIRED
  uint32_t mine = vector_index();
#else
  uint32_t mine = 0;
#endif
  __gm__ int32_t *here = out + mine * 2 * TILE, *there = words + mine * 2 * WORDS;
  put(there, 1);
  put(there + 16, 2);
  for (uint32_t i = 4; i < 16; i++) there[i] = (int32_t)i;
  for (uint32_t i = 20; i < WORDS; i++) there[i] = (int32_t)i;
  if (there[7] == 7)
    there[WORDS] = 1;
  else
    there[WORDS] = 2;
  there[WORDS + 1] = sum(there);
  asc_dcci_entire_out();
  asc_sync_data_barrier(DSB_ALL);
  asc_duplicate(tile, 1, TILE);
#ifdef REPAIRED
  PIPES(PIPE_V, PIPE_MTE3);
#endif
  if (vector_index() % 2 == 0)
    asc_copy_ub2gm(here, tile, TILE * 4); /* @end */
  else
    asc_copy_ub2gm(here, tile, TILE * 4);
  asc_copy_ub2gm(
      here + TILE,
      tile,
      TILE * 2);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * 2 * TILE * 4, 0), *words = device(CORES * 2 * WORDS * 4, 0);
  faults<<<CORES, 0, NULL>>>(out, words);
  return finish();
}
