/* cpp_gather.cpp - three ways to choose elements: by offsets (a row reversed), by a fixed pattern (even elements),
 * and by the bits of a comparison (the positive ones, packed, with their number).
 *
 *   skcc cpp_gather.cpp -o cpp_gather && skv verify ./cpp_gather */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 1024;

__global__ __vector__ void cpp_gather(GM_ADDR x, GM_ADDR reversed, GM_ADDR even, GM_ADDR positive, GM_ADDR counts) {
  LocalMemAllocator<> memory;
  LocalTensor<float> row = memory.Alloc<float>(N), turned = memory.Alloc<float>(N), half_ = memory.Alloc<float>(N),
                     kept = memory.Alloc<float>(N);
  LocalTensor<int32_t> offset = memory.Alloc<int32_t>(N);
  LocalTensor<uint8_t> bits = memory.Alloc<uint8_t>(N / 8);
  InitSocState();
  GlobalTensor<float> xGm, reversedGm, evenGm, positiveGm;
  GlobalTensor<uint32_t> countGm;
  uint32_t block = GetBlockIdx();
  xGm.SetGlobalBuffer((__gm__ float *)x + block * N);
  reversedGm.SetGlobalBuffer((__gm__ float *)reversed + block * N);
  evenGm.SetGlobalBuffer((__gm__ float *)even + block * N / 2);
  positiveGm.SetGlobalBuffer((__gm__ float *)positive + block * N);
  countGm.SetGlobalBuffer((__gm__ uint32_t *)counts + block * 16);

  DataCopy(row, xGm, N);
  Duplicate(kept, 0.0f, N);
  CreateVecIndex(offset, 0, N);
  PipeBarrier<PIPE_V>();
  Muls(offset, offset, -4, N);
  PipeBarrier<PIPE_V>();
  Adds(offset, offset, static_cast<int32_t>((N - 1) * 4), N);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  PipeBarrier<PIPE_V>();
  Gather(turned, row, offset.ReinterpretCast<uint32_t>(), 0, N);
  uint64_t count = 0;
  GatherMask(half_, row, 1, false, 0, GatherMaskParams{1, N / 64, 8, 0}, count);
  assert(count == N / 2, "%d\n", static_cast<int>(count));
  CompareScalar(bits, row, 0.0f, CMPMODE::GT, N);
  PipeBarrier<PIPE_V>();
  GatherMask(kept, row, bits.ReinterpretCast<uint32_t>(), true, N, GatherMaskParams{1, 1, 8, 8}, count);
  countGm.SetValue(0, static_cast<uint32_t>(count));
  DataCacheCleanAndInvalid<uint32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(countGm);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(reversedGm, turned, N);
  DataCopy(evenGm, half_, N / 2);
  DataCopy(positiveGm, kept, N);
  PipeBarrier<PIPE_ALL>();
}

int main() {
  const uint32_t blocks = 20;
  std::vector<float> x(blocks * N);
  for (uint32_t i = 0; i < x.size(); i++) x[i] = Number(i);
  Device device;
  DeviceArray<float> xDev(x), reversedDev(blocks * N), evenDev(blocks * N / 2), positiveDev(blocks * N);
  DeviceArray<uint32_t> countDev(blocks * 16);
  cpp_gather<<<blocks, 0, nullptr>>>(xDev.get(), reversedDev.get(), evenDev.get(), positiveDev.get(), countDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> reversed = reversedDev.Read(), even = evenDev.Read(), positive = positiveDev.Read();
  std::vector<uint32_t> count(blocks * 16);
  for (uint32_t b = 0; b < blocks; b++) /* the rest of each line was never written */
    Device::Must(aclrtMemcpy(&count[b * 16], 4, countDev.get() + b * 64, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  Record("x", x), Record("reversed", reversed), Record("even", even), Record("positive", positive), Record("count", count);
  size_t wrong = 0;
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < N; i++) {
      wrong += reversed[b * N + i] != x[b * N + N - 1 - i];
      if (i % 2 == 0) wrong += even[b * N / 2 + i / 2] != x[b * N + i];
      if (x[b * N + i] > 0) wrong += positive[b * N + found++] != x[b * N + i];
    }
    wrong += count[b * 16] != found;
  }
  return Report("cpp_gather", x.size(), wrong);
}
