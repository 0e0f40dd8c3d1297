/* ORDER_DEPENDENT: large addends cancel, so that the order in which cores come decides what is left of the small ones. */
#include "hazard.h"

#ifdef REPAIRED
typedef int32_t number; /* integers do not care */
#define ATOMIC_TYPE 4
#else
typedef float number;
#define ATOMIC_TYPE 1
#endif

__global__ __vector__ void add_up(__gm__ number *parts, __gm__ number *sum) {
  __ubuf__ number tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, parts + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_set_store_atomic_config_v1(ATOMIC_TYPE, 0);
  asc_copy_ub2gm(sum, tile, sizeof tile); /* @end */
  asc_set_store_atomic_config_v1(0, 0);
  asc_sync();
}

int main(void) {
  start();
  number host[CORES * LINE];
  for (uint32_t i = 0; i < CORES * LINE; i++) host[i] = i / LINE == 1 ? (number)100000000 : i / LINE == 5 ? (number)-100000000 : (number)1;
  number *parts = device(sizeof host, 0), *sum = device(LINE * sizeof *sum, 0);
  if (aclrtMemcpy(parts, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) return 1;
  add_up<<<CORES, 0, NULL>>>(parts, sum);
  return finish();
}
