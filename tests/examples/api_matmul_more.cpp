/* api_matmul_more.cpp - Matmul objects with copies of the kernel's own, inputs in L1, results in L0C, by pieces of K, in
 * split channels, by triangles, with both kinds of cores in charge, structured sparsity, 4-bit elements, a scalar,
 * results in a workspace, several objects in one memory. Against host arithmetic in double. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t M = 48, N = 80, K = 64;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address, uint64_t elems = 0) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address) + elems);
  return tensor;
}
template <typename T, bool trans = false, CubeFormat format = CubeFormat::ND, TPosition position = TPosition::GM, bool shared = false>
using Of = MatmulType<position, format, T, trans, LayoutMode::NONE, shared>;

/* ---- the kernel's own copies: A with a gap behind each row, B from two places, C without what is negative -- */

constexpr int32_t A_PITCH = 2 * K, C_PITCH = N + 16;

__aicore__ inline void CopyA(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useM, int useK,
                             const uint64_t baseK, const uint64_t) {
  GlobalTensor<half> from;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(const_cast<__gm__ void *>(gm)));
  DataCopy(l1.ReinterpretCast<half>(), from[row * 16 * A_PITCH + col * static_cast<int>(baseK)],
           Nd2NzParams(1, static_cast<uint16_t>(useM), static_cast<uint16_t>(useK), 0, A_PITCH, static_cast<uint16_t>((useM + 15) / 16 * 16), 1, 0));
}
/* Pieces of K of odd number lie in the memory that dataPtr names. */
__aicore__ inline void CopyB(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useK, int useN,
                             const uint64_t baseK, const uint64_t dataPtr) {
  GlobalTensor<half> from;
  from.SetGlobalBuffer(row % 2 == 0 ? reinterpret_cast<__gm__ half *>(const_cast<__gm__ void *>(gm)) : reinterpret_cast<__gm__ half *>(dataPtr));
  DataCopy(l1.ReinterpretCast<half>(), from[row * static_cast<int>(baseK) * N + col * 32],
           Nd2NzParams(1, static_cast<uint16_t>(useK), static_cast<uint16_t>(useN), 0, N, static_cast<uint16_t>((useK + 15) / 16 * 16), 1, 0));
}
__aicore__ inline void CopyC(const __gm__ void *gm, const LocalTensor<int8_t> &l0c, const void *params, const uint64_t, const uint64_t) {
  const DataCopyOutParams &p = *static_cast<const DataCopyOutParams *>(params);
  uint16_t rows = static_cast<uint16_t>(p.burstLen / 2);
  GlobalTensor<float> to;
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(const_cast<__gm__ void *>(gm)));
  Fixpipe(to, l0c.ReinterpretCast<float>(), FixpipeParamsV220(p.oriNSize, rows, static_cast<uint16_t>((rows + 15) / 16 * 16), p.dstStride, true));
}
using Own = MatmulCallBackFunc<CopyC, CopyA, CopyB>;

template <class Object>
__aicore__ inline void MultiplyByFunctions(Object &mm, GM_ADDR a, GM_ADDR b, GM_ADDR other, GM_ADDR c, const TCubeTiling &t) {
  mm.SetUserDefInfo(static_cast<uint64_t>(t.baseK));
  mm.SetSelfDefineData(reinterpret_cast<uint64_t>(other));
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.SetOrgShape(t.M, t.N, t.Ka, t.Kb, C_PITCH);
  mm.IterateAll(Global<float>(c));
  mm.End();
}
__global__ __mix__(1, 1) void functions_served(GM_ADDR a, GM_ADDR b, GM_ADDR other, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return; /* of a SuperKernel with two vector cores per cube core */
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half>, Of<half>, Of<float>> plain; /* functions belong to their object */
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, CFG_NORM, Own> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), plain, &t, mm, &t);
  MultiplyByFunctions(mm, a, b, other, c, t);
}
__global__ __cube__ void functions_alone(GM_ADDR a, GM_ADDR b, GM_ADDR other, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<half>, Of<half>, Of<float>, Of<float>, CFG_NORM, Own> mm;
  mm.Init(&t, &pipe);
  MultiplyByFunctions(mm, a, b, other, c, t);
}

