/* options.c - the command line. What is not known is refused by name. */
#include "skcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skcc_config.h"

static const char help[] =
    "usage: skcc [options] file...\n"
    "\n"
    "Compiles kernel sources (.asc, .cpp: C++17; .c: C11) with their host code into a program that runs on\n"
    "the simulated NPU. Objects, archives and shared objects among the files go to the linker.\n"
    "\n"
    "  -o FILE           output (default a.out; with -c the source's name with .o)\n"
    "  -c                one object per source; link them with skcc again\n"
    "  -shared           a shared object\n"
    "  --rewrite-only    the rewritten, preprocessed text, to standard output or -o (also -E)\n"
    "  -x c|c++|none     language of the files that follow\n"
    "  --cc=COMMAND      compiler for C and C++ (gcc or clang; default $SKCC_CC, $SKCC_CXX, gcc, g++)\n"
    "  --kernel-type=T   vector, cube, mix(1,1) or mix(1,2): kernels of __aicore__ alone (default vector)\n"
    "  --launch-headers=DIR  for each kernel aclrtlaunch_NAME(blocks, stream, ...), which hosts of other compilers call, and\n"
    "                    DIR/aclrtlaunch_NAME.h; with -DHAVE_WORKSPACE the last parameter (-DHAVE_TILING: the last but\n"
    "                    one) is the workspace, whose system part the kernel does not see\n"
    "  --link-options    print what another compiler needs to link objects of skcc\n"
    "  -v                print the commands that are run\n"
    "  --save-temps      keep the temporary directory and say where it is\n"
    "  -MJ FILE          adds each source's entry for compile_commands.json, as clang does\n"
    "  --help, --version\n"
    "\n"
    "Passed on: -I -D -U -include -isystem -iquote -std= -O -g -W -w -f -m -pthread -pedantic -MD -MMD -MP -MF\n"
    "-MT -MQ -l -L -Wl, -Xlinker -rdynamic -s. Without -O and -g: -O2 -g.\n"
    "Taken as build files for the chip have them: --npu-arch=dav-2201 -dc --cce-... -mllvm -cce-...\n"
    "-lascendcl -ltiling_api and their like, which libsuperkernel.so stands for.\n"
    "\n"
    "A kernel is a __global__ function with __vector__, __cube__ or __mix__(c,v). With __aicore__ alone it is a\n"
    "vector kernel, unless KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_...) in its body says otherwise, and a mix kernel 1:2\n"
    "where REGIST_MATMUL_OBJ is in its body (with ASCENDC_CUBE_ONLY a cube kernel) or a parameter is the\n"
    "__kfc_workspace__ of Matmul objects, which is then the kernel's system workspace.\n"
    "\n"
    "  skcc -o add add.asc                          a program\n"
    "  skcc -shared -o libops.so add.asc matmul.c   a library of operators\n"
    "  skcc -c add.asc && skcc -o add add.o main.cpp\n"
    "  SKCC_CC=clang SKCC_CXX=clang++ skcc -O3 add.asc\n"
    "\n"
    "Exit code: 0 done, 1 the sources do not compile or link, 2 wrong usage, 4 internal error.\n";

#define LONG_OPTIONS "--npu-arch=, --kernel-type=, --cc=, --cce-..., --rewrite-only, --save-temps, --shared, --help, --version"

int usage_error(const char *format, const char *what) {
  fprintf(stderr, "skcc: ");
  fprintf(stderr, format, what);
  fprintf(stderr, "\n");
  return EXIT_USAGE;
}

/* ---- options with a value, joined (-Idir) or apart (-I dir) ------------------------------------- */

typedef enum place { TO_PREPROCESS, TO_LINK, TO_DEPEND } place;

