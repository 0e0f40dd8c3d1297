/* other_model.h - a naive model of the vector unit for instructions that are not elementwise: memory as
 * bytes, one element at a time, numbers as doubles. Shares no code with what it judges.
 *
 *   model_start(seed)           fresh fixture, the model's memory a copy of its UB
 *   run the instruction, then the model of it through model_read / model_write
 *   model_compare("what")       same memory, same bytes declared read and written */
#ifndef TESTS_ISA_OTHER_MODEL_H
#define TESTS_ISA_OTHER_MODEL_H

#include <stdbool.h>

#include "vector_fixture.h"

extern uint8_t model_memory[UB_BYTES];
extern bool model_initialised; /* what the shadow says about memory when it is asked */
void model_start(uint64_t seed);
/* Memory was prepared by hand: the model takes it over. */
void model_take(void);
uint64_t model_read(uint64_t offset, uint32_t size);
uint64_t model_peek(uint64_t offset, uint32_t size); /* a read that is nobody's footprint */
void model_write(uint64_t offset, uint32_t size, uint64_t value);
void model_compare(const char *what);

/* Mask state, chosen at random and set in the running core. */
typedef struct model_mask {
  bool counter;
  uint32_t count;
  uint64_t bits[2];
} model_mask;
model_mask model_random_mask(bool with_counter, uint32_t most);
uint32_t model_repeats(const model_mask *mask, uint32_t repeat, uint32_t lanes);
bool model_on(const model_mask *mask, uint32_t r, uint32_t lane, uint32_t lanes);
model_mask model_count(uint32_t count);

/* Byte offset of element e of iteration r. */
static inline uint64_t model_at(uint64_t base, uint32_t r, uint32_t e, uint32_t size, uint32_t block, uint32_t repeat) {
  uint32_t n = 32 / size;
  return base + (uint64_t)r * repeat * 32 + (uint64_t)(e / n) * block * 32 + e % n * size;
}

/* Numbers. size 2 = half, 4 = float; NaN results are the quiet NaN without payload. */
double model_value(uint64_t bits, uint32_t size);
uint32_t model_round(double value, uint32_t size, bool saturate);
/* -inf < -0 < +0 < +inf < NaN. NaNs: equal, or (by_pattern) positive ones by payload, then negative ones
 * by falling payload. Returns -1, 0, 1. */
int model_order(uint32_t a, uint32_t b, uint32_t size, bool by_pattern);
/* Interesting bits: special values, ties, anything. */
uint32_t model_number(uint32_t size);
void model_numbers(uint64_t offset, uint32_t size, uint32_t n);

/* Runs a test body at each instruction set level this machine has, in every area of these instructions. */
void model_each_level(void (*body)(void));

#endif
