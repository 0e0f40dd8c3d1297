/* machine.c - the machine as a whole: made, configured, and running one launch from its first block to
 * the end of its last. */
#include "machine/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "machine/dcache.h"
#include "machine/flags.h"

#define DEFAULT_BUDGET UINT64_C(200000000)

/* ---- schedules ----------------------------------------------------------------------------- */

sk_status sk__schedule_parse(const char *text, sk__schedule *out) {
  static const char *const names[] = {
#define X(name, text, help) text,
    SK__SCHEDULE_LIST(X)
#undef X
  };
  size_t length = strcspn(text, ":");
  for (uint32_t kind = 0; kind < SK__SCHEDULES; kind++) {
    if (strlen(names[kind]) != length || strncmp(names[kind], text, length) != 0) continue;
    uint64_t seed = 0;
    if (text[length] == ':') {
      char *end;
      const char *digits = text + length + 1;
      if (kind != SK__SCHEDULE_RANDOM || digits[0] < '0' || digits[0] > '9') return SK_INVALID_ARGUMENT;
      errno = 0;
      seed = strtoull(digits, &end, 0);
      if (errno != 0 || *end != '\0') return SK_INVALID_ARGUMENT;
    }
    *out = (sk__schedule){(sk__schedule_kind)kind, seed};
    return SK_OK;
  }
  return SK_INVALID_ARGUMENT;
}

/* ---- making and ending --------------------------------------------------------------------- */

enum { EVENT_SLOTS = SK__PIPE_SLOTS * SK__PIPE_SLOTS * SK__EVENT_IDS };

/* In reserved memory, as the cores, where no plain access of a kernel is carried out. An odd number of cache lines, as they. */
typedef struct sk__core_room {
  sk__dcache dcache;
  sk__event_clock event_clocks[EVENT_SLOTS];
  uint64_t event_cycles[EVENT_SLOTS];
  const void *event_sites[EVENT_SLOTS];
  _Alignas(64) sk__flag_state flags;
  _Alignas(64) uint8_t spread[SK__HARD ? 128 : 64];
} sk__core_room;
_Static_assert(sizeof(sk__core_room) / 64 % 2 == 1, "make the padding of sk__core_room one line longer or shorter");

static sk_status core_make(sk__machine *machine, uint32_t index) {
  sk__core *core = &machine->cores[index];
  sk__seat *seat = &machine->seats[index];
  const sk__soc *soc = machine->soc;
  core->machine = machine;
  core->checker = machine->checker;
  core->local = sk__local_slot(index);
  core->index = index;
  core->type = index < soc->aic_count ? SK__AIC : SK__AIV;
  core->group = core->type == SK__AIC ? index : (index - soc->aic_count) / 2;
  core->fiber = &seat->fiber;
  core->view.task = SK__NO_TASK;
  core->order.context = core;
  sk__core_room *room = &machine->rooms[index];
  core->event_clocks = room->event_clocks;
  core->event_cycles = room->event_cycles;
  core->flags = &room->flags;
  seat->event_sites = room->event_sites;
  sk__dcache_create(&machine->memory, core, &room->dcache);
  seat->core = core;
  seat->second_aiv = core->type == SK__AIV && (index - soc->aic_count) % 2 == 1;
  sk__fiber_place(&seat->fiber, &machine->stacks, index);
  return sk__locals_make(core);
}

static void core_drop(sk__machine *machine, uint32_t index) {
  sk__core *core = &machine->cores[index];
  if (core->machine == NULL) return;
  sk__dcache_destroy(core);
  sk__locals_drop(core);
  sk__ledger_free(&machine->seats[index].ledger);
}

void sk__machine_configure(sk__machine *machine, const sk__machine_options *options) {
  machine->options = *options;
  machine->options.soc = machine->soc; /* the window was laid out for this chip */
  uint32_t threads = options->threads == 0 ? 1 : options->threads;
  machine->options.threads = threads < SK__MAX_WORKERS ? threads : SK__MAX_WORKERS;
  machine->instruction_budget = options->instruction_budget != 0 ? options->instruction_budget : DEFAULT_BUDGET;
  sk__memory_configure(&machine->memory, options->fill, machine->options.threads);
  sk__checker_set_threads(machine->checker, machine->options.threads);
}

/* Cores do not start a page as tables do: what a hook touches of a core would share cache sets with its data cache. */
enum { CORES_OFF_PAGE = 17 * 64 };
static size_t cores_bytes(const sk__machine *machine) { return machine->core_count * sizeof *machine->cores + CORES_OFF_PAGE; }

