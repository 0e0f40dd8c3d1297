/* ops_fixture.h - a device with the operator library, and tensors of the three float types. */
#ifndef SK_TESTS_OPS_FIXTURE_H
#define SK_TESTS_OPS_FIXTURE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "harness.h"
#include "superkernel/ops.h"

void device_open(void);
/* Everything has run, nothing was found. */
void device_check(void);

/* Copies to fresh device memory of exactly that size; the bytes behind it are guarded. data NULL: undefined. */
void *upload(const void *data, size_t bytes);
/* Waits, copies back to host memory that the caller frees. */
void *download(const void *device, size_t bytes);

size_t float_bytes(sk_dtype dtype);
/* Element i of a tensor as a double (int64 beyond 2^53 is rounded). */
double element(const void *data, sk_dtype dtype, size_t i);
/* Nearest value of the type, ties to even, stored at element i; integers must be in range. */
void set_element(void *data, sk_dtype dtype, size_t i, double value);
/* About normally distributed values of a float type. */
void *random_tensor(sk_dtype dtype, size_t count, sk__rng *rng);
/* Spacing of the type's numbers at the value. */
double ulp_of(sk_dtype dtype, double value);

/* A tensor in device memory; shape is read to the first -1. */
sk_tensor tensor(void *data, sk_dtype dtype, const int64_t *shape);
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__, -1})
#define SCALAR_SHAPE ((const int64_t[]){-1})

/* One use of an operator by its record. */
typedef struct op_call {
  const char *name;
  const sk_tensor *in[8];
  uint32_t in_count;
  sk_attribute attribute[12];
  uint32_t attribute_count, blocks;
} op_call;
#define INTEGER(name, value) ((sk_attribute){(name), SK_INTEGER, (value), 0.0})
#define REAL(name, value) ((sk_attribute){(name), SK_REAL, 0, (value)})
/* Plans, gives outputs and workspace memory of exactly their size, launches, waits, checks that nothing was found.
 * out[i].data is device memory that stays. */
void run_op(const op_call *call, sk_tensor *out, uint32_t out_count);
/* The code of the plan alone, and of the launch when the plan is good and memory is there. */
int plan_op(const op_call *call, sk_tensor *out, uint32_t out_count);
size_t tensor_elements(const sk_tensor *t);
size_t tensor_bytes(const sk_tensor *t);
/* Host copy of a tensor, to be freed. */
void *fetch(const sk_tensor *t);

/* The refusal: code 100000 and a text that holds each of the words. */
void assert_refused(int error, const char *word, const char *other);

#endif
