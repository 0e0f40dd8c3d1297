/* cpp_sync_all.cpp - two phases with a barrier of all vector cores between them: each core writes its part's sum,
 * then everybody reads all sums and divides its part by the total. Declared for batch scheduling, since it
 * needs all its cores at once.
 *
 *   skcc cpp_sync_all.cpp -o cpp_sync_all && skv verify ./cpp_sync_all */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t PART = 2048;

__global__ __mix__(0, 1) __schedmode__(1) void cpp_sync_all(GM_ADDR x, GM_ADDR y, GM_ADDR sums) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> partBuf, workBuf, sumBuf, allBuf;
  pipe.InitBuffer(partBuf, PART * sizeof(float));
  pipe.InitBuffer(workBuf, 1024);
  pipe.InitBuffer(sumBuf, 32);
  pipe.InitBuffer(allBuf, 64 * 32);
  LocalTensor<float> part = partBuf.Get<float>(), work = workBuf.Get<float>(), sum = sumBuf.Get<float>(), all = allBuf.Get<float>();
  GlobalTensor<float> xGm, yGm, sumGm;
  uint32_t cores = GetBlockNum();
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * PART);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * PART);
  sumGm.SetGlobalBuffer((__gm__ float *)sums);

  DataCopy(part, xGm, PART);
  Duplicate(sum, 0.0f, 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceSum(sum, part, work, PART);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(sumGm[GetBlockIdx() * 8], sum, 8);
  SyncAll();
  DataCopy(all, sumGm, cores * 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceSum(sum, all, work, cores * 8); // seven of eight are zero
  Muls(part, part, 1.0f / sum.GetValue(0), PART);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, part, PART);
}

int main() {
  const uint32_t cores = 48, count = cores * PART;
  std::vector<float> x(count);
  double total = 0;
  for (uint32_t i = 0; i < count; i++) total += x[i] = 1 + Number(i);
  Device device;
  DeviceArray<float> xDev(x), yDev(count), sumDev(cores * 8);
  cpp_sync_all<<<cores, 0, nullptr>>>(xDev.get(), yDev.get(), sumDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) wrong += !(std::fabs(y[i] - x[i] / total) <= 1e-5 * x[i] / total);
  return Report("cpp_sync_all", count, wrong);
}
