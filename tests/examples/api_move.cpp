/* api_move.cpp - copies and reductions in forms that the examples do not show: paddings with the value of SetPadValue, rows
 * of 4-bit elements to Nz, block sums with both types named. Against host arithmetic. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address));
  return tensor;
}

/* Three rows of 20, with paddings on both sides, in rows of 32. */
constexpr uint32_t ROWS = 3, WIDE = 20, LEFT = 2, RIGHT = 4, PITCH = 32;

__global__ __vector__ void padded(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, ROWS * PITCH * sizeof(half));
  SetPadValue(half(7));
  LocalTensor<half> rows = queue.AllocTensor<half>();
  DataCopyPadExtParams<half> padding(false, LEFT, RIGHT, half(0));
  DataCopyPad(rows, Global<half>(x), DataCopyExtParams(ROWS, WIDE * sizeof(half), 0, 0, 0), padding);
  queue.EnQue(rows);
  rows = queue.DeQue<half>();
  DataCopy(Global<half>(y), rows, ROWS * PITCH);
  queue.FreeTensor(rows);
  SetPadValue(half(0));
}

/* 16 rows of 128 elements of 4 bits: two columns of blocks. The numbers count pairs. */
__global__ __cube__ void rows_of_4_bits(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::A1> buffer;
  pipe.InitBuffer(buffer, 1024);
  LocalTensor<int4b_t> l1 = buffer.Get<int4b_t>();
  DataCopy(l1, Global<int4b_t>(x), Nd2NzParams(1, 16, 64, 0, 64, 16, 1, 0));
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(Global<int8_t>(y), l1.ReinterpretCast<int8_t>(), 1024);
}

__global__ __vector__ void block_sums(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 32);
  LocalTensor<float> a = in.AllocTensor<float>(), b = out.AllocTensor<float>();
  DataCopy(a, Global<float>(x), 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  SetVectorMask<float>(0, ~uint64_t{0});
  ReduceDataBlock<ReduceType::SUM, float, float, false>(b, a, MASK_PLACEHOLDER, 1, 1, 1, 8);
  in.FreeTensor(a);
  out.EnQue(b);
  b = out.DeQue<float>();
  DataCopy(Global<float>(y), b, 8);
  out.FreeTensor(b);
  ResetMask();
}

static size_t results, wrong;
static void Check(double is, double should) {
  results++;
  if (is == should) return;
  if (wrong++ == 0) std::printf("result %zu is %g, not %g\n", results, is, should);
}

int main() {
  Device device;
  std::vector<half> rows(ROWS * WIDE);
  for (size_t i = 0; i < rows.size(); i++) rows[i] = half(Number(static_cast<uint32_t>(i)));
  DeviceArray<half> rowsDev(rows), paddedDev(ROWS * PITCH);
  padded<<<1, 0, nullptr>>>(rowsDev.get(), paddedDev.get());
  std::vector<uint8_t> nibbles(1024);
  for (size_t i = 0; i < nibbles.size(); i++) nibbles[i] = static_cast<uint8_t>(i * 37 + i / 64);
  DeviceArray<uint8_t> nibblesDev(nibbles), nzDev(1024);
  rows_of_4_bits<<<1, 0, nullptr>>>(nibblesDev.get(), nzDev.get());
  std::vector<float> numbers(64);
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = static_cast<float>(i * i % 31);
  DeviceArray<float> numbersDev(numbers), sumsDev(8);
  block_sums<<<1, 0, nullptr>>>(numbersDev.get(), sumsDev.get());
  Device::Must(aclrtSynchronizeDevice());

  std::vector<half> with_padding = paddedDev.Read();
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t c = 0; c < PITCH; c++) {
      bool inside = c >= LEFT && c < LEFT + WIDE;
      Check((float)with_padding[r * PITCH + c], inside ? (float)rows[r * WIDE + c - LEFT] : 7);
    }
  std::vector<uint8_t> nz = nzDev.Read();
  for (uint32_t r = 0; r < 16; r++)
    for (uint32_t b = 0; b < 64; b++) Check(nz[b / 32 * 512 + r * 32 + b % 32], nibbles[r * 64 + b]);
  std::vector<float> sums = sumsDev.Read();
  for (uint32_t block = 0; block < 8; block++) {
    double sum = 0;
    for (uint32_t i = 0; i < 8; i++) sum += numbers[block * 8 + i];
    Check(sums[block], sum);
  }
  return Report("api_move", results, wrong);
}
