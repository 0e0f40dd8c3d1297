/* sandbox.c - see sandbox.h. SKCC, SKHOOKS, FAKE are the paths of what is under test. */
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[256];
static char output[1 << 16];

void put(const char *name, const char *content) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(content, file);
  assert_int_equal(fclose(file), 0);
}

int run(const char *command, ...) {
  char line[4096], full[8192], path[512];
  va_list arguments;
  va_start(arguments, command);
  vsnprintf(line, sizeof line, command, arguments);
  va_end(arguments);
  snprintf(full, sizeof full, "cd %s && PATH=$PWD/bin:$PATH && export LC_ALL=C && { %s\n} >.said 2>&1", directory, line);
  int status = system(full);
  snprintf(path, sizeof path, "%s/.said", directory);
  FILE *file = fopen(path, "r");
  size_t length = file != NULL ? fread(output, 1, sizeof output - 1, file) : 0;
  output[length] = '\0';
  if (file != NULL) fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *said(void) { return output; }

bool has_compiler(const char *name) { return run("command -v %s", name) == 0; }

void sandbox_open(void) {
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/skcc-test-XXXXXX", base != NULL ? base : "/tmp");
  assert_non_null(mkdtemp(directory));
  assert_runs("mkdir bin tmp && cp %s bin/skcc && cp %s bin/libskhooks.a && cp %s bin/libsuperkernel.so && cp %s bin/", SKCC, SKHOOKS, FAKE, FAKE);
  unsetenv("SKCC_CC");
  unsetenv("SKCC_CXX");
}

void sandbox_close(void) {
  char line[512];
  snprintf(line, sizeof line, "rm -rf %s", directory);
  assert_int_equal(system(line), 0);
}
