/* fuzz_parsers.c - libFuzzer's entry: the first byte picks the parser, the rest is its text. */
#include "fuzz/parsers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0) (void)!fuzz_parse(fuzz_parser_of(data[0]), data + 1, size - 1);
  return 0;
}
