/* pipeline.c - each half of each source: preprocess, rewrite, compile; then the halves become one object.
 *
 * Halves and sources are jobs in processes of their own, as many at a time as there are processors. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a job's exit code says beyond EXIT_*. */
enum { JOB_DONE = 0, JOB_WANTS_CUBE = 64, JOB_NO_CUBE = 65 };

typedef struct job {
  const options *options;
  const places *places;
  const input *input;
  size_t number;
  bool cube;
  char *preprocessed, *rewritten, *object, *messages;
  process process;
  bool started, finished;
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
  list_addf(&argv, "-isystem%s", j->places->include);
  list_addf(&argv, "-isystem%s", j->places->include_ascendc);
  list_add(&argv, "-D__SKCC__=1");
  list_addf(&argv, "-DSK_HALF_AIV=%d", !j->cube);
  list_addf(&argv, "-DSK_HALF_AIC=%d", j->cube);
  list_add(&argv, j->cube ? "-D__DAV_CUBE__=1" : "-D__DAV_VEC__=1");
  if (!j->cube) list_join(&argv, &o->depend);
  list_add(&argv, j->input->path);
  list_add(&argv, "-o");
  list_add(&argv, j->preprocessed);
  return run_command(&argv, NULL, j->messages);
}

static void add_hook_flags(const char *compiler, list *argv) {
  static const char *const common[] = {"-fsanitize=thread", "-fno-plt", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                                       "-fno-builtin-memset"};
  static const char *const gcc[] = {"--param=tsan-instrument-func-entry-exit=0", "-fno-semantic-interposition", "-Wno-tsan"};
  static const char *const clang[] = {"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
                                      "-tsan-instrument-read-before-write=1"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++) list_add(argv, common[i]);
  if (is_clang(compiler))
    for (size_t i = 0; i < sizeof clang / sizeof *clang; i++) list_add(argv, clang[i]);
  else
    for (size_t i = 0; i < sizeof gcc / sizeof *gcc; i++) list_add(argv, gcc[i]);
}

static int compile(const job *j, bool hooks) {
  bool cplusplus = j->input->cplusplus;
  const char *compiler = compiler_of(j->options, cplusplus);
  list argv = {0};
  list_add_words(&argv, compiler);
  list_add(&argv, "-c");
  list_add(&argv, "-x");
  list_add(&argv, cplusplus ? "c++-cpp-output" : "cpp-output");
  add_language_flags(j, &argv);
  if (hooks) add_hook_flags(compiler, &argv);
  /* "One per process" would join the statics of equal inline functions and templates of two halves, and of
   * two operator libraries. */
  if (cplusplus && !is_clang(compiler)) list_add(&argv, "-fno-gnu-unique");
  list_add(&argv, j->rewritten);
  list_add(&argv, "-o");
  list_add(&argv, j->object);
  return run_command(&argv, NULL, j->messages);
}

static bool write_file(const char *path, const text *content) {
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fwrite(content->bytes, 1, content->length, file) == content->length;
  if (file != NULL && fclose(file) != 0) good = false;
  if (!good) fprintf(stderr, "skcc: cannot write '%s': %s\n", path, strerror(errno));
  return good;
}

/* The cube half gives the program its entries and nothing else: groups are dissolved (both halves may
 * hold the same inline function, compiled differently), other names become local, constructors go. */
static int keep_entries(const job *j) {
  char *merged = format_string("%s.r", j->object);
  list ld = {0}, objcopy = {0};
  const char *const ld_words[] = {"ld", "-r", "--force-group-allocation", "-o", merged, j->object};
  for (size_t i = 0; i < sizeof ld_words / sizeof *ld_words; i++) list_add(&ld, ld_words[i]);
  int code = run_command(&ld, NULL, j->messages);
  if (code != 0) return code;
  const char *const words[] = {"objcopy", "--wildcard", "--keep-global-symbol=*sk__aic_*", "--remove-section=.init_array*",
                               "--remove-section=.fini_array*", "--remove-section=.ctors*", "--remove-section=.dtors*",
                               "--remove-section=.llvm_addrsig", merged, j->object};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) list_add(&objcopy, words[i]);
  return run_command(&objcopy, NULL, j->messages);
}

static int run_half(void *context) {
  job *j = context;
  if (preprocess(j) != 0) return EXIT_COMPILE;
  unit u = {.name = j->input->path, .cplusplus = j->input->cplusplus, .cube_half = j->cube};
  if (!read_file(j->preprocessed, &u.source)) {
    fprintf(stderr, "skcc: cannot read '%s': %s\n", j->preprocessed, strerror(errno));
    return EXIT_INTERNAL;
  }
  text out = {0};
  if (!rewrite(&u, &out)) {
    FILE *messages = fopen(j->messages, "a");
    if (messages != NULL) {
      fwrite(u.messages.bytes, 1, u.messages.length, messages);
      fclose(messages);
    }
    return EXIT_COMPILE;
  }
  if (j->cube && !u.needs_cube_half) return JOB_NO_CUBE;
  if (!write_file(j->rewritten, &out)) return EXIT_INTERNAL;
  if (j->options->kind == OUTPUT_TEXT) return JOB_DONE;
  if (compile(j, u.has_device_code) != 0) return EXIT_COMPILE;
  if (j->cube) return keep_entries(j) == 0 ? JOB_DONE : EXIT_INTERNAL;
  return u.needs_cube_half ? JOB_WANTS_CUBE : JOB_DONE;
}

