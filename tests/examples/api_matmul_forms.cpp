/* api_matmul_forms.cpp - Matmul objects with inputs in L1 of every element that loads turn, copies of the kernel's own for
 * floats that are turned, TSCM filled from the vector core's buffer, scales in L1, partial sums, batches from the vector
 * core's buffer and with partial sums, results of batches fetched. Against host arithmetic in double. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t M = 48, N = 80, K = 112; /* K and N are no multiples of 32, which bytes are turned by */

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address, uint64_t elems = 0) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address) + elems);
  return tensor;
}
template <typename T, bool trans = false, CubeFormat format = CubeFormat::ND, TPosition position = TPosition::GM,
          LayoutMode layout = LayoutMode::NONE>
using Of = MatmulType<position, format, T, trans, layout>;
constexpr uint32_t RoundUp(uint32_t a, uint32_t b) { return (a + b - 1) / b * b; }

/* ---- inputs in L1: stored rows and columns to Nz, rows padded to whole squares where loads turn them ------------- */

template <typename T>
__aicore__ inline void Fill(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t rows, uint32_t columns, bool turned) {
  uint16_t r = static_cast<uint16_t>(rows), c = static_cast<uint16_t>(columns);
  DataCopy(to, from, Nd2NzParams(1, r, c, 0, c, static_cast<uint16_t>(RoundUp(rows, sizeof(T) == 1 && turned ? 32 : 16)), 1, 0));
}

template <typename T, typename R, bool ta, bool tb>
__global__ __mix__(1, 2) void from_tscm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<T, ta, CubeFormat::NZ, TPosition::TSCM>, Of<T, tb, CubeFormat::NZ, TPosition::TSCM>, Of<R>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  int32_t which = static_cast<int32_t>(GetSubBlockIdx());
  TSCM<TPosition::GM, 1> left, right;
  pipe.InitBuffer(left, 1, 128 * 128 * sizeof(T));
  pipe.InitBuffer(right, 1, 128 * 128 * sizeof(T));
  LocalTensor<T> x = left.template AllocTensor<T>(), y = right.template AllocTensor<T>();
  Fill(x, Global<T>(a, which * M * K), ta ? K : M, ta ? M : K, ta);
  Fill(y, Global<T>(b, which * K * N), tb ? N : K, tb ? K : N, !tb);
  left.EnQue(x), right.EnQue(y);
  x = left.template DeQue<T>(), y = right.template DeQue<T>();
  mm.SetTensorA(x, ta);
  mm.SetTensorB(y, tb);
  mm.IterateAll(Global<R>(c, which * M * N));
  mm.End();
  left.FreeTensor(x), right.FreeTensor(y);
}

/* Elements of four bits, two to a byte: B turned in squares of 64. */
template <bool tb>
__global__ __cube__ void four_bits(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<int4b_t, false, CubeFormat::NZ, TPosition::A1>, Of<int4b_t, tb, CubeFormat::NZ, TPosition::B1>, Of<int32_t>> mm;
  mm.Init(&t, &pipe);
  TQue<TPosition::A1, 1> left;
  TQue<TPosition::B1, 1> right;
  pipe.InitBuffer(left, 1, 64 * 128);
  pipe.InitBuffer(right, 1, 128 * 64);
  LocalTensor<int8_t> x = left.AllocTensor<int8_t>(), y = right.AllocTensor<int8_t>();
  DataCopy(x, Global<int8_t>(a), Nd2NzParams(1, M, K / 2, 0, K / 2, M, 1, 0));
  if (tb) DataCopy(y, Global<int8_t>(b), Nd2NzParams(1, N, K / 2, 0, K / 2, N, 1, 0));
  else DataCopy(y, Global<int8_t>(b), Nd2NzParams(1, K, N / 2, 0, N / 2, 128, 1, 0));
  left.EnQue(x), right.EnQue(y);
  x = left.DeQue<int8_t>(), y = right.DeQue<int8_t>();
  mm.SetTensorA(x.ReinterpretCast<int4b_t>());
  mm.SetTensorB(y.ReinterpretCast<int4b_t>(), tb);
  mm.IterateAll(Global<int32_t>(c));
  mm.End();
  left.FreeTensor(x), right.FreeTensor(y);
}

