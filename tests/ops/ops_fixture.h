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
/* Element i of a tensor as a double. */
double element(const void *data, sk_dtype dtype, size_t i);
/* Nearest value of the type, ties to even, stored at element i. */
void set_element(void *data, sk_dtype dtype, size_t i, double value);
/* About normally distributed values. */
void *random_tensor(sk_dtype dtype, size_t count, sk__rng *rng);
/* Spacing of the type's numbers at the value. */
double ulp_of(sk_dtype dtype, double value);

/* The refusal: code 100000 and a text that holds each of the words. */
void assert_refused(int error, const char *word, const char *other);

#endif
