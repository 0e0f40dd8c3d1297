/* std.h - AscendC::Std: the standard library's traits and tuples by another name, and where the framework's differ, its own. */
#ifndef SK_KERNEL_OPERATOR_STD_H
#define SK_KERNEL_OPERATOR_STD_H

#include <math.h> /* also sqrt and abs without a namespace, which the compiler for the chip knows of itself */

#include <tuple>
#include <type_traits>
#include <utility>

#include "../c_api/asc_types.h"

namespace AscendC {
namespace Std {
using namespace ::std; /* a name declared here hides the one there */

template <size_t value>
using Int = ::std::integral_constant<size_t, value>;

/* ---- traits that C++17 has not, or has otherwise ------------------------------------------------ */

template <typename T>
struct remove_cvref { using type = ::std::remove_cv_t<::std::remove_reference_t<T>>; };
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T, typename U>
using IsSame = ::std::bool_constant<::std::is_same<T, U>::value>;
template <typename T, typename U>
struct is_same_uncvref : IsSame<remove_cvref_t<T>, remove_cvref_t<U>> {};

/* half is a floating-point type of the chip's, a constant of an integer type an integer. */
template <typename T>
struct is_floating_point : ::std::bool_constant<::std::is_floating_point<T>::value || ::std::is_same<::std::remove_cv_t<T>, half>::value> {};
template <typename T>
inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T>
struct is_integral : ::std::is_integral<T> {};
template <typename T, T value>
struct is_integral<::std::integral_constant<T, value>> : ::std::true_type {};
template <typename T>
inline constexpr bool is_integral_v = is_integral<T>::value;

template <typename T, typename... Types>
struct is_one_of : ::std::bool_constant<(::std::is_same<T, Types>::value || ...)> {};
template <typename T, typename... Types>
inline constexpr bool is_one_of_v = is_one_of<T, Types...>::value;
template <typename T, T value, T... values>
struct is_one_of_value : ::std::bool_constant<((value == values) || ...)> {};
template <typename T, T value, T... values>
inline constexpr bool is_one_of_value_v = is_one_of_value<T, value, values...>::value;

template <auto n, typename T>
struct is_constant : ::std::false_type {};
template <auto n, typename T>
struct is_constant<n, const T> : is_constant<n, T> {};
template <auto n, typename T>
struct is_constant<n, T &> : is_constant<n, T> {};
template <auto n, typename T>
struct is_constant<n, T &&> : is_constant<n, T> {};
template <auto n, typename T, T value>
struct is_constant<n, ::std::integral_constant<T, value>> : ::std::bool_constant<value == n> {};
template <auto n, typename T>
inline constexpr bool is_constant_v = is_constant<n, T>::value;

template <typename T>
struct is_tuple : ::std::false_type {};
template <typename... Types>
struct is_tuple<::std::tuple<Types...>> : ::std::true_type {};
template <typename T>
inline constexpr bool is_tuple_v = is_tuple<T>::value;

/* ---- arithmetic, of two types too -------------------------------------------------------------- */

template <typename T, typename U>
constexpr auto min(const T &a, const U &b) {
  return a < b ? a : b;
}
template <typename T, typename U>
constexpr auto max(const T &a, const U &b) {
  return a > b ? a : b;
}
template <typename T, typename U>
constexpr auto divide(const T &a, const U &b) {
  return a / b;
}
template <typename T, typename U>
constexpr auto ceil_division(const T &a, const U &b) {
  return (a + b - 1) / b;
}
template <typename T, typename U>
constexpr auto ceil_align(const T &a, const U &b) {
  return ceil_division(a, b) * b;
}
template <typename T>
inline T sqrt(const T value) {
  static_assert(is_one_of_v<T, float, int64_t>, "Std::sqrt: of float and int64_t");
  if constexpr (is_same_v<T, float>) return ::sqrtf(value);
  else return static_cast<T>(::sqrtl(value));
}
template <typename T>
constexpr T abs(const T value) {
  static_assert(is_one_of_v<T, int8_t, int16_t, int32_t, float, int64_t>, "Std::abs: of int8_t, int16_t, int32_t, int64_t and float");
  if constexpr (is_same_v<T, float>) return __builtin_fabsf(value);
  else return static_cast<T>(value < 0 ? -value : value);
}

} // namespace Std
} // namespace AscendC

#endif
