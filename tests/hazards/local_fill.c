/* LOCAL_OUT_OF_BOUNDS: a fill whose repeats and gaps pass the end of L0A. */
#include "hazard.h"

#define FRACTAL 256u

__global__ __cube__ void clear(__gm__ half *in, __gm__ half *out) {
  __cbuf__ half l1[FRACTAL];
  __ca__ half a[FRACTAL];
  asc_init();
  asc_copy_gm2l1(l1, in, sizeof l1);
  asc_fill_value_config fill = {0};
  fill.blk_num = 1;
#ifdef REPAIRED
  fill.repeat = 1;
#else
  fill.repeat = 65;
  fill.dst_gap = 1; /* 129 fractals in all; 64 KiB are 128 */
#endif
  asc_fill_l0a(a, 0.0f, fill); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_l12gm(out + asc_get_block_idx() * FRACTAL, l1, sizeof l1);
  asc_sync();
}

int main(void) {
  start();
  half *in = device(FRACTAL * 2, 1), *out = device(CORES * FRACTAL * 2, 0);
  clear<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
