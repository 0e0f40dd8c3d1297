/* ORDER_DEPENDENT: every core adds to one sum of floats, in the order in which they come. */
#include "hazard.h"

#define PARTS (CORES * LINE)

/* Parts that are multiples of 1/8 below 8 sum up exactly in any order; thirds do not. */
#ifdef REPAIRED
#define PART(i) ((float)((i) % 61 + 1) / 8.0f)
#else
#define PART(i) ((float)((i) % 61 + 1) / 3.0f)
#endif

__global__ __vector__ void add_up(__gm__ float *parts, __gm__ float *sum) {
  __ubuf__ float tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, parts + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_set_store_atomic_config_v1(1, 0);
  asc_copy_ub2gm(sum, tile, sizeof tile); /* @end */
  asc_set_store_atomic_config_v1(0, 0);
  asc_sync();
}

int main(void) {
  start();
  float host[PARTS];
  for (uint32_t i = 0; i < PARTS; i++) host[i] = PART(i * 7919u);
  float *parts = device(sizeof host, 0), *sum = device(LINE * 4, 0);
  if (aclrtMemcpy(parts, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) return 1;
  add_up<<<CORES, 0, NULL>>>(parts, sum);
  return finish();
}
