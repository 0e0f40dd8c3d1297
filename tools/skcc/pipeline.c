/* pipeline.c - sources to objects: preprocess, rewrite and compile the parts, then make one object of them.
 *
 * A job is a process of its own: one makes host part and vector half of a source, one its cube half. As
 * many run at a time as there are processors. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a job's exit code says beyond EXIT_*: bits for the parts it made or knows to be needed. */
enum { JOB_DONE = 64, JOB_HAS_VECTOR = 1, JOB_WANTS_CUBE = 2, JOB_NO_CUBE = 4, JOB_TEMPLATES = 8 };

typedef struct job {
  const options *options;
  const places *places;
  const input *input;
  bool cube;
  char *preprocessed, *messages, *host_messages;
  char *rewritten[3], *object[3]; /* by part */
  process process;
  bool started;
  int result;
} job;

bool is_clang(const char *compiler) {
  const char *slash = strrchr(compiler, '/');
  return strstr(slash != NULL ? slash : compiler, "clang") != NULL;
}

const char *compiler_of(const options *o, bool cplusplus) { return cplusplus ? o->cxx : o->cc; }

static void add_language_flags(const job *j, list *argv) {
  const options *o = j->options;
  list_add(argv, j->input->cplusplus ? "-std=gnu++17" : "-std=gnu11");
  list_add(argv, "-fno-strict-aliasing"); /* kernels copy tilings word by word through pointers of another type */
  if (!j->input->cplusplus) list_add(argv, "-Werror=implicit-function-declaration"); /* a misspelt instruction, else found by the linker */
  list_join(argv, j->input->cplusplus ? &o->cpp_only : &o->c_only);
  list_join(argv, &o->compile);
  list_add(argv, "-fPIC");
}

static int preprocess(const job *j) {
  const options *o = j->options;
  list argv = {0};
  list_add_words(&argv, compiler_of(o, j->input->cplusplus));
  list_add(&argv, "-E");
  list_add(&argv, "-x");
  list_add(&argv, j->input->cplusplus ? "c++" : "c");
  add_language_flags(j, &argv);
  list_join(&argv, &o->preprocess);
  list_addf(&argv, "-isystem%s", j->places->include_ascendc);
  list_addf(&argv, "-idirafter%s", j->places->include); /* may be /usr/include, which bears nothing else */
  add_half_macros(&argv, j->cube);
  if (!j->cube) list_join(&argv, &o->depend);
  list_add(&argv, j->input->path);
  list_add(&argv, "-o");
  list_add(&argv, j->preprocessed);
  return run_command(&argv, j->messages);
}

static void add_hook_flags(const char *compiler, list *argv) {
  /* Places and accesses must be those of the source, by either compiler: calls, stores or functions that look alike, made
   * one, would show one line for both, or none; a last call turned into a jump its caller's line. What one access is, and
   * how often a place comes by, must not depend on which loops are unrolled or made vector code. */
  static const char *const common[] = {"-fsanitize=thread", "-fno-plt", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                                       "-fno-builtin-memset", "-fno-optimize-sibling-calls", "-fno-unroll-loops"};
  static const char *const gcc[] = {"--param=tsan-instrument-func-entry-exit=0", "-fno-semantic-interposition", "-Wno-tsan",
                                    "-fno-tree-tail-merge", "-fno-crossjumping", "-fno-ipa-icf", "-fno-tree-cselim",
                                    "-fno-peel-loops", "--param=max-completely-peel-times=0"};
  static const char *const clang[] = {"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-read-before-write=1",
                                      "-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-simplifycfg-hoist-common=false",
                                      "-mllvm", "-enable-tail-merge=false", "-fno-vectorize", "-fno-slp-vectorize"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++) list_add(argv, common[i]);
  if (is_clang(compiler))
    for (size_t i = 0; i < sizeof clang / sizeof *clang; i++) list_add(argv, clang[i]);
  else
    for (size_t i = 0; i < sizeof gcc / sizeof *gcc; i++) list_add(argv, gcc[i]);
}

/* The host part of a source with halves keeps its warnings to itself: the vector half has said them. */
static process start_compiler(const job *j, part which, bool hooks, bool quiet) {
  bool cplusplus = j->input->cplusplus;
  const char *compiler = compiler_of(j->options, cplusplus);
  list argv = {0};
  list_add_words(&argv, compiler);
  list_add(&argv, "-c");
  list_add(&argv, "-x");
  list_add(&argv, cplusplus ? "c++-cpp-output" : "cpp-output");
  add_language_flags(j, &argv);
  if (hooks) add_hook_flags(compiler, &argv);
  if (quiet) list_add(&argv, "-w");
  if (!hooks && quiet) list_add(&argv, "-fno-optimize-sibling-calls"); /* who calls a kernel like a function is named by his line */
  /* "One per process" would join the statics of equal inline functions and templates of two halves, and of
   * two operator libraries. */
  if (cplusplus && !is_clang(compiler)) list_add(&argv, "-fno-gnu-unique");
  list_add(&argv, j->rewritten[which]);
  list_add(&argv, "-o");
  list_add(&argv, j->object[which]);
  return run_start(&argv, quiet ? j->host_messages : j->messages);
}

