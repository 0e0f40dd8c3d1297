/* api_matmul.cpp - Matmul objects in the forms that the examples do not show: element types, transposed inputs, odd
 * shapes, results by tile, asynchronously, into the vector core's buffer, in NZ, quantised, added up; inputs from
 * the vector core; cube cores on their own. Against host arithmetic in double. */
#include "host.hpp"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

constexpr int32_t M = 200, N = 150, K = 100;

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address, uint64_t elems = 0) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address) + elems);
  return tensor;
}
template <typename T, bool trans = false, CubeFormat format = CubeFormat::ND, TPosition position = TPosition::GM>
using Of = MatmulType<position, format, T, trans>;

/* ---- all of C, a part per vector core -------------------------------------------------------------- */

template <typename T, typename R, bool ta, bool tb>
__global__ __mix__(1, 2) void all(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<T, ta>, Of<T, tb>, Of<R>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM, i = GetBlockIdx() % down, j = GetBlockIdx() / down;
  if (GetBlockIdx() >= t.usedCoreNum) return;
  int32_t m = i * t.singleCoreM, n = j * t.singleCoreN;
  mm.SetTensorA(Global<T>(a, ta ? m : m * t.Ka), ta);
  mm.SetTensorB(Global<T>(b, tb ? n * t.Kb : n), tb);
  if (t.isBias) mm.SetBias(Global<R>(bias, n));
  mm.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM, t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
  mm.template IterateAll<false>(Global<R>(c, m * t.N + n));
  mm.WaitIterateAll();
  mm.End();
}

/* ---- tiles into the vector core's buffer, doubled there ----------------------------------------------- */

template <bool asynchronous>
__global__ __mix__(1, 1) void tiles(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return; // of a SuperKernel with two vector cores per cube core
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half>, Of<half>, Of<float, false, CubeFormat::ND, TPosition::VECIN>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(out, 1, t.baseM * ((t.baseN + 7) / 8 * 8) * sizeof(float));
  mm.SetTensorA(Global<half>(a));
  mm.SetTensorB(Global<half>(b));
  int32_t down = (t.M + t.baseM - 1) / t.baseM, count = down * ((t.N + t.baseN - 1) / t.baseN);
  for (int32_t tile = 0; tile < count; tile++) {
    if (!asynchronous || tile == 0) (void)mm.template Iterate<!asynchronous>();
    LocalTensor<float> x = out.AllocTensor<float>();
    mm.template GetTensorC<!asynchronous>(x);
    int32_t m = tile % down * t.baseM, n = tile / down * t.baseN;
    int32_t rows = t.M - m < t.baseM ? t.M - m : t.baseM, columns = t.N - n < t.baseN ? t.N - n : t.baseN;
    Muls(x, x, 2.0f, rows * ((columns + 7) / 8 * 8));
    out.EnQue(x);
    x = out.DeQue<float>();
    DataCopyPad(Global<float>(c, m * t.N + n), x, DataCopyExtParams(rows, columns * 4, 0, (t.N - columns) * 4, 0));
    out.FreeTensor(x);
  }
  if (!asynchronous && mm.Iterate()) Trap();
  mm.End();
}

/* ---- A from the vector core's buffer, C in NZ, then twice more added to it -------------------------------- */

__global__ __mix__(1, 1) void from_vector(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling t) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<half, false, CubeFormat::ND, TPosition::VECOUT>, Of<half>, Of<float, false, CubeFormat::NZ>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  TBuf<> buffer;
  int32_t pitch = (t.Ka + 15) / 16 * 16; /* rows of whole blocks */
  pipe.InitBuffer(buffer, t.M * pitch * sizeof(half));
  LocalTensor<half> x = buffer.Get<half>();
  DataCopyPad(x, Global<half>(a), DataCopyExtParams(t.M, t.Ka * 2, 0, 0, 0), DataCopyPadExtParams<half>(true, 0, pitch - t.Ka, half(0)));
  TEventID arrived = pipe.FetchEventID(HardEvent::MTE2_V);
  SetFlag<HardEvent::MTE2_V>(arrived);
  WaitFlag<HardEvent::MTE2_V>(arrived);
  Adds(x, x, half(1), t.M * pitch);
  mm.SetTensorA(x);
  mm.SetTensorB(Global<half>(b));
  mm.IterateAll(Global<float>(c));
  while (mm.Iterate()) mm.GetTensorC(Global<float>(c), 1);
  mm.IterateAll(Global<float>(c), 1);
  mm.End();
}

