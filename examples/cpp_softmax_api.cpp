/* cpp_softmax_api.cpp - softmax of half rows by the high-level API, with a temporary buffer of the size the host asks for.
 *
 *   skcc cpp_softmax_api.cpp -o cpp_softmax_api && skv verify ./cpp_softmax_api */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr uint32_t ROWS = 16, COLUMNS = 256, TILE = ROWS * COLUMNS;

__global__ __vector__ void cpp_softmax_api(GM_ADDR x, GM_ADDR y, uint32_t tiles, uint32_t tmpBytes, SoftMaxTiling tiling) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<> sums, tmp;
  pipe.InitBuffer(in, 2, TILE * sizeof(half));
  pipe.InitBuffer(out, 2, TILE * sizeof(half));
  pipe.InitBuffer(sums, 2 * ROWS * 32);
  pipe.InitBuffer(tmp, tmpBytes);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  LocalTensor<half> sum = sums.Get<half>(), max = sum[ROWS * 16];
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
    LocalTensor<half> from = in.AllocTensor<half>();
    DataCopy(from, xGm[tile * TILE], TILE);
    in.EnQue(from);
    from = in.DeQue<half>();
    LocalTensor<half> to = out.AllocTensor<half>();
    SoftMax<half>(to, sum, max, from, tmp.Get<uint8_t>(), tiling, SoftMaxShapeInfo{ROWS, COLUMNS, ROWS, COLUMNS});
    in.FreeTensor(from);
    out.EnQue(to);
    to = out.DeQue<half>();
    DataCopy(yGm[tile * TILE], to, TILE);
    out.FreeTensor(to);
  }
}

int main() {
  const uint32_t tiles = 60, rows = tiles * ROWS;
  std::vector<half> x(rows * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = half(6 * Number(i));
  ge::Shape shape({ROWS, COLUMNS});
  optiling::SoftMaxTiling tiling;
  uint32_t bytes = GetSoftMaxMinTmpSize(shape, sizeof(half), false);
  SoftMaxTilingFunc(shape, sizeof(half), bytes, tiling);
  Device device;
  DeviceArray<half> xDev(x), yDev(x.size());
  cpp_softmax_api<<<48, 0, nullptr>>>(xDev.get(), yDev.get(), tiles, bytes, tiling);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t r = 0; r < rows; r++) {
    double most = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) most = std::fmax(most, (float)x[r * COLUMNS + i]);
    for (uint32_t i = 0; i < COLUMNS; i++) sum += std::exp((float)x[r * COLUMNS + i] - most);
    for (uint32_t i = 0; i < COLUMNS; i++)
      wrong += !(std::fabs((float)y[r * COLUMNS + i] - std::exp((float)x[r * COLUMNS + i] - most) / sum) <= 1e-3);
  }
  return Report("cpp_softmax_api", y.size(), wrong);
}
