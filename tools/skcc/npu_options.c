/* npu_options.c - what build files of kernels say to a compiler for the chip: the chip is checked, what only directs
 * that compiler's code generator is taken without effect, what would change a kernel's meaning is refused by name. */
#include "skcc.h"

#include <string.h>

#include "skcc_config.h"

static const char chip[] = "dav-2201";

/* Libraries that libsuperkernel.so stands for. A function of theirs that it has not is named by the linker. */
static const char *const libraries[] = {SKCC_NPU_LIBRARIES};

bool npu_library(const char *name) {
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strcmp(name, libraries[i]) == 0) return true;
  return false;
}

static const char *after(const char *option, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(option, prefix, length) == 0 ? option + length : NULL;
}

/* What sources ask for: a compiler for the chip defines the names without SK of its own accord. */
void add_half_macros(list *argv, bool cube) {
  list_add(argv, "-D__SKCC__=1");
  list_addf(argv, "-DSK_HALF_AIV=%d", !cube);
  list_addf(argv, "-DSK_HALF_AIC=%d", cube);
  list_add(argv, "-D__CCE__=1");
  list_add(argv, "-D__CCE_AICORE__=220");
  list_add(argv, "-D__NPU_ARCH__=2201");
  list_add(argv, cube ? "-D__DAV_CUBE__=1" : "-D__DAV_VEC__=1");
  list_add(argv, cube ? "-D__DAV_C220_CUBE__=1" : "-D__DAV_C220_VEC__=1");
}

static int parse_chip(const char *name) {
  if (strcmp(name, chip) == 0) return USED_ONE;
  return usage_error("--npu-arch=%s: the simulated chip is dav-2201", name);
}

int parse_npu(options *o, int left, char **argv) {
  const char *a = argv[0], *value = after(a, "--npu-arch=");
  if (value != NULL) return parse_chip(value);
  if (strcmp(a, "-dc") == 0) {
    o->kind = OUTPUT_OBJECT;
    return USED_ONE;
  }
  /* Between the two stand options for the host's or the kernels' half; all halves have the same here. */
  if (strcmp(a, "-Xhost-start") == 0 || strcmp(a, "-Xhost-end") == 0 || strcmp(a, "-Xaicore-start") == 0 ||
      strcmp(a, "-Xaicore-end") == 0)
    return USED_ONE;
  if (strcmp(a, "-mllvm") == 0) {
    if (left < 2) return usage_error("'%s' needs a value", a);
    return after(argv[1], "-cce-") != NULL ? USED_TWO : usage_error("-mllvm '%s' is not known: -cce-...", argv[1]);
  }
  if (strcmp(a, "--enable-simt") == 0) return usage_error("'%s': the simulated chip, dav-2201, has no SIMT units", a);
  if (strcmp(a, "--cce-auto-sync=off") == 0) list_add(&o->preprocess, "-DSK_NO_AUTO_SYNC");
  if (strcmp(a, "--sanitizer") == 0) return USED_ONE; /* skv run looks for more than it does */
  return after(a, "--cce-") != NULL ? USED_ONE : NOT_MINE;
}
