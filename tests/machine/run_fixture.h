/* run_fixture.h - a machine that runs C functions as kernels, and questions to its findings. */
#ifndef SK_TESTS_RUN_FIXTURE_H
#define SK_TESTS_RUN_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "machine/internal.h"

typedef void (*half_fn)(sk__core *core, void *context);

static inline sk__machine *machine_of(const char *soc, sk__machine_options options) {
  sk__machine *machine = NULL;
  options.soc = sk__soc_find(soc);
  if (options.soc == NULL) fail_msg("no chip '%s'", soc != NULL ? soc : "default");
  assert_int_equal(sk__machine_create(&options, &machine), SK_OK);
  return machine;
}
/* Two AI cores: AIC 0-1, AIV 0-3. */
static inline sk__machine *small_machine(void) { return machine_of("test", (sk__machine_options){.checks = true}); }
/* 24 AIC, 48 AIV. */
static inline sk__machine *big_machine(void) { return machine_of(NULL, (sk__machine_options){.checks = true}); }

static inline sk_status launch(sk__machine *machine, sk_kernel_type type, uint32_t blocks, half_fn aic, half_fn aiv,
                               void *context) {
  sk__launch l = {.name = "kernel", .type = type, .blocks = blocks, .entry = {aic, aiv}, .context = context};
  return sk__machine_run(machine, &l, NULL, NULL, NULL);
}
/* The same as an SK program: the functions are the SK's code. */
static inline sk_status launch_sk(sk__machine *machine, sk_kernel_type type, uint32_t blocks, half_fn aic, half_fn aiv,
                                  void *context) {
  sk__launch l = {.name = "sk", .type = type, .blocks = blocks, .entry = {aic, aiv}, .context = context, .is_sk = true};
  return sk__machine_run(machine, &l, NULL, NULL, NULL);
}

static inline const sk__finding *finding_of(sk__machine *machine, const char *id) {
  size_t count;
  const sk__finding *all = sk__findings(sk__machine_checker(machine), &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].id, id) == 0) return &all[i];
  return NULL;
}
static inline void print_findings(sk__machine *machine) {
  size_t count;
  const sk__finding *all = sk__findings(sk__machine_checker(machine), &count);
  for (size_t i = 0; i < count; i++) {
    printf("%s (%s): %s. %s.\n", all[i].id, sk__severity_name(all[i].severity), all[i].message, all[i].remedy);
    for (uint32_t e = 0; e < all[i].end_count; e++)
      printf("   %s core %d %s: %s\n", all[i].ends[e].role, all[i].ends[e].core, all[i].ends[e].kernel, all[i].ends[e].detail);
  }
}
static inline size_t finding_count(sk__machine *machine) {
  size_t count;
  sk__findings(sk__machine_checker(machine), &count);
  return count;
}
#define assert_silent(machine)                                   \
  do {                                                           \
    print_findings(machine);                                     \
    assert_int_equal(finding_count(machine), 0);                 \
  } while (0)
#define assert_found(machine, id)                                \
  do {                                                           \
    print_findings(machine);                                     \
    assert_non_null(finding_of(machine, id));                    \
  } while (0)
/* Exactly this finding and no other. */
#define assert_only(machine, id)                                 \
  do {                                                           \
    assert_found(machine, id);                                   \
    assert_int_equal(finding_count(machine), 1);                 \
  } while (0)

/* A sub-kernel begins on this core. */
static inline void begin_sub(sk__core *core, uint32_t task, const char *name, uint32_t blocks) {
  sk__view view = {.kernel = name, .block_num = blocks, .task = task, .sub_ratio = core->view.sub_ratio, .schedmode = 1};
  sk__core_begin_sub(core, &view);
}

#endif
