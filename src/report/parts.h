/* parts.h - private to floor 8: reading a report document, and the pieces of its text that other forms
 * show as well. A document may come from anywhere: what is missing or of another type reads as "", 0. */
#ifndef SK_REPORT_PARTS_H
#define SK_REPORT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline const char *sk__string_of(json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}
static inline long long sk__integer_of(json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}
static inline double sk__real_of(json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}
static inline bool sk__key_is(json_t *object, const char *key, const char *text) {
  return strcmp(sk__string_of(object, key), text) == 0;
}
/* Of severity error, and no suppression speaks for it: it counts for the verdict. */
static inline bool sk__finding_counts(json_t *finding) {
  return sk__key_is(finding, "severity", "error") && json_object_get(finding, "suppressed") == NULL;
}

/* Who and where of an end, without its role; with_place: "at file:line" too. */
void sk__print_end_words(json_t *end, bool with_place, FILE *to);
/* One buffer of a mode, in two lines. */
void sk__print_difference(json_t *difference, FILE *to);
/* What a diagnosis found, line by line behind `indent`; nothing for NULL. */
void sk__print_diagnosis(json_t *diagnosis, const char *indent, FILE *to);
/* A finding with its ends, source lines unless told otherwise, and its remedy. */
void sk__print_finding(json_t *finding, bool with_source, FILE *to);

#endif
