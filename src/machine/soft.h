/* soft.h - order that cores give one another by words of device memory they poll (soft barriers): a core
 * publishes under the word's address and a round, who has seen the word's value acquires it. */
#ifndef SK_MACHINE_SOFT_H
#define SK_MACHINE_SOFT_H

#include "machine/machine.h"

/* What the core's MTE3 has done, and all that was ordered before it, goes with the word. Right behind the store
 * that shows it: nobody else runs in between. */
void sk__soft_publish(sk__core *core, uint64_t address, uint32_t round);
/* The same by the scalar unit: what its own pipe has done, and what that was ordered after. */
void sk__soft_signal(sk__core *core, uint64_t address, uint32_t round);
/* The word that stands for a line of the data cache: no word's address. */
static inline uint64_t sk__signal_of_line(uint64_t line) { return line | 1u; }
void sk__soft_acquire(sk__core *core, uint64_t address, uint32_t round);

#endif