static bool write_file(const char *path, const text *content) {
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fwrite(content->bytes, 1, content->length, file) == content->length;
  if (file != NULL && fclose(file) != 0) good = false;
  if (!good) fprintf(stderr, "skcc: cannot write '%s': %s\n", path, strerror(errno));
  return good;
}

static bool has_templates(const unit *u) {
  for (size_t i = 0; i < u->kernel_count; i++)
    if (u->kernels[i].is_template) return true;
  return false;
}

/* A half gives the program its entries and nothing else: groups are dissolved (all parts may hold the same
 * inline function, compiled differently), other names become local, constructors go. An instance of a template by
 * something of this file alone is local to the compiler; its entry is global until the parts are joined. */
static int keep_entries(const job *j, part which, bool templates) {
  const char *object = j->object[which];
  char *merged = format_string("%s.r", object);
  list ld = {0}, show = {0}, objcopy = {0};
  const char *const ld_words[] = {"ld", "-r", "--force-group-allocation", "-o", merged, object};
  for (size_t i = 0; i < sizeof ld_words / sizeof *ld_words; i++) list_add(&ld, ld_words[i]);
  int code = run_command(&ld, j->messages);
  if (code != 0) return code;
  const char *const shown[] = {"objcopy", "--wildcard", which == PART_CUBE ? "--globalize-symbol=*sk__aic_*" : "--globalize-symbol=*sk__aiv_*", merged};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) list_add(&show, shown[i]);
  if (templates && (code = run_command(&show, j->messages)) != 0) return code;
  const char *const words[] = {"objcopy", "--wildcard", which == PART_CUBE ? "--keep-global-symbol=*sk__aic_*" : "--keep-global-symbol=*sk__aiv_*",
                               "--remove-section=.init_array*", "--remove-section=.fini_array*", "--remove-section=.ctors*",
                               "--remove-section=.dtors*", "--remove-section=.llvm_addrsig", merged, object};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) list_add(&objcopy, words[i]);
  return run_command(&objcopy, j->messages);
}

static bool make_text(const job *j, const unit *read, part which, unit *u) {
  text out = {0};
  bool good = rewrite_part(read, which, u, &out);
  bool said = which == PART_VECTOR && good; /* by the host part, which comes first */
  FILE *messages = u->messages.length > 0 && !said ? fopen(j->messages, "a") : NULL;
  if (messages != NULL) {
    fwrite(u->messages.bytes, 1, u->messages.length, messages);
    fclose(messages);
  }
  return good && write_file(j->rewritten[which], &out);
}

static bool defines(const options *o, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < o->preprocess.count; i++) {
    const char *option = o->preprocess.items[i];
    bool apart = strcmp(option, "-D") == 0 && i + 1 < o->preprocess.count;
    const char *defined = apart ? o->preprocess.items[i + 1] : strncmp(option, "-D", 2) == 0 ? option + 2 : "";
    if (strncmp(defined, name, length) == 0 && (defined[length] == '\0' || defined[length] == '=')) return true;
  }
  return false;
}

/* Of kernels that a library is made of; in front of the tiling, if there is one, as operators of the framework have it. */
static unsigned workspace_of(const options *o) {
  if (o->launch_headers == NULL || !defines(o, "HAVE_WORKSPACE")) return 0;
  return defines(o, "HAVE_TILING") ? 2 : 1;
}

static bool read_preprocessed(const job *j, unit *u) {
  if (preprocess(j) != 0) return false;
  *u = (unit){.name = j->input->path, .cplusplus = j->input->cplusplus, .kernel_type = j->options->kernel_type,
              .launch_headers = j->options->launch_headers, .workspace = workspace_of(j->options)};
  for (size_t i = 0; i < j->options->compile.count; i++) u->quiet |= strcmp(j->options->compile.items[i], "-w") == 0;
  if (read_file(j->preprocessed, &u->source)) {
    rewrite_read(u);
    return true;
  }
  fprintf(stderr, "skcc: cannot read '%s': %s\n", j->preprocessed, strerror(errno));
  return false;
}

static int run_cube(const job *j, const unit *read) {
  unit u;
  if (!make_text(j, read, PART_CUBE, &u)) return EXIT_COMPILE;
  if (!u.needs_cube_half) return JOB_DONE | JOB_NO_CUBE;
  if (j->options->kind == OUTPUT_TEXT) return JOB_DONE;
  if (run_wait(start_compiler(j, PART_CUBE, true, false)) != 0) return EXIT_COMPILE;
  return keep_entries(j, PART_CUBE, has_templates(&u)) == 0 ? JOB_DONE : EXIT_INTERNAL;
}