/* ---- inputs in L1 ------------------------------------------------------------------------------------------ */

/* Two vector cores with a TSCM of their own; A comes in Nz, B in rows. */
template <bool ta, bool tb>
__global__ __mix__(1, 2) void from_tscm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, ta, CubeFormat::NZ, TPosition::TSCM>, Of<half, tb, CubeFormat::NZ, TPosition::TSCM>, Of<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  int32_t half_of_it = static_cast<int32_t>(GetSubBlockIdx());
  TSCM<TPosition::GM, 1> left, right;
  pipe.InitBuffer(left, 1, M * K * sizeof(half));
  pipe.InitBuffer(right, 1, K * N * sizeof(half));
  LocalTensor<half> x = left.AllocTensor<half>(), y = right.AllocTensor<half>();
  DataCopy(x, Global<half>(a, half_of_it * M * K), M * K);
  uint16_t rows = tb ? N : K, columns = tb ? K : N;
  DataCopy(y, Global<half>(b, half_of_it * K * N), Nd2NzParams(1, rows, columns, 0, columns, rows, 1, 0));
  left.EnQue(x), right.EnQue(y);
  x = left.DeQue<half>(), y = right.DeQue<half>();
  mm.SetTensorA(x, ta);
  mm.SetTensorB(y, tb);
  mm.IterateAll(Global<float>(c, half_of_it * M * N));
  mm.End();
  left.FreeTensor(x), right.FreeTensor(y);
}

/* A cube core with A in L1, into L0C of the kernel's own: two tiles side by side, taken out at once. */
__global__ __cube__ void l1_to_l0c(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<half, false, CubeFormat::NZ, TPosition::A1>, Of<half>, Of<float, false, CubeFormat::NZ, TPosition::CO1>> mm;
  mm.Init(&t, &pipe);
  TQue<TPosition::A1, 1> in;
  TQue<TPosition::CO1, 1> out;
  pipe.InitBuffer(in, 1, M * K * sizeof(half));
  pipe.InitBuffer(out, 1, M * N * sizeof(float));
  LocalTensor<half> x = in.AllocTensor<half>();
  DataCopy(x, Global<half>(a), M * K);
  in.EnQue(x);
  x = in.DeQue<half>();
  LocalTensor<float> l0c = out.AllocTensor<float>();
  mm.SetTensorA(x);
  mm.SetTensorB(Global<half>(b));
  for (int32_t tile = 0; mm.Iterate(false, l0c[tile * t.baseM * t.baseN]); tile++) continue;
  in.FreeTensor(x);
  out.EnQue(l0c);
  l0c = out.DeQue<float>();
  Fixpipe(Global<float>(c), l0c, FixpipeParamsV220(N, M, M, N, false));
  out.FreeTensor(l0c);
  mm.End();
}

/* ---- results -------------------------------------------------------------------------------------------------- */

constexpr MatmulConfig With(MatmulConfig config, bool MatmulConfig::*what) {
  config.*what = true;
  return config;
}
struct SplitChannels {
  static constexpr MatmulConfig config = With(CFG_NORM, &MatmulConfig::isEnableChannelSplit);
};
struct Pieces {
  static constexpr MatmulConfig config = With(CFG_MDL, &MatmulConfig::isPartialOutput);
};
struct Dual {
  static constexpr MatmulConfig config = With(CFG_NORM, &MatmulConfig::enableMixDualMaster);
};

__global__ __cube__ void split_channels(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<half>, Of<half>, Of<float, false, CubeFormat::NZ>, Of<float>, SplitChannels::config> mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.IterateAll(Global<float>(c));
  mm.End();
}

/* Each piece of K by itself, one behind the other. */
__global__ __mix__(1, 1) void pieces(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, Pieces::config> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.SetBias(Global<float>(bias));
  for (uint64_t at = 0; mm.Iterate(); at += t.baseM * t.baseN) mm.GetTensorC(Global<float>(c, at), 0, true);
  mm.End();
}

