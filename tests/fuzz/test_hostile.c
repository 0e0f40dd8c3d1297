/* Hostile input to every reader: refused with a reason, in bounded time, without a crash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "fuzz/parsers.h"
#include "harness.h"

static sk_status parse(fuzz_parser parser, const char *text) { return fuzz_parse(parser, (const uint8_t *)text, strlen(text)); }

/* head, then `count` times middle, then tail. */
static char *repeated(const char *head, const char *middle, size_t count, const char *tail) {
  size_t bytes = strlen(middle);
  char *text = malloc(strlen(head) + bytes * count + strlen(tail) + 1), *at = text;
  assert_non_null(text);
  at = stpcpy(at, head);
  for (size_t i = 0; i < count; i++) at = stpcpy(at, middle);
  strcpy(at, tail);
  return text;
}

static const char good_graph[] =
    "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"KERNEL\", \"taskInfo\": [{\"kernelParams\": "
    "{\"funcName\": \"k\", \"numBlocks\": 8, \"kernelTypeInt\": 3, \"taskRatio\": [1, 2], \"cap\": \"0x1\"}}]},"
    "{\"nodeId\": 2, \"nodeType\": \"NOTIFY\", \"taskInfo\": [{\"eventParams\": {\"eventId\": 5}}]},"
    "{\"nodeId\": 3, \"nodeType\": \"DEFAULT\"}]}]}";
static const char good_options[] =
    "{\"super_kernel_optimize_options\": {\"preload_code\": 1, \"dcci_after_kernel_end\": [\"a.*\"]}, \"super_kernel_debug_options\": null}";
static const char good_ge[] = "early-start=0:func-align=256:dcci-before-kernel-start=Add,Mul";

static const char good_ge_graph[] =
    "node { name: \"a\" op: \"MatMul\" attr { key: \"_super_kernel_scope\" value { s: 's: \"s\"\\n' } } }\n"
    "node { name: \"b\" op: \"Relu\" input: \"a:0\" attr { key: \"_super_kernel_scope\" value { s: 's: \"s\"' } } }";

static const char good_kernels[] =
    "{\"A\": {\"type\": \"AIC_ONLY\", \"blocks\": 8, \"text\": [4096, null]}, \"b\": {\"type\": \"MIX_AIC_1_2\", \"blocks\": 8, \"dynamic\": true, "
    "\"tiling\": [[3, \"AIV_ONLY\"], [7, \"MIX_AIC_1_1\"]], \"dcci\": [\"before\"], \"debug\": [[\"printf\"], 1024]}}";
static const char good_plan_record[] =
    "{\"case\": 1, \"graph\": {\"device\": {\"aic\": 24, \"aiv\": 48}, \"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"KERNEL\", "
    "\"taskInfo\": [{\"kernelParams\": {\"funcName\": \"k\", \"numBlocks\": 8, \"kernelTypeInt\": 1, \"taskRatio\": [1, 0], \"bindFail\": \"FUNC_NOT_FOUND\"}}]}]}]}, "
    "\"options\": {}, \"expect\": {\"ret\": 0, \"nodes\": [[1, \"KERNEL\", 0, \"OP_UNSUPPORT\", \"FUNC_NOT_FOUND\"]], \"scopes\": [], \"updates\": [], \"model_updates\": 0}}";
static const char good_ge_decision[] =
    "{\"case\": 2, \"subs\": [{\"type\": \"AIV_ONLY\", \"blocks\": 8, \"stream\": 0, \"send\": [3], \"recv\": [4]}], \"options\": \"foo=1\", "
    "\"expect\": {\"error\": \"OPT_UNKNOWN\", \"key\": \"foo\"}}";

static void nothing_at_all(void **state) {
  (void)state;
  for (int parser = 0; parser < FUZZ_PARSERS; parser++) {
    sk_status status = parse((fuzz_parser)parser, "");
    assert_int_equal(status == SK_OK, parser == FUZZ_GE_OPTIONS); /* no options are good options */
  }
}

static void good_input_is_taken(void **state) {
  (void)state;
  assert_int_equal(parse(FUZZ_GRAPH, good_graph), SK_OK);
  assert_int_equal(parse(FUZZ_OPTIONS, good_options), SK_OK);
  assert_int_equal(parse(FUZZ_GE_OPTIONS, good_ge), SK_OK);
  assert_int_equal(parse(FUZZ_SCHEDULE, "random:7"), SK_OK);
  assert_int_equal(parse(FUZZ_MODES, "default,fused/random:18446744073709551615"), SK_OK);
  assert_int_equal(parse(FUZZ_PATTERN, "a.*b"), SK_OK);
  assert_int_equal(parse(FUZZ_GE_GRAPH, good_ge_graph), SK_OK);
  assert_int_equal(parse(FUZZ_GE_KERNELS, good_kernels), SK_OK);
  assert_int_equal(parse(FUZZ_RECORDS, good_plan_record), SK_OK);
  assert_int_equal(parse(FUZZ_RECORDS, good_ge_decision), SK_OK);
}

