/* test_rules.c - graph mode: one rule a row, with what it decides for a few operators. Expectations were derived by hand from
 * the rules and agree with the real generator; 'here' names a defect of its that is not followed. Operators in one line:
 *   C8 c8 V8 v8 m8 M8   AIC_ONLY, MIX_AIC_1_0, AIV_ONLY, MIX_AIV_1_0, MIX 1:1, MIX 1:2, with 8 blocks
 *   behind it: @1 stream, +7 records event 7, -7 waits for it, s uses SyncAll, e sets and w waits for early start by itself,
 *              b a f wish a flush before, after, none; d tiled while running; /2 names two copies */
#include "ge_text.h"

typedef enum view { LINES, LAUNCH, FAILS, WORKSPACE, QUEUES, WARNS } view;

typedef struct rule {
  const char *section, *name, *subs, *options; /* section of the fact sheet on SuperKernels that gives the rule */
  view view;
  sk__ge_error error;
  const char *expected;
} rule;

static const rule rules[] = {
    {"2.1", "an option without = is left out with a warning", "C8", "early-start", WARNS, 0, "early-start"},
    {"2.1", "empty values are refused", "C8", "early-start=", FAILS, SK__GE_OPT_EMPTY, ""},
    {"2.1", "empty values are refused before unknown keys", "C8", "foo=", FAILS, SK__GE_OPT_EMPTY, ""},
    {"2.1", "keys given twice are refused, before their value", "C8", "early-start=1:early-start=9", FAILS, SK__GE_OPT_REPEAT, ""},
    {"2.1", "unknown keys are refused", "C8", "foo=1", FAILS, SK__GE_OPT_UNKNOWN, ""},
    {"2.1", "keys with _ are others", "C8", "early_start=1", FAILS, SK__GE_OPT_UNKNOWN, ""},
    {"2.1", "keys of the generator's own are not accepted", "C8", "link-mode=1", FAILS, SK__GE_OPT_UNKNOWN, ""},
    {"2.1", "quotes behind a blank stay", "C8", " \"early-start=0\"", FAILS, SK__GE_OPT_UNKNOWN, ""},
    {"2.1", "the first bad part decides: value", "C8", "early-start=9:foo=1", FAILS, SK__GE_OPT_VALUE, ""},
    {"2.1", "the first bad part decides: key", "C8", "foo=1:early-start=9", FAILS, SK__GE_OPT_UNKNOWN, ""},
    {"2.1", "enumerated values match literally", "C8", "feed-sync-all=01", FAILS, SK__GE_OPT_VALUE, ""},
    {"2.1", "numbers are digits only", "C8", "debug-aic-num=-1", FAILS, SK__GE_OPT_DIGIT, ""},
    {"2.1", "alignments are powers of two", "C8", "func-align=3", FAILS, SK__GE_OPT_ALIGN, ""},
    {"2.1", "an alignment of 1 is none", "C8", "func-align=1", FAILS, SK__GE_OPT_ALIGN, ""},
    {"2.1", "copies: 1 to 64", "C8", "split-mode=65", FAILS, SK__GE_OPT_RANGE, ""},
    {"2.1", "leading zeros count", "C8", "func-align=0064", LAUNCH, 0, "MIX_AIC_1_0 8"},
    {"2.1", "blank parts are left out", "C8", ":early-start=1: :", LAUNCH, 0, "MIX_AIC_1_0 8"},

    {"3.3", "launch: vector operators, with and without cross-core sync", "V8 v20", "", LAUNCH, 0, "MIX_AIV_1_0 20"},
    {"3.3", "launch: cube operators", "C8 c20", "", LAUNCH, 0, "MIX_AIC_1_0 20"},
    {"3.3", "launch: 1:1 alone", "m10", "", LAUNCH, 0, "MIX_AIC_1_1 10"},
    {"3.3", "launch: no more vector than cube cores", "C20 V16", "", LAUNCH, 0, "MIX_AIC_1_1 20"},
    {"3.3", "launch: more vector than cube cores", "C20 V48", "", LAUNCH, 0, "MIX_AIC_1_2 24"},
    {"3.3", "launch: an odd number of vector cores is rounded up", "m10 V31", "", LAUNCH, 0, "MIX_AIC_1_2 16"},
    {"3.3", "launch: 1:2 alone", "M8", "", LAUNCH, 0, "MIX_AIC_1_2 8"},
    {"3.3", "launch: a 1:2 operator beside more cube cores keeps 1:2 here", "M4 C24", "", LAUNCH, 0, "MIX_AIC_1_2 24"},
    {"3.3", "launch: block counts above the device are taken", "C60", "", LAUNCH, 0, "MIX_AIC_1_0 60"},
    {"3.3", "launch: an operator tiled while running counts as the device", "C8 V1d", "", LAUNCH, 0, "MIX_AIC_1_2 24"},

    {"3.5", "debug numbers: cube only", "C8", "debug-aic-num=24", LAUNCH, 0, "MIX_AIC_1_0 24"},
    {"3.5", "debug numbers: vector only", "V8", "debug-aiv-num=48", LAUNCH, 0, "MIX_AIV_1_0 48"},
    {"3.5", "debug numbers: equal", "m8", "debug-aic-num=9:debug-aiv-num=9", LAUNCH, 0, "MIX_AIC_1_1 9"},
    {"3.5", "debug numbers: twice as many vector cores", "C8", "debug-aic-num=24:debug-aiv-num=48", LAUNCH, 0, "MIX_AIC_1_2 24"},
    {"3.5", "debug numbers: another ratio, tested before the device", "C8", "debug-aic-num=100:debug-aiv-num=30", FAILS, SK__GE_NUM_RATIO, ""},
    {"3.5", "debug numbers: above the device", "V8", "debug-aiv-num=49", FAILS, SK__GE_NUM_DEVICE, ""},
    {"3.5", "debug numbers: never below what the operators need", "m8", "debug-aic-num=7:debug-aiv-num=7", FAILS, SK__GE_NUM_SUBS, ""},

    {"5.5", "streams: an event between neighbours keeps one queue", "C8@1+7 V8@2-7", "", QUEUES, 0, "1"},
    {"5.5", "streams: without one it needs stream-fusion", "C8@1 V8@2", "", FAILS, SK__GE_NEED_STREAM_FUSION, ""},
    {"5.5", "streams: without one there are two queues", "C8@1 V8@2", "stream-fusion=1", QUEUES, 0, "2"},
    {"5.5", "streams: coming back needs an event as well", "C8@1+7 V8@2-7 C8@1", "", FAILS, SK__GE_NEED_STREAM_FUSION, ""},
    {"5.5", "streams: none is -1", "C8 V8@1", "", FAILS, SK__GE_NEED_STREAM_FUSION, ""},
    {"5.5", "events: a pair inside one operator", "C8 V8+7-7 C8", "", FAILS, SK__GE_EVENT_SELF, ""},
    {"5.5", "events: a pair inside one stream", "C8@1+7 V8@1-7", "", FAILS, SK__GE_EVENT_SAME_STREAM, ""},
    {"5.5", "events: the first operator waits for nothing", "C8-7 V8", "", FAILS, SK__GE_FIRST_RECV, ""},
    {"5.5", "events: so in two queues", "C8@1-7 V8@2", "stream-fusion=1", FAILS, SK__GE_FIRST_RECV, ""},
    {"5.5", "events: the last operator records nothing", "C8 V8+7", "", FAILS, SK__GE_LAST_SEND, ""},
    {"5.5", "events: a wait before its record, in one queue", "V8@1 C8@2+8-7 V8@1-8+7 C8@2", "", FAILS, SK__GE_NEED_STREAM_FUSION, ""},

    {"2.1", "early start off: operators may not ask for it", "C8e", "early-start=0", FAILS, SK__GE_SUB_EARLY_START, ""},
    {"6.5", "early start: not for operators tiled while running", "C8 C1dw", "", FAILS, SK__GE_DYN_EARLY_START, ""},
    {"2.1", "copies: the operator's number must be the SK's", "C8 C8/2", "", FAILS, SK__GE_SUB_SPLIT, ""},

    {"6.5", "barrier: early start off, mixed", "C8 V4", "early-start=0", LINES, 0, "C P:op0 op0 ALL | V P:op1 ALL op1"},
    {"6.5", "barrier: early start off, cube", "C8 C4", "early-start=0", LINES, 0, "C P:op0 P:op1 op0 b11 op1"},
    {"6.5", "barrier: early start off, vector", "V8 V4", "early-start=0", LINES, 0, "V P:op0 P:op1 op0 b14 op1"},
    {"6.5", "early start: cube to cube", "C8 C4", "", LINES, 0, "C P:op0 P:op1 op0 [s11] cfg=0 [w11] op1"},
    {"6.5", "early start: vector to vector", "V8 V4", "", LINES, 0, "V P:op0 P:op1 op0 [s14] cfg=5 [w14] op1"},
    {"6.5", "early start: cube to vector", "C8 V8", "", LINES, 0, "C P:op0 op0 [s11] cfg=1 [w11 s13] | V P:op1 cfg=1 [w13] op1"},
    {"6.5", "early start: vector to cube", "V8 C8", "", LINES, 0, "C P:op1 cfg=4 [w12] op1 | V P:op0 op0 [s14] cfg=4 [w14 s12]"},
    {"6.5", "early start: MIX to cube", "m8 C8", "", LINES, 0, "C P:op0 P:op1 op0 [s11] cfg=8 [w11 w12] op1 | V P:op0 op0 [s14] cfg=8 [w14 s12]"},
    {"6.5", "early start: MIX to vector", "m8 V8", "", LINES, 0, "C P:op0 op0 [s11] cfg=9 [w11 s13] | V P:op0 P:op1 op0 [s14] cfg=9 [w14 w13] op1"},
    {"6.5", "early start: MIX to MIX", "m8 m8", "", LINES, 0, "C P:op0 P:op1 op0 [s11] cfg=10 [w11 s13 w12] op1 | V P:op0 P:op1 op0 [s14] cfg=10 [w14 s12 w13] op1"},
    {"6.5", "early start: idle cores do it where the operators do it themselves", "C8e C4w", "", LINES, 0, "C P:op0 P:op1 op0 [s11 from core 8] cfg=0 [w11 from core 4] op1"},
    {"6.5", "debug-sync-all: a barrier behind each", "C8 C4", "debug-sync-all=1", LINES, 0, "C P:op0 P:op1 op0 b11 [s11] cfg=0 [w11] op1 b11"},
    {"7.2", "debug-dcci-all: a flush behind each", "C8 C4", "debug-dcci-all=1", LINES, 0, "C P:op0 P:op1 op0 pipes flush [s11] cfg=0 [w11] op1 pipes flush"},
    {"6.5", "an outside wait before a barrier", "C8 C4-7", "", LINES, 0, "C P:op0 P:op1 op0 W:p3 [s11] cfg=0 [w11] op1 0:p3"},
    {"6.5", "an outside notify behind a barrier", "C8+7 C4", "", LINES, 0, "C P:op0 P:op1 op0 [s11] cfg=0 [w11] N:p2 op1"},
    {"6.5", "notify and wait between two operators: a full barrier behind", "C8+7 C4-9", "", LINES, 0, "C P:op0 P:op1 op0 [s11] cfg=0 [w11] N:p2 W:p4 b11 op1 0:p4"},
    {"6.5", "two queues: a flag for each edge", "C8@1 V8@2+7 C8@1-7", "stream-fusion=1", LINES, 0, "C P:op0 P:op2 op0 b11 w12 op2 | V P:op1 op1 b14 s12"},
    {"6.5", "two queues: operators without a link stand apart by the local barrier", "C8@1 C4@2 V8@3", "stream-fusion=1", LINES, 0, "C P:op0 P:op1 op0 pipes op1 | V P:op2 op2"},
    {"5.5", "two queues: an outside notify of a MIX operator before a cube operator", "M8@0+70 C6@1 V6@1", "stream-fusion=1", LINES, 0, "C P:op0 P:op1 op0 b11 w12 N:p2 op1 b11 s13 | V P:op0 P:op2 op0 b14 s12 w13 op2"},

    {"6.6", "feed-sync-all: workspace of 512 bytes a block", "C8 C4s", "feed-sync-all=1", WORKSPACE, 0, "4096"},
    {"6.6", "feed-sync-all: twice in a 1:2 SK", "M8 C4s", "feed-sync-all=1", WORKSPACE, 0, "8192"},
    {"7.2", "flush: wishes of an operator, none wins", "C8ba C8bf", "early-start=0", LINES, 0, "C P:op0 P:op1 flush op0 flush b11 op1"},
    {"2.1", "preload: none", "C8 C4", "preload-code=none", LINES, 0, "C op0 [s11] cfg=0 [w11] op1"},
    {"2.1", "preload: the whole SK once", "C8 C4", "preload-code=max:early-start=0", LINES, 0, "C P:SK op0 b11 op1"},
};