static sk__core *reserve_cores(const sk__machine *machine) {
  char *table = sk__reserve(cores_bytes(machine));
  return table != NULL ? (sk__core *)(void *)(table + CORES_OFF_PAGE) : NULL;
}

static void unreserve_cores(const sk__machine *machine) {
  if (machine->cores != NULL) sk__unreserve((char *)machine->cores - CORES_OFF_PAGE, cores_bytes(machine));
}

static sk_status parts_make(sk__machine *machine) {
  const sk__soc *soc = machine->soc;
  sk_status status = sk__checker_create(soc, &machine->checker);
  if (status != SK_OK) return status;
  sk__checker_set_describe(machine->checker, sk__core_describe);
  sk__checker_set_same_pipe(machine->checker, true);
  char why[256];
  status = sk__memory_create(&machine->memory, soc, machine->checker, why, sizeof why);
  if (status != SK_OK) {
    sk__log(SK__LOG_ERROR, "no device memory: %s", why);
    memset(&machine->memory, 0, sizeof machine->memory);
    return status;
  }
  machine->core_count = soc->aic_count + soc->aiv_count;
  machine->cores = reserve_cores(machine);
  machine->seats = sk__reserve(machine->core_count * sizeof *machine->seats);
  machine->rooms = sk__reserve(machine->core_count * sizeof *machine->rooms);
  machine->pair = sk__reserve(soc->aic_count * sizeof *machine->pair);
  machine->up = sk__reserve(soc->aic_count * sizeof *machine->up);
  if (machine->cores == NULL || machine->seats == NULL || machine->rooms == NULL || machine->pair == NULL || machine->up == NULL)
    return SK_OUT_OF_MEMORY;
  for (uint32_t mem = SK__MEM_UB; mem < SK__MEMS; mem++) {
    machine->mem_offset[mem] = sk__mem_slot_offset((sk__mem)mem);
    for (int type = SK__AIC; type <= SK__AIV; type++)
      machine->mem_capacity[type][mem] = sk__mem_bytes(soc, (sk__core_type)type, (sk__mem)mem);
  }
  status = sk__stack_pool_make(machine->core_count, &machine->stacks);
  for (uint32_t i = 0; i < machine->core_count && status == SK_OK; i++) status = core_make(machine, i);
  if (status == SK_OK && (machine->engine = sk__engine_make(machine)) == NULL) status = SK_OUT_OF_MEMORY;
  return status == SK_OK ? sk__workers_make(machine) : status;
}

sk_status sk__machine_create(const sk__machine_options *options, sk__machine **out) {
  sk__machine *machine = sk__reserve(sizeof *machine);
  if (machine == NULL) return SK_OUT_OF_MEMORY;
  machine->soc = options->soc != NULL ? options->soc : sk__soc_find(NULL);
  sk_status status = parts_make(machine);
  sk__faults_install();
  if (status != SK_OK) {
    sk__machine_destroy(machine);
    return status;
  }
  sk__machine_configure(machine, options);
  *out = machine;
  return SK_OK;
}

void sk__machine_destroy(sk__machine *machine) {
  if (machine == NULL) return;
  sk__faults_remove();
  sk__workers_drop(machine);
  sk__soft_reset(machine);
  sk__vec_free(&machine->common.soft);
  sk__left_free(machine->left);
  sk__vec_free(&machine->host_writes.recent);
  if (machine->cores != NULL && machine->seats != NULL)
    for (uint32_t i = 0; i < machine->core_count; i++) core_drop(machine, i);
  sk__engine_drop(machine);
  unreserve_cores(machine);
  sk__unreserve(machine->seats, machine->core_count * sizeof *machine->seats);
  sk__unreserve(machine->rooms, machine->core_count * sizeof *machine->rooms);
  sk__unreserve(machine->pair, machine->soc->aic_count * sizeof *machine->pair);
  sk__unreserve(machine->up, machine->soc->aic_count * sizeof *machine->up);
  sk__stack_pool_drop(&machine->stacks);
  if (machine->memory.soc != NULL) sk__memory_destroy(&machine->memory);
  if (machine->checker != NULL) sk__checker_destroy(machine->checker);
  sk__unreserve(machine, sizeof *machine);
}