template <bool upper>
__global__ __cube__ void triangle(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  using Upper = MatmulImpl<Of<half>, Of<half>, Of<float>, Of<float>, CFG_NORM, MatmulCallBackFunc<>, Impl::Detail::TrianUpperMatmulPolicy>;
  using Lower = MatmulImpl<Of<half>, Of<half>, Of<float>, Of<float>, CFG_NORM, MatmulCallBackFunc<>, Impl::Detail::TrianLowerMatmulPolicy>;
  typename std::conditional<upper, Upper, Lower>::type mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.IterateAll(Global<float>(c));
  mm.End();
}

/* Both kinds of cores run this; the vector cores add 1 to what the cube core has finished. */
__global__ __mix__(1, 2) void dual(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  using X = Of<half, false, CubeFormat::ND, TPosition::GM, true>;
  Matmul<X, X, Of<float>, Of<float>, Dual::config> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  for (int32_t round = 0; round < 2; round++) {
    mm.SetTensorA(Global<half>(a));
    mm.SetTensorB(Global<half>(b));
    mm.IterateAll(Global<float>(c, round * M * N));
    mm.End();
  }
  if (ASCEND_IS_AIV) {
    uint64_t mine = GetSubBlockIdx() * M * N;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, M * N * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopy(x, Global<float>(c, mine), M * N);
    int32_t arrived = static_cast<int32_t>(pipe.FetchEventID(HardEvent::MTE2_V));
    SetFlag<HardEvent::MTE2_V>(arrived);
    WaitFlag<HardEvent::MTE2_V>(arrived);
    Adds(x, x, 1.0f, M * N);
    int32_t done = static_cast<int32_t>(pipe.FetchEventID(HardEvent::V_MTE3));
    SetFlag<HardEvent::V_MTE3>(done);
    WaitFlag<HardEvent::V_MTE3>(done);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopy(Global<float>(c, mine), x, M * N);
    queue.FreeTensor(x);
  }
}

/* Tiles in a workspace, copied from there. */
__global__ __mix__(1, 1) void in_workspace(GM_ADDR a, GM_ADDR b, GM_ADDR tiles, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half>, Of<half>, Of<float, false, CubeFormat::ND, TPosition::VECIN>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  mm.SetWorkspace(Global<float>(tiles));
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  mm.template Iterate<false>();
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, t.baseM * t.baseN * sizeof(float));
  for (int32_t tile = 0; tile < M * N / (t.baseM * t.baseN); tile++) {
    GlobalTensor<float> from = mm.template GetTensorC<false>();
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopy(x, from, t.baseM * t.baseN);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopy(Global<float>(c, tile * t.baseM * t.baseN), x, t.baseM * t.baseN);
    queue.FreeTensor(x);
  }
  mm.End();
}

/* ---- elements ------------------------------------------------------------------------------------------------- */

template <bool tb>
__global__ __cube__ void four_bits(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<int4b_t>, Of<int4b_t, tb>, Of<int32_t>> mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<int4b_t>(a));
  mm.SetTensorB(Global<int4b_t>(b), tb);
  mm.IterateAll(Global<int32_t>(c));
  mm.End();
}

__global__ __cube__ void sparse(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR bias, GM_ADDR c, TCubeTiling t) {
  TPipe pipe;
  MatmulImpl<Of<int8_t>, SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>, Of<int32_t>, Of<int32_t>, CFG_MDL> mm;
  mm.Init(&t, &pipe);
  mm.SetTensorA(Global<int8_t>(a));
  mm.SetTensorB(Global<int8_t>(b), true);
  mm.SetSparseIndex(Global<uint8_t>(index));
  mm.SetBias(Global<int32_t>(bias));
  mm.IterateAll(Global<int32_t>(c));
  mm.End();
}

