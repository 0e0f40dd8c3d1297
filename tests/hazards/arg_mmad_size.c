/* BAD_ARGUMENT: a matrix product larger than the fields of the instruction. */
#include "hazard.h"

#ifdef REPAIRED
#define M 16
#else
#define M 4096
#endif

__global__ __cube__ void product(__gm__ half *in, __gm__ float *out) {
  __cbuf__ half l1[256];
  __ca__ half a[256];
  __cb__ half b[256];
  __cc__ float c[256];
  asc_init();
  asc_copy_gm2l1(l1, in, sizeof l1);
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a, l1, 0, 1, 1, 0);
  asc_copy_l12l0b(b, l1, 0, 1, 1, 0);
  PIPES(PIPE_MTE1, PIPE_M);
  asc_mmad(c, a, b, M, 16, 16, 0, false, false, true); /* @end */ /* @alone: C stays unwritten, and is read */
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * 256, c, 16, 16, 16, 16, 0, 0, 0, false, true);
  asc_sync();
}

int main(void) {
  start();
  half *in = device(512, 0);
  float *out = device(CORES * 1024, 0);
  product<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
