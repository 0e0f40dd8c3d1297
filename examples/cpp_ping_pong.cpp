/* cpp_ping_pong.cpp - powers of a matrix, cube core and vector core by turns: the cube core multiplies, the vector core
 * rounds the product to half for the next step; flags go forth and back.
 *
 *   skcc cpp_ping_pong.cpp -o cpp_ping_pong && skv verify ./cpp_ping_pong */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t S = 32, MULTIPLIED = 3, ROUNDED = 4; // side of the matrix; flags
constexpr uint32_t STEPS = 4;

__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR power, GM_ADDR product) {
  LocalTensor<half> a1(TPosition::A1, 0, S * S), b1(TPosition::B1, S * S * 2, S * S), a2(TPosition::A2, 0, S * S), b2(TPosition::B2, 0, S * S);
  LocalTensor<float> c(TPosition::CO1, 0, S * S);
  GlobalTensor<half> aGm, powerGm;
  GlobalTensor<float> productGm;
  aGm.SetGlobalBuffer((__gm__ half *)a + GetBlockIdx() * S * S);
  powerGm.SetGlobalBuffer((__gm__ half *)power + GetBlockIdx() * S * S);
  productGm.SetGlobalBuffer((__gm__ float *)product + GetBlockIdx() * S * S);
  DataCopy(b1, aGm, Nd2NzParams{1, S, S, 0, S, S, 1, 0});
  for (uint32_t step = 0; step < STEPS; step++) {
    CrossCoreWaitFlag(ROUNDED);
    DataCopy(a1, powerGm, Nd2NzParams{1, S, S, 0, S, S, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    for (uint16_t i = 0; i < S / 16; i++) {
      LoadData(a2[i * 16 * S], a1, LoadData2DParams{i, S / 16, S / 16, 0, 0, false, 0});
      LoadData(b2[i * 16 * S], b1, LoadData2DParams{i, S / 16, S / 16, 0, 0, true, 0});
    }
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(c, a2, b2, MmadParams{S, S, S, 0, false, true});
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe(productGm, c, FixpipeParamsV220{S, S, S, S, false});
    CrossCoreSetFlag<2, PIPE_FIX>(MULTIPLIED);
    PipeBarrier<PIPE_ALL>();
  }
}

__aicore__ inline void Round(GM_ADDR a, GM_ADDR power, GM_ADDR product) {
  if (GetSubBlockIdx() == 1) { // of a SuperKernel with two vector cores per cube core: takes part in the flags only
    for (uint32_t step = 0; step <= STEPS; step++) {
      if (step > 0) CrossCoreWaitFlag(MULTIPLIED);
      if (step < STEPS) CrossCoreSetFlag<2, PIPE_MTE3>(ROUNDED);
    }
    return;
  }
  TPipe pipe;
  TBuf<> floatBuf, halfBuf;
  pipe.InitBuffer(floatBuf, S * S * sizeof(float));
  pipe.InitBuffer(halfBuf, S * S * sizeof(half));
  LocalTensor<float> wide = floatBuf.Get<float>();
  LocalTensor<half> narrow = halfBuf.Get<half>();
  uint32_t block = GetBlockIdx() / GetSubBlockNum();
  GlobalTensor<half> aGm, powerGm;
  GlobalTensor<float> productGm;
  aGm.SetGlobalBuffer((__gm__ half *)a + block * S * S);
  powerGm.SetGlobalBuffer((__gm__ half *)power + block * S * S);
  productGm.SetGlobalBuffer((__gm__ float *)product + block * S * S);
  for (uint32_t step = 0; step <= STEPS; step++) {
    if (step == 0) {
      DataCopy(narrow, aGm, S * S);
      SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    } else {
      CrossCoreWaitFlag(MULTIPLIED);
      DataCopy(wide, productGm, S * S);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      Cast(narrow, wide, RoundMode::CAST_RINT, S * S);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    DataCopy(powerGm, narrow, S * S);
    if (step < STEPS) CrossCoreSetFlag<2, PIPE_MTE3>(ROUNDED);
    PipeBarrier<PIPE_ALL>();
  }
}

__global__ __mix__(1, 1) void cpp_ping_pong(GM_ADDR a, GM_ADDR power, GM_ADDR product) {
  if ASCEND_IS_AIC Multiply(a, power, product);
  if ASCEND_IS_AIV Round(a, power, product);
}

int main() {
  const uint32_t blocks = 24;
  std::vector<half> a(blocks * S * S);
  for (uint32_t i = 0; i < a.size(); i++) a[i] = half(Number(i) / 4);
  Device device;
  DeviceArray<half> aDev(a), powerDev(a.size());
  DeviceArray<float> productDev(a.size());
  cpp_ping_pong<<<blocks, 0, nullptr>>>(aDev.get(), powerDev.get(), productDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> power = powerDev.Read();
  Record("a", a), Record("power", power);
  size_t wrong = 0;
  for (uint32_t block = 0; block < blocks; block++) {
    const half *m = &a[block * S * S];
    std::vector<double> now(S * S);
    for (uint32_t i = 0; i < S * S; i++) now[i] = (float)m[i];
    for (uint32_t step = 0; step < STEPS; step++) {
      std::vector<double> next(S * S);
      for (uint32_t i = 0; i < S; i++)
        for (uint32_t j = 0; j < S; j++) {
          for (uint32_t k = 0; k < S; k++) next[i * S + j] += now[i * S + k] * (float)m[k * S + j];
        }
      now = next;
    }
    for (uint32_t i = 0; i < S * S; i++) wrong += !(std::fabs((float)power[block * S * S + i] - now[i]) <= 5e-3);
  }
  return Report("cpp_ping_pong", power.size(), wrong);
}
