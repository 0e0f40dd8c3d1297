/* cpp_scale.cpp - y = a * x + b for any length: one queue bound from load to store, so that each buffer is
 * computed in place, and DataCopyPad for the tail.
 *
 *   skcc cpp_scale.cpp -o cpp_scale && skv verify ./cpp_scale */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 1024;

extern "C" __global__ __vector__ void cpp_scale(GM_ADDR x, GM_ADDR y, float a, float b, uint32_t count) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  pipe.InitBuffer(in, 2, TILE * sizeof(float));
  pipe.InitBuffer(out, 2, TILE * sizeof(float));
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, count);
  yGm.SetGlobalBuffer((__gm__ float *)y, count);
  uint32_t step = TILE * GetBlockNum();
  for (uint32_t first = TILE * GetBlockIdx(); first < count; first += step) {
    uint32_t n = count - first < TILE ? count - first : TILE;
    LocalTensor<float> tile = in.AllocTensor<float>();
    DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
    DataCopyPad(tile, xGm[first], copy, DataCopyPadExtParams<float>{true, 0, 0, 0.0f});
    in.EnQue(tile);
    tile = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    Muls(result, tile, a, static_cast<int32_t>(n));
    Adds(result, result, b, static_cast<int32_t>(n));
    out.EnQue(result);
    in.FreeTensor(tile);
    result = out.DeQue<float>();
    DataCopyPad(yGm[first], result, copy);
    out.FreeTensor(result);
  }
}

int main() {
  const uint32_t count = 100003;
  const float a = 1.5f, b = -0.25f;
  std::vector<float> x(count);
  for (uint32_t i = 0; i < count; i++) x[i] = Number(i);
  Device device;
  DeviceArray<float> xDev(x), yDev(count);
  cpp_scale<<<24, 0, nullptr>>>(xDev.get(), yDev.get(), a, b, count);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) wrong += !(std::fabs(y[i] - ((double)a * x[i] + b)) <= 2e-7);
  return Report("cpp_scale", count, wrong);
}
