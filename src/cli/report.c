/* report.c - skv report: a saved document as text, or in one of the other forms. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/report.h"

static const char help[] =
    "usage: skv report [options] FILE.json\n\n"
    "Prints a report written by --json as text; with --sarif or --junit it is written in that form instead.\n\n"
    "  --sarif FILE   SARIF 2.1.0, for code hosts and editors\n"
    "  --junit FILE   JUnit XML, for build servers\n"
    "  --no-source    the text without source lines\n\n"
    "examples:\n"
    "  skv report report.json\n"
    "  skv report --sarif report.sarif --junit report.xml report.json\n";

enum { OPT_SARIF = 256, OPT_JUNIT, OPT_NO_SOURCE, OPT_HELP };
static const struct option options[] = {{"sarif", 1, 0, OPT_SARIF}, {"junit", 1, 0, OPT_JUNIT}, {"no-source", 0, 0, OPT_NO_SOURCE},
                                        {"help", 0, 0, OPT_HELP},   {0, 0, 0, 0}};

static int convert(const char *path, const sk__cli_outputs *outputs, bool with_source) {
  json_error_t error;
  int refused = sk__cli_refuse_directory("report", NULL, path);
  if (refused != 0) return refused;
  json_t *document = json_load_file(path, 0, &error);
  if (document == NULL && error.line < 0) return sk__cli_usage("report", "'%s' cannot be read: %s", path, strerror(errno)); /* not opened */
  if (document == NULL) return sk__cli_usage("report", "'%s' line %d: %s", path, error.line, error.text);
  int code = SK__EXIT_CLEAN;
  if (!sk__is_report(document)) code = sk__cli_usage("report", "'%s' is no report; legal: schema " SK__REPORT_SCHEMA, path);
  else if (outputs->sarif == NULL && outputs->junit == NULL) code = sk__report_text(document, with_source, stdout) == SK_OK ? code : SK__EXIT_INTERNAL;
  else {
    int verdict = sk__cli_verdict_code(document);
    int written = sk__cli_write_outputs("report", outputs, document, verdict);
    if (written != verdict) code = written;
  }
  json_decref(document);
  return code;
}

int sk__cli_report(int argc, char **argv) {
  sk__cli_outputs outputs = {0};
  bool with_source = true;
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    switch (option) {
      case OPT_SARIF: outputs.sarif = optarg; break;
      case OPT_JUNIT: outputs.junit = optarg; break;
      case OPT_NO_SOURCE: with_source = false; break;
      case 'h':
      case OPT_HELP: fputs(help, stdout); return SK__EXIT_CLEAN;
      case ':': return sk__cli_usage("report", "option '%s' needs a value", argv[optind - 1]);
      default: return sk__cli_unknown_option("report", options, argv[optind - 1]);
    }
  }
  if (argc - optind != 1) return sk__cli_usage("report", "takes one file; usage: skv report [options] FILE.json");
  int refused = sk__cli_check_outputs("report", &outputs);
  return refused != 0 ? refused : convert(argv[optind], &outputs, with_source);
}
