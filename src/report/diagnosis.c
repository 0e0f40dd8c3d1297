/* diagnosis.c - what a diagnosis found, in words. */
#include "report/parts.h"

static void print_names(json_t *names, FILE *to) {
  size_t index;
  json_t *name;
  json_array_foreach(names, index, name) fprintf(to, "%s%s", index > 0 ? ", " : "", json_is_string(name) ? json_string_value(name) : "");
}

/* One line for all changes of that effect. */
static void print_changes(json_t *changes, const char *effect, const char *begin, const char *indent, FILE *to) {
  size_t index, told = 0;
  json_t *change;
  json_array_foreach(changes, index, change) {
    if (!sk__key_is(change, "effect", effect)) continue;
    if (told++ == 0) fprintf(to, "%s  %s ", indent, begin);
    else fprintf(to, ", ");
    fprintf(to, "%s", sk__string_of(change, "text"));
  }
  if (told > 0) fprintf(to, "\n");
}

void sk__print_diagnosis(json_t *diagnosis, const char *indent, FILE *to) {
  if (!json_is_object(diagnosis)) return;
  json_t *changes = json_object_get(diagnosis, "changes"), *ids = json_object_get(diagnosis, "points_to");
  fprintf(to, "%sdiagnosis in mode %s: smallest failing scope%s: ", indent, sk__string_of(diagnosis, "mode"),
          json_is_true(json_object_get(diagnosis, "smallest")) ? "" : " found before the runs were used up");
  print_names(json_object_get(diagnosis, "smallest_scope"), to);
  fprintf(to, " (of %lld fused; %lld run%s)\n", sk__integer_of(diagnosis, "operators"), sk__integer_of(diagnosis, "runs"),
          sk__integer_of(diagnosis, "runs") == 1 ? "" : "s");
  print_changes(changes, "goes-away", "goes away with", indent, to);
  print_changes(changes, "stays", "stays with", indent, to);
  print_changes(changes, "unclear", "something else fails with", indent, to);
  if (json_array_size(ids) == 0) return;
  fprintf(to, "%s  points to ", indent);
  print_names(ids, to);
  fprintf(to, "\n");
}
