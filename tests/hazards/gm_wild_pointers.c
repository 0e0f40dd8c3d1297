/* SYNC_GM: cores write one line, behind a kernel that stored through addresses far from every allocation: the tables
 * that the checks keep have survived it. */
#include "hazard.h"

__global__ __vector__ void scatter(__gm__ int32_t *out, int32_t times) {
  uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (vector_index() + 1u);
  asc_init();
  for (int32_t i = 0; i < times; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    uint64_t far = (UINT64_C(1) << 24) + (random >> 28) % (UINT64_C(1) << 27); /* up to 144 MiB behind */
    *(__gm__ int32_t *)((uint64_t)out + far / 4 * 4) = i;
  }
  asc_sync();
}

__global__ __vector__ void race(__gm__ int32_t *out, uint32_t lines) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() % lines * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
#ifdef REPAIRED
  scatter<<<CORES, 0, NULL>>>(out, 0);
  race<<<CORES, 0, NULL>>>(out, CORES);
#else
  scatter<<<CORES, 0, NULL>>>(out, 100);
  (void)aclrtSynchronizeDevice();
  race<<<CORES, 0, NULL>>>(out, 1);
#endif
  return finish();
}
