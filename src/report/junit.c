/* junit.c - a report document as JUnit XML, for build servers: one test case for each mode. */
#include <libgen.h>
#include <stdlib.h>

#include "report/parts.h"
#include "report/report.h"

typedef struct totals {
  size_t tests, failures, errors, skipped;
  bool short_of_memory; /* a body is missing: the whole is not to be used */
} totals;

/* ---- XML ---- */

/* Characters that XML 1.0 cannot hold become '?': most controls, and U+FFFE and U+FFFF. */
static void escape(const char *text, bool attribute, FILE *to) {
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
    if (*c == '&') fputs("&amp;", to);
    else if (*c == '<') fputs("&lt;", to);
    else if (*c == '>') fputs("&gt;", to);
    else if (*c == '"') fputs("&quot;", to);
    else if (*c == '\r' || (attribute && (*c == '\n' || *c == '\t'))) fprintf(to, "&#%u;", (unsigned)*c);
    else if (*c < 0x20 && *c != '\n' && *c != '\t') fputc('?', to);
    else if (*c == 0xEF && c[1] == 0xBF && c[2] >= 0xBE) c += 2, fputc('?', to);
    else fputc(*c, to);
  }
}

static void attribute(const char *name, const char *value, FILE *to) {
  fprintf(to, " %s=\"", name);
  escape(value, true, to);
  fputc('"', to);
}

/* What a function prints, as the body of an element. */
typedef struct body { char *text; size_t bytes; FILE *to; } body;
static bool body_begin(body *b, totals *sums) {
  *b = (body){0};
  b->to = open_memstream(&b->text, &b->bytes);
  sums->short_of_memory |= b->to == NULL;
  return b->to != NULL;
}
static void body_end(body *b, totals *sums, FILE *to) {
  bool failed = ferror(b->to) != 0;
  if (fclose(b->to) != 0 || failed) sums->short_of_memory = true;
  else escape(b->text, false, to);
  free(b->text);
}

/* ---- a mode ---- */

/* Findings that name no mode (made by the host's calls) belong to the first. */
static bool seen_in(json_t *finding, const char *mode, size_t mode_index) {
  json_t *modes = json_object_get(finding, "modes"), *name;
  size_t index;
  json_array_foreach(modes, index, name)
    if (json_is_string(name) && strcmp(json_string_value(name), mode) == 0) return true;
  return json_array_size(modes) == 0 && mode_index == 0;
}

typedef struct summary {
  const char *element, *type; /* NULL: passed */
  size_t counted, told;       /* findings that count; others */
  char message[256];
} summary;

static void count_findings(json_t *findings, const char *mode, size_t mode_index, summary *out) {
  size_t index;
  json_t *finding;
  size_t used = 0;
  json_array_foreach(findings, index, finding) {
    if (!seen_in(finding, mode, mode_index)) continue;
    if (!sk__finding_counts(finding)) {
      out->told++;
      continue;
    }
    bool unable = sk__key_is(finding, "category", "not modelled") || sk__key_is(finding, "category", "internal");
    if (unable || out->element == NULL) out->type = unable ? sk__string_of(finding, "category") : "findings";
    if (unable || out->element == NULL) out->element = unable ? "error" : "failure";
    if (used < sizeof out->message)
      used += (size_t)snprintf(out->message + used, sizeof out->message - used, "%s%s", out->counted > 0 ? ", " : "",
                               sk__string_of(finding, "id"));
    out->counted++;
  }
}

static summary summarise(json_t *document, json_t *mode, size_t mode_index) {
  summary out = {0};
  count_findings(json_object_get(document, "findings"), sk__string_of(mode, "name"), mode_index, &out);
  if (out.element != NULL) return out;
  const char *result = sk__string_of(mode, "result");
  if (strcmp(result, "failed") == 0) out = (summary){"failure", "failed", 0, out.told, "the mode failed"};
  else if (strcmp(result, "different") == 0) out = (summary){"failure", "different", 0, out.told, "results differ from the reference"};
  else if (strcmp(result, "nothing-fused") == 0) out = (summary){"skipped", NULL, 0, out.told, "nothing was fused"};
  else if (sk__integer_of(document, "segments") == 0) out = (summary){"skipped", NULL, 0, out.told, "the program launched no kernel"};
  return out;
}

static void print_findings(json_t *document, const char *mode, size_t mode_index, bool counted, FILE *to) {
  size_t index;
  json_t *finding;
  json_array_foreach(json_object_get(document, "findings"), index, finding)
    if (seen_in(finding, mode, mode_index) && sk__finding_counts(finding) == counted) sk__print_finding(finding, true, to);
}

