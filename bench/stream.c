/* stream.c - c = a + b in float through unified buffer, in double-buffered tiles; the simulated side of `stream`.
 *
 *   stream TILE_KIB ELEMENTS_MI [once]     tiles of 16, 32 or 64 KiB; "once": one run inside a scope, then end
 *
 * Tiles are dealt to the cores in runs. A tile and its result share a place in the buffer. */
#include "c_api/asc_simd.h"
#include "device.h"

#define POOL_FLOATS 32768u /* 128 KiB: two slots of two 32 KiB tiles, or one slot of two 64 KiB tiles */

__aicore__ static void load_tile(__ubuf__ float *to_a, __ubuf__ float *to_b, __gm__ float *a, __gm__ float *b,
                                 uint32_t bytes, uint32_t slot) {
  asc_sync_wait(PIPE_MTE3, PIPE_MTE2, slot); /* the slot's last result has left */
  asc_copy_gm2ub(to_a, a, bytes);
  asc_copy_gm2ub(to_b, b, bytes);
  asc_sync_notify(PIPE_MTE2, PIPE_V, slot);
}

__aicore__ static void add_tile(__ubuf__ float *a, __ubuf__ float *b, uint32_t count, uint32_t slot) {
  asc_sync_wait(PIPE_MTE2, PIPE_V, slot);
  asc_add(a, a, b, count);
  asc_sync_notify(PIPE_V, PIPE_MTE3, slot);
}

__aicore__ static void store_tile(__gm__ float *c, __ubuf__ float *from, uint32_t bytes, uint32_t slot) {
  asc_sync_wait(PIPE_V, PIPE_MTE3, slot);
  asc_copy_ub2gm(c, from, bytes);
  asc_sync_notify(PIPE_MTE3, PIPE_MTE2, slot);
}

__global__ __vector__ void stream_add(__gm__ float *a, __gm__ float *b, __gm__ float *c, uint32_t tiles, uint32_t tile_floats) {
  __ubuf__ float pool[POOL_FLOATS];
  asc_init();
  /* In a SuperKernel of 1:2 two vector cores share an AI core's index: the sub-block tells them apart. */
  uint32_t block = (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
  uint32_t blocks = (uint32_t)asc_get_block_num();
  uint32_t first = (uint32_t)((uint64_t)tiles * block / blocks), last = (uint32_t)((uint64_t)tiles * (block + 1) / blocks);
  uint32_t slots = POOL_FLOATS / (2 * tile_floats) < 2 ? 1 : 2, bytes = tile_floats * (uint32_t)sizeof(float);
  for (uint32_t slot = 0; slot < slots; slot++) asc_sync_notify(PIPE_MTE3, PIPE_MTE2, slot);
  for (uint32_t tile = first; tile < last; tile++) {
    uint32_t slot = tile % slots;
    __ubuf__ float *in_a = pool + 2 * slot * tile_floats, *in_b = in_a + tile_floats;
    uint64_t at = (uint64_t)tile * tile_floats;
    load_tile(in_a, in_b, a + at, b + at, bytes, slot);
    add_tile(in_a, in_b, tile_floats, slot);
    store_tile(c + at, in_a, bytes, slot);
  }
  for (uint32_t slot = 0; slot < slots; slot++) asc_sync_wait(PIPE_MTE3, PIPE_MTE2, slot);
}

typedef struct job { float *a, *b, *c; uint32_t tiles, tile_floats; aclrtStream stream; } job;

static void launch(const job *j) { stream_add<<<48, 0, j->stream>>>(j->a, j->b, j->c, j->tiles, j->tile_floats); }
static void wait(const job *j) { device_check(aclrtSynchronizeStream(j->stream), "stream_add"); }
static void run(void *context) {
  launch(context);
  wait(context);
}

static float *upload(size_t count, uint32_t factor) {
  float *data = malloc(count * sizeof *data);
  if (data == NULL) contender_stop("stream", "out of memory");
  for (size_t i = 0; i < count; i++) data[i] = (float)((uint32_t)i * factor & 0xffffu);
  float *device = device_upload(data, count * sizeof *data);
  free(data);
  return device;
}

static void compare(const job *j, size_t count) {
  float *c = malloc(count * sizeof *c);
  if (c == NULL) contender_stop("stream", "out of memory");
  device_download(c, j->c, count * sizeof *c);
  for (size_t i = 0; i < count; i++)
    if (c[i] != (float)((uint32_t)i * 5u & 0xffffu) + (float)((uint32_t)i * 7u & 0xffffu)) contender_stop("stream", "a sum is wrong");
  free(c);
}

int main(int argc, char **argv) {
  uint32_t tile_kib = contender_number("stream", argc > 1 ? argv[1] : NULL, 64);
  size_t count = (size_t)contender_number("stream", argc > 2 ? argv[2] : NULL, 256) << 20;
  job j = {.tile_floats = tile_kib * 256, .stream = device_open()};
  j.tiles = (uint32_t)(count / j.tile_floats);
  count = (size_t)j.tiles * j.tile_floats; /* whole tiles */
  j.a = upload(count, 5);
  j.b = upload(count, 7);
  j.c = device_upload(NULL, count * sizeof(float));
  bool once = argc > 3 && strcmp(argv[3], "once") == 0;
  if (once) device_check(aclskScopeBegin("stream", j.stream), "aclskScopeBegin");
  launch(&j);
  if (once) device_check(aclskScopeEnd("stream", j.stream), "aclskScopeEnd");
  wait(&j);
  compare(&j, count);
  return once ? 0 : contender_serve(run, &j);
}
