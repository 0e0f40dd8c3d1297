/* print.c - a program for people: one line per core type. */
#include <inttypes.h>

#include "fuse/ge/internal.h"

static void print_sub(const sk__ge_program *program, uint32_t position, FILE *to) {
  const char *name = program->inputs[position].name;
  if (name != NULL) fputs(name, to);
  else fprintf(to, "op%u", position);
}

static void print_flags(const sk__ge_step *step, FILE *to) {
  for (int i = 0; i < step->flag_count; i++) fprintf(to, "%s%c%u", i > 0 ? " " : "", step->flags[i].set ? 's' : 'w', step->flags[i].id);
}

static void print_early(const sk__ge_step *step, FILE *to) {
  fputc('[', to);
  print_flags(step, to);
  if (step->some) fprintf(to, " from %s %u", step->by == SK__GE_BY_BLOCK ? "block" : "core", step->count);
  fputc(']', to);
}

static void print_call(const sk__ge_program *program, const sk__ge_step *step, FILE *to) {
  print_sub(program, step->sub, to);
  if (step->kind == SK__GE_STEP_DFUNC) fputc('?', to);
  if ((step->feed & SK__GE_FEED_REPLAY) != 0) fputs("+replay", to);
}

static void print_step(const sk__ge_program *program, const sk__ge_step *step, FILE *to) {
  fputc(' ', to);
  switch (step->kind) {
    case SK__GE_STEP_FUNC:
    case SK__GE_STEP_DFUNC: print_call(program, step, to); return;
    case SK__GE_STEP_SELECT:
    case SK__GE_STEP_PRELOAD:
      fputs(step->kind == SK__GE_STEP_SELECT ? "select:" : "P:", to);
      print_sub(program, step->sub, to);
      return;
    case SK__GE_STEP_PRELOAD_SK: fputs("P:SK", to); return;
    case SK__GE_STEP_UNLOCK: fprintf(to, "unlock:p%u", step->param[0]); return;
    case SK__GE_STEP_SETFLAG:
    case SK__GE_STEP_WAITFLAG: print_flags(step, to); return;
    case SK__GE_STEP_BAR: fprintf(to, "b%u", step->flags[0].id); return;
    case SK__GE_STEP_SYNCALL_MIX: fputs("ALL", to); return;
    case SK__GE_STEP_SYNCALL_V: fputs("ALLV", to); return;
    case SK__GE_STEP_ES_SET:
    case SK__GE_STEP_ES_WAIT: print_early(step, to); return;
    case SK__GE_STEP_ES_CFG: fprintf(to, "cfg=%" PRId64, step->number); return;
    case SK__GE_STEP_WAIT: fprintf(to, "W:p%u", step->param[0]); return;
    case SK__GE_STEP_NOTIFY: fprintf(to, "N:p%u", step->param[0]); return;
    case SK__GE_STEP_CLEAR: fprintf(to, "0:p%u", step->param[0]); return;
    case SK__GE_STEP_DCCI: fputs("flush", to); return;
    case SK__GE_STEP_PIPE_ALL: fputs("pipes", to); return;
    case SK__GE_STEP_FEED:
      if (step->number < 0) fputs("feed-off", to);
      else fprintf(to, "feed@%" PRId64, step->number);
      return;
    case SK__GE_STEP_ZERO: fprintf(to, "zero:%" PRId64, step->number); return;
    case SK__GE_STEP_REPLAY: fputs("replay", to); return;
    case SK__GE_STEP_PROF: fprintf(to, "t%c%u:%" PRId64, step->begin ? '+' : '-', step->prof_kind, step->number); return;
  }
}

static void print_queue(const sk__ge_program *program, sk__core_type type, FILE *to) {
  if (!program->queue[type].launched) return;
  fprintf(to, "  %s:", type == SK__AIC ? "AIC" : "AIV");
  for (size_t i = 0; i < program->queue[type].count; i++) print_step(program, &program->queue[type].items[i], to);
  fputc('\n', to);
}

void sk__ge_print(const sk__ge_program *program, FILE *to) {
  static const char *const names[] = {"AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  fprintf(to, "%s\n  %s, %u blocks, %u queue%s, %u copies of %zu operators, %u parameters", program->name, names[program->type], program->blocks,
          program->queue_count, program->queue_count == 1 ? "" : "s", program->copies, program->sub_count, program->param_count);
  if (program->workspace_bytes > 0) fprintf(to, ", workspace of %" PRIu64 " bytes", program->workspace_bytes);
  fputc('\n', to);
  print_queue(program, SK__AIC, to);
  print_queue(program, SK__AIV, to);
  for (size_t i = 0; i < program->warning_count; i++) fprintf(to, "  warning: %s\n", program->warnings[i]);
}
