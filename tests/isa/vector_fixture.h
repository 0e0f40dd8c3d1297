/* vector_fixture.h - one vector core without a machine: a UB, registers, and recorders in place of the
 * floors below, so that a test sees every finding and the exact bytes of every footprint. */
#ifndef TESTS_ISA_VECTOR_FIXTURE_H
#define TESTS_ISA_VECTOR_FIXTURE_H

#include "harness.h"

#include "base/numbers.h"
#include "isa/isa.h"

#define UB_BYTES (192 * 1024)

extern uint8_t *fixture_ub;                   /* the core's UB */
extern uint8_t fixture_read[UB_BYTES], fixture_written[UB_BYTES]; /* 1 = byte was declared */
extern sk__finding fixture_finding;           /* the last one */
extern uint32_t fixture_findings, fixture_barriers;

/* Fresh core: masks all ones, normal mode, INF/NAN, UB filled by the seed. */
void fixture_reset(uint64_t seed);
void fixture_clear_records(void);
static inline void *ub(uint64_t offset) { return fixture_ub + offset; }

/* Random numbers. */
uint64_t fixture_random(void);
static inline uint32_t below(uint32_t n) { return (uint32_t)(fixture_random() % n); }

#endif
