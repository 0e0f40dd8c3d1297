/* cpp_reduce.cpp - sum, maximum and position of the maximum of each row.
 *
 *   skcc cpp_reduce.cpp -o cpp_reduce && skv verify ./cpp_reduce */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COLUMNS = 1000;
constexpr uint32_t RESULTS = 8; // of a row: sum, maximum, its position, and space up to 32 bytes

__global__ __vector__ void cpp_reduce(GM_ADDR x, GM_ADDR results, uint32_t rows) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> rowBuf, workBuf, resultBuf;
  pipe.InitBuffer(rowBuf, 4096);
  pipe.InitBuffer(workBuf, 1024);
  pipe.InitBuffer(resultBuf, 3 * 32);
  LocalTensor<float> row = rowBuf.Get<float>(), work = workBuf.Get<float>(), sum = resultBuf.Get<float>(8),
                     extreme = resultBuf.GetWithOffset<float>(8, 32), result = resultBuf.GetWithOffset<float>(8, 64);
  GlobalTensor<float> xGm, resultGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, rows * COLUMNS);
  resultGm.SetGlobalBuffer((__gm__ float *)results, rows * RESULTS);
  event_t loaded = static_cast<event_t>(pipe.AllocEventID<HardEvent::MTE2_V>());
  event_t computed = static_cast<event_t>(pipe.AllocEventID<HardEvent::S_MTE3>());
  for (uint32_t r = GetBlockIdx(); r < rows; r += GetBlockNum()) {
    DataCopyPad(row, xGm[r * COLUMNS], DataCopyExtParams{1, COLUMNS * sizeof(float), 0, 0, 0},
                DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
    SetFlag<HardEvent::MTE2_V>(loaded);
    WaitFlag<HardEvent::MTE2_V>(loaded);
    ReduceSum(sum, row, work, COLUMNS);
    ReduceMax(extreme, row, work, COLUMNS, true);
    Duplicate(result, 0.0f, 8);
    result.SetValue(0, sum.GetValue(0));
    result.SetValue(1, extreme.GetValue(0));
    result.SetValue(2, static_cast<float>(extreme.ReinterpretCast<uint32_t>().GetValue(1)));
    SetFlag<HardEvent::S_MTE3>(computed);
    WaitFlag<HardEvent::S_MTE3>(computed);
    DataCopy(resultGm[r * RESULTS], result, RESULTS);
    PipeBarrier<PIPE_ALL>();
  }
  pipe.ReleaseEventID<HardEvent::MTE2_V>(loaded);
  pipe.ReleaseEventID<HardEvent::S_MTE3>(computed);
}

int main() {
  const uint32_t rows = 200;
  std::vector<float> x(rows * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = Number(i);
  Device device;
  DeviceArray<float> xDev(x), resultDev(rows * RESULTS);
  cpp_reduce<<<48, 0, nullptr>>>(xDev.get(), resultDev.get(), rows);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> result = resultDev.Read();
  Record("x", x), Record("result", result);
  size_t wrong = 0;
  for (uint32_t r = 0; r < rows; r++) {
    const float *row = &x[r * COLUMNS];
    double sum = 0;
    int best = 0;
    for (int i = 0; i < COLUMNS; i++) {
      sum += row[i];
      if (row[i] > row[best]) best = i;
    }
    wrong += !(std::fabs(result[r * RESULTS] - sum) <= 1e-4);
    wrong += result[r * RESULTS + 1] != row[best];
    wrong += result[r * RESULTS + 2] != (float)best;
  }
  return Report("cpp_reduce", rows * 3, wrong);
}