const sk__machine_options *sk__machine_options_of(const sk__machine *machine) { return &machine->options; }
const sk__soc *sk__machine_soc(const sk__machine *machine) { return machine->soc; }
sk__checker *sk__machine_checker(sk__machine *machine) { return machine->checker; }

/* ---- a launch ------------------------------------------------------------------------------ */

void sk__shares_of(sk_kernel_type type, uint32_t share[2]) {
  static const uint8_t aic[] = {[SK_AIV_ONLY] = 0, [SK_AIC_ONLY] = 1, [SK_MIX_AIV_1_0] = 0, [SK_MIX_AIC_1_0] = 1,
                                [SK_MIX_AIC_1_1] = 1, [SK_MIX_AIC_1_2] = 1};
  static const uint8_t aiv[] = {[SK_AIV_ONLY] = 1, [SK_AIC_ONLY] = 0, [SK_MIX_AIV_1_0] = 1, [SK_MIX_AIC_1_0] = 0,
                                [SK_MIX_AIC_1_1] = 1, [SK_MIX_AIC_1_2] = 2};
  share[SK__AIC] = aic[type];
  share[SK__AIV] = aiv[type];
}

/* Core v of a lane's cores, AIC first, when the lane starts at core `place`. */
static uint32_t core_of_lane(const sk__machine *machine, const uint32_t share[2], uint32_t place, uint32_t v) {
  if (share[SK__AIC] == 0 || v == 0) return place;
  return machine->soc->aic_count + 2 * place + v - 1;
}

/* Without launches that stand lane l of a single-type launch is core l of that type; of a MIX launch AI core l. */
uint32_t sk__lane_places(const sk__machine *machine, const uint32_t share[2], uint8_t places[SK__MAX_CORES]) {
  uint32_t count = 0, first = share[SK__AIC] == 0 ? machine->soc->aic_count : 0;
  uint32_t end = share[SK__AIC] == 0 ? machine->core_count : machine->soc->aic_count;
  for (uint32_t place = first; place < end; place++) {
    bool free = true;
    for (uint32_t v = 0; v < share[SK__AIC] + share[SK__AIV] && free; v++) {
      uint32_t core = core_of_lane(machine, share, place, v);
      free = (machine->held[core / 64] >> core % 64 & 1) == 0;
    }
    if (free) places[count++] = (uint8_t)place;
  }
  return count;
}

static void lane_place(sk__machine *machine, uint32_t l, uint32_t place) {
  sk__run *run = &machine->run;
  sk__lane *lane = &run->lanes[l];
  bool aiv_only = run->share[SK__AIC] == 0;
  lane->core_count = (uint8_t)(run->share[SK__AIC] + run->share[SK__AIV]);
  lane->block = l;
  for (uint32_t v = 0; v < lane->core_count; v++) lane->cores[v] = (uint8_t)core_of_lane(machine, run->share, place, v);
  uint32_t groups = aiv_only ? (run->lane_count + 1) / 2 : run->lane_count;
  uint32_t shard = (aiv_only ? l / 2 : l) * run->shard_count / groups; /* both vector cores of an AI core in one */
  for (uint32_t i = 0; i < lane->core_count; i++) {
    sk__core *core = &machine->cores[lane->cores[i]];
    sk__seat *seat = &machine->seats[lane->cores[i]];
    run->cores[run->core_count++] = lane->cores[i];
    run->present[core->type]++;
    seat->lane = l;
    seat->shard = &machine->shards[shard];
    seat->state = SK__SEAT_OUT;
    seat->aborted = seat->resume_slow = false;
    seat->idle_epoch = 0;
    uint64_t seed = machine->options.schedule.seed ^ (uint64_t)core->index << 32;
    if (run->chances) seat->rng = sk__rng_from_seed(sk__splitmix64(&seed));
    core->launch = run->launch;
    core->sub_block = core->type == SK__AIV && run->share[SK__AIV] == 2 ? (uint32_t)(i - 1) : 0;
    core->ratio = core->type == SK__AIV && run->share[SK__AIV] == 2 ? 2 : 1;
    core->order.enabled = core->checks = machine->options.checks;
    core->instructions = core->gm_stores = 0;
    memset(core->cycles, 0, sizeof core->cycles);
  }
}

sk_status sk__launch_check(const sk__machine *machine, const sk__launch *launch) {
  bool known = (uint32_t)launch->type <= SK_MIX_AIC_1_2;
  if (!known || launch->blocks == 0 || (launch->entry[SK__AIC] == NULL && launch->entry[SK__AIV] == NULL))
    return SK_INVALID_ARGUMENT;
  return machine->running || sk__self != NULL || sk__machine_room(machine, launch->type) == 0 ? SK_STATE : SK_OK;
}

