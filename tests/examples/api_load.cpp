/* api_load.cpp - images loaded into L0A from two words of parameters and of elements of four bits, tensors put at the address
 * of another, the compiler's own names of synchronisation. Against products that are whole numbers. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t M = 32, N = 16, K = 48;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address));
  return tensor;
}

/* An image of one row of M pixels with K channels is A, pixel by pixel. Rows [first, first + rows * step) of A in steps, and
 * channels from `channel` on, times as many rows of B. */
template <class Rows>
__global__ __cube__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  constexpr uint16_t rows = Rows::count, depth = K - Rows::channel;
  LocalTensor<half> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, 8192, K * N), base(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, K * N);
  LocalTensor<float> sum(TPosition::CO1, 0, M * N);
  DataCopy(a1, Global<half>(a), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(b1, Global<half>(b), Nd2NzParams(1, K, N, 0, N, K, 1, 0));
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  if (base.GetPhyAddr() + 256 * sizeof(half) != base.GetPhyAddr(256)) Trap();
  LocalTensor<half> a2;
  a2.SetAddr(base[256].address_);
  const uint8_t none[PAD_SIZE] = {0, 0, 0, 0};
  Load3DSetFMatrixCal(1, M, none);
  Load3DSetPaddingCal(half(0));
  LoadData3DParamsV2Pro image;
  image.channelSize = K;
  image.extConfig = depth | uint64_t{rows} << 16 | uint64_t{Rows::channel} << 32 | uint64_t{Rows::first} << 48;
  image.filterConfig = 0x10101010100 | Rows::step;
  LoadData(a2, a1, image);
  LoadData(b2, b1, LoadData2DParams(Rows::channel / 16, depth / 16, 1, 0, 0, true, 0));
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
  Mmad(sum, base[256], b2, MmadParams(rows, N, depth, 0, false, true));
  icache_preload(1);
  if (unlikely(rows == 0)) Trap();
  pipe_barrier(PIPE_ALL);
  Fixpipe<float, float, CFG_ROW_MAJOR>(Global<float>(c), sum, FixpipeParamsV220(N, rows, rows, N, false));
}

/* 64 channels of four bits are a block: rows of A, and of B turned, lie one behind the other. */
__global__ __cube__ void small_product(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  LocalTensor<int8_t> a1(TPosition::A1, 0, M * 32), b1(TPosition::B1, 8192, N * 32);
  LocalTensor<int4b_t> a2(TPosition::A2, 0, M * 64), b2(TPosition::B2, 0, N * 64);
  LocalTensor<int32_t> sum(TPosition::CO1, 0, M * N);
  DataCopy(a1, Global<int8_t>(a), M * 32);
  DataCopy(b1, Global<int8_t>(b), N * 32);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  LoadData3DParamsV2<int4b_t> image;
  image.l1H = 1, image.l1W = M, image.channelSize = 64, image.kExtension = 64, image.mExtension = M;
  LoadData(a2, a1.ReinterpretCast<int4b_t>(), image);
  LoadData(b2, b1.ReinterpretCast<int4b_t>(), LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
  Mmad(sum, a2, b2, MmadParams(M, N, 64, 0, false, true));
  pipe_barrier(PIPE_ALL);
  Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(Global<int32_t>(c), sum, FixpipeParamsV220(N, M, M, N, false));
}

/* The types are this file's own: their kernels are too. */
namespace {
struct All { static constexpr uint16_t first = 0, count = M, channel = 0, step = 1; };
struct Lower { static constexpr uint16_t first = 16, count = 16, channel = 16, step = 1; };
struct Even { static constexpr uint16_t first = 0, count = 16, channel = 32, step = 2; };

size_t results, wrong;

template <class Rows>
void Run(const std::vector<half> &a, const std::vector<half> &b) {
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> cDev(Rows::count * N);
  product<Rows><<<1, nullptr, nullptr>>>(aDev.get(), bDev.get(), cDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  for (int i = 0; i < Rows::count; i++)
    for (int j = 0; j < N; j++) {
      double should = 0;
      for (int k = Rows::channel; k < K; k++) should += double(float(a[(Rows::first + i * Rows::step) * K + k])) * float(b[k * N + j]);
      results++;
      if (c[i * N + j] != should && wrong++ == 0) std::printf("row %d, column %d is %g, not %g\n", i, j, c[i * N + j], should);
    }
}

/* Four bits of row-major numbers, as a signed number. */
int Small(const std::vector<int8_t> &all, int i) {
  int bits = (uint8_t(all[i / 2]) >> (i % 2 * 4)) & 15;
  return bits < 8 ? bits : bits - 16;
}
void RunSmall() {
  std::vector<int8_t> a(M * 32), b(N * 32);
  for (size_t i = 0; i < a.size(); i++) a[i] = int8_t(37 * i + i / 7);
  for (size_t i = 0; i < b.size(); i++) b[i] = int8_t(91 * i + i / 5);
  DeviceArray<int8_t> aDev(a), bDev(b);
  DeviceArray<int32_t> cDev(M * N);
  small_product<<<1, nullptr, nullptr>>>(aDev.get(), bDev.get(), cDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> c = cDev.Read();
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int should = 0;
      for (int k = 0; k < 64; k++) should += Small(a, i * 64 + k) * Small(b, j * 64 + k);
      results++;
      if (c[i * N + j] != should && wrong++ == 0) std::printf("int4: row %d, column %d is %d, not %d\n", i, j, c[i * N + j], should);
    }
}
} // namespace

int main() {
  static_assert(SizeOfBits<int4b_t>::value == 4 && SizeOfBits<half>::value == 16 && AIC != AIV, "sizes and core types");
  std::vector<half> a(M * K), b(K * N);
  for (int i = 0; i < M * K; i++) a[i] = half(float(int(10 * Number(i))));
  for (int i = 0; i < K * N; i++) b[i] = half(float(int(10 * Number(i + 5000))));
  Device device;
  Run<All>(a, b);
  Run<Lower>(a, b);
  Run<Even>(a, b);
  RunSmall();
  return Report("api_load", results, wrong);
}
