/* api_cube.cpp - cube functions that the examples do not show (bias, other types, results in half, int8 with a scale,
 * per column and in NZ, constants), and scalar and copy functions of a vector core. Against host arithmetic. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t M = 32, N = 32, K = 64;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address, uint64_t bytes = 0) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address + bytes));
  return tensor;
}
template <HardEvent event>
__aicore__ inline void Wait() {
  SetFlag<event>(EVENT_ID0);
  WaitFlag<event>(EVENT_ID0);
}

/* out: float with bias, half, half in NZ as float's place, each 4 KiB apart */
__global__ __cube__ void cube(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR a8, GM_ADDR b8, GM_ADDR scales, GM_ADDR out) {
  LocalTensor<half> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, 8192, K * N), a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, K * N);
  LocalTensor<float> bias1(TPosition::C1, 16384, N), bias2(TPosition::C2, 0, N), c(TPosition::CO1, 0, M * N);
  DataCopy(a1, Global<half>(a), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(b1, Global<half>(b), Nd2NzParams(1, K, N, 0, N, K, 1, 0));
  DataCopy(bias1, Global<float>(bias), N);
  Wait<HardEvent::MTE2_MTE1>();
  for (uint16_t i = 0; i < M / 16; i++) LoadData(a2[i * 16 * K], a1, LoadData2DParams(i, K / 16, M / 16, 0, 0, false, 0));
  LoadDataWithTranspose(b2, b1, LoadData2dTransposeParams(0, K / 16, 1, N / 16 - 1, 0));
  LoadDataWithTranspose(b2[256], b1, LoadData2dTransposeParams(K / 16, K / 16, 1, N / 16 - 1, 0));
  DataCopy(bias2, bias1, N);
  Wait<HardEvent::MTE1_M>();
  Mmad(c, a2, b2, bias2, MmadParams(M, N, K, 0, true, false));
  Wait<HardEvent::M_FIX>();
  Fixpipe(Global<float>(out), c, FixpipeParamsV220(N, M, M, N, false));
  Fixpipe(Global<half>(out, 4096), c, FixpipeParamsV220(N, M, M, N, true, F322F16, 0, 1, 0, 0, 0));
  FixpipeParamsV220 nz(N, M, M, M, false);
  nz.quantPre = F322F16;
  Fixpipe<half, float, CFG_NZ>(Global<half>(out, 8192), c, nz);
  PipeBarrier<PIPE_ALL>();

  LocalTensor<int8_t> l1a(TPosition::A1, 0, M * K), l1b(TPosition::B1, 8192, K * N), l0a(TPosition::A2, 0, M * K), l0b(TPosition::B2, 0, K * N);
  LocalTensor<int32_t> sum(TPosition::CO1, 0, M * N);
  LocalTensor<uint64_t> table(TPosition::C1, 16384, N);
  DataCopy(l1a, Global<int8_t>(a8), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(l1b, Global<int8_t>(b8), Nd2NzParams(1, N, K, 0, K, N, 1, 0)); // given transposed: N rows of K
  DataCopy(table, Global<uint64_t>(scales), N);
  Wait<HardEvent::MTE2_MTE1>();
  Wait<HardEvent::MTE2_FIX>();
  for (uint16_t i = 0; i < M / 16; i++) LoadData(l0a[i * 16 * K], l1a, LoadData2DParams(i, K / 32, M / 16, 0, 0, false, 0));
  LoadData(l0b, l1b, LoadData2DParams(0, K / 32 * N / 16, 1, 0, 0, false, 0));
  Wait<HardEvent::MTE1_M>();
  Mmad(sum, l0a, l0b, MmadParams(M, N, K, 0, false, true));
  Wait<HardEvent::M_FIX>();
  Fixpipe(Global<int32_t>(out, 12288), sum, FixpipeParamsV220(N, M, M, N, false));
  Fixpipe(Global<half>(out, 16384), sum, table, FixpipeParamsV220(N, M, M, N, false, VDEQF16, 0, 1, 0, 0, 0));
  PipeBarrier<PIPE_ALL>();

  Fill(a2, InitConstValueParams<half>(1, 8, 0, half(2.0f)));
  Fill(b2, InitConstValueParams<half>(1, 8, 0, half(0.5f)));
  Wait<HardEvent::MTE1_M>();
  Mmad(c, a2, b2, MmadParams(M, N, K, 0, false, true));
  Wait<HardEvent::M_FIX>();
  Fixpipe(Global<float>(out, 20480), c, FixpipeParamsV220(N, M, M, N, false));
  PipeBarrier<PIPE_ALL>();
}

__global__ __vector__ void vector(GM_ADDR x, GM_ADDR out, GM_ADDR words) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> pool;
  TBuf<> first, second;
  pipe.InitBufPool(pool, 8192);
  pool.InitBuffer(first, 2048);
  pool.InitBuffer(second, 2048);
  LocalTensor<float> a = first.Get<float>(), b = second.Get<float>();
  DataCopyPad(a, Global<float>(x), DataCopyExtParams(4, 20, 44, 0, 0), DataCopyPadExtParams<float>(true, 1, 2, -1.0f));
  Wait<HardEvent::MTE2_V>();
  Muls(b, a, 2.0f, 32);
  Wait<HardEvent::V_MTE3>();
  SetAtomicMax<float>();
  DataCopyPad(Global<float>(out), b, DataCopyExtParams(1, 100, 0, 0, 0));
  SetAtomicNone();
  PipeBarrier<PIPE_ALL>();
  GM_ADDR word = words + 64 * GetBlockIdx();
  WriteGmByPassDCache(reinterpret_cast<__gm__ uint32_t *>(word), 41u);
  uint32_t value = ReadGmByPassDCache(reinterpret_cast<__gm__ uint32_t *>(word));
  WriteGmByPassDCache(reinterpret_cast<__gm__ uint32_t *>(word), value + 1);
  if (GetBitCount<1>(0xf0f0u) != 8 || CountLeadingZero(1) != 63 || GetSFFValue<1>(8) != 3) Trap();
  if (Cast<float, int32_t, RoundMode::CAST_ROUND>(2.5f) != 3 || ToFloat(ToBfloat16(1.0f)) != 1.0f) Trap();
  if (static_cast<float>(Cast<float, half, RoundMode::CAST_ODD>(1.0f + 0x1p-12f)) != 1.0f + 0x1p-10f) Trap();
  DumpTensor(b, 7, 4);
  AscendC::printf("block %d of %d, %s %f\n", static_cast<int>(GetBlockIdx()), static_cast<int>(GetBlockNum()), "half", half(0.5f));
}

