/* options.c - options of the captured-graph path from the two Python dictionaries. */
#include "fuse/options.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fuse/planner.h"

enum { OPTIMISE, DEBUG };
static const char *const dictionaries[] = {"super_kernel_optimize_options", "super_kernel_debug_options"};

sk__fuse_options sk__fuse_defaults(void) {
  return (sk__fuse_options){
#define X(name, dictionary, low, high, standard, help) .name = standard,
      SK__NUMBER_OPTIONS(X)
#undef X
  };
}

typedef struct loader {
  sk__fuse_options *out;
  sk__arena *arena;
  sk__warn_fn warn;
  void *context;
  sk__text why;
} loader;

static void warn(loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(loader *l, const char *format, ...) {
  if (l->warn == NULL) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  l->warn(l->context, text);
}

static sk_status wrong_type(loader *l, const char *key, const char *wanted) {
  sk__text_add(&l->why, "%s: not %s", key, wanted);
  return SK_INVALID_ARGUMENT;
}

static sk_status unknown(loader *l, const char *where, const char *key, const char *const *names, size_t count) {
  const char *meant = sk__nearest(key, names, count);
  sk__text_add(&l->why, "%s: unknown option '%.60s'", where, key);
  if (meant != NULL) sk__text_add(&l->why, "; did you mean '%s'?", meant);
  return SK_INVALID_ARGUMENT;
}

/* ---- values ---------------------------------------------------------------------------------- */

static sk_status take_number(loader *l, const char *key, const json_t *value, uint32_t low, uint32_t high, uint32_t *out) {
  if (!json_is_integer(value)) return wrong_type(l, key, "an integer");
  json_int_t number = json_integer_value(value);
  if (number < low || number > high)
    warn(l, "%s = %lld is out of range; legal: %u to %u; %u is used", key, (long long)number, low, high, *out);
  else *out = (uint32_t)number;
  return SK_OK;
}

static sk_status take_patterns(loader *l, const char *key, const json_t *value, sk__patterns *out) {
  if (!json_is_array(value)) return wrong_type(l, key, "a list of names");
  size_t count = json_array_size(value);
  const char **items = sk__arena_array(l->arena, const char *, count);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    if (!json_is_string(json_array_get(value, i))) return wrong_type(l, key, "a list of names");
    items[i] = json_string_value(json_array_get(value, i));
    if (!sk__pattern_legal(items[i])) warn(l, "%s: '%s' is no legal name pattern and matches nothing", key, items[i]);
  }
  *out = (sk__patterns){items, count};
  return SK_OK;
}

static sk_status take_strategies(loader *l, const json_t *value) {
  static const char *const names[] = {
#define X(name, high) #name,
      SK__STRATEGY_OPTIONS(X)
#undef X
  };
  if (!json_is_object(value)) return wrong_type(l, "aggressive_opt_strategies", "a dictionary");
  const char *key;
  json_t *item;
  json_object_foreach((json_t *)(uintptr_t)value, key, item) {
    sk_status status = SK_NOT_FOUND;
#define X(name, high) \
  if (strcmp(key, #name) == 0) status = take_number(l, key, item, 0, high, &l->out->name);
    SK__STRATEGY_OPTIONS(X)
#undef X
    if (status == SK_NOT_FOUND) return unknown(l, "aggressive_opt_strategies", key, names, sizeof names / sizeof names[0]);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

/* Stored by the real planner and never looked at. */
static sk_status take_extension(loader *l, const char *key, const json_t *value) {
  enum { MAX_EXTENSION = 1024 };
  if (!json_is_string(value)) return wrong_type(l, key, "a text");
  if (!sk__extension_legal(json_string_value(value), MAX_EXTENSION))
    warn(l, "%s: not of the form key=value,value:key=value; the option is ignored", key);
  return SK_OK;
}

/* ---- dictionaries ---------------------------------------------------------------------------- */

static sk_status take_option(loader *l, int dictionary, const char *key, const json_t *value) {
#define X(name, where, low, high, standard, help) \
  if (dictionary == where && strcmp(key, #name) == 0) return take_number(l, key, value, low, high, &l->out->name);
  SK__NUMBER_OPTIONS(X)
#undef X
  if (dictionary == DEBUG) return strcmp(key, "debug_extend") == 0 ? take_extension(l, key, value) : SK_NOT_FOUND;
#define X(name, help) \
  if (strcmp(key, #name) == 0) return take_patterns(l, key, value, &l->out->name);
  SK__PATTERN_OPTIONS(X)
#undef X
  if (strcmp(key, "aggressive_opt_strategies") == 0) return take_strategies(l, value);
  return strcmp(key, "opt_extend") == 0 ? take_extension(l, key, value) : SK_NOT_FOUND;
}

static sk_status unknown_option(loader *l, int dictionary, const char *key) {
  static const char *const names[2][16] = {
      {
#define X(name, where, low, high, standard, help) where == OPTIMISE ? #name : "",
          SK__NUMBER_OPTIONS(X)
#undef X
#define X(name, help) #name,
              SK__PATTERN_OPTIONS(X)
#undef X
                  "aggressive_opt_strategies",
          "opt_extend"},
      {
#define X(name, where, low, high, standard, help) where == DEBUG ? #name : "",
          SK__NUMBER_OPTIONS(X)
#undef X
              "debug_extend"},
  };
  size_t count = 16;
  while (names[dictionary][count - 1] == NULL) count--;
  return unknown(l, dictionaries[dictionary], key, names[dictionary], count);
}

static sk_status take_dictionary(loader *l, int dictionary, const json_t *object) {
  if (object == NULL || json_is_null(object)) return SK_OK;
  if (!json_is_object(object)) return wrong_type(l, dictionaries[dictionary], "a dictionary");
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    sk_status status = take_option(l, dictionary, key, value);
    if (status == SK_NOT_FOUND) return unknown_option(l, dictionary, key);
    if (status != SK_OK) return status;
    /* where it stands, this option turns the check on; the check's own value counts if it comes later */
    if (strcmp(key, "debug_per_op_max_core_num") == 0 && l->out->debug_per_op_max_core_num != 0)
      l->out->debug_cross_core_sync_check = 1;
  }
  return SK_OK;
}

static sk_status read_all(loader *l, const json_t *options) {
  const char *key;
  json_t *value;
  if (options == NULL || json_is_null(options)) return SK_OK;
  if (!json_is_object(options)) return wrong_type(l, "options", "a dictionary");
  json_object_foreach((json_t *)(uintptr_t)options, key, value) {
    if (strcmp(key, dictionaries[OPTIMISE]) != 0 && strcmp(key, dictionaries[DEBUG]) != 0)
      return unknown(l, "options", key, dictionaries, 2);
  }
  sk_status status = take_dictionary(l, OPTIMISE, json_object_get(options, dictionaries[OPTIMISE]));
  return status == SK_OK ? take_dictionary(l, DEBUG, json_object_get(options, dictionaries[DEBUG])) : status;
}

sk_status sk__fuse_options_read(const json_t *options, sk__arena *arena, sk__fuse_options *out, sk__warn_fn warn_fn, void *context,
                                char *why, size_t why_bytes) {
  loader l = {.out = out, .arena = arena, .warn = warn_fn, .context = context, .why = sk__text_on(why, why_bytes)};
  *out = sk__fuse_defaults();
  sk_status status = read_all(&l, options);
  sk__text_one_line(why);
  return status;
}
