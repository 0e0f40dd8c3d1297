/* vector_fixture.c - stands in for the machine and the checker under the vector instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vector_fixture.h"

_Thread_local sk__core *sk__self __attribute__((tls_model("initial-exec"), visibility("default")));
uint8_t *fixture_ub;
uint8_t fixture_read[UB_BYTES], fixture_written[UB_BYTES];
sk__finding fixture_finding;
uint32_t fixture_findings, fixture_barriers;

static sk__core core;
static sk__soc soc;
static uint64_t random_state = 1;

uint64_t fixture_random(void) {
  random_state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = random_state;
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

void fixture_clear_records(void) {
  memset(fixture_read, 0, sizeof fixture_read);
  memset(fixture_written, 0, sizeof fixture_written);
  memset(&fixture_finding, 0, sizeof fixture_finding);
  fixture_findings = fixture_barriers = 0;
}

void fixture_reset(uint64_t seed) {
  const uint32_t index = 30;
  if (fixture_ub == NULL) {
    void *slot = (void *)(uintptr_t)sk__local_slot(index);
    fixture_ub = mmap(slot, SK__LOCAL_SLOT_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (fixture_ub != slot) abort();
  }
  memset(&core, 0, sizeof core);
  core.local = (uint64_t)fixture_ub;
  core.index = index;
  core.type = SK__AIV;
  core.checks = true;
  core.instruction_stop = UINT64_MAX;
  core.view.kernel = "kernel";
  core.view.task = UINT32_MAX;
  core.mask[0] = core.mask[1] = UINT64_MAX;
  core.ctrl = UINT64_C(1) << SK__CTRL_FLOAT_INF_NAN;
  static _Alignas(64) uint8_t scratch[1 << 20];
  core.scratch = scratch;
  static sk__ub_map whole = {.stretch = {{0, UB_BYTES}}};
  core.ub = &whole;
  sk__self = &core;
  random_state = seed;
  for (uint32_t i = 0; i < UB_BYTES; i += 8) {
    uint64_t x = fixture_random();
    memcpy(fixture_ub + i, &x, 8);
  }
  fixture_clear_records();
}

const sk__soc *sk__machine_soc(const sk__machine *machine) {
  (void)machine;
  soc.costs.startup_cycles[SK__PIPE_V] = 10;
  return &soc;
}
void sk__report(sk__checker *checker, const sk__finding *finding) {
  (void)checker;
  fixture_finding = *finding;
  fixture_findings++;
}
void *sk__local_operand(sk__core *self, sk__mem mem, const void *pointer, uint64_t bytes, uint32_t align,
                        const char *operand) {
  (void)mem;
  uint64_t address = (uint64_t)pointer;
  if (address < SK__LOCAL_SLOT_BYTES) address += self->local; /* a raw offset */
  if (address % align != 0) {
    sk__instr_finding(self, "MISALIGNED", SK__CAT_OPERATOR, SK__ERROR, "", "%s", operand);
    return NULL;
  }
  if (address - self->local >= UB_BYTES || bytes > UB_BYTES - (address - self->local)) {
    sk__instr_finding(self, "OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR, "", "%s", operand);
    return NULL;
  }
  return (void *)(uintptr_t)address;
}
void sk__shadow_local(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                      uint64_t bytes, const void *site, const char *instr) {
  (void)checker, (void)order, (void)site, (void)instr;
  if (pipe != SK__PIPE_V || address - core.local + bytes > UB_BYTES) abort();
  memset((kind == SK__READ ? fixture_read : fixture_written) + (address - core.local), 1, bytes);
}
void sk__shadow_local_ranges(sk__checker *checker, sk__order *order, sk__pipe pipe, const sk__local_range *ranges,
                             uint32_t n, const void *site, const char *instr) {
  for (uint32_t i = 0; i < n; i++)
    sk__shadow_local(checker, order, pipe, ranges[i].kind, ranges[i].address, ranges[i].bytes, site, instr);
}
void sk__shadow_local_strided(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t n, uint64_t bytes, uint64_t stride, const void *site,
                              const char *instr) {
  for (uint64_t i = 0; i < n; i++)
    sk__shadow_local(checker, order, pipe, kind, address + i * stride, bytes, site, instr);
}
void sk__checkpoint_slow(sk__core *self) { (void)self; }
void sk__pipe_barrier(sk__core *self, sk__pipe pipe) {
  (void)self;
  if (pipe == SK__PIPE_ALL) fixture_barriers++;
}

/* Registers are followed over sub-kernels only, and there are none. */
void sk__state_set(sk__core *at, sk__state state, uint64_t ctrl_bits) { (void)at, (void)state, (void)ctrl_bits; }
void sk__state_report(const sk__core *at, sk__state state) { (void)at, (void)state, abort(); }
