/* other_api_cpp.cpp - the calls of other_api_calls.h through C++ overloads. */
#include "other_api_calls.h"

extern "C" {
extern const other_call *const other_calls_cpp;
extern const uint32_t other_calls_cpp_count;
const other_call *const other_calls_cpp = other_calls;
const uint32_t other_calls_cpp_count = sizeof other_calls / sizeof other_calls[0];
}
