/* left.c - lines that SKs leave in data caches (H17). A kernel's end invalidates the cache. An SK whose sub-kernels do without
 * the flush ends with lines in its cores' caches, and nothing says that the next launch begins without them. What other
 * launches change of such a line is not followed; what the host program writes there is not seen by the next launch on
 * that core, as far as scalar code reads it.
 *
 * Lines are kept by their bytes, not in the caches: only those that the host has rewritten are put back there. */
#include "machine/left.h"

#include <string.h>

#include "base/memory.h"
#include "machine/dcache.h"
#include "machine/internal.h"

enum { MOST_WRITES = 1024 };

typedef struct left_line {
  uint64_t address, writes;     /* writes: of the host, before the line was left */
  uint32_t core;
  uint8_t bytes[SK__LINE_BYTES];
} left_line;
struct sk__left {
  SK__VEC(left_line) lines;
  size_t filled;                /* lines whose bytes are known */
};

/* ---- what the host writes -------------------------------------------------------------------- */

/* While there are too many to know, no line counts as left. */
void sk__gm_host_rewrites(sk__machine *machine, uint64_t start, uint64_t bytes) {
  sk__host_writes *host = &machine->host_writes;
  host->count++;
  if (bytes == 0) return;
  if (host->recent.count == MOST_WRITES) {
    sk__vec_clear(&host->recent);
    host->forgotten = host->count;
  }
  if (!sk__vec_push(&host->recent, ((sk__host_write){start, start + bytes, host->count}))) host->forgotten = host->count;
}

/* Bytes of the line that the host has rewritten since. */
static uint64_t rewritten(const sk__host_writes *host, const left_line *line) {
  uint64_t mask = 0, end = line->address + SK__LINE_BYTES;
  if (line->writes < host->forgotten) return 0;
  for (size_t i = host->recent.count; i-- > 0 && host->recent.items[i].number > line->writes;) {
    uint64_t low = host->recent.items[i].start > line->address ? host->recent.items[i].start : line->address;
    uint64_t high = host->recent.items[i].end < end ? host->recent.items[i].end : end;
    if (low < high) mask |= sk__line_mask(low, high - low);
  }
  return mask;
}

static uint64_t differing(const left_line *line) {
  const uint8_t *now = (const uint8_t *)line->address;
  uint64_t mask = 0;
  for (uint32_t i = 0; i < SK__LINE_BYTES; i++) mask |= (uint64_t)(now[i] != line->bytes[i]) << i;
  return mask;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Drops the core's lines; first puts into its cache those that are stale. */
static void take_core(sk__machine *machine, uint32_t core, bool put) {
  sk__left *left = machine->left;
  size_t kept = 0;
  for (size_t i = 0; i < left->lines.count; i++) {
    const left_line *line = &left->lines.items[i];
    sk__gm_info info;
    if (line->core != core) {
      left->lines.items[kept++] = *line;
      continue;
    }
    uint64_t mask = put && sk__gm_find(machine, line->address, &info) ? rewritten(&machine->host_writes, line) & differing(line) : 0;
    if (mask != 0) sk__dcache_put_stale(&machine->cores[core], line->address, line->bytes, mask);
  }
  left->lines.count = left->filled = kept;
}

void sk__left_begin(sk__machine *machine) {
  const sk__run *run = &machine->run;
  if (machine->left == NULL || machine->left->lines.count == 0) return;
  for (uint32_t i = 0; i < run->core_count; i++) take_core(machine, run->cores[i], run->shard_count == 1);
}

void sk__left_end(sk__machine *machine) {
  const sk__run *run = &machine->run;
  if (!run->launch->leaves_lines || run->shard_count != 1 || !machine->options.checks) return;
  if (machine->left == NULL && (machine->left = sk__calloc(1, sizeof *machine->left)) == NULL) return; /* less is told */
  machine->left->filled = machine->left->lines.count;
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint64_t line = 0;
    for (uint32_t at = 0; sk__dcache_next_even(&machine->cores[run->cores[i]], &at, &line);)
      if (!sk__vec_push(&machine->left->lines, ((left_line){.address = line, .writes = machine->host_writes.count, .core = run->cores[i]}))) return;
  }
}

/* Behind the flush, when memory shows itself. */
void sk__left_fill(sk__machine *machine) {
  sk__left *left = machine->left;
  for (; left != NULL && left->filled < left->lines.count; left->filled++) {
    left_line *line = &left->lines.items[left->filled];
    memcpy(line->bytes, (const void *)line->address, SK__LINE_BYTES);
  }
}

/* ---- sets ------------------------------------------------------------------------------------ */

sk__left *sk__machine_swap_left(sk__machine *machine, sk__left *left) {
  sk__left *old = machine->left;
  machine->left = left;
  return old;
}

sk__left *sk__left_copy(const sk__left *left) {
  sk__left *copy = left != NULL ? sk__calloc(1, sizeof *copy) : NULL;
  for (size_t i = 0; copy != NULL && i < left->lines.count; i++)
    if (!sk__vec_push(&copy->lines, left->lines.items[i])) break; /* less is told */
  if (copy != NULL) copy->filled = copy->lines.count;
  return copy;
}

void sk__left_free(sk__left *left) {
  if (left == NULL) return;
  sk__vec_free(&left->lines);
  sk__free(left);
}
