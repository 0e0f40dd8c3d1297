/* cpp_add_static.cpp - z = x + y without pipe and queues: tensors at fixed places of the unified buffer, two of each, and
 * flags set by hand.
 *
 *   skcc cpp_add_static.cpp -o cpp_add_static && skv verify ./cpp_add_static */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 2048;

__global__ __vector__ void cpp_add_static(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t perCore) {
  InitSocState();
  LocalMemAllocator<> ub;
  LocalTensor<float> xs[] = {ub.Alloc<float, TILE>(), ub.Alloc<float, TILE>()}, ys[] = {ub.Alloc<float, TILE>(), ub.Alloc<float, TILE>()};
  LocalTensor<float> zs[] = {ub.Alloc<float, TILE>(), ub.Alloc<float, TILE>()};
  GlobalTensor<float> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * perCore, perCore);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * perCore, perCore);
  zGm.SetGlobalBuffer((__gm__ float *)z + GetBlockIdx() * perCore, perCore);
  for (int32_t i = 0; i < 2; i++) {
    SetFlag<HardEvent::V_MTE2>(i); // inputs are free
    SetFlag<HardEvent::MTE3_V>(i); // the result is free
  }
  for (uint32_t tile = 0; tile < perCore / TILE; tile++) {
    int32_t i = tile % 2;
    WaitFlag<HardEvent::V_MTE2>(i);
    DataCopy(xs[i], xGm[tile * TILE], TILE);
    DataCopy(ys[i], yGm[tile * TILE], TILE);
    SetFlag<HardEvent::MTE2_V>(i);
    WaitFlag<HardEvent::MTE2_V>(i);
    WaitFlag<HardEvent::MTE3_V>(i);
    Add(zs[i], xs[i], ys[i], TILE);
    SetFlag<HardEvent::V_MTE2>(i);
    SetFlag<HardEvent::V_MTE3>(i);
    WaitFlag<HardEvent::V_MTE3>(i);
    DataCopy(zGm[tile * TILE], zs[i], TILE);
    SetFlag<HardEvent::MTE3_V>(i);
  }
  for (int32_t i = 0; i < 2; i++) {
    WaitFlag<HardEvent::V_MTE2>(i);
    WaitFlag<HardEvent::MTE3_V>(i);
  }
}

int main() {
  const uint32_t cores = 48, perCore = 5 * TILE;
  std::vector<float> x(cores * perCore), y(cores * perCore);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = Number(i), y[i] = Number(i + 10000000);
  Device device;
  DeviceArray<float> xDev(x), yDev(y), zDev(x.size());
  cpp_add_static<<<cores, 0, nullptr>>>(xDev.get(), yDev.get(), zDev.get(), perCore);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = zDev.Read();
  Record("x", x), Record("y", y), Record("z", z);
  size_t wrong = 0;
  for (uint32_t i = 0; i < z.size(); i++) wrong += z[i] != x[i] + y[i];
  return Report("cpp_add_static", z.size(), wrong);
}