/* ---- scheduling -------------------------------------------------------------------------------- */

static void start(job *j) {
  j->started = true;
  j->process = run_job(run_half, j);
}

static void finish(job *j) {
  j->result = run_job_result(j->process);
  j->finished = true;
}

static job new_job(const options *o, const places *p, size_t number, bool cube) {
  job j = {.options = o, .places = p, .input = &o->inputs[number], .number = number, .cube = cube};
  const char *half = cube ? "aic" : "aiv", *type = j.input->cplusplus ? "ii" : "i";
  char *stem = run_temp_file("");
  j.preprocessed = format_string("%s%zu.%s.pre.%s", stem, number, half, type);
  j.rewritten = format_string("%s%zu.%s.%s", stem, number, half, type);
  j.object = format_string("%s%zu.%s.o", stem, number, half);
  j.messages = format_string("%s%zu.%s.messages", stem, number, half);
  free(stem);
  return j;
}

/* Jobs are in order; the oldest running one is waited for, which keeps the processors busy enough. */
static void run_jobs(job *jobs, size_t count) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t limit = processors > 1 ? (size_t)processors : 2, oldest = 0;
  for (size_t next = 0; next < count && !run_interrupted(); next++) {
    if (next - oldest >= limit) finish(&jobs[oldest++]);
    start(&jobs[next]);
  }
  for (; oldest < count; oldest++)
    if (jobs[oldest].started && !jobs[oldest].finished) finish(&jobs[oldest]);
}

static bool failed(const job *j) {
  return j->started && j->result != JOB_DONE && j->result != JOB_WANTS_CUBE && j->result != JOB_NO_CUBE;
}

/* Both halves usually say the same; then it is said once. */
static void print_messages(const job *vector, const job *cube) {
  text first = {0}, second = {0};
  (void)read_file(vector->messages, &first);
  if (first.length > 0) fwrite(first.bytes, 1, first.length, stderr);
  if (cube == NULL || !cube->started || !read_file(cube->messages, &second) || second.length == 0) return;
  if (first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0) return;
  fprintf(stderr, "%s: in the cube half:\n", cube->input->path);
  fwrite(second.bytes, 1, second.length, stderr);
}

static int join_halves(const job *vector, const job *cube, char **object) {
  *object = format_string("%s.joined.o", vector->object);
  const char *const words[] = {"ld", "-r", "-o", *object, vector->object, cube->object};
  list argv = {0};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) list_add(&argv, words[i]);
  return run_command(&argv, NULL, NULL) == 0 ? 0 : EXIT_INTERNAL;
}

static int copy_text_output(const options *o, const job *vector, const job *cube) {
  const job *halves[] = {vector, cube};
  FILE *out = o->output != NULL && strcmp(o->output, "-") != 0 ? fopen(o->output, "w") : stdout;
  for (size_t i = 0; i < 2 && out != NULL; i++) {
    text content = {0};
    bool wanted = halves[i] != NULL && halves[i]->started && halves[i]->result != JOB_NO_CUBE;
    if (wanted && read_file(halves[i]->rewritten, &content)) fwrite(content.bytes, 1, content.length, out);
  }
  if (out == NULL || (out != stdout && fclose(out) != 0)) {
    fprintf(stderr, "skcc: cannot write '%s': %s\n", o->output, strerror(errno));
    return EXIT_COMPILE;
  }
  return 0;
}

static int collect(const options *o, job *vector, job *cube, char **object) {
  print_messages(vector, cube);
  bool cube_failed = cube != NULL && failed(cube);
  if (failed(vector) || cube_failed) {
    int worst = failed(vector) ? vector->result : 0;
    if (cube_failed && cube->result > worst) worst = cube->result;
    return worst == EXIT_COMPILE ? EXIT_COMPILE : EXIT_INTERNAL;
  }
  if (!vector->started || !vector->finished) return EXIT_INTERNAL;
  if (o->kind == OUTPUT_TEXT) return copy_text_output(o, vector, cube);
  *object = vector->object;
  bool both = vector->result == JOB_WANTS_CUBE && cube != NULL && cube->result == JOB_DONE;
  if (both) return join_halves(vector, cube, object);
  return vector->result == JOB_WANTS_CUBE ? EXIT_INTERNAL : 0;
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
    if (vectors[i] == NULL || cubes[i] != NULL || vectors[i]->result != JOB_WANTS_CUBE) continue;
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
