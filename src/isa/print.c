/* print.c - DumpTensor: the elements of a tensor as text, in one piece. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "isa/isa.h"
#include "kernel_operator/library.h"

#define DUMP_BYTES (30u * 1024u) /* of data; a larger dump is dropped */
#define CHARS_PER_ELEM 24u

enum { DUMP_HALF, DUMP_BF16, DUMP_FLOAT, DUMP_SIGNED, DUMP_UNSIGNED };

static void add_element(sk__text *to, const uint8_t *at, uint32_t type, uint32_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, at, bytes);
  switch (type) {
    case DUMP_HALF: sk__text_add(to, "%f", (double)sk__f32_from_f16((uint16_t)bits)); break;
    case DUMP_BF16: sk__text_add(to, "%f", (double)sk__f32_from_bits((uint32_t)bits << 16)); break;
    case DUMP_FLOAT: sk__text_add(to, "%f", (double)sk__f32_from_bits((uint32_t)bits)); break;
    case DUMP_SIGNED: sk__text_add(to, "%lld", (long long)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes))); break;
    default: sk__text_add(to, "%llu", (unsigned long long)bits); break;
  }
}

typedef struct layout { uint32_t dims, sizes[8]; uint64_t elems; } layout;

/* Brackets that open before element i, or close before it: dimensions of which it is the first. */
static uint32_t borders(const layout *by, uint64_t i) {
  uint32_t count = 0;
  uint64_t inner = 1;
  for (uint32_t d = by->dims; d-- > 0;) {
    inner *= by->sizes[d];
    if (i % inner != 0) break;
    count++;
  }
  return count;
}
static void add_elements(sk__text *to, const layout *by, const void *address, uint32_t type, uint32_t bytes, uint32_t count) {
  for (uint64_t i = 0; i < by->elems; i++) {
    uint32_t opened = borders(by, i);
    if (i > 0) sk__text_add(to, opened > 0 ? ",\n" : ", ");
    for (uint32_t b = 0; b < opened; b++) sk__text_add(to, "[");
    if (i < count) add_element(to, (const uint8_t *)address + i * bytes, type, bytes);
    else sk__text_add(to, "-");
    for (uint32_t b = borders(by, i + 1); b > 0; b--) sk__text_add(to, "]");
  }
  sk__text_add(to, "\n");
}

static void dump(sk__core *core, const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes,
                 uint32_t count, const layout *by) {
  static const char *const names[] = {"half", "bfloat16", "float", "int", "uint"};
  uint64_t bytes = (uint64_t)count * elem_bytes, start = (uint64_t)(uintptr_t)address;
  if (bytes > DUMP_BYTES || count == 0 || by->elems * elem_bytes > DUMP_BYTES) return;
  if (position[0] == 'L') { /* of the cube, which no scalar instruction reads: on the chip a copy by way of device memory */
    sk__mem mem = position[1] == '1' ? SK__MEM_L1 : SK__MEM_L0C;
    if (core->type != SK__AIC) return;
    address = sk__local_operand(core, mem, address, bytes, SK__BLOCK_BYTES, "the tensor");
    if (address == NULL) return;
    sk__pipe_barrier(core, SK__PIPE_ALL);
    sk__local_access(core, SK__PIPE_S, SK__READ, address, bytes);
  } else {
    sk__scalar_access(core, start, bytes, false, core->site);
  }
  size_t room = 200 + (size_t)by->elems * (CHARS_PER_ELEM + 2 * by->dims);
  char *text = malloc(room);
  if (text == NULL) return;
  sk__text out = sk__text_on(text, room);
  sk__text_add(&out, "DumpTensor: desc=%u, addr=0x%llx, data_type=%s%u, position=%s, dump_size=%u\n", desc, (unsigned long long)start,
               names[type <= DUMP_UNSIGNED ? type : DUMP_UNSIGNED], elem_bytes * 8, position, count);
  add_elements(&out, by, address, type, elem_bytes, count);
  fputs(text, stdout);
  free(text);
}

void sk_dump(const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes, uint32_t count) {
  sk__core *core = sk__enter(SK__PIPE_S, "DumpTensor", SK__SITE());
  dump(core, position, desc, address, type, elem_bytes, count, &(layout){.dims = 1, .sizes = {count}, .elems = count});
}
void sk_dump_shaped(const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes, uint32_t count,
                    uint32_t dims, const uint32_t *shape) {
  sk__core *core = sk__enter(SK__PIPE_S, "DumpTensor", SK__SITE());
  layout by = {.dims = dims, .elems = 1};
  if (dims == 0 || dims > 8) {
    sk__bad_argument(core, "shapeDim", dims, "1..8");
    return;
  }
  for (uint32_t d = 0; d < dims; d++) {
    if (shape[d] == 0 || by.elems > DUMP_BYTES) return; /* nothing, or more than is ever shown */
    by.sizes[d] = shape[d];
    by.elems *= shape[d];
  }
  dump(core, position, desc, address, type, elem_bytes, count, &by);
}
