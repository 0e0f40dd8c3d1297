/* neighbour.c - an operator that uses the whole local memory of every core and leaves nothing behind.
 *
 * Beside it an operator shows what it leaves unfinished: pipes that still work when it returns, and local memory it
 * takes for its own without having written it. It touches no device memory, so results stay what they are. */
#include "verify/run.h"

/* All of a local memory: arrives, is computed on, leaves; each step done before the next. Its name tells who does it:
 * no line of a program does. */
static void use_all_of(sk__mem mem, sk__pipe compute, sk__pipe leave) {
  const void *const site = NULL;
  sk__core *core = sk__enter(SK__PIPE_MTE2, "neighbour: load", site);
  uint64_t bytes = sk__mem_bytes(sk__machine_soc(core->machine), core->type, mem);
  const void *all = sk__local_operand(core, mem, NULL, bytes, 32, "all");
  if (all == NULL) return;
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, all, bytes);
  sk__pipe_barrier(sk__enter_unordered("neighbour: barrier", site), SK__PIPE_ALL);
  sk__local_access(sk__enter(compute, "neighbour: compute", site), compute, SK__READ, all, bytes);
  sk__pipe_barrier(sk__enter_unordered("neighbour: barrier", site), SK__PIPE_ALL);
  sk__local_access(sk__enter(leave, "neighbour: store", site), leave, SK__READ, all, bytes);
  sk__pipe_barrier(sk__enter_unordered("neighbour: barrier", site), SK__PIPE_ALL);
}

static void vector_half(const void *args) {
  (void)args;
  use_all_of(SK__MEM_UB, SK__PIPE_V, SK__PIPE_MTE3);
}

static void cube_half(const void *args) {
  (void)args;
  use_all_of(SK__MEM_L1, SK__PIPE_MTE1, SK__PIPE_MTE3);
}

#define NEIGHBOUR(variable, kernel_type, cube, vector)                                                          \
  static const sk_kernel variable = {.abi = SK_KERNEL_ABI, .type = kernel_type, .name = "known_good_neighbour", \
                                     .file = "neighbour", .line = 1, .aic = cube, .aiv = vector}
NEIGHBOUR(vector_neighbour, SK_AIV_ONLY, NULL, vector_half);
NEIGHBOUR(cube_neighbour, SK_AIC_ONLY, cube_half, NULL);
NEIGHBOUR(mix_neighbour, SK_MIX_AIC_1_2, cube_half, vector_half);

sk__neighbour sk__neighbour_of(sk__runtime *runtime, const sk_kernel *kernel) {
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(runtime));
  if (kernel->type == SK_AIV_ONLY || kernel->type == SK_MIX_AIV_1_0) return (sk__neighbour){&vector_neighbour, soc->aiv_count};
  if (kernel->type == SK_AIC_ONLY || kernel->type == SK_MIX_AIC_1_0) return (sk__neighbour){&cube_neighbour, soc->aic_count};
  return (sk__neighbour){&mix_neighbour, soc->aic_count};
}
