/* api_matmul_batch.cpp - Matmul objects over batches: every layout with its strides, inputs that one head, group or batch
 * serves for several, groups that are added up, biases per batch and for all, results in the vector core's buffer and in
 * NZ, several calls into a workspace, cube cores on their own. Against host arithmetic in double. */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr int32_t M = 20, N = 40, K = 24;
static_assert(std::is_same<::BatchOutMode, AscendC::BatchOutMode>::value, "named without the namespace too");

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address, uint64_t elems = 0) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address) + elems);
  return tensor;
}
template <typename T, LayoutMode layout, bool trans = false, CubeFormat format = CubeFormat::ND, TPosition position = TPosition::GM>
using Of = MatmulType<position, format, T, trans, layout>;
using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;

template <bool many>
struct Biases {
  static constexpr MatmulConfig config =
      GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulBatchParams{true, BatchMode::BATCH_LESS_THAN_L1, many,
                                                                 many ? BatchOutMode::MULTI_BATCH : BatchOutMode::SINGLE_BATCH});
};
constexpr bool ONE_BIAS = false, MANY_BIASES = true;

struct Axes { int32_t b, n, g; };
struct Case {
  Axes a, b, c;
  uint32_t batchA, batchB, loops, strideA, strideB;
  TCubeTiling tiling;
};

/* ---- kernels ---------------------------------------------------------------------------------------- */

template <LayoutMode in, LayoutMode out, bool ta, bool tb, bool many>
__global__ __mix__(1, 1) void batches(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, Case x) {
  if (GetSubBlockIdx() == 1) return; /* of a SuperKernel with two vector cores per cube core */
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, in, ta>, Of<half, in, tb>, Of<float, out>, Bias, Biases<many>::config> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &x.tiling);
  mm.SetTensorA(Global<half>(a), ta);
  mm.SetTensorB(Global<half>(b), tb);
  if (x.tiling.isBias) mm.SetBias(Global<float>(bias));
  if (x.loops == 1) {
    mm.template IterateBatch<false>(Global<float>(c), x.batchA, x.batchB, false, x.strideA, x.strideB);
    mm.WaitIterateBatch();
  } else {
    mm.SetWorkspace(Global<float>(c));
    mm.template IterateNBatch<false>(x.loops, x.batchA, x.batchB, false);
    for (uint32_t i = 0; i < x.loops; i++) {
      GlobalTensor<float> part = mm.template GetBatchTensorC<false>(x.batchA, x.batchB);
      if (part.GetSize() != uint64_t(M) * N * (x.batchA > x.batchB ? x.batchA : x.batchB)) Trap();
    }
  }
  mm.End();
}

/* Into the vector core's buffer, rows of whole blocks; and NZ. */
template <CubeFormat format>
__global__ __mix__(1, 1) void to_vector(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, Case x) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, LayoutMode::NORMAL>, Of<half, LayoutMode::NORMAL>, Of<float, LayoutMode::NORMAL, false, format, TPosition::VECIN>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &x.tiling);
  TBuf<TPosition::VECIN> buffer;
  constexpr uint32_t rows = format == CubeFormat::NZ ? 32 : M, columns = format == CubeFormat::NZ ? 48 : N;
  pipe.InitBuffer(buffer, 3 * rows * columns * sizeof(float));
  LocalTensor<float> ub = buffer.Get<float>();
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.IterateBatch(ub, x.batchA, x.batchB, true);
  if (format == CubeFormat::NZ) /* without the rows that only pad */
    DataCopy(Global<float>(c), ub, DataCopyParams(3 * columns / 16, M * 2, (rows - M) * 2, (rows - M) * 2));
  else
    DataCopy(Global<float>(c), ub, 3 * rows * columns);
  mm.End();
}

/* A cube core on its own. */
__global__ __cube__ void alone(GM_ADDR a, GM_ADDR b, GM_ADDR c, Case x) {
  TPipe pipe;
  MatmulImpl<Of<half, LayoutMode::NORMAL>, Of<half, LayoutMode::NORMAL>, Of<float, LayoutMode::NORMAL>> mm;
  mm.Init(&x.tiling, &pipe);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.SetBatchNum(static_cast<int32_t>(x.batchA), static_cast<int32_t>(x.batchB));
  mm.IterateBatch(Global<float>(c), false, 0, false);
  mm.End();
}

/* ---- host -------------------------------------------------------------------------------------------- */

template <typename T>
std::vector<T> Small(size_t count, uint32_t seed) {
  std::vector<T> numbers(count);
  for (size_t i = 0; i < count; i++) numbers[i] = T(static_cast<float>(static_cast<int>(Number(static_cast<uint32_t>(i) + seed) * 16)));
  return numbers;
}
static size_t results, wrong;
static void Check(double is, double should) {
  results++;
  if (is == should) return;
  if (wrong++ == 0) std::printf("result %zu is %g, not %g\n", results, is, should);
}

