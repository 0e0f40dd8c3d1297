/* collective.c - H32: an operator that leaves its core otherwise than it found it in more than one way does not have so many
 * defects but one: it takes its end for the end of a kernel. */
#include "base/text.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a kernel's end repairs, and how it is told in a sentence. */
static const struct { const char *id, *words; } ways[] = {
    {"H7", "cross-core flags"}, {"H11", "stores in the data cache"}, {"H19", "accesses to local memory under way"},
    {"H22", "event flags"},     {"H33", "core registers"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static int way_of(const sk__finding *finding) {
  if (finding->in_unfused) return -1;
  for (int way = 0; way < WAYS; way++)
    if (strcmp(finding->id, ways[way].id) == 0) return way;
  return -1;
}

/* Whose end it is about: who wrote, who set, of two operators the earlier one. */
static const sk__end *leaver_of(const sk__finding *finding) {
  const sk__end *first = &finding->ends[0];
  for (uint32_t i = 0; i < finding->end_count && i < 2; i++) {
    const sk__end *end = &finding->ends[i];
    if (end->role != NULL && (strcmp(end->role, "writer") == 0 || strcmp(end->role, "sets") == 0)) return end;
    if (strcmp(finding->id, "H19") == 0 && end->task >= 0 && end->task < first->task) first = end;
  }
  return first;
}

typedef struct leaver {
  sk__seen_finding seen;
  uint32_t ways;                /* bit per way */
} leaver;

static leaver *find(leaver *leavers, size_t count, const char *kernel) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(leavers[i].seen.finding.ends[0].kernel, kernel) == 0) return &leavers[i];
  return NULL;
}

static void describe(leaver *it) {
  sk__finding *finding = &it->seen.finding;
  sk__text text = sk__text_on(finding->message, sizeof finding->message);
  sk__text_add(&text, "'%s' leaves the core otherwise than it found it:", finding->ends[0].kernel);
  for (int way = 0, any = 0; way < WAYS; way++)
    if ((it->ways >> way & 1) != 0) sk__text_add(&text, "%s %s (%s)", any++ > 0 ? "," : "", ways[way].words, ways[way].id);
  sk__text_add(&text, ". It relies on what the end of a kernel does, and inside a SuperKernel its end is none");
  sk__text_copy(finding->remedy, sizeof finding->remedy, sk__hazard_find("H32")->remedy);
}

size_t sk__collective(const sk__verify_result *result, sk__seen_finding **out) {
  size_t count = 0, kept = 0;
  leaver *leavers = calloc(result->finding_count + 1, sizeof *leavers);
  *out = calloc(result->finding_count + 1, sizeof **out);
  for (size_t i = 0; i < result->finding_count && leavers != NULL && *out != NULL; i++) {
    sk__finding classified;
    sk__classified(&result->findings[i], &classified);
    int way = way_of(&classified);
    const sk__end *end = leaver_of(&classified);
    if (way < 0 || end->kernel[0] == '\0') continue;
    leaver *it = find(leavers, count, end->kernel);
    if (it == NULL) {
      it = &leavers[count++];
      it->seen.finding = (sk__finding){.category = SK__CAT_OPERATOR, .severity = SK__INFO, .count = 1, .in_fused = true};
      sk__text_copy(it->seen.finding.id, sizeof it->seen.finding.id, "H32");
    }
    sk__finding *mine = &it->seen.finding;
    if ((it->ways >> way & 1) == 0 && mine->end_count < sizeof mine->ends / sizeof mine->ends[0]) mine->ends[mine->end_count++] = *end;
    it->ways |= 1u << way;
    for (int word = 0; word < 4; word++) it->seen.modes[word] |= result->findings[i].modes[word];
  }
  for (size_t i = 0; i < count; i++) {
    if ((leavers[i].ways & (leavers[i].ways - 1)) == 0) continue;
    describe(&leavers[i]);
    (*out)[kept++] = leavers[i].seen;
  }
  free(leavers);
  return kept;
}
