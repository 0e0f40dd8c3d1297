/* harness.c - runs each test in a child process and prints TAP. */
#include "harness.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };
static const char *skip_reason; /* set: the running test was skipped */

void sk_test_skip(const char *reason, const char *file, int line) {
  skip_reason = reason;
  _skip(file, line);
}

static int run_here(const sk_test *test) {
  const struct CMUnitTest unit = {test->name, test->run, NULL, NULL, NULL};
  cmocka_set_message_output(CM_OUTPUT_STDOUT);
  return _cmocka_run_group_tests(test->name, &unit, 1, NULL, NULL);
}

/* What the child printed goes out as TAP comments, only when it failed. */
static void print_as_comment(FILE *output) {
  char line[1024];
  rewind(output);
  while (fgets(line, sizeof line, output) != NULL) {
    fputs("# ", stdout);
    fputs(line, stdout);
    if (strchr(line, '\n') == NULL) fputc('\n', stdout);
  }
}

/* " # SKIP reason": the reason is the last line the child printed. */
static void print_skip(FILE *output) {
  char line[1024], last[1024] = "";
  rewind(output);
  while (fgets(line, sizeof line, output) != NULL) memcpy(last, line, sizeof last);
  last[strcspn(last, "\n")] = '\0';
  printf(" # SKIP %s", last);
}

static int run_apart(const sk_test *test, size_t number) {
  FILE *output = tmpfile();
  if (output == NULL) {
    printf("Bail out! no temporary file\n");
    return 1;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(test->limit_seconds);
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(output), STDERR_FILENO);
    int failed = run_here(test);
    if (failed == 0 && skip_reason != NULL) printf("\n%s\n", skip_reason);
    fflush(NULL);
    _exit(failed != 0 ? 1 : skip_reason != NULL ? SKIPPED : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) status = -1;
  bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
  int failed = status != 0 && !skipped;
  printf("%s %zu - %s", failed ? "not ok" : "ok", number, test->name);
  if (failed && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    printf(" # over its limit of %u s", test->limit_seconds);
  else if (failed && WIFSIGNALED(status))
    printf(" # killed by signal %d", WTERMSIG(status));
  if (skipped) print_skip(output);
  printf("\n");
  if (failed) print_as_comment(output);
  fclose(output);
  return failed;
}

int sk_run_tests(const sk_test *tests, size_t count, int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < count; i++) puts(tests[i].name);
    return 0;
  }
  if (argc == 2) {
    for (size_t i = 0; i < count; i++)
      if (strcmp(tests[i].name, argv[1]) == 0) return run_here(&tests[i]) != 0;
    fprintf(stderr, "%s: no test '%s'; --list names them\n", argv[0], argv[1]);
    return 2;
  }
  size_t failed = 0;
  printf("1..%zu\n", count);
  for (size_t i = 0; i < count; i++) failed += (size_t)run_apart(&tests[i], i + 1);
  return failed != 0;
}

uint64_t sk_test_seed(const char *name) {
  const char *text = getenv("SK_TEST_SEED");
  uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(20261130);
  printf("%s: seed %" PRIu64 " (SK_TEST_SEED sets it)\n", name, seed);
  return seed;
}
