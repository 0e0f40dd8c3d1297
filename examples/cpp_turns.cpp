/* cpp_turns.cpp - a sum over all cores that is the same in every run: the blocks add to the result one after the other,
 * in turns through device memory, instead of whenever they come (cpp_histogram.cpp).
 *
 *   skcc cpp_turns.cpp -o cpp_turns && skv verify ./cpp_turns */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 256, BLOCKS = 8, ROUNDS = 3;

__global__ __vector__ void cpp_turns(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> tileBuf, slotBuf;
  pipe.InitBuffer(tileBuf, N * sizeof(float));
  pipe.InitBuffer(slotBuf, (BLOCKS + 1) * 32);
  LocalTensor<float> tile = tileBuf.Get<float>();
  LocalTensor<int32_t> slots = slotBuf.Get<int32_t>();
  GlobalTensor<float> xGm, sumGm;
  GlobalTensor<int32_t> workspaceGm;
  xGm.SetGlobalBuffer((__gm__ float *)x);
  sumGm.SetGlobalBuffer((__gm__ float *)sum, N);
  workspaceGm.SetGlobalBuffer((__gm__ int32_t *)workspace, BLOCKS * 8);
  InitDetermineComputeWorkspace(workspaceGm, slots);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    DataCopy(tile, xGm[(round * BLOCKS + GetBlockIdx()) * N], N);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitPreBlock(workspaceGm, slots);
    SetAtomicAdd<float>();
    DataCopy(sumGm, tile, N);
    SetAtomicNone();
    NotifyNextBlock(workspaceGm, slots);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  }
}

int main() {
  std::vector<float> x(ROUNDS * BLOCKS * N);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = 1000 * Number(i);
  Device device;
  DeviceArray<float> xDev(x), sumDev(std::vector<float>(N, 0));
  DeviceArray<int32_t> workspace(std::vector<int32_t>(BLOCKS * 8, 0));
  cpp_turns<<<BLOCKS, 0, nullptr>>>(xDev.get(), sumDev.get(), workspace.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> sum = sumDev.Read();
  Record("x", x), Record("sum", sum);
  size_t wrong = 0;
  for (uint32_t i = 0; i < N; i++) {
    float expected = 0; // the same order, so the same bits
    for (uint32_t block = 0; block < ROUNDS * BLOCKS; block++) expected += x[block * N + i];
    wrong += sum[i] != expected;
  }
  return Report("cpp_turns", N, wrong);
}
