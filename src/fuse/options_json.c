/* options_json.c - options as the graph dump of the real optimizer tells them: name, number of the option, value. */
#include <string.h>
#include <strings.h>

#include "acl/super_kernel.h"
#include "fuse/options.h"
#include "fuse/planner.h"

/* The number and the name that the C interface has for the key. */
static json_t *entry(const char *key, json_t *value) {
  static const struct { const char *name; int number; } all[] = {
#define X(name, value) {#name, value},
      ACLSK_OPTION_LIST(X)
#undef X
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (strcasecmp(all[i].name, key) == 0) return json_pack("{s:s,s:i,s:o}", "name", all[i].name, "type", all[i].number, "value", value);
  return json_pack("{s:s,s:i,s:o}", "name", "AGGRESSIVE_OPT_STRATEGIES", "type", (int)AGGRESSIVE_OPT_STRATEGIES, "value", value);
}

static json_t *patterns_json(const sk__patterns *patterns) {
  json_t *out = json_array();
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->items[i] != NULL) json_array_append_new(out, json_string(patterns->items[i]));
  return out;
}

json_t *sk__fuse_options_json(const sk__fuse_options *options) {
  json_t *out = json_object();
#define X(key, dictionary, low, high, standard, help) json_object_set_new(out, #key, entry(#key, json_integer(options->key)));
  SK__NUMBER_OPTIONS(X)
#undef X
#define X(key, help) json_object_set_new(out, #key, entry(#key, patterns_json(&options->key)));
  SK__PATTERN_OPTIONS(X)
#undef X
#define X(key, high) json_object_set_new(out, #key, entry(#key, json_integer(options->key)));
  SK__STRATEGY_OPTIONS(X)
#undef X
  return out;
}

json_t *sk__inner_options_json(bool third_chip) {
  static const char *const names[] = {"enable_mix_kernel_split", "enable_simt_op_check", "enable_set_dyn_ubuf_size"};
  json_t *out = json_object();
  for (int i = 0; i < 3; i++) json_object_set_new(out, names[i], json_pack("{s:s,s:i,s:i}", "name", names[i], "type", i, "value", (int)third_chip));
  return out;
}
