/* cpp_select.cpp - y = x where x is greater than its limit, else a tenth of it; and how many were: Compare, Select, masks,
 * a count through the scalar unit and a line of the data cache that is cleaned by hand.
 *
 *   skcc cpp_select.cpp -o cpp_select && skv verify ./cpp_select */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 512;

__global__ __vector__ void cpp_select(GM_ADDR x, GM_ADDR limit, GM_ADDR y, GM_ADDR counts) {
  TPipe pipe;
  TBuf<> xBuf, limitBuf, lowBuf, bitBuf, oneBuf;
  pipe.InitBuffer(xBuf, TILE * sizeof(float));
  pipe.InitBuffer(limitBuf, TILE * sizeof(float));
  pipe.InitBuffer(lowBuf, TILE * sizeof(float));
  pipe.InitBuffer(bitBuf, TILE / 8);
  pipe.InitBuffer(oneBuf, TILE * sizeof(float));
  LocalTensor<float> a = xBuf.Get<float>(), b = limitBuf.Get<float>(), low = lowBuf.Get<float>(), ones = oneBuf.Get<float>();
  LocalTensor<uint8_t> bits = bitBuf.Get<uint8_t>();
  GlobalTensor<float> xGm, limitGm, yGm;
  GlobalTensor<int32_t> countGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * TILE, TILE);
  limitGm.SetGlobalBuffer((__gm__ float *)limit, TILE);
  yGm.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * TILE, TILE);
  countGm.SetGlobalBuffer((__gm__ int32_t *)counts + GetBlockIdx() * 16, 16); // a cache line each
  DataCopy(a, xGm, TILE);
  DataCopy(b, limitGm, TILE);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Compare(bits, a, b, CMPMODE::GT, TILE);
  Muls(low, a, 0.1f, TILE);
  Select(b, bits, a, low, SELMODE::VSEL_TENSOR_TENSOR_MODE, TILE);
  Duplicate(ones, 1.0f, TILE);
  Select(ones, bits, ones, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, TILE);
  ReduceSum(ones, ones, low, TILE);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, TILE);
  countGm.SetValue(0, static_cast<int32_t>(ones.GetValue(0)));
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(countGm);
}

int main() {
  const uint32_t blocks = 40;
  std::vector<float> x(blocks * TILE), limit(TILE);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = Number(i);
  for (uint32_t i = 0; i < TILE; i++) limit[i] = Number(i + 1000000);
  Device device;
  DeviceArray<float> xDev(x), limitDev(limit), yDev(x.size());
  DeviceArray<int32_t> countDev(std::vector<int32_t>(blocks * 16, 0));
  cpp_select<<<blocks, 0, nullptr>>>(xDev.get(), limitDev.get(), yDev.get(), countDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  std::vector<int32_t> counts = countDev.Read();
  Record("x", x), Record("limit", limit), Record("y", y), Record("counts", counts);
  size_t wrong = 0;
  for (uint32_t block = 0; block < blocks; block++) {
    int32_t count = 0;
    for (uint32_t i = 0; i < TILE; i++) {
      float value = x[block * TILE + i];
      count += value > limit[i];
      wrong += !(y[block * TILE + i] == (value > limit[i] ? value : value * 0.1f));
    }
    wrong += counts[block * 16] != count;
  }
  return Report("cpp_select", y.size() + blocks, wrong);
}