static void deep_nesting(void **state) {
  (void)state;
  char *lists = repeated("", "[", 1000000, ""), *objects = repeated("", "{\"a\":", 300000, "1"), *parts = repeated("", ":", 60000, "");
  for (int parser = 0; parser < FUZZ_PARSERS; parser++) {
    if (parser == FUZZ_PATTERN) continue;
    assert_int_not_equal(parse((fuzz_parser)parser, lists), SK_OK);
    assert_int_not_equal(parse((fuzz_parser)parser, objects), SK_OK);
  }
  assert_int_equal(parse(FUZZ_GE_OPTIONS, parts), SK_OK); /* empty parts are skipped */
  free(lists);
  free(objects);
  free(parts);
}

static void huge_numbers(void **state) {
  (void)state;
  char *digits = repeated("", "9", 100000, "");
  static const char *const graphs[] = {
      "{\"streams\": [{\"streamIdxInGraph\": %s, \"nodes\": []}]}",
      "{\"device\": {\"aic\": %s}, \"streams\": []}",
      "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": %s, \"nodeType\": \"DEFAULT\"}]}]}",
      "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": \"%s\", \"nodeType\": \"DEFAULT\"}]}]}",
  };
  static const char *const numbers[] = {"18446744073709551616", "-1", "1e400", "9223372036854775808", "4294967296"};
  char text[512];
  for (size_t g = 0; g < sizeof graphs / sizeof graphs[0]; g++)
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
      if (g >= 2 && n == 4) continue; /* a legal node id */
      snprintf(text, sizeof text, graphs[g], numbers[n]);
      assert_int_equal(parse(FUZZ_GRAPH, text), SK_PARSE);
    }
  char *long_id = repeated("{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeType\": \"DEFAULT\", \"nodeId\": ", "9", 100000, "}]}]}");
  assert_int_equal(parse(FUZZ_GRAPH, long_id), SK_PARSE);
  assert_int_not_equal(parse(FUZZ_OPTIONS, digits), SK_OK);
  char *align = repeated("func-align=", "9", 60000, ""), *seed = repeated("random:", "9", 100000, ""), *mode = repeated("fused/random:", "9", 40, "");
  assert_int_equal(parse(FUZZ_GE_OPTIONS, align), SK_INVALID_ARGUMENT);
  assert_int_equal(parse(FUZZ_SCHEDULE, seed), SK_INVALID_ARGUMENT);
  assert_int_equal(parse(FUZZ_MODES, mode), SK_INVALID_ARGUMENT);
  free(digits);
  free(long_id);
  free(align);
  free(seed);
  free(mode);
}

static void bytes_that_are_no_text(void **state) {
  (void)state;
  static const char *const bytes[] = {"\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\x01\x02\x7f"};
  char text[512];
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    for (int parser = 0; parser < FUZZ_PARSERS; parser++)
      if (parser != FUZZ_GE_OPTIONS) assert_int_not_equal(parse((fuzz_parser)parser, bytes[i]), SK_OK);
    snprintf(text, sizeof text, "%s=1", bytes[i]);
    assert_int_equal(parse(FUZZ_GE_OPTIONS, text), SK_INVALID_ARGUMENT);
    snprintf(text, sizeof text, "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"%s\"}]}]}", bytes[i]);
    assert_int_equal(parse(FUZZ_GRAPH, text), SK_PARSE);
  }
  assert_int_equal(parse(FUZZ_GRAPH, "{\"streams\": [{\"streamIdxInGraph\": 0, \"nodes\": [{\"nodeId\": 1, \"nodeType\": \"K\\u0000\"}]}]}"), SK_PARSE);
}

/* Large graphs made to be slow: many nodes of one event, one scope in many pieces, strings in many parts, streams, a
 * chain written backwards. Each within seconds, whatever the host does beside. */
static void slow_ge_graphs(void **state) {
  (void)state;
  enum { MANY = SK__HARD ? 500 : 50000, BYTES = 220 };
  static const char *const forms[] = {
      "op{name:\"n%d\"type:\"%s\"id:%d stream_id:0 attr{key:\"event_id\"value{i:1}}}",
      "op{name:\"n%d\"type:\"A\"id:%d stream_id:%d attr{key:\"_super_kernel_scope\"value{s:\"s\"}}}",
      "node{name:\"n%d\"op:\"A\"input:\"n%d:0\"attr{key:\"_user_stream_label\"value{s:'s:\"l%d\"'}}}"};
  char *text = malloc((size_t)MANY * BYTES + 1), *strings = repeated("node { name: \"a\" op: ", "\"\" ", 500000, "\"b\" }");
  assert_non_null(text);
  for (int form = 0; form < 4; form++) {
    char *at = text;
    for (int i = 0; i < MANY; i++) {
      if (form == 0) at += snprintf(at, BYTES, forms[0], i, i % 2 == 0 ? "Send" : "Recv", i);
      else if (form == 1) at += snprintf(at, BYTES, forms[1], i, i, i % 3 == 0 ? 0 : i);
      else if (form == 2) at += snprintf(at, BYTES, forms[1], i, i, 0);
      else at += snprintf(at, BYTES, forms[2], i, i + 1 < MANY ? i + 1 : i, i % 4000);
    }
    (void)!fuzz_parse(FUZZ_GE_GRAPH, (const uint8_t *)text, (size_t)(at - text));
  }
  assert_int_equal(parse(FUZZ_GE_GRAPH, strings), SK_OK);
  free(text);
  free(strings);
}

