/* cc.c - skv cc: the kernel compiler driver skcc, which stands beside skv. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int sk__cli_cc(int argc, char **argv) {
  (void)argc;
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "/skcc");
  if (length <= 0) {
    fprintf(stderr, "skv cc: cannot tell where skv is installed: %s\n", strerror(errno));
    return SK__EXIT_INTERNAL;
  }
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  memcpy(slash != NULL ? slash : path, "/skcc", sizeof "/skcc");
  execv(path, argv);
  fprintf(stderr, "skv cc: cannot start '%s': %s\n", path, strerror(errno));
  return SK__EXIT_INTERNAL;
}
