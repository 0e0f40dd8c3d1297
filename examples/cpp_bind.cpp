/* cpp_bind.cpp - two operators made ready for a SuperKernel by SK_BIND: the first squares, the second subtracts
 * from what the first wrote. Each has an entry of its own for the SuperKernel, which takes the number of
 * blocks from its system arguments and leaves its pipe without a barrier.
 *
 *   skcc cpp_bind.cpp -o cpp_bind && skv verify ./cpp_bind */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 1024;

template <class Operation>
__aicore__ inline void ForEachTile(TPipe *pipe, GM_ADDR from, GM_ADDR to, uint32_t tiles, uint32_t cores, Operation operation) {
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe->InitBuffer(in, 2, TILE * sizeof(float));
  pipe->InitBuffer(out, 2, TILE * sizeof(float));
  GlobalTensor<float> fromGm, toGm;
  fromGm.SetGlobalBuffer((__gm__ float *)from);
  toGm.SetGlobalBuffer((__gm__ float *)to);
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += cores) {
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, fromGm[tile * TILE], TILE);
    in.EnQue(x);
    x = in.DeQue<float>();
    LocalTensor<float> y = out.AllocTensor<float>();
    operation(y, x);
    in.FreeTensor(x);
    out.EnQue(y);
    y = out.DeQue<float>();
    DataCopy(toGm[tile * TILE], y, TILE);
    out.FreeTensor(y);
  }
}

__aicore__ inline void SquareTiles(TPipe *pipe, GM_ADDR x, GM_ADDR y, uint32_t tiles, uint32_t cores) {
  ForEachTile(pipe, x, y, tiles, cores, [](const LocalTensor<float> &to, const LocalTensor<float> &from) { Mul(to, from, from, TILE); });
}
__aicore__ inline void ShiftTiles(TPipe *pipe, GM_ADDR x, GM_ADDR y, uint32_t tiles, uint32_t cores) {
  ForEachTile(pipe, x, y, tiles, cores, [](const LocalTensor<float> &to, const LocalTensor<float> &from) { Adds(to, from, -1.0f, TILE); });
}

struct Args {
  GM_ADDR x;
  GM_ADDR y;
  uint32_t tiles;
};

__global__ __mix__(0, 1) void square(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
  TPipe pipe;
  SquareTiles(&pipe, x, y, tiles, GetBlockNum());
}
__sk__ __mix__(0, 1) void square_sk(const Args *args, sk::SkSystemArgs *system) {
  TPipe pipe;
  SquareTiles(&pipe, args->x, args->y, args->tiles, system->skNumBlocks);
  pipe.DestroyWithoutPipeAll();
}
SK_BIND(square, 0, square_sk);

__global__ __mix__(0, 1) void shift(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
  TPipe pipe;
  ShiftTiles(&pipe, x, y, tiles, GetBlockNum());
}
__sk__ __mix__(0, 1) void shift_sk(const Args *args, sk::SkSystemArgs *system) {
  TPipe pipe;
  ShiftTiles(&pipe, args->x, args->y, args->tiles, system->skNumBlocks);
  pipe.DestroyWithoutPipeAll();
}
SK_BIND(shift, 0, shift_sk);

int main() {
  const uint32_t tiles = 200, count = tiles * TILE;
  std::vector<float> x(count);
  for (uint32_t i = 0; i < count; i++) x[i] = Number(i);
  Device device;
  DeviceArray<float> xDev(x), squared(count), yDev(count);
  square<<<48, 0, nullptr>>>(xDev.get(), squared.get(), tiles);
  shift<<<20, 0, nullptr>>>(squared.get(), yDev.get(), tiles);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) wrong += !(std::fabs(y[i] - ((double)x[i] * x[i] - 1)) <= 1e-7);
  return Report("cpp_bind", count, wrong);
}
