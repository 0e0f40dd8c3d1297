/* One rule a row: what the rule decides for a small graph. A row that differs is named by its rule. Expectations were derived by
 * hand from the rules, not from the planner; rules with more to them have tests of their own (scopes, queues, options). */
#include "base/text.h"
#include "graph_text.h"

typedef enum view { SKS, NAME, REASON, MAIN, LAUNCH, AIC, AIV, PRELOADS, BLOCKS, WORDS, REFUSED } view;

typedef struct rule {
  const char *section;                /* of the fact sheet on SuperKernels that gives the rule */
  const char *name, *graph, *options; /* "key=value key=value" */
  view view;
  uint32_t node;                      /* REASON: id */
  const char *expected;
} rule;

static const rule rules[] = {
    {"1.3", "a scope covers all streams until it is closed", "0B(A) 1a:C8 0E(A) 1b:C8", "", SKS, 0, "a"},
    {"1.3", "an end closes the topmost begin of its name, wherever it stands", "0B(A) 0B(B) 0E(A) 0a:C8 0E(B)", "", NAME, 0, "B_start_a_end_a"},
    {"1.3", "names are numbered stream by stream, not by capture", "1B(A) 0B(B) 0a:C8 0E(B) 1E(A)", "", NAME, 0, "B_A_start_a_end_a"},
    {"1.3", "a scope opened again continues", "0B(A) 0a:C8 0E(A) 0B(A) 0b:C8 0E(A)", "", SKS, 0, "a b"},
    {"1.3", "a None scope forbids whatever else is open", "0B(A) 0a:C8 0B() 0b:C8 0E(A) 0c:C8 0E()", "", SKS, 0, "a"},
    {"4.3", "reason: inside a None scope", "0B(A) 0a:C8 0B() 0b:C8 0E(A) 0c:C8 0E()", "", REASON, 6, "IN_UNFUSIBLE_SCOPE"},
    {"1.3", "without a named scope all outside None scopes is fused", "0a:C8 0B() 0x:C8 0E() 0b:C8", "", SKS, 0, "a | b"},
    {"1.3", "opening a name twice changes nothing", "0B(A) 0a:C8 0B(A) 0b:C8 0E(A) 0c:C8 0E(A)", "", SKS, 0, "a b c"},
    {"1.2", "an end without a begin is refused", "0a:C8 0E(A)", "", REFUSED, 0, "no open begin"},
    {"1.2", "a begin without an end is refused", "0B(A) 0a:C8", "", REFUSED, 0, "never ended"},
    {"1.2", "as the real planner: an end alone makes its name a scope of the graph", "0a:C8 0E(A)", "vendor=1", REASON, 1, "NOT_IN_SCOPE"},
    {"9.1", "nested names are joined", "0B(A) 0B(B) 0a:C8 0E(B) 0E(A)", "", NAME, 0, "A_B_start_a_end_a"},
    {"9.1", "a name of no scope is none", "0a:C8 0b:V8", "", NAME, 0, "none_start_a_end_b"},
    {"4.3", "the reason of the scope overwrites the binding's", "0B(A) 0x:C8 0E(A) 0a:C8!", "", REASON, 4, "NOT_IN_SCOPE"},
    {"4.3", "a task group overwrites the binding's reason", "0a:C8 0x:C8!g", "", REASON, 2, "DYNAMIC_TASK_UNSUPPORT"},
    {"4.3", "SIMT code makes a vector kernel unfusible", "@950 0a:C8 0x:V8$ 0b:C8", "", REASON, 2, "SIMT_OP_UNSUPPORT"},
    {"4.3", "SIMT code overwrites the binding's reason", "@950 0a:C8 0x:V8!$", "", REASON, 2, "SIMT_OP_UNSUPPORT"},
    {"4.3", "a kernel without a vector half has no SIMT code", "@950 0a:C8 0x:C8$ 0b:C8", "", SKS, 0, "a x b"},
    {"1.3", "a marker behind its scope has the reason of where it stands", "0B(a) 0W(x) 0E(a) 0P(a) 1B(b) 1N(x) 1E(b)", "", REASON, 4, "NOT_IN_SCOPE"},
    {"4.3", "without a binding", "0a:C8! 0b:C8", "", REASON, 1, "OP_UNSUPPORT/FUNC_NOT_FOUND"},

    {"3.3", "launch: vector operators only", "0a:V7 0b:V40", "", LAUNCH, 0, "AIV_ONLY 40"},
    {"3.3", "launch: cube operators only", "0a:C7 0b:C20", "", LAUNCH, 0, "AIC_ONLY 20"},
    {"3.3", "launch: 1:1 alone", "0a:m10", "", LAUNCH, 0, "MIX_1_1 10"},
    {"3.3", "launch: no more vector than cube cores", "0a:C12 0b:V12", "", LAUNCH, 0, "MIX_1_1 12"},
    {"3.3", "launch: more vector than cube cores", "0a:m10 0b:V12", "", LAUNCH, 0, "MIX_1_2 10"},
    {"3.3", "launch: an odd number of vector cores is rounded up", "0a:C2 0b:V31", "", LAUNCH, 0, "MIX_1_2 16"},
    {"3.3", "launch: a 1:2 operator decides, however few its cores", "0a:M1 0b:C24", "", LAUNCH, 0, "MIX_1_2 24"},

    {"3.6", "launch: an operator alone with debug_per_op_max_core_num fills the device", "0a:V8 0b:C8", "perop=1", LAUNCH, 0, "MIX_1_2 24"},
    {"3.6", "an operator in batch mode alone keeps its size with debug_per_op_max_core_num", "0a:C8*", "perop=1", LAUNCH, 0, "MIX_1_2 8"},
    {"3.6", "of a vector operator half the cores, rounded up", "0a:V7*", "perop=1", LAUNCH, 0, "MIX_1_2 4"},
    {"3.6", "a kernel larger than the device fails everything with debug_per_op_max_core_num too", "0a:C300", "perop=1", REFUSED, 0, "more cores"},
    {"3.6", "as the real planner: block counts of tasks have 8 bits", "0a:C300", "perop=1 vendor=1", BLOCKS, 0, "44"},

    {"4.1", "an event of the outside is not fused", "0a:C8 0N!(x) 0b:C8", "", SKS, 0, "a | b"},
    {"4.3", "reason: an event of the outside", "0a:C8 0N!(x) 0b:C8", "", REASON, 2, "EXTERNAL_DEPEND"},
    {"4.1", "a reset is not fused", "0a:C8 0N(x) 1W(x) 1b:C8 0R(x) 0c:C8", "", SKS, 0, "a b | c"},
    {"4.3", "reason: a reset", "0a:C8 0N(x) 1W(x) 1b:C8 0R(x) 0c:C8", "", REASON, 5, "RESET_TYPE_NODE"},
    {"4.1", "a default node ends its stream", "0a:C8 0D 0b:C8", "", SKS, 0, "a | b"},
    {"4.3", "reason: a default node beside kernels, with task bypass", "0a:C8 0D 0b:C8", "task=1", REASON, 2, "DEFAULT_NODE"},

    {"4.6", "a default node is judged behind the scopes, with task bypass", "0B() 0D 0E() 0a:C8", "task=1", REASON, 2, "DEFAULT_NODE"},

    {"4.2", "value wait >=: the write releases it, paired needs bit 0", "1w(x=5) 0a:C8 0u(x=3,0) 0b:C8", "value=0", SKS, 0, "a | b"},
    {"4.2", "value wait >=: fused with bit 0", "1w(x=5) 0a:C8 0u(x=3,0) 0b:C8", "value=1", SKS, 0, "a W b"},
    {"4.2", "value wait >=: a smaller write resets, bit 0 is not enough", "1w(x=2) 0a:C8 0u(x=3,0) 0b:C8", "value=1", SKS, 0, "a | b"},
    {"4.2", "value wait >=: unpaired needs bit 1", "1w(x=2) 0a:C8 0u(x=3,0) 0b:C8", "value=2", SKS, 0, "a W b"},
    {"4.2", "value wait ==: the same value releases", "1w(x=3) 0a:C8 0u(x=3,1) 0b:C8", "value=1", SKS, 0, "a W b"},
    {"4.2", "value wait ==: a larger value resets", "1w(x=4) 0a:C8 0u(x=3,1) 0b:C8", "value=1", SKS, 0, "a | b"},
    {"4.2", "value wait &: a common bit releases", "1w(x=6) 0a:C8 0u(x=2,2) 0b:C8", "value=1", SKS, 0, "a W b"},
    {"4.2", "value wait &: no common bit resets", "1w(x=5) 0a:C8 0u(x=2,2) 0b:C8", "value=1", SKS, 0, "a | b"},
    {"4.2", "value wait ~|: any zero bit releases", "1w(x=1) 0a:C8 0u(x=2,3) 0b:C8", "value=1", SKS, 0, "a W b"},
    {"4.2", "a wait without any write needs bit 1", "0a:C8 0u(x=3,0) 0b:C8", "value=1", SKS, 0, "a | b"},
    {"4.2", "a wait without any write is fused with bit 1", "0a:C8 0u(x=3,0) 0b:C8", "value=2", SKS, 0, "a W b"},
    {"4.2", "waits of one address must agree", "0a:C8 0u(x=1,1) 0u(x=1,0) 0w(x=1)", "", REFUSED, 0, "different things"},

    {"4.2", "a write without any wait is fused: another value than 0 records", "0a:C8 0w(x=5) 0b:C8", "", SKS, 0, "a N b"},
    {"4.2", "a write without any wait is fused: 0 resets", "0a:C8 0w(x=0) 0b:C8", "", AIC, 0, "P:a a b11 R:0x78 P:b b"},
    {"4.2", "two writes that record on one address", "0a:C8 0w(x=5) 0w(x=6) 0b:C8", "", REFUSED, 0, "both release"},
    {"4.1", "two records of one event", "0a:C8 0N(x) 0b:C8 0N(x)", "", REFUSED, 0, "records already"},
    {"4.2", "two writes that release the waits on one address", "0w(x=1) 0w(x=1) 0u(x=1,1) 0a:C8", "", REFUSED, 0, "both release"},

    {"4.5", "an unfusible head of another stream is skipped before a scope", "1x:C8! 0a:C8 1b:C8", "", SKS, 0, "a b"},
    {"4.7", "a stream of events alone leaves the scope", "0a:C8 1N(x) 0b:C8", "", REASON, 2, "ISOLATED_EVENT"},

    {"4.8", "batch mode: fewer cores than before, each", "0a:m8* 0b:m4* 0c:m2*", "", SKS, 0, "a | b | c"},
    {"4.8", "batch mode: more cores than before, each", "0a:m2* 0b:m4* 0c:m8*", "", SKS, 0, "a | b | c"},
    {"4.8", "batch mode: equal", "0a:m4* 0b:m4*", "", SKS, 0, "a b"},
    {"4.8", "batch mode: off", "0a:m8 0b:m2 0c:m8", "", SKS, 0, "a b c"},
    {"4.8", "batch mode: a smaller kernel without it is no cut", "0a:m8* 0b:m2 0c:m4*", "", SKS, 0, "a b | c"},
    {"4.8", "batch mode: the other side counts as two to one", "0a:m4* 0b:V8* 0c:C8*", "", SKS, 0, "a | b | c"},
    {"4.8", "batch mode: a larger kernel behind it", "0a:m4* 0b:m8", "", SKS, 0, "a | b"},
    {"4.8", "batch mode: a larger kernel that has it first", "0a:m4 0b:m8*", "", SKS, 0, "a b"},
    {"4.8", "batch mode: the operator's binding turns it off", "0a:m8* 0b:m4*^8", "", SKS, 0, "a b"},

    {"4.5", "an unfusible node ends the scope on its own stream only", "0a:C8 0b:C8! 1c:C8 0d:C8 1e:C8", "", SKS, 0, "a c e | d"},
    {"4.5", "other flags end the scope on their stream only", "0B(A) 0a:C8 1b:C8 0E(A) 0B(B) 0c:C8 0E(B)", "", SKS, 0, "a b | c"},
    {"4.5", "a wait releases its stream behind the record", "1W(x) 1b:C8 0a:C8 0N(x)", "", SKS, 0, "a b"},

    {"4.5", "splitting stops for good at a wait with which nothing can be taken", "0B(a) 0W(x) 0f:C8 0E(a) 1B(b) 1g:V8 1N(x) 1E(b) 0R(x)", "", SKS, 0, ""},

    {"5.1", "order: the smallest id", "0a:C8 0b:V8 1c:M8 1d:C8", "", SKS, 0, "a b c d"},
    {"5.1", "order in parallel: a MIX kernel first, then another stream", "0a:C8 0b:V8 1c:M8 1d:C8", "parallel=1", SKS, 0, "c a d b"},
    {"5.1", "order in parallel: behind a cube kernel a vector kernel of another stream", "0a:C8 0b:C8 1c:C8 2d:V8", "parallel=1", SKS, 0, "a d b c"},

    {"5.4", "boundary: the second node launches when another stream waits in front", "0o:C1! 1p:C1! 0a:C2 1b:V2 0c:C2 1d:V2", "", MAIN, 0, "5"},
    {"5.4", "boundary: the first pair of streams that fits", "0o:C1! 1p:C1! 0a:C2 1b:V2 2c:V2 0d:C2 1e:V2 2f:V2 0g:C2 1h:V2 0q:C1! 1r:C1!", "", MAIN, 0, "6"},
    {"5.4", "boundary: no node in front, the first launches", "0a:C2 1b:V2 0c:C2 1d:V2", "", MAIN, 0, "1"},

    {"5.2", "a pair inside is not executed", "0a:C8 0N(x) 1W(x) 1b:C8", "", AIC, 0, "P:a a P:b b11 b"},
    {"6.3", "boundary tasks stand behind a full barrier", "0o:C1! 1p:C1! 0a:C2 1b:V2 0c:C2 1d:V2", "", AIC, 0, "P:a a b11 P:c c b11 ALL"},
    {"7.4", "nothing is preloaded across an event task", "1o:C4! 1N(x) 0a:C8 0W(x) 0b:C8 0R(x)", "", AIC, 0, "P:a a W:e0x78 P:b b11 b"},
    {"6.3", "a wait with no kernel behind it stands on the first kernel's queue, MIX: vector", "1o:C8! 1N(x) 0a:M8 0b:C8 0W(x) 0R(x)", "", AIV, 0, "P:a a b14 s12 w13 W:e0x78"},
    {"6.3", "a wait before a MIX kernel joins the cube kernel before it if any event does", "2o:C8! 2N(x) 0a:C8 0N(y) 1W(x) 1W(y) 1m:M8 2R(x) 2R(y)", "", AIC, 0, "P:a a W:e0x78 P:m b11 s13 m"},
    {"6.3", "a wait before a MIX kernel avoids a cube kernel that no event joins", "2o:C8! 2N(x) 0a:C8 0N(y) 1W(x) 1m:M8 2R(x) 2R(y) 2W(y)", "", AIV, 0, "W:e0x78 P:m b14 s12 m"},
    {"6.3", "a deferred wait stands on the queue of the kernel behind it", "1o:C8! 1N(y) 0a:C8 0W(y) 0N(z) 0b:V8 1x:C8! 1W(z) 1R(y) 1R(z)", "parallel=1", AIV, 0, "w13 W:e0x79 P:b b14 b"},
    {"6.3", "as the real planner: on that of a kernel remembered for the record before", "1o:C8! 1N(y) 0a:C8 0W(y) 0N(z) 0b:V8 1x:C8! 1W(z) 1R(y) 1R(z)", "parallel=1 vendor=1", AIC, 0, "P:a a N:e0x7a W:e0x79 b11 s13"},
    {"6.3", "a cube operator behind a vector operator waits for the flag only", "0a:V8 0b:C8", "", AIC, 0, "P:b w12 b"},

    {"2.2", "preload 0: whole cache", "0a:C8 0b:C8", "preload=0", PRELOADS, 0, "16 16"},
    {"2.2", "preload 1: size in units of 2 KB", "0a:C8 0b:C8", "preload=1", PRELOADS, 0, "2 2"},
    {"2.2", "preload 2: none", "0a:C8 0b:C8", "preload=2", PRELOADS, 0, "0 0"},

    {"5.3", "a kernel larger than the device fails everything", "0x:C8 0a:C25", "", REFUSED, 0, "more cores"},
    {"5.3", "a kernel needs both sides: cube and vector cores of a MIX kernel", "0a:M24", "", LAUNCH, 0, "MIX_1_2 24"},
    {"5.3", "reason: a wait that would open an SK", "1o:C8! 1N(x) 0W(x) 0a:C8 0R(x)", "", REASON, 3, "EXIST_DEADLOCK/FIRST_WAIT"},
    {"5.3", "a wait for nobody", "0a:C8 0W(x) 0b:C8", "", REASON, 2, "EXIST_DEADLOCK/NOTIFY_NOT_IN_GRAPH"},
    {"5.3", "work outside that does not fit beside the SK", "0a:C20 1o:C8! 1N(x) 0W(x) 0b:C24 0R(x)", "", REASON, 4, "EXIST_DEADLOCK/KERNEL_INSUFFICIENT_CORES"},
    {"5.3", "work outside that fits: the next kernel does not", "0a:C8 1o:C8! 1N(x) 0W(x) 0b:C20 0R(x)", "", SKS, 0, "a | b"},
    {"5.3", "work outside and inside fit", "0a:C8 1o:C8! 1N(x) 0W(x) 0b:C16 0R(x)", "", SKS, 0, "a W b"},
    {"5.2", "an event without a reset cannot be waited for inside", "0a:C8 1o:C8! 1N(x) 0W(x) 0b:C8", "", REFUSED, 0, "reset"},
    {"5.4", "boundary: too few places", "0o:C1! 1p:C1! 0a:C2 1b:V2 0q:C1! 1r:C1!", "", REASON, 3, "SCOPE_FUSE_PART/RESOURCE_INSUFFICIENT"},
    {"7.3", "flush words: behind each operator", "0a:C8", "", WORDS, 0, "32"},
    {"7.3", "flush words: none where the binding says so", "0a:C8^4", "", WORDS, 0, "1"},
    {"5.3", "a wait never opens an SK", "1o:C8! 1N(x) 0W(x) 0a:C8 0R(x)", "", SKS, 0, "a"},
};