template <typename T>
__global__ __mix__(1, 1) void scalar(GM_ADDR b, GM_ADDR c, GM_ADDR workspace, T value, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<T, false, CubeFormat::SCALAR>, Of<T, true>, Of<float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  mm.SetTensorA(value);
  mm.SetTensorB(Global<T>(b), true);
  mm.IterateAll(Global<float>(c));
  mm.End();
}

/* Two objects: the second needs more of both memories than the first has taken, together more than there is. */
__global__ __cube__ void two_objects(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, TCubeTiling small, TCubeTiling large) {
  TPipe pipe;
  MatmulImpl<Of<half>, Of<half>, Of<float>> first, second;
  first.Init(&small, &pipe);
  second.Init(&large, &pipe);
  for (int32_t round = 0; round < 4; round++) {
    auto &mm = round % 2 == 0 ? first : second;
    mm.SetTensorA(Global<half>(a));
    mm.SetTensorB(Global<half>(b));
    mm.SetBias(Global<float>(bias));
    mm.IterateAll(Global<float>(c, round * 128 * 256));
    mm.End();
  }
}

/* ---- host ------------------------------------------------------------------------------------------------------- */

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

/* Rows of x times columns of y over [first, last) of K. */
template <typename T>
static double Product(const std::vector<T> &x, const std::vector<T> &y, int m, int n, int columns, int k_all, int first, int last) {
  double sum = 0;
  for (int k = first; k < last; k++) sum += (double)(float)x[(size_t)m * k_all + k] * (double)(float)y[(size_t)k * columns + n];
  return sum;
}
template <typename T>
static std::vector<T> ToNz(const std::vector<T> &x, int rows, int columns) { /* rows and columns are multiples of 16 */
  std::vector<T> y(x.size());
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) y[(size_t)(c / 16) * rows * 16 + r * 16 + c % 16] = x[(size_t)r * columns + c];
  return y;
}
template <typename T>
static std::vector<T> Turned(const std::vector<T> &x, int rows, int columns) {
  std::vector<T> y(x.size());
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) y[(size_t)c * rows + r] = x[(size_t)r * columns + c];
  return y;
}

static void RunFunctions(const std::vector<half> &x, const std::vector<half> &y) {
  std::vector<half> gaps(M * A_PITCH, half(99)), first(K * N, half(99)), second(K * N, half(99));
  for (int m = 0; m < M; m++)
    for (int k = 0; k < K; k++) gaps[m * A_PITCH + k] = x[m * K + k];
  for (int k = 0; k < K; k++)
    for (int n = 0; n < N; n++) (k / 32 % 2 == 0 ? first : second)[k * N + n] = y[k * N + n];
  for (int alone = 0; alone < 2; alone++) {
    DeviceArray<half> a(gaps), b(first), other(second);
    DeviceArray<float> c(std::vector<float>(M * C_PITCH, -7));
    TCubeTiling t = Tiling(M, N, K, 16, 32, 32);
    if (alone == 1) functions_alone<<<1, 0, nullptr>>>(a.get(), b.get(), other.get(), c.get(), t);
    else functions_served<<<1, 0, nullptr>>>(a.get(), b.get(), other.get(), c.get(), workspace, t);
    Wait();
    std::vector<float> z = c.Read();
    for (int m = 0; m < M; m++)
      for (int n = 0; n < C_PITCH; n++) Check(z[m * C_PITCH + n], n < N ? std::fmax(0, Product(x, y, m, n, N, K, 0, K)) : -7);
  }
}

template <bool ta, bool tb>
static void RunTscm() {
  std::vector<half> a, b, x[2], y[2];
  for (int i = 0; i < 2; i++) {
    x[i] = Small<half>(M * K, 100 + i), y[i] = Small<half>(K * N, 200 + i);
    std::vector<half> nz = ta ? ToNz(Turned(x[i], M, K), K, M) : ToNz(x[i], M, K), rows = tb ? Turned(y[i], K, N) : y[i];
    a.insert(a.end(), nz.begin(), nz.end()), b.insert(b.end(), rows.begin(), rows.end());
  }
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> c(2 * M * N);
  from_tscm<ta, tb><<<1, 0, nullptr>>>(aDev.get(), bDev.get(), c.get(), workspace, Tiling(M, N, K, 32, 32, 32));
  Wait();
  std::vector<float> z = c.Read();
  for (int i = 0; i < 2; i++)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) Check(z[(i * M + m) * N + n], Product(x[i], y[i], m, n, N, K, 0, K));
}