/* The place of an element in a layout, straight from the meaning of its name. */
static size_t Place(LayoutMode layout, Axes x, int32_t rows, int32_t columns, int32_t b, int32_t n, int32_t g, int32_t row, int32_t column) {
  switch (layout) {
    case LayoutMode::BSNGD: return ((((size_t)b * rows + row) * x.n + n) * x.g + g) * columns + column;
    case LayoutMode::SBNGD: return ((((size_t)row * x.b + b) * x.n + n) * x.g + g) * columns + column;
    default: return ((((size_t)b * x.n + n) * x.g + g) * rows + row) * columns + column;
  }
}
static int32_t Size(Axes x) { return x.b * x.n * x.g; }
static int32_t Only(int32_t axis, int32_t i) { return axis == 1 ? 0 : i; }
static int32_t Larger(int32_t a, int32_t b) { return a > b ? a : b; }
static uint8_t *workspace;

static TCubeTiling Tiling(bool with_bias, Axes a, bool ta, Axes b, bool tb, Axes c, int32_t batch) {
  matmul_tiling::BatchMatmulTiling choice;
  using matmul_tiling::DataType;
  choice.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, ta);
  choice.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, tb);
  choice.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  choice.SetShape(M, N, K);
  choice.SetOrgShape(M, N, K);
  choice.EnableBias(with_bias);
  choice.SetFixSplit(16, 32, 16);
  choice.SetALayout(a.b, ta ? K : M, a.n, a.g, ta ? M : K);
  choice.SetBLayout(b.b, tb ? N : K, b.n, b.g, tb ? K : N);
  choice.SetCLayout(c.b, M, c.n, c.g, N);
  choice.SetBatchNum(batch);
  TCubeTiling tiling{};
  Check(choice.GetTiling(tiling), 0);
  Check(tiling.ALayoutInfoG == a.g && tiling.BLayoutInfoN == b.n && tiling.CLayoutInfoS2 == N && tiling.BatchNum == batch, true);
  return tiling;
}

template <LayoutMode in, LayoutMode out, bool ta, bool tb, bool many>
static void Run(Axes a, Axes b, Axes c, uint32_t batchA, uint32_t batchB, uint32_t loops, bool with_bias) {
  std::vector<half> x = Small<half>(Size(a) * M * K, 1), y = Small<half>(Size(b) * K * N, 77);
  std::vector<float> bias = Small<float>((many ? Size(c) : 1) * N, 5), before = Small<float>(Size(c) * M * N, 9);
  Case test{a, b, c, batchA, batchB, loops, 0, 0, Tiling(with_bias, a, ta, b, tb, c, Larger(batchA, batchB))};
  DeviceArray<half> xDev(x), yDev(y);
  DeviceArray<float> biasDev(bias), cDev(before);
  batches<in, out, ta, tb, many><<<1, 0, nullptr>>>(xDev.get(), yDev.get(), biasDev.get(), cDev.get(), workspace, test);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = cDev.Read();
  Axes all{Larger(a.b, b.b), Larger(a.n, b.n), Larger(a.g, b.g)};
  bool adds = c.g == 1 && all.g > 1;
  for (int32_t i = 0; i < c.b; i++)
    for (int32_t j = 0; j < c.n; j++)
      for (int32_t l = 0; l < c.g; l++)
        for (int32_t m = 0; m < M; m++)
          for (int32_t n = 0; n < N; n++) {
            size_t at = Place(out, c, M, N, i, j, l, m, n);
            double sum = adds ? before[at] : 0;
            if (with_bias) sum += bias[many ? (size_t)((i * c.n + j) * c.g + l) * N + n : n];
            for (int32_t g = adds ? 0 : l; g < (adds ? all.g : l + 1); g++)
              for (int32_t k = 0; k < K; k++) {
                size_t p = ta ? Place(in, a, K, M, Only(a.b, i), Only(a.n, j), Only(a.g, g), k, m)
                              : Place(in, a, M, K, Only(a.b, i), Only(a.n, j), Only(a.g, g), m, k);
                size_t q = tb ? Place(in, b, N, K, Only(b.b, i), Only(b.n, j), Only(b.g, g), n, k)
                              : Place(in, b, K, N, Only(b.b, i), Only(b.n, j), Only(b.g, g), k, n);
                sum += (double)(float)x[p] * (float)y[q];
              }
            Check(z[at], sum);
          }
}