static sk__fuse_options options_of(const char *text) {
  sk__fuse_options options = sk__fuse_defaults();
  const struct { const char *key; uint32_t *to; } keys[] = {
      {"task=", &options.task_breaker_bypass}, {"value=", &options.value_breaker_bypass}, {"parallel=", &options.auto_op_parallel}, {"preload=", &options.preload_code},
      {"perop=", &options.debug_per_op_max_core_num}};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const char *at = strstr(text, keys[i].key);
    if (at != NULL) *keys[i].to = (uint32_t)strtoul(at + strlen(keys[i].key), NULL, 10);
  }
  options.emulate_vendor_defects = strstr(text, "vendor=1") != NULL;
  return options;
}

static void members(const sk__plan *plan, sk__text *to) {
  for (size_t k = 0; k < plan->sk_count; k++) {
    if (k > 0) sk__text_add(to, " | ");
    for (size_t i = 0; i < plan->sks[k].member_count; i++) {
      const sk__node *node = &plan->graph->nodes[plan->sks[k].members[i].value];
      bool records = node->type == SK__NODE_NOTIFY || node->type == SK__NODE_MEMORY_WRITE;
      sk__text_add(to, "%s%s", i > 0 ? " " : "", node->type == SK__NODE_KERNEL ? node->kernel.name : records ? "N" : "W");
    }
  }
}

