/* json.c - a result as a JSON document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/report.h"

/* JSON has no infinities and NaNs; they are written as the words C prints. */
static json_t *number(double value) {
  if (isfinite(value)) return json_real(value);
  return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static json_t *difference_json(const sk__buffer_difference *difference) {
  const sk__difference *how = &difference->how;
  return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "buffer", difference->buffer,
                   "dtype", sk__dtype_name(how->dtype), "match",
                   how->match == SK__DIFFERENT ? "different" : "within-tolerance", "elements",
                   (json_int_t)how->elements, "differing", (json_int_t)how->differing, "first_index",
                   (json_int_t)how->first_index, "reference", number(how->first_reference), "other",
                   number(how->first_other), "max_abs", number(how->max_abs), "max_rel", number(how->max_rel),
                   "max_ulp", (json_int_t)how->max_ulp, "ties", (json_int_t)how->ties);
}

/* "H18 H19" as an array. */
static json_t *ids_json(const char *ids) {
  json_t *out = json_array();
  for (const char *at = ids; *at != '\0';) {
    size_t length = strcspn(at, " ");
    json_array_append_new(out, json_stringn(at, length));
    at += length + strspn(at + length, " ");
  }
  return out;
}

static json_t *diagnosis_json(const sk__diagnosis *diagnosis) {
  char mode[SK__MODE_NAME_BYTES];
  sk__mode_name(diagnosis->mode, mode);
  json_t *scope = json_array(), *changes = json_array();
  for (uint32_t i = 0; i < diagnosis->member_count; i++) json_array_append_new(scope, json_string(diagnosis->members[i]));
  for (uint32_t i = 0; i < diagnosis->attempt_count; i++) {
    const sk__attempt *attempt = &diagnosis->attempts[i];
    const char *name = attempt->operator_name;
    json_t *text = name != NULL ? json_sprintf("%s %s", sk__change_words(attempt->change), name) : json_string(sk__change_words(attempt->change));
    json_t *change = json_pack("{s:s, s:s, s:o}", "change", sk__change_key(attempt->change), "effect", sk__effect_name(attempt->effect),
                               "text", text);
    if (name != NULL) json_object_set_new(change, "operator", json_string(name));
    json_array_append_new(changes, change);
  }
  return json_pack("{s:s, s:I, s:o, s:b, s:o, s:o, s:I}", "mode", mode, "operators", (json_int_t)diagnosis->fused_count,
                   "smallest_scope", scope, "smallest", (int)diagnosis->smallest, "changes", changes, "points_to",
                   ids_json(diagnosis->points_to), "runs", (json_int_t)diagnosis->runs);
}

static json_t *mode_json(const sk__mode_result *mode) {
  char name[SK__MODE_NAME_BYTES];
  sk__mode_name(mode->mode, name);
  json_t *differences = json_array();
  for (uint32_t i = 0; i < mode->difference_count; i++)
    json_array_append_new(differences, difference_json(&mode->differences[i]));
  json_t *out = json_pack("{s:s, s:b, s:I, s:I, s:{s:I, s:I}, s:s, s:f, s:I, s:I, s:o}", "name", name, "fused",
                          mode->mode.kind != SK__MODE_UNFUSED, "launches", (json_int_t)mode->launches, "superkernels",
                          (json_int_t)mode->sk_launches, "cores", "aic", (json_int_t)mode->aic, "aiv",
                          (json_int_t)mode->aiv, "result", sk__outcome_name(mode->outcome), "seconds", mode->seconds,
                          "estimated_cycles", (json_int_t)mode->cycles, "findings", (json_int_t)mode->findings,
                          "differences", differences);
  if (mode->why[0] != '\0') json_object_set_new(out, "why", json_string(mode->why));
  if (mode->diagnosis != NULL) json_object_set_new(out, "diagnosis", diagnosis_json(mode->diagnosis));
  return out;
}

static void set_text(json_t *object, const char *key, const char *text) {
  if (text != NULL && text[0] != '\0') json_object_set_new(object, key, json_string(text));
}

static json_t *end_json(const sk__end *end) {
  json_t *out = json_object();
  sk__source source;
  set_text(out, "role", end->role);
  set_text(out, "kernel", end->kernel);
  set_text(out, "instruction", end->instr);
  if (end->site != NULL && sk__site_source(end->site, &source)) {
    set_text(out, "file", source.file);
    json_object_set_new(out, "line", json_integer(source.line));
    set_text(out, "function", source.function);
  }
  if (end->core == (int32_t)SK__HOST_CORE) json_object_set_new(out, "core", json_string("host"));
  else if (end->core >= 0) json_object_set_new(out, "core", json_integer(end->core));
  if (end->core_type >= 0) set_text(out, "core_type", sk__core_type_name((sk__core_type)end->core_type));
  if (end->pipe >= 0) set_text(out, "pipe", sk__pipe_name((sk__pipe)end->pipe));
  if (end->block >= 0) json_object_set_new(out, "block", json_integer(end->block));
  if (end->sub_block > 0) json_object_set_new(out, "sub_block", json_integer(end->sub_block));
  if (end->task >= 0) json_object_set_new(out, "sub_kernel", json_integer(end->task));
  if (end->bytes > 0) {
    json_object_set_new(out, "memory", json_string(sk__mem_name(end->mem)));
    if (sk__is_stable_address(end->address))
      json_object_set_new(out, "address", json_sprintf("0x%llx", (unsigned long long)end->address));
    json_object_set_new(out, "bytes", json_integer((json_int_t)end->bytes));
  }
  set_text(out, "detail", end->detail);
  return out;
}

