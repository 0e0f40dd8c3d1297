/* cpp_topk.cpp - the 16 greatest of each row of 1024 floats with their positions: Sort32, then merges of four
 * lists, then scores and positions taken apart.
 *
 *   skcc cpp_topk.cpp -o cpp_topk && skv verify ./cpp_topk */
#include <algorithm>
#include <numeric>

#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t COLUMNS = 1024, K = 16;

__global__ __vector__ void cpp_topk(GM_ADDR x, GM_ADDR values, GM_ADDR positions, uint32_t rows) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> valueQue, positionQue;
  TBuf<TPosition::VECCALC> indexBuf, sortedBuf, tmpBuf;
  pipe.InitBuffer(in, 2, COLUMNS * sizeof(float));
  pipe.InitBuffer(valueQue, 1, COLUMNS * sizeof(float));
  pipe.InitBuffer(positionQue, 1, COLUMNS * sizeof(uint32_t));
  pipe.InitBuffer(indexBuf, COLUMNS * sizeof(uint32_t));
  pipe.InitBuffer(sortedBuf, COLUMNS * 8);
  pipe.InitBuffer(tmpBuf, COLUMNS * 8);
  GlobalTensor<float> xGm, valueGm;
  GlobalTensor<uint32_t> positionGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, rows * COLUMNS);
  valueGm.SetGlobalBuffer((__gm__ float *)values, rows * K);
  positionGm.SetGlobalBuffer((__gm__ uint32_t *)positions, rows * K);
  LocalTensor<int32_t> index = indexBuf.Get<int32_t>();
  CreateVecIndex(index, 0, COLUMNS);
  for (uint32_t r = GetBlockIdx(); r < rows; r += GetBlockNum()) {
    LocalTensor<float> row = in.AllocTensor<float>();
    DataCopy(row, xGm[r * COLUMNS], COLUMNS);
    in.EnQue(row);
    row = in.DeQue<float>();
    LocalTensor<float> sorted = sortedBuf.Get<float>(), tmp = tmpBuf.Get<float>(), concat;
    Concat(concat, row, tmp, COLUMNS / 16);
    PipeBarrier<PIPE_V>();
    Sort<float, true>(sorted, concat, index.ReinterpretCast<uint32_t>(), tmp, COLUMNS / 32);
    PipeBarrier<PIPE_V>();
    LocalTensor<float> value = valueQue.AllocTensor<float>();
    LocalTensor<uint32_t> position = positionQue.AllocTensor<uint32_t>();
    Extract(value, position, sorted, COLUMNS / 32);
    in.FreeTensor(row);
    valueQue.EnQue(value);
    positionQue.EnQue(position);
    value = valueQue.DeQue<float>();
    position = positionQue.DeQue<uint32_t>();
    DataCopy(valueGm[r * K], value, K);
    DataCopy(positionGm[r * K], position, K);
    valueQue.FreeTensor(value);
    positionQue.FreeTensor(position);
  }
}

int main() {
  const uint32_t rows = 100;
  std::vector<float> x(rows * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = std::floor(Number(i) * 500); // with ties
  Device device;
  DeviceArray<float> xDev(x), valueDev(rows * K);
  DeviceArray<uint32_t> positionDev(rows * K);
  cpp_topk<<<48, 0, nullptr>>>(xDev.get(), valueDev.get(), positionDev.get(), rows);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> value = valueDev.Read();
  std::vector<uint32_t> position = positionDev.Read(), order(COLUMNS);
  Record("x", x), Record("value", value), Record("position", position);
  size_t wrong = 0;
  for (uint32_t r = 0; r < rows; r++) {
    const float *row = &x[r * COLUMNS];
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [row](uint32_t a, uint32_t b) { return row[a] > row[b]; });
    for (uint32_t i = 0; i < K; i++) wrong += value[r * K + i] != row[order[i]] || position[r * K + i] != order[i];
  }
  return Report("cpp_topk", rows * K, wrong);
}
