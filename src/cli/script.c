/* script.c - which Python interpreter runs a script, and how. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

enum { PATH_BYTES = 4096 };

/* Folder of skv itself, without the last slash; empty when it cannot be told. */
static void own_folder(char *folder, size_t bytes) {
  ssize_t length = readlink("/proc/self/exe", folder, bytes - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash != NULL) *slash = '\0';
}

/* First line of a file; false without one. */
static bool read_line(const char *path, char *line, size_t bytes) {
  FILE *file = fopen(path, "r");
  bool good = file != NULL && fgets(line, (int)bytes, file) != NULL;
  if (file != NULL) fclose(file);
  if (good) line[strcspn(line, "\n")] = '\0';
  return good && line[0] != '\0';
}

/* In a build directory skv stands beside python/interpreter; installed, beside the interpreter itself. Else the
 * one of PATH. */
static const char *interpreter(const sk__cli_request *run, const char *folder, char *found, size_t bytes) {
  if (run->python != NULL) return run->python;
  const char *named = getenv("SKV_PYTHON");
  if (named != NULL && named[0] != '\0') return named;
  char path[PATH_BYTES + 32];
  snprintf(path, sizeof path, "%s/python/interpreter", folder);
  if (read_line(path, found, bytes)) return found;
  snprintf(found, bytes, "%s/python3", folder);
  return access(found, X_OK) == 0 ? found : "python3";
}

/* What Python runs where no package stands beside skv: the interpreter's own, if it has one. A folder that only has
 * its name has no origin. */
static void bootstrap(const char *verb, char *code, size_t bytes) {
  snprintf(code, bytes,
           "import importlib.util, runpy, sys\n"
           "spec = importlib.util.find_spec('superkernel')\n"
           "if spec is None or spec.origin is None:\n"
           "    print('skv %s: the PyTorch front ends are not built here and ' + sys.executable + ' has no package superkernel; build them with '\n"
           "          'an interpreter that has torch (meson setup -Dpython=enabled), install them there (pip install .), or name one that has '\n"
           "          'the package with --python or SKV_PYTHON', file=sys.stderr)\n"
           "    sys.exit(%d)\n"
           "runpy.run_module('superkernel', run_name='__main__', alter_sys=True)\n",
           verb, SK__EXIT_USAGE);
}

_Noreturn void sk__cli_start_script(const sk__cli_request *run) {
  char folder[PATH_BYTES], found[PATH_BYTES + 32], package[PATH_BYTES + 64], code[1024];
  own_folder(folder, sizeof folder);
  const char *python = interpreter(run, folder, found, sizeof found);
  snprintf(package, sizeof package, "%s/python/superkernel", folder);
  bool built_here = access(package, F_OK) == 0;
  size_t count = 0;
  while (run->program[count] != NULL) count++;
  const char **words = calloc(count + 4, sizeof *words);
  if (words == NULL) _exit(SK__EXIT_INTERNAL);
  size_t at = 0;
  words[at++] = python;
  if (!built_here) words[at++] = "-c";
  bootstrap(run->verb, code, sizeof code);
  words[at++] = built_here ? package : code;
  memcpy(words + at, run->program, count * sizeof *words);
  execvp(python, (char *const *)(uintptr_t)words);
  fprintf(stderr, "skv %s: '%s' cannot be started: %s; name a Python interpreter with --python or SKV_PYTHON\n", run->verb, python, strerror(errno));
  _exit(SK__EXIT_USAGE);
}
