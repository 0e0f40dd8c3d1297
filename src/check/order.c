/* order.c - happens-before inside a core: a launch and its sub-kernels, rows of pipes, event flags, barriers. */
#include "check/order.h"

/* ---- launches -------------------------------------------------------------------------------- */

static void start_clocks_at(sk__order *order, uint64_t clock) {
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = clock;
  order->begin_clock = clock;
  order->dropped_clock = 0;
  order->refused = false;
  order->scope_open = false;
}

static void leave(sk__order *order) {
  if (order->checker != NULL) {
    uint64_t *kept = &order->checker->clock[order->core];
    *kept = sk__later(*kept, sk__latest_clock(order));
  }
  sk__snapshot_unref(order->base);
  sk__gaps_unref(order->gaps);
  sk__free(order->ext);
  sk__free(order->spare);
  order->base = NULL;
  order->gaps = NULL;
  order->ext = order->spare = NULL;
}

void sk__order_begin(sk__checker *checker, sk__order *order, uint32_t core, sk__snapshot *before) {
  leave(order);
  order->checker = checker;
  order->core = core;
  order->base = sk__snapshot_ref(before != NULL ? before : checker->nothing);
  order->gaps = sk__gaps_ref(order->base->gaps);
  order->same_pipe = checker->same_pipe;
  order->in_order_pipes = 1u << SK__PIPE_S;
  order->in_sub = false;
  order->watched = 0;
  start_clocks_at(order, checker->clock[core] + 1);
  order->launch_clock = order->ordered_clock = order->begin_clock;
  const uint64_t *own = sk__own_entries(order->base->clock, order);
  for (int p = 0; p < SK__PIPES; p++) memcpy(order->row[p], own, sizeof order->row[p]);
}

void sk__order_begin_sub(sk__order *order) {
  sk__order_settle(order);
  start_clocks_at(order, sk__latest_clock(order) + 1);
  order->in_order_pipes = 1u << SK__PIPE_S;
  order->in_sub = true;
}

void sk__order_barrier_dropped(sk__order *order) {
  sk__order_settle(order);
  uint64_t next = sk__latest_clock(order) + 1;
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = next;
  order->dropped_clock = next;
}

void sk__order_end(sk__checker *checker, sk__order *order, sk__snapshot *into) {
  (void)checker;
  if (order->base == NULL) return;
  sk__order_settle(order);
  if (into != NULL) {
    sk__order_join_seen(into, order);
    uint64_t *own = sk__own_entries(into->clock, order);
    for (int q = 0; q < SK__PIPES; q++) own[q] = sk__later(own[q], order->clock[q]);
    sk__add_core(&into->beyond, order->core);
    into->serial++;
  }
  leave(order);
}

/* ---- inside a core --------------------------------------------------------------------------- */

/* Rows are written one word at a time, by every instruction. A wider load behind such a store waits until
 * the store has left the core, and in front of it may stand a tile of streaming stores: so rows are read
 * one word at a time too, which the compiler must not widen. */
static inline uint64_t row_word(const uint64_t *row, int pipe) {
  uint64_t word = row[pipe];
  __asm__("" : "+r"(word));
  return word;
}

static inline void join_row(uint64_t *into, const uint64_t *from) {
  for (int p = 0; p < SK__PIPE_SLOTS; p++) {
    uint64_t mine = row_word(into, p), other = row_word(from, p);
    into[p] = mine > other ? mine : other;
  }
}

void sk__order_set_flag(sk__order *order, sk__pipe src, sk__event_clock *out) {
  sk__order_settle(order);
  order->row[src][SK__PIPE_S] = order->clock[SK__PIPE_S];
  for (int p = 0; p < SK__PIPE_SLOTS; p++) out->row[p] = row_word(order->row[src], p);
  out->row[src] = order->clock[src]++;
  if (src == SK__PIPE_S) out->row[SK__STORES] = order->clock[SK__STORES]++;
}

void sk__order_wait_flag(sk__order *order, sk__pipe dst, const sk__event_clock *in) {
  sk__order_settle(order);
  if (dst != SK__PIPE_S) {
    join_row(order->row[dst], in->row);
    return;
  }
  for (int p = 0; p < SK__PIPES; p++) join_row(order->row[p], in->row);
}

void sk__order_barrier(sk__order *order, sk__pipe pipe) {
  sk__order_settle(order);
  if (pipe != SK__PIPE_ALL) {
    order->row[pipe][SK__PIPE_S] = order->clock[SK__PIPE_S];
    order->row[pipe][pipe] = order->clock[pipe]++;
    return;
  }
  for (int p = 0; p < SK__PIPES; p++) memcpy(order->row[p], order->clock, sizeof order->row[p]);
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q]++;
}
