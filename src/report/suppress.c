/* suppress.c - findings that somebody answers for: a file of rules, each with its reason.
 *
 * A suppressed finding stays in the document with its reason and counts for nothing. Only findings are
 * suppressed: results that differ, modes that fail and what was not simulated keep their verdict. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/parts.h"
#include "report/report.h"

#define FORM "ID [kernel-pattern] [file-pattern] # reason"

/* ---- reading ---- */

/* Cuts the blanks off both sides, in place. */
static char *stripped(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  text[length] = '\0';
  return text;
}

/* The catalogue's entry; NULL with the reason when the id cannot be suppressed. */
static const sk__hazard *suppressible(const char *id, sk__text *why) {
  const sk__hazard *hazard = sk__hazard_find(id);
  if (hazard == NULL) {
    const char *near = sk__hazard_nearest(id);
    sk__text_add(why, "no id '%s'%s%s%s; skv explain --help lists them", id, near != NULL ? " (did you mean '" : "",
                 near != NULL ? near : "", near != NULL ? "'?)" : "");
    return NULL;
  }
  if (hazard->category != SK__CAT_NOT_MODELLED && hazard->category != SK__CAT_INTERNAL) return hazard;
  sk__text_add(why, "'%s' cannot be suppressed: it says that the simulation is not complete", hazard->id);
  return NULL;
}

/* One line that is neither blank nor a comment; NULL with the reason when it is no rule. */
static json_t *parse_rule(char *line, long number, sk__text *why) {
  char *hash = strchr(line, '#'), *words[3] = {NULL, NULL, NULL}, *rest = NULL;
  size_t count = 0;
  if (hash != NULL) *hash = '\0';
  char *rule = stripped(line), *reason = hash != NULL ? stripped(hash + 1) : NULL;
  json_t *shown = json_string(rule);
  if (shown == NULL) {
    sk__text_add(why, "not UTF-8");
    return NULL;
  }
  for (char *word = strtok_r(rule, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest), count++)
    if (count < 3) words[count] = word;
  const sk__hazard *hazard = NULL;
  if (count > 3) sk__text_add(why, "%zu words before the '#', at most 3", count);
  else if (reason == NULL || reason[0] == '\0') sk__text_add(why, "no reason is given");
  else hazard = suppressible(words[0], why);
  if (hazard == NULL) {
    sk__text_add(why, ": '%s'; legal: %s", json_string_value(shown), FORM);
    json_decref(shown);
    return NULL;
  }
  json_t *out = json_pack("{s:I, s:o, s:s, s:s, s:s, s:s, s:b}", "line", (json_int_t)number, "rule", shown, "id", hazard->id,
                          "kernel", words[1] != NULL ? words[1] : "*", "file", words[2] != NULL ? words[2] : "*", "reason",
                          reason, "used", 0);
  if (out == NULL) sk__text_add(why, "the reason is not UTF-8");
  return out;
}

static json_t *parse_rules(char *text, sk__text *why) {
  json_t *rules = json_array();
  long number = 1;
  for (char *line = text, *next; line != NULL; line = next, number++) {
    next = strchr(line, '\n');
    if (next != NULL) *next++ = '\0';
    char *words = stripped(line);
    if (words[0] == '\0' || words[0] == '#') continue;
    sk__text_add(why, "line %ld: ", number);
    json_t *rule = parse_rule(words, number, why);
    if (rule == NULL) {
      json_decref(rules);
      return NULL;
    }
    why->length = 0; /* nothing was wrong with it */
    why->buffer[0] = '\0';
    json_array_append_new(rules, rule);
  }
  return rules;
}

sk_status sk__suppressions_read(const char *path, json_t **out, char *why, size_t why_bytes) {
  char *text = NULL;
  size_t bytes = 0;
  *out = NULL;
  why[0] = '\0';
  sk_status status = sk__file_read(path, &text, &bytes);
  if (status != SK_OK) return status;
  sk__text says = sk__text_on(why, why_bytes);
  json_t *rules = NULL;
  if (strlen(text) != bytes) sk__text_add(&says, "not a text file");
  else rules = parse_rules(text, &says);
  sk__free(text);
  if (rules == NULL) return SK_PARSE;
  *out = json_pack("{s:s, s:o}", "file", path, "rules", rules);
  return *out != NULL ? SK_OK : SK_PARSE;
}

