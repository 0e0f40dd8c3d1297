/* api_sort.cpp - TopK over rows of which some are finished, with and without names of the columns; sizes and tilings of Sort and
 * TopK on the host. Against a sort of the host's. */
#include <algorithm>

#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr uint32_t ROWS = 5, COLUMNS = 64, WIDE = 50, TOP = 10, VALUE_PITCH = 16, INDEX_PITCH = 16;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address));
  return tensor;
}

template <bool named, bool largest>
__global__ __vector__ void top(GM_ADDR x, GM_ADDR names, GM_ADDR finished, GM_ADDR values, GM_ADDR indices) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in, nameQueue, finishQueue;
  TQue<TPosition::VECOUT, 1> valueQueue, indexQueue;
  pipe.InitBuffer(in, 1, ROWS * COLUMNS * sizeof(float));
  pipe.InitBuffer(nameQueue, 1, COLUMNS * sizeof(int32_t));
  pipe.InitBuffer(finishQueue, 1, 32);
  pipe.InitBuffer(valueQueue, 1, ROWS * VALUE_PITCH * sizeof(float));
  pipe.InitBuffer(indexQueue, 1, ROWS * INDEX_PITCH * sizeof(int32_t));
  LocalTensor<float> a = in.AllocTensor<float>(), v = valueQueue.AllocTensor<float>();
  LocalTensor<int32_t> n = nameQueue.AllocTensor<int32_t>(), i = indexQueue.AllocTensor<int32_t>();
  LocalTensor<uint8_t> f = finishQueue.AllocTensor<uint8_t>();
  Duplicate(v, 0.0f, ROWS * VALUE_PITCH);
  Duplicate(i, 0, ROWS * INDEX_PITCH);
  DataCopy(a, Global<float>(x), ROWS * COLUMNS);
  DataCopy(n, Global<int32_t>(names), COLUMNS);
  DataCopy(f, Global<uint8_t>(finished), 32);
  in.EnQue(a), nameQueue.EnQue(n), finishQueue.EnQue(f);
  a = in.DeQue<float>(), n = nameQueue.DeQue<int32_t>(), f = finishQueue.DeQue<uint8_t>();
  TopKInfo info;
  info.outter = ROWS, info.inner = COLUMNS, info.n = WIDE;
  TopK<float, named, true, false, TopKMode::TOPK_NORMAL>(v, i, a, n, f.ReinterpretCast<bool>(), TOP, TopkTiling(), info, largest);
  in.FreeTensor(a), nameQueue.FreeTensor(n), finishQueue.FreeTensor(f);
  valueQueue.EnQue(v), indexQueue.EnQue(i);
  v = valueQueue.DeQue<float>(), i = indexQueue.DeQue<int32_t>();
  DataCopy(Global<float>(values), v, ROWS * VALUE_PITCH);
  DataCopy(Global<int32_t>(indices), i, ROWS * INDEX_PITCH);
  valueQueue.FreeTensor(v), indexQueue.FreeTensor(i);
}

static size_t results, wrong;
static void Check(double is, double should) {
  results++;
  if (is == should) return;
  if (wrong++ == 0) std::printf("result %zu is %g, not %g\n", results, is, should);
}

template <bool named, bool largest>
static void Run() {
  std::vector<float> x(ROWS * COLUMNS);
  std::vector<int32_t> names(COLUMNS);
  std::vector<uint8_t> finished(32, 0);
  for (size_t i = 0; i < x.size(); i++) x[i] = Number(static_cast<uint32_t>(i) + 7);
  for (size_t i = 0; i < names.size(); i++) names[i] = static_cast<int32_t>(1000 + i * 3);
  finished[1] = finished[4] = 1;
  DeviceArray<float> xDev(x), values(ROWS * VALUE_PITCH);
  DeviceArray<int32_t> namesDev(names), indices(ROWS * INDEX_PITCH);
  DeviceArray<uint8_t> finishedDev(finished);
  top<named, largest><<<1, 0, nullptr>>>(xDev.get(), namesDev.get(), finishedDev.get(), values.get(), indices.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> v = values.Read();
  std::vector<int32_t> n = indices.Read();
  for (uint32_t r = 0; r < ROWS; r++) {
    std::vector<uint32_t> order(WIDE);
    for (uint32_t c = 0; c < WIDE; c++) order[c] = c;
    const float *row = &x[r * COLUMNS];
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return largest ? row[a] > row[b] : row[a] < row[b]; });
    for (uint32_t i = 0; i < TOP; i++) {
      Check(v[r * VALUE_PITCH + i], row[order[i]]);
      Check(n[r * INDEX_PITCH + i], finished[r] != 0 ? (int32_t)WIDE : named ? names[order[i]] : (int32_t)order[i]);
    }
  }
}

static void CheckSizes() {
  platform_ascendc::PlatformAscendC &platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  uint32_t most = 0, least = 0;
  TopkTiling tiling;
  Check(TopKTilingFunc(platform, 64, 3, 10, 4, false, TopKMode::TOPK_NORMAL, true, tiling), true);
  Check(TopKTilingFunc(platform, 60, 3, 10, 4, false, TopKMode::TOPK_NORMAL, true, tiling), false);
  Check(TopKTilingFunc(platform, 64, 3, 65, 4, false, TopKMode::TOPK_NORMAL, true, tiling), false);
  Check(GetTopKMaxMinTmpSize(platform, 64, 3, false, false, TopKMode::TOPK_NORMAL, true, 4, most, least), true);
  Check(least, 1024);
  Check(most, 3072);
  Check(GetTopKMaxMinTmpSize(platform, 0, 3, false, false, TopKMode::TOPK_NORMAL, true, 4, most, least), false);
  Check(GetSortTmpSize(platform, 40, 4), 512);
  Check(GetConcatTmpSize(platform, 40, 4), 0);
  GetSortMaxMinTmpSize(TensorShape({40}), TensorDataType::DT_FLOAT, TensorDataType::DT_UINT32, false, SortConfig(), most, least);
  Check(least, 1024);
}

int main() {
  Device device;
  Run<false, true>();
  Run<true, true>();
  Run<true, false>();
  CheckSizes();
  return Report("api_sort", results, wrong);
}
