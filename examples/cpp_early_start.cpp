/* cpp_early_start.cpp - early start in a SuperKernel: the second operator loads its weights while the first still runs.
 * The first says when its results are out (SetNextTaskStart, capability 2), the second waits for that only where
 * it needs them (WaitPreTaskEnd, capability 1).
 *
 *   skcc cpp_early_start.cpp -o cpp_early_start && skv verify ./cpp_early_start */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 512, BLOCKS = 40;

struct FirstArgs {
  GM_ADDR x;
  GM_ADDR y;
};
struct SecondArgs {
  GM_ADDR y;
  GM_ADDR weight;
  GM_ADDR z;
};

__aicore__ inline void Double(GM_ADDR x, GM_ADDR y, TPipe *pipe) {
  TBuf<> buffer;
  pipe->InitBuffer(buffer, N * sizeof(float));
  LocalTensor<float> tile = buffer.Get<float>();
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * N, N);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * N, N);
  DataCopy(tile, xGm, N);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(tile, tile, 2.0f, N);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, tile, N);
  SetNextTaskStart();
}

/* The neighbour's part of y, so that cores depend on one another. */
__aicore__ inline void Weigh(GM_ADDR y, GM_ADDR weight, GM_ADDR z, TPipe *pipe) {
  TBuf<> yBuf, weightBuf;
  pipe->InitBuffer(yBuf, N * sizeof(float));
  pipe->InitBuffer(weightBuf, N * sizeof(float)); // behind what the first operator still uses
  LocalTensor<float> tile = yBuf.Get<float>(), weights = weightBuf.Get<float>();
  GlobalTensor<float> yGm, weightGm, zGm;
  yGm.SetGlobalBuffer((__gm__ float *)y + (GetBlockIdx() + 1) % BLOCKS * N, N);
  weightGm.SetGlobalBuffer((__gm__ float *)weight, N);
  zGm.SetGlobalBuffer((__gm__ float *)z + GetBlockIdx() * N, N);
  DataCopy(weights, weightGm, N);
  WaitPreTaskEnd();
  DataCopy(tile, yGm, N);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Mul(tile, tile, weights, N);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, tile, N);
}

__global__ __mix__(0, 1) void twice(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  Double(x, y, &pipe);
}
__sk__ __mix__(0, 1) void twice_sk(const FirstArgs *args) {
  TPipe pipe;
  Double(args->x, args->y, &pipe);
  pipe.DestroyWithoutPipeAll();
}
SK_BIND(twice, 2, twice_sk);

__global__ __mix__(0, 1) void weigh(GM_ADDR y, GM_ADDR weight, GM_ADDR z) {
  TPipe pipe;
  Weigh(y, weight, z, &pipe);
}
__sk__ __mix__(0, 1) void weigh_sk(const SecondArgs *args) {
  TPipe pipe;
  Weigh(args->y, args->weight, args->z, &pipe);
  pipe.DestroyWithoutPipeAll();
}
SK_BIND(weigh, 1, weigh_sk);

int main() {
  std::vector<float> x(BLOCKS * N), weight(N);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = Number(i);
  for (uint32_t i = 0; i < N; i++) weight[i] = Number(i + 1000000);
  Device device;
  DeviceArray<float> xDev(x), weightDev(weight), yDev(x.size()), zDev(x.size());
  twice<<<BLOCKS, 0, nullptr>>>(xDev.get(), yDev.get());
  weigh<<<BLOCKS, 0, nullptr>>>(yDev.get(), weightDev.get(), zDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = zDev.Read();
  Record("x", x), Record("weight", weight), Record("z", z);
  size_t wrong = 0;
  for (uint32_t block = 0; block < BLOCKS; block++)
    for (uint32_t i = 0; i < N; i++) wrong += !(std::fabs(z[block * N + i] - 2.0 * x[(block + 1) % BLOCKS * N + i] * weight[i]) <= 1e-6);
  return Report("cpp_early_start", z.size(), wrong);
}
