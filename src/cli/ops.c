/* ops.c - skv ops: the operator library's records. The library is loaded only for this verb. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/version.h"
#include "superkernel/ops.h"

enum { MOST_OPERATORS = 128 }; /* whose names are compared with a wrong one */

/* Next to skv in a build tree, in the libraries' folder when installed. */
static void *open_library(void) {
  char path[PATH_MAX + sizeof "/../" SK__LIBDIR "/libskops.so"];
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length <= 0) return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (slash == NULL) return NULL;
  static const char *const places[] = {"/libskops.so", "/../" SK__LIBDIR "/libskops.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && library == NULL; i++) {
    strcpy(slash, places[i]);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

/* "float32 | float16", in the order of the list. */
static void print_dtypes(uint64_t set) {
  const char *between = "";
#define X(name, value, text, bytes)            \
  if ((set & SK_DTYPE_BIT(value)) != 0) {      \
    printf("%s%s", between, text);             \
    between = " | ";                           \
  }
  SK_DTYPE_LIST(X)
#undef X
}

static void print_tensors(const char *what, const sk_operator_tensor *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    printf("  %-11s %s: ", i == 0 ? what : "", tensors[i].name);
    print_dtypes(tensors[i].dtypes);
    printf("; %s%s\n", tensors[i].shape, tensors[i].optional ? "; optional" : "");
  }
}

static void print_operator(const sk_operator *op) {
  printf("%s  (%s, %s)\n  %-11s %s\n", op->name, op->torch_name, op->kernel_type, "rule", op->rule);
  print_tensors("inputs", op->inputs, op->input_count);
  print_tensors("outputs", op->outputs, op->output_count);
  for (uint32_t i = 0; i < op->attribute_count; i++)
    printf("  %-11s %s = %g: %s\n", i == 0 ? "attributes" : "", op->attributes[i].name, op->attributes[i].otherwise,
           op->attributes[i].legal);
  printf("  split       %s\n  sync        %s\n", op->split, op->sync);
}

static int no_operator(const char *given, const sk_operator *records, size_t count) {
  const char *near = NULL, *names[MOST_OPERATORS * 2];
  size_t known = 0;
  for (size_t i = 0; i < count && i < MOST_OPERATORS; i++) {
    names[known++] = records[i].name;
    names[known++] = records[i].torch_name;
  }
  near = sk__nearest(given, names, known);
  return near != NULL ? sk__cli_usage("ops", "no operator '%s' (did you mean '%s'?); skv ops lists them", given, near)
                      : sk__cli_usage("ops", "no operator '%s'; skv ops lists them", given);
}

int sk__cli_ops(int argc, char **argv) {
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    printf("usage: skv ops [NAME]\n\nLists the operator library, or one operator by its GE or torch name.\n\n"
           "examples:\n  skv ops\n  skv ops npu_dynamic_quant\n");
    return SK__EXIT_CLEAN;
  }
  if (argc > 2) return sk__cli_usage("ops", "takes one name, given %d", argc - 1);
  void *library = open_library();
  const sk_operator *(*all)(size_t *) = NULL;
  if (library != NULL) *(void **)&all = dlsym(library, "sk_operator_all");
  if (all == NULL) {
    fprintf(stderr, "skv ops: the operator library cannot be loaded: %s\n", dlerror());
    return SK__EXIT_INTERNAL;
  }
  size_t count = 0, printed = 0;
  const sk_operator *records = all(&count);
  for (size_t i = 0; i < count; i++) {
    if (argc > 1 && strcmp(argv[1], records[i].name) != 0 && strcmp(argv[1], records[i].torch_name) != 0) continue;
    if (printed++ > 0) printf("\n");
    print_operator(&records[i]);
  }
  return printed > 0 ? SK__EXIT_CLEAN : no_operator(argv[1], records, count);
}
