/* matmul.h - the Matmul object: C = A B (+ bias) with tiling of its own.
 *
 * On vector cores its calls are messages to the cube core of the block, which runs the service inside
 * REGIST_MATMUL_OBJ until all of them have left the function that holds the macro. With ASCENDC_CUBE_ONLY
 * defined (matmul_cube_only.h), and for MatmulImpl, the cube core does the work where the call stands. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_H
#define SK_KERNEL_OPERATOR_MATMUL_H

#include "matmul_policy.h"
#include "pipe.h"

namespace AscendC {

namespace Internal {
template <typename T>
constexpr uint8_t matmul_element() {
  if constexpr (std::is_same<T, half>::value) return SK_MATMUL_F16;
  else if constexpr (std::is_same<T, bfloat16_t>::value) return SK_MATMUL_BF16;
  else if constexpr (std::is_same<T, float>::value) return SK_MATMUL_F32;
  else if constexpr (std::is_same<T, int8_t>::value) return SK_MATMUL_I8;
  else if constexpr (std::is_same<T, uint8_t>::value) return SK_MATMUL_U8;
  else if constexpr (std::is_same<T, int4b_t>::value) return SK_MATMUL_I4;
  else if constexpr (std::is_same<T, int32_t>::value) return SK_MATMUL_I32;
  else static_assert(always_false<T>, "Matmul: elements are half, bfloat16_t, float, int8_t, uint8_t, int4b_t and int32_t");
}
constexpr bool matmul_pair(uint8_t a, uint8_t c) {
  bool integer = a == SK_MATMUL_I8 || a == SK_MATMUL_I4, scaled = c == SK_MATMUL_F16 || c == SK_MATMUL_I8 || c == SK_MATMUL_U8;
  return integer ? c == SK_MATMUL_I32 || scaled : a <= SK_MATMUL_F32 && (c == SK_MATMUL_F32 || c == SK_MATMUL_BF16 || scaled);
}
constexpr uint8_t matmul_format(CubeFormat format) {
  switch (format) {
    case CubeFormat::NZ: return SK_MATMUL_NZ;
    case CubeFormat::ND_ALIGN: return SK_MATMUL_ND_ALIGN;
    case CubeFormat::VECTOR: return SK_MATMUL_VECTOR;
    default: return SK_MATMUL_ND;
  }
}
constexpr uint8_t matmul_layout(LayoutMode layout) {
  switch (layout) {
    case LayoutMode::BSNGD: return SK_MATMUL_BSNGD;
    case LayoutMode::SBNGD: return SK_MATMUL_SBNGD;
    case LayoutMode::BNGS1S2: return SK_MATMUL_BNGS1S2;
    case LayoutMode::NORMAL: return SK_MATMUL_NORMAL;
    default: return SK_MATMUL_ONE;
  }
}
constexpr bool matmul_input_place(TPosition position) { return memory_of(position) <= MEM_L1; }
template <class Type>
constexpr bool matmul_is_l1 = memory_of(Type::pos) == MEM_L1;
template <class Type, class = void>
struct matmul_has_index : std::false_type {};
template <class Type>
struct matmul_has_index<Type, std::void_t<decltype(Type::indexPos)>> : std::true_type {};

constexpr const MatmulConfig &config_of(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &config_of(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }
} // namespace Internal

#define SK_MATMUL_REFUSE(Name, why)                                                                \
  template <class... Types>                                                                        \
  void Name(const Types &...) {                                                                    \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": " why " (Matmul)");                      \
  }

template <bool served, class A, class B, class C, class Bias, const auto &config, class CallBack, class Policy>
class MatmulObject {
  using SrcT = typename A::T;
  using DstT = typename C::T;
  using BiasT = typename Bias::T;
  static constexpr const MatmulConfig &cfg = Internal::config_of(config);
  static constexpr bool service = served && !cfg.enableMixDualMaster;
  static constexpr bool is_static = std::is_same<std::decay_t<decltype(config)>, MatmulApiStaticTiling>::value;
  static constexpr uint8_t a_element = Internal::matmul_element<SrcT>(), c_element = Internal::matmul_element<DstT>();
  static constexpr bool in_batches = A::layout != LayoutMode::NONE, co1 = C::pos == TPosition::CO1;

  static_assert(std::is_same<SrcT, typename B::T>::value, "Matmul: A and B have one element type");
  static_assert(Internal::matmul_pair(a_element, c_element),
                "Matmul: C of half, bfloat16_t or float is float, half, bfloat16_t, int8_t or uint8_t; C of int8_t or int4b_t is "
                "int32_t, half, int8_t or uint8_t");
  static_assert(Internal::matmul_input_place(A::pos) && Internal::matmul_input_place(B::pos),
                "Matmul: TPosition of A and B is GM, VECIN, VECOUT, VECCALC, TSCM, A1 or B1");
  static_assert(Internal::memory_of(C::pos) <= Internal::MEM_UB || co1, "Matmul: TPosition of C is GM, VECIN, VECOUT, VECCALC or CO1");
  static_assert(!co1 || (!service && C::format == CubeFormat::NZ && sizeof(DstT) == 4),
                "Matmul: C in CO1 is of cube cores on their own (ASCENDC_CUBE_ONLY), in CubeFormat NZ, float or int32_t");
  static_assert((A::format == CubeFormat::ND || A::format == CubeFormat::NZ || A::format == CubeFormat::VECTOR ||
                 A::format == CubeFormat::SCALAR) &&
                    (B::format == CubeFormat::ND || B::format == CubeFormat::NZ || B::format == CubeFormat::SCALAR),
                "Matmul: CubeFormat of A is ND, NZ, VECTOR or SCALAR, of B ND, NZ or SCALAR");
  static_assert((!Internal::matmul_is_l1<A> || A::format == CubeFormat::NZ) && (!Internal::matmul_is_l1<B> || B::format == CubeFormat::NZ),
                "Matmul: CubeFormat of A and B in L1 (TSCM, A1, B1) is NZ");
  static_assert(C::format == CubeFormat::ND || C::format == CubeFormat::NZ || C::format == CubeFormat::ND_ALIGN,
                "Matmul: CubeFormat of C is ND, NZ or ND_ALIGN");
  static_assert(A::layout == B::layout && (C::layout != LayoutMode::NONE) == in_batches, "Matmul: LayoutMode of A and B is the same, and C has one too");
  static_assert(!in_batches || a_element != SK_MATMUL_I4, "Matmul: int4b_t has no batches");
  static_assert((A::layout != LayoutMode::BSNGD && A::layout != LayoutMode::SBNGD) || (A::format == CubeFormat::ND && B::format == CubeFormat::ND),
                "Matmul: CubeFormat of A and B in LayoutMode BSNGD and SBNGD is ND");
  static_assert((C::layout != LayoutMode::BSNGD && C::layout != LayoutMode::SBNGD) || (C::pos == TPosition::GM && C::format == CubeFormat::ND),
                "Matmul: C in LayoutMode BSNGD and SBNGD is in GM, CubeFormat ND");
  static_assert(!(a_element == SK_MATMUL_I4 && A::isTrans), "Matmul: A of int4b_t is not transposed");
  static_assert(!Internal::matmul_has_index<B>::value || (!service && a_element == SK_MATMUL_I8 && B::format == CubeFormat::ND && B::pos == TPosition::GM),
                "SparseMatmulType: int8_t in GM, CubeFormat ND, on cube cores on their own (ASCENDC_CUBE_ONLY)");
  static_assert(!cfg.isEnableChannelSplit || (C::format == CubeFormat::NZ && c_element == SK_MATMUL_F32 && C::pos == TPosition::GM),
                "Matmul: isEnableChannelSplit is for C of float in GM, CubeFormat NZ");
  static_assert(!cfg.isPartialOutput || cfg.doMultiDataLoad, "Matmul: isPartialOutput is for the MDL configuration");
  static_assert(!cfg.intraBlockPartSum && !cfg.isCO1Shared && !cfg.enableRelu,
                "Matmul: intraBlockPartSum, isCO1Shared and enableRelu are not there on this architecture (2201)");
  static_assert(!cfg.enableMixDualMaster || (C::pos == TPosition::GM && Internal::memory_of(A::pos) == 0 && Internal::memory_of(B::pos) == 0),
                "Matmul: with enableMixDualMaster A, B and C are in GM");

public:
  using AType = A;
  using BType = B;
  using CType = C;
  using BiasType = Bias;

  SK_INLINE MatmulObject() {
    record_.a.element = a_element;
    record_.a.format = Internal::matmul_format(A::format);
    record_.a.layout = Internal::matmul_layout(A::layout);
    record_.b.element = a_element;
    record_.b.format = Internal::matmul_format(B::format);
    record_.b.layout = Internal::matmul_layout(B::layout);
    record_.triangle = Policy::sk_triangle;
    record_.partial_output = cfg.isPartialOutput;
    record_.dual_master = cfg.enableMixDualMaster;
    record_.functions = CallBack::sk_functions();
    if constexpr (std::is_same<BiasT, DstT>::value && c_element != SK_MATMUL_F32 && c_element != SK_MATMUL_F16)
      record_.bias.element = a_element == SK_MATMUL_I8 || a_element == SK_MATMUL_I4 ? SK_MATMUL_I32 : SK_MATMUL_F32;
    else record_.bias.element = Internal::matmul_element<BiasT>();
  }

  SK_INLINE void Init(const TCubeTiling *tiling, TPipe *pipe = nullptr) {
    if constexpr (is_static) {
      TCubeTiling own = config.sk_tiling();
      if (tiling != nullptr) own = *tiling;
      sk_matmul_init(&record_, &own, pipe, service);
    } else {
      sk_matmul_init(&record_, tiling, pipe, service);
    }
    if constexpr (cfg.iterateOrder != IterateOrder::UNDEF) record_.tiling.iterateOrder = static_cast<int32_t>(cfg.iterateOrder);
  }

  SK_INLINE void SetTensorA(const GlobalTensor<SrcT> &gm, bool isTransposeA = false) {
    static_assert(A::pos == TPosition::GM, "SetTensorA: a GlobalTensor is given, but A's TPosition is not GM");
    give(record_.a, gm.sk_address(), false, isTransposeA, A::isTrans, "SetTensorA: transposed, but the type of A says ISTRANS false");
  }
  SK_INLINE void SetTensorA(const LocalTensor<SrcT> &local, bool isTransposeA = false) {
    static_assert(A::pos != TPosition::GM, "SetTensorA: a LocalTensor is given, but A's TPosition is GM");
    give(record_.a, local.sk_address(), true, isTransposeA, A::isTrans, "SetTensorA: transposed, but the type of A says ISTRANS false",
         Internal::matmul_is_l1<A>, local.GetSize());
  }
  SK_INLINE void SetTensorB(const GlobalTensor<SrcT> &gm, bool isTransposeB = false) {
    static_assert(B::pos == TPosition::GM, "SetTensorB: a GlobalTensor is given, but B's TPosition is not GM");
    give(record_.b, gm.sk_address(), false, isTransposeB, B::isTrans, "SetTensorB: transposed, but the type of B says ISTRANS false");
  }
  SK_INLINE void SetTensorB(const LocalTensor<SrcT> &local, bool isTransposeB = false) {
    static_assert(B::pos != TPosition::GM, "SetTensorB: a LocalTensor is given, but B's TPosition is GM");
    give(record_.b, local.sk_address(), true, isTransposeB, B::isTrans, "SetTensorB: transposed, but the type of B says ISTRANS false",
         Internal::matmul_is_l1<B>, local.GetSize());
  }
  /* A matrix whose elements are all this. */
  SK_INLINE void SetTensorA(SrcT scalar) { give_scalar(record_.a, scalar); }
  SK_INLINE void SetTensorB(SrcT scalar) { give_scalar(record_.b, scalar); }
  SK_INLINE void SetSparseIndex(const GlobalTensor<uint8_t> &index) {
    static_assert(Internal::matmul_has_index<B>::value, "SetSparseIndex: B's type is a SparseMatmulType");
    record_.sparse_index = reinterpret_cast<uint64_t>(index.sk_address());
  }
  SK_INLINE void SetBias(const GlobalTensor<BiasT> &gm) { sk_matmul_give(&record_, &record_.bias, gm.sk_address(), false, false); }
  SK_INLINE void SetBias(const LocalTensor<BiasT> &ub) { sk_matmul_give(&record_, &record_.bias, ub.sk_address(), true, false); }
  SK_INLINE void DisableBias() { record_.with_bias = false; }
  SK_INLINE void ClearBias() { record_.with_bias = false; }

  /* Scales of quantised results: 64 bits as Fixpipe takes them, one for all or one per column of C. */
  SK_INLINE void SetQuantScalar(const uint64_t scale) {
    record_.quant_scalar = scale;
    record_.quant_given = true;
    record_.quant_per_column = false;
  }
  SK_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &scales) { scale_columns(reinterpret_cast<uint64_t>(scales.sk_address()), false); }
  SK_INLINE void SetQuantVector(const LocalTensor<uint64_t> &scales) {
    static_assert(!cfg.enableMixDualMaster, "SetQuantVector: with enableMixDualMaster scales are in device memory");
    if (Internal::memory_of(static_cast<TPosition>(scales.GetPosition())) != Internal::MEM_L1)
      sk_kernel_finding("BAD_ARGUMENT", "SetQuantVector: the scales' TPosition is one of the vector core's buffer; legal: GM, or TSCM, A1, B1, C1 in L1", false);
    else scale_columns(scales.sk_location(), true);
  }

  SK_INLINE void SetOrgShape(int M, int N, int K) { SetOrgShape(M, N, K, K); }
  SK_INLINE void SetOrgShape(int M, int N, int Ka, int Kb, int Kc = 0) {
    record_.org_m = M, record_.org_n = N, record_.org_ka = Ka, record_.org_kb = Kb, record_.org_kc = Kc;
  }
  SK_INLINE void SetSingleShape(int M, int N, int K) { sk_matmul_shape(&record_, M, N, K); }
  SK_INLINE void SetTail(int M = -1, int N = -1, int K = -1) {
    sk_matmul_shape(&record_, M != -1 ? M : record_.single_m, N != -1 ? N : record_.single_n, K != -1 ? K : record_.single_k);
  }
  SK_INLINE void SetHF32(bool enable, int32_t transMode = 0) {
    record_.hf32 = enable;
    record_.hf32_toward_zero = transMode == 1;
  }
  /* Device memory for results that no call has named a place for. */
  template <class T>
  SK_INLINE void SetWorkspace(const GlobalTensor<T> &workspace) {
    workspace_ = reinterpret_cast<__gm__ DstT *>(workspace.sk_address());
  }
  template <class T>
  SK_INLINE void SetWorkspace(__gm__ const T *workspace, int) {
    workspace_ = reinterpret_cast<__gm__ DstT *>(const_cast<__gm__ T *>(workspace));
  }
  SK_INLINE void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
  SK_INLINE void SetSubBlockIdx(uint8_t index) { sub_block_ = index; }
  SK_INLINE uint8_t GetSubBlockIdx() const {
    return sub_block_ != no_sub_block ? sub_block_ : static_cast<uint8_t>(AscendC::GetSubBlockIdx());
  }
  /* What the functions of MatmulCallBackFunc are given. */
  SK_INLINE void SetUserDefInfo(const uint64_t tilingPtr) { record_.user = tilingPtr; }
  SK_INLINE void SetSelfDefineData(const uint64_t dataPtr) { record_.data = dataPtr; }

  template <bool sync = true>
  SK_INLINE bool Iterate(bool enPartialSum = false) {
    if constexpr (sync) {
      asynchronous_ = false;
      return sk_matmul_iterate(&record_, enPartialSum);
    } else {
      asynchronous_ = true; /* called once; each GetTensorC<false> takes the next tile */
      record_.step = 0;
      return true;
    }
  }
  /* The tile into L0C memory of the kernel's own, which Fixpipe takes out. */
  template <bool sync = true, typename T>
  SK_INLINE bool Iterate(bool enPartialSum, const LocalTensor<T> &localCmatrix) {
    static_assert(co1, "Iterate: a LocalTensor is given, but C's TPosition is not CO1");
    record_.l0c = localCmatrix.sk_location();
    bool more = sk_matmul_iterate(&record_, enPartialSum);
    record_.l0c = 0;
    return more;
  }
  template <bool sync = true>
  SK_INLINE void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                            bool waitIterateAll = false, bool = false) {
    static_assert(!cfg.isPartialOutput, "IterateAll: not with isPartialOutput; call Iterate and GetTensorC");
    sk_matmul_target target = to(gm.sk_address(), enAtomic, enSequentialWrite);
    sk_matmul_all(&record_, &target, nullptr, sync, waitIterateAll);
  }
  template <bool sync = true>
  SK_INLINE void IterateAll(const LocalTensor<DstT> &ub, uint8_t enAtomic = 0) {
    atomics_go_to_device_memory(enAtomic);
    sk_matmul_target target = to(nullptr, 0, false);
    sk_matmul_all(&record_, &target, ub.sk_address(), true, false);
  }
  template <bool sync = true>
  SK_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
    next_tile();
    sk_matmul_target target = to(gm.sk_address(), enAtomic, enSequentialWrite);
    sk_matmul_get(&record_, &target, nullptr);
  }
  template <bool sync = true, bool doPad = false>
  SK_INLINE void GetTensorC(const LocalTensor<DstT> &ub, uint8_t enAtomic = 0, bool = false) {
    static_assert(C::pos != TPosition::GM, "GetTensorC: a LocalTensor is given, but C's TPosition is GM");
    atomics_go_to_device_memory(enAtomic);
    next_tile();
    sk_matmul_target target = to(nullptr, 0, true);
    sk_matmul_get(&record_, &target, ub.sk_address());
  }
  template <bool sync = true>
  SK_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &ub, uint8_t enAtomic = 0,
                            bool enSequentialWrite = false) {
    next_tile();
    sk_matmul_target target = to(gm.sk_address(), enAtomic, enSequentialWrite);
    sk_matmul_get(&record_, &target, nullptr);
    target = to(nullptr, 0, true);
    sk_matmul_get(&record_, &target, ub.sk_address());
  }
  /* Into the workspace, one tile behind the other: the one that was computed last. */
  template <bool sync = true>
  SK_INLINE GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool = false) {
    next_tile();
    uint64_t elems = uint64_t(record_.tiling.baseM) * uint64_t(record_.tiling.baseN), tile = record_.step > 0 ? record_.step - 1u : 0u;
    GlobalTensor<DstT> result = in_workspace(tile * elems, elems, "GetTensorC: there is no workspace; call SetWorkspace before");
    if (workspace_ == nullptr) return result;
    sk_matmul_target target = to(result.sk_address(), enAtomic, true);
    sk_matmul_get(&record_, &target, nullptr);
    return result;
  }
  SK_INLINE void WaitIterateAll() { sk_matmul_wait(&record_); }
  SK_INLINE void WaitGetTensorC() { sk_matmul_wait(&record_); }
  SK_INLINE void AsyncGetTensorC(const LocalTensor<DstT> &ub) { GetTensorC<false>(ub); }
  SK_INLINE void End() { sk_matmul_end(&record_); }

  /* Batches: batchA matrices of A with batchB of B, one product after the other. */
  template <bool sync = true, bool waitIterateBatch = false, bool mix = service, typename = std::enable_if_t<mix>>
  SK_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                              const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t = 0,
                              const bool enPartialSum = false, const uint8_t enAtomic = 0) {
    batches_to(gm, batches(batchA, batchB, 1, matrixStrideA, matrixStrideB), enPartialSum, enAtomic, enSequentialWrite, sync);
  }
  template <bool sync = true>
  SK_INLINE void IterateBatch(const LocalTensor<DstT> &ub, uint32_t batchA, uint32_t batchB, bool, const uint32_t matrixStrideA = 0,
                              const uint32_t matrixStrideB = 0, const uint32_t = 0, const bool enPartialSum = false,
                              const uint8_t enAtomic = 0) {
    static_assert(sync, "IterateBatch: results in the vector core's buffer are waited for; sync is true");
    atomics_go_to_device_memory(enAtomic);
    sk_matmul_target target = to(nullptr, 0, false);
    sk_matmul_batch batch = batches(batchA, batchB, 1, matrixStrideA, matrixStrideB);
    batch.partial = enPartialSum;
    sk_matmul_batches(&record_, &batch, &target, ub.sk_address(), true);
  }
  /* On cube cores on their own: the numbers of SetBatchNum. */
  SK_INLINE void SetBatchNum(int32_t batchA, int32_t batchB) {
    batch_a_ = static_cast<uint32_t>(batchA), batch_b_ = static_cast<uint32_t>(batchB);
  }
  template <bool mix = service, typename = std::enable_if_t<!mix>>
  SK_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, bool enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                              const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t = 0) {
    batches_to(gm, batches(batch_a_, batch_b_, 1, matrixStrideA, matrixStrideB), enPartialSum, enAtomic, enSequentialWrite, true);
  }
  /* batchLoop times, into the workspace. */
  template <bool sync = true, bool waitIterateBatch = false>
  SK_INLINE void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                               const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t = 0) {
    static_assert(cfg.isNBatch, "IterateNBatch: the configuration's isNBatch (MatmulBatchParams::batchLoop) is true");
    if (!batch_legal(enSequentialWrite)) return;
    GlobalTensor<DstT> all = in_workspace(0, 0, "IterateNBatch: there is no workspace; call SetWorkspace before");
    if (workspace_ == nullptr) return;
    sk_matmul_target target = to(all.sk_address(), 0, false);
    sk_matmul_batch batch = batches(batchA, batchB, batchLoop, matrixStrideA, matrixStrideB);
    sk_matmul_batches(&record_, &batch, &target, nullptr, sync);
    taken_ = 0;
  }
  SK_INLINE void WaitIterateBatch() { sk_matmul_wait(&record_); }
  /* The results of the next of those calls. */
  template <bool sync = true>
  SK_INLINE GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool = false) {
    sk_matmul_wait(&record_);
    sk_matmul_batch batch = batches(batchA, batchB, 1, 0, 0);
    sk_matmul_target target = to(nullptr, 0, false);
    uint64_t elems = sk_matmul_batch_elems(&record_, &batch, &target);
    return in_workspace(taken_++ * elems, elems, "GetBatchTensorC: there is no workspace; call SetWorkspace before");
  }
  template <bool sync = true>
  SK_INLINE void GetBatchTensorC(const LocalTensor<DstT> &ub, uint32_t batchA, uint32_t batchB, bool = false) {
    static_assert(service, "GetBatchTensorC: a vector core fetches into its buffer");
    sk_matmul_batch batch = batches(batchA, batchB, 1, 0, 0);
    GlobalTensor<DstT> all = in_workspace(0, 0, "GetBatchTensorC: there is no workspace; call SetWorkspace before");
    if (workspace_ == nullptr) return;
    sk_matmul_target target = to(all.sk_address(), 0, false);
    sk_matmul_batch_take(&record_, &batch, &target, taken_++, ub.sk_address());
  }
  template <bool sync = true>
  SK_INLINE GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
  }
  template <bool sync = true>
  SK_INLINE void GetBatchC(const LocalTensor<DstT> &ub, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
    GetBatchTensorC<sync>(ub, batchA, batchB, enSequentialWrite);
  }

  /* With SINGLE_BATCH, the one bmmOutMode there is, results leave by themselves whatever the number. */
  SK_INLINE void SetNBatchOutNum(int32_t) { static_assert(!service, "SetNBatchOutNum: of cube cores on their own (ASCENDC_CUBE_ONLY)"); }
  SK_MATMUL_REFUSE(SetAntiQuantScalar, "not there on this architecture (2201)")
  SK_MATMUL_REFUSE(SetAntiQuantVector, "not there on this architecture (2201)")
  SK_MATMUL_REFUSE(SetTensorScaleA, "not there on this architecture (2201)")
  SK_MATMUL_REFUSE(SetTensorScaleB, "not there on this architecture (2201)")
  SK_MATMUL_REFUSE(GetOffsetC, "reserved by the framework, without a function")

  static SK_INLINE const sk_matmul_functions *sk_functions() { return CallBack::sk_functions(); }
  static constexpr bool sk_dual_master = cfg.enableMixDualMaster;
  SK_INLINE void sk_set_number(uint8_t number) { record_.number = number; }

