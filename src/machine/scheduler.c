/* scheduler.c - which core runs next. A fiber leaves its thread where the chip would block, where a
 * schedule that wants chances takes one, and when it polls. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "machine/dcache.h"
#include "machine/internal.h"

enum {
  IDLE_ROUNDS = 1024,      /* polls in vain of every core that can run: nobody will ever get on */
  SLICE_INSTRUCTIONS = 200000, /* a core that ran this long lets others run: it may be polling by hand */
  CHANCE_ONE_IN = 4,
  LATE_WAKE_NS = 100000,
  SPIN_NS = 20000,
};

_Thread_local sk__core *sk__self __attribute__((tls_model("initial-exec"), visibility("default")));

uint64_t sk__now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* ---- queues -------------------------------------------------------------------------------- */

static void queue_push(sk__queue *queue, uint32_t core) { queue->cores[queue->tail++] = (uint8_t)core; }
static uint32_t queue_count(const sk__queue *queue) { return (uint8_t)(queue->tail - queue->head); }

static uint32_t queue_pop(sk__queue *queue, sk__rng *rng) {
  if (rng != NULL) {
    uint8_t at = (uint8_t)(queue->head + sk__rng_below(rng, queue_count(queue)));
    uint8_t core = queue->cores[at];
    queue->cores[at] = queue->cores[queue->head];
    queue->cores[queue->head] = core;
  }
  return queue->cores[queue->head++];
}

static uint32_t queue_of(const sk__machine *machine, const sk__seat *seat, bool woken) {
  switch (machine->options.schedule.kind) {
    case SK__SCHEDULE_SLOW_CONSUMER: return woken ? 1 : 0;
    case SK__SCHEDULE_SLOW_AIV1: return seat->second_aiv ? 1 : 0;
    case SK__SCHEDULE_WAVES: return seat->lane * 3 / machine->run.lane_count;
    default: return 0;
  }
}

static void seat_queue(sk__seat *seat, uint32_t queue) {
  seat->state = SK__SEAT_READY;
  queue_push(&seat->shard->queues[queue], seat->core->index);
}

/* Every core of a lane starts on the lane's current block. */
static void lane_begin(sk__machine *machine, sk__lane *lane, bool backwards) {
  for (uint32_t i = 0; i < lane->core_count; i++) {
    sk__seat *seat = &machine->seats[lane->cores[backwards ? lane->core_count - 1 - i : i]];
    seat->fresh = true;
    seat_queue(seat, queue_of(machine, seat, false));
  }
  lane->live = lane->core_count;
  machine->run.live += lane->core_count;
}

void sk__scheduler_begin(sk__machine *machine) {
  sk__run *run = &machine->run;
  bool backwards = machine->options.schedule.kind == SK__SCHEDULE_REVERSED;
  for (uint32_t s = 0; s < run->shard_count; s++) {
    sk__shard *shard = &machine->shards[s];
    memset(shard->queues, 0, sizeof shard->queues);
    shard->worker = NULL;
    uint64_t seed = machine->options.schedule.seed + s;
    shard->rng = sk__rng_from_seed(sk__splitmix64(&seed));
  }
  run->idle_epoch = 1;
  for (uint32_t i = 0; i < run->lane_count; i++)
    lane_begin(machine, &run->lanes[backwards ? run->lane_count - 1 - i : i], backwards);
}

static void note_progress(sk__run *run) {
  run->idle_epoch++;
  run->idle_seats = 0;
}

/* From here on the seat's core is the one that runs on this thread. */
static void enter(sk__worker *worker, sk__seat *seat) {
  uint64_t switches = atomic_load_explicit(&worker->switches, memory_order_relaxed);
  atomic_store_explicit(&worker->switches, switches + 1, memory_order_relaxed); /* read by this thread's own handler */
  seat->state = SK__SEAT_RUNNING;
  worker->seat = seat;
  sk__self = seat->core;
  worker->running = seat->core;
}

/* ---- on the fiber -------------------------------------------------------------------------- */

static void set_stop(sk__core *core) {
  uint64_t budget = core->machine->instruction_budget, slice = core->instructions + SLICE_INSTRUCTIONS;
  core->instruction_stop = slice < budget ? slice : budget;
}

