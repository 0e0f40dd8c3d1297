/* cpp_tiling.cpp - an operator as a framework calls it: tiling data in device memory, a workspace, a kernel type said in
 * the body; SwiGLU of half values of any length, with padded loads and stores of the tail.
 *
 *   skcc cpp_tiling.cpp -o cpp_tiling && skv verify ./cpp_tiling */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

struct SwigluTiling {
  uint32_t length;
  uint32_t perCore; // a multiple of 16
  float beta;
};
REGISTER_TILING_DEFAULT(SwigluTiling);

constexpr uint32_t TILE = 1024;

extern "C" __global__ __aicore__ void cpp_tiling(GM_ADDR x, GM_ADDR gate, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  SetSysWorkSpace(workspace);
  assert(GetUserWorkspace(workspace) != nullptr, "no workspace\n");
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 2, 2 * TILE * sizeof(half));
  pipe.InitBuffer(out, 2, TILE * sizeof(half));
  GlobalTensor<half> xGm, gateGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x, data.length);
  gateGm.SetGlobalBuffer((__gm__ half *)gate, data.length);
  yGm.SetGlobalBuffer((__gm__ half *)y, data.length);
  uint32_t first = GetBlockIdx() * data.perCore, last = first + data.perCore < data.length ? first + data.perCore : data.length;
  for (uint32_t at = first; at < last; at += TILE) {
    uint32_t count = last - at < TILE ? last - at : TILE;
    DataCopyExtParams bytes(1, count * sizeof(half), 0, 0, 0);
    DataCopyPadExtParams<half> pad(true, 0, static_cast<uint8_t>((16 - count % 16) % 16), half(0));
    LocalTensor<half> both = in.AllocTensor<half>();
    DataCopyPad(both, xGm[at], bytes, pad);
    DataCopyPad(both[TILE], gateGm[at], bytes, pad);
    in.EnQue(both);
    both = in.DeQue<half>();
    LocalTensor<half> result = out.AllocTensor<half>(), gates = both[TILE];
    SwiGLU(result, both, gates, data.beta, count);
    in.FreeTensor(both);
    out.EnQue(result);
    result = out.DeQue<half>();
    DataCopyPad(yGm[at], result, bytes);
    out.FreeTensor(result);
  }
}

int main() {
  const uint32_t length = 100003, cores = 40;
  std::vector<half> x(length), gate(length);
  for (uint32_t i = 0; i < length; i++) x[i] = half(2 * Number(i)), gate[i] = half(4 * Number(i + 1000000));
  SwigluTiling tiling{length, (length / cores / 16 + 1) * 16, 1.5f};
  Device device;
  DeviceArray<half> xDev(x), gateDev(gate), yDev(length);
  DeviceArray<uint8_t> workspace(RESERVED_WORKSPACE);
  DeviceArray<SwigluTiling> tilingDev(std::vector<SwigluTiling>{tiling});
  cpp_tiling<<<cores, 0, nullptr>>>(xDev.get(), gateDev.get(), yDev.get(), workspace.get(), tilingDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> y = yDev.Read();
  Record("x", x), Record("gate", gate), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < length; i++) {
    double g = (float)gate[i], expected = (float)x[i] * g / (1 + std::exp(-1.5 * g));
    wrong += !(std::fabs((float)y[i] - expected) <= 1e-3 * (1 + std::fabs(expected)));
  }
  return Report("cpp_tiling", length, wrong);
}
