/* main.c - skcc: compiles kernels and their host code for the simulated NPU. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skcc_config.h"

/* skcc ends soon and gives nothing back: a build with the address sanitizer asks here whether to look for leaks. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "detect_leaks=0"; }

/* Beside the executable stands the hooks archive in a build tree; otherwise this is an installation. */
static bool places_find(places *p) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) {
    fprintf(stderr, "skcc: cannot tell where it is installed: %s\n", strerror(errno));
    return false;
  }
  self[length] = '\0';
  *strrchr(self, '/') = '\0';
  p->library_dir = copy_string(self, strlen(self));
  p->hooks = format_string("%s/libskhooks.a", p->library_dir);
  p->include = copy_string(SKCC_SOURCE_INCLUDE, strlen(SKCC_SOURCE_INCLUDE));
  if (access(p->hooks, R_OK) != 0) {
    char *up = format_string("%s/..", self), *root = realpath(up, NULL);
    if (root == NULL) root = up;
    p->library_dir = format_string("%s/%s", root, SKCC_LIBDIR);
    p->hooks = format_string("%s/libskhooks.a", p->library_dir);
    p->include = format_string("%s/%s", root, SKCC_INCLUDEDIR);
  }
  p->include_ascendc = format_string("%s/ascendc", p->include);
  const char *const needed[] = {p->hooks, p->include_ascendc};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (access(needed[i], R_OK) != 0) {
      fprintf(stderr, "skcc: its own file '%s' is missing: %s\n", needed[i], strerror(errno));
      return false;
    }
  return true;
}

static bool inputs_readable(const options *o) {
  for (size_t i = 0; i < o->input_count; i++) {
    const char *path = o->inputs[i].path;
    if (access(path, R_OK) != 0) {
      fprintf(stderr, "skcc: cannot read '%s': %s\n", path, strerror(errno));
      return false;
    }
  }
  return true;
}

/* The linker would name a file of ours beside it. */
static bool output_writable(const options *o) {
  const char *slash = o->output != NULL ? strrchr(o->output, '/') : NULL;
  if (slash == NULL) return true;
  char *folder = slash == o->output ? copy_string("/", 1) : copy_string(o->output, (size_t)(slash - o->output));
  bool good = access(folder, W_OK) == 0;
  if (!good) fprintf(stderr, "skcc: cannot write '%s': %s\n", o->output, strerror(errno));
  free(folder);
  return good;
}

int main(int argc, char **argv) {
  options o = {0};
  int code = options_parse(&o, argc, argv);
  if (code >= 0) return code;
  if (!inputs_readable(&o) || !output_writable(&o)) return EXIT_USAGE;
  places p = {0};
  if (!places_find(&p)) return EXIT_INTERNAL;
  if (o.kind == OUTPUT_LINK_OPTIONS) return link_print(&p);
  run_setup(o.verbose, o.save_temps);
  char **objects = calloc(o.input_count, sizeof *objects);
  if (objects == NULL) return EXIT_INTERNAL;
  options_finish(&o);
  code = commands_write(&o, &p);
  if (code == 0) code = compile_sources(&o, &p, objects);
  if (code == 0 && o.kind != OUTPUT_TEXT) code = link_output(&o, &p, objects);
  run_cleanup();
  if (run_interrupted()) fprintf(stderr, "skcc: interrupted\n");
  return code;
}
