/* sort_kernels.h - inner loops of the sorting instructions.
 *
 * A record has 8 bytes: score in the low word (a half in its low 16 bits, the other 16 zero), index in the
 * high word. Order: descending; -inf < ... < -0 < +0 < ... < +inf < NaN. Equal scores keep their order. */
#ifndef SK_ISA_SIMD_SORT_KERNELS_H
#define SK_ISA_SIMD_SORT_KERNELS_H

#include <stdbool.h>

#include "isa/simd/simd.h"

typedef struct sk__simd_sort_table {
  /* `repeats` times 32 scores and 32 indices to 32 records. dst overlaps neither source. */
  void (*sort32_f32)(uint64_t *dst, const uint32_t *score, const uint32_t *index, uint32_t repeats);
  void (*sort32_f16)(uint64_t *dst, const uint16_t *score, const uint32_t *index, uint32_t repeats);
  /* Merges four queues in descending order (some may be empty); dst may overlap them. false: a queue is
   * not in order, nothing was written. scratch: twice the records of all queues. */
  bool (*merge4)(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                 uint64_t *scratch);
  /* The same by its definition: the greatest head, the lowest queue among equals; right for unsorted
   * queues too, several times slower. suspend: stop when a queue becomes empty. used[] = records taken
   * from each queue. dst overlaps none of them. */
  void (*merge4_greedy)(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                        bool suspend, uint32_t used[4]);
} sk__simd_sort_table;
SK__SIMD_AREA(sort)

#endif