/* Why the mode failed, what differs, and the findings that count. */
static void print_trouble(json_t *document, json_t *mode, size_t mode_index, totals *sums, FILE *to) {
  size_t index;
  json_t *difference;
  body b;
  if (!body_begin(&b, sums)) return;
  fprintf(b.to, "\n");
  if (sk__string_of(mode, "why")[0] != '\0') fprintf(b.to, "  failed: %s\n", sk__string_of(mode, "why"));
  json_array_foreach(json_object_get(mode, "differences"), index, difference) sk__print_difference(difference, b.to);
  print_findings(document, sk__string_of(mode, "name"), mode_index, true, b.to);
  body_end(&b, sums, to);
}

static void begin_case(json_t *document, const char *name, double seconds, FILE *to) {
  char program[256];
  snprintf(program, sizeof program, "%s", sk__string_of(document, "program"));
  fprintf(to, "    <testcase");
  attribute("classname", basename(program), to);
  attribute("name", name, to);
  fprintf(to, " time=\"%.6f\">\n", seconds);
}

static void mode_case(json_t *document, json_t *mode, size_t mode_index, totals *sums, FILE *to) {
  summary what = summarise(document, mode, mode_index);
  begin_case(document, sk__string_of(mode, "name"), sk__real_of(mode, "seconds"), to);
  sums->tests++;
  if (what.element != NULL) {
    fprintf(to, "      <%s", what.element);
    attribute("message", what.message, to);
    if (what.type != NULL) attribute("type", what.type, to);
    fprintf(to, ">");
    if (what.type != NULL) print_trouble(document, mode, mode_index, sums, to);
    fprintf(to, "</%s>\n", what.element);
    *(what.type == NULL ? &sums->skipped : what.element[0] == 'e' ? &sums->errors : &sums->failures) += 1;
  }
  body b;
  if (what.told > 0 && body_begin(&b, sums)) {
    print_findings(document, sk__string_of(mode, "name"), mode_index, false, b.to);
    fprintf(to, "      <system-out>");
    body_end(&b, sums, to);
    fprintf(to, "</system-out>\n");
  }
  fprintf(to, "    </testcase>\n");
}

/* What is no mode's trouble: the program failed, the verifier stopped, or the verdict has no other place. */
static void program_case(json_t *document, totals *sums, FILE *to) {
  const char *failure = sk__string_of(document, "failure"), *end = sk__string_of(document, "program_end");
  const char *verdict = sk__string_of(document, "verdict");
  bool unexplained = sums->failures + sums->errors == 0 && strcmp(verdict, sk__verdict_name(SK__VERDICT_CLEAN)) != 0;
  if (failure[0] == '\0' && end[0] == '\0' && !unexplained) return;
  bool failed = failure[0] == '\0' && end[0] != '\0';
  begin_case(document, "program", 0, to);
  fprintf(to, "      <%s", failed ? "failure" : "error");
  attribute("message", failure[0] != '\0' ? failure : failed ? end : verdict, to);
  attribute("type", failed ? "program" : "verifier", to);
  fprintf(to, "/>\n    </testcase>\n");
  sums->tests++;
  *(failed ? &sums->failures : &sums->errors) += 1;
}

static void print_totals(const totals *sums, double seconds, FILE *to) {
  fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\">\n", sums->tests, sums->failures,
          sums->errors, sums->skipped, seconds);
}

sk_status sk__report_junit(json_t *document, FILE *to) {
  if (!sk__is_report(document)) return SK_PARSE;
  char *cases = NULL; /* printed after the totals */
  size_t bytes = 0, index;
  FILE *held = open_memstream(&cases, &bytes);
  if (held == NULL) return SK_OUT_OF_MEMORY;
  totals sums = {0};
  json_t *mode;
  json_array_foreach(json_object_get(document, "modes"), index, mode) mode_case(document, mode, index, &sums, held);
  program_case(document, &sums, held);
  sums.short_of_memory |= ferror(held) != 0;
  if (fclose(held) != 0 || sums.short_of_memory) {
    free(cases);
    return SK_OUT_OF_MEMORY;
  }
  double seconds = sk__real_of(document, "seconds");
  fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"superkernel\"");
  print_totals(&sums, seconds, to);
  fprintf(to, "  <testsuite");
  attribute("name", sk__string_of(document, "program"), to);
  print_totals(&sums, seconds, to);
  fprintf(to, "    <properties>\n");
  fprintf(to, "      <property name=\"soc\"");
  attribute("value", sk__string_of(json_object_get(document, "soc"), "name"), to);
  fprintf(to, "/>\n      <property name=\"verdict\"");
  attribute("value", sk__string_of(document, "verdict"), to);
  fprintf(to, "/>\n    </properties>\n%s  </testsuite>\n</testsuites>\n", cases);
  free(cases);
  return ferror(to) ? SK_IO : SK_OK;
}
