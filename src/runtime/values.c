/* values.c - words of device memory that streams write and wait for, and the order that gives. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/internal.h"

static const char *const conditions[] = {"be at least", "be", "have a bit in common with", "leave a bit clear beside those of"};

bool sk__condition_holds(uint64_t memory, uint64_t value, uint32_t condition) {
  switch (condition) {
    case ACL_STREAM_WAIT_VALUE_GEQ: return (int64_t)(memory - value) >= 0;
    case ACL_STREAM_WAIT_VALUE_EQ: return memory == value;
    case ACL_STREAM_WAIT_VALUE_AND: return (memory & value) != 0;
    default: return ~(memory | value) != 0;
  }
}

bool sk__value_read(sk__runtime *runtime, uint64_t address, uint64_t *out) {
  return sk__gm_host_read(runtime->machine, out, address, sizeof *out) == SK_OK;
}

bool sk__value_is(sk__runtime *runtime, uint64_t address, uint64_t value, uint32_t condition) {
  uint64_t memory = 0;
  return sk__value_read(runtime, address, &memory) && sk__condition_holds(memory, value, condition);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Index of the word, or of the first behind where it would stand. */
static size_t place_of(const sk__runtime *runtime, uint64_t address) {
  size_t low = 0, high = runtime->words.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (runtime->words.items[middle].address < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

static sk__value_word *find(sk__runtime *runtime, uint64_t address) {
  size_t at = place_of(runtime, address);
  return at < runtime->words.count && runtime->words.items[at].address == address ? &runtime->words.items[at] : NULL;
}

static sk__value_word *add(sk__runtime *runtime, uint64_t address) {
  size_t at = place_of(runtime, address), behind = runtime->words.count - at;
  if (!sk__vec_push(&runtime->words, ((sk__value_word){.address = 0}))) return NULL;
  sk__value_word *word = &runtime->words.items[at];
  memmove(word + 1, word, behind * sizeof *word);
  *word = (sk__value_word){.address = address};
  return word;
}

sk_status sk__value_store(sk__runtime *runtime, uint64_t address, uint64_t value, sk__snapshot *order, uint64_t cycles) {
  sk__value_word *word = find(runtime, address);
  sk_status status = sk__gm_host_write(runtime->machine, address, &value, sizeof value);
  if (status == SK_OK && word == NULL && (word = add(runtime, address)) == NULL) status = SK_OUT_OF_MEMORY;
  if (status != SK_OK) {
    if (order != NULL) sk__snapshot_unref(order);
    return status;
  }
  if (word->order != NULL) sk__snapshot_unref(word->order);
  *word = (sk__value_word){address, value, cycles, order};
  return SK_OK;
}

sk__snapshot *sk__value_order(sk__runtime *runtime, uint64_t address, uint64_t *cycles) {
  const sk__value_word *word = find(runtime, address);
  uint64_t memory = 0;
  *cycles = 0;
  if (word != NULL && sk__value_read(runtime, address, &memory) && memory == word->value) {
    *cycles = word->cycles;
    return word->order != NULL ? sk__snapshot_ref(word->order) : NULL;
  }
  return sk__streams_order(runtime);
}

/* ---- messages -------------------------------------------------------------------------------- */

void sk__value_text(sk__runtime *runtime, uint64_t address, uint64_t value, uint32_t condition, char *text, size_t bytes) {
  sk__gm_info info;
  uint64_t memory = 0;
  if (!sk__gm_find(runtime->machine, address, &info) || !sk__value_read(runtime, address, &memory)) {
    snprintf(text, bytes, "a value at 0x%" PRIx64 ", which is no live device memory", address);
    return;
  }
  snprintf(text, bytes, "the value at byte %" PRIu64 " of '%.40s' to %s %" PRIu64 " (it is %" PRIu64 ")", address - info.start,
           info.label, conditions[condition], value, memory);
}

/* ---- the interface --------------------------------------------------------------------------- */

static aclError submit(const char *call, void *address, uint64_t value, uint32_t flag, uint32_t last_flag, aclrtStream stream, sk__task_kind kind) {
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &on);
  if (error != ACL_SUCCESS) return error;
  sk__gm_info info;
  if (address == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: devAddr is NULL", call);
  if ((uint64_t)address % sizeof value != 0) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: devAddr %p is no multiple of 8", call, address);
  if (!sk__in_gm((uint64_t)address) || !sk__gm_find(runtime->machine, (uint64_t)address, &info) ||
      (uint64_t)address + sizeof value > info.start + info.bytes)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: the 8 bytes at %p are no live device memory", call, address);
  if (flag > last_flag && last_flag == 0) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: flag %u; legal: 0", call, flag);
  if (flag > last_flag) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: flag %u; legal: 0 GEQ, 1 EQ, 2 AND, 3 NOR", call, flag);
  sk__task *task = sk__task_new(runtime, kind, on);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a task");
  task->to = (uint64_t)address;
  task->bytes = sizeof value;
  task->number = value;
  task->condition = flag;
  return sk__task_submit(runtime, task);
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  SK__GUARD;
  return submit("aclrtValueWrite", devAddr, value, flag, 0, stream, SK__TASK_VALUE_WRITE);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  SK__GUARD;
  return submit("aclrtValueWait", devAddr, value, flag, ACL_STREAM_WAIT_VALUE_NOR, stream, SK__TASK_VALUE_WAIT);
}
