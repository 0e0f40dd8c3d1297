/* matmul.h - the Matmul object: C = A B (+ bias) with tiling of its own.
 *
 * On vector cores its calls are messages to the cube core of the block, which runs the service inside
 * REGIST_MATMUL_OBJ until all of them have left the function that holds the macro. With ASCENDC_CUBE_ONLY
 * defined (matmul_cube_only.h), and for MatmulImpl, the cube core does the work where the call stands. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_H
#define SK_KERNEL_OPERATOR_MATMUL_H

#include "matmul_config.h"
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
constexpr bool matmul_place(TPosition position) { return memory_of(position) <= MEM_UB; }

constexpr const MatmulConfig &config_of(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &config_of(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }
} // namespace Internal

template <auto DataCopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {
  static constexpr bool sk_none = std::is_same<decltype(DataCopyOut), std::nullptr_t>::value &&
                                  std::is_same<decltype(CopyA1), std::nullptr_t>::value &&
                                  std::is_same<decltype(CopyB1), std::nullptr_t>::value;
};

#define SK_MATMUL_REFUSE(Name)                                                                     \
  template <class... Types>                                                                        \
  void Name(const Types &...) {                                                                    \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not modelled in this version (Matmul)"); \
  }

template <bool service, class A, class B, class C, class Bias, const auto &config, class CallBack>
class MatmulObject {
  using SrcT = typename A::T;
  using DstT = typename C::T;
  using BiasT = typename Bias::T;
  static constexpr const MatmulConfig &cfg = Internal::config_of(config);
  static constexpr bool is_static = std::is_same<std::decay_t<decltype(config)>, MatmulApiStaticTiling>::value;
  static constexpr uint8_t a_element = Internal::matmul_element<SrcT>(), c_element = Internal::matmul_element<DstT>();

  static_assert(std::is_same<SrcT, typename B::T>::value, "Matmul: A and B have one element type");
  static_assert(Internal::matmul_pair(a_element, c_element),
                "Matmul: C of half, bfloat16_t or float is float, half, bfloat16_t, int8_t or uint8_t; C of int8_t or int4b_t is "
                "int32_t, half, int8_t or uint8_t");
  static_assert(Internal::matmul_place(A::pos) && Internal::matmul_place(B::pos) && Internal::matmul_place(C::pos),
                "Matmul: TPosition of A, B and C is GM, VECIN, VECOUT or VECCALC; TSCM and CO1 are not modelled");
  static_assert((A::format == CubeFormat::ND || A::format == CubeFormat::NZ || A::format == CubeFormat::VECTOR) &&
                    (B::format == CubeFormat::ND || B::format == CubeFormat::NZ),
                "Matmul: CubeFormat of A is ND, NZ or VECTOR, of B ND or NZ");
  static_assert(C::format == CubeFormat::ND || C::format == CubeFormat::NZ || C::format == CubeFormat::ND_ALIGN,
                "Matmul: CubeFormat of C is ND, NZ or ND_ALIGN");
  static_assert(A::layout == LayoutMode::NONE && B::layout == LayoutMode::NONE && C::layout == LayoutMode::NONE,
                "Matmul: LayoutMode other than NONE (batches) is not modelled");
  static_assert(!(a_element == SK_MATMUL_I4 && A::isTrans), "Matmul: A of int4b_t is not transposed");
  static_assert(CallBack::sk_none, "Matmul: MatmulCallBackFunc is not modelled");
  static_assert(!cfg.intraBlockPartSum && !cfg.enableMixDualMaster && !cfg.isEnableChannelSplit && !cfg.isPartialOutput,
                "Matmul: intraBlockPartSum, enableMixDualMaster, isEnableChannelSplit and isPartialOutput are not modelled");

public:
  using AType = A;
  using BType = B;
  using CType = C;
  using BiasType = Bias;

  SK_INLINE MatmulObject() {
    record_.a.element = a_element;
    record_.a.format = Internal::matmul_format(A::format);
    record_.b.element = a_element;
    record_.b.format = Internal::matmul_format(B::format);
    if constexpr (std::is_same<BiasT, DstT>::value && c_element != SK_MATMUL_F32 && c_element != SK_MATMUL_F16)
      record_.bias.element = a_element == SK_MATMUL_I8 || a_element == SK_MATMUL_I4 ? SK_MATMUL_I32 : SK_MATMUL_F32;
    else record_.bias.element = Internal::matmul_element<BiasT>();
  }

  SK_INLINE void Init(const TCubeTiling *tiling, TPipe *pipe = nullptr) {
    if constexpr (is_static) {
      TCubeTiling own{};
      own.usedCoreNum = 1;
      own.M = own.singleCoreM = config.singleCoreM, own.N = own.singleCoreN = config.singleCoreN;
      own.Ka = own.Kb = own.singleCoreK = config.singleCoreK;
      own.baseM = config.baseM, own.baseN = config.baseN, own.baseK = config.baseK;
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
  SK_INLINE void SetTensorA(const LocalTensor<SrcT> &ub, bool isTransposeA = false) {
    static_assert(A::pos != TPosition::GM, "SetTensorA: a LocalTensor is given, but A's TPosition is GM");
    give(record_.a, ub.sk_address(), true, isTransposeA, A::isTrans, "SetTensorA: transposed, but the type of A says ISTRANS false");
  }
  SK_INLINE void SetTensorB(const GlobalTensor<SrcT> &gm, bool isTransposeB = false) {
    static_assert(B::pos == TPosition::GM, "SetTensorB: a GlobalTensor is given, but B's TPosition is not GM");
    give(record_.b, gm.sk_address(), false, isTransposeB, B::isTrans, "SetTensorB: transposed, but the type of B says ISTRANS false");
  }
  SK_INLINE void SetTensorB(const LocalTensor<SrcT> &ub, bool isTransposeB = false) {
    static_assert(B::pos != TPosition::GM, "SetTensorB: a LocalTensor is given, but B's TPosition is GM");
    give(record_.b, ub.sk_address(), true, isTransposeB, B::isTrans, "SetTensorB: transposed, but the type of B says ISTRANS false");
  }
  SK_INLINE void SetTensorA(SrcT) { static_assert(Internal::always_false<A>, "SetTensorA: a scalar is not modelled"); }
  SK_INLINE void SetTensorB(SrcT) { static_assert(Internal::always_false<A>, "SetTensorB: a scalar is not modelled"); }
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
  SK_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &scales) {
    record_.quant_vector = reinterpret_cast<uint64_t>(scales.sk_address());
    record_.quant_given = record_.quant_per_column = true;
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
  /* Memory that results pass through on the chip; here they pass through the system workspace. */
  template <class T>
  SK_INLINE void SetWorkspace(const GlobalTensor<T> &) {}
  template <class T>
  SK_INLINE void SetWorkspace(__gm__ const T *, int) {}
  SK_INLINE void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
  SK_INLINE void SetSubBlockIdx(uint8_t) {}

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
  template <bool sync = true>
  SK_INLINE void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                            bool = false, bool = false) {
    sk_matmul_target target = to(gm.sk_address(), enAtomic, enSequentialWrite);
    sk_matmul_all(&record_, &target, nullptr, sync);
  }
  template <bool sync = true>
  SK_INLINE void IterateAll(const LocalTensor<DstT> &ub, uint8_t enAtomic = 0) {
    atomics_go_to_device_memory(enAtomic);
    sk_matmul_target target = to(nullptr, 0, false);
    sk_matmul_all(&record_, &target, ub.sk_address(), true);
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
  SK_INLINE void WaitIterateAll() { sk_matmul_wait(&record_); }
  SK_INLINE void WaitGetTensorC() { sk_matmul_wait(&record_); }
  SK_INLINE void AsyncGetTensorC(const LocalTensor<DstT> &ub) { GetTensorC<false>(ub); }
  SK_INLINE void End() { sk_matmul_end(&record_); }

  SK_MATMUL_REFUSE(IterateBatch)
  SK_MATMUL_REFUSE(IterateNBatch)
  SK_MATMUL_REFUSE(WaitIterateBatch)
  SK_MATMUL_REFUSE(GetBatchTensorC)
  SK_MATMUL_REFUSE(SetBatchNum)
  SK_MATMUL_REFUSE(SetNBatchOutNum)
  SK_MATMUL_REFUSE(SetUserDefInfo)
  SK_MATMUL_REFUSE(SetSelfDefineData)
  SK_MATMUL_REFUSE(SetSparseIndex)
  SK_MATMUL_REFUSE(SetAntiQuantScalar)
  SK_MATMUL_REFUSE(SetAntiQuantVector)
  SK_MATMUL_REFUSE(SetMatrixIndexA)
  SK_MATMUL_REFUSE(GetOffsetC)

private:
  SK_INLINE void give(sk_matmul_operand &operand, const void *address, bool local, bool transposed, bool may, const char *what) {
    if (transposed && !may) sk_kernel_finding("BAD_ARGUMENT", what, false);
    else sk_matmul_give(&record_, &operand, address, local, transposed);
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
    return target;
  }
  SK_INLINE void atomics_go_to_device_memory(uint8_t atomic) {
    if (atomic != 0) sk_kernel_finding("BAD_ARGUMENT", "enAtomic: results in the vector core's buffer are not added to; legal: 0", false);
  }

  sk_matmul record_ = {};
  bool asynchronous_ = false;
};