/* ---- copies of the kernel's own, floats that are turned ---------------------------------------------------------- */

__aicore__ inline void CopyA(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useM, int useK, const uint64_t,
                             const uint64_t) {
  GlobalTensor<float> from; /* stored (K, M); base blocks of 32 x 48 */
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(const_cast<__gm__ void *>(gm)));
  DataCopy(l1.ReinterpretCast<float>(), from[col * 48 * M + row * 32],
           Nd2NzParams(1, static_cast<uint16_t>(useK), static_cast<uint16_t>(useM), 0, M, static_cast<uint16_t>(RoundUp(useK, 16)), 1, 0));
}
__aicore__ inline void CopyB(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useK, int useN, const uint64_t,
                             const uint64_t) {
  GlobalTensor<float> from; /* stored (K, N); base blocks of 48 x 48 */
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(const_cast<__gm__ void *>(gm)));
  DataCopy(l1.ReinterpretCast<float>(), from[row * 48 * N + col * 48],
           Nd2NzParams(1, static_cast<uint16_t>(useK), static_cast<uint16_t>(useN), 0, N, static_cast<uint16_t>(RoundUp(useK, 16)), 1, 0));
}
__global__ __cube__ void functions(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<float, true>, Of<float>, Of<float>, Of<float>, CFG_NORM, MatmulCallBackFunc<nullptr, CopyA, CopyB>> mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<float>(a), true);
  mm.SetTensorB(Global<float>(b));
  mm.IterateAll(Global<float>(c));
  mm.End();
}

/* ---- TSCM from the vector core's buffer, whose numbers are doubled there ------------------------------------------ */

