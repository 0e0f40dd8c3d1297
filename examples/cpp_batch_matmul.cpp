/* cpp_batch_matmul.cpp - attention scores: the product of queries and keys of every head, where a key serves the heads of a
 * group, straight from and to tensors of (batch, sequence, head, group, width); a batch per vector core.
 *
 *   skcc cpp_batch_matmul.cpp -o cpp_batch_matmul && skv verify ./cpp_batch_matmul */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr int32_t BATCHES = 4, QUERIES = 40, KEYS = 72, HEADS = 2, GROUPS = 3, WIDTH = 64;

template <typename T, LayoutMode layout, bool transposed = false>
using Of = MatmulType<TPosition::GM, CubeFormat::ND, T, transposed, layout>;

__global__ __mix__(1, 2) void cpp_batch_matmul(GM_ADDR q, GM_ADDR k, GM_ADDR scores, GM_ADDR workspace, TCubeTiling tiling) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, LayoutMode::BSNGD>, Of<half, LayoutMode::BSNGD, true>, Of<float, LayoutMode::BNGS1S2>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  int32_t batch = GetBlockIdx();
  if (batch >= BATCHES) return;
  GlobalTensor<half> queries, keys;
  GlobalTensor<float> results;
  queries.SetGlobalBuffer((__gm__ half *)q + batch * QUERIES * HEADS * GROUPS * WIDTH);
  keys.SetGlobalBuffer((__gm__ half *)k + batch * KEYS * HEADS * WIDTH);
  results.SetGlobalBuffer((__gm__ float *)scores + batch * HEADS * GROUPS * QUERIES * KEYS);
  mm.SetTensorA(queries);
  mm.SetTensorB(keys, true);
  mm.IterateBatch(results, HEADS * GROUPS, HEADS, false);
  mm.End();
}

int main() {
  Device device;
  platform_ascendc::PlatformAscendC *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  matmul_tiling::BatchMatmulTiling choice(*platform);
  choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16, true);
  choice.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  choice.SetShape(QUERIES, KEYS, WIDTH);
  choice.SetOrgShape(QUERIES, KEYS, WIDTH);
  choice.SetALayout(BATCHES, QUERIES, HEADS, GROUPS, WIDTH);
  choice.SetBLayout(BATCHES, KEYS, HEADS, 1, WIDTH);
  choice.SetCLayout(BATCHES, QUERIES, HEADS, GROUPS, KEYS);
  choice.SetBatchNum(HEADS * GROUPS);
  TCubeTiling tiling;
  if (choice.GetTiling(tiling) != 0) return 1;

  std::vector<half> q(BATCHES * QUERIES * HEADS * GROUPS * WIDTH), k(BATCHES * KEYS * HEADS * WIDTH);
  for (size_t i = 0; i < q.size(); i++) q[i] = half(Number(i));
  for (size_t i = 0; i < k.size(); i++) k[i] = half(Number(i + 1000000));
  DeviceArray<half> qDev(q), kDev(k);
  DeviceArray<float> scoresDev(BATCHES * HEADS * GROUPS * QUERIES * KEYS);
  DeviceArray<uint8_t> workspace(platform->GetLibApiWorkSpaceSize());
  cpp_batch_matmul<<<BATCHES / 2, 0, nullptr>>>(qDev.get(), kDev.get(), scoresDev.get(), workspace.get(), tiling);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> scores = scoresDev.Read();
  Record("q", q), Record("k", k), Record("scores", scores);
  size_t wrong = 0, at = 0;
  for (int32_t b = 0; b < BATCHES; b++)
    for (int32_t n = 0; n < HEADS; n++)
      for (int32_t g = 0; g < GROUPS; g++)
        for (int32_t i = 0; i < QUERIES; i++)
          for (int32_t j = 0; j < KEYS; j++, at++) {
            double sum = 0;
            for (int32_t d = 0; d < WIDTH; d++)
              sum += (double)(float)q[(((b * QUERIES + i) * HEADS + n) * GROUPS + g) * WIDTH + d] *
                     (double)(float)k[((b * KEYS + j) * HEADS + n) * WIDTH + d];
            wrong += !(std::fabs(scores[at] - sum) <= 1e-5 * WIDTH);
          }
  return Report("cpp_batch_matmul", scores.size(), wrong);
}