static int run_host_and_vector(const job *j, const unit *read) {
  unit host, vector;
  if (!make_text(j, read, PART_HOST, &host) || !write_launch_headers(&host)) return EXIT_COMPILE;
  int result = JOB_DONE | (host.needs_vector_half ? JOB_HAS_VECTOR : 0) | (host.needs_cube_half ? JOB_WANTS_CUBE : 0) |
               (has_templates(&host) ? JOB_TEMPLATES : 0);
  bool halves = host.needs_vector_half || host.needs_cube_half;
  if (host.needs_vector_half && !make_text(j, read, PART_VECTOR, &vector)) return EXIT_COMPILE;
  if (j->options->kind == OUTPUT_TEXT) return result;
  process half = {0};
  if (host.needs_vector_half) half = start_compiler(j, PART_VECTOR, true, false);
  /* Device functions without a kernel serve those of other files. */
  int code = run_wait(start_compiler(j, PART_HOST, host.has_device_code && !halves, halves));
  if (host.needs_vector_half && run_wait(half) != 0) code = EXIT_COMPILE;
  if (code != 0) return EXIT_COMPILE;
  if (host.needs_vector_half && keep_entries(j, PART_VECTOR, has_templates(&host)) != 0) return EXIT_INTERNAL;
  return result;
}

static int run_half(void *context) {
  const job *j = context;
  unit read;
  if (!read_preprocessed(j, &read)) return EXIT_COMPILE;
  return j->cube ? run_cube(j, &read) : run_host_and_vector(j, &read);
}

/* ---- scheduling -------------------------------------------------------------------------------- */

static job new_job(const options *o, const places *p, size_t number, bool cube) {
  static const char *const parts[] = {"host", "aiv", "aic"};
  job j = {.options = o, .places = p, .input = &o->inputs[number], .cube = cube};
  const char *type = j.input->cplusplus ? "ii" : "i";
  char *stem = run_temp_file("");
  for (unsigned i = 0; i < 3; i++) {
    j.rewritten[i] = format_string("%s%zu.%s.%s", stem, number, parts[i], type);
    j.object[i] = format_string("%s%zu.%s.o", stem, number, parts[i]);
  }
  j.preprocessed = format_string("%s%zu.%s.pre.%s", stem, number, parts[cube ? PART_CUBE : PART_VECTOR], type);
  j.messages = format_string("%s%zu.%s.messages", stem, number, parts[cube ? PART_CUBE : PART_VECTOR]);
  j.host_messages = format_string("%s%zu.host.messages", stem, number);
  free(stem);
  return j;
}

/* Jobs are in order; the oldest running one is waited for, which keeps the processors busy enough. */
static void run_jobs(job *jobs, size_t count) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t limit = processors > 1 ? (size_t)processors : 2, oldest = 0, next = 0;
  for (; next < count && !run_interrupted(); next++) {
    if (next - oldest >= limit) {
      jobs[oldest].result = run_job_result(jobs[oldest].process);
      oldest++;
    }
    jobs[next].started = true;
    jobs[next].process = run_job(run_half, &jobs[next]);
  }
  for (; oldest < next; oldest++) jobs[oldest].result = run_job_result(jobs[oldest].process);
}

static bool done(const job *j) { return j->started && (j->result & ~(JOB_HAS_VECTOR | JOB_WANTS_CUBE | JOB_NO_CUBE | JOB_TEMPLATES)) == JOB_DONE; }

static void print_text(const text *content) {
  text said = {0};
  text_of_refusals(content, &said);
  if (said.length > 0) fwrite(said.bytes, 1, said.length, stderr);
  fwrite(content->bytes, 1, content->length, stderr);
}
static void print_file(const char *path) {
  text content = {0};
  if (read_file(path, &content) && content.length > 0) print_text(&content);
}

/* Both halves usually say the same; then it is said once. */
static void print_messages(const job *vector, const job *cube) {
  text first = {0}, second = {0};
  (void)read_file(vector->messages, &first);
  if (first.length > 0) print_text(&first);
  else if (!done(vector)) print_file(vector->host_messages);
  if (cube == NULL || !cube->started || !read_file(cube->messages, &second) || second.length == 0) return;
  if (first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0) return;
  fprintf(stderr, "%s: in the cube half:\n", cube->input->path);
  print_text(&second);
}