/* What the fuzzer starts from is good input: a byte that picks the parser, then the text. */
static void seeds_are_good(void **state) {
  (void)state;
  static const char *const names[] = {"graph", "options", "ge_options", "ge_record", "schedule", "modes", "pattern", "ge_graph", "ge_kernels", "records"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[4096], *text = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/%s", SUPERKERNEL_SOURCE, names[i]);
    assert_int_equal(sk__file_read(path, &text, &bytes), SK_OK);
    assert_int_equal(fuzz_parser_of((uint8_t)text[0]), i);
    if (fuzz_parse((fuzz_parser)i, (const uint8_t *)text + 1, bytes - 1) != SK_OK) fail_msg("%s", names[i]);
    sk__free(text);
  }
}

/* Every shorter beginning of a good input; only option strings may be good then. */
static void truncated(void **state) {
  (void)state;
  for (size_t bytes = 0; bytes < sizeof good_graph - 1; bytes++)
    assert_int_equal(fuzz_parse(FUZZ_GRAPH, (const uint8_t *)good_graph, bytes), SK_PARSE);
  for (size_t bytes = 0; bytes < sizeof good_options - 1; bytes++)
    assert_int_equal(fuzz_parse(FUZZ_OPTIONS, (const uint8_t *)good_options, bytes), SK_PARSE);
  for (size_t bytes = 0; bytes < sizeof good_ge_graph - 1; bytes++) { /* one node is a graph, too */
    sk_status status = fuzz_parse(FUZZ_GE_GRAPH, (const uint8_t *)good_ge_graph, bytes);
    assert_int_equal(status == SK_OK, bytes == 91 || bytes == 92);
  }
  for (size_t bytes = 0; bytes < sizeof good_kernels - 1; bytes++)
    assert_int_equal(fuzz_parse(FUZZ_GE_KERNELS, (const uint8_t *)good_kernels, bytes), SK_PARSE);
  for (size_t bytes = 2; bytes < sizeof good_plan_record - 1; bytes++)
    assert_int_equal(fuzz_parse(FUZZ_RECORDS, (const uint8_t *)good_plan_record, bytes), SK_PARSE);
  for (size_t bytes = 0; bytes < sizeof good_ge - 1; bytes++) (void)!fuzz_parse(FUZZ_GE_OPTIONS, (const uint8_t *)good_ge, bytes);
}

/* Some bytes of good input replaced; whatever comes out, the invariants of parsers.h hold. */
static void changed_at_random(void **state) {
  (void)state;
  static const struct { fuzz_parser parser; const char *text; } seeds[] = {
      {FUZZ_GRAPH, good_graph}, {FUZZ_OPTIONS, good_options}, {FUZZ_GE_OPTIONS, good_ge}, {FUZZ_MODES, "default,fused/random:7,per-op"},
      {FUZZ_PATTERN, "Mat.*_kern.l"}, {FUZZ_GE_GRAPH, good_ge_graph}, {FUZZ_GE_KERNELS, good_kernels}, {FUZZ_RECORDS, good_plan_record},
      {FUZZ_RECORDS, good_ge_decision}};
  static const char useful[] = "\"{}[]:,.0129-eE*nul\\ ";
  sk__rng rng = sk__rng_from_seed(sk_test_seed("hostile"));
  char text[4096];
  for (int round = 0; round < 20000; round++) {
    size_t s = sk__rng_below(&rng, sizeof seeds / sizeof seeds[0]), bytes = strlen(seeds[s].text);
    memcpy(text, seeds[s].text, bytes + 1);
    for (uint64_t changes = 1 + sk__rng_below(&rng, 4); changes > 0; changes--)
      text[sk__rng_below(&rng, (uint32_t)bytes)] = useful[sk__rng_below(&rng, sizeof useful - 1)];
    (void)!fuzz_parse(seeds[s].parser, (const uint8_t *)text, bytes);
  }
}

SK_TESTS(SK_TEST(nothing_at_all), SK_TEST(deep_nesting), SK_TEST(huge_numbers), SK_TEST(bytes_that_are_no_text), SK_TEST(truncated), SK_TEST(slow_ge_graphs), SK_TEST(seeds_are_good),
         SK_TEST(changed_at_random), SK_TEST(good_input_is_taken))
