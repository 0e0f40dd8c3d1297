/* vector_other.c - shared by the vector instructions that are not elementwise. */
#include "isa/vector_other.h"

bool sk__overlap_found(sk__core *core, const void *dst, uint64_t dst_bytes, const void *src, uint64_t src_bytes,
                       const char *src_name) {
  const uint8_t *d = dst, *s = src;
  if (dst_bytes == 0 || src_bytes == 0 || d >= s + src_bytes || s >= d + dst_bytes) return false;
  sk__instr_finding(core, "OVERLAP", SK__CAT_OPERATOR, SK__ERROR, "give the destination memory of its own",
                    "dst and %s share bytes, and this instruction reads %s while it writes dst", src_name, src_name);
  return true;
}
