/* hazards.c - looking up the catalogue. */
#include <strings.h>

#include "base/text.h"
#include "check/check.h"
#include "check/hazards.h"

static const sk__hazard hazards[] = {
#define FUSED(id, category, title, cause, symptom, detection, remedy, silent) \
  {id, title, SK__CAT_##category, cause, symptom, detection, remedy, silent},
#define ANYWHERE(id, category, title, cause, symptom, detection, remedy) FUSED(id, category, title, cause, symptom, detection, remedy, "")
  SK__HAZARDS_FUSED(FUSED) SK__HAZARDS_ANYWHERE(ANYWHERE)
#undef ANYWHERE
#undef FUSED
};
static const char *const hazard_ids[] = {
#define X(id, ...) id,
  SK__HAZARDS_FUSED(X) SK__HAZARDS_ANYWHERE(X)
#undef X
};
#define HAZARDS (sizeof hazards / sizeof *hazards)

const sk__hazard *sk__hazard_all(size_t *count) {
  *count = HAZARDS;
  return hazards;
}

const sk__hazard *sk__hazard_find(const char *id) {
  for (size_t i = 0; i < HAZARDS; i++)
    if (strcasecmp(hazards[i].id, id) == 0) return &hazards[i];
  return NULL;
}

const char *sk__hazard_nearest(const char *id) { return sk__nearest(id, hazard_ids, HAZARDS); }

const char *sk__category_name(sk__category category) {
  static const char *const names[] = {
    [SK__CAT_OPERATOR] = "operator", [SK__CAT_FUSER] = "fuser", [SK__CAT_OPTIONS] = "options",
    [SK__CAT_HOST] = "host program", [SK__CAT_NOT_MODELLED] = "not modelled", [SK__CAT_INTERNAL] = "internal",
  };
  return (size_t)category < sizeof names / sizeof *names ? names[category] : "unknown";
}

const char *sk__severity_name(sk__severity severity) {
  static const char *const names[] = {[SK__ERROR] = "error", [SK__WARNING] = "warning", [SK__INFO] = "info"};
  return (size_t)severity < sizeof names / sizeof *names ? names[severity] : "unknown";
}