/* ---- quantised results; all into the vector core's buffer ---------------------------------------------------- */

template <typename T, typename R, bool per_column>
__global__ __mix__(1, 2) void quantised(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR c, GM_ADDR workspace, uint64_t scale, TCubeTiling t) {
  SetSysWorkSpace(workspace);
  TPipe pipe;
  Matmul<Of<T>, Of<T, true>, Of<R, false, CubeFormat::ND, TPosition::VECOUT>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetSubBlockIdx() == 1) return;
  TBuf<TPosition::VECOUT> buffer;
  pipe.InitBuffer(buffer, 64 * 64 * 2);
  LocalTensor<R> x = buffer.Get<R>();
  if (per_column) mm.SetQuantVector(Global<uint64_t>(scales));
  else mm.SetQuantScalar(scale);
  mm.SetTensorA(Global<T>(a));
  mm.SetTensorB(Global<T>(b), true);
  mm.IterateAll(x);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(Global<R>(c), x, 64 * 64);
  mm.End();
}

/* ---- a cube core on its own: partial sums over K by hand ------------------------------------------------------- */

constexpr static auto SMALL = GetMatmulApiTiling<Of<float>, Of<float>, Of<float>>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{64, 64, 64, 64, 64, 32}));

__global__ __cube__ void alone(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  TPipe pipe;
  MatmulImpl<Of<float>, Of<float>, Of<float>, Of<float>, SMALL> mm;
  mm.Init(nullptr, &pipe);
  mm.SetOrgShape(64, 64, 128, 128);
  mm.SetHF32(true);
  for (int32_t k = 0; k < 128; k += 64) {
    mm.SetTensorA(Global<float>(a, k));
    mm.SetTensorB(Global<float>(b, k * 64));
    mm.Iterate(k > 0);
  }
  mm.GetTensorC(Global<float>(c));
  mm.End();
}

/* ---- host ------------------------------------------------------------------------------------------------------- */

template <typename T>
std::vector<T> Small(size_t count, uint32_t seed) {
  std::vector<T> numbers(count);
  for (size_t i = 0; i < count; i++) numbers[i] = T(static_cast<float>(static_cast<int>(Number(static_cast<uint32_t>(i) + seed) * 16)));
  return numbers;
}
template <typename T>
double At(const std::vector<T> &x, bool transposed, int row, int column, int rows, int columns) {
  return static_cast<double>(static_cast<float>(x[static_cast<size_t>(transposed ? column * rows + row : row * columns + column)]));
}
static size_t results, wrong;
static void Check(double is, double should) {
  results++;
  if (is == should) return;
  if (wrong++ == 0) std::printf("result %zu is %g, not %g\n", results, is, should);
}
static TCubeTiling Tiling(int32_t m, int32_t n, int32_t k, int32_t single_m, int32_t single_n, int32_t base_m, int32_t base_n, int32_t base_k) {
  TCubeTiling t{};
  t.M = m, t.N = n, t.Ka = t.Kb = t.singleCoreK = k;
  t.singleCoreM = single_m, t.singleCoreN = single_n;
  t.baseM = base_m, t.baseN = base_n, t.baseK = base_k;
  t.usedCoreNum = (m + single_m - 1) / single_m * ((n + single_n - 1) / single_n);
  return t;
}
static uint8_t *workspace;

template <typename T, typename R, bool ta, bool tb>
void RunAll(bool with_bias, int32_t m = M, int32_t n = N) {
  std::vector<T> a = Small<T>(m * K, 0), b = Small<T>(K * n, 77777);
  std::vector<R> bias = Small<R>(n, 177777);
  DeviceArray<T> aDev(a), bDev(b);
  DeviceArray<R> biasDev(bias), cDev(m * n);
  TCubeTiling t = Tiling(m, n, K, 80, 80, 48, 64, 32);
  t.isBias = with_bias;
  all<T, R, ta, tb><<<4, 0, nullptr>>>(aDev.get(), bDev.get(), biasDev.get(), cDev.get(), workspace, t);
  Device::Must(aclrtSynchronizeDevice());
  std::vector<R> c = cDev.Read();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = with_bias ? static_cast<double>(bias[j]) : 0;
      for (int k = 0; k < K; k++) sum += At(a, ta, i, k, m, K) * At(b, tb, k, j, K, n);
      Check(static_cast<double>(c[i * n + j]), sum);
    }
}
template <typename T, typename R>
void RunTransposes() {
  RunAll<T, R, false, false>(true);
  RunAll<T, R, false, true>(false);
  RunAll<T, R, true, false>(false);
  RunAll<T, R, true, true>(true, 81, 33);
}

