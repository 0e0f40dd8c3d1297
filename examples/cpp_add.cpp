/* cpp_add.cpp - z = x + y with the tensor API: queues of two buffers, so that loads, sums and stores of
 * neighbouring tiles overlap.
 *
 *   skcc cpp_add.cpp -o cpp_add && skv verify ./cpp_add */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 2048; // floats: 8 KiB
constexpr int32_t BUFFERS = 2;

class Adder {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t perCore, TPipe *pipe) {
    uint32_t first = perCore * GetBlockIdx();
    tiles_ = perCore / TILE;
    xGm_.SetGlobalBuffer((__gm__ float *)x + first, perCore);
    yGm_.SetGlobalBuffer((__gm__ float *)y + first, perCore);
    zGm_.SetGlobalBuffer((__gm__ float *)z + first, perCore);
    pipe->InitBuffer(xQue_, BUFFERS, TILE * sizeof(float));
    pipe->InitBuffer(yQue_, BUFFERS, TILE * sizeof(float));
    pipe->InitBuffer(zQue_, BUFFERS, TILE * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < tiles_; i++) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

private:
  __aicore__ inline void CopyIn(uint32_t tile) {
    LocalTensor<float> x = xQue_.AllocTensor<float>(), y = yQue_.AllocTensor<float>();
    DataCopy(x, xGm_[tile * TILE], TILE);
    DataCopy(y, yGm_[tile * TILE], TILE);
    xQue_.EnQue(x);
    yQue_.EnQue(y);
  }
  __aicore__ inline void Compute() {
    LocalTensor<float> x = xQue_.DeQue<float>(), y = yQue_.DeQue<float>(), z = zQue_.AllocTensor<float>();
    Add(z, x, y, TILE);
    zQue_.EnQue(z);
    xQue_.FreeTensor(x);
    yQue_.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(uint32_t tile) {
    LocalTensor<float> z = zQue_.DeQue<float>();
    DataCopy(zGm_[tile * TILE], z, TILE);
    zQue_.FreeTensor(z);
  }

  GlobalTensor<float> xGm_, yGm_, zGm_;
  TQue<TPosition::VECIN, BUFFERS> xQue_, yQue_;
  TQue<TPosition::VECOUT, BUFFERS> zQue_;
  uint32_t tiles_ = 0;
};

extern "C" __global__ __vector__ void cpp_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t perCore) {
  TPipe pipe;
  Adder op;
  op.Init(x, y, z, perCore, &pipe);
  op.Process();
}

int main() {
  const uint32_t cores = 48, perCore = 4 * TILE, count = cores * perCore;
  std::vector<float> x(count), y(count);
  for (uint32_t i = 0; i < count; i++) x[i] = 0.5f * i, y[i] = 1000.0f - i;
  Device device;
  DeviceArray<float> xDev(x), yDev(y), zDev(count);
  cpp_add<<<cores, 0, nullptr>>>(xDev.get(), yDev.get(), zDev.get(), perCore);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = zDev.Read();
  Record("x", x), Record("y", y), Record("z", z);
  size_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) wrong += z[i] != (float)((double)x[i] + (double)y[i]);
  return Report("cpp_add", count, wrong);
}
