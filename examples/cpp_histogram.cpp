/* cpp_histogram.cpp - DMA atomics: every core adds its part of a column sum to the same 256 floats.
 *
 *   skcc cpp_histogram.cpp -o cpp_histogram && skv verify ./cpp_histogram */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t COLUMNS = 256, ROWS = 32; // per core

__global__ __vector__ void cpp_histogram(GM_ADDR x, GM_ADDR sums) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, ROWS * COLUMNS * sizeof(int32_t));
  pipe.InitBuffer(out, 1, COLUMNS * sizeof(int32_t));
  GlobalTensor<int32_t> xGm, sumGm;
  xGm.SetGlobalBuffer((__gm__ int32_t *)x + GetBlockIdx() * ROWS * COLUMNS, ROWS * COLUMNS);
  sumGm.SetGlobalBuffer((__gm__ int32_t *)sums, COLUMNS);
  LocalTensor<int32_t> rows = in.AllocTensor<int32_t>(), sum = out.AllocTensor<int32_t>();
  DataCopy(rows, xGm, ROWS * COLUMNS);
  in.EnQue(rows);
  rows = in.DeQue<int32_t>();
  Duplicate(sum, 0, COLUMNS);
  for (uint32_t r = 0; r < ROWS; r++) {
    PipeBarrier<PIPE_V>();
    Add(sum, sum, rows[r * COLUMNS], COLUMNS);
  }
  in.FreeTensor(rows);
  out.EnQue(sum);
  sum = out.DeQue<int32_t>();
  SetAtomicAdd<int32_t>();
  DataCopy(sumGm, sum, COLUMNS);
  DisableDmaAtomic();
  out.FreeTensor(sum);
}

int main() {
  const uint32_t cores = 40;
  std::vector<int32_t> x(cores * ROWS * COLUMNS), start(COLUMNS, 7);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = (int32_t)(1000 * Number(i));
  Device device;
  DeviceArray<int32_t> xDev(x), sumDev(start);
  cpp_histogram<<<cores, 0, nullptr>>>(xDev.get(), sumDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> sum = sumDev.Read();
  Record("x", x), Record("sum", sum);
  size_t wrong = 0;
  for (uint32_t c = 0; c < COLUMNS; c++) {
    int64_t exact = 7;
    for (uint32_t r = 0; r < cores * ROWS; r++) exact += x[r * COLUMNS + c];
    wrong += sum[c] != exact;
  }
  return Report("cpp_histogram", COLUMNS, wrong);
}