static json_t *finding_json(const sk__verify_result *result, const sk__seen_finding *seen) {
  sk__finding classified;
  sk__classified(seen, &classified);
  const sk__finding *finding = &classified;
  json_t *modes = json_array(), *ends = json_array();
  for (size_t i = 0; i < result->mode_count && i < 256; i++) {
    char name[SK__MODE_NAME_BYTES];
    if ((seen->modes[i / 64] >> (i % 64) & 1) == 0) continue;
    sk__mode_name(result->modes[i].mode, name);
    json_array_append_new(modes, json_string(name));
  }
  for (uint32_t i = 0; i < finding->end_count; i++) json_array_append_new(ends, end_json(&finding->ends[i]));
  json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:b, s:o, s:o}", "id", finding->id, "category",
                          sk__category_name(finding->category), "severity", sk__severity_name(finding->severity), "message",
                          finding->message, "remedy", finding->remedy, "count", (json_int_t)finding->count, "unfused",
                          finding->in_unfused, "fused", finding->in_fused, "modes", modes, "ends", ends);
  const sk__hazard *hazard = finding->in_fused && !finding->in_unfused ? sk__hazard_find(finding->id) : NULL;
  if (out != NULL && hazard != NULL) set_text(out, "silent_unfused", hazard->silent);
  if (out != NULL && seen->diagnosis != NULL) json_object_set_new(out, "diagnosis", diagnosis_json(seen->diagnosis));
  return out;
}

/* First un-fused and first fused in-order mode side by side; NULL when there are not both. */
static json_t *estimate_json(const sk__verify_result *result, const sk__soc *soc) {
  const sk__mode_result *unfused = NULL, *fused = NULL;
  for (size_t i = 0; i < result->mode_count; i++) {
    const sk__mode_result *mode = &result->modes[i];
    if (mode->mode.schedule.kind != SK__SCHEDULE_IN_ORDER || mode->outcome == SK__FAILED) continue;
    if (mode->mode.kind == SK__MODE_UNFUSED && unfused == NULL) unfused = mode;
    if (mode->mode.kind == SK__MODE_FUSED && fused == NULL && mode->sk_launches > 0) fused = mode;
  }
  if (unfused == NULL || fused == NULL) return NULL;
  double mhz = soc->costs.clock_mhz;
  return json_pack("{s:I, s:I, s:f, s:f, s:f, s:s}", "unfused_cycles", (json_int_t)unfused->cycles, "fused_cycles",
                   (json_int_t)fused->cycles, "unfused_us", (double)unfused->cycles / mhz, "fused_us",
                   (double)fused->cycles / mhz, "saved_us", ((double)unfused->cycles - (double)fused->cycles) / mhz,
                   "label", "estimate from a cost model, not a measurement");
}

static json_t *not_simulated_json(void) {
  json_t *names = json_array();
  size_t count = 0;
  const char *const *all = sk__runtime_not_simulated(&count);
  for (size_t i = 0; i < count; i++) json_array_append_new(names, json_string(all[i]));
  return names;
}

json_t *sk__report_json(const sk__verify_result *result, const sk__soc *soc) {
  json_t *modes = json_array(), *findings = json_array();
  for (size_t i = 0; i < result->mode_count; i++) json_array_append_new(modes, mode_json(&result->modes[i]));
  for (size_t i = 0; i < result->finding_count; i++)
    json_array_append_new(findings, finding_json(result, &result->findings[i]));
  sk__seen_finding *collective = NULL;
  size_t collective_count = sk__collective(result, &collective);
  for (size_t i = 0; i < collective_count; i++) json_array_append_new(findings, finding_json(result, &collective[i]));
  free(collective);
  json_t *document = json_pack(
      "{s:s, s:s, s:{s:s, s:I, s:I}, s:f, s:I, s:o, s:o}", "schema", SK__REPORT_SCHEMA, "verdict",
      sk__verdict_name(sk__verdict_of(result)), "soc", "name", soc->name, "aic", (json_int_t)soc->aic_count, "aiv",
      (json_int_t)soc->aiv_count, "seconds", result->seconds, "segments", (json_int_t)result->segments, "modes", modes,
      "findings", findings);
  if (document == NULL) return NULL;
  if (result->status != SK_OK) json_object_set_new(document, "failure", json_string(sk_status_text(result->status)));
  json_t *estimate = estimate_json(result, soc);
  if (estimate != NULL) json_object_set_new(document, "estimate", estimate);
  if (result->passed_segments > 0) json_object_set_new(document, "passed_segments", json_integer((json_int_t)result->passed_segments));
  json_t *not_simulated = not_simulated_json();
  if (json_array_size(not_simulated) > 0) json_object_set(document, "not_simulated", not_simulated);
  json_decref(not_simulated);
  if (json_array_size(result->plans) > 0) json_object_set(document, "plans", result->plans);
  return document;
}

sk_status sk__report_write(json_t *document, const char *path) {
  char *text = json_dumps(document, JSON_INDENT(2));
  if (text == NULL) return SK_OUT_OF_MEMORY;
  size_t length = strlen(text);
  text[length] = '\n'; /* in place of the terminator; the file is written by length */
  sk_status status = sk__file_write(path, text, length + 1);
  free(text);
  return status;
}
