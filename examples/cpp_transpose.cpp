/* cpp_transpose.cpp - a matrix of halves turned in tiles of 16 x 128: sixteen rows become columns by TransDataTo5HD.
 *
 *   skcc cpp_transpose.cpp -o cpp_transpose && skv verify ./cpp_transpose */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROWS = 16, COLUMNS = 128, TILE = ROWS * COLUMNS;

__global__ __vector__ void cpp_transpose(GM_ADDR x, GM_ADDR y, uint32_t rows) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 2, TILE * sizeof(half));
  pipe.InitBuffer(out, 2, TILE * sizeof(half));
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  for (uint32_t tile = GetBlockIdx(); tile < rows / ROWS; tile += GetBlockNum()) {
    LocalTensor<half> from = in.AllocTensor<half>();
    DataCopy(from, xGm[tile * TILE], TILE);
    in.EnQue(from);
    from = in.DeQue<half>();
    LocalTensor<half> to = out.AllocTensor<half>();
    LocalTensor<half> fromRows[16], toRows[16];
    for (uint32_t i = 0; i < 16; i++) {
      fromRows[i] = from[i * COLUMNS];
      toRows[i] = to[i * ROWS];
    }
    TransDataTo5HD<half>(toRows, fromRows, TransDataTo5HDParams{false, false, COLUMNS / 16, 16, 1});
    in.FreeTensor(from);
    out.EnQue(to);
    to = out.DeQue<half>();
    DataCopy(yGm[tile * ROWS], to, DataCopyParams{COLUMNS, 1, 0, static_cast<uint16_t>(rows / 16 - 1)});
    out.FreeTensor(to);
  }
}

int main() {
  const uint32_t rows = 64 * ROWS;
  std::vector<half> x(rows * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = half(Number(i));
  Device device;
  DeviceArray<half> xDev(x), yDev(x.size());
  cpp_transpose<<<48, 0, nullptr>>>(xDev.get(), yDev.get(), rows);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<half> y = yDev.Read();
  Record("x", x), Record("y", y);
  size_t wrong = 0;
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < COLUMNS; j++) wrong += (float)y[j * rows + i] != (float)x[i * COLUMNS + j];
  return Report("cpp_transpose", y.size(), wrong);
}
