/* H13: two cores write different words of one cache line by scalar stores. */
#include "hazard.h"

#ifdef REPAIRED
#define APART LINE
#else
#define APART 1u
#endif

__global__ __vector__ void count(__gm__ int32_t *out) {
  asc_init();
  out[vector_index() * APART] = (int32_t)vector_index() + 1; /* @end */
  asc_dcci_single(out + vector_index() * APART);
  asc_sync_data_barrier(DSB_ALL);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  count<<<CORES, 0, NULL>>>(out);
  return finish();
}