int main() {
  std::vector<half> a(M * K), b(K * N);
  std::vector<float> bias(N), x(64), start(32, 0.5f);
  std::vector<int8_t> a8(M * K), b8(N * K);
  std::vector<uint64_t> scales(N);
  for (uint32_t i = 0; i < M * K; i++) a[i] = half(Number(i)), a8[i] = (int8_t)(100 * Number(i));
  for (uint32_t i = 0; i < K * N; i++) b[i] = half(Number(i + 9999)), b8[i] = (int8_t)(100 * Number(i + 9999));
  for (uint32_t i = 0; i < N; i++) bias[i] = i, scales[i] = __builtin_bit_cast(uint32_t, 0.001953125f * (i % 4 + 1));
  for (uint32_t i = 0; i < 64; i++) x[i] = Number(i);
  Device device;
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> biasDev(bias), xDev(x), outDev(start);
  DeviceArray<int8_t> a8Dev(a8), b8Dev(b8);
  DeviceArray<uint64_t> scaleDev(scales);
  DeviceArray<uint32_t> words(std::vector<uint32_t>(16));
  DeviceArray<uint8_t> cDev(std::vector<uint8_t>(24576));
  cube<<<1, 0, nullptr>>>(aDev.get(), bDev.get(), biasDev.get(), a8Dev.get(), b8Dev.get(), scaleDev.get(), cDev.get());
  vector<<<1, 0, nullptr>>>(xDev.get(), outDev.get(), words.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<uint8_t> bytes = cDev.Read();
  const float *c = (const float *)bytes.data(), *constant = (const float *)(bytes.data() + 20480);
  const half *narrow = (const half *)(bytes.data() + 4096), *blocks = (const half *)(bytes.data() + 8192), *scaled = (const half *)(bytes.data() + 16384);
  const int32_t *sums = (const int32_t *)(bytes.data() + 12288);
  size_t wrong[8] = {0};
  for (uint32_t i = 0; i < M; i++)
    for (uint32_t j = 0; j < N; j++) {
      double exact = bias[j];
      int32_t whole = 0;
      for (uint32_t k = 0; k < K; k++) exact += (double)(float)a[i * K + k] * (float)b[k * N + j], whole += a8[i * K + k] * b8[j * K + k];
      wrong[0] += !(std::fabs(c[i * N + j] - exact) < 1e-4);
      wrong[1] += (float)narrow[i * N + j] != (float)half(c[i * N + j] > 0 ? c[i * N + j] : 0);
      wrong[2] += (float)blocks[j / 16 * M * 16 + i * 16 + j % 16] != (float)half(c[i * N + j]);
      wrong[3] += sums[i * N + j] != whole;
      wrong[4] += (float)scaled[i * N + j] != (float)half((float)whole * 0.001953125f * (j % 4 + 1));
      wrong[5] += constant[i * N + j] != K;
    }
  std::vector<float> out = outDev.Read();
  for (uint32_t i = 0; i < 25; i++) {
    uint32_t at = i % 8;
    float loaded = at >= 1 && at < 6 ? 2 * x[i / 8 * 16 + at - 1] : -2;
    wrong[6] += out[i] != (loaded > 0.5f ? loaded : 0.5f);
  }
  wrong[7] += words.Read()[0] != 42;
  size_t total = 0;
  for (int i = 0; i < 8; i++) total += wrong[i];
  for (int i = 0; i < 8 && total != 0; i++) std::printf("part %d: %zu wrong\n", i, wrong[i]);
  return Report("api_cube", 6 * M * N + 26, total);
}
