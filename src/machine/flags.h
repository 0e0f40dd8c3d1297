/* flags.h - what the files about flags, barriers and deadlocks share. Private to the machine floor. */
#ifndef SK_MACHINE_FLAGS_H
#define SK_MACHINE_FLAGS_H

#include <stdarg.h>
#include <stdio.h>

#include "machine/internal.h"

/* A set of cores, as findings list them: "AIV 0-19, 24". */
typedef struct sk__core_set { uint64_t bits[2]; } sk__core_set;

static inline void sk__core_set_add(sk__core_set *set, uint32_t index) { set->bits[index / 64] |= UINT64_C(1) << index % 64; }
static inline bool sk__core_set_has(const sk__core_set *set, uint32_t index) {
  return (set->bits[index / 64] >> index % 64 & 1) != 0;
}
static inline uint32_t sk__core_set_count(const sk__core_set *set) {
  return (uint32_t)(__builtin_popcountll(set->bits[0]) + __builtin_popcountll(set->bits[1]));
}
void sk__core_set_text(const sk__machine *machine, const sk__core_set *set, char *text, size_t bytes);

/* Index among the cores of its type. */
static inline uint32_t sk__core_number(const sk__core *core) {
  return core->type == SK__AIC ? core->index : core->index - core->machine->soc->aic_count;
}
/* AIV has S V MTE2 MTE3, AIC has S M MTE1 MTE2 MTE3 FIX. */
static inline bool sk__core_has_pipe(sk__core_type type, sk__pipe pipe) {
  const uint32_t pipes[2] = {
    1u << SK__PIPE_S | 1u << SK__PIPE_M | 1u << SK__PIPE_MTE1 | 1u << SK__PIPE_MTE2 | 1u << SK__PIPE_MTE3 | 1u << SK__PIPE_FIX,
    1u << SK__PIPE_S | 1u << SK__PIPE_V | 1u << SK__PIPE_MTE2 | 1u << SK__PIPE_MTE3};
  return (pipes[type] >> pipe & 1) != 0;
}
/* H10: cross-core synchronisation in a launch without the scheduler for it. */
void sk__flags_check_type(sk__core *core, const char *what);
/* H40: a whole-core barrier in a sub-kernel that is not declared schedmode 1. */
void sk__flags_check_schedmode(sk__core *core, const char *what);

#endif
