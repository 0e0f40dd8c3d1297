/* cpp_split_k.cpp - C = A * B where K is long and C small: each cube core multiplies its part of K, a barrier of all cores
 * follows, then each vector core adds up its part of C over all cube cores, always in the same order.
 *
 *   skcc cpp_split_k.cpp -o cpp_split_k && skv verify ./cpp_split_k */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t M = 32, N = 96, K = 64; // K of one cube core
constexpr uint32_t BLOCKS = 24, SHARE = M * N / (2 * BLOCKS);

__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR parts) {
  LocalMemAllocator<Hardware::L1> l1;
  LocalMemAllocator<Hardware::L0A> l0a;
  LocalMemAllocator<Hardware::L0B> l0b;
  LocalMemAllocator<Hardware::L0C> l0c;
  LocalTensor<half> a1 = l1.Alloc<TPosition::A1, half>(M * K), b1 = l1.Alloc<TPosition::B1, half>(K * N);
  LocalTensor<half> a2 = l0a.Alloc<half>(M * K), b2 = l0b.Alloc<half>(K * N);
  LocalTensor<float> c = l0c.Alloc<float>(M * N);
  GlobalTensor<half> aGm, bGm;
  GlobalTensor<float> part;
  aGm.SetGlobalBuffer((__gm__ half *)a + GetBlockIdx() * K);
  bGm.SetGlobalBuffer((__gm__ half *)b + GetBlockIdx() * K * N);
  part.SetGlobalBuffer((__gm__ float *)parts + GetBlockIdx() * M * N, M * N);
  DataCopy(a1, aGm, Nd2NzParams{1, M, K, 0, K * BLOCKS, M, 1, 0});
  DataCopy(b1, bGm, Nd2NzParams{1, K, N, 0, N, K, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  for (uint16_t r = 0; r < M / 16; r++) LoadData(a2[r * 16 * K], a1, LoadData2DParams{r, K / 16, M / 16, 0, 0, false, 0});
  for (uint16_t r = 0; r < K / 16; r++) LoadData(b2[r * 16 * N], b1, LoadData2DParams{r, N / 16, K / 16, 0, 0, true, 0});
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  Mmad(c, a2, b2, MmadParams{M, N, K, 0, false, true});
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  Fixpipe(part, c, FixpipeParamsV220{N, M, M, N, false});
}

__aicore__ inline void AddUp(GM_ADDR parts, GM_ADDR y) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, BLOCKS * SHARE * sizeof(float));
  LocalTensor<float> tile = buffer.Get<float>();
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)parts + GetBlockIdx() * SHARE, (BLOCKS - 1) * M * N + SHARE);
  to.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * SHARE, SHARE);
  DataCopy(tile, from, DataCopyParams{BLOCKS, SHARE * sizeof(float) / 32, (M * N - SHARE) * sizeof(float) / 32, 0});
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  for (uint32_t i = 1; i < BLOCKS; i++) Add(tile, tile, tile[i * SHARE], SHARE);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, tile, SHARE);
}

__global__ __mix__(1, 2) __schedmode__(1) void cpp_split_k(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR parts) {
  if ASCEND_IS_AIC Multiply(a, b, parts);
  SyncAll<false>();
  if ASCEND_IS_AIV AddUp(parts, y);
}

int main() {
  constexpr uint32_t length = BLOCKS * K;
  std::vector<half> a(M * length), b(length * N);
  for (uint32_t i = 0; i < a.size(); i++) a[i] = half(Number(i));
  for (uint32_t i = 0; i < b.size(); i++) b[i] = half(Number(i + 5000000));
  Device device;
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> yDev(M * N), partsDev(BLOCKS * M * N);
  cpp_split_k<<<BLOCKS, 0, nullptr>>>(aDev.get(), bDev.get(), yDev.get(), partsDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("a", a), Record("b", b), Record("y", y);
  size_t wrong = 0;
  for (uint32_t r = 0; r < M; r++)
    for (uint32_t n = 0; n < N; n++) {
      double exact = 0;
      for (uint32_t k = 0; k < length; k++) exact += double(float(a[r * length + k])) * double(float(b[k * N + n]));
      wrong += !(std::fabs(y[r * N + n] - exact) <= 1e-4 * (1 + std::fabs(exact)));
    }
  return Report("cpp_split_k", y.size(), wrong);
}