/* Matrices at strides of the caller's own, one B for two of A. */
static void RunStrided() {
  const uint32_t strideA = M * K + 48, strideB = K * N + 16;
  std::vector<half> x = Small<half>(4 * strideA, 3), y = Small<half>(2 * strideB, 4);
  Axes one{1, 1, 1};
  Case test{one, one, one, 4, 2, 1, strideA, strideB, Tiling(false, one, false, one, true, one, 4)};
  DeviceArray<half> xDev(x), yDev(y);
  DeviceArray<float> bias(N), cDev(4 * M * N);
  batches<LayoutMode::NORMAL, LayoutMode::NORMAL, false, true, ONE_BIAS>
      <<<1, 0, nullptr>>>(xDev.get(), yDev.get(), bias.get(), cDev.get(), workspace, test);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = cDev.Read();
  for (int32_t i = 0; i < 4; i++)
    for (int32_t m = 0; m < M; m++)
      for (int32_t n = 0; n < N; n++) {
        double sum = 0;
        for (int32_t k = 0; k < K; k++) sum += (double)(float)x[i * strideA + m * K + k] * (float)y[i / 2 * strideB + n * K + k];
        Check(z[(i * M + m) * N + n], sum);
      }
}

/* Three products; `at` tells where an element of the result is. */
template <class Launch, class At>
static void RunThree(size_t elems, Launch launch, At at) {
  std::vector<half> x = Small<half>(3 * M * K, 13), y = Small<half>(3 * K * N, 14);
  Axes one{1, 1, 1};
  Case test{one, one, one, 3, 3, 1, 0, 0, Tiling(false, one, false, one, false, one, 3)};
  DeviceArray<half> xDev(x), yDev(y);
  DeviceArray<float> cDev(std::vector<float>(elems, -7));
  launch(xDev.get(), yDev.get(), cDev.get(), test);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = cDev.Read();
  for (int32_t i = 0; i < 3; i++)
    for (int32_t m = 0; m < M; m++)
      for (int32_t n = 0; n < N; n++) {
        double sum = 0;
        for (int32_t k = 0; k < K; k++) sum += (double)(float)x[(i * M + m) * K + k] * (float)y[(i * K + k) * N + n];
        Check(z[at(i, m, n)], sum);
      }
}

int main() {
  Device device;
  DeviceArray<uint8_t> system(RESERVED_WORKSPACE);
  workspace = system.get();
  using L = LayoutMode;
  Run<L::BSNGD, L::BSNGD, false, true, MANY_BIASES>({1, 2, 3}, {1, 2, 3}, {1, 2, 3}, 6, 6, 1, true);
  Run<L::BSNGD, L::BNGS1S2, false, false, ONE_BIAS>({2, 1, 3}, {2, 1, 3}, {2, 1, 3}, 3, 3, 2, true);
  Run<L::SBNGD, L::SBNGD, true, true, ONE_BIAS>({2, 3, 1}, {2, 3, 1}, {2, 3, 1}, 6, 6, 1, false);
  Run<L::BNGS1S2, L::BNGS1S2, true, false, ONE_BIAS>({1, 2, 2}, {1, 2, 2}, {1, 2, 2}, 4, 4, 1, true);
  Run<L::BSNGD, L::BSNGD, false, false, ONE_BIAS>({1, 2, 3}, {1, 2, 1}, {1, 2, 3}, 6, 2, 1, false); /* B for all groups */
  Run<L::BNGS1S2, L::BNGS1S2, false, true, ONE_BIAS>({1, 1, 2}, {1, 3, 2}, {1, 3, 2}, 2, 6, 1, false); /* A for all heads */
  Run<L::SBNGD, L::BNGS1S2, false, true, ONE_BIAS>({2, 2, 1}, {1, 2, 1}, {2, 2, 1}, 4, 2, 1, false); /* B for all batches */
  Run<L::BSNGD, L::BSNGD, false, true, ONE_BIAS>({1, 2, 3}, {1, 2, 3}, {1, 2, 1}, 6, 6, 1, true); /* groups added up */
  Run<L::NORMAL, L::NORMAL, false, true, MANY_BIASES>({1, 1, 4}, {1, 1, 4}, {1, 1, 4}, 2, 2, 2, true);
  RunStrided();
  RunThree(3 * M * N, [](uint8_t *a, uint8_t *b, uint8_t *c, const Case &x) { alone<<<1, 0, nullptr>>>(a, b, c, x); },
           [](int32_t i, int32_t m, int32_t n) { return (i * M + m) * N + n; });
  RunThree(3 * M * N, [](uint8_t *a, uint8_t *b, uint8_t *c, const Case &x) { to_vector<CubeFormat::ND_ALIGN><<<1, 0, nullptr>>>(a, b, c, workspace, x); },
           [](int32_t i, int32_t m, int32_t n) { return (i * M + m) * N + n; });
  RunThree(3 * 32 * 48, [](uint8_t *a, uint8_t *b, uint8_t *c, const Case &x) { to_vector<CubeFormat::NZ><<<1, 0, nullptr>>>(a, b, c, workspace, x); },
           [](int32_t i, int32_t m, int32_t n) { return i * 32 * 48 + (n / 16) * 32 * 16 + m * 16 + n % 16; });
  return Report("api_matmul_batch", results, wrong);
}
