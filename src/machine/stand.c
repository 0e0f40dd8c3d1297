/* stand.c - launches that wait for work outside of them: put aside with the cores they keep, and taken up again.
 *
 * What belongs to one core (its fiber, registers, cache, flags, events) stays where it is, since nobody else gets the core.
 * Put aside is what the machine has once for the launch that runs: the run itself, its queue, and what all its cores meet in.
 * One host thread runs such a launch, so that its fibers come back to the thread they left. */
#include "base/memory.h"
#include "machine/flags.h"

struct sk__standing {
  sk__run run;
  sk__shard shard;
  sk__common common;
};

static void mark_held(sk__machine *machine, const sk__run *run, bool held) {
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint64_t bit = UINT64_C(1) << run->cores[i] % 64, *word = &machine->held[run->cores[i] / 64];
    *word = held ? *word | bit : *word & ~bit;
  }
}

static void put_aside(sk__machine *machine, sk__standing *standing) {
  machine->run.spent_ns += sk__now_ns() - machine->run.started_ns;
  standing->run = machine->run;
  standing->shard = machine->shards[0];
  standing->common = machine->common;
  memset(&machine->common, 0, sizeof machine->common);
  mark_held(machine, &standing->run, true);
}

static void take_up(sk__machine *machine, sk__standing *standing) {
  mark_held(machine, &standing->run, false);
  sk__soft_reset(machine);
  sk__vec_free(&machine->common.soft);
  machine->run = standing->run;
  machine->shards[0] = standing->shard;
  machine->common = standing->common;
  machine->run.over = machine->run.stands = false;
  machine->memory.threaded = false;
}

/* Runs until the launch is over or stands (again). `spare`: where to put it then. */
static sk_status run_on(sk__machine *machine, sk__standing *spare, sk__standing **standing, sk__run_stats *stats) {
  sk__workers_run(machine);
  sk_status status = machine->run.status;
  *standing = machine->run.stands ? spare : NULL;
  if (machine->run.stands) {
    put_aside(machine, spare);
  } else {
    sk__run_end(machine, stats);
    sk__free(spare);
  }
  machine->running = false;
  return status;
}

sk_status sk__machine_begin(sk__machine *machine, sk__launch *launch, sk__snapshot *before, sk__snapshot *after,
                            sk__run_stats *stats, sk__standing **standing) {
  *standing = NULL;
  sk_status status = sk__launch_check(machine, launch);
  if (status != SK_OK) return status;
  sk__standing *spare = sk__calloc(1, sizeof *spare);
  if (spare == NULL) return SK_OUT_OF_MEMORY;
  machine->running = true;
  launch->serial = machine->next_serial++;
  sk__run_begin(machine, launch, before, after, true);
  return run_on(machine, spare, standing, stats);
}

sk_status sk__machine_go_on(sk__machine *machine, sk__standing **standing, sk__run_stats *stats) {
  if (machine->running || sk__self != NULL) return SK_STATE;
  machine->running = true;
  take_up(machine, *standing);
  sk__run *run = &machine->run;
  run->idle_epoch++; /* who polled in vain may see something now */
  run->idle_seats = 0;
  for (uint32_t i = 0; i < run->core_count; i++) {
    sk__seat *seat = &machine->seats[run->cores[i]];
    if (seat->state != SK__SEAT_BLOCKED || seat->wait != SK__WAIT_OUTSIDE) continue;
    run->outside--;
    sk__seat_wake(seat);
  }
  return run_on(machine, *standing, standing, stats);
}

sk_status sk__machine_give_up(sk__machine *machine, sk__standing **standing, const sk__hopeless *hopeless, sk__run_stats *stats) {
  if (machine->running || sk__self != NULL) return SK_STATE;
  take_up(machine, *standing);
  machine->run.status = SK_DEADLOCK;
  machine->run.hopeless = hopeless;
  machine->run.started_ns = sk__now_ns();
  sk__deadlock_report(machine);
  sk__run_end(machine, stats);
  sk__free(*standing);
  *standing = NULL;
  return SK_DEADLOCK;
}

uint32_t sk__machine_room(const sk__machine *machine, sk_kernel_type type) {
  uint32_t share[2];
  uint8_t places[SK__MAX_CORES];
  sk__shares_of(type, share);
  return sk__lane_places(machine, share, places);
}

void sk__machine_set_begin(sk__machine *machine, uint64_t cycles) { machine->next_begin_cycles = cycles; }