static const char *type_of(char c) {
  static const char letters[] = "CcVvmM";
  static const char *const types[] = {"AIC_ONLY", "MIX_AIC_1_0", "AIV_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  const char *at = strchr(letters, c);
  assert_non_null(at);
  return types[at - letters];
}

static void append_id(json_t *sub, const char *key, char **text) {
  if (json_object_get(sub, key) == NULL) json_object_set_new(sub, key, json_array());
  json_array_append_new(json_object_get(sub, key), json_integer(strtol(*text + 1, text, 10)));
}

static json_t *sub_of(char *text) {
  json_t *sub = json_pack("{s:s}", "type", type_of(*text));
  json_object_set_new(sub, "blocks", json_integer(strtol(text + 1, &text, 10)));
  while (*text != '\0') {
    if (*text == '+') append_id(sub, "send", &text);
    else if (*text == '-') append_id(sub, "recv", &text);
    else if (*text == '@' || *text == '/') {
      const char *key = *text == '@' ? "stream" : "split";
      json_object_set_new(sub, key, json_integer(strtol(text + 1, &text, 10)));
    } else if (strchr("baf", *text) != NULL) {
      if (json_object_get(sub, "dcci") == NULL) json_object_set_new(sub, "dcci", json_array());
      json_array_append_new(json_object_get(sub, "dcci"), json_string(*text == 'b' ? "before" : *text == 'a' ? "after" : "disable"));
      text++;
    } else {
      const char *key = *text == 's' ? "sync_all" : *text == 'e' ? "es_set" : *text == 'w' ? "es_wait" : "dynamic";
      json_object_set_new(sub, key, json_true());
      text++;
    }
  }
  return sub;
}

static char *subs_of(const char *text) {
  json_t *list = json_array();
  char copy[512], *save = NULL;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *token = strtok_r(copy, " ", &save); token != NULL; token = strtok_r(NULL, " ", &save)) json_array_append_new(list, sub_of(token));
  char *json = json_dumps(list, JSON_COMPACT);
  json_decref(list);
  return json;
}

