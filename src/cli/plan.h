/* plan.h - shared by the files of skv plan. */
#ifndef SK_CLI_PLAN_H
#define SK_CLI_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#define SK__PLAN_FORMATS(X) X(LISTING, "listing") X(JSON, "json") X(DOT, "dot")
typedef enum sk__plan_format {
#define X(name, text) SK__PLAN_##name,
  SK__PLAN_FORMATS(X)
#undef X
} sk__plan_format;

typedef struct sk__plan_request {
  const char *options, *check, *trace, *kernels;
  sk__plan_format format;
  bool emulate, ge;
} sk__plan_request;

/* What a file holds, by its first bytes and its name; NONE: a program, or nothing that can be read. */
typedef enum sk__plan_file { SK__PLAN_FILE_NONE, SK__PLAN_FILE_DUMP, SK__PLAN_FILE_GE_TEXT } sk__plan_file;
sk__plan_file sk__plan_file_of(const char *path);

/* 0 when --options can be read, else the exit code after one line: before a program is run for its graphs. */
int sk__cli_plan_check_options(const sk__plan_request *request);
/* Plans a graph dump, or the text of a GE graph; the exit code. */
int sk__cli_plan_file(const sk__plan_request *request, const char *path, sk__plan_file kind);
int sk__cli_plan_check(const sk__plan_request *request);

#endif
