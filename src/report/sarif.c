/* sarif.c - a report document as a SARIF 2.1.0 log, for code hosts and editors that show findings in place. */
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "report/parts.h"
#include "report/report.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define ROOT_ID "SRCROOT" /* what relative files are relative to: the viewer knows where that is */

static json_t *message(const char *text) { return json_pack("{s:s}", "text", text); }

/* ---- rules ---- */

static json_t *rule_of(const char *id) {
  const sk__hazard *hazard = sk__hazard_find(id);
  if (hazard == NULL) return json_pack("{s:s, s:o}", "id", id, "shortDescription", message(id));
  bool silent = hazard->silent[0] != '\0';
  json_t *help = json_pack("{s:o, s:o}", "text",
                           json_sprintf("Cause: %s\n\nSymptom on hardware: %s\n\nHow it is detected: %s%s%s\n\nRemedy: %s", hazard->cause,
                                        hazard->symptom, hazard->detection, silent ? "\n\nWhy it is silent un-fused: " : "",
                                        hazard->silent, hazard->remedy),
                           "markdown",
                           json_sprintf("**Cause.** %s\n\n**Symptom on hardware.** %s\n\n**How it is detected.** %s%s%s\n\n**Remedy.** %s",
                                        hazard->cause, hazard->symptom, hazard->detection,
                                        silent ? "\n\n**Why it is silent un-fused.** " : "", hazard->silent, hazard->remedy));
  return json_pack("{s:s, s:o, s:o, s:o, s:{s:[s]}}", "id", hazard->id, "shortDescription", message(hazard->title),
                   "fullDescription", message(hazard->cause), "help", help, "properties", "tags",
                   sk__category_name(hazard->category));
}

/* Index of the id's rule, appended when it is new. */
static size_t rule_index(json_t *rules, const char *id) {
  size_t index;
  json_t *rule;
  json_array_foreach(rules, index, rule)
    if (sk__key_is(rule, "id", id)) return index;
  json_array_append_new(rules, rule_of(id));
  return json_array_size(rules) - 1;
}

/* ---- locations ---- */

/* Everything but the characters that mean themselves in a path is written as %XX. */
static json_t *encoded(const char *prefix, const char *path) {
  char *text = malloc(strlen(prefix) + 3 * strlen(path) + 1);
  if (text == NULL) return NULL;
  char *to = stpcpy(text, prefix);
  for (; *path != '\0'; path++) {
    unsigned char c = (unsigned char)*path;
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/-_.~+", c) != NULL;
    to += sprintf(to, plain ? "%c" : "%%%02X", c);
  }
  json_t *out = json_string(text);
  free(text);
  return out;
}

static json_t *artifact(const char *file) {
  char *here = getcwd(NULL, 0);
  size_t length = here != NULL ? strlen(here) : 0;
  if (length > 1 && strncmp(file, here, length) == 0 && file[length] == '/') file += length + 1;
  free(here);
  if (file[0] == '/') return json_pack("{s:o}", "uri", encoded("file://", file));
  while (strncmp(file, "./", 2) == 0) file += 2;
  return json_pack("{s:o, s:s}", "uri", encoded("", file), "uriBaseId", ROOT_ID);
}

static json_t *physical(json_t *end) {
  json_t *out = json_pack("{s:o}", "artifactLocation", artifact(sk__string_of(end, "file")));
  long long line = sk__integer_of(end, "line");
  if (line < 1) return out;
  json_t *region = json_pack("{s:I}", "startLine", (json_int_t)line);
  if (sk__string_of(end, "code")[0] != '\0') json_object_set_new(region, "snippet", message(sk__string_of(end, "code")));
  json_object_set_new(out, "region", region);
  return out;
}

/* What the text says about the end, its place left to the location. */
static json_t *end_message(json_t *end) {
  char *words = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&words, &bytes);
  if (to == NULL) return NULL;
  if (sk__string_of(end, "role")[0] != '\0') fprintf(to, "%s: ", sk__string_of(end, "role"));
  sk__print_end_words(end, false, to);
  fclose(to);
  json_t *out = message(words);
  free(words);
  return out;
}

static json_t *location(json_t *end) {
  json_t *out = json_pack("{s:o}", "message", end_message(end));
  const char *function = sk__string_of(end, "function"), *kernel = sk__string_of(end, "kernel");
  if (sk__string_of(end, "file")[0] != '\0') json_object_set_new(out, "physicalLocation", physical(end));
  const char *name = function[0] != '\0' ? function : kernel;
  if (name[0] != '\0')
    json_object_set_new(out, "logicalLocations", json_pack("[{s:s, s:s}]", "name", name, "kind", "function"));
  return out;
}