static int join_parts(const job *vector, const job *cube, char **object) {
  *object = vector->object[PART_HOST];
  if ((vector->result & (JOB_HAS_VECTOR | JOB_WANTS_CUBE)) == 0) return 0;
  *object = format_string("%s.joined.o", vector->object[PART_HOST]);
  list argv = {0};
  const char *const words[] = {"ld", "-r", "-o", *object, vector->object[PART_HOST]};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) list_add(&argv, words[i]);
  if (vector->result & JOB_HAS_VECTOR) list_add(&argv, vector->object[PART_VECTOR]);
  if (vector->result & JOB_WANTS_CUBE) list_add(&argv, cube->object[PART_CUBE]);
  if (run_command(&argv, NULL) != 0) return EXIT_INTERNAL;
  if ((vector->result & JOB_TEMPLATES) == 0) return 0;
  /* Only the host part of the same file names the entries. */
  const char *const local[] = {"objcopy", "--wildcard", "--localize-symbol=*sk__aiv_*", "--localize-symbol=*sk__aic_*", *object};
  list objcopy = {0};
  for (size_t i = 0; i < sizeof local / sizeof *local; i++) list_add(&objcopy, local[i]);
  return run_command(&objcopy, NULL) == 0 ? 0 : EXIT_INTERNAL;
}

static int copy_text_output(const options *o, const job *vector, const job *cube) {
  const struct { bool wanted; const char *title, *path; } parts[] = {
    {true, "host part", vector->rewritten[PART_HOST]},
    {(vector->result & JOB_HAS_VECTOR) != 0, "vector half", vector->rewritten[PART_VECTOR]},
    {cube != NULL && cube->started && (cube->result & JOB_NO_CUBE) == 0, "cube half", cube != NULL ? cube->rewritten[PART_CUBE] : ""}};
  FILE *out = o->output != NULL && strcmp(o->output, "-") != 0 ? fopen(o->output, "w") : stdout;
  for (size_t i = 0; i < 3 && out != NULL; i++) {
    text content = {0};
    if (!parts[i].wanted || !read_file(parts[i].path, &content)) continue;
    fprintf(out, "/* ---- %s ---- */\n", parts[i].title);
    fwrite(content.bytes, 1, content.length, out);
  }
  if (out == NULL || (out != stdout && fclose(out) != 0)) {
    fprintf(stderr, "skcc: cannot write '%s': %s\n", o->output, strerror(errno));
    return EXIT_COMPILE;
  }
  return 0;
}

static int collect(const options *o, const job *vector, const job *cube, char **object) {
  print_messages(vector, cube);
  if (!done(vector) || (cube != NULL && !done(cube))) {
    int worst = done(vector) ? 0 : vector->result;
    if (cube != NULL && !done(cube) && cube->result > worst) worst = cube->result;
    return worst == EXIT_COMPILE ? EXIT_COMPILE : EXIT_INTERNAL;
  }
  if (o->kind == OUTPUT_TEXT) return copy_text_output(o, vector, cube);
  return join_parts(vector, cube, object);
}

int compile_sources(const options *o, const places *p, char **objects) {
  job *jobs = NULL, **vectors = NULL, **cubes = NULL;
  size_t count = 0, capacity = 0, room = 0, room2 = 0;
  for (size_t i = 0; i < o->input_count; i++) {
    vectors = grow(vectors, i, &room, sizeof *vectors);
    cubes = grow(cubes, i, &room2, sizeof *cubes);
    vectors[i] = cubes[i] = NULL;
  }
  for (size_t i = 0; i < o->input_count * 2; i++) jobs = grow(jobs, i, &capacity, sizeof *jobs);
  for (size_t i = 0; i < o->input_count; i++) {
    const input *in = &o->inputs[i];
    if (!in->source) continue;
    bool cube = false;
    uint32_t flags = 0;
    if (!lex_raw_facts(in->path, &flags, &cube)) {
      fprintf(stderr, "skcc: cannot read '%s': %s\n", in->path, strerror(errno));
      return EXIT_USAGE;
    }
    jobs[count] = new_job(o, p, i, false);
    vectors[i] = &jobs[count++];
    if (!cube) continue;
    jobs[count] = new_job(o, p, i, true);
    cubes[i] = &jobs[count++];
  }
  run_jobs(jobs, count);
  for (size_t i = 0; i < o->input_count; i++) { /* cube kernels that only an included file shows */
    if (vectors[i] == NULL || cubes[i] != NULL || !done(vectors[i]) || (vectors[i]->result & JOB_WANTS_CUBE) == 0) continue;
    jobs[count] = new_job(o, p, i, true);
    cubes[i] = &jobs[count++];
    run_jobs(cubes[i], 1);
  }
  int code = 0;
  for (size_t i = 0; i < o->input_count && !run_interrupted(); i++) {
    int result = vectors[i] != NULL ? collect(o, vectors[i], cubes[i], &objects[i]) : 0;
    if (result > code) code = result;
  }
  return run_interrupted() ? EXIT_INTERNAL : code;
}