static void queue(const sk__plan *plan, const char *label, sk__text *to) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  sk__plan_print(plan, stream);
  fclose(stream);
  const char *line = strstr(text, label);
  if (line != NULL) sk__text_add(to, "%.*s", (int)strcspn(line + strlen(label), "\n"), line + strlen(label));
  free(text);
}

static void look(const sk__plan *plan, const rule *r, sk__text *to) {
  static const char *const types[] = {[SK_AIV_ONLY] = "AIV_ONLY", [SK_AIC_ONLY] = "AIC_ONLY", [SK_MIX_AIC_1_1] = "MIX_1_1", [SK_MIX_AIC_1_2] = "MIX_1_2"};
  const sk__sk *sk = plan->sk_count > 0 ? &plan->sks[0] : NULL;
  if (r->view == SKS) members(plan, to);
  else if (r->view == REASON)
    for (size_t i = 0; i < plan->graph->node_count; i++) {
      sk__why why = sk__why_of(&plan->decisions[i]);
      if (plan->graph->nodes[i].id == r->node) sk__text_add(to, "%s%s%s", why.reason, why.sub_reason != NULL ? "/" : "", why.sub_reason != NULL ? why.sub_reason : "");
    }
  else if (sk == NULL) sk__text_add(to, "no SK");
  else if (r->view == NAME) sk__text_add(to, "%s", strchr(strchr(sk->name, '_') + 1, '_') + 1); /* behind the number */
  else if (r->view == MAIN) sk__text_add(to, "%llu", (unsigned long long)plan->graph->nodes[sk->main.value].id);
  else if (r->view == LAUNCH) sk__text_add(to, "%s %u", types[sk->type], sk->blocks);
  else if (r->view == AIC || r->view == AIV) queue(plan, r->view == AIC ? "  AIC: " : "  AIV: ", to);
  else
    for (size_t i = 0, n = 0; i < sk->queue[SK__AIC].count; i++)
      if (r->view == BLOCKS && sk->queue[SK__AIC].ops[i].type == SK__OP_FUNC) sk__text_add(to, "%s%u", n++ > 0 ? " " : "", sk->queue[SK__AIC].ops[i].blocks);
      else if (r->view == WORDS && sk->queue[SK__AIC].ops[i].type == SK__OP_FUNC) sk__text_add(to, "%s%u", n++ > 0 ? " " : "", (unsigned)sk->queue[SK__AIC].ops[i].debug);
      else if (r->view == PRELOADS && sk->queue[SK__AIC].ops[i].type == SK__OP_PRELOAD) sk__text_add(to, "%s%u", n++ > 0 ? " " : "", sk->queue[SK__AIC].ops[i].preload_units);
}

static void test_rules(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const rule *r = &rules[i];
    sk__fuse_options options = options_of(r->options);
    sk__graph *graph = graph_of(r->graph);
    sk__plan *plan = NULL;
    char text[512] = "", why[256] = "";
    sk__text seen = sk__text_on(text, sizeof text);
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    if (status != SK_OK) sk__text_add(&seen, "refused: %s", why);
    else look(plan, r, &seen);
    bool good = r->view == REFUSED ? status == SK_STATE && strstr(why, r->expected) != NULL : status == SK_OK && strcmp(text, r->expected) == 0;
    if (!good) print_message("rule '%s' (section %s)\n  graph %s, options '%s'\n  expected %s\n  seen     %s\n", r->name, r->section, r->graph, r->options, r->expected, text);
    wrong += !good;
    if (status == SK_OK) sk__plan_free(plan);
    sk__graph_free(graph);
  }
  assert_int_equal(wrong, 0);
}

SK_TESTS(SK_TEST(test_rules))
