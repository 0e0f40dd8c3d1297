/* api_layout.cpp - places of elements by coordinates: known to the compiler, and a matrix that a kernel turns by two layouts. */
#include "host.hpp"
#include "kernel_operator_layout.h"

using namespace AscendC;

/* Worked by hand: 1 * 20 + 2 * 5 + 3 * 1; 11 is (1, 5) in (2, 4) and 12 is (0, 4) in (3, 5). */
static_assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33);
static_assert(Crd2Idx(MakeCoord(11, 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)), MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 129);
static_assert(Crd2Idx(MakeCoord(MakeCoord(1, 3), 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)), MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 117);
static_assert(Crd2Idx(7, MakeShape(2, MakeShape(3, 4)), MakeStride(100, MakeStride(10, 1))) == 101 + 0 * 10);
static_assert(MakeLayout(MakeShape(Std::Int<4>{}, 8), MakeStride(Std::Int<16>{}, 1))(MakeCoord(3, 5)) == 53);
static_assert(is_layout_v<decltype(MakeLayout(MakeShape(1), MakeStride(1)))> && !is_layout<Shape<int>>::value);
static_assert(Std::get<1>(MakeLayout(MakeShape(4, 8), MakeStride(8, 1)).GetShape()) == 8);

constexpr uint32_t ROWS = 6, COLUMNS = 8;

__global__ __vector__ void turn(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer((__gm__ int32_t *)x, ROWS * COLUMNS);
  to.SetGlobalBuffer((__gm__ int32_t *)y, ROWS * COLUMNS);
  auto in = MakeLayout(MakeShape(ROWS, COLUMNS), MakeStride(COLUMNS, 1u)), out = MakeLayout(MakeShape(ROWS, COLUMNS), MakeStride(1u, ROWS));
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t c = 0; c < COLUMNS; c++) {
      Coord<uint32_t, uint32_t> at = MakeCoord(r, c);
      to.SetValue(out(at), from.GetValue(Crd2Idx(at, in)));
    }
}

int main() {
  Device device;
  std::vector<int32_t> x(ROWS * COLUMNS);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = (int32_t)(i * i);
  DeviceArray<int32_t> from(x), to(x.size());
  turn<<<1, 0, nullptr>>>(from.get(), to.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> y = to.Read();
  size_t wrong = 0;
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t c = 0; c < COLUMNS; c++) wrong += y[c * ROWS + r] != x[r * COLUMNS + c];
  return Report("api_layout", x.size(), wrong);
}
