/* vector_api_cpp.cpp - the calls of vector_api_calls.h through C++ overloads. */
#include "vector_api_calls.h"

extern "C" {
extern const api_call api_cpp[];
const api_call api_cpp[] = {
#include "vector_api_rows.h"
};
float cpp_half_arithmetic(void);
}

/* half and bfloat16_t behave as numbers. */
float cpp_half_arithmetic(void) {
  static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && sizeof(int4b_t) == 1, "storage only");
  static_assert(__is_trivially_copyable(half) && __is_trivially_copyable(bfloat16_t), "passed in registers");
  static_assert(half(65520.0f).bits == 0x7c00 && half(65519.0f).bits == 0x7bff, "to nearest, then infinity");
  static_assert(half(0x1p-25f).bits == 0 && half(0x1.8p-25f).bits == 1 && half(-0x1p-14f).bits == 0x8400, "small");
  static_assert(float(half(0x1p-24f)) == 0x1p-24f && bfloat16_t(1.00390625f).bits == 0x3f80, "ties to even");
  half x = 1.5f, y = 2;
  x += y;
  bfloat16_t z = x * y; /* 7 */
  return float(z) + (x == 3.5f) + (y < x);
}