__global__ __mix__(1, 2) void from_vector(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, false, CubeFormat::NZ, TPosition::TSCM>, Of<half, false, CubeFormat::NZ, TPosition::TSCM>, Of<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  int32_t which = static_cast<int32_t>(GetSubBlockIdx());
  TSCM<TPosition::VECIN, 1> left, right;
  pipe.InitBuffer(left, 1, M * K * sizeof(half));
  pipe.InitBuffer(right, 1, K * N * sizeof(half));
  TBuf<> rows, blocks;
  pipe.InitBuffer(rows, M * K * sizeof(half));
  pipe.InitBuffer(blocks, K * N * sizeof(half));
  LocalTensor<half> x = rows.Get<half>(), y = blocks.Get<half>();
  DataCopy(x, Global<half>(a, which * M * K), M * K);
  DataCopy(y, Global<half>(b, which * K * N), K * N); /* in Nz already, in two halves for the copy with gaps */
  TEventID arrived = pipe.FetchEventID(HardEvent::MTE2_V);
  SetFlag<HardEvent::MTE2_V>(arrived);
  WaitFlag<HardEvent::MTE2_V>(arrived);
  Adds(x, x, half(1), M * K);
  LocalTensor<half> l1 = left.AllocTensor<half>(), r1 = right.AllocTensor<half>();
  DataCopy(l1, x, Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  if (which == 0) DataCopy(r1, y, K * N);
  else for (int32_t part = 0; part < 2; part++) /* every second block of 32 bytes */
    DataCopy(r1[part * 16], y[part * 16], DataCopyParams(K * N / 32, 1, 1, 1));
  left.EnQue(l1), right.EnQue(r1);
  l1 = left.DeQue<half>(), r1 = right.DeQue<half>();
  mm.SetTensorA(l1);
  mm.SetTensorB(r1);
  mm.IterateAll(Global<float>(c, which * M * N));
  mm.End();
  left.FreeTensor(l1), right.FreeTensor(r1);
}

/* ---- scales in L1 -------------------------------------------------------------------------------------------------- */

__global__ __mix__(1, 1) void scales_served(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return; /* of a SuperKernel with two vector cores per cube core */
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<int8_t>, Of<int8_t>, Of<half>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TSCM<TPosition::GM, 1> queue;
  pipe.InitBuffer(queue, 1, N * sizeof(uint64_t));
  LocalTensor<uint64_t> x = queue.AllocTensor<uint64_t>();
  DataCopy(x, Global<uint64_t>(scales), N);
  queue.EnQue(x);
  x = queue.DeQue<uint64_t>();
  mm.SetQuantVector(x);
  mm.SetTensorA(Global<int8_t>(a));
  mm.SetTensorB(Global<int8_t>(b));
  mm.IterateAll(Global<half>(c));
  mm.End();
  queue.FreeTensor(x);
}
__global__ __cube__ void scales_alone(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<int8_t>, Of<int8_t>, Of<half>> mm;
  mm.Init(&t, &pipe);
  TQue<TPosition::C1, 1> queue;
  pipe.InitBuffer(queue, 1, N * sizeof(uint64_t));
  LocalTensor<uint64_t> x = queue.AllocTensor<uint64_t>();
  DataCopy(x, Global<uint64_t>(scales), N);
  queue.EnQue(x);
  x = queue.DeQue<uint64_t>();
  mm.SetQuantVector(x);
  mm.SetTensorA(Global<int8_t>(a));
  mm.SetTensorB(Global<int8_t>(b));
  mm.IterateAll(Global<half>(c));
  mm.End();
  queue.FreeTensor(x);
}

/* ---- partial sums: K in pieces, whose inputs are given one after the other ------------------------------------------ */

/* A piece from device memory, the next from the vector core's buffer; another object computes before and after. */
__global__ __mix__(1, 2) void pieces(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR other, GM_ADDR workspace, TCubeTiling t, TCubeTiling u) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half>, Of<half>, Of<float>> mm, whole;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t, whole, &u);
  int32_t which = static_cast<int32_t>(GetSubBlockIdx());
  a += which * M * K * sizeof(half), b += which * K * N * sizeof(half);
  whole.SetTensorA(Global<half>(a));
  whole.SetTensorB(Global<half>(b));
  whole.IterateAll(Global<float>(other, which * M * N));
  for (int32_t k = 0; k < K; k += 48) {
    int32_t size = K - k < 48 ? K - k : 48;
    mm.SetTail(M, N, size);
    mm.SetTensorA(Global<half>(a, k));
    mm.SetTensorB(Global<half>(b, k * N));
    if (k == 0) mm.SetBias(Global<float>(bias));
    if (!mm.Iterate(k > 0)) Trap();
  }
  mm.GetTensorC(Global<float>(c, which * M * N));
  if (mm.Iterate(true)) Trap();
  whole.IterateAll(Global<float>(other, which * M * N), 1);
  mm.End(), whole.End();
}
__global__ __mix__(1, 1) void pieces_from_vector(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, false, CubeFormat::ND, TPosition::VECOUT>, Of<half>, Of<float, false, CubeFormat::ND, TPosition::VECIN>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> in, out;
  pipe.InitBuffer(in, 2, M * 16 * sizeof(half));
  pipe.InitBuffer(out, 1, M * N * sizeof(float));
  for (int32_t k = 0; k < K; k += 16) {
    LocalTensor<half> x = in.AllocTensor<half>();
    DataCopy(x, Global<half>(a, k), DataCopyParams(M, 1, K / 16 - 1, 0));
    in.EnQue(x);
    x = in.DeQue<half>();
    mm.SetTensorA(x);
    mm.SetTensorB(Global<half>(b, k * N));
    mm.Iterate(k > 0);
    in.FreeTensor(x);
  }
  LocalTensor<float> y = out.AllocTensor<float>();
  mm.GetTensorC(y);
  out.EnQue(y);
  y = out.DeQue<float>();
  DataCopy(Global<float>(c), y, M * N);
  out.FreeTensor(y);
  mm.End();
}

/* ---- batches ------------------------------------------------------------------------------------------------------- */

constexpr int32_t BATCH = 3;
using InUb = Of<half, false, CubeFormat::ND, TPosition::VECOUT, LayoutMode::NORMAL>;
using Batched = Of<half, false, CubeFormat::ND, TPosition::GM, LayoutMode::NORMAL>;

