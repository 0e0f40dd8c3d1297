/* hasty.c - synchronous copies to the host that nobody let wait: tasks queued before them may still write what they take.
 * Here they take what was there before; on the chip either. Told when such a task has run. */
#include <inttypes.h>

#include "base/text.h"
#include "runtime/internal.h"

enum { MOST_HASTY = 256 };

/* The host copies these bytes now. Programs that order by values may have good reason to, so they are let be, and so is what
 * callbacks copy. */
void sk__hasty_note(sk__runtime *runtime, const char *call, uint64_t address, uint64_t bytes) {
  if (runtime->pending.count == 0 || runtime->running || !sk__machine_options_of(runtime->machine)->checks) return;
  for (size_t i = 0; i < runtime->pending.count; i++)
    if (sk__waits_for_values(runtime->pending.items[i])) return;
  sk__hasty_copy *last = runtime->hasty.count > 0 ? &runtime->hasty.items[runtime->hasty.count - 1] : NULL;
  if (last != NULL && last->serial == runtime->next_serial && last->call == call && last->address + last->bytes == address) {
    last->bytes += bytes;
    return;
  }
  if (runtime->hasty.count < MOST_HASTY) /* beyond, and without memory, less is told */
    (void)!sk__vec_push(&runtime->hasty, ((sk__hasty_copy){call, address, bytes, runtime->next_serial}));
}

void sk__hasty_forget(sk__runtime *runtime) {
  if (runtime->pending.count == 0) sk__vec_clear(&runtime->hasty);
}

static void report(sk__runtime *runtime, const sk__hasty_copy *copy, const sk__task *task, const sk__end *writer) {
  sk__finding finding = {.category = SK__CAT_HOST, .severity = SK__ERROR, .end_count = 2};
  sk__text_copy(finding.id, sizeof finding.id, "SYNC_GM");
  finding.ends[0] = *writer;
  finding.ends[1] = (sk__end){.role = "host", .instr = copy->call, .core = SK__HOST_CORE, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1,
                              .launch = -1, .task = -1, .address = copy->address, .bytes = copy->bytes, .mem = SK__MEM_GM};
  const char *by = writer->instr != NULL ? writer->instr : "an access";
  sk__text message = sk__text_on(finding.message, sizeof finding.message), remedy = sk__text_on(finding.remedy, sizeof finding.remedy);
  sk__text_add(&message, "%s takes GM bytes 0x%" PRIx64 "..0x%" PRIx64 " to the host, and %s%s%s, queued before it on stream %" PRIu32
                         ", writes 0x%" PRIx64 "..0x%" PRIx64 " of them: the copy waits for no stream",
               copy->call, copy->address, copy->address + copy->bytes - 1, by, writer->kernel[0] != '\0' ? " of " : "", writer->kernel,
               task->stream_index, writer->address, writer->address + writer->bytes - 1);
  sk__text_add(&remedy, "aclrtSynchronizeStream on that stream before %s, or aclrtMemcpyAsync on it and then wait", copy->call);
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

/* What a copy or memset of a stream writes is known; false: not these bytes. */
static bool writes(const sk__task *task, const sk__hasty_copy *copy, sk__end *writer) {
  uint64_t low = task->to > copy->address ? task->to : copy->address, task_end = task->to + task->bytes, end = copy->address + copy->bytes;
  if (task_end < end) end = task_end;
  if (!sk__in_gm(task->to) || low >= end) return false;
  *writer = (sk__end){.role = "writer", .instr = task->kind == SK__TASK_SET ? "aclrtMemsetAsync" : "aclrtMemcpyAsync", .core = -1, .core_type = -1,
                      .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1, .address = low, .bytes = end - low, .mem = SK__MEM_GM};
  return true;
}

void sk__hasty_judge(sk__runtime *runtime, const sk__task *task, uint32_t launch) {
  for (size_t i = 0; i < runtime->hasty.count; i++) {
    const sk__hasty_copy *copy = &runtime->hasty.items[i];
    sk__end writer;
    if (task->serial >= copy->serial) continue;
    bool found = task->kind == SK__TASK_KERNEL
                     ? sk__shadow_gm_written_by(sk__machine_checker(runtime->machine), copy->address, copy->bytes, (int32_t)launch, &writer)
                     : writes(task, copy, &writer);
    if (found) report(runtime, copy, task, &writer);
  }
}
