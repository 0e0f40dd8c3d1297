/* meeting.c - happens-before of barriers over many cores: all that come share one snapshot. */
#include "check/order.h"

/* The meeting's references to a snapshot go; if nobody else has any, the next meeting is written into it. */
static void give_back(sk__meeting *meeting, sk__snapshot *s, uint32_t n) {
  if (!sk__snapshot_last_refs(s, n)) return;
  sk__free(meeting->spare);
  meeting->spare = s;
}

/* Starts what all will know. When every core of the chip comes, each writes its own entries, and there is
 * nothing to copy but the copy engine's: what a recycled block holds until then is older and counts for nothing, but where
 * gaps are told from it. */
static sk__snapshot *meeting_open(sk__checker *checker, sk__meeting *meeting, const sk__order *order, uint32_t members) {
  sk__snapshot *all = meeting->spare;
  uint32_t cores = sk__engine_core(checker->soc);
  bool everybody = members == cores;
  meeting->spare = NULL;
  if (all == NULL && (all = sk__snapshot_alloc()) != NULL) {
    memset(all->clock, 0, sizeof all->clock);
    sk__host_clocks(all->clock);
  }
  if (all == NULL) return NULL;
  sk__snapshot_start(checker, all);
  all->contains = order->base->serial;
  all->gaps = sk__gaps_ref(order->base->gaps);
  if (!everybody || checker->has_gaps) memcpy(all->clock, order->base->clock, all->actors * sizeof *all->clock);
  else memcpy(all->clock + cores * SK__PIPE_SLOTS, order->base->clock + cores * SK__PIPE_SLOTS, SK__PIPE_SLOTS * sizeof *all->clock);
  return all;
}

void sk__meeting_arrive(sk__checker *checker, sk__meeting *meeting, sk__order *order, uint32_t members) {
  sk__order_settle(order);
  if (meeting->came++ == 0) {
    meeting->base = order->base;
    meeting->all = meeting_open(checker, meeting, order, members);
    if (meeting->all == NULL) sk__history_lost(checker);
  }
  sk__snapshot *all = meeting->all;
  if (all == NULL) return;
  if (order->base != meeting->base || order->ext != NULL) sk__order_join_seen(all, order);
  sk__add_core(&all->beyond, order->core);
  memcpy(sk__own_entries(all->clock, order), order->clock, sizeof order->clock); /* nobody knows later ones */
}

static void forget_last(sk__meeting *meeting) {
  give_back(meeting, meeting->left_base, meeting->gave_back);
  give_back(meeting, meeting->agreed, 1 + meeting->inside);
  meeting->left_base = meeting->agreed = NULL;
  meeting->gave_back = meeting->inside = 0;
}

void sk__meeting_complete(sk__meeting *meeting) {
  forget_last(meeting);
  sk__snapshot *all = meeting->all;
  if (all != NULL) {
    all->serial++;
    atomic_fetch_add_explicit(&all->references, meeting->came, memory_order_relaxed);
    meeting->agreed = all;
    meeting->left_base = meeting->base;
    meeting->inside = meeting->came;
  }
  meeting->all = meeting->base = NULL;
  meeting->came = 0;
}

void sk__meeting_depart(sk__meeting *meeting, sk__order *order) {
  if (meeting->agreed == NULL) return;
  sk__order_drop_ext(order);
  if (order->base == meeting->left_base) meeting->gave_back++;
  else sk__snapshot_unref(order->base);
  order->base = meeting->agreed;
  sk__order_set_gaps(order, order->base->gaps);
  meeting->inside--;
  uint64_t next = sk__latest_clock(order) + 1;
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = next;
  order->ordered_clock = next;
}

void sk__meeting_break(sk__meeting *meeting) {
  give_back(meeting, meeting->all, 1);
  meeting->all = meeting->base = NULL;
  meeting->came = 0;
}

void sk__meeting_end(sk__meeting *meeting) {
  sk__meeting_break(meeting);
  forget_last(meeting);
  sk__free(meeting->spare);
  meeting->spare = NULL;
}
