/* text.c - a report document as text for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/parts.h"
#include "report/report.h"

/* A number or one of the words for what JSON cannot hold. */
static void value_text(json_t *value, char *text, size_t bytes) {
  if (json_is_string(value)) snprintf(text, bytes, "%s", json_string_value(value));
  else snprintf(text, bytes, "%.9g", json_number_value(value));
}

/* ---- table ---- */

static void cores_text(json_t *mode, char *text, size_t bytes) {
  json_t *cores = json_object_get(mode, "cores");
  long long aic = sk__integer_of(cores, "aic"), aiv = sk__integer_of(cores, "aiv");
  if (aic > 0 && aiv > 0) snprintf(text, bytes, "%lld AIC + %lld AIV", aic, aiv);
  else if (aic > 0) snprintf(text, bytes, "%lld AIC", aic);
  else snprintf(text, bytes, "%lld AIV", aiv);
}

static int launches_text(json_t *mode, char *text, size_t bytes) {
  long long launches = sk__integer_of(mode, "launches"), sks = sk__integer_of(mode, "superkernels");
  if (sks > 0) return snprintf(text, bytes, "%lld (%lld SK)", launches, sks);
  return snprintf(text, bytes, "%lld", launches);
}

/* Columns whose width depends on what stands in them. */
typedef struct widths { int name, launches; } widths;

static widths measure(json_t *modes) {
  widths w = {20, 10};
  size_t index;
  json_t *mode;
  json_array_foreach(modes, index, mode) {
    char launches[64];
    int name = (int)strlen(sk__string_of(mode, "name")), count = launches_text(mode, launches, sizeof launches);
    if (name > w.name) w.name = name;
    if (count > w.launches) w.launches = count;
  }
  return w;
}

static void print_mode(json_t *mode, widths w, FILE *to) {
  char cores[64], launches[64];
  cores_text(mode, cores, sizeof cores);
  launches_text(mode, launches, sizeof launches);
  fprintf(to, "  %-*s %-*s %-17s %-17s %8lld %9.3f s %12lld\n", w.name, sk__string_of(mode, "name"), w.launches, launches, cores,
          sk__string_of(mode, "result"), sk__integer_of(mode, "findings"), sk__real_of(mode, "seconds"),
          sk__integer_of(mode, "estimated_cycles"));
}

/* Modes beyond the twelfth are folded unless they stand out. */
static bool stands_out(json_t *mode) {
  return strcmp(sk__string_of(mode, "result"), "identical") != 0 || sk__integer_of(mode, "findings") > 0;
}

static void print_table(json_t *modes, FILE *to) {
  widths w = measure(modes);
  fprintf(to, "  %-*s %-*s %-17s %-17s %8s %11s %12s\n", w.name, "mode", w.launches, "launches", "cores", "result", "findings",
          "time", "est. cycles");
  size_t folded = 0, index;
  json_t *mode;
  json_array_foreach(modes, index, mode) {
    if (index >= 12 && !stands_out(mode)) folded++;
    else print_mode(mode, w, to);
  }
  if (folded > 0) fprintf(to, "  ... and %zu more modes, all identical, without findings\n", folded);
}

void sk__print_difference(json_t *difference, FILE *to) {
  char reference[40], other[40], max_abs[40], max_rel[40];
  value_text(json_object_get(difference, "reference"), reference, sizeof reference);
  value_text(json_object_get(difference, "other"), other, sizeof other);
  value_text(json_object_get(difference, "max_abs"), max_abs, sizeof max_abs);
  value_text(json_object_get(difference, "max_rel"), max_rel, sizeof max_rel);
  fprintf(to, "    %s: %lld of %lld elements differ (%s)\n", sk__string_of(difference, "buffer"), sk__integer_of(difference, "differing"),
          sk__integer_of(difference, "elements"), sk__string_of(difference, "dtype"));
  fprintf(to, "      first at element %lld: un-fused %s, here %s; needs abs %s or rel %s", sk__integer_of(difference, "first_index"),
          reference, other, max_abs, max_rel);
  if (sk__integer_of(difference, "max_ulp") > 0) fprintf(to, ", %lld ULP", sk__integer_of(difference, "max_ulp"));
  if (sk__integer_of(difference, "ties") > 0) fprintf(to, "; %lld differ by one", sk__integer_of(difference, "ties"));
  fprintf(to, "\n");
}

