/* LOCAL_OUT_OF_BOUNDS: a load of more fractals than L0A holds. */
#include "hazard.h"

#define SIDE 16u
#define FRACTAL (SIDE * SIDE)
#ifdef REPAIRED
#define REPEAT 1
#else
#define REPEAT 129 /* 64 KiB are 128 fractals */
#endif

__global__ __cube__ void load(__gm__ half *in, __gm__ half *out) {
  __cbuf__ half l1[130 * FRACTAL];
  __ca__ half a[FRACTAL];
  asc_init();
  asc_copy_gm2l1(l1, in, sizeof l1);
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a, l1, 0, REPEAT, 1, 0); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_l12gm(out + asc_get_block_idx() * FRACTAL, l1, FRACTAL * 2);
  asc_sync();
}

int main(void) {
  start();
  half *in = device(130 * FRACTAL * 2, 1), *out = device(CORES * FRACTAL * 2, 0);
  load<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