/* A from the vector core's buffer, then the same added on: the first time to what the last product left, then to that. */
__global__ __mix__(1, 1) void batches(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR sums, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<InUb, Batched, Of<float, false, CubeFormat::ND, TPosition::GM, LayoutMode::NORMAL>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> in;
  pipe.InitBuffer(in, 1, BATCH * M * 16 * sizeof(half));
  LocalTensor<half> x = in.AllocTensor<half>();
  DataCopy(x, Global<half>(a), BATCH * M * 16);
  in.EnQue(x);
  x = in.DeQue<half>();
  mm.SetTensorA(x);
  mm.SetTensorB(Global<half>(b));
  mm.IterateBatch(Global<float>(c), BATCH, BATCH, false);
  mm.SetTensorA(x);
  mm.SetTensorB(Global<half>(b));
  mm.IterateBatch(Global<float>(sums), BATCH, BATCH, false, 0, 0, 0, true);
  in.FreeTensor(x);
  mm.End();
}
__global__ __cube__ void batches_alone(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR sums, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Batched, Batched, Of<float, false, CubeFormat::ND, TPosition::GM, LayoutMode::NORMAL>> mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.SetNBatchOutNum(1);
  mm.SetBatchNum(BATCH, BATCH);
  mm.IterateBatch(Global<float>(c), false, 0, false);
  mm.IterateBatch(Global<float>(sums), true, 0, false);
  mm.End();
}

struct Loops {
  static constexpr MatmulConfig config = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulBatchParams{true, BatchMode::BATCH_LESS_THAN_L1, false});
};
/* Two calls of two heads each, fetched one by one; rows of heads side by side (BSNGD) keep their gaps. */
template <LayoutMode out>
__global__ __mix__(1, 1) void fetched(GM_ADDR a, GM_ADDR b, GM_ADDR results, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  using X = Of<half, false, CubeFormat::ND, TPosition::GM, LayoutMode::BSNGD>;
  Matmul<X, X, Of<float, false, CubeFormat::ND, TPosition::GM, out>, Of<float>, Loops::config> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.SetWorkspace(Global<float>(results));
  mm.template IterateNBatch<false>(2, 2, 2, false);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 4 * M * N * sizeof(float));
  for (int32_t i = 0; i < 2; i++) {
    LocalTensor<float> x = queue.AllocTensor<float>();
    if (i == 0) mm.template GetBatchTensorC<false>(x, 2, 2);
    else mm.template GetBatchC<false>(x, 2, 2);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    if (out == LayoutMode::BNGS1S2) DataCopy(Global<float>(c, i * 2 * M * N), x, 2 * M * N);
    else DataCopy(Global<float>(c, i * 2 * N), x, DataCopyParams(M, 2 * N / 8, 2 * N / 8, 2 * N / 8));
    queue.FreeTensor(x);
  }
  mm.End();
}

/* ---- host ---------------------------------------------------------------------------------------------------------- */

template <typename T>
std::vector<T> Small(size_t count, uint32_t seed, int limit = 8) {
  std::vector<T> numbers(count);
  for (size_t i = 0; i < count; i++) numbers[i] = T(static_cast<float>(static_cast<int>(Number(static_cast<uint32_t>(i) + seed) * limit)));
  return numbers;
}
static size_t results, wrong;
static void Check(double is, double should) {
  results++;
  if (is == should) return;
  if (wrong++ == 0) std::printf("result %zu is %g, not %g\n", results, is, should);
}
static TCubeTiling Tiling(int32_t m, int32_t n, int32_t k, int32_t base_m, int32_t base_n, int32_t base_k, bool bias = false) {
  TCubeTiling t{};
  t.M = t.singleCoreM = m, t.N = t.singleCoreN = n, t.Ka = t.Kb = t.singleCoreK = k;
  t.baseM = base_m, t.baseN = base_n, t.baseK = base_k;
  t.usedCoreNum = 1;
  t.isBias = bias;
  return t;
}
static void Wait() { Device::Must(aclrtSynchronizeDevice()); }
static uint8_t *workspace;
static uint32_t seed = 1;