/* The first end whose file is known, else the first. */
static json_t *place(json_t *ends) {
  size_t index;
  json_t *end;
  json_array_foreach(ends, index, end)
    if (sk__string_of(end, "file")[0] != '\0') return end;
  return json_array_get(ends, 0);
}

/* The two ends of a conflict as one flow: how viewers lead from one to the other. */
static json_t *code_flows(json_t *ends) {
  json_t *steps = json_array();
  for (size_t i = 0; i < 2; i++)
    json_array_append_new(steps, json_pack("{s:o, s:s}", "location", location(json_array_get(ends, i)), "importance", "essential"));
  return json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", steps);
}

static json_t *related(json_t *ends) {
  json_t *out = json_array();
  for (size_t i = 2; i < json_array_size(ends); i++) {
    json_t *further = location(json_array_get(ends, i));
    json_object_set_new(further, "id", json_integer((json_int_t)i));
    json_array_append_new(out, further);
  }
  return out;
}

/* ---- results ---- */

static void mix(XXH64_state_t *hash, const char *text) { XXH64_update(hash, text, strlen(text) + 1); }

/* What stays when lines move and the program is built elsewhere: id, roles, kernels, calls, names of files. */
static unsigned long long cause_of(json_t *finding) {
  static const char *const keys[] = {"role", "kernel", "instruction", "function"};
  XXH64_state_t *hash = XXH64_createState();
  if (hash == NULL) return 0;
  size_t index;
  json_t *end;
  XXH64_reset(hash, 0);
  mix(hash, sk__string_of(finding, "id"));
  json_array_foreach(json_object_get(finding, "ends"), index, end) {
    const char *file = sk__string_of(end, "file"), *name = strrchr(file, '/');
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) mix(hash, sk__string_of(end, keys[i]));
    mix(hash, name != NULL ? name + 1 : file);
  }
  unsigned long long value = XXH64_digest(hash);
  XXH64_freeState(hash);
  return value;
}

/* Like causes are told apart by their number, in the order of the document. */
static json_t *fingerprint(json_t *findings, size_t number) {
  unsigned long long cause = cause_of(json_array_get(findings, number));
  size_t alike = 1;
  for (size_t i = 0; i < number; i++) alike += cause_of(json_array_get(findings, i)) == cause;
  return json_pack("{s:o}", "superkernelCause/v1", json_sprintf("%016llx:%zu", cause, alike));
}

static const char *level_of(json_t *finding) {
  if (sk__key_is(finding, "severity", "error")) return "error";
  return sk__key_is(finding, "severity", "warning") ? "warning" : "note";
}

static json_t *properties_of(json_t *finding) {
  static const char *const keys[] = {"category", "remedy", "modes", "unfused", "fused", "silent_unfused", "diagnosis"};
  json_t *out = json_object();
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (json_object_get(finding, keys[i]) != NULL) json_object_set(out, keys[i], json_object_get(finding, keys[i]));
  return out;
}

/* Message, why it shows only fused, remedy, and what the diagnosis adds. */
static json_t *words_of(json_t *finding) {
  char *words = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&words, &bytes);
  if (to == NULL) return NULL;
  fprintf(to, "%s", sk__string_of(finding, "message"));
  if (sk__string_of(finding, "silent_unfused")[0] != '\0') fprintf(to, "\nSilent un-fused: %s", sk__string_of(finding, "silent_unfused"));
  if (sk__string_of(finding, "remedy")[0] != '\0') fprintf(to, "\nRemedy: %s", sk__string_of(finding, "remedy"));
  if (json_object_get(finding, "diagnosis") != NULL) fprintf(to, "\n");
  sk__print_diagnosis(json_object_get(finding, "diagnosis"), "", to);
  fclose(to);
  if (bytes > 0 && words[bytes - 1] == '\n') words[bytes - 1] = '\0';
  json_t *out = json_string(words);
  free(words);
  return out;
}

