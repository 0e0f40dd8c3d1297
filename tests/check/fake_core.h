/* fake_core.h - cores without a machine: an order each, and a describe callback that tells what they run. */
#ifndef SK_TESTS_CHECK_FAKE_CORE_H
#define SK_TESTS_CHECK_FAKE_CORE_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

typedef struct fake_core {
  sk__order order;
  uint32_t index;
  int32_t launch, task, block;
  const char *kernel;
} fake_core;

static const sk__soc fake_chip = {.name = "fake", .aic_count = 24, .aiv_count = 48};
static const char fake_code[256]; /* call sites */
#define SITE(n) ((const void *)(fake_code + (n)))

static inline void fake_describe(void *context, sk__end *end) {
  const fake_core *core = context;
  end->launch = core->launch;
  end->task = core->task;
  end->block = core->block;
  end->sub_block = 0;
  snprintf(end->kernel, sizeof end->kernel, "%s", core->kernel);
}

static inline sk__checker *fake_checker(void) {
  sk__checker *checker = NULL;
  assert_int_equal(sk__checker_create(&fake_chip, &checker), SK_OK);
  sk__checker_set_describe(checker, fake_describe);
  return checker;
}

static inline void fake_begin(sk__checker *checker, fake_core *core, uint32_t index, sk__snapshot *before) {
  core->index = index;
  core->block = (int32_t)index;
  core->launch++;
  core->task = -1;
  if (core->kernel == NULL) core->kernel = "kernel";
  core->order.enabled = true;
  core->order.context = core;
  sk__order_begin(checker, &core->order, index, before);
}

static inline void local_access(sk__checker *checker, fake_core *core, sk__pipe pipe, sk__access kind,
                                uint64_t offset, uint64_t bytes, int site) {
  sk__order_issue(&core->order, pipe);
  sk__shadow_local(checker, &core->order, pipe, kind, sk__local_slot(core->index) + offset, bytes, SITE(site),
                   kind == SK__READ ? "asc_read" : "asc_write");
}

static inline void gm_access(sk__checker *checker, fake_core *core, sk__pipe pipe, sk__access kind, uint64_t offset,
                             uint64_t bytes, int site) {
  sk__order_issue(&core->order, pipe);
  sk__shadow_gm(checker, &core->order, pipe, kind, SK__GM_BASE + offset, bytes, SITE(site),
                kind == SK__READ ? "asc_read" : kind == SK__WRITE ? "asc_write" : "asc_atomic");
}

static inline size_t finding_count(sk__checker *checker) {
  size_t n;
  sk__findings(checker, &n);
  return n;
}

/* The only finding, which must have this id. */
static inline const sk__finding *only_finding(sk__checker *checker, const char *id) {
  size_t n;
  const sk__finding *f = sk__findings(checker, &n);
  assert_int_equal(n, 1);
  assert_string_equal(f->id, id);
  return f;
}

#endif
