/* GM_OUT_OF_BOUNDS: a plain store goes to the heap of the host program, where besides its data the records of the checks are. */
#include <stdlib.h>

#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  asc_init();
  for (uint32_t i = 0; i < LINE; i++) out[vector_index() * LINE + i] = (int32_t)i; /* @end */
  asc_dcci_single(out + vector_index() * LINE);
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * sizeof(int32_t), 0), *heap = malloc(CORES * LINE * sizeof(int32_t));
#ifdef REPAIRED
  fill<<<CORES, 0, NULL>>>(out);
#else
  (void)out;
  fill<<<CORES, 0, NULL>>>(heap);
#endif
  int code = finish();
  free(heap);
  return code;
}
