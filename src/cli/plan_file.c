/* plan_file.c - skv plan of files: graph dumps, texts of GE graphs, recorded decisions. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/plan.h"
#include "fuse/ge/ge.h"
#include "report/report.h"

enum { WHY_BYTES = 512, HEAD_BYTES = 4096 };

/* ---- what a file is -------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *tail) {
  size_t n = strlen(text), m = strlen(tail);
  return n >= m && strcmp(text + n - m, tail) == 0;
}

/* A field that a GE graph begins with. */
static bool begins_ge_text(const char *head) {
  static const char *const fields[] = {"node", "op", "graph", "name", "version", "versions", "library", "custom_version"};
  for (head += strspn(head, " \t\r\n"); *head == '#'; head += strspn(head, " \t\r\n")) head += strcspn(head, "\n");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    size_t length = strlen(fields[i]);
    const char *next = head + length + (strncmp(head, fields[i], length) == 0 ? strspn(head + length, " \t") : 0);
    if (strncmp(head, fields[i], length) == 0 && (*next == '{' || *next == ':')) return true;
  }
  return false;
}

sk__plan_file sk__plan_file_of(const char *path) {
  char head[HEAD_BYTES + 1];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return SK__PLAN_FILE_NONE;
  size_t bytes = fread(head, 1, HEAD_BYTES, file);
  fclose(file);
  head[bytes] = '\0';
  if (bytes >= 4 && memcmp(head, "\177ELF", 4) == 0) return SK__PLAN_FILE_NONE;
  char first = head[strspn(head, " \t\r\n")];
  if (first == '{' || first == '[') return SK__PLAN_FILE_DUMP; /* a program never does */
  bool named = ends_with(path, ".pbtxt") || ends_with(path, ".prototxt");
  return named || begins_ge_text(head) ? SK__PLAN_FILE_GE_TEXT : SK__PLAN_FILE_NONE;
}

/* ---- recorded decisions ---------------------------------------------------------------------- */

/* The first record tells whether a file holds plans of captured graphs or programs of graph mode. */
static bool holds_ge_records(FILE *file) {
  json_t *first = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
  bool ge = first != NULL && sk__ge_is_vectors(first);
  json_decref(first);
  rewind(file);
  return ge;
}

int sk__cli_plan_check(const sk__plan_request *r) {
  int refused = sk__cli_refuse_directory("plan", "--check", r->check);
  if (refused != 0) return refused;
  FILE *file = fopen(r->check, "r");
  if (file == NULL) return sk__cli_usage("plan", "--check '%s': %s", r->check, strerror(errno));
  if (holds_ge_records(file)) {
    fclose(file);
    return sk__ge_check(r->check, r->emulate, stdout) == 0 ? SK__EXIT_CLEAN : SK__EXIT_FOUND;
  }
  sk__check_result result;
  sk_status status = sk__plan_check(file, r->emulate, stdout, &result);
  fclose(file);
  if (status == SK_PARSE) return sk__cli_usage("plan", "--check '%s' is no file of recorded decisions", r->check);
  if (status != SK_OK) {
    fprintf(stderr, "skv plan: %s\n", sk_status_text(status));
    return SK__EXIT_INTERNAL;
  }
  if (result.cases == 0) return sk__cli_usage("plan", "--check '%s' holds no recorded decisions", r->check);
  return result.agreed == result.cases ? SK__EXIT_CLEAN : SK__EXIT_FOUND;
}

/* ---- a dump ---------------------------------------------------------------------------------- */

static void warn(void *context, const char *text) {
  (void)context;
  fprintf(stderr, "skv plan: warning: %s\n", text);
}

/* The value of an option: the text itself when it looks like JSON, else a file's. NULL: *failed is the exit code. */
static json_t *load_json(const char *option, const char *given, int *failed) {
  json_error_t error;
  bool text = given[strspn(given, " \t\n")] == '{';
  if (!text && (*failed = sk__cli_refuse_directory("plan", option, given)) != 0) return NULL;
  json_t *json = text ? json_loads(given, JSON_REJECT_DUPLICATES, &error) : json_load_file(given, JSON_REJECT_DUPLICATES, &error);
  if (json == NULL && error.line < 0) /* not opened */
    *failed = sk__cli_usage("plan", "%s '%s' cannot be read: %s; legal: JSON, as text or as a file%s", option, given, strerror(errno),
                            strchr(given, '=') != NULL ? "; key=value is for --ge and texts of GE graphs" : "");
  else if (json == NULL) *failed = sk__cli_usage("plan", "%s: %s%sline %d: %s", option, text ? "" : given, text ? "" : ", ", error.line, error.text);
  return json;
}

/* Effects as they are told: into the listing, or beside the values in the JSON form. */
typedef struct effects { json_t *options; json_t *told; } effects;

