/* matmul_policy.h - what a kernel may hang into a Matmul object: functions of its own in place of the copies in and out, and
 * policies that leave tiles out. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_POLICY_H
#define SK_KERNEL_OPERATOR_MATMUL_POLICY_H

#include "matmul_config.h"
#include "tensor.h"

namespace AscendC {

using DataCopyOutParams = sk_matmul_out;

/* The cube core calls them with one base block at a time; null: the copy is the object's own. */
template <auto DataCopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {
  static SK_INLINE const sk_matmul_functions *sk_functions() {
    static constexpr sk_matmul_functions functions = {sk_in<CopyA1>(), sk_in<CopyB1>(), sk_out<DataCopyOut>()};
    return sk_is_null<CopyA1> && sk_is_null<CopyB1> && sk_is_null<DataCopyOut> ? nullptr : &functions;
  }

private:
  template <auto function>
  static constexpr bool sk_is_null = std::is_same<decltype(function), std::nullptr_t>::value;
  using sk_copy_in = void (*)(uint64_t, uint32_t, uint64_t, int32_t, int32_t, int32_t, int32_t, uint64_t, uint64_t);
  using sk_copy_out = void (*)(uint64_t, uint64_t, uint32_t, const sk_matmul_out *, uint64_t, uint64_t);

  template <auto function>
  static void sk_call_in(uint64_t l1, uint32_t bytes, uint64_t gm, int32_t row, int32_t column, int32_t rows, int32_t columns,
                         uint64_t user, uint64_t data) {
    function(LocalTensor<int8_t>(sk_memory{l1, bytes}, TPosition::A1), reinterpret_cast<const __gm__ void *>(gm), row, column, rows,
             columns, user, data);
  }
  template <auto function>
  static void sk_call_out(uint64_t gm, uint64_t l0c, uint32_t bytes, const sk_matmul_out *params, uint64_t user, uint64_t data) {
    function(reinterpret_cast<const __gm__ void *>(gm), LocalTensor<int8_t>(sk_memory{l0c, bytes}, TPosition::CO1), params, user, data);
  }
  template <auto function>
  static constexpr sk_copy_in sk_in() {
    if constexpr (sk_is_null<function>) return nullptr;
    else return &sk_call_in<function>;
  }
  template <auto function>
  static constexpr sk_copy_out sk_out() {
    if constexpr (sk_is_null<function>) return nullptr;
    else return &sk_call_out<function>;
  }
};

/* Type of what stands in L0C. */
template <typename T>
struct GetMmDstType {
  using Type = typename std::conditional<std::is_same<T, int8_t>::value || std::is_same<T, int4b_t>::value, int32_t, float>::type;
};

namespace Impl {
constexpr int32_t QUEUE_DEPTH = 1;

/* sk_triangle: which tiles are left out, as in sk_matmul. Policies that only load otherwise change nothing here. */
namespace Detail {
template <const auto &config = CFG_NORM, typename...>
struct MatmulPolicy {
  static constexpr uint8_t sk_triangle = 0;
};
template <const auto &config = CFG_NORM, typename...>
struct TrianUpperMatmulPolicy {
  static constexpr uint8_t sk_triangle = 1;
};
template <const auto &config = CFG_NORM, typename...>
struct TrianLowerMatmulPolicy {
  static constexpr uint8_t sk_triangle = 2;
};
template <const auto &config = CFG_NORM, typename...>
struct NBuffer33MatmulPolicy {
  static constexpr uint8_t sk_triangle = 0;
};
#define SK_ABSENT_POLICY(Name)                                                                     \
  template <const auto &config = CFG_NORM, typename... Types>                                      \
  struct Name {                                                                                    \
    static constexpr uint8_t sk_triangle = 0;                                                      \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not there on this architecture (2201)"); \
  };
SK_ABSENT_POLICY(SplitMMatmulPolicy)
SK_ABSENT_POLICY(SplitNMatmulPolicy)
SK_ABSENT_POLICY(MatmulWithScalePolicy)
#undef SK_ABSENT_POLICY
} // namespace Detail
} // namespace Impl

} // namespace AscendC

#endif
