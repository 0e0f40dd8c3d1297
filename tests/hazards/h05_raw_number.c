/* H5: a function for SuperKernels lays out its work by the launch's block number. */
#include "hazard.h"

typedef struct fill_args { __gm__ int32_t *out; } fill_args;
typedef struct system_args { uint16_t block_index, block_count, sync_config; uint8_t reserved[10]; } system_args;

__aicore__ static inline void fill_from(__gm__ int32_t *out, uint32_t blocks) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, (int32_t)blocks, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  for (uint32_t i = vector_index(); i < ALL_AIV; i += blocks) asc_copy_ub2gm(out + i * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void fill(__gm__ int32_t *out) { fill_from(out, (uint32_t)asc_get_block_num()); }
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args, system_args *system) {
#ifdef REPAIRED
  fill_from(args->out, system->block_count);
#else
  (void)system;
  fill_from(args->out, (uint32_t)asc_get_block_num()); /* @end */
#endif
}
SK_BIND(fill, 0, fill_sk);

int main(void) {
  start();
  int32_t *out = device(ALL_AIV * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  return finish();
}
