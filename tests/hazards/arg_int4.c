/* BAD_ARGUMENT: an odd count of four-bit elements, which come in pairs. */
#include "hazard.h"

#ifdef REPAIRED
#define COUNT TILE
#else
#define COUNT (TILE - 1)
#endif

__global__ __vector__ void narrow(__gm__ uint8_t *out) {
  __ubuf__ half wide[TILE];
  __ubuf__ int4b_t narrowed[TILE / 2];
  asc_init();
  asc_duplicate(wide, 3.0f, TILE);
  asc_duplicate((__ubuf__ half *)narrowed, 0.0f, TILE / 4);
  asc_sync_pipe(PIPE_V);
  asc_half2int4(narrowed, wide, COUNT); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * (TILE / 2), narrowed, TILE / 2);
  asc_sync();
}

int main(void) {
  start();
  uint8_t *out = device(CORES * TILE / 2, 0);
  narrow<<<CORES, 0, NULL>>>(out);
  return finish();
}
