/* api_spill.cpp - tensors put aside in device memory and fetched again, whole and in bursts with gaps, while their place in UB
 * holds other numbers. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 256, CORES = 3, SPILL = 1024;

__global__ __vector__ void aside(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<> buffer;
  pipe.InitBuffer(in, 1, N * 4);
  pipe.InitBuffer(out, 1, N * 4);
  pipe.InitBuffer(buffer, N * 4);
  uint32_t first = GetBlockIdx() * N;
  GlobalTensor<int32_t> from, to, spill;
  from.SetGlobalBuffer((__gm__ int32_t *)x, CORES * N);
  to.SetGlobalBuffer((__gm__ int32_t *)y, CORES * N);
  spill.SetGlobalBuffer((__gm__ int32_t *)workspace + GetBlockIdx() * SPILL, SPILL);
  pipe.InitSpmBuffer(spill, SPILL * 4);
  LocalTensor<int32_t> a = in.AllocTensor<int32_t>();
  DataCopy(a, from[first], N);
  in.EnQue(a);
  a = in.DeQue<int32_t>();
  LocalTensor<int32_t> t = buffer.Get<int32_t>();
  Adds(t, a, 5, N);
  pipe.WriteSpmBuffer(t, N, 16);                                  /* x + 5 */
  pipe.WriteSpmBuffer(a, DataCopyParams(4, 2, 2, 1), N + 32);     /* 16 of every 32 of the first 128, 24 apart */
  Duplicate(t, -1, N);
  LocalTensor<int32_t> b = out.AllocTensor<int32_t>();
  pipe.ReadSpmBuffer(b, N, 16);
  pipe.ReadSpmBuffer(t, DataCopyParams(4, 2, 1, 2), N + 32); /* back where they were, -1 between them */
  Add(b, b, t, N);
  in.FreeTensor(a);
  out.EnQue(b);
  b = out.DeQue<int32_t>();
  DataCopy(to[first], b, N);
  out.FreeTensor(b);
  if (t.GetPhyAddr() - (uint64_t)pipe.GetBaseAddr((int8_t)TPosition::VECCALC) != 2 * N * 4) Trap();
}

int main() {
  Device device;
  std::vector<int32_t> x(CORES * N);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = (int32_t)(i * 7919u % 100003u) - 50000;
  DeviceArray<int32_t> from(x), to(x.size()), workspace(CORES * SPILL);
  aside<<<CORES, 0, nullptr>>>(from.get(), to.get(), workspace.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> y = to.Read();
  size_t wrong = 0;
  for (uint32_t i = 0; i < x.size(); i++) {
    uint32_t at = i % N;
    int32_t other = at < 128 && at % 32 < 16 ? x[i] : -1;
    wrong += y[i] != x[i] + 5 + other;
  }
  return Report("api_spill", x.size(), wrong);
}