static const struct { const char *name; place place; bool only_apart; } valued[] = {
  {"-isystem", TO_PREPROCESS, false}, {"-iquote", TO_PREPROCESS, false}, {"-idirafter", TO_PREPROCESS, false},
  {"-include", TO_PREPROCESS, true}, {"-imacros", TO_PREPROCESS, true}, {"-I", TO_PREPROCESS, false},
  {"-D", TO_PREPROCESS, false}, {"-U", TO_PREPROCESS, false}, {"-Xlinker", TO_LINK, true}, {"-L", TO_LINK, false},
  {"-l", TO_LINK, false}, {"-MF", TO_DEPEND, false}, {"-MT", TO_DEPEND, false}, {"-MQ", TO_DEPEND, false},
};

static const char *const compile_prefixes[] = {"-O", "-g", "-W", "-f", "-m", "-pedantic", "-pthread", "-w", "-ansi"};
static const char *const link_words[] = {"-rdynamic", "-s", "-static-libgcc", "-static-libstdc++", "-no-pie", "-pie"};

static bool starts(const char *string, const char *prefix) { return strncmp(string, prefix, strlen(prefix)) == 0; }

static list *list_of(options *o, place where) {
  return where == TO_PREPROCESS ? &o->preprocess : where == TO_LINK ? &o->link : &o->depend;
}

static int parse_valued(options *o, int left, char **argv) {
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
    const char *name = valued[i].name;
    if (!starts(argv[0], name)) continue;
    bool apart = strcmp(argv[0], name) == 0;
    if (!apart && valued[i].only_apart) continue;
    if (apart && left < 2) return usage_error("'%s' needs a value", name);
    const char *value = apart ? argv[1] : argv[0] + strlen(name);
    if (strcmp(name, "-l") == 0 && npu_library(value)) return apart ? USED_TWO : USED_ONE;
    list *to = list_of(o, valued[i].place);
    list_add(to, argv[0]);
    if (apart) list_add(to, argv[1]);
    if (strncmp(argv[0], "-MF", 3) == 0) o->depends_named = true;
    if (strncmp(argv[0], "-MT", 3) == 0 || strncmp(argv[0], "-MQ", 3) == 0) o->depends_target = true;
    return apart ? USED_TWO : USED_ONE;
  }
  return NOT_MINE;
}

static bool parse_passed_on(options *o, const char *option) {
  if (starts(option, "-std=")) {
    bool cpp = strstr(option, "++") != NULL;
    list_add(cpp ? &o->cpp_only : &o->c_only, option);
    return true;
  }
  if (starts(option, "-Wl,")) {
    list_add(&o->link, option);
    return true;
  }
  if (strcmp(option, "-MD") == 0 || strcmp(option, "-MMD") == 0 || strcmp(option, "-MP") == 0) {
    list_add(&o->depend, option);
    return true;
  }
  for (size_t i = 0; i < sizeof link_words / sizeof *link_words; i++)
    if (strcmp(option, link_words[i]) == 0) {
      list_add(&o->link, option);
      return true;
    }
  for (size_t i = 0; i < sizeof compile_prefixes / sizeof *compile_prefixes; i++)
    if (starts(option, compile_prefixes[i])) {
      list_add(&o->compile, option);
      return true;
    }
  return false;
}

/* ---- input files --------------------------------------------------------------------------------- */

static bool ends(const char *string, const char *suffix) {
  size_t length = strlen(string), n = strlen(suffix);
  return length > n && strcmp(string + length - n, suffix) == 0;
}

static bool add_input(options *o, const char *path, const char *language) {
  static const char *const cpp[] = {".asc", ".cpp", ".cc", ".cxx", ".C"};
  static const char *const binary[] = {".o", ".a", ".so", ".lo", ".obj"};
  input in = {.path = path};
  if (language != NULL) {
    in.source = true;
    in.cplusplus = strcmp(language, "c++") == 0;
  }
  bool known = language != NULL;
  for (size_t i = 0; i < sizeof cpp / sizeof *cpp && !known; i++)
    if (ends(path, cpp[i])) known = in.source = in.cplusplus = true;
  if (!known && ends(path, ".c")) known = in.source = true;
  for (size_t i = 0; i < sizeof binary / sizeof *binary && !known; i++) known = ends(path, binary[i]);
  if (!known) known = strstr(path, ".so.") != NULL;
  if (!known) return false;
  o->inputs = grow(o->inputs, o->input_count, &o->input_capacity, sizeof *o->inputs);
  o->inputs[o->input_count++] = in;
  return true;
}