static json_t *result_of(json_t *findings, size_t number, json_t *rules, bool suppressions) {
  json_t *finding = json_array_get(findings, number), *ends = json_object_get(finding, "ends");
  const char *id = sk__string_of(finding, "id");
  json_t *out = json_pack("{s:s, s:I, s:s, s:{s:o}, s:o, s:o, s:o}", "ruleId", id, "ruleIndex", (json_int_t)rule_index(rules, id),
                          "level", level_of(finding), "message", "text",
                          words_of(finding),
                          "locations", json_array_size(ends) > 0 ? json_pack("[o]", location(place(ends))) : json_array(),
                          "partialFingerprints", fingerprint(findings, number), "properties", properties_of(finding));
  if (json_array_size(ends) >= 2) json_object_set_new(out, "codeFlows", code_flows(ends));
  if (json_array_size(ends) > 2) json_object_set_new(out, "relatedLocations", related(ends));
  if (sk__integer_of(finding, "count") > 0) json_object_set_new(out, "occurrenceCount", json_integer(sk__integer_of(finding, "count")));
  if (!suppressions) return out; /* absent: nobody asked */
  json_t *reason = json_object_get(finding, "suppressed");
  json_object_set_new(out, "suppressions", reason == NULL ? json_array()
                                                          : json_pack("[{s:s, s:s, s:s}]", "kind", "external", "status", "accepted",
                                                                      "justification", sk__string_of(finding, "suppressed")));
  return out;
}

/* ---- what is no finding ---- */

static void notify(json_t *list, const char *level, json_t *text) {
  json_array_append_new(list, json_pack("{s:s, s:{s:o}}", "level", level, "message", "text", text));
}

static json_t *difference_words(json_t *mode) {
  char *words = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&words, &bytes);
  if (to == NULL) return NULL;
  fprintf(to, "mode %s: results differ from those of the reference\n", sk__string_of(mode, "name"));
  sk__print_diagnosis(json_object_get(mode, "diagnosis"), "", to);
  fclose(to);
  words[bytes - 1] = '\0'; /* in place of the last line's end */
  json_t *out = json_string(words);
  free(words);
  return out;
}

/* Modes that differ or failed, a program that failed, rules that suppress nothing. */
static json_t *notifications(json_t *document) {
  json_t *list = json_array(), *item, *suppressions = json_object_get(document, "suppressions");
  size_t index;
  json_array_foreach(json_object_get(document, "modes"), index, item) {
    if (sk__key_is(item, "result", "failed"))
      notify(list, "error", json_sprintf("mode %s failed: %s", sk__string_of(item, "name"), sk__string_of(item, "why")));
    if (sk__key_is(item, "result", "different"))
      notify(list, "error", difference_words(item));
  }
  if (sk__string_of(document, "failure")[0] != '\0')
    notify(list, "error", json_sprintf("the verifier stopped: %s", sk__string_of(document, "failure")));
  if (sk__string_of(document, "program_end")[0] != '\0')
    notify(list, "error", json_sprintf("the program itself: %s", sk__string_of(document, "program_end")));
  json_array_foreach(json_object_get(suppressions, "unused"), index, item)
    notify(list, "warning", json_sprintf("%s line %lld suppresses nothing: %s", sk__string_of(suppressions, "file"),
                                         sk__integer_of(item, "line"), sk__string_of(item, "rule")));
  return list;
}

/* The run of skv was a success when it reached a verdict, whatever the verdict is. */
static json_t *invocation(json_t *document, int exit_code) {
  bool reached = !sk__key_is(document, "verdict", sk__verdict_name(SK__VERDICT_ERROR)) &&
                 !sk__key_is(document, "verdict", sk__verdict_name(SK__VERDICT_NOTHING));
  return json_pack("{s:b, s:i, s:s, s:o}", "executionSuccessful", (int)reached, "exitCode", exit_code, "exitCodeDescription",
                   sk__string_of(document, "verdict"), "toolExecutionNotifications", notifications(document));
}

sk_status sk__report_sarif(json_t *document, int exit_code, const char *version, json_t **out) {
  *out = NULL;
  if (!sk__is_report(document)) return SK_PARSE;
  json_t *rules = json_array(), *results = json_array(), *findings = json_object_get(document, "findings");
  bool suppressions = json_is_object(json_object_get(document, "suppressions"));
  for (size_t i = 0; i < json_array_size(findings); i++) json_array_append_new(results, result_of(findings, i, rules, suppressions));
  bool whole = json_array_size(results) == json_array_size(findings); /* what found no memory was not appended */
  json_t *driver = json_pack("{s:s, s:s, s:s, s:o}", "name", "superkernel", "version", version, "semanticVersion", version, "rules", rules);
  json_t *run = json_pack("{s:{s:o}, s:[o], s:o, s:s, s:{s:s, s:O}}", "tool", "driver", driver, "invocations",
                          invocation(document, exit_code), "results", results, "columnKind", "utf16CodeUnits", "properties",
                          "program", sk__string_of(document, "program"), "soc", json_object_get(document, "soc"));
  *out = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs", whole ? run : NULL);
  if (!whole) json_decref(run);
  return *out != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}
