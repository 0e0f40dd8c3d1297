/* modes.c - the mode matrix: names, parsing, the default list. */
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_names[] = {
#define X(name, text, help) text,
    SK__MODE_LIST(X)
#undef X
};

void sk__mode_name(sk__mode mode, char text[SK__MODE_NAME_BYTES]) {
  static const char *const schedules[] = {
#define X(name, text, help) text,
      SK__SCHEDULE_LIST(X)
#undef X
  };
  const char *kind = kind_names[mode.kind];
  if (mode.schedule.kind == SK__SCHEDULE_IN_ORDER)
    snprintf(text, SK__MODE_NAME_BYTES, "%s", kind);
  else if (mode.schedule.kind == SK__SCHEDULE_RANDOM)
    snprintf(text, SK__MODE_NAME_BYTES, "%s/random:%" PRIu64, kind, mode.schedule.seed);
  else
    snprintf(text, SK__MODE_NAME_BYTES, "%s/%s", kind, schedules[mode.schedule.kind]);
}

sk_status sk__mode_parse(const char *text, sk__mode *out) {
  memset(out, 0, sizeof *out);
  const char *slash = strchr(text, '/');
  size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
  for (int kind = 0; kind < SK__MODE_KINDS; kind++) {
    if (strlen(kind_names[kind]) != length || strncmp(text, kind_names[kind], length) != 0) continue;
    out->kind = (sk__mode_kind)kind;
    return slash != NULL ? sk__schedule_parse(slash + 1, &out->schedule) : SK_OK;
  }
  return SK_INVALID_ARGUMENT;
}

/* Growing list of modes. */
typedef struct list { sk__mode *items; size_t count; } list;

static sk_status add(list *modes, sk__mode_kind kind, sk__schedule_kind schedule, uint64_t seed) {
  sk__mode *items = realloc(modes->items, (modes->count + 1) * sizeof *items);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  modes->items = items;
  modes->items[modes->count++] = (sk__mode){kind, {schedule, seed}};
  return SK_OK;
}

/* Some operator of the program takes part in early start. */
static bool has_early_start(void) {
  size_t count = 0;
  const sk_binding *const *bindings = sk__runtime_bindings(&count);
  for (size_t i = 0; i < count; i++)
    if ((bindings[i]->capabilities & (SK_CAP_EARLY_START_WAIT | SK_CAP_EARLY_START_SET)) != 0) return true;
  return false;
}

static sk_status add_defaults(list *modes, uint32_t random) {
  static const sk__mode matrix[] = {
      {SK__MODE_UNFUSED, {SK__SCHEDULE_IN_ORDER, 0}},   {SK__MODE_FUSED, {SK__SCHEDULE_IN_ORDER, 0}},
      {SK__MODE_PER_OP, {SK__SCHEDULE_IN_ORDER, 0}},    {SK__MODE_FULL_CORES, {SK__SCHEDULE_IN_ORDER, 0}},
      {SK__MODE_NO_FLUSH, {SK__SCHEDULE_IN_ORDER, 0}},  {SK__MODE_FUSED, {SK__SCHEDULE_REVERSED, 0}},
      {SK__MODE_FUSED, {SK__SCHEDULE_RANDOM, 1}},
      {SK__MODE_FUSED, {SK__SCHEDULE_SLOW_CONSUMER, 0}}, {SK__MODE_FUSED, {SK__SCHEDULE_SLOW_AIV1, 0}},
      {SK__MODE_FUSED, {SK__SCHEDULE_WAVES, 0}},
  };
  sk_status status = SK_OK;
  for (size_t i = 0; i < sizeof matrix / sizeof matrix[0] && status == SK_OK; i++)
    status = add(modes, matrix[i].kind, matrix[i].schedule.kind, matrix[i].schedule.seed);
  if (status == SK_OK && has_early_start()) status = add(modes, SK__MODE_EARLY_START, SK__SCHEDULE_IN_ORDER, 0);
  for (uint32_t i = 0; i < random && status == SK_OK; i++)
    status = add(modes, SK__MODE_FUSED, SK__SCHEDULE_RANDOM, UINT64_C(2) + i);
  return status;
}

static bool is_reference(sk__mode mode) {
  return mode.kind == SK__MODE_UNFUSED && mode.schedule.kind == SK__SCHEDULE_IN_ORDER;
}

static sk_status add_named(list *modes, const char *name, uint32_t random, char *why, size_t why_bytes) {
  if (strcmp(name, "default") == 0) return add_defaults(modes, random);
  sk__mode mode;
  if (sk__mode_parse(name, &mode) != SK_OK) {
    snprintf(why, why_bytes,
             "no mode '%s'; legal: default, or unfused, fused, per-op, full-cores, no-flush, ge, alone, twice, neighbour, early-start, each "
             "optionally with /in-order, /reversed, /random:SEED, /slow-consumer, /slow-aiv1, /waves",
             name);
    sk__text_one_line(why);
    return SK_INVALID_ARGUMENT;
  }
  return add(modes, mode.kind, mode.schedule.kind, mode.schedule.seed);
}

sk_status sk__mode_list(const char *text, uint32_t random, sk__mode **out, size_t *count, char *why,
                        size_t why_bytes) {
  list modes = {NULL, 0};
  char *copy = strdup(text);
  sk_status status = copy != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  char *rest = copy;
  for (char *name; status == SK_OK && (name = strsep(&rest, ",")) != NULL;)
    status = add_named(&modes, name, random, why, why_bytes);
  free(copy);
  if (status == SK_OK && (modes.count == 0 || !is_reference(modes.items[0]))) {
    status = add(&modes, SK__MODE_UNFUSED, SK__SCHEDULE_IN_ORDER, 0);
    if (status == SK_OK) {
      memmove(modes.items + 1, modes.items, (modes.count - 1) * sizeof *modes.items);
      modes.items[0] = (sk__mode){SK__MODE_UNFUSED, {SK__SCHEDULE_IN_ORDER, 0}};
    }
  }
  if (status != SK_OK) {
    free(modes.items);
    return status;
  }
  *out = modes.items;
  *count = modes.count;
  return SK_OK;
}
