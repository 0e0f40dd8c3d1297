/* script.c - which Python interpreter runs a script, and how. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/version.h"

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

/* The front ends' folder: beside skv in a build directory, below the prefix when installed; false where there is none. */
static bool front_ends(const char *own, char *folder, size_t bytes) {
  static const char *const places[] = {"/python", "/../" SK__LIBDIR "/superkernel/python"};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    char package[PATH_BYTES + 128];
    snprintf(folder, bytes, "%s%s", own, places[i]);
    snprintf(package, sizeof package, "%s/superkernel", folder);
    if (access(package, F_OK) == 0) return true;
  }
  return false;
}

/* The front ends name the one that they were built for; where pip installed skv, it stands beside the interpreter itself.
 * Else the one of PATH. */
static const char *interpreter(const sk__cli_request *run, const char *own, const char *folder, char *found, size_t bytes) {
  if (run->python != NULL) return run->python;
  const char *named = getenv("SKV_PYTHON");
  if (named != NULL && named[0] != '\0') return named;
  char path[PATH_BYTES + 128];
  snprintf(path, sizeof path, "%s/interpreter", folder);
  if (read_line(path, found, bytes)) return found;
  snprintf(found, bytes, "%s/python3", own);
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
  char own[PATH_BYTES], folder[PATH_BYTES + 64], found[PATH_BYTES + 32], package[PATH_BYTES + 128], code[1024];
  own_folder(own, sizeof own);
  bool is_here = front_ends(own, folder, sizeof folder);
  const char *python = interpreter(run, own, folder, found, sizeof found);
  snprintf(package, sizeof package, "%s/superkernel", folder);
  size_t count = 0;
  while (run->program[count] != NULL) count++;
  const char **words = calloc(count + 4, sizeof *words);
  if (words == NULL) _exit(SK__EXIT_INTERNAL);
  size_t at = 0;
  words[at++] = python;
  if (!is_here) words[at++] = "-c";
  bootstrap(run->verb, code, sizeof code);
  words[at++] = is_here ? package : code;
  memcpy(words + at, run->program, count * sizeof *words);
  execvp(python, (char *const *)(uintptr_t)words);
  fprintf(stderr, "skv %s: '%s' cannot be started: %s; name a Python interpreter with --python or SKV_PYTHON\n", run->verb, python, strerror(errno));
  _exit(SK__EXIT_USAGE);
}