template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM, class CallBack = MatmulCallBackFunc<>>
class MatmulImpl : public MatmulObject<false, A, B, C, Bias, config, CallBack> {};

namespace Internal {
/* Whether Matmul objects are served. It depends on the object so that it is asked at the first object, not here. */
template <class A, bool = true>
struct matmul_served : std::true_type {};
} // namespace Internal
template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM, class CallBack = MatmulCallBackFunc<>>
class Matmul : public MatmulObject<Internal::matmul_served<A>::value, A, B, C, Bias, config, CallBack> {};

/* ---- registration ----------------------------------------------------------------------------------- */

namespace Internal {
/* Objects and pointers to their tilings, an object's tiling behind it. */
constexpr uint32_t matmuls_in() { return 0; }
template <class First, class... Rest>
constexpr uint32_t matmuls_in(const First &, const Rest &...rest) {
  return (std::is_pointer<First>::value ? 0u : 1u) + matmuls_in(rest...);
}
SK_INLINE void matmuls_init(TPipe *) {}
template <class Object>
SK_INLINE void matmuls_init(TPipe *pipe, Object &object) {
  object.Init(nullptr, pipe);
}
template <class Object, class Next, class... Rest>
SK_INLINE void matmuls_init(TPipe *pipe, Object &object, Next &&next, Rest &&...rest) {
  if constexpr (std::is_pointer<std::decay_t<Next>>::value) {
    object.Init(next, pipe);
    matmuls_init(pipe, rest...);
  } else {
    object.Init(nullptr, pipe);
    matmuls_init(pipe, next, rest...);
  }
}
/* A vector core's time as a client: it ends with the function that registered the objects. */
struct matmul_client {
  SK_INLINE matmul_client(const void *workspace, uint32_t objects) {
    sk_matmul_begin_client(reinterpret_cast<uint64_t>(workspace), objects);
  }
  SK_INLINE ~matmul_client() { sk_matmul_quit(); }
  matmul_client(const matmul_client &) = delete;
};
} // namespace Internal

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                                  \
  const void *sk_matmul_workspace = workspace;                                                                    \
  if (ASCEND_IS_AIC) {                                                                                            \
    sk_matmul_serve(reinterpret_cast<uint64_t>(sk_matmul_workspace), ::AscendC::Internal::matmuls_in(__VA_ARGS__)); \
    return;                                                                                                       \
  }                                                                                                               \
  ::AscendC::Internal::matmul_client sk_matmul_client(sk_matmul_workspace, ::AscendC::Internal::matmuls_in(__VA_ARGS__)); \
  ::AscendC::Internal::matmuls_init(tpipe, __VA_ARGS__)
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ

} // namespace AscendC

/* The old name of the namespace. */
namespace matmul {
using namespace AscendC;
} // namespace matmul

#ifdef ASCENDC_CUBE_ONLY
#include "matmul_cube_only.h"
#endif

#endif
