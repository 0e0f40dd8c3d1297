/* tensor_add.cpp - c = a + b by the C++ tensor API with queues, and by the C API with flags: what tensors and queues cost.
 *
 *   tensor_add queue|flags float|half ELEMENTS_MI     tiles of 32 KiB, two of each array */
#include "kernel_operator.h"

#include "device.h"

using namespace AscendC;

constexpr uint32_t TILE_BYTES = 32 * 1024 / 2, CORES = 48; /* two slots of three tiles */

template <typename T>
__global__ __vector__ void add_by_queues(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t tiles) {
  constexpr uint32_t COUNT = TILE_BYTES / sizeof(T);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in_a, in_b;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in_a, 2, TILE_BYTES);
  pipe.InitBuffer(in_b, 2, TILE_BYTES);
  pipe.InitBuffer(out, 2, TILE_BYTES);
  GlobalTensor<T> gm_a, gm_b, gm_c;
  gm_a.SetGlobalBuffer((__gm__ T *)a);
  gm_b.SetGlobalBuffer((__gm__ T *)b);
  gm_c.SetGlobalBuffer((__gm__ T *)c);
  uint32_t first = static_cast<uint32_t>(uint64_t{tiles} * GetBlockIdx() / CORES), last = static_cast<uint32_t>(uint64_t{tiles} * (GetBlockIdx() + 1) / CORES);
  for (uint32_t tile = first; tile < last; tile++) {
    uint64_t at = uint64_t{tile} * COUNT;
    LocalTensor<T> x = in_a.AllocTensor<T>(), y = in_b.AllocTensor<T>();
    DataCopy(x, gm_a[at], COUNT);
    DataCopy(y, gm_b[at], COUNT);
    in_a.EnQue(x);
    in_b.EnQue(y);
    x = in_a.DeQue<T>();
    y = in_b.DeQue<T>();
    LocalTensor<T> z = out.AllocTensor<T>();
    Add(z, x, y, COUNT);
    in_a.FreeTensor(x);
    in_b.FreeTensor(y);
    out.EnQue(z);
    z = out.DeQue<T>();
    DataCopy(gm_c[at], z, COUNT);
    out.FreeTensor(z);
  }
}

/* The same steps and places: a flag pair for each queue. */
template <typename T>
__global__ __vector__ void add_by_flags(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t tiles) {
  constexpr uint32_t COUNT = TILE_BYTES / sizeof(T);
  __ubuf__ T pool[6 * COUNT];
  asc_init();
  uint32_t block = static_cast<uint32_t>(asc_get_block_idx());
  uint32_t first = static_cast<uint32_t>(uint64_t{tiles} * block / CORES), last = static_cast<uint32_t>(uint64_t{tiles} * (block + 1) / CORES);
  for (uint32_t tile = first; tile < last; tile++) {
    int slot = static_cast<int>(tile % 2);
    __ubuf__ T *x = pool + slot * COUNT, *y = x + 2 * COUNT, *z = x + 4 * COUNT;
    uint64_t at = uint64_t{tile} * TILE_BYTES;
    bool again = tile >= first + 2;
    if (again) {
      asc_sync_wait(PIPE_V, PIPE_MTE2, slot);
      asc_sync_wait(PIPE_V, PIPE_MTE2, slot + 2);
    }
    asc_copy_gm2ub(x, a + at, TILE_BYTES);
    asc_copy_gm2ub(y, b + at, TILE_BYTES);
    asc_sync_notify(PIPE_MTE2, PIPE_V, slot);
    asc_sync_notify(PIPE_MTE2, PIPE_V, slot + 2);
    asc_sync_wait(PIPE_MTE2, PIPE_V, slot);
    asc_sync_wait(PIPE_MTE2, PIPE_V, slot + 2);
    if (again) asc_sync_wait(PIPE_MTE3, PIPE_V, slot);
    asc_add(z, x, y, COUNT);
    asc_sync_notify(PIPE_V, PIPE_MTE2, slot);
    asc_sync_notify(PIPE_V, PIPE_MTE2, slot + 2);
    asc_sync_notify(PIPE_V, PIPE_MTE3, slot);
    asc_sync_wait(PIPE_V, PIPE_MTE3, slot);
    asc_copy_ub2gm(c + at, z, TILE_BYTES);
    asc_sync_notify(PIPE_MTE3, PIPE_V, slot);
  }
  for (uint32_t tile = last - first < 2 ? first : last - 2; tile < last; tile++) {
    int slot = static_cast<int>(tile % 2);
    asc_sync_wait(PIPE_V, PIPE_MTE2, slot);
    asc_sync_wait(PIPE_V, PIPE_MTE2, slot + 2);
    asc_sync_wait(PIPE_MTE3, PIPE_V, slot);
  }
}

struct Job {
  GM_ADDR a;
  GM_ADDR b;
  GM_ADDR c;
  uint32_t tiles;
  bool queues, halves;
  aclrtStream stream;
};

static void Run(void *context) {
  const Job *j = static_cast<const Job *>(context);
  if (j->halves && j->queues) add_by_queues<half><<<CORES, 0, j->stream>>>(j->a, j->b, j->c, j->tiles);
  else if (j->halves) add_by_flags<half><<<CORES, 0, j->stream>>>(j->a, j->b, j->c, j->tiles);
  else if (j->queues) add_by_queues<float><<<CORES, 0, j->stream>>>(j->a, j->b, j->c, j->tiles);
  else add_by_flags<float><<<CORES, 0, j->stream>>>(j->a, j->b, j->c, j->tiles);
  device_check(aclrtSynchronizeStream(j->stream), "tensor_add");
}

template <typename T>
static void Prepare(Job *j, size_t count) {
  T *data = static_cast<T *>(malloc(count * sizeof(T)));
  if (data == NULL) contender_stop("tensor_add", "out of memory");
  for (size_t i = 0; i < count; i++) data[i] = T(static_cast<float>(i % 1024));
  j->a = static_cast<GM_ADDR>(device_upload(data, count * sizeof(T)));
  j->b = static_cast<GM_ADDR>(device_upload(data, count * sizeof(T)));
  j->c = static_cast<GM_ADDR>(device_upload(NULL, count * sizeof(T)));
  j->tiles = static_cast<uint32_t>(count * sizeof(T) / TILE_BYTES);
  Run(j);
  device_download(data, j->c, count * sizeof(T));
  for (size_t i = 0; i < count; i++)
    if (static_cast<float>(data[i]) != 2.0f * static_cast<float>(i % 1024)) contender_stop("tensor_add", "a sum is wrong");
  free(data);
}

int main(int argc, char **argv) {
  if (argc < 4) contender_stop("tensor_add", "usage: tensor_add queue|flags float|half ELEMENTS_MI");
  size_t count = static_cast<size_t>(contender_number("tensor_add", argv[3], 256)) << 20;
  Job j = {};
  j.queues = strcmp(argv[1], "queue") == 0;
  j.halves = strcmp(argv[2], "half") == 0;
  j.stream = device_open();
  if (j.halves) Prepare<half>(&j, count);
  else Prepare<float>(&j, count);
  return contender_serve(Run, &j);
}
