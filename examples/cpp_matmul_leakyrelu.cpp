/* cpp_matmul_leakyrelu.cpp - cube and vector cores together, one to two: the cube core multiplies a tile into
 * workspace and raises a flag; each of its two vector cores applies leaky relu to one half of the tile.
 *
 *   skcc cpp_matmul_leakyrelu.cpp -o cpp_matmul_leakyrelu && skv verify ./cpp_matmul_leakyrelu */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t M = 32, N = 64, K = 64; // of one tile
constexpr uint16_t DONE = 0, FREE = 1;     // flags: tile is there, workspace may be overwritten
constexpr float SLOPE = 0.125f;

__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR workspace, uint32_t tiles) {
  LocalMemAllocator<Hardware::L1> l1;
  LocalMemAllocator<Hardware::L0A> l0a;
  LocalMemAllocator<Hardware::L0B> l0b;
  LocalMemAllocator<Hardware::L0C> l0c;
  LocalTensor<half> a1 = l1.Alloc<TPosition::A1, half>(M * K), b1 = l1.Alloc<TPosition::B1, half>(K * N);
  LocalTensor<half> a2 = l0a.Alloc<half>(M * K), b2 = l0b.Alloc<half>(K * N);
  LocalTensor<float> c = l0c.Alloc<float>(M * N);
  GlobalTensor<half> aGm, bGm;
  GlobalTensor<float> out;
  bGm.SetGlobalBuffer((__gm__ half *)b);
  out.SetGlobalBuffer((__gm__ float *)workspace + GetBlockIdx() * M * N);
  DataCopy(b1, bGm, Nd2NzParams{1, K, N, 0, N, K, 1, 0});
  for (uint32_t i = 0; i < tiles; i++) {
    aGm.SetGlobalBuffer((__gm__ half *)a + (GetBlockIdx() * tiles + i) * M * K);
    DataCopy(a1, aGm, Nd2NzParams{1, M, K, 0, K, M, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    for (uint16_t r = 0; r < M / 16; r++) LoadData(a2[r * 16 * K], a1, LoadData2DParams{r, K / 16, M / 16, 0, 0, false, 0});
    for (uint16_t r = 0; r < K / 16; r++) LoadData(b2[r * 16 * N], b1, LoadData2DParams{r, N / 16, K / 16, 0, 0, true, 0});
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(c, a2, b2, MmadParams{M, N, K, 0, false, true});
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    if (i > 0) CrossCoreWaitFlag(FREE);
    Fixpipe(out, c, FixpipeParamsV220{N, M, M, N, false});
    CrossCoreSetFlag<2, PIPE_FIX>(DONE);
    PipeBarrier<PIPE_ALL>();
  }
}

__aicore__ inline void Relu(GM_ADDR workspace, GM_ADDR y, uint32_t tiles) {
  constexpr uint32_t HALF = M * N / 2;
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, HALF * sizeof(float));
  LocalTensor<float> tile = buffer.Get<float>();
  uint32_t block = GetBlockIdx() / GetSubBlockNum(), part = GetSubBlockIdx() * HALF;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)workspace + block * M * N + part);
  for (uint32_t i = 0; i < tiles; i++) {
    to.SetGlobalBuffer((__gm__ float *)y + (block * tiles + i) * M * N + part);
    CrossCoreWaitFlag(DONE);
    DataCopy(tile, from, HALF);
    TEventID arrived = pipe.FetchEventID<HardEvent::MTE2_V>();
    SetFlag<HardEvent::MTE2_V>(arrived);
    WaitFlag<HardEvent::MTE2_V>(arrived);
    if (i + 1 < tiles) CrossCoreSetFlag<2, PIPE_MTE2>(FREE);
    LeakyRelu(tile, tile, SLOPE, HALF);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, tile, HALF);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  }
}

__global__ __mix__(1, 2) void cpp_matmul_leakyrelu(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR workspace, uint32_t tiles) {
  if ASCEND_IS_AIC Multiply(a, b, workspace, tiles);
  if ASCEND_IS_AIV Relu(workspace, y, tiles);
}

int main() {
  const uint32_t blocks = 24, tiles = 3, rows = blocks * tiles * M;
  std::vector<half> a(rows * K), b(K * N);
  for (uint32_t i = 0; i < a.size(); i++) a[i] = half(Number(i));
  for (uint32_t i = 0; i < b.size(); i++) b[i] = half(Number(i + 1000000));
  Device device;
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> yDev(rows * N), workspace(blocks * M * N);
  cpp_matmul_leakyrelu<<<blocks, 0, nullptr>>>(aDev.get(), bDev.get(), yDev.get(), workspace.get(), tiles);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  Record("a", a), Record("b", b), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < N; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < K; k++) sum += (double)(float)a[i * K + k] * (float)b[k * N + j];
      wrong += !(std::fabs(y[i * N + j] - (sum > 0 ? sum : SLOPE * sum)) <= 1e-5 * K);
    }
  return Report("cpp_matmul_leakyrelu", y.size(), wrong);
}