static bool is_remarkable(json_t *mode) {
  return sk__string_of(mode, "why")[0] != '\0' || json_array_size(json_object_get(mode, "differences")) > 0;
}

static bool ended_alike(json_t *mode, json_t *other) {
  return strcmp(sk__string_of(mode, "why"), sk__string_of(other, "why")) == 0 &&
         json_equal(json_object_get(mode, "differences"), json_object_get(other, "differences"));
}

/* Of modes that ended alike one has it. */
static json_t *diagnosis_of(json_t *modes, json_t *mode) {
  size_t index;
  json_t *other;
  json_array_foreach(modes, index, other)
    if (ended_alike(mode, other) && json_object_get(other, "diagnosis") != NULL) return json_object_get(other, "diagnosis");
  return NULL;
}

/* Modes that failed or differed alike are told once, under all their names. */
static void print_end_of_modes(json_t *modes, FILE *to) {
  size_t count = json_array_size(modes);
  for (size_t i = 0; i < count; i++) {
    json_t *mode = json_array_get(modes, i), *difference;
    size_t alike = 0, earlier = 0, index;
    if (!is_remarkable(mode)) continue;
    for (size_t j = 0; j < i; j++) earlier += ended_alike(mode, json_array_get(modes, j));
    if (earlier > 0) continue;
    fprintf(to, "\n  ");
    for (size_t j = i; j < count; j++) {
      if (!ended_alike(mode, json_array_get(modes, j))) continue;
      if (alike < 4) fprintf(to, "%s%s", alike > 0 ? ", " : "", sk__string_of(json_array_get(modes, j), "name"));
      alike++;
    }
    if (alike > 4) fprintf(to, " and %zu more", alike - 4);
    if (sk__string_of(mode, "why")[0] != '\0') fprintf(to, " failed: %s\n", sk__string_of(mode, "why"));
    else fprintf(to, ":\n");
    json_array_foreach(json_object_get(mode, "differences"), index, difference) sk__print_difference(difference, to);
    sk__print_diagnosis(diagnosis_of(modes, mode), "    ", to);
  }
}

/* ---- SuperKernels ---- */

enum { MOST_PLANS = 8 };

static void print_names(json_t *names, FILE *to) {
  size_t index;
  json_t *name;
  json_array_foreach(names, index, name) fprintf(to, "%s%s", index > 0 ? ", " : "", json_string_value(name));
}

static bool has_scopes(json_t *plan) {
  size_t index;
  json_t *sk;
  json_array_foreach(json_object_get(plan, "superkernels"), index, sk)
    if (strcmp(sk__string_of(sk, "scopes"), "none") != 0) return true;
  return false;
}

/* Who is in the SuperKernel of which scope. A program without scopes has nothing to be told apart. */
static void print_scopes(json_t *plans, FILE *to) {
  size_t index, i, printed = 0;
  json_t *plan, *sk;
  json_array_foreach(plans, index, plan) {
    if (!has_scopes(plan) || printed++ >= MOST_PLANS) continue;
    fprintf(to, "\n");
    json_array_foreach(json_object_get(plan, "superkernels"), i, sk) {
      fprintf(to, "  scope %s: one SuperKernel, %lld blocks: ", sk__string_of(sk, "scopes"), sk__integer_of(sk, "blocks"));
      print_names(json_object_get(sk, "kernels"), to);
      fprintf(to, "\n");
    }
    json_t *alone = json_object_get(plan, "launched_alone");
    if (json_array_size(alone) == 0) continue;
    fprintf(to, "  launched alone: ");
    print_names(alone, to);
    fprintf(to, "\n");
  }
  if (printed > MOST_PLANS) fprintf(to, "\n  ... and the scopes of %zu more graphs (--json tells all)\n", printed - MOST_PLANS);
}