static void leave_done(sk__seat *seat) {
  sk__core_end_block(seat->core, !seat->aborted);
  seat->state = SK__SEAT_DONE;
  sk__context_leave(&seat->shard->worker->context);
}

static void seat_main(void *argument) {
  sk__seat *seat = argument;
  sk__core *core = seat->core;
  void (*entry)(sk__core *, void *) = core->launch->entry[core->type];
  if (entry != NULL) entry(core, core->launch->context);
  leave_done(seat);
}

void sk__core_abort(sk__core *core, sk_status why) {
  sk__seat *seat = sk__seat_of(core);
  sk__lock(core->machine);
  seat->aborted = true;
  if (core->machine->run.status == SK_OK) core->machine->run.status = why;
  sk__unlock(core->machine);
  leave_done(seat);
  __builtin_unreachable();
}

/* The next core of the running one's shard, if it can be switched to without looking further: everything
 * that needs the scheduler's thread or judgement (fresh blocks, pollers, random picks, other host threads)
 * is left to the worker's loop. */
static sk__seat *next_at_hand(sk__machine *machine, const sk__shard *shard) {
  const sk__run *run = &machine->run;
  const sk__queue *queue = &shard->queues[0];
  if (run->shared || run->over || run->chances || queue_count(queue) == 0) return NULL;
  sk__seat *next = &machine->seats[queue->cores[queue->head]];
  return next->fresh ? NULL : next;
}

/* A round over all cores does not fit the first cache level: what the core after next will touch first is
 * asked for now. */
static inline void prefetch(const sk__seat *seat) {
#if !SK__FIBER_UCONTEXT
  const char *stack = seat->fiber.context.sp;
  __builtin_prefetch(stack);
  __builtin_prefetch(stack + 64);
  __builtin_prefetch(stack + 128);
#endif
  __builtin_prefetch(seat->core);
  __builtin_prefetch(seat->core->cycles);
}

static inline __attribute__((always_inline)) void switch_out(sk__seat *seat) {
  sk__machine *machine = seat->core->machine;
  sk__worker *worker = seat->shard->worker;
  sk__seat *next = next_at_hand(machine, seat->shard);
  if (next != NULL) {
    sk__queue *queue = &seat->shard->queues[0];
    queue->head++;
    if (queue_count(queue) > 4) {
      __builtin_prefetch(&machine->seats[queue->cores[(uint8_t)(queue->head + 4)]]);
      prefetch(&machine->seats[queue->cores[(uint8_t)(queue->head + 1)]]);
    }
    note_progress(&machine->run);
    next->polling = false;
    enter(worker, next);
    if (next != seat) sk__context_switch(&seat->fiber.context, &next->fiber.context);
  } else {
    sk__context_switch(&seat->fiber.context, &worker->context);
  }
  set_stop(seat->core);
}

void sk__wait_outside(sk__core *core, const char *what) {
  sk__seat *seat = sk__seat_of(core);
  sk__lock(core->machine);
  seat->outside = what;
  core->machine->run.outside++;
  sk__seat_block(seat, SK__WAIT_OUTSIDE, 0);
}

void sk__seat_block(sk__seat *seat, sk__wait_kind kind, uint32_t id) {
  sk__machine *machine = seat->core->machine;
  seat->state = SK__SEAT_BLOCKED;
  seat->wait = kind;
  seat->wait_id = id;
  machine->run.blocked++;
  sk__unlock(machine);
  switch_out(seat);
  seat->wait = SK__WAIT_NONE;
}

/* Workers without work look again. */
static void tell_workers(sk__machine *machine) {
  if (!machine->run.shared) return;
  atomic_fetch_add_explicit(&machine->run.changes, 1, memory_order_relaxed);
  if (machine->run.waiting_workers > 0) pthread_cond_broadcast(&machine->changed);
}

void sk__seat_wake(sk__seat *seat) {
  if (seat->state != SK__SEAT_BLOCKED) return;
  sk__machine *machine = seat->core->machine;
  machine->run.blocked--;
  seat_queue(seat, queue_of(machine, seat, true));
  tell_workers(machine);
}

void sk__seats_wake(sk__machine *machine, const uint64_t *which, bool slow) {
  sk__run *run = &machine->run;
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint32_t core = run->cores[i];
    if ((which[core / 64] >> core % 64 & 1) == 0) continue;
    sk__seat *seat = &machine->seats[core];
    seat->resume_slow = slow;
    seat_queue(seat, queue_of(machine, seat, true));
    run->blocked--;
  }
  tell_workers(machine);
}

