/* sandbox.h - a directory with a copy of skcc, its hooks and a fake library, and a shell inside it. */
#ifndef SK_TESTS_SKCC_SANDBOX_H
#define SK_TESTS_SKCC_SANDBOX_H

#include <stdbool.h>

#include "harness.h"

void sandbox_open(void);
void sandbox_close(void);
void put(const char *name, const char *content);
/* Runs a shell command in the sandbox ("skcc" is on the path); its exit code; output in said(). */
int run(const char *command, ...) __attribute__((format(printf, 1, 2)));
const char *said(void);
bool has_compiler(const char *name);

#define assert_said(part)                                                                              \
  do {                                                                                                 \
    if (strstr(said(), part) == NULL) fail_msg("no '%s' in:\n%s", part, said());                       \
  } while (0)
#define assert_not_said(part)                                                                          \
  do {                                                                                                 \
    if (strstr(said(), part) != NULL) fail_msg("'%s' in:\n%s", part, said());                          \
  } while (0)
#define assert_runs(...)                                                                               \
  do {                                                                                                 \
    int code = run(__VA_ARGS__);                                                                       \
    if (code != 0) fail_msg("exit code %d:\n%s", code, said());                                        \
  } while (0)

#endif