/* Two pairs of matrices side by side, and their products; as the device has them, A turned or not, B likewise. */
template <typename T>
struct Pair {
  std::vector<T> x[2], y[2], a, b;
  explicit Pair(bool ta = false, bool tb = false) {
    for (int i = 0; i < 2; i++) {
      x[i] = Small<T>(M * K, seed++), y[i] = Small<T>(K * N, seed++);
      for (int r = 0; r < (ta ? K : M); r++)
        for (int s = 0; s < (ta ? M : K); s++) a.push_back(ta ? x[i][s * K + r] : x[i][r * K + s]);
      for (int r = 0; r < (tb ? N : K); r++)
        for (int s = 0; s < (tb ? K : N); s++) b.push_back(tb ? y[i][s * N + r] : y[i][r * N + s]);
    }
  }
  double At(int i, int m, int n, double add = 0) const {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += ((double)(float)x[i][m * K + k] + add) * (double)(float)y[i][k * N + n];
    return sum;
  }
};

template <typename T, typename R, bool ta, bool tb>
static void RunTscm() {
  Pair<T> p(ta, tb);
  DeviceArray<T> a(p.a), b(p.b);
  DeviceArray<R> c(2 * M * N);
  from_tscm<T, R, ta, tb><<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), workspace, Tiling(M, N, K, 32, 32, 64));
  Wait();
  std::vector<R> z = c.Read();
  for (int i = 0; i < 2; i++)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) Check(z[(i * M + m) * N + n], p.At(i, m, n));
}

template <bool tb>
static void RunFourBits() {
  Pair<int8_t> p(false, tb);
  auto packed = [](const std::vector<int8_t> &values) {
    std::vector<uint8_t> bytes(values.size() / 2);
    for (size_t i = 0; i < values.size(); i++) bytes[i / 2] |= static_cast<uint8_t>((values[i] & 15) << (i % 2 * 4));
    return bytes;
  };
  DeviceArray<uint8_t> a(packed(p.a)), b(packed(p.b));
  DeviceArray<int32_t> c(M * N);
  four_bits<tb><<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), Tiling(M, N, K, 32, 64, 64));
  Wait();
  std::vector<int32_t> z = c.Read();
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) Check(z[m * N + n], p.At(0, m, n));
}

static void RunFunctions() {
  Pair<float> p(true);
  DeviceArray<float> a(p.a), b(p.b), c(M * N);
  functions<<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), Tiling(M, N, K, 32, 48, 48));
  Wait();
  std::vector<float> z = c.Read();
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) Check(z[m * N + n], p.At(0, m, n));
}

static void RunFromVector() {
  Pair<half> p;
  std::vector<half> nz(p.b.size());
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < K; k++)
      for (int n = 0; n < N; n++) nz[i * K * N + (n / 16) * K * 16 + k * 16 + n % 16] = p.y[i][k * N + n];
  DeviceArray<half> a(p.a), b(nz);
  DeviceArray<float> c(2 * M * N);
  from_vector<<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), workspace, Tiling(M, N, K, 48, 48, 64));
  Wait();
  std::vector<float> z = c.Read();
  for (int i = 0; i < 2; i++)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) Check(z[(i * M + m) * N + n], p.At(i, m, n, 1));
}

static void RunScales() {
  Pair<int8_t> p;
  std::vector<uint64_t> scales(N);
  for (int n = 0; n < N; n++) scales[n] = uint64_t{1} << 46 | __builtin_bit_cast(uint32_t, n % 3 == 0 ? 0.5f : 0.125f);
  DeviceArray<int8_t> a(p.a), b(p.b);
  DeviceArray<uint64_t> s(scales);
  for (int alone = 0; alone < 2; alone++) {
    DeviceArray<half> c(M * N);
    TCubeTiling t = Tiling(M, N, K, 32, 48, 64);
    if (alone == 1) scales_alone<<<1, 0, nullptr>>>(a.get(), b.get(), s.get(), c.get(), t);
    else scales_served<<<1, 0, nullptr>>>(a.get(), b.get(), s.get(), c.get(), workspace, t);
    Wait();
    std::vector<half> z = c.Read();
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++)
        Check((double)(float)z[m * N + n], (double)(float)half((float)(p.At(0, m, n) * (n % 3 == 0 ? 0.5 : 0.125))));
  }
}

