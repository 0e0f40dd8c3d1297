// Two kernels of one file with tiling structures of their own, each under the name that REGISTER_TILING_DEFAULT gave it, and
// branches by keys: the key is the compiler's, -DTILING_KEY_VAR=14.
#define TILING_KEY_VAR 14
#include <cstring>

#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

struct LineTiling {
  uint32_t count;
  int32_t first;
};
namespace wide {
struct Tiling {
  int64_t base;
  uint16_t step;
};
struct OtherTiling {
  uint8_t unused;
};
} // namespace wide

__aicore__ inline void Store(GM_ADDR out, int32_t a, int32_t b, int32_t c) {
  auto *to = reinterpret_cast<__gm__ int32_t *>(out);
  to[0] = a, to[1] = b, to[2] = c;
}

__global__ __aicore__ void Line(GM_ADDR out, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(LineTiling);
  GET_TILING_DATA(data, tiling);
  int32_t branch = 0;
  if (TILING_KEY_IS(1)) branch = 1;
  else if (TILING_KEY_LIST(13, 14)) branch = 2;
  Store(out, static_cast<int32_t>(data.count), data.first, branch);
}

__global__ __aicore__ void Wide(GM_ADDR out, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(wide::OtherTiling);
  REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR >= 10) && (TILING_KEY_VAR <= 15)", wide::Tiling);
  int32_t branch = 0;
  if (TILING_KEY_LIST(1, 2)) branch = 1;
  else if (TILING_KEY_IS(14)) branch = 3;
  GET_TILING_DATA_WITH_STRUCT(wide::Tiling, data, tiling);
  GET_TILING_DATA_MEMBER(wide::Tiling, step, step, tiling);
  Store(out, static_cast<int32_t>(data.base), step, branch);
}

using Kernel = void (*)(GM_ADDR, GM_ADDR);
static const Kernel kernels[] = {Line, Wide};

int main() {
  const int32_t expected[2][3] = {{7, -3, 2}, {1000000, 65535, 3}};
  std::vector<uint8_t> tilings[2] = {std::vector<uint8_t>(sizeof(LineTiling)), std::vector<uint8_t>(sizeof(wide::Tiling))};
  const LineTiling line = {7, -3};
  wide::Tiling other = {};
  other.base = 1000000, other.step = 65535;
  std::memcpy(tilings[0].data(), &line, sizeof line);
  std::memcpy(tilings[1].data(), &other, sizeof other);
  size_t wrong = 0;
  Device device;
  for (int i = 0; i < 2; i++) {
    DeviceArray<uint8_t> tiling(tilings[i]);
    DeviceArray<int32_t> out(8);
    kernels[i]<<<1, nullptr, nullptr>>>(out.get(), tiling.get());
    Device::Must(aclrtSynchronizeDevice());
    const std::vector<int32_t> found = out.Read();
    for (int j = 0; j < 3; j++) wrong += found[j] != expected[i][j];
  }
  return Report("api_tiling", 6, wrong);
}