void sk__give_way(sk__core *core, bool polling) {
  sk__seat *seat = sk__seat_of(core);
  sk__lock(core->machine);
  seat->polling = polling;
  if (polling) seat->wait = SK__WAIT_POLL;
  seat_queue(seat, SK__QUEUE_POLLING);
  sk__unlock(core->machine);
  switch_out(seat);
  seat->wait = SK__WAIT_NONE;
}

void sk__yield(sk__core *core) {
  core->instructions++;
  sk__checkpoint(core);
  sk__dcache_polled(core);
  sk__give_way(core, true);
}

void sk__chance(sk__core *core) {
  sk__seat *seat = sk__seat_of(core);
  sk__machine *machine = core->machine;
  if (!machine->run.chances) return;
  if (!SK__HARD && sk__rng_below(&seat->rng, CHANCE_ONE_IN) != 0) return;
  sk__lock(machine);
  seat_queue(seat, queue_of(machine, seat, false));
  sk__unlock(machine);
  switch_out(seat);
}

void sk__checkpoint_slow(sk__core *core) {
  if (core->instructions < core->machine->instruction_budget) {
    if (core->machine->run.live > 1) sk__give_way(core, false);
    set_stop(core);
    return;
  }
  sk__finding finding = sk__core_finding(core, "ENDLESS", SK__CAT_OPERATOR, SK__ERROR);
  snprintf(finding.message, sizeof finding.message,
           "kernel '%s' ran %llu instructions on one core without coming to its end", core->view.kernel,
           (unsigned long long)core->instructions);
  snprintf(finding.remedy, sizeof finding.remedy, "make the loop end, or raise the instruction budget");
  sk__report(core->checker, &finding);
  sk__core_abort(core, SK_BUDGET);
}

/* ---- on the worker ------------------------------------------------------------------------- */

/* True when this core, and every other that can run, has polled in vain often enough. */
static bool polls_in_vain(sk__machine *machine, sk__seat *seat) {
  sk__run *run = &machine->run;
  if (!seat->polling) {
    note_progress(run);
    return false;
  }
  if (seat->idle_epoch != run->idle_epoch) {
    seat->idle_epoch = run->idle_epoch;
    seat->idle_picks = 0;
  }
  if (++seat->idle_picks == IDLE_ROUNDS) run->idle_seats++;
  if (run->idle_seats < run->live - run->blocked) return false;
  uint64_t stores = 0;
  for (uint32_t i = 0; i < run->core_count; i++) stores += machine->cores[run->cores[i]].gm_stores;
  if (stores == run->idle_stores) return true;
  run->idle_stores = stores;
  note_progress(run);
  return false;
}

static sk__seat *pop_seat(sk__machine *machine, sk__shard *shard) {
  bool random = machine->options.schedule.kind == SK__SCHEDULE_RANDOM;
  for (uint32_t q = 0; q < SK__QUEUES; q++) {
    if (queue_count(&shard->queues[q]) == 0) continue;
    sk__seat *seat = &machine->seats[queue_pop(&shard->queues[q], random ? &shard->rng : NULL)];
    if (q != SK__QUEUE_POLLING) seat->polling = false;
    return seat;
  }
  return NULL;
}

/* Nobody can run: the launch is over, or stands until work outside of it has run. */
static void declare_stuck(sk__machine *machine) {
  sk__run *run = &machine->run;
  if (run->status == SK_OK && run->outside > 0 && run->may_stand) {
    run->stands = true;
  } else if (run->status == SK_OK) { /* else the cores wait for one that faulted */
    run->status = SK_DEADLOCK;
    sk__deadlock_report(machine);
  }
  run->over = true;
  pthread_cond_broadcast(&machine->changed);
}

/* A woken core may stand in the queue of a worker that has not noticed yet. */
static bool any_ready(const sk__machine *machine) {
  for (uint32_t s = 0; s < machine->run.shard_count; s++)
    for (uint32_t q = 0; q < SK__QUEUES; q++)
      if (queue_count(&machine->shards[s].queues[q]) != 0) return true;
  return false;
}

