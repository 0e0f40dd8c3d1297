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

void sk_dump(const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes, uint32_t count) {
  static const char *const names[] = {"half", "bfloat16", "float", "int", "uint"};
  sk__core *core = sk__enter(SK__PIPE_S, "DumpTensor", SK__SITE());
  uint64_t bytes = (uint64_t)count * elem_bytes, start = (uint64_t)(uintptr_t)address;
  if (bytes > DUMP_BYTES || count == 0) return;
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
  size_t room = 200 + (size_t)count * CHARS_PER_ELEM;
  char *text = malloc(room);
  if (text == NULL) return;
  sk__text out = sk__text_on(text, room);
  sk__text_add(&out, "DumpTensor: desc=%u, addr=0x%llx, data_type=%s%u, position=%s, dump_size=%u\n[", desc,
               (unsigned long long)start, names[type <= DUMP_UNSIGNED ? type : DUMP_UNSIGNED], elem_bytes * 8, position, count);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) sk__text_add(&out, ", ");
    add_element(&out, (const uint8_t *)address + (uint64_t)i * elem_bytes, type, elem_bytes);
  }
  sk__text_add(&out, "]\n");
  fputs(text, stdout);
  free(text);
}