static void print_not_simulated(json_t *names, FILE *to) {
  if (json_array_size(names) == 0) return;
  fprintf(to, "\n  not simulated, run on the CPU, never in a SuperKernel: ");
  print_names(names, to);
  fprintf(to, "\n");
}

static void print_nothing(json_t *document, FILE *to) {
  if (sk__integer_of(document, "passed_segments") == 0) fprintf(to, "  the program launched no kernel\n");
  else fprintf(to, "  no captured graph has a scope or super_kernel_optimize, so nothing was fused; --all takes all work\n");
}

/* ---- findings ---- */

void sk__print_end_words(json_t *end, bool with_place, FILE *to) {
  static const char *const words[] = {"kernel", "instruction"};
  const char *between = "";
  for (int i = 0; i < 2; i++) {
    if (sk__string_of(end, words[i])[0] == '\0') continue;
    fprintf(to, "%s%s", between, sk__string_of(end, words[i]));
    between = " ";
  }
  if (with_place && sk__string_of(end, "file")[0] != '\0') {
    fprintf(to, "%sat %s:%lld", between, sk__string_of(end, "file"), sk__integer_of(end, "line"));
    between = " ";
  }
  if (between[0] != '\0') between = ", ";
  json_t *core = json_object_get(end, "core");
  if (json_is_integer(core)) {
    fprintf(to, "%s%s core %lld", between, sk__string_of(end, "core_type"), json_integer_value(core));
    if (json_object_get(end, "block") != NULL) fprintf(to, " block %lld", sk__integer_of(end, "block"));
    if (json_object_get(end, "sub_block") != NULL) fprintf(to, ".%lld", sk__integer_of(end, "sub_block"));
    between = ", ";
  } else if (json_is_string(core)) {
    fprintf(to, "%shost", between);
    between = ", ";
  }
  if (sk__string_of(end, "pipe")[0] != '\0') {
    fprintf(to, "%spipe %s", between, sk__string_of(end, "pipe"));
    between = ", ";
  }
  if (json_object_get(end, "bytes") != NULL) {
    fprintf(to, "%s%lld bytes of %s at %s", between, sk__integer_of(end, "bytes"), sk__string_of(end, "memory"),
            sk__string_of(end, "address"));
    between = ", ";
  }
  if (sk__string_of(end, "detail")[0] != '\0') fprintf(to, "%s%s", between, sk__string_of(end, "detail"));
}

static void print_end(json_t *end, bool with_source, FILE *to) {
  fprintf(to, "      %-9s ", sk__string_of(end, "role"));
  sk__print_end_words(end, true, to);
  fprintf(to, "\n");
  if (with_source && sk__string_of(end, "code")[0] != '\0') fprintf(to, "                | %s\n", sk__string_of(end, "code"));
}

void sk__print_finding(json_t *finding, bool with_source, FILE *to) {
  const char *id = sk__string_of(finding, "id");
  const sk__hazard *hazard = sk__hazard_find(id);
  const char *reason = json_string_value(json_object_get(finding, "suppressed"));
  fprintf(to, "\n  %s%s %s%s%s\n", reason != NULL ? "suppressed " : "", sk__string_of(finding, "severity"), id, hazard != NULL ? "  " : "",
          hazard != NULL ? hazard->title : "");
  fprintf(to, "    %s\n", sk__string_of(finding, "message"));
  size_t index;
  json_t *end;
  json_array_foreach(json_object_get(finding, "ends"), index, end) print_end(end, with_source, to);
  json_t *modes = json_object_get(finding, "modes");
  size_t count = json_array_size(modes);
  fprintf(to, "    seen %lld time%s in %zu mode%s:", sk__integer_of(finding, "count"),
          sk__integer_of(finding, "count") == 1 ? "" : "s", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count && i < 4; i++) fprintf(to, "%s %s", i > 0 ? "," : "", json_string_value(json_array_get(modes, i)));
  fprintf(to, "%s%s\n", count > 4 ? ", ..." : "",
          json_is_false(json_object_get(finding, "unfused")) ? "; silent un-fused" : "");
  if (sk__string_of(finding, "silent_unfused")[0] != '\0') fprintf(to, "    why silent: %s\n", sk__string_of(finding, "silent_unfused"));
  if (reason != NULL) fprintf(to, "    suppressed: %s\n", reason);
  else if (sk__string_of(finding, "remedy")[0] != '\0') fprintf(to, "    remedy: %s\n", sk__string_of(finding, "remedy"));
  sk__print_diagnosis(json_object_get(finding, "diagnosis"), "    ", to);
}

