/* origin.c - who issued an access: call sites by a 16-bit index, launches and kernels by clock. */
#include "base/text.h"
#include "check/checker.h"

#define ORIGINS_FULL (SK__ORIGINS / 4 * 3) /* beyond, probing gets long: unknown site instead */

SK__COLD uint16_t sk__call_insert(sk__checker *checker, const void *site, const char *instr) {
  if (site == NULL && instr == NULL) return 0;
  pthread_mutex_lock(&checker->lock);
  uint32_t i = sk__call_hash(site, instr);
  for (;; i = (i + 1) % SK__ORIGINS) {
    if (i == 0) continue;
    sk__call *o = &checker->origins[i];
    const void *there = atomic_load_explicit(&o->site, memory_order_relaxed);
    if (there == site && o->instr == instr) break;
    if (there != NULL || o->instr != NULL) continue;
    if (checker->origin_count >= ORIGINS_FULL) {
      i = 0;
      break;
    }
    checker->origin_count++;
    o->instr = instr;
    atomic_store_explicit(&o->site, site, memory_order_release);
    break;
  }
  pthread_mutex_unlock(&checker->lock);
  return (uint16_t)i;
}

SK__COLD void sk__scope_open(sk__checker *checker, sk__order *order) {
  order->scope_open = true;
  sk__end end = {.launch = -1, .task = -1, .block = -1, .sub_block = -1};
  if (checker->describe != NULL) checker->describe(order->context, &end);
  pthread_mutex_lock(&checker->lock);
  sk__scopes *scopes = &checker->scopes[order->core];
  sk__scope *scope = &scopes->ring[scopes->count++ % SK__SCOPES];
  scope->begin_clock = order->begin_clock;
  scope->launch = end.launch;
  scope->task = end.task;
  scope->block = end.block;
  scope->sub_block = end.sub_block;
  memcpy(scope->kernel, end.kernel, sizeof scope->kernel);
  pthread_mutex_unlock(&checker->lock);
}

/* The last scope that began at or before the clock, NULL when it was overwritten. Under the lock. */
static const sk__scope *scope_at(const sk__scopes *scopes, uint64_t clock) {
  uint64_t first = scopes->count > SK__SCOPES ? scopes->count - SK__SCOPES : 0, low = first, high = scopes->count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (scopes->ring[middle % SK__SCOPES].begin_clock <= clock) low = middle + 1;
    else high = middle;
  }
  return low > first ? &scopes->ring[(low - 1) % SK__SCOPES] : NULL;
}

SK__COLD void sk__end_from_stamp(sk__checker *checker, uint64_t stamp, uint16_t origin, sk__end *end) {
  uint32_t actor = sk__stamp_actor(stamp), core = actor / SK__PIPE_SLOTS;
  end->core = (int32_t)core;
  end->launch = end->task = end->block = end->sub_block = -1;
  end->pipe = end->core_type = -1;
  end->kernel[0] = '\0';
  end->site = NULL;
  end->instr = NULL;
  if (core == SK__HOST_CORE) {
    sk__text_copy(end->kernel, sizeof end->kernel, "host");
    return;
  }
  if (core == sk__engine_core(checker->soc)) {
    end->core = -1;
  } else {
    end->pipe = (int8_t)(actor % SK__PIPE_SLOTS == SK__STORES ? SK__PIPE_S : actor % SK__PIPE_SLOTS);
    end->core_type = core < checker->soc->aic_count ? SK__AIC : SK__AIV;
  }
  if (origin != 0) {
    end->site = atomic_load_explicit(&checker->origins[origin].site, memory_order_acquire);
    end->instr = checker->origins[origin].instr;
  }
  pthread_mutex_lock(&checker->lock);
  const sk__scope *scope = scope_at(&checker->scopes[core], sk__stamp_clock(stamp));
  if (scope != NULL) {
    end->launch = scope->launch;
    end->task = scope->task;
    end->block = scope->block;
    end->sub_block = scope->sub_block;
    memcpy(end->kernel, scope->kernel, sizeof end->kernel);
  }
  pthread_mutex_unlock(&checker->lock);
}
