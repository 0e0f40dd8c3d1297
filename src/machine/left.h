/* left.h - lines that SKs leave in data caches, and what the host writes meanwhile. Private to the machine floor. */
#ifndef SK_MACHINE_LEFT_H
#define SK_MACHINE_LEFT_H

#include "base/vec.h"
#include "machine/machine.h"

typedef struct sk__host_write { uint64_t start, end, number; } sk__host_write;
typedef struct sk__host_writes {
  uint64_t count, forgotten;    /* so far; up to this number nothing is known */
  SK__VEC(sk__host_write) recent;
} sk__host_writes;

/* A launch begins, its cores are placed: what they hold of earlier ones comes into their caches where the host has rewritten
 * it, and is theirs no longer. */
void sk__left_begin(sk__machine *machine);
/* A launch ends: which lines stay is noted in front of the flush with which every launch here ends, their bytes behind it. */
void sk__left_end(sk__machine *machine);
void sk__left_fill(sk__machine *machine);

#endif