/* ---- whole ---- */

static void print_estimate(json_t *estimate, FILE *to) {
  if (estimate == NULL) return;
  double saved = sk__real_of(estimate, "saved_us");
  fprintf(to, "\n  estimate (cost model, not a measurement): un-fused %.1f us, fused %.1f us, fusing %s %.1f us\n",
          sk__real_of(estimate, "unfused_us"), sk__real_of(estimate, "fused_us"), saved < 0 ? "costs" : "saves", saved < 0 ? -saved : saved);
}

bool sk__is_report(json_t *document) {
  return sk__key_is(document, "schema", SK__REPORT_SCHEMA) && json_is_string(json_object_get(document, "verdict")) &&
         json_is_object(json_object_get(document, "soc")) && json_is_array(json_object_get(document, "modes")) &&
         json_is_array(json_object_get(document, "findings"));
}

static void print_unused(json_t *suppressions, FILE *to) {
  size_t index;
  json_t *rule, *unused = json_object_get(suppressions, "unused");
  if (json_array_size(unused) > 0) fprintf(to, "\n");
  json_array_foreach(unused, index, rule)
    fprintf(to, "  warning: %s line %lld suppresses nothing: %s # %s\n", sk__string_of(suppressions, "file"),
            sk__integer_of(rule, "line"), sk__string_of(rule, "rule"), sk__string_of(rule, "reason"));
}

static void print_verdict(json_t *document, FILE *to) {
  size_t index, findings = 0, suppressed = 0;
  json_t *finding;
  json_array_foreach(json_object_get(document, "findings"), index, finding) {
    if (json_object_get(finding, "suppressed") != NULL) suppressed++;
    else findings++;
  }
  fprintf(to, "\nverdict: %s", sk__string_of(document, "verdict"));
  if (findings > 0) fprintf(to, " (%zu finding%s", findings, findings == 1 ? "" : "s");
  if (findings > 0 && suppressed > 0) fprintf(to, ", %zu more suppressed", suppressed);
  if (findings > 0) fprintf(to, "; skv explain ID tells more)");
  else if (suppressed > 0) fprintf(to, " (%zu finding%s suppressed)", suppressed, suppressed == 1 ? "" : "s");
  fprintf(to, "\n");
}

sk_status sk__report_text(json_t *document, bool with_source, FILE *to) {
  if (!sk__is_report(document)) return SK_PARSE;
  json_t *soc = json_object_get(document, "soc"), *modes = json_object_get(document, "modes"), *item;
  fprintf(to, "%s on simulated %s (%lld AIC + %lld AIV)\n\n", sk__string_of(document, "program"), sk__string_of(soc, "name"),
          sk__integer_of(soc, "aic"), sk__integer_of(soc, "aiv"));
  size_t index;
  if (sk__integer_of(document, "segments") == 0) print_nothing(document, to);
  else print_table(modes, to);
  print_scopes(json_object_get(document, "plans"), to);
  print_not_simulated(json_object_get(document, "not_simulated"), to);
  print_end_of_modes(modes, to);
  print_estimate(json_object_get(document, "estimate"), to);
  json_array_foreach(json_object_get(document, "findings"), index, item) sk__print_finding(item, with_source, to);
  print_unused(json_object_get(document, "suppressions"), to);
  if (sk__string_of(document, "failure")[0] != '\0') fprintf(to, "\n  the verifier stopped: %s\n", sk__string_of(document, "failure"));
  if (sk__string_of(document, "program_end")[0] != '\0') fprintf(to, "\n  the program itself: %s\n", sk__string_of(document, "program_end"));
  print_verdict(document, to);
  return ferror(to) ? SK_IO : SK_OK;
}
