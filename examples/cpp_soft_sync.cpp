/* cpp_soft_sync.cpp - y = x / (greatest |x| of all cores): a barrier through device memory between the cores that this
 * operator uses, which are fewer than the launch has.
 *
 *   skcc cpp_soft_sync.cpp -o cpp_soft_sync && skv verify ./cpp_soft_sync */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t PER_CORE = 1024, CORES = 6, LAUNCHED = 8;

__global__ __vector__ void cpp_soft_sync(GM_ADDR x, GM_ADDR y, GM_ADDR parts, GM_ADDR workspace) {
  if (GetBlockIdx() >= CORES) return;
  TPipe pipe;
  TBuf<> xBuf, absBuf, partBuf, slotBuf;
  pipe.InitBuffer(xBuf, PER_CORE * sizeof(float));
  pipe.InitBuffer(absBuf, PER_CORE * sizeof(float));
  pipe.InitBuffer(partBuf, 8 * CORES * sizeof(float));
  pipe.InitBuffer(slotBuf, CORES * 32);
  LocalTensor<float> tile = xBuf.Get<float>(), work = absBuf.Get<float>(), part = partBuf.Get<float>();
  GlobalTensor<float> xGm, yGm, partGm;
  GlobalTensor<int32_t> workspaceGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * PER_CORE, PER_CORE);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * PER_CORE, PER_CORE);
  partGm.SetGlobalBuffer((__gm__ float *)parts, 8 * CORES);
  workspaceGm.SetGlobalBuffer((__gm__ int32_t *)workspace, CORES * 8);

  DataCopy(tile, xGm, PER_CORE);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Abs(work, tile, PER_CORE);
  ReduceMax(part, work, work, PER_CORE);
  Duplicate(part, part.GetValue(0), 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(partGm[GetBlockIdx() * 8], part, 8);
  SyncAll(workspaceGm, slotBuf.Get<int32_t>(), CORES);
  DataCopy(part, partGm, 8 * CORES);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceMax(part, part, work, 8 * CORES);
  Duplicate(work, part.GetValue(0), PER_CORE);
  Div(tile, tile, work, PER_CORE);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, tile, PER_CORE);
}

int main() {
  std::vector<float> x(CORES * PER_CORE);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = 7 * Number(i);
  Device device;
  DeviceArray<float> xDev(x), yDev(x.size()), parts(8 * CORES);
  DeviceArray<int32_t> workspace(std::vector<int32_t>(CORES * 8, 0));
  cpp_soft_sync<<<LAUNCHED, 0, nullptr>>>(xDev.get(), yDev.get(), parts.get(), workspace.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("y", y);
  float most = 0;
  size_t wrong = 0;
  for (float value : x) most = std::fmax(most, std::fabs(value));
  for (uint32_t i = 0; i < x.size(); i++) wrong += !(y[i] == x[i] / most);
  return Report("cpp_soft_sync", y.size(), wrong);
}