/* ---- applying ---- */

/* A pattern without a slash is about the file's name, one with a slash about the end of its path. */
static bool file_matches(const char *pattern, const char *path) {
  const char *name = strrchr(path, '/');
  if (strchr(pattern, '/') == NULL) return fnmatch(pattern, name != NULL ? name + 1 : path, 0) == 0;
  if (fnmatch(pattern, path, 0) == 0) return true;
  for (name = strchr(path, '/'); name != NULL; name = strchr(name + 1, '/'))
    if (fnmatch(pattern, name + 1, 0) == 0) return true;
  return false;
}

/* One end must match both patterns; a finding without ends has no kernel and no file. */
static bool rule_matches(json_t *rule, json_t *finding) {
  const char *kernel = sk__string_of(rule, "kernel"), *file = sk__string_of(rule, "file");
  if (!sk__key_is(finding, "id", sk__string_of(rule, "id"))) return false;
  if (strcmp(kernel, "*") == 0 && strcmp(file, "*") == 0) return true;
  size_t index;
  json_t *end;
  json_array_foreach(json_object_get(finding, "ends"), index, end)
    if (fnmatch(kernel, sk__string_of(end, "kernel"), 0) == 0 && file_matches(file, sk__string_of(end, "file"))) return true;
  return false;
}

/* Every rule that matches is used, whoever gives the reason. */
static bool suppress(json_t *rules, json_t *finding) {
  size_t index;
  json_t *rule;
  bool found = false;
  if (sk__key_is(finding, "category", "not modelled") || sk__key_is(finding, "category", "internal")) return false;
  json_array_foreach(rules, index, rule) {
    if (!rule_matches(rule, finding)) continue;
    if (!found) json_object_set(finding, "suppressed", json_object_get(rule, "reason"));
    json_object_set_new(rule, "used", json_true());
    found = true;
  }
  return found;
}

/* What is left of the verdict "findings" when suppressed ones do not count. */
static const char *verdict_without(json_t *document) {
  sk__verdict verdict = SK__VERDICT_CLEAN;
  size_t index;
  json_t *item;
  json_array_foreach(json_object_get(document, "findings"), index, item)
    if (sk__finding_counts(item)) return sk__verdict_name(SK__VERDICT_FINDINGS);
  json_array_foreach(json_object_get(document, "modes"), index, item) {
    if (sk__key_is(item, "result", "failed")) return sk__verdict_name(SK__VERDICT_FINDINGS);
    if (sk__key_is(item, "result", "different")) verdict = SK__VERDICT_MISMATCH;
  }
  return sk__verdict_name(verdict);
}

static json_t *unused_rules(json_t *rules) {
  json_t *unused = json_array(), *rule;
  size_t index;
  json_array_foreach(rules, index, rule) {
    if (json_is_true(json_object_get(rule, "used"))) continue;
    json_array_append_new(unused, json_pack("{s:O, s:O, s:O}", "line", json_object_get(rule, "line"), "rule",
                                            json_object_get(rule, "rule"), "reason", json_object_get(rule, "reason")));
  }
  return unused;
}

void sk__suppressions_apply(json_t *suppressions, json_t *document) {
  json_t *rules = json_object_get(suppressions, "rules"), *finding;
  size_t index;
  long long findings = 0;
  json_array_foreach(json_object_get(document, "findings"), index, finding) findings += suppress(rules, finding);
  if (sk__key_is(document, "verdict", sk__verdict_name(SK__VERDICT_FINDINGS)))
    json_object_set_new(document, "verdict", json_string(verdict_without(document)));
  json_object_set_new(document, "suppressions", json_pack("{s:O, s:I, s:o}", "file", json_object_get(suppressions, "file"),
                                                          "findings", (json_int_t)findings, "unused", unused_rules(rules)));
}
