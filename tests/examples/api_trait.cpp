/* api_trait.cpp - tensors with a TensorTrait: through queues and vector instructions, by a static allocator and a layout, and
 * through the cube. Against host arithmetic. */
#include "host.hpp"
#include "kernel_operator_tensor_trait.h"

using namespace AscendC;

constexpr uint32_t N = 256, ROWS = 8, COLUMNS = 32;
constexpr uint16_t M = 16, K = 32;
using Float = TensorTrait<float>;
using Half = TensorTrait<half>;
using Byte = TensorTrait<uint8_t>;

/* What a trait says, known to the compiler. */
template <uint32_t value>
using Constant = Std::integral_constant<uint32_t, value>;
constexpr auto ROW_MAJOR_LAYOUT =
    MakeLayout(MakeShape(Constant<ROWS>{}, Constant<COLUMNS>{}), MakeStride(Constant<COLUMNS>{}, Constant<1>{}));
constexpr auto MATRIX = MakeTensorTrait<float, TPosition::VECIN>(ROW_MAJOR_LAYOUT);
using Matrix = std::remove_const_t<decltype(MATRIX)>;
static_assert(Matrix::tPos == TPosition::VECIN && std::is_same<Matrix::LiteType, float>::value && Float::tPos == TPosition::GM);
static_assert(is_tensorTrait<Matrix>::value && !is_tensorTrait_v<float> && !is_tensorTrait_v<decltype(ROW_MAJOR_LAYOUT)>);
static_assert(std::is_same<PrimT<Matrix>, float>::value && std::is_same<PrimT<half>, half>::value);
static_assert(Std::get<1>(MATRIX.GetShape()) == COLUMNS && Std::get<0>(MATRIX.GetLayout().GetStride()) == COLUMNS);
static_assert(!std::is_convertible<LocalTensor<Float>, LocalTensor<float>>::value);
static_assert(!std::is_constructible<LocalTensor<float>, LocalTensor<Float>>::value);
static_assert(!std::is_assignable<LocalTensor<Float> &, LocalTensor<float>>::value);
static_assert(!std::is_assignable<GlobalTensor<float> &, GlobalTensor<Float>>::value);
static_assert(std::is_same<LocalTensor<Matrix>::PrimType, float>::value);

template <typename Trait>
__aicore__ inline GlobalTensor<Trait> Global(GM_ADDR address, uint64_t elems = N) {
  GlobalTensor<Trait> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ PrimT<Trait> *>(address), elems);
  return tensor;
}