void sk__run_begin(sk__machine *machine, sk__launch *launch, sk__snapshot *before, sk__snapshot *after, bool may_stand) {
  sk__run *run = &machine->run;
  memset(run, 0, sizeof *run);
  run->launch = launch;
  run->before = machine->options.checks ? sk__snapshot_launch(machine->checker, before) : NULL;
  run->after = after;
  run->may_stand = may_stand;
  bool beside = false;
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++) beside |= machine->held[w] != 0;
  if (!beside) machine->group = launch->serial;
  run->group = machine->group;
  run->begin_cycles = beside ? machine->next_begin_cycles : 0;
  sk__shares_of(launch->type, run->share);
  bool aiv_only = run->share[SK__AIC] == 0;
  uint8_t places[SK__MAX_CORES];
  uint32_t lanes = sk__lane_places(machine, run->share, places);
  run->lane_count = launch->blocks < lanes ? launch->blocks : lanes;
  run->members[SK__AIC] = launch->blocks * run->share[SK__AIC];
  run->members[SK__AIV] = launch->blocks * run->share[SK__AIV];
  uint32_t groups = aiv_only ? (run->lane_count + 1) / 2 : run->lane_count;
  uint32_t threads = may_stand ? 1 : sk__workers_allowed(machine, launch); /* fibers never change their thread */
  run->shard_count = threads < groups ? threads : groups;
  run->chances = SK__HARD || machine->options.schedule.kind == SK__SCHEDULE_RANDOM;
  run->remarks = launch->is_sk || launch->type == SK_AIV_ONLY || launch->type == SK_AIC_ONLY;
  for (uint32_t l = 0; l < run->lane_count; l++) lane_place(machine, l, places[l]);
  sk__soft_reset(machine);
  sk__ledger_begin(machine);
  sk__scheduler_begin(machine);
  run->shared = machine->memory.threaded = run->shard_count > 1;
  sk__left_begin(machine);
}

/* Cores that will never go on leave the launch as they are: their stacks are abandoned. */
void sk__run_end(sk__machine *machine, sk__run_stats *stats) {
  sk__run *run = &machine->run;
  run->shared = false;
  for (uint32_t i = 0; i < run->core_count; i++) {
    sk__seat *seat = &machine->seats[run->cores[i]];
    if (seat->state != SK__SEAT_DONE && seat->state != SK__SEAT_OUT && !seat->fresh) sk__core_end_block(seat->core, false);
    seat->state = SK__SEAT_OUT;
    seat->fresh = false;
  }
  sk__snapshot_unref(run->before);
  run->before = NULL;
  sk__left_end(machine);
  for (uint32_t i = 0; i < run->core_count; i++) sk__dcache_clean_all(&machine->cores[run->cores[i]]);
  sk__left_fill(machine);
  sk__ledger_judge(machine);
  sk__flags_end(machine);
  if (stats == NULL) return;
  memset(stats, 0, sizeof *stats);
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint64_t cycles = sk__core_latest_cycles(&machine->cores[run->cores[i]]);
    stats->core_cycles[run->cores[i]] = cycles;
    if (cycles > stats->cycles) stats->cycles = cycles;
  }
  stats->elapsed_cycles = stats->cycles + machine->soc->costs.launch_cycles;
  stats->whole_barriers = atomic_load_explicit(&run->whole_barriers, memory_order_relaxed);
  stats->aic_used = run->present[SK__AIC];
  stats->aiv_used = run->present[SK__AIV];
  stats->seconds = (double)(sk__now_ns() - run->started_ns + run->spent_ns) * 1e-9;
}

sk_status sk__machine_run(sk__machine *machine, sk__launch *launch, sk__snapshot *before, sk__snapshot *after,
                          sk__run_stats *stats) {
  sk_status status = sk__launch_check(machine, launch);
  if (status != SK_OK) return status;
  uint64_t reports = sk__reports(machine->checker);
  machine->running = true;
  launch->serial = machine->next_serial++;
  sk__run_begin(machine, launch, before, after, false);
  sk__workers_run(machine);
  status = machine->run.status;
  sk__run_end(machine, stats);
  sk__workers_remember(machine, launch, status == SK_OK && sk__reports(machine->checker) == reports);
  machine->running = false;
  return status;
}
