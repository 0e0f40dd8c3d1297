/* memory_fixture.h - a machine made by hand: its memory, a checker, and a few cores that no scheduler
 * runs. A test plays the cores one after another by saying who is on. */
#ifndef SK_TESTS_MEMORY_FIXTURE_H
#define SK_TESTS_MEMORY_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "machine/dcache.h"
#include "machine/internal.h"
#include "machine/log.h"
#include "../check/meet.h"

enum { CORES = 6, AICS = 2, AIV0 = AICS }; /* AICs 0, 1; AIVs 2..5 */

typedef struct fixture {
  sk__soc soc;
  sk__machine machine;
  sk__core cores[CORES];
  sk__launch launch;
} fixture;

static fixture *fixture_new(bool checks) {
  fixture *f = NULL;
  if (posix_memalign((void **)&f, 64, sizeof *f) != 0) abort();
  memset(f, 0, sizeof *f);
  f->soc = *sk__soc_find(NULL);
  f->soc.aic_count = AICS;
  f->soc.aiv_count = CORES - AICS;
  f->soc.gm_bytes = UINT64_C(256) << 20;
  char why[256];
  assert_int_equal(sk__checker_create(&f->soc, &f->machine.checker), SK_OK);
  f->machine.soc = &f->soc;
  f->machine.core_count = CORES;
  f->machine.cores = f->cores;
  sk_status status = sk__memory_create(&f->machine.memory, &f->soc, f->machine.checker, why, sizeof why);
  if (status != SK_OK) fail_msg("%s", why);
  sk__memory_configure(&f->machine.memory, 0xa5, 1);
  sk__checker_set_describe(f->machine.checker, sk__core_describe);
  f->launch = (sk__launch){.name = "launch", .serial = 1};
  for (uint32_t i = 0; i < CORES; i++) {
    sk__core *core = &f->cores[i];
    core->machine = &f->machine;
    core->checker = f->machine.checker;
    core->local = sk__local_slot(i);
    core->index = i;
    core->instruction_stop = UINT64_MAX; /* nobody to give way to, no budget */
    core->type = i < AICS ? SK__AIC : SK__AIV;
    core->block_idx = i < AICS ? i : (i - AICS) / 2;
    core->launch = &f->launch;
    core->view = (sk__view){.kernel = "kernel", .task = UINT32_MAX, .block_num = CORES};
    core->checks = checks;
    core->order.enabled = checks;
    core->order.context = core;
    sk__order_begin(core->checker, &core->order, i, NULL);
    core->ctrl = UINT64_C(1) << 48;
    assert_int_equal(sk__locals_make(core), SK_OK);
    sk__dcache *room = calloc(1, sizeof *room);
    assert_non_null(room);
    sk__dcache_create(&f->machine.memory, core, room);
  }
  return f;
}

static void fixture_free(fixture *f) {
  sk__self = NULL;
  for (uint32_t i = 0; i < CORES; i++) {
    sk__order_end(f->machine.checker, &f->cores[i].order, NULL);
    sk__dcache *room = f->cores[i].dcache;
    sk__dcache_destroy(&f->cores[i]);
    free(room);
    sk__locals_drop(&f->cores[i]);
  }
  sk__memory_destroy(&f->machine.memory);
  sk__checker_destroy(f->machine.checker);
  free(f);
}

static inline sk__core *on(fixture *f, uint32_t core) { return sk__self = &f->cores[core]; }

/* The nth source position, so that findings of different calls are told apart. */
static inline const void *site(uint32_t n) { return (const void *)(uintptr_t)(0x1000 + n); }

static inline void *alloc(fixture *f, uint64_t bytes, const char *label) {
  void *at = NULL;
  assert_int_equal(sk__gm_alloc(&f->machine, bytes, label, &at), SK_OK);
  return at;
}
/* An allocation that the host has filled with 0, 1, 2 ... */
static inline uint8_t *alloc_filled(fixture *f, uint64_t bytes, const char *label) {
  uint8_t *at = alloc(f, bytes, label), *image = malloc(bytes);
  for (uint64_t i = 0; i < bytes; i++) image[i] = (uint8_t)i;
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)at, image, bytes), SK_OK);
  free(image);
  return at;
}

/* Plain accesses as compiled code makes them: the hook, then the access. */
static inline uint32_t load32(const void *at, const void *where) {
  sk_hook_read(at, 4, where);
  return *(const volatile uint32_t *)at;
}
static inline void store32(void *at, uint32_t value, const void *where) {
  sk_hook_write(at, 4, where);
  *(volatile uint32_t *)at = value;
}
/* Movers: the local end is UB, whose footprint is not declared here. */
static inline bool mover_in(void *to, const void *from, uint64_t bytes, const void *where) {
  sk__core *core = sk__enter(SK__PIPE_MTE2, "copy_gm2ub", where);
  return sk__gm_load(core, SK__PIPE_MTE2, to, (uint64_t)from, bytes);
}
static inline bool mover_out(void *to, const void *from, uint64_t bytes, const void *where) {
  sk__core *core = sk__enter(SK__PIPE_MTE3, "copy_ub2gm", where);
  return sk__gm_store(core, SK__PIPE_MTE3, (uint64_t)to, from, bytes);
}
static inline void dcci(const void *at) {
  sk__core *core = sk__enter(SK__PIPE_S, "dcci", site(900));
  sk__dcache_clean_line(core, (uint64_t)at);
}
static inline void dcci_all(void) { sk__dcache_clean_all(sk__enter(SK__PIPE_S, "dcci", site(901))); }

/* All cores meet: what came before is ordered before what comes after. */
static inline void meet(fixture *f) {
  sk__order *orders[CORES];
  for (uint32_t i = 0; i < CORES; i++) {
    orders[i] = &f->cores[i].order;
    f->cores[i].instructions++;
  }
  cores_meet(f->machine.checker, orders, CORES);
}

/* All findings so far; as at a block's end, scalar accesses are handed in first. */
static inline const sk__finding *findings(fixture *f, size_t *count) {
  for (uint32_t i = 0; i < CORES; i++) sk__order_settle(&f->cores[i].order);
  return sk__findings(f->machine.checker, count);
}
static inline const sk__finding *finding(fixture *f, const char *id) {
  size_t count;
  const sk__finding *all = findings(f, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].id, id) == 0) return &all[i];
  return NULL;
}
static inline size_t finding_count(fixture *f) {
  size_t count;
  (void)findings(f, &count);
  return count;
}
static inline void assert_silent(fixture *f) {
  size_t count;
  const sk__finding *all = findings(f, &count);
  if (count != 0) fail_msg("%s: %s", all[0].id, all[0].message);
}
/* There is a finding with this id, and its message contains the words. */
static inline void assert_found(fixture *f, const char *id, const char *words) {
  const sk__finding *found = finding(f, id);
  if (found == NULL) fail_msg("no finding %s", id);
  else if (strstr(found->message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", found->message, words);
}
static inline bool has_site(const sk__finding *found, const void *where) {
  for (uint32_t i = 0; i < found->end_count; i++)
    if (found->ends[i].site == where) return true;
  return false;
}

#endif