static void RunResults(const std::vector<half> &x, const std::vector<half> &y) {
  std::vector<float> bias = Small<float>(N, 31);
  DeviceArray<half> a(x), b(y), nz(ToNz(x, M, K));
  DeviceArray<float> biasDev(bias), c(2 * M * N), in_l0c(M * N), split(M * N), tiles(M * N), copied(M * N);
  auto at = [&](int m, int n) { return Product(x, y, m, n, N, K, 0, K); };

  l1_to_l0c<<<1, 0, nullptr>>>(nz.get(), b.get(), in_l0c.get(), Tiling(M, N, K, M, 16, 32));
  split_channels<<<1, 0, nullptr>>>(a.get(), b.get(), split.get(), Tiling(M, N, K, 32, 48, 32));
  dual<<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), workspace, Tiling(M, N, K, 32, 32, 32));
  in_workspace<<<1, 0, nullptr>>>(a.get(), b.get(), tiles.get(), copied.get(), workspace, Tiling(M, N, K, 16, 16, 64));
  Wait();
  std::vector<float> l0c = in_l0c.Read(), channels = split.Read(), twice = c.Read(), by_tile = copied.Read();
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) {
      Check(l0c[m * N + n], at(m, n));
      Check(channels[(n / 8) * M * 8 + m * 8 + n % 8], at(m, n));
      for (int i = 0; i < 2; i++) Check(twice[(i * M + m) * N + n], at(m, n) + 1);
      Check(by_tile[((n / 16) * (M / 16) + m / 16) * 256 + m % 16 * 16 + n % 16], at(m, n));
    }

  DeviceArray<float> parts(2 * M * N);
  pieces<<<1, 0, nullptr>>>(a.get(), b.get(), biasDev.get(), parts.get(), workspace, Tiling(M, N, K, 16, 16, 32, true));
  Wait();
  std::vector<float> piece = parts.Read();
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++)
      for (int i = 0; i < 2; i++) {
        int tile = (n / 16) * (M / 16) + m / 16;
        Check(piece[(tile * 2 + i) * 256 + m % 16 * 16 + n % 16], Product(x, y, m, n, N, K, i * 32, i * 32 + 32) + (i == 0 ? bias[n] : 0));
      }

  for (int upper = 0; upper < 2; upper++) {
    DeviceArray<float> some(std::vector<float>(M * N, -7));
    if (upper == 1) triangle<true><<<1, 0, nullptr>>>(a.get(), b.get(), some.get(), Tiling(M, N, K, 16, 32, 32));
    else triangle<false><<<1, 0, nullptr>>>(a.get(), b.get(), some.get(), Tiling(M, N, K, 16, 32, 32));
    Wait();
    std::vector<float> z = some.Read();
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) Check(z[m * N + n], (upper == 1 ? m / 16 > n / 32 : m / 16 < n / 32) ? -7 : at(m, n));
  }
}

template <bool tb>
static void RunFourBits() {
  const int m = 48, n = 64, k = 128;
  std::vector<float> x = Small<float>(m * k, 41), y = Small<float>(k * n, 43);
  auto packed = [](const std::vector<float> &values) {
    std::vector<uint8_t> bytes(values.size() / 2);
    for (size_t i = 0; i < values.size(); i++) bytes[i / 2] |= static_cast<uint8_t>((static_cast<int>(values[i]) & 15) << (i % 2 * 4));
    return bytes;
  };
  DeviceArray<uint8_t> a(packed(x)), b(packed(tb ? Turned(y, k, n) : y));
  DeviceArray<int32_t> c(m * n);
  four_bits<tb><<<1, 0, nullptr>>>(a.get(), b.get(), c.get(), Tiling(m, n, k, 32, 64, 64));
  Wait();
  std::vector<int32_t> z = c.Read();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) Check(z[i * n + j], Product(x, y, i, j, n, k, 0, k));
}