template <bool asynchronous>
void RunTiles(const std::vector<half> &a, const std::vector<half> &b) {
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> cDev(M * N);
  tiles<asynchronous><<<1, 0, nullptr>>>(aDev.get(), bDev.get(), cDev.get(), workspace, Tiling(M, N, K, M, N, 64, 64, 64));
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++) sum += At(a, false, i, k, M, K) * At(b, false, k, j, K, N);
      Check(c[i * N + j], 2 * sum);
    }
}

static void RunFromVector() {
  const int m = 96, n = 112, k = 60;
  std::vector<half> a = Small<half>(m * k, 3), b = Small<half>(k * n, 5);
  DeviceArray<half> aDev(a), bDev(b);
  DeviceArray<float> cDev(m * n);
  from_vector<<<1, 0, nullptr>>>(aDev.get(), bDev.get(), cDev.get(), workspace, Tiling(m, n, k, m, n, 32, 48, 32));
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int x = 0; x < k; x++) sum += (At(a, false, i, x, m, k) + 1) * At(b, false, x, j, k, n);
      Check(c[(j / 16) * m * 16 + i * 16 + j % 16], 3 * sum);
    }
}

template <typename T, typename R, bool per_column>
void RunQuantised() {
  const int s = 64;
  std::vector<T> a = Small<T>(s * s, 11), b = Small<T>(s * s, 13);
  std::vector<uint64_t> scales(s);
  auto entry = [](float scale) { return uint64_t{1} << 46 | __builtin_bit_cast(uint32_t, scale); };
  for (int j = 0; j < s; j++) scales[j] = entry(j % 2 == 0 ? 0.0625f : 0.03125f);
  DeviceArray<T> aDev(a), bDev(b);
  DeviceArray<uint64_t> scalesDev(scales);
  DeviceArray<R> cDev(s * s);
  quantised<T, R, per_column><<<1, 0, nullptr>>>(aDev.get(), bDev.get(), scalesDev.get(), cDev.get(), workspace, entry(0.0625f),
                                                 Tiling(s, s, s, s, s, 32, 32, 32));
  Device::Must(aclrtSynchronizeDevice());
  std::vector<R> c = cDev.Read();
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      double sum = 0;
      for (int k = 0; k < s; k++) sum += At(a, false, i, k, s, s) * At(b, true, k, j, s, s);
      bool needs_scale = sizeof(T) == 1 || sizeof(R) == 1;
      double scaled = sum * (!needs_scale ? 1 : per_column && j % 2 != 0 ? 0.03125 : 0.0625);
      if (sizeof(R) == 1) scaled = std::fmin(127, std::fmax(-128, std::nearbyint(scaled)));
      else scaled = static_cast<double>(static_cast<float>(half(static_cast<float>(scaled))));
      Check(static_cast<double>(static_cast<float>(c[i * s + j])), scaled);
    }
}

static void RunAlone() {
  std::vector<float> a = Small<float>(64 * 128, 17), b = Small<float>(128 * 64, 19);
  DeviceArray<float> aDev(a), bDev(b), cDev(64 * 64);
  alone<<<1, 0, nullptr>>>(aDev.get(), bDev.get(), cDev.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = cDev.Read();
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      double sum = 0;
      for (int k = 0; k < 128; k++) sum += At(a, false, i, k, 64, 128) * At(b, false, k, j, 128, 64);
      Check(c[i * 64 + j], sum);
    }
}