/* ---- the whole line ------------------------------------------------------------------------------ */

static int parse_language(int left, char **argv, const char **language) {
  static const char *const names[][2] = {{"c", "c"}, {"c++", "c++"}, {"asc", "c++"}, {"none", NULL}};
  bool apart = argv[0][2] == '\0';
  if (apart && left < 2) return usage_error("'%s' needs a value", argv[0]);
  const char *name = apart ? argv[1] : argv[0] + 2;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i][0]) == 0) {
      *language = names[i][1];
      return apart ? USED_TWO : USED_ONE;
    }
  return usage_error("language '%s' is not known: c, c++, asc or none", name);
}

static int parse_kernel_type(options *o, const char *name) {
  static const struct { const char *name; int type; } types[] = {
    {"vector", KERNEL_AIV}, {"cube", KERNEL_AIC}, {"mix(1,1)", KERNEL_MIX_1_1}, {"mix(1,2)", KERNEL_MIX_1_2}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(name, types[i].name) == 0) {
      o->kernel_type = types[i].type;
      return USED_ONE;
    }
  return usage_error("--kernel-type=%s: vector, cube, mix(1,1) or mix(1,2)", name);
}

/* Options of skcc itself. */
static int parse_own(options *o, int left, char **argv, const char **language) {
  const char *a = argv[0];
  if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) return fputs(help, stdout) < 0 ? EXIT_INTERNAL : 0;
  if (strcmp(a, "--version") == 0) return printf("skcc %s\n", SKCC_VERSION) < 0 ? EXIT_INTERNAL : 0;
  if (starts(a, "-x")) return parse_language(left, argv, language);
  if (starts(a, "-o")) {
    bool apart = a[2] == '\0';
    if (apart && left < 2) return usage_error("'%s' needs a value", a);
    o->output = apart ? argv[1] : a + 2;
    return apart ? USED_TWO : USED_ONE;
  }
  if (starts(a, "-MJ")) {
    bool apart = a[3] == '\0';
    if (apart && left < 2) return usage_error("'%s' needs a value", a);
    o->commands = apart ? argv[1] : a + 3;
    return apart ? USED_TWO : USED_ONE;
  }
  if (strcmp(a, "-c") == 0) o->kind = OUTPUT_OBJECT;
  else if (strcmp(a, "-shared") == 0 || strcmp(a, "--shared") == 0) o->kind = OUTPUT_SHARED;
  else if (strcmp(a, "--rewrite-only") == 0 || strcmp(a, "-E") == 0) o->kind = OUTPUT_TEXT;
  else if (strcmp(a, "-v") == 0) o->verbose = true;
  else if (strcmp(a, "--save-temps") == 0 || strcmp(a, "-save-temps") == 0) o->save_temps = true;
  else if (starts(a, "--kernel-type=")) return parse_kernel_type(o, a + strlen("--kernel-type="));
  else if (strcmp(a, "--link-options") == 0) o->kind = OUTPUT_LINK_OPTIONS;
  else if (starts(a, "--launch-headers=")) o->launch_headers = a + strlen("--launch-headers=");
  else if (starts(a, "--cc=")) o->cc = a + strlen("--cc=");
  else return NOT_MINE;
  return USED_ONE;
}

