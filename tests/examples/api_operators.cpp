/* api_operators.cpp - what sources of operators use beside the documented calls: lists of template arguments, AscendC::Std where
 * it differs from the standard library, scalar roots, AscendCUtils, functions of the framework's own on plain addresses. */
#include "ascendc/host_api/tiling/template_argument.h"
#include "host.hpp"
#include "kernel_operator_intf.h"
#include "lib/matrix/matmul/matmul.h"

using namespace AscendC;

ASCENDC_TPL_ARGS_DECL(sums, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_LIST, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0, 1)));

static_assert(Std::is_floating_point_v<half> && Std::is_floating_point_v<const float> && !Std::is_floating_point_v<int16_t>);
static_assert(Std::is_integral_v<Std::Int<3>> && Std::is_integral_v<int8_t> && !Std::is_integral_v<half>);
static_assert(Std::is_one_of_v<half, float, half> && !Std::is_one_of_v<half> && Std::is_one_of_value_v<int, 2, 1, 2>);
static_assert(Std::is_same_v<Std::remove_cvref_t<const int &>, int> && Std::is_same_uncvref<const int &, int>::value);
static_assert(Std::is_constant_v<3, const Std::Int<3> &> && !Std::is_constant_v<3, int> && Std::is_tuple_v<Std::tuple<int>>);
static_assert(Std::max(2, 3.5f) == 3.5f && Std::min(uint8_t{7}, 300) == 7 && Std::abs(int8_t{-3}) == 3);
static_assert(Std::ceil_division(33, 8u) == 5 && Std::ceil_align(33, 8) == 40 && Std::divide(33, 8) == 4);
static_assert(AlignUp(33, 32) == 64 && DivCeil(64, 32) == 2 && Ceil(uint64_t{33}, 32) == 2);
static_assert(ONE_BLK_FLOAT_NUM * B32_BYTE_SIZE == ONE_BLK_SIZE && ONE_BLK_HALF_NUM * B16_BYTE_SIZE == ONE_BLK_SIZE && BLOCK_CUBE == 16);
static_assert(FLOAT_REPEAT_SIZE == B32_DATA_NUM_PER_REPEAT && HALF_REPEAT_SIZE == B16_DATA_NUM_PER_REPEAT && BRCB_BROADCAST_NUMBER == 8);
static_assert(B32_DATA_NUM_PER_BLOCK * 8 == B32_DATA_NUM_PER_REPEAT && B16_DATA_NUM_PER_BLOCK * 8 == B16_DATA_NUM_PER_REPEAT);
static_assert(AscendCUtils::GetC0Count(sizeof(half)) == 16 && AscendCUtils::GetBitSize(4) == 32);

constexpr uint32_t COUNT = 64, BLOCKS = 8;

/* Sums of blocks of eight, by the mask that is set; their roots, one by one. */
template <uint64_t mode>
__global__ __vector__ void sums(GM_ADDR x, GM_ADDR y) {
  PRELOAD(4);
  TPipe pipe;
  TBuf<TPosition::VECCALC> from, to;
  pipe.InitBuffer(from, COUNT * sizeof(float));
  pipe.InitBuffer(to, ONE_BLK_SIZE);
  LocalTensor<float> in = from.Get<float>(), out = to.Get<float>();
  constexpr DataCopyParams whole(DEFAULT_DATA_COPY_NBURST, BLOCKS, DEFAULT_DATA_COPY_STRIDE, DEFAULT_DATA_COPY_STRIDE);
  if constexpr (mode == 0) DataCopyGM2UBImpl((__ubuf__ float *)in.GetPhyAddr(), (__gm__ float *)x, whole);
  else
    DataCopyPadGm2UBImpl((__ubuf__ float *)in.GetPhyAddr(), (__gm__ float *)x, DataCopyExtParams(1, COUNT * sizeof(float), 0, 0, 0),
                         DataCopyPadExtParams<float>(false, 0, 0, 0));
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendCUtils::SetMask<float>(COUNT);
  BlockReduceSumIntrinsicsImpl((__ubuf__ float *)out.GetPhyAddr(), (__ubuf__ float *)in.GetPhyAddr(), 1, 1, 1, 8);
  AscendCUtils::ResetMask();
  for (uint32_t i = 0; i < BLOCKS; i++) out.SetValue(i, i % 2 == 0 ? sqrt(out.GetValue(i)) : Std::sqrt(out.GetValue(i)));
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  if constexpr (mode == 0) DataCopyUB2GMImpl((__gm__ float *)y, (__ubuf__ float *)out.GetPhyAddr(), DataCopyParams(1, 1, 0, 0));
  else DataCopyPadUB2GMImpl((__gm__ float *)y, (__ubuf__ float *)out.GetPhyAddr(), DataCopyExtParams(1, ONE_BLK_SIZE, 0, 0, 0));
}

/* A matrix of 16 x 16 turned. */
__global__ __vector__ void turn(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> from, to;
  pipe.InitBuffer(from, 256 * sizeof(half));
  pipe.InitBuffer(to, 256 * sizeof(half));
  LocalTensor<half> in = from.Get<half>(), out = to.Get<half>();
  GlobalTensor<half> a, b;
  a.SetGlobalBuffer((__gm__ half *)x, 256);
  b.SetGlobalBuffer((__gm__ half *)y, 256);
  DataCopy(in, a, 256);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  __ubuf__ half *rows[16], *columns[16];
  for (uint32_t i = 0; i < 16; i++) {
    rows[i] = (__ubuf__ half *)in.GetPhyAddr(i * 16);
    columns[i] = (__ubuf__ half *)out.GetPhyAddr(i * 16);
  }
  TransDataTo5HDImpl(columns, rows, TransDataTo5HDParams(false, false, 1, 0, 0));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(b, out, 256);
}

