/* cpp_quantise.cpp - float to int8 with a scale per column and back by another way: AscendQuant, Cast, AscendAntiQuant;
 * the differences go to a statistic kept in device memory with an atomic maximum.
 *
 *   skcc cpp_quantise.cpp -o cpp_quantise && skv verify ./cpp_quantise */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROWS = 16, COLUMNS = 128, TILE = ROWS * COLUMNS;

__global__ __vector__ void cpp_quantise(GM_ADDR x, GM_ADDR scale, GM_ADDR q, GM_ADDR worst) {
  TPipe pipe;
  TBuf<> xBuf, scaleBuf, qBuf, halfBuf, backBuf, partBuf;
  pipe.InitBuffer(xBuf, TILE * sizeof(float));
  pipe.InitBuffer(scaleBuf, COLUMNS * 4 * sizeof(float));
  pipe.InitBuffer(qBuf, TILE);
  pipe.InitBuffer(halfBuf, TILE * sizeof(half));
  pipe.InitBuffer(backBuf, TILE * sizeof(float));
  pipe.InitBuffer(partBuf, 32);
  LocalTensor<float> a = xBuf.Get<float>(), scales = scaleBuf.Get<float>(COLUMNS), back = backBuf.Get<float>(), part = partBuf.Get<float>();
  LocalTensor<float> inverse = scaleBuf.GetWithOffset<float>(COLUMNS, COLUMNS * 4);
  LocalTensor<half> narrow = scaleBuf.GetWithOffset<half>(COLUMNS, COLUMNS * 8), halves = halfBuf.Get<half>();
  LocalTensor<int8_t> bytes = qBuf.Get<int8_t>();
  GlobalTensor<float> xGm, scaleGm, worstGm;
  GlobalTensor<int8_t> qGm;
  xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * TILE, TILE);
  scaleGm.SetGlobalBuffer((__gm__ float *)scale, COLUMNS);
  qGm.SetGlobalBuffer((__gm__ int8_t *)q + GetBlockIdx() * TILE, TILE);
  worstGm.SetGlobalBuffer((__gm__ float *)worst, 8);
  DataCopy(a, xGm, TILE);
  DataCopy(scales, scaleGm, COLUMNS);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendQuant<float>(bytes, a, scales, 0.0f, COLUMNS, TILE);
  Duplicate(inverse, 1.0f, COLUMNS);
  Div(inverse, inverse, scales, COLUMNS);
  Cast(narrow, inverse, RoundMode::CAST_RINT, COLUMNS);
  AscendAntiQuant<int8_t, half, false>(halves, bytes, narrow, ROWS);
  Cast(back, halves, RoundMode::CAST_NONE, TILE);
  Sub(back, back, a, TILE);
  Abs(back, back, TILE);
  ReduceMax(part, back, a, TILE);
  Duplicate(part, part.GetValue(0), 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(qGm, bytes, TILE);
  SetAtomicMax<float>();
  DataCopy(worstGm, part, 8);
  SetAtomicNone();
}

int main() {
  const uint32_t blocks = 30;
  std::vector<float> x(blocks * TILE), scale(COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = std::nearbyint(256 * Number(i)) / 128; /* exact in half, as AscendQuant computes */
  for (uint32_t i = 0; i < COLUMNS; i++) scale[i] = 32.0f + i % 3 * 16;
  Device device;
  DeviceArray<float> xDev(x), scaleDev(scale), worstDev(std::vector<float>(8, 0));
  DeviceArray<int8_t> qDev(x.size());
  cpp_quantise<<<blocks, 0, nullptr>>>(xDev.get(), scaleDev.get(), qDev.get(), worstDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int8_t> q = qDev.Read();
  std::vector<float> worst = worstDev.Read();
  Record("x", x), Record("scale", scale), Record("q", q), Record("worst", worst);
  size_t wrong = 0;
  double most = 0;
  for (uint32_t i = 0; i < x.size(); i++) {
    double by = scale[i % COLUMNS], expected = std::fmin(127, std::fmax(-128, std::nearbyint(x[i] * by)));
    wrong += q[i] != expected;
    most = std::fmax(most, std::fabs(expected / by - x[i]));
  }
  wrong += !(std::fabs(worst[0] - most) <= 2e-3);
  return Report("cpp_quantise", q.size() + 1, wrong);
}
