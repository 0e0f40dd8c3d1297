/* division.c - integer divisions by zero in kernels. The chip's scalar unit goes on, a host of x86-64 raises a signal: the
 * instruction is carried out as other hosts do it, and told when the block ends. Code of this library is not spared. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "machine/internal.h"

#if defined(__x86_64__)
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_ours(const uint8_t *at) { return at >= (const uint8_t *)__ehdr_start && at < (const uint8_t *)etext; }

static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* `div` or `idiv` of 32 or 64 bits, which is what compilers make of C's operators. */
typedef struct division {
  uint8_t rex, mod, rm, bytes;
  const uint8_t *rest; /* behind ModRM */
} division;

static bool read_division(const uint8_t *at, division *d) {
  *d = (division){.bytes = 4};
  if ((*at & 0xf0) == 0x40) d->rex = *at++;
  if (*at++ != 0xf7 || (*at >> 3 & 7) < 6) return false;
  if (d->rex & 8) d->bytes = 8;
  d->mod = *at >> 6, d->rm = *at & 7, d->rest = at + 1;
  return true;
}

/* The divisor, and in `next` where the next instruction begins. */
static uint64_t read_divisor(const division *d, const greg_t *regs, const uint8_t **next) {
  const uint8_t *at = d->rest;
  uint64_t address = 0, value = 0;
  if (d->mod == 3) {
    *next = at;
    value = (uint64_t)regs[registers[d->rm | (d->rex & 1) << 3]];
    return d->bytes == 8 ? value : (uint32_t)value;
  }
  uint8_t base = d->rm | (uint8_t)((d->rex & 1) << 3);
  bool wide = d->mod == 2, relative = d->mod == 0 && d->rm == 5, based = !relative;
  if (d->rm == 4) { /* scale, index, base */
    uint8_t sib = *at++, index = (uint8_t)((sib >> 3 & 7) | (d->rex & 2) << 2);
    base = (uint8_t)((sib & 7) | (d->rex & 1) << 3);
    based = !(d->mod == 0 && (sib & 7) == 5);
    if (index != 4) address += (uint64_t)regs[registers[index]] << (sib >> 6);
  }
  if (based) address += (uint64_t)regs[registers[base]];
  int32_t offset = 0;
  if (wide || !based) memcpy(&offset, at, 4), at += 4;
  else if (d->mod == 1) offset = (int8_t)*at++;
  address += (uint64_t)(int64_t)offset;
  if (relative) address += (uint64_t)(uintptr_t)at;
  *next = at;
  memcpy(&value, (const void *)(uintptr_t)address, d->bytes);
  return value;
}

bool sk__division_skip(sk__core *core, void *context, const void *site) {
  greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *at = (const uint8_t *)(uintptr_t)regs[REG_RIP], *next;
  division d;
  if (is_ours(at) || !read_division(at, &d)) return false;
  uint64_t dividend = d.bytes == 8 ? (uint64_t)regs[REG_RAX] : (uint32_t)regs[REG_RAX];
  bool by_zero = read_divisor(&d, regs, &next) == 0; /* else the least number by -1 */
  regs[REG_RAX] = (greg_t)(by_zero ? 0 : dividend);
  regs[REG_RDX] = (greg_t)(by_zero ? dividend : 0);
  regs[REG_RIP] = (greg_t)(uintptr_t)next;
  if (by_zero && core->divided_at == NULL) core->divided_at = site, core->divided_by = core->view.kernel, core->divided_in = core->view.task;
  return true;
}
#else
bool sk__division_skip(sk__core *core, void *context, const void *site) {
  (void)core, (void)context, (void)site;
  return false;
}
#endif

void sk__division_report(sk__core *core) {
  if (core->divided_at == NULL) return;
  sk__view now = core->view;
  core->view.kernel = core->divided_by, core->view.task = core->divided_in;
  sk__finding finding = sk__core_finding(core, "KERNEL_FAULT", SK__CAT_OPERATOR, SK__WARNING);
  finding.ends[0].site = core->divided_at;
  finding.ends[0].instr = NULL;
  snprintf(finding.message, sizeof finding.message,
           "kernel '%s' divides an integer by zero; it went on with quotient 0 and the dividend as remainder", core->view.kernel);
  snprintf(finding.remedy, sizeof finding.remedy, "test the divisor before");
  core->view = now;
  core->divided_at = NULL;
  sk__report(core->checker, &finding);
}
