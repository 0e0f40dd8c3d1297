/* vector_reference.h - what every elementwise instruction means for one element, written independently of
 * the library: values as long double, one rounding helper, element bits in and out. And a table of all
 * instructions that calls them in one uniform way. */
#ifndef TESTS_ISA_VECTOR_REFERENCE_H
#define TESTS_ISA_VECTOR_REFERENCE_H

#include "vector_fixture.h"

typedef enum type { F16, BF16, F32, I4, I8, U8, I16, U16, I32, U32, I64, TYPES } type;
typedef enum shape { BINARY, UNARY, SCALAR, FILL } shape;

typedef struct strides { uint32_t repeat, db, ab, bb, dr, ar, br; } strides;

typedef struct row {
  const char *name; /* "add_f32" */
  int op;
  shape shape;
  type d, s;
  int rounding;       /* conversions: chip's mode number */
  bool is_conversion;
  bool reads_dst;
  bool exact;         /* false: within 1 ULP of the reference only */
  void (*count)(void *d, const void *a, const void *b, uint64_t k, uint32_t count);
  void (*sync)(void *d, const void *a, const void *b, uint64_t k, uint32_t count);
  void (*strided)(void *d, const void *a, const void *b, uint64_t k, const strides *s);
} row;

extern const row rows[];
extern const uint32_t row_count;

uint32_t type_bits(type t);
bool type_is_float(type t);
uint64_t element_load(type t, const void *base, uint64_t index);
void element_store(type t, void *base, uint64_t index, uint64_t bits);
/* A scalar operand that makes sense for the row, from random bits. */
uint64_t scalar_for(const row *r, uint64_t random);
/* flags: SK__V_* */
uint64_t reference(const row *r, uint64_t a, uint64_t b, uint64_t d, uint64_t k, uint32_t flags);
long double to_value(type t, uint64_t bits);

#endif