/* Every pattern of two, one and no elements in four. */
static void RunSparse() {
  const int m = 40, n = 48, k = 256;
  std::vector<int8_t> x = Small<int8_t>(m * k, 51, 100), full(k * n), dense(n * k / 2);
  std::vector<int32_t> bias = Small<int32_t>(n, 53, 1000);
  std::vector<uint8_t> index(n * k / 8);
  for (int j = 0; j < n; j++)
    for (int group = 0; group < k / 4; group++) {
      static const int8_t places[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {2, -1}, {1, -1}, {0, -1}, {-1, 3}, {-1, -1}};
      const int8_t *place = places[(j * 7 + group * 3) % 11];
      for (int i = 0; i < 2; i++) {
        int8_t value = place[i] < 0 ? 0 : static_cast<int8_t>((j * 31 + group * 17 + i * 5) % 120 + 1);
        if (place[i] >= 0) full[(group * 4 + place[i]) * n + j] = value;
        int at = group * 2 + i, code = place[i] < 0 ? 0 : place[i] - i;
        dense[j * (k / 2) + at] = value;
        index[(at / 32) * n * 8 + j * 8 + at % 32 / 4] |= static_cast<uint8_t>(code << (at % 4 * 2));
      }
    }
  DeviceArray<int8_t> a(x), b(dense);
  DeviceArray<uint8_t> indexDev(index);
  DeviceArray<int32_t> biasDev(bias), c(m * n);
  sparse<<<1, 0, nullptr>>>(a.get(), b.get(), indexDev.get(), biasDev.get(), c.get(), Tiling(m, n, k, 32, 32, 64, true));
  Wait();
  std::vector<int32_t> z = c.Read();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) Check(z[i * n + j], bias[j] + Product(x, full, i, j, n, k, 0, k));
}

template <typename T>
static void RunScalar() {
  std::vector<T> y = Small<T>(N * K, 61);
  DeviceArray<T> b(y);
  DeviceArray<float> c(N);
  scalar<T><<<1, 0, nullptr>>>(b.get(), c.get(), workspace, T(3.0f), Tiling(1, N, K, 16, 32, 32));
  Wait();
  std::vector<float> z = c.Read();
  for (int n = 0; n < N; n++) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += 3 * (double)(float)y[n * K + k];
    Check(z[n], sum);
  }
}

static void RunTwoObjects() {
  const int m = 128, n = 256, k = 128;
  std::vector<half> x = Small<half>(m * k, 71), y = Small<half>(k * n, 72);
  std::vector<float> bias = Small<float>(n, 73);
  DeviceArray<half> a(x), b(y);
  DeviceArray<float> biasDev(bias), c(4 * m * n);
  two_objects<<<1, 0, nullptr>>>(a.get(), b.get(), biasDev.get(), c.get(), Tiling(m, n, k, 64, 240, 64, true), Tiling(m, n, k, 128, 256, 64, true));
  Wait();
  std::vector<float> z = c.Read();
  for (int i = 0; i < 4; i++)
    for (int r = 0; r < m; r++)
      for (int j = 0; j < n; j++) Check(z[(i * m + r) * n + j], bias[j] + Product(x, y, r, j, n, k, 0, k));
}

int main() {
  Device device;
  DeviceArray<uint8_t> system(RESERVED_WORKSPACE);
  workspace = system.get();
  std::vector<half> x = Small<half>(M * K, 1), y = Small<half>(K * N, 2);
  RunFunctions(x, y);
  RunTscm<false, true>();
  RunTscm<true, false>();
  RunResults(x, y);
  RunFourBits<false>();
  RunFourBits<true>();
  RunSparse();
  RunScalar<half>();
  RunScalar<float>();
  RunTwoObjects();
  return Report("api_matmul_more", results, wrong);
}