private:
  static constexpr uint8_t no_sub_block = 255;

  SK_INLINE void give(sk_matmul_operand &operand, const void *address, bool local, bool transposed, bool may, const char *what,
                      bool in_l1 = false, uint32_t elems = 0) {
    if (transposed && !may) sk_kernel_warning("BAD_ARGUMENT", what);
    if (in_l1) sk_matmul_give_l1(&record_, &operand, address, transposed);
    else if (in_batches && local) sk_matmul_give_batch(&record_, &operand, address, elems, transposed);
    else sk_matmul_give(&record_, &operand, address, local, transposed);
  }
  SK_INLINE void scale_columns(uint64_t scales, bool in_l1) {
    record_.quant_vector = scales;
    record_.quant_in_l1 = in_l1;
    record_.quant_given = record_.quant_per_column = true;
  }
  SK_INLINE void give_scalar(sk_matmul_operand &operand, SrcT scalar) {
    static_assert(std::is_same<SrcT, half>::value || std::is_same<SrcT, float>::value, "SetTensorA, SetTensorB: a scalar is half or float");
    sk_matmul_give_scalar(&record_, &operand, static_cast<uint32_t>(Internal::raw(scalar)));
  }
  SK_INLINE GlobalTensor<DstT> in_workspace(uint64_t offset, uint64_t elems, const char *missing) {
    GlobalTensor<DstT> part;
    if (workspace_ == nullptr) sk_kernel_finding("BAD_ARGUMENT", missing, false);
    else part.SetGlobalBuffer(workspace_ + offset, elems);
    return part;
  }
  SK_INLINE sk_matmul_batch batches(uint32_t a, uint32_t b, uint32_t loops, uint32_t stride_a, uint32_t stride_b) {
    static_assert(in_batches, "IterateBatch, IterateNBatch, GetBatchTensorC: LayoutMode of A, B and C is BSNGD, SBNGD, BNGS1S2 or NORMAL");
    return sk_matmul_batch{Internal::matmul_layout(C::layout), cfg.isBiasBatch, false, a, b, loops, stride_a, stride_b};
  }
  SK_INLINE void batches_to(const GlobalTensor<DstT> &gm, sk_matmul_batch batch, bool partial_sum, uint8_t atomic, bool sequential,
                            bool wait) {
    if (!batch_legal(sequential)) return;
    batch.partial = partial_sum;
    sk_matmul_target target = to(gm.sk_address(), atomic, false);
    sk_matmul_batches(&record_, &batch, &target, nullptr, wait);
  }
  SK_INLINE bool batch_legal(bool sequential) {
    if (sequential) sk_kernel_finding("BAD_ARGUMENT", "IterateBatch: enSequentialWrite is true, legal for results in device memory: false", false);
    return !sequential;
  }
  SK_INLINE void next_tile() {
    if (asynchronous_) (void)sk_matmul_iterate(&record_, false);
  }
  SK_INLINE sk_matmul_target to(const void *address, uint8_t atomic, bool sequential) {
    sk_matmul_target target = {};
    target.address = reinterpret_cast<uint64_t>(address);
    target.element = c_element;
    target.format = Internal::matmul_format(C::format);
    target.atomic = atomic;
    target.sequential = sequential;
    target.channel_split = cfg.isEnableChannelSplit;
    return target;
  }
  SK_INLINE void atomics_go_to_device_memory(uint8_t atomic) {
    if (atomic != 0) sk_kernel_finding("BAD_ARGUMENT", "enAtomic: results in the vector core's buffer are not added to; legal: 0", false);
  }

  sk_matmul record_ = {};
  __gm__ DstT *workspace_ = nullptr;
  uint32_t batch_a_ = 1, batch_b_ = 1;
  uint64_t taken_ = 0; /* results of IterateNBatch */
  uint8_t sub_block_ = no_sub_block;
  bool asynchronous_ = false;
};
#undef SK_MATMUL_REFUSE

template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM, class CallBack = MatmulCallBackFunc<>,
          template <const auto &, typename...> class Policy = Impl::Detail::MatmulPolicy>
class MatmulImpl : public MatmulObject<false, A, B, C, Bias, config, CallBack, Policy<config>> {};

namespace Internal {
/* Whether Matmul objects are served. It depends on the object so that it is asked at the first object, not here. */
template <class A, bool = true>
struct matmul_served : std::true_type {};
} // namespace Internal
template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM, class CallBack = MatmulCallBackFunc<>,
          template <const auto &, typename...> class Policy = Impl::Detail::MatmulPolicy>
class Matmul : public MatmulObject<Internal::matmul_served<A>::value, A, B, C, Bias, config, CallBack, Policy<config>> {};

} // namespace AscendC

/* The old name of the namespace. */
namespace matmul {
using namespace AscendC;
} // namespace matmul

#include "matmul_register.h"

#ifdef ASCENDC_CUBE_ONLY
#include "matmul_cube_only.h"
#endif

#endif
