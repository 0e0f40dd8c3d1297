/* H28: the argument structure of a function for SuperKernels has no alignas(4) where the launch has four bytes. */
#include "hazard.h"

typedef struct fill_args {
  __gm__ int32_t *out;
#ifdef REPAIRED
  _Alignas(4) uint16_t tiles;
  _Alignas(4) int16_t value;
#else
  uint16_t tiles;
  int16_t value;
#endif
} fill_args;

__aicore__ static inline void fill(__gm__ int32_t *out, uint32_t tiles, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  for (uint32_t i = vector_index(); i < tiles; i += CORES) asc_copy_ub2gm(out + i * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void fill_tiles(__gm__ int32_t *out, uint16_t tiles, int16_t value) { fill(out, tiles, value); }
__sk__ __mix__(0, 1) void fill_tiles_sk(const fill_args *args) { fill(args->out, args->tiles, args->value); }
SK_BIND(fill_tiles, 0, fill_tiles_sk);

int main(void) {
  start();
  int32_t *out = device(2 * CORES * LINE * 4, 0);
  fill_tiles<<<CORES, 0, NULL>>>(out, 2 * CORES, 7);
  return finish();
}
