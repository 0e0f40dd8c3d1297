/* host_memory.c - which of the host's memory a kernel may touch by plain accesses: the stack of its own core, and what was loaded
 * with the program, constants above all. On the chip there is no other; here the heap holds the records of the checks too. */
#include <link.h>

#include "machine/fiber.h"
#include "machine/internal.h"

typedef struct segment { uint64_t begin, end; bool writable; } segment;

/* The latest segments that this thread found: a kernel reads few tables. */
enum { KEPT = 4, UNMAPPED_BYTES = 65536 };
static _Thread_local struct { segment kept[KEPT]; uint32_t next; } found;

typedef struct question { uint64_t address; segment answer; } question;

static bool holds(const segment *s, uint64_t address, uint64_t bytes) {
  return address >= s->begin && address < s->end && bytes <= s->end - address;
}

/* A segment of a loaded object; what this library writes to itself is nobody else's. */
static int ask(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  question *q = context;
  bool ours = false, here = false;
  for (uint32_t i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD) continue;
    uint64_t begin = object->dlpi_addr + header->p_vaddr;
    segment s = {begin, begin + header->p_memsz, (header->p_flags & PF_W) != 0};
    ours |= holds(&s, (uint64_t)(uintptr_t)&ask, 1);
    if (!holds(&s, q->address, 1)) continue;
    here = true;
    q->answer = s;
  }
  q->answer.writable &= !ours;
  return here;
}

static bool may_touch(const sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  uint64_t stack = (uint64_t)core->fiber->stack;
  if (address - stack < SK__STACK_BYTES || address < UNMAPPED_BYTES) return true; /* through null it faults, and is told so */
  const segment *in = NULL;
  for (uint32_t i = 0; i < KEPT && in == NULL; i++)
    if (holds(&found.kept[i], address, bytes)) in = &found.kept[i];
  if (in == NULL) {
    question q = {.address = address};
    if (dl_iterate_phdr(ask, &q) == 0) return false;
    found.kept[found.next % KEPT] = q.answer;
    in = &found.kept[found.next++ % KEPT];
  }
  return holds(in, address, bytes) && (!is_write || in->writable);
}

void sk_hook_host(const void *place, uint64_t bytes, bool is_write, const void *site) {
  sk__core *core = sk__self;
  uint64_t address = (uint64_t)(uintptr_t)place;
  if (core == NULL || bytes == 0 || may_touch(core, address, bytes, is_write)) return;
  sk__memory_report_bounds(&core->machine->memory, core, SK__PIPE_S, is_write ? SK__WRITE : SK__READ, address, bytes, site,
                           is_write ? "scalar store" : "scalar load");
  sk__core_abort(core, SK_FAULT);
}
