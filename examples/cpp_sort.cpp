/* cpp_sort.cpp - rows of 512 floats in descending order with their positions: Concat, Sort, Extract.
 *
 *   skcc cpp_sort.cpp -o cpp_sort && skv verify ./cpp_sort */
#include <algorithm>

#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 512, GROUPS = N / 32;

__global__ __vector__ void cpp_sort(GM_ADDR x, GM_ADDR y, GM_ADDR position, uint32_t rows) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out, outPosition;
  TBuf<> indexBuf, recordBuf, tmpBuf;
  pipe.InitBuffer(in, 1, N * sizeof(float));
  pipe.InitBuffer(out, 1, N * sizeof(float));
  pipe.InitBuffer(outPosition, 1, N * sizeof(uint32_t));
  pipe.InitBuffer(indexBuf, N * sizeof(uint32_t));
  pipe.InitBuffer(recordBuf, N * 8);
  pipe.InitBuffer(tmpBuf, N * 8);
  GlobalTensor<float> xGm, yGm;
  GlobalTensor<uint32_t> positionGm;
  xGm.SetGlobalBuffer((__gm__ float *)x);
  yGm.SetGlobalBuffer((__gm__ float *)y);
  positionGm.SetGlobalBuffer((__gm__ uint32_t *)position);
  LocalTensor<uint32_t> index = indexBuf.Get<uint32_t>();
  LocalTensor<float> records = recordBuf.Get<float>(), tmp = tmpBuf.Get<float>(), joined;
  CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, N);
  for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    LocalTensor<float> from = in.AllocTensor<float>();
    DataCopy(from, xGm[row * N], N);
    in.EnQue(from);
    from = in.DeQue<float>();
    Concat(joined, from, tmp, GROUPS);
    Sort<float, true>(records, joined, index, tmp, GROUPS);
    in.FreeTensor(from);
    LocalTensor<float> to = out.AllocTensor<float>();
    LocalTensor<uint32_t> where = outPosition.AllocTensor<uint32_t>();
    Extract(to, where, records, GROUPS);
    out.EnQue(to);
    outPosition.EnQue(where);
    to = out.DeQue<float>();
    where = outPosition.DeQue<uint32_t>();
    DataCopy(yGm[row * N], to, N);
    DataCopy(positionGm[row * N], where, N);
    out.FreeTensor(to);
    outPosition.FreeTensor(where);
  }
}

int main() {
  const uint32_t rows = 100;
  std::vector<float> x(rows * N);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = std::floor(1000 * Number(i)); // with ties
  Device device;
  DeviceArray<float> xDev(x), yDev(x.size());
  DeviceArray<uint32_t> positionDev(x.size());
  cpp_sort<<<48, 0, nullptr>>>(xDev.get(), yDev.get(), positionDev.get(), rows);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = yDev.Read();
  std::vector<uint32_t> position = positionDev.Read();
  Record("x", x), Record("y", y), Record("position", position);
  size_t wrong = 0;
  std::vector<uint32_t> order(N);
  for (uint32_t r = 0; r < rows; r++) {
    for (uint32_t i = 0; i < N; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) { return x[r * N + i] > x[r * N + j]; });
    for (uint32_t i = 0; i < N; i++) wrong += y[r * N + i] != x[r * N + order[i]] || position[r * N + i] != order[i];
  }
  return Report("cpp_sort", y.size(), wrong);
}