static void take_effect(void *context, const char *option, const char *value, const char *effect) {
  effects *e = context;
  if (e->options != NULL) json_object_set_new(json_object_get(e->options, option), "effect", json_string(effect));
  else printf("%s  %s=%s: %s\n", json_object_size(e->told) == 0 ? "options:\n" : "", option, value, effect);
  json_object_set_new(e->told, option, json_true());
}

/* Options that were given and are not told yet are at their defaults, or only stored. */
static void tell_rest(effects *e, const char *option, const json_t *value) {
  const char *key;
  json_t *inner;
  if (json_is_object(value)) {
    json_object_foreach((json_t *)(uintptr_t)value, key, inner) tell_rest(e, key, inner);
    return;
  }
  if (json_object_get(e->told, option) != NULL) return;
  bool stored = strcmp(option, "opt_extend") == 0 || strcmp(option, "debug_extend") == 0;
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  take_effect(e, option, text != NULL ? text : "", stored ? "no effect: the optimizer stores it and does not look at it" : "no effect: the plan is made with the default");
  free(text);
}

static sk_status tell_effects(const sk__plan *plan, const json_t *given, json_t *options) {
  effects e = {options, json_object()};
  const char *key;
  json_t *dictionary;
  sk_status status = sk__plan_effects(plan, take_effect, &e);
  json_object_foreach((json_t *)(uintptr_t)given, key, dictionary)
    if (status == SK_OK && json_is_object(dictionary)) tell_rest(&e, key, dictionary);
  json_decref(e.told);
  return status;
}

static int print_json(json_t *json) {
  bool good = json != NULL && json_dumpf(json, stdout, JSON_INDENT(2)) == 0 && printf("\n") == 1;
  json_decref(json);
  return good ? SK__EXIT_CLEAN : SK__EXIT_INTERNAL;
}

static int print_plan(const sk__plan_request *r, const sk__plan *plan, const json_t *given) {
  sk_status status = SK_OK;
  if (r->format == SK__PLAN_DOT) {
    status = sk__plan_dot(plan, stdout);
  } else if (r->format == SK__PLAN_LISTING) {
    sk__plan_print(plan, stdout);
    status = tell_effects(plan, given, NULL);
  } else {
    json_t *json = sk__plan_json(plan);
    if (json != NULL) status = tell_effects(plan, given, json_object_get(json, "options"));
    int code = print_json(json);
    if (code != SK__EXIT_CLEAN) return code;
  }
  return status == SK_OK ? SK__EXIT_CLEAN : SK__EXIT_INTERNAL;
}

static int refuse(const char *why, sk_status status) {
  fprintf(stderr, "skv plan: the graph cannot be optimised: %s\n", why[0] != '\0' ? why : sk_status_text(status));
  return status == SK_OUT_OF_MEMORY || status == SK_INTERNAL ? SK__EXIT_INTERNAL : SK__EXIT_FOUND;
}

/* --options for the captured-graph optimizer; 0, or the exit code after one line. *json is a new reference or NULL. */
static int read_options(const sk__plan_request *r, sk__arena *arena, void (*tell)(void *, const char *), sk__fuse_options *out, json_t **json) {
  char why[WHY_BYTES] = "";
  int failed = 0;
  *out = sk__fuse_defaults();
  *json = r->options != NULL ? load_json("--options", r->options, &failed) : NULL;
  if (*json != NULL && sk__fuse_options_read(*json, arena, out, tell, NULL, why, sizeof why) != SK_OK)
    failed = sk__cli_usage("plan", "--options: %s", why);
  out->emulate_vendor_defects = r->emulate;
  return failed;
}

static void tell_later(void *context, const char *text) {
  (void)context;
  (void)text;
}

int sk__cli_plan_check_options(const sk__plan_request *r) {
  if (r->options == NULL) return 0;
  if (r->ge) return sk__cli_check_ge_options("plan", "--options", r->options);
  sk__arena arena = {0};
  sk__fuse_options options;
  json_t *json = NULL;
  int failed = read_options(r, &arena, tell_later, &options, &json);
  json_decref(json);
  sk__arena_free(&arena);
  return failed;
}

static int plan_graph(const sk__plan_request *r, const sk__graph *graph) {
  sk__arena arena = {0};
  sk__fuse_options options;
  char why[WHY_BYTES] = "";
  json_t *json = NULL;
  int failed = read_options(r, &arena, warn, &options, &json);
  sk__plan *plan = NULL;
  if (failed == 0) {
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    failed = status == SK_OK ? print_plan(r, plan, json) : refuse(why, status);
  }
  sk__plan_free(plan);
  json_decref(json);
  sk__arena_free(&arena);
  return failed;
}

/* ---- graph mode ------------------------------------------------------------------------------ */