static void RunPieces() {
  Pair<half> p;
  std::vector<float> bias = Small<float>(N, seed++);
  DeviceArray<half> a(p.a), b(p.b);
  DeviceArray<float> biasDev(bias), c(2 * M * N), other(2 * M * N), from_ub(M * N);
  pieces<<<1, 0, nullptr>>>(a.get(), b.get(), biasDev.get(), c.get(), other.get(), workspace, Tiling(M, N, K, M, N, 32, true), Tiling(M, N, K, 16, 32, 32));
  TCubeTiling t = Tiling(M, N, K, M, N, 16);
  t.singleCoreK = 16;
  pieces_from_vector<<<1, 0, nullptr>>>(a.get(), b.get(), from_ub.get(), workspace, t);
  Wait();
  std::vector<float> z = c.Read(), twice = other.Read(), w = from_ub.Read();
  for (int i = 0; i < 2; i++)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) {
        Check(z[(i * M + m) * N + n], p.At(i, m, n) + bias[n]);
        Check(twice[(i * M + m) * N + n], 2 * p.At(i, m, n));
        if (i == 0) Check(w[m * N + n], p.At(0, m, n));
      }
}

static void RunBatches() {
  std::vector<half> x = Small<half>(BATCH * M * 16, seed++), y = Small<half>(BATCH * 16 * N, seed++);
  DeviceArray<half> a(x), b(y);
  for (int alone = 0; alone < 2; alone++) {
    DeviceArray<float> c(BATCH * M * N), sums(BATCH * M * N);
    TCubeTiling t = Tiling(M, N, 16, M, N, 16);
    if (alone == 1) batches_alone<<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), sums.get(), t);
    else batches<<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), sums.get(), workspace, t);
    Wait();
    std::vector<float> z = c.Read(), s = sums.Read();
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) {
        double product[BATCH] = {}, sum;
        for (int i = 0; i < BATCH; i++)
          for (int k = 0; k < 16; k++) product[i] += (double)(float)x[(i * M + m) * 16 + k] * (double)(float)y[(i * 16 + k) * N + n];
        sum = product[BATCH - 1];
        for (int i = 0; i < BATCH; i++) {
          Check(z[(i * M + m) * N + n], product[i]);
          Check(s[(i * M + m) * N + n], sum += product[i]);
        }
      }
  }
}

template <LayoutMode out>
static void RunFetched() { /* one batch, four heads */
  std::vector<half> x = Small<half>(M * 4 * 16, seed++), y = Small<half>(16 * 4 * N, seed++);
  DeviceArray<half> a(x), b(y);
  DeviceArray<float> whole(4 * M * N), c(4 * M * N);
  TCubeTiling t = Tiling(M, N, 16, 32, 48, 16);
  t.ALayoutInfoB = t.BLayoutInfoB = t.CLayoutInfoB = t.ALayoutInfoG = t.BLayoutInfoG = t.CLayoutInfoG = 1;
  t.ALayoutInfoN = t.BLayoutInfoN = t.CLayoutInfoN = 4;
  t.ALayoutInfoS = M, t.ALayoutInfoD = 16, t.BLayoutInfoS = 16, t.BLayoutInfoD = N, t.CLayoutInfoS1 = M, t.CLayoutInfoS2 = N;
  t.BatchNum = 2;
  fetched<out><<<1, 0, nullptr>>>(a.get(), b.get(), whole.get(), c.get(), workspace, t);
  Wait();
  std::vector<float> z = c.Read();
  for (int h = 0; h < 4; h++)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) {
        double sum = 0;
        for (int k = 0; k < 16; k++) sum += (double)(float)x[(m * 4 + h) * 16 + k] * (double)(float)y[(k * 4 + h) * N + n];
        Check(z[out == LayoutMode::BNGS1S2 ? (h * M + m) * N + n : (m * 4 + h) * N + n], sum);
      }
}

int main() {
  Device device;
  DeviceArray<uint8_t> system(RESERVED_WORKSPACE);
  workspace = system.get();
  RunTscm<float, float, false, false>();
  RunTscm<float, float, true, true>();
  RunTscm<int8_t, int32_t, false, false>();
  RunTscm<int8_t, int32_t, true, true>();
  RunTscm<half, float, true, false>();
  RunFourBits<false>();
  RunFourBits<true>();
  RunFunctions();
  RunFromVector();
  RunScales();
  RunPieces();
  RunBatches();
  RunFetched<LayoutMode::BNGS1S2>();
  RunFetched<LayoutMode::BSNGD>();
  return Report("api_matmul_forms", results, wrong);
}
