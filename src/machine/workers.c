/* workers.c - host threads for a launch: the caller's, and helpers that are woken only for long ones.
 *
 * Waking a sleeping thread costs about as much as a whole small launch. So the caller starts alone, and
 * helpers are called when the kernel was long the last time, or when this launch has already run long
 * while a shard has not been started. Helpers are pinned away from the caller: woken on its own processor
 * they would only take turns with it. */
#include <sched.h>
#include <string.h>

#include <xxhash.h>

#include "base/log.h"
#include "machine/internal.h"

enum { WORTH_A_HELPER_NS = 150000 };

/* ---- past runs ----------------------------------------------------------------------------- */

static uint64_t key_of(const sk__launch *launch) {
  uint64_t seed = (uint64_t)launch->blocks << 8 | (uint64_t)launch->type << 1 | launch->is_sk;
  return XXH3_64bits_withSeed(launch->name, strlen(launch->name), seed);
}

static size_t slot_of(uint64_t key) { return key % SK__REMEMBERED_RUNS; }

/* Another kernel in the slot is forgotten. */
static sk__past_run *past_run_of(sk__machine *machine, const sk__launch *launch) {
  uint64_t key = key_of(launch);
  sk__past_run *past = &machine->remembered[slot_of(key)];
  if (past->key != key) *past = (sk__past_run){.key = key};
  return past;
}

/* On several threads the order of cores is luck, and with it which of the accesses that race meet. Whether any race is
 * not: so a kernel that was silent on one thread may run on more, and one with findings stays where they come out the
 * same each time. A schedule other than that of the chip's order says in which order cores run: one thread. */
uint32_t sk__workers_allowed(const sk__machine *machine, const sk__launch *launch) {
  const sk__machine_options *options = &machine->options;
  if ((launch->flags & SK_KERNEL_USES_ATOMICS) != 0 || options->schedule.kind != SK__SCHEDULE_IN_ORDER) return 1;
  if (!options->checks) return options->threads;
  uint64_t key = key_of(launch);
  const sk__past_run *past = &machine->remembered[slot_of(key)];
  return past->key == key && past->silent ? options->threads : 1;
}

void sk__workers_remember(sk__machine *machine, const sk__launch *launch, bool silent) {
  if (machine->options.checks) past_run_of(machine, launch)->silent = silent;
}

/* ---- claiming ------------------------------------------------------------------------------ */

sk__shard *sk__workers_claim(sk__worker *worker) {
  sk__machine *machine = worker->machine;
  sk__run *run = &machine->run;
  uint32_t count = run->shard_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t s = worker->index == 0 ? i : count - 1 - i; /* the caller from the front, helpers from the back */
    if (machine->shards[s].worker != NULL) continue;
    if (worker->index == 0 && s > 0 && run->help_expected) return NULL;
    machine->shards[s].worker = worker;
    return &machine->shards[s];
  }
  return NULL;
}

static bool shards_left(const sk__machine *machine) {
  for (uint32_t s = 0; s < machine->run.shard_count; s++)
    if (machine->shards[s].worker == NULL) return true;
  return false;
}

/* ---- helpers ------------------------------------------------------------------------------- */

/* Some processor this process may use, other than the caller's; helpers take them in turn. */
static void pin_helper(pthread_t thread, uint32_t index) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  int mine = sched_getcpu();
  uint32_t skip = (index - 1) % (uint32_t)(CPU_COUNT(&allowed) - 1);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || cpu == mine || skip-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(thread, sizeof one, &one);
    return;
  }
}

static void *helper_main(void *argument) {
  sk__worker *worker = argument;
  sk__machine *machine = worker->machine;
  uint64_t seen = 0;
  pthread_mutex_lock(&machine->lock);
  while (!machine->stopping) {
    if (seen == machine->calls) {
      pthread_cond_wait(&machine->called, &machine->lock);
      continue;
    }
    seen = machine->calls;
    if (!machine->run.open) continue;
    machine->run.active_workers++;
    machine->run.help_expected = false;
    pthread_mutex_unlock(&machine->lock);
    sk__faults_enter(worker);
    sk__worker_loop(worker);
    sk__faults_leave(worker);
    pthread_mutex_lock(&machine->lock);
    machine->run.active_workers--;
    pthread_cond_broadcast(&machine->changed);
  }
  pthread_mutex_unlock(&machine->lock);
  return NULL;
}

static bool helper_start(sk__machine *machine, uint32_t index) {
  sk__worker *worker = &machine->workers[index];
  if (worker->thread_made) return true;
  worker->machine = machine;
  worker->index = index;
  if (worker->scratch == NULL) worker->scratch = sk__aligned_alloc(64, SK__SCRATCH_BYTES);
  if (worker->scratch == NULL || pthread_create(&worker->thread, NULL, helper_main, worker) != 0) {
    sk__log(SK__LOG_WARNING, "no further host thread; launches run on those there are");
    return false;
  }
  worker->thread_made = true;
  pin_helper(worker->thread, index);
  return true;
}

uint32_t sk__machine_helpers(const sk__machine *machine) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < SK__MAX_WORKERS; i++) count += machine->workers[i].thread_made;
  return count;
}

void sk__workers_call(sk__machine *machine) {
  sk__run *run = &machine->run;
  run->help_called = true;
  if (!shards_left(machine)) return;
  bool any = false;
  for (uint32_t i = 1; i < run->shard_count; i++) any |= helper_start(machine, i);
  run->help_expected = any;
  machine->calls++;
  pthread_cond_broadcast(&machine->called);
}

/* ---- a launch ------------------------------------------------------------------------------ */

void sk__workers_run(sk__machine *machine) {
  sk__run *run = &machine->run;
  sk__worker *caller = &machine->workers[0];
  sk__past_run *past = past_run_of(machine, run->launch);
  run->started_ns = sk__now_ns();
  sk__lock(machine);
  run->active_workers = 1;
  machine->shards[0].worker = caller;
  run->open = run->shared;
  if (run->shared && past->ns > WORTH_A_HELPER_NS) sk__workers_call(machine);
  sk__unlock(machine);
  sk__faults_enter(caller);
  sk__worker_loop(caller);
  sk__faults_leave(caller);
  sk__lock(machine);
  run->open = false;
  while (run->active_workers > 1) pthread_cond_wait(&machine->changed, &machine->lock);
  sk__unlock(machine);
  past->ns = sk__now_ns() - run->started_ns;
}

sk_status sk__workers_make(sk__machine *machine) {
  sk__worker *caller = &machine->workers[0];
  caller->machine = machine;
  caller->scratch = sk__aligned_alloc(64, SK__SCRATCH_BYTES);
  if (caller->scratch == NULL) return SK_OUT_OF_MEMORY;
  pthread_mutex_init(&machine->lock, NULL);
  pthread_cond_init(&machine->changed, NULL);
  pthread_cond_init(&machine->called, NULL);
  return SK_OK;
}

void sk__workers_drop(sk__machine *machine) {
  if (machine->workers[0].machine == NULL) return;
  pthread_mutex_lock(&machine->lock);
  machine->stopping = true;
  pthread_cond_broadcast(&machine->called);
  pthread_mutex_unlock(&machine->lock);
  for (uint32_t i = 0; i < SK__MAX_WORKERS; i++) {
    if (machine->workers[i].thread_made) pthread_join(machine->workers[i].thread, NULL);
    sk__free(machine->workers[i].scratch);
  }
  pthread_cond_destroy(&machine->called);
  pthread_cond_destroy(&machine->changed);
  pthread_mutex_destroy(&machine->lock);
}
