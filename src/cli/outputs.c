/* outputs.c - a report document into the files asked for: JSON, SARIF, JUnit, each whole or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/version.h"
#include "report/report.h"

int sk__cli_verdict_code(json_t *document) {
  const char *verdict = json_string_value(json_object_get(document, "verdict"));
#define X(name, text, exit_code) \
  if (verdict != NULL && strcmp(verdict, text) == 0) return exit_code;
  SK__VERDICT_LIST(X)
#undef X
  return SK__EXIT_INTERNAL;
}

int sk__cli_refuse_directory(const char *verb, const char *option, const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
  return sk__cli_usage(verb, "%s%s'%s' is a directory; legal: a file", option != NULL ? option : "", option != NULL ? " " : "", path);
}

/* Whether a file can appear at the path: its directory must be there and writable. */
int sk__cli_check_output(const char *verb, const char *option, const char *path) {
  struct stat status;
  int refused = sk__cli_refuse_directory(verb, option, path);
  if (refused != 0) return refused;
  bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return access(path, W_OK) == 0 ? 0 : sk__cli_usage(verb, "%s '%s': %s", option, path, strerror(errno));
  const char *slash = strrchr(path, '/');
  char *directory = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
  if (directory == NULL) return SK__EXIT_INTERNAL;
  const char *why = NULL;
  if (path[0] == '\0') why = "no name";
  else if (stat(directory, &status) != 0) why = strerror(errno);
  else if (!S_ISDIR(status.st_mode)) why = strerror(ENOTDIR);
  else if (access(directory, W_OK | X_OK) != 0) why = strerror(errno);
  free(directory);
  return why == NULL ? 0 : sk__cli_usage(verb, "%s '%s' cannot be written: %s", option, path, why);
}

int sk__cli_check_outputs(const char *verb, const sk__cli_outputs *outputs) {
  const struct { const char *option, *path; } all[] = {
#define X(name) {"--" #name, outputs->name},
      SK__OUTPUT_LIST(X)
#undef X
  };
  const size_t count = sizeof all / sizeof all[0];
  for (size_t i = 0; i < count; i++) {
    int refused = all[i].path != NULL ? sk__cli_check_output(verb, all[i].option, all[i].path) : 0;
    if (refused != 0) return refused;
    for (size_t j = 0; j < i && all[i].path != NULL; j++)
      if (all[j].path != NULL && strcmp(all[i].path, all[j].path) == 0 && strncmp(all[i].path, "/dev/", 5) != 0)
        return sk__cli_usage(verb, "%s and %s name the same file '%s'", all[j].option, all[i].option, all[i].path);
  }
  return 0;
}

static sk_status write_json(json_t *document, int code, const char *path) {
  (void)code;
  return sk__report_write(document, path);
}

static sk_status write_sarif(json_t *document, int code, const char *path) {
  json_t *log = NULL;
  sk_status status = sk__report_sarif(document, code, SK__VERSION, &log);
  if (status == SK_OK) status = sk__report_write(log, path);
  json_decref(log);
  return status;
}

static sk_status write_junit(json_t *document, int code, const char *path) {
  (void)code;
  sk__file file;
  sk_status status = sk__file_begin(&file, path);
  if (status != SK_OK) return status;
  status = sk__report_junit(document, file.stream);
  if (status == SK_OK) return sk__file_commit(&file);
  sk__file_abandon(&file);
  return status;
}

int sk__cli_write_outputs(const char *verb, const sk__cli_outputs *outputs, json_t *document, int code) {
  int end = code;
#define X(name)                                                                                                     \
  if (outputs->name != NULL) {                                                                                      \
    sk_status status = write_##name(document, code, outputs->name);                                                 \
    if (status != SK_OK) {                                                                                          \
      fprintf(stderr, "skv %s: --" #name " '%s': %s: %s\n", verb, outputs->name, sk_status_text(status), strerror(errno)); \
      end = SK__EXIT_INTERNAL;                                                                                      \
    }                                                                                                               \
  }
  SK__OUTPUT_LIST(X)
#undef X
  return end;
}
