/* micro.c - kernels of very few instructions, to time one of them.
 *
 *   micro launch|barrier|small|load|store COUNT     COUNT launches, barriers, instructions or accesses */
#include "c_api/asc_simd.h"
#include "device.h"

#define TILES 32u
#define TILE_FLOATS 64u   /* 256 bytes: one repeat */
#define WORDS 1024u       /* 4 KiB of device memory: 64 lines, all of them hits after the first round */

__global__ __vector__ void empty(uint32_t unused) { (void)unused; }

/* All 72 cores. */
__global__ __mix__(1, 2) void barriers(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) sk_sync_all_mix();
}

__global__ __vector__ void small_adds(uint32_t count) {
  __ubuf__ float a[TILES * TILE_FLOATS], b[TILES * TILE_FLOATS], c[TILES * TILE_FLOATS];
  asc_init();
  asc_duplicate(a, 1.0f, TILES * TILE_FLOATS);
  asc_duplicate(b, 2.0f, TILES * TILE_FLOATS);
  asc_sync_pipe(PIPE_V);
  for (uint32_t i = 0; i < count; i += TILES) {
    for (uint32_t tile = 0; tile < TILES; tile++)
      asc_add(c + tile * TILE_FLOATS, a + tile * TILE_FLOATS, b + tile * TILE_FLOATS, TILE_FLOATS);
    asc_sync_pipe(PIPE_V);
  }
}

__global__ __vector__ void loads(__gm__ uint32_t *words, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += words[i % WORDS];
  words[0] = sum;
}

__global__ __vector__ void stores(__gm__ uint32_t *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) words[i % WORDS] = i;
}

typedef struct job { const char *name; uint32_t count; uint32_t *words; aclrtStream stream; } job;

static void launch_each(const job *j) {
  for (uint32_t i = 0; i < j->count; i++) {
    empty<<<48, 0, j->stream>>>(0);
    device_check(aclrtSynchronizeStream(j->stream), "empty");
  }
}

static void run(void *context) {
  const job *j = context;
  if (strcmp(j->name, "launch") == 0) launch_each(j);
  else if (strcmp(j->name, "barrier") == 0) barriers<<<24, 0, j->stream>>>(j->count);
  else if (strcmp(j->name, "small") == 0) small_adds<<<1, 0, j->stream>>>(j->count);
  else if (strcmp(j->name, "load") == 0) loads<<<1, 0, j->stream>>>(j->words, j->count);
  else if (strcmp(j->name, "store") == 0) stores<<<1, 0, j->stream>>>(j->words, j->count);
  else contender_stop("micro", "usage: micro launch|barrier|small|load|store COUNT");
  device_check(aclrtSynchronizeStream(j->stream), j->name);
}

int main(int argc, char **argv) {
  static const uint32_t zero[WORDS];
  job j = {.name = argc > 1 ? argv[1] : "", .count = contender_number("micro", argc > 2 ? argv[2] : NULL, 1u << 30)};
  j.stream = device_open();
  j.words = device_upload(zero, sizeof zero);
  return contender_serve(run, &j);
}