static void look(const planned *p, const rule *r, char *text, size_t bytes) {
  static const char *const types[] = {[SK_AIV_ONLY] = "AIV_ONLY", [SK_AIC_ONLY] = "AIC_ONLY", [SK_MIX_AIV_1_0] = "MIX_AIV_1_0",
                                      [SK_MIX_AIC_1_0] = "MIX_AIC_1_0", [SK_MIX_AIC_1_1] = "MIX_AIC_1_1", [SK_MIX_AIC_1_2] = "MIX_AIC_1_2"};
  char *lines = r->view == LINES ? ge_lines(&p->program) : NULL;
  if (r->view == LAUNCH) snprintf(text, bytes, "%s %u", types[p->program.type], p->program.blocks);
  else if (r->view == WORKSPACE) snprintf(text, bytes, "%llu", (unsigned long long)p->program.workspace_bytes);
  else if (r->view == QUEUES) snprintf(text, bytes, "%d", (int)p->program.queue_count);
  else if (r->view == WARNS) snprintf(text, bytes, "%s", p->program.options.ignored_count == 1 ? p->program.options.ignored[0] : "nothing left out");
  else snprintf(text, bytes, "%s", lines);
  free(lines);
}

static void test_rules(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const rule *r = &rules[i];
    char *subs = subs_of(r->subs), text[1024] = "";
    planned p;
    ge_plan(&p, subs, r->options, false);
    if (p.status == SK_OK) look(&p, r, text, sizeof text);
    else snprintf(text, sizeof text, "refused: %s", p.failure.why);
    bool good = r->view == FAILS ? p.status == SK_INVALID_ARGUMENT && p.failure.error == r->error : p.status == SK_OK && strcmp(text, r->expected) == 0;
    if (!good) print_message("rule '%s' (section %s)\n  operators %s, options '%s'\n  expected %s\n  seen     %s\n", r->name, r->section, r->subs, r->options, r->expected, text);
    wrong += !good;
    ge_free(&p);
    free(subs);
  }
  assert_int_equal(wrong, 0);
}

SK_TESTS(SK_TEST(test_rules))