static int print_ge_plan(const sk__plan_request *r, const sk__ge_plan *plan) {
  if (r->format == SK__PLAN_JSON) return print_json(sk__ge_plan_json(plan));
  if (r->format == SK__PLAN_DOT) sk__ge_plan_dot(plan, stdout);
  else sk__ge_plan_print(plan, stdout);
  return SK__EXIT_CLEAN;
}

static const char *same_options(void *context, const char *scope) {
  (void)scope;
  return ((const sk__plan_request *)context)->options;
}

static int finish_ge(const sk__plan_request *r, sk__ge_plan *plan, sk_status status, const char *why) {
  int code = status == SK_OK ? print_ge_plan(r, plan) : refuse(why, status);
  if (status == SK_OK) sk__ge_plan_free(plan);
  return code;
}

static int plan_ge_graph(const sk__plan_request *r, const sk__graph *graph) {
  sk__ge_plan *plan = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__ge_plan_make(graph, same_options, (void *)(uintptr_t)r, r->emulate, &plan, why, sizeof why);
  return finish_ge(r, plan, status, why);
}

/* All descriptions, also those of operators that the graph has not, so that a mistake in one is not told of the graph. */
static int check_kernels(const json_t *kernels) {
  sk__arena arena = {0};
  char why[WHY_BYTES] = "no JSON object of descriptions";
  sk_status status = json_is_object(kernels) ? SK_OK : SK_PARSE;
  const char *name;
  json_t *description;
  json_object_foreach((json_t *)(uintptr_t)kernels, name, description) {
    sk__ge_sub unused = {0};
    sk__text words = sk__text_on(why, sizeof why);
    if (status == SK_OK) status = sk__ge_sub_from_json(description, name, &arena, &unused, &words);
    if (status != SK_OK) break;
  }
  sk__arena_free(&arena);
  return status == SK_OK ? 0 : status == SK_PARSE ? sk__cli_usage("plan", "--kernels: %s", why) : SK__EXIT_INTERNAL;
}

static int plan_ge_text(const sk__plan_request *r, const char *path, const char *text, size_t bytes) {
  int failed = 0;
  json_t *kernels = r->kernels != NULL ? load_json("--kernels", r->kernels, &failed) : NULL;
  if (kernels != NULL) failed = check_kernels(kernels);
  if (failed != 0) {
    json_decref(kernels);
    return failed;
  }
  sk__ge_request request = {.options = r->options, .kernels = kernels, .emulate_vendor_defects = r->emulate};
  sk__ge_plan *plan = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__ge_plan_read(text, bytes, &request, &plan, why, sizeof why);
  int code = status == SK_PARSE ? sk__cli_usage("plan", "'%s': %s", path, why) : finish_ge(r, plan, status, why);
  json_decref(kernels);
  return code;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int plan_dump(const sk__plan_request *r, const char *path, const char *text, size_t bytes) {
  char why[WHY_BYTES] = "";
  sk__graph *graph = NULL;
  sk_status status = sk__graph_from_text(text, bytes, &graph, why, sizeof why);
  if (status != SK_OK) return sk__cli_usage("plan", "'%s': %s", path, why[0] != '\0' ? why : sk_status_text(status));
  const sk__node *circle = NULL;
  int code = sk__graph_find_cycle(graph, &circle) == SK_OK ? SK__EXIT_CLEAN : SK__EXIT_INTERNAL;
  if (circle != NULL)
    code = sk__cli_usage("plan", "'%s': node %llu, number %u of stream %u: waits for an event that is recorded only behind it, in a circle", path,
                         (unsigned long long)circle->id, circle->position, circle->stream);
  if (code == SK__EXIT_CLEAN) code = r->ge ? plan_ge_graph(r, graph) : plan_graph(r, graph);
  sk__graph_free(graph);
  return code;
}

int sk__cli_plan_file(const sk__plan_request *r, const char *path, sk__plan_file kind) {
  char *text = NULL;
  size_t bytes = 0;
  if (r->kernels != NULL && kind != SK__PLAN_FILE_GE_TEXT) return sk__cli_usage("plan", "--kernels needs the text of a GE graph, '%s' is none", path);
  bool ge = r->ge || kind == SK__PLAN_FILE_GE_TEXT;
  int refused = ge && r->options != NULL ? sk__cli_check_ge_options("plan", "--options", r->options) : 0;
  if (refused != 0) return refused;
  if (sk__file_read(path, &text, &bytes) != SK_OK) return sk__cli_usage("plan", "'%s' cannot be read: %s", path, strerror(errno));
  int code = kind == SK__PLAN_FILE_GE_TEXT ? plan_ge_text(r, path, text, bytes) : plan_dump(r, path, text, bytes);
  sk__free(text);
  return code;
}
