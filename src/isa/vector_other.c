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

bool sk__take_two_sources(sk__core *core, const sk__iterations *it, sk__stream *dst, sk__stream *src0, sk__stream *src1) {
  dst->base = sk__ub_operand(core, dst->base, sk__stream_extent(dst, it), SK__BLOCK_BYTES, "dst");
  if (dst->base == NULL) return false;
  src0->base = sk__ub_operand(core, src0->base, sk__stream_extent(src0, it), SK__BLOCK_BYTES, "src0");
  if (src0->base == NULL) return false;
  src1->base = sk__ub_operand(core, src1->base, sk__stream_extent(src1, it), SK__BLOCK_BYTES, "src1");
  if (src1->base == NULL) return false;
  if (!core->checks) return true;
  sk__stream_access(core, SK__PIPE_V, SK__READ, src0, it);
  sk__stream_access(core, SK__PIPE_V, SK__READ, src1, it);
  sk__stream_access(core, SK__PIPE_V, SK__WRITE, dst, it);
  return true;
}