/* A block of eight numbers from the first vector core, and the cube core's copy of it behind. */
__global__ __mix__(1, 2) void answer(GM_ADDR y) {
  TPipe pipe;
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer((__gm__ int32_t *)y, 16);
  if (ASCEND_IS_AIV) {
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, ONE_BLK_SIZE);
    LocalTensor<int32_t> numbers = buffer.Get<int32_t>();
    Duplicate(numbers, 41, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    if (GetSubBlockIdx() == 0) DataCopy(gm, numbers, 8);
    NotifyEvent<PIPE_MTE3>(3);
    WaitEvent(4);
  } else {
    TBuf<TPosition::A1> buffer;
    pipe.InitBuffer(buffer, ONE_BLK_SIZE);
    LocalTensor<int32_t> numbers = buffer.Get<int32_t>();
    WaitEvent(3);
    DataCopy(numbers, gm, 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(gm[8], numbers, 8);
    NotifyEvent<PIPE_MTE3>(4);
  }
}

/* Masks are set and device memory is filled on vector cores; the cube core runs by the same lines without effect. */
__global__ __mix__(1, 1) void fill(GM_ADDR y) {
  if (GetSubBlockIdx() == 1) return; /* of a SuperKernel with two vector cores per cube core */
  TPipe pipe;
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)y, COUNT);
  SetVectorMask<float>(COUNT);
  AscendCUtils::SetMask<float>(0, UINT64_MAX);
  ResetMask();
  InitGlobalMemory(gm, COUNT, 2.5f);
}

/* A product, its tiling by a pointer that is restricted. */
using Half = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
__global__ __mix__(1, 1) void multiply(GM_ADDR a, GM_ADDR c, GM_ADDR workspace, TCubeTiling tiling) {
  if (GetSubBlockIdx() == 1) return;
  SetSysWorkSpace(workspace);
  TPipe pipe;
  matmul::Matmul<Half, Half, Float> mm;
  const TCubeTiling *__restrict t = &tiling;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, t);
  GlobalTensor<half> aGm;
  GlobalTensor<float> cGm;
  aGm.SetGlobalBuffer((__gm__ half *)a);
  cGm.SetGlobalBuffer((__gm__ float *)c);
  mm.SetTensorA(aGm);
  mm.SetTensorB(aGm);
  mm.IterateAll(cGm);
  mm.End();
}

static size_t wrong_sums(const std::vector<float> &x, const std::vector<float> &y) {
  size_t wrong = 0;
  for (uint32_t i = 0; i < BLOCKS; i++) {
    double sum = 0;
    for (uint32_t j = 0; j < 8; j++) sum += x[i * 8 + j];
    wrong += y[i] != (float)std::sqrt(sum); /* whole numbers: the sum is exact */
  }
  return wrong;
}

int main() {
  std::vector<float> x(COUNT);
  for (uint32_t i = 0; i < COUNT; i++) x[i] = std::floor(100 * std::fabs(Number(i)));
  std::vector<half> square(256);
  for (uint32_t i = 0; i < 256; i++) square[i] = half(std::floor(8 * Number(i)));
  TCubeTiling t{};
  t.usedCoreNum = 1;
  t.M = t.N = t.Ka = t.Kb = t.singleCoreM = t.singleCoreN = t.singleCoreK = t.baseM = t.baseN = t.baseK = 16;
  Device device;
  DeviceArray<float> from(x), first(BLOCKS), second(BLOCKS), filled(COUNT), product(256);
  DeviceArray<half> matrix(square), turned(256);
  DeviceArray<int32_t> words(16);
  DeviceArray<uint8_t> workspace(RESERVED_WORKSPACE);
  sums<0><<<1, 0, nullptr>>>(from.get(), first.get());
  sums<1><<<1, 0, nullptr>>>(from.get(), second.get());
  turn<<<1, 0, nullptr>>>(matrix.get(), turned.get());
  fill<<<1, 0, nullptr>>>(filled.get());
  answer<<<1, 0, nullptr>>>(words.get());
  multiply<<<1, 0, nullptr>>>(matrix.get(), product.get(), workspace.get(), t);
  Device::Must(aclrtSynchronizeDevice());
  size_t wrong = wrong_sums(x, first.Read()) + wrong_sums(x, second.Read());
  for (int32_t word : words.Read()) wrong += word != 41;
  for (float value : filled.Read()) wrong += value != 2.5f;
  std::vector<half> other = turned.Read();
  std::vector<float> c = product.Read();
  for (uint32_t i = 0; i < 16; i++)
    for (uint32_t j = 0; j < 16; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < 16; k++) sum += (double)(float)square[i * 16 + k] * (float)square[k * 16 + j];
      wrong += c[i * 16 + j] != sum || (float)other[j * 16 + i] != (float)square[i * 16 + j];
    }
  return Report("api_operators", 2 * BLOCKS + COUNT + 528, wrong);
}