/* out: where 2 x + y is less than y its half's value, y elsewhere; then the sum of x and its maximum. */
__global__ __vector__ void queues(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 1> result;
  TBuf<> halves, bits, work;
  pipe.InitBuffer(in, 2, N * 4), pipe.InitBuffer(result, 1, 2 * N * 4);
  pipe.InitBuffer(halves, N * 2), pipe.InitBuffer(bits, 32), pipe.InitBuffer(work, N * 4);
  LocalTensor<Float> a = in.AllocTensor<Float>(), b = in.AllocTensor<Float>();
  DataCopy(a, Global<Float>(x), N);
  DataCopy(b, Global<Float>(y), DataCopyParams(1, N / 8, 0, 0));
  in.EnQue(a), in.EnQue(b);
  a = in.DeQue<Float>(), b = in.DeQue<Float>();
  LocalTensor<Float> c = result.AllocTensor<Float>(), scratch = work.Get<Float>();
  LocalTensor<Half> h = halves.Get<Half>();
  LocalTensor<Byte> less = bits.Get<Byte>();
  Muls(c, a, 2.0f, N);
  PipeBarrier<PIPE_V>();
  SetVectorMask<float>(64);
  Add<Float, false>(c, c, b, MASK_PLACEHOLDER, N / 64, BinaryRepeatParams());
  PipeBarrier<PIPE_V>();
  Compare(less, c, b, CMPMODE::LT, N);
  Cast(h, c, RoundMode::CAST_RINT, N);
  PipeBarrier<PIPE_V>();
  Cast(c, h, RoundMode::CAST_NONE, N);
  PipeBarrier<PIPE_V>();
  Select(c, less, c, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, N);
  Copy(c[N], a, 16, 1, CopyRepeatParams(1, 1, 8, 8));
  PipeBarrier<PIPE_V>();
  ReduceSum(c[N], a, scratch, N);
  PipeBarrier<PIPE_V>();
  WholeReduceMax(c[N + 8], a, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  result.EnQue(c);
  c = result.DeQue<Float>();
  DataCopy(Global<Float>(out, N + 16), c, N + 16);
  result.FreeTensor(c), in.FreeTensor(a), in.FreeTensor(b);
}

/* A matrix by its layout: out is x with row r times r + 1 by vectors, and the element (3, 5) a scalar wrote. */
__global__ __vector__ void allocated(GM_ADDR x, GM_ADDR out) {
  LocalMemAllocator<> memory;
  LocalTensor<Matrix> a = memory.Alloc<Matrix>(), b(memory.GetCurAddr());
  if (memory.GetCurAddr() != N * 4 || a.GetSize() != N || a.GetPosition() != TPosition::VECIN) Trap();
  if (b.GetPhyAddr() - a.GetPhyAddr() != N * 4) Trap();
  a.SetTensorTrait(MATRIX);
  auto layout = a.GetLayout();
  GlobalTensor<Matrix> from = Global<Matrix>(x);
  DataCopy(a, from, N); /* of one trait both */
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  for (uint32_t r = 0; r < ROWS; r++) {
    uint32_t row = Crd2Idx(MakeCoord(r, 0), layout);
    Muls(b[row], a[row], float(r + 1), int32_t(Std::get<1>(a.GetShape())));
  }
  b.SetValue(layout(MakeCoord(3, 5)), 1000.0f + a.GetValue(layout(MakeCoord(3, 5))));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(Global<float>(out), b.ReinterpretCast<float>(), N);
}

/* out = a b, half into float. */
__global__ __cube__ void cube(GM_ADDR a, GM_ADDR b, GM_ADDR out) {
  TPipe pipe;
  TQue<TPosition::A1, 1> a1;
  TQue<TPosition::B1, 1> b1;
  TQue<TPosition::A2, 1> a2;
  TQue<TPosition::B2, 1> b2;
  TQue<TPosition::CO1, 1> co1;
  pipe.InitBuffer(a1, 1, M * K * 2), pipe.InitBuffer(b1, 1, M * K * 2), pipe.InitBuffer(co1, 1, M * M * 4);
  pipe.InitBuffer(a2, 1, M * K * 2), pipe.InitBuffer(b2, 1, M * K * 2);
  LocalTensor<Half> left = a1.AllocTensor<Half>(), right = b1.AllocTensor<Half>();
  DataCopy(left, Global<Half>(a), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(right, Global<Half>(b), Nd2NzParams(1, K, M, 0, M, K, 1, 0));
  a1.EnQue(left), b1.EnQue(right);
  left = a1.DeQue<Half>(), right = b1.DeQue<Half>();
  LocalTensor<Half> l0a = a2.AllocTensor<Half>(), l0b = b2.AllocTensor<Half>();
  LoadData(l0a, left, LoadData2DParams(0, K / 16, 1, 0, 0, false, 0));
  LoadDataWithTranspose(l0b, right, LoadData2dTransposeParams(0, K / 16, 1, 0, 0));
  a1.FreeTensor(left), b1.FreeTensor(right);
  a2.EnQue(l0a), b2.EnQue(l0b);
  l0a = a2.DeQue<Half>(), l0b = b2.DeQue<Half>();
  LocalTensor<Float> c = co1.AllocTensor<Float>();
  Mmad(c, l0a, l0b, MmadParams(M, M, K, 0, false, true));
  a2.FreeTensor(l0a), b2.FreeTensor(l0b);
  co1.EnQue(c);
  c = co1.DeQue<Float>();
  Fixpipe(Global<Float>(out), c, FixpipeParamsV220(M, M, M, M, false));
  co1.FreeTensor(c);
}

static size_t Queues() {
  std::vector<float> x(N), y(N);
  for (uint32_t i = 0; i < N; i++) {
    x[i] = std::ldexp(std::floor(Number(i) * 64), -6);
    y[i] = std::ldexp(std::floor(Number(i + N) * 64), -6);
  }
  DeviceArray<float> a(x), b(y), out(N + 16);
  queues<<<1, 0, nullptr>>>(a.get(), b.get(), out.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> z = out.Read();
  size_t wrong = 0;
  double sum = 0, most = -2;
  for (uint32_t i = 0; i < N; i++) {
    double c = 2.0 * x[i] + y[i]; /* of eight bits: exact in half */
    wrong += z[i] != (c < y[i] ? c : y[i]);
    sum += x[i];
    if (i < 64 && x[i] > most) most = x[i];
  }
  return wrong + (z[N] != sum) + (z[N + 8] != most);
}

static size_t Allocated() {
  std::vector<float> x(N);
  for (uint32_t i = 0; i < N; i++) x[i] = static_cast<float>(i);
  DeviceArray<float> from(x), to(N);
  allocated<<<1, 0, nullptr>>>(from.get(), to.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> y = to.Read();
  size_t wrong = 0;
  for (uint32_t i = 0; i < N; i++) {
    double expected = i == 3 * COLUMNS + 5 ? 1000.0 + i : double(i) * (i / COLUMNS + 1);
    wrong += y[i] != expected;
  }
  return wrong;
}

static size_t Cube() {
  std::vector<half> a(M * K), b(K * M);
  for (uint32_t i = 0; i < M * K; i++) a[i] = half(std::floor(Number(i) * 16)), b[i] = half(std::floor(Number(i + 4096) * 16));
  DeviceArray<half> left(a), right(b);
  DeviceArray<float> out(M * M);
  cube<<<1, 0, nullptr>>>(left.get(), right.get(), out.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<float> c = out.Read();
  size_t wrong = 0;
  for (uint32_t i = 0; i < M; i++)
    for (uint32_t j = 0; j < M; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < K; k++) sum += double(float(a[i * K + k])) * double(float(b[k * M + j]));
      wrong += c[i * M + j] != sum;
    }
  return wrong;
}

int main() {
  Device device;
  return Report("api_trait", N + 2 + N + M * M, Queues() + Allocated() + Cube());
}