/* With the lock held, gives it up until something changes. */
static void wait_for_change(sk__machine *machine) {
  sk__run *run = &machine->run;
  run->waiting_workers++;
  if (run->help_expected) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2 * LATE_WAKE_NS;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    if (pthread_cond_timedwait(&machine->changed, &machine->lock, &until) != 0) run->help_expected = false;
  } else if (run->waiting_workers == run->active_workers && !any_ready(machine)) {
    declare_stuck(machine);
  } else {
    pthread_cond_wait(&machine->changed, &machine->lock);
  }
  run->waiting_workers--;
}

/* Sleeping costs tens of microseconds: a barrier is often over sooner. */
static void spin_a_little(sk__machine *machine) {
  sk__run *run = &machine->run;
  uint32_t seen = atomic_load_explicit(&run->changes, memory_order_relaxed);
  uint64_t until = sk__now_ns() + SPIN_NS;
  sk__unlock(machine);
  while (atomic_load_explicit(&run->changes, memory_order_relaxed) == seen && sk__now_ns() < until) {}
  sk__lock(machine);
}

static sk__seat *next_seat(sk__worker *worker) {
  sk__machine *machine = worker->machine;
  sk__run *run = &machine->run;
  sk__lock(machine);
  sk__seat *seat = NULL;
  bool spun = false;
  while (!run->over) {
    for (uint32_t s = 0; s < run->shard_count && seat == NULL; s++)
      if (machine->shards[s].worker == worker) seat = pop_seat(machine, &machine->shards[s]);
    if (seat != NULL) {
      if (seat->fresh || !polls_in_vain(machine, seat)) break;
      declare_stuck(machine);
      if (run->stands) seat_queue(seat, SK__QUEUE_POLLING);
    } else if (sk__workers_claim(worker) == NULL) {
      if (!run->shared) declare_stuck(machine);
      else if (!spun) spin_a_little(machine);
      else wait_for_change(machine);
      spun = !spun;
    }
    seat = NULL;
  }
  if (run->shared && !run->help_called && sk__now_ns() - run->started_ns > LATE_WAKE_NS) sk__workers_call(machine);
  sk__unlock(machine);
  return seat;
}

/* A core has come to the end of its block. */
static void seat_finished(sk__machine *machine, sk__seat *seat) {
  sk__run *run = &machine->run;
  sk__lock(machine);
  sk__lane *lane = &run->lanes[seat->lane];
  run->live--;
  if (--lane->live == 0) {
    bool aborted = false;
    for (uint32_t i = 0; i < lane->core_count; i++) aborted |= machine->seats[lane->cores[i]].aborted;
    if (!aborted && lane->block + run->lane_count < run->launch->blocks) {
      lane->block += run->lane_count;
      lane_begin(machine, lane, machine->options.schedule.kind == SK__SCHEDULE_REVERSED);
    }
  }
  if (run->live == 0) {
    run->over = true;
    if (run->shared) pthread_cond_broadcast(&machine->changed);
  }
  sk__unlock(machine);
}

static void seat_run(sk__worker *worker, sk__seat *seat) {
  sk__core *core = seat->core;
  if (seat->fresh) {
    seat->fresh = false;
    core->scratch = worker->scratch;
    sk__core_begin_block(core, worker->machine->run.lanes[seat->lane].block);
    set_stop(core);
    sk__fiber_start(&seat->fiber, seat_main, seat);
  }
  enter(worker, seat);
  sk__context_switch(&worker->context, &seat->fiber.context);
  worker->running = NULL;
  sk__self = NULL;
}

void sk__worker_loop(sk__worker *worker) {
  sk__machine *machine = worker->machine;
  sk__seat *seat;
  while ((seat = next_seat(worker)) != NULL) {
    seat_run(worker, seat);
    seat = worker->seat; /* fibers may have passed the thread on among themselves */
    if (worker->fault.pending) {
      sk__fault_report(worker, seat->core);
      sk__lock(machine);
      seat->aborted = true;
      if (machine->run.status == SK_OK) machine->run.status = worker->fault.endless ? SK_BUDGET : SK_FAULT;
      sk__unlock(machine);
      worker->fault.pending = false;
      sk__core_end_block(seat->core, false);
      seat->state = SK__SEAT_DONE;
    }
    if (seat->state == SK__SEAT_DONE) seat_finished(machine, seat);
  }
}
