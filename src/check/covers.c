/* covers.c - asking whether one thing is ordered before another, without an access. */
#include "check/shadow.h"

bool sk__order_covers(const sk__order *order, sk__pipe pipe, uint32_t core, sk__pipe other, uint64_t clock) {
  if (order->base == NULL) return false;
  const sk__probe probe = {.seen = order->ext != NULL ? order->ext : order->base->clock,
                           .row = order->row[pipe],
                           .gaps = order->gaps,
                           .ordered_clock = order->ordered_clock,
                           .core = order->core,
                           .pipe = (uint8_t)pipe};
  return sk__ordered(&probe, ((uint64_t)core * SK__PIPE_SLOTS + other) << SK__STAMP_SHIFT | clock);
}
