/* sort.h - inner loops of the sorting instructions (private to this folder). */
#ifndef SK_ISA_SIMD_SORT_H
#define SK_ISA_SIMD_SORT_H
#include <stdbool.h>
#include <stdint.h>
#ifndef SK__SIMD
#define SK__SIMD(n) n
#endif
void SK__SIMD(sort32_f32)(uint64_t *dst, const uint32_t *score, const uint32_t *index, uint32_t repeats);
void SK__SIMD(sort32_f16)(uint64_t *dst, const uint16_t *score, const uint32_t *index, uint32_t repeats);
bool SK__SIMD(merge4)(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                      uint64_t *scratch);
void SK__SIMD(merge4_greedy)(uint64_t *dst, const uint64_t *const queue[4], const uint32_t length[4], bool is_f16,
                             bool suspend, uint32_t used[4]);
#endif
