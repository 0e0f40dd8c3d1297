/* high_level.h - shared by the high-level functions (private to this folder). */
#ifndef SK_ISA_HIGH_LEVEL_H
#define SK_ISA_HIGH_LEVEL_H

#include "isa/isa.h"
#include "kernel_operator/library.h"

double sk__high_get(const void *from, uint32_t bits, uint64_t i);
void sk__high_put(void *to, uint32_t bits, uint64_t i, double value);
/* Resolves an operand in place and declares its footprint; NULL operands pass. False: a finding was told. */
bool sk__high_operand(sk__core *core, void **operand, uint64_t bytes, sk__access kind, const char *name);
void sk__high_time(sk__core *core, uint64_t elems, uint32_t passes);

#endif