/* g++ stands beside gcc, clang++ beside clang, c++ beside cc; NULL if there is no such name. */
static char *cxx_beside(const char *cc) {
  static const char *const pairs[][2] = {{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
  if (ends(cc, "++")) return copy_string(cc, strlen(cc));
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const char *at = NULL;
    for (const char *c = cc; (c = strstr(c, pairs[i][0])) != NULL; c++)
      if (c == cc || strchr("/- ", c[-1]) != NULL) at = c; /* a whole word: icc is not cc */
    if (at != NULL) return format_string("%.*s%s%s", (int)(at - cc), cc, pairs[i][1], at + strlen(pairs[i][0]));
  }
  return NULL;
}

static int choose_compilers(options *o) {
  if (o->cc == NULL) {
    o->cc = getenv("SKCC_CC");
    o->cxx = getenv("SKCC_CXX");
  }
  if (o->cc == NULL || *o->cc == '\0') o->cc = "gcc";
  if (o->cxx == NULL || *o->cxx == '\0') o->cxx = cxx_beside(o->cc);
  if (o->cxx == NULL) return usage_error("set SKCC_CXX: there is no known C++ compiler beside '%s'", o->cc);
  return GO_ON;
}

static int check_options(options *o) {
  if (o->input_count == 0 && o->kind != OUTPUT_LINK_OPTIONS) return usage_error("%s", "no input file; --help explains");
  size_t sources = 0;
  for (size_t i = 0; i < o->input_count; i++) {
    sources += o->inputs[i].source;
    if (!o->inputs[i].source && o->kind == OUTPUT_OBJECT)
      return usage_error("'%s' cannot be compiled with -c", o->inputs[i].path);
  }
  bool single = o->kind == OUTPUT_OBJECT || o->kind == OUTPUT_TEXT;
  if (single && sources != 1 && o->output != NULL) return usage_error("%s", "-o names one file, but there are several sources");
  for (size_t i = 0; i < o->compile.count; i++) {
    const char *option = o->compile.items[i];
    if (starts(option, "-flto")) return usage_error("'%s' is not supported: the halves of a kernel are separate objects", option);
    if (strcmp(option, "-fsanitize=thread") == 0 || strcmp(option, "-fsanitize=address") == 0)
      return usage_error("'%s' is not supported: its place is taken by the memory hooks", option);
  }
  return choose_compilers(o);
}

static void add_defaults(options *o) {
  bool optimised = false, debug = false;
  for (size_t i = 0; i < o->compile.count; i++) {
    optimised |= starts(o->compile.items[i], "-O");
    debug |= starts(o->compile.items[i], "-g");
  }
  if (!optimised) list_add(&o->compile, "-O2");
  if (!debug) list_add(&o->compile, "-g");
}

int options_parse(options *o, int argc, char **argv) {
  const char *language = NULL;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (*a != '-' || a[1] == '\0') {
      if (!add_input(o, a, language)) return usage_error("'%s': unknown file type (.asc .c .cpp .cc .cxx .o .a .so)", a);
      continue;
    }
    int used = parse_own(o, argc - i, argv + i, &language);
    if (used == NOT_MINE) used = parse_npu(o, argc - i, argv + i);
    if (used == NOT_MINE) used = parse_valued(o, argc - i, argv + i);
    if (used == NOT_MINE && parse_passed_on(o, a)) used = USED_ONE;
    if (used == NOT_MINE) return usage_error("unknown option '%s'; legal: " LONG_OPTIONS ", and those of a compiler that --help lists", a);
    if (used >= 0) return used;
    if (used == USED_TWO) i++;
  }
  int code = check_options(o);
  if (code == GO_ON) add_defaults(o);
  return code;
}

/* What depends on other options: names of dependency files, colours. */
void options_finish(options *o) {
  if (isatty(STDERR_FILENO)) list_add(&o->compile, "-fdiagnostics-color=always");
  if (o->depend.count == 0) return;
  const char *target = o->output;
  for (size_t i = 0; i < o->input_count && target == NULL; i++)
    if (o->inputs[i].source) target = o->kind == OUTPUT_OBJECT ? object_name(o->inputs[i].path) : "a.out";
  if (!o->depends_target) {
    list_add(&o->depend, "-MT");
    list_add(&o->depend, target);
  }
  if (!o->depends_named) {
    const char *dot = strrchr(target, '.'), *slash = strrchr(target, '/');
    bool suffix = dot != NULL && (slash == NULL || dot > slash + 1);
    list_add(&o->depend, "-MF");
    list_addf(&o->depend, "%.*s.d", suffix ? (int)(dot - target) : (int)strlen(target), target);
  }
}