/* Tilings of many shapes cover the matrix and fit the memories; what cannot be met is -1. */
static void CheckTilings() {
  using matmul_tiling::DataType;
  for (int32_t m : {1, 17, 500, 4096})
    for (int32_t n : {1, 33, 768})
      for (DataType type : {DataType::DT_INT8, DataType::DT_FLOAT16, DataType::DT_FLOAT})
        for (int32_t cores : {1, 7, 48}) {
          matmul_tiling::MultiCoreMatmulTiling choice;
          choice.SetDim(cores);
          choice.SetAType(TPosition::GM, CubeFormat::ND, type);
          choice.SetShape(m, n, 1000);
          choice.SetOrgShape(m, n, 1000);
          TCubeTiling t{};
          Check(choice.GetTiling(t), 0);
          int32_t bytes = type == DataType::DT_INT8 ? 1 : type == DataType::DT_FLOAT16 ? 2 : 4, parts = 0, down = 0, along = 0;
          choice.GetCoreNum(parts, down, along);
          Check(parts == t.usedCoreNum && parts <= cores && down * along == parts, true);
          Check(down * t.singleCoreM >= m && along * t.singleCoreN >= n, true);
          Check(t.baseM * t.baseN * 4 <= 128 * 1024 && t.baseM * t.baseK * bytes <= 64 * 1024 && t.baseN * t.baseK * bytes <= 64 * 1024, true);
        }
  matmul_tiling::MultiCoreMatmulTiling none, beyond, fixed;
  TCubeTiling t{};
  Check(none.GetTiling(t), -1);
  beyond.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  beyond.SetOrgShape(64, 64, 64);
  beyond.SetShape(128, 64, 64);
  Check(beyond.GetTiling(t), -1);
  fixed.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  fixed.SetOrgShape(1024, 1024, 64);
  fixed.SetFixSplit(512, 512);
  Check(fixed.GetTiling(t), -1);
  Check(fixed.SetOrgShape(0, 1, 1), -1);
  Check(fixed.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_DOUBLE), -1);
}

/* The axis that kernels written for a shape expect to be cut: the one whose tiles are narrower where tiles are whole. */
static void CheckCutAxis() {
  struct { int32_t m, n, k, cores, baseM, baseN, singleM, singleN; } cuts[] = {
    {512, 512, 128, 2, -1, -1, 256, 512}, {512, 128, 128, 2, 128, 64, 512, 64}, {1024, 640, 256, 2, 256, 128, 512, 640}};
  for (auto &cut : cuts) {
    matmul_tiling::MultiCoreMatmulTiling choice;
    choice.SetDim(cut.cores);
    choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    choice.SetOrgShape(cut.m, cut.n, cut.k);
    choice.SetShape(cut.m, cut.n, cut.k);
    choice.SetFixSplit(cut.baseM, cut.baseN);
    TCubeTiling t{};
    Check(choice.GetTiling(t), 0);
    Check(t.usedCoreNum, cut.cores);
    Check(t.singleCoreM, cut.singleM);
    Check(t.singleCoreN, cut.singleN);
  }
}

/* Tiling as bytes, read when the kernel is compiled. */
struct Halves { uint32_t rows; int16_t step[2]; };
constexpr uint8_t halves[] = {7, 1, 0, 0, 0xfe, 0xff, 3, 0};
static_assert(convert_from_bytes<Halves>(halves).rows == 263 && convert_from_bytes<Halves>(halves).step[0] == -2 &&
              convert_from_bytes<Halves>(halves).step[1] == 3, "bytes of a structure");

int main() {
  Device device;
  DeviceArray<uint8_t> system(RESERVED_WORKSPACE);
  workspace = system.get();
  RunTransposes<half, float>();
  RunTransposes<bfloat16_t, float>();
  RunTransposes<float, float>();
  RunTransposes<int8_t, int32_t>();
  std::vector<half> a = Small<half>(M * K, 1), b = Small<half>(K * N, 2);
  RunTiles<false>(a, b);
  RunTiles<true>(a, b);
  RunFromVector();
  RunQuantised<int8_t, half, false>();
  RunQuantised<int8_t, half, true>();
  RunQuantised<int8_t, int8_t, true>();
  RunQuantised<half, int8_t, false>();
  RunQuantised<half, half, false>();
  RunAlone();
  CheckTilings();
  CheckCutAxis();
  return Report("api_matmul", results, wrong);
}
