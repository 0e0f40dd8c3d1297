/* graph_text.h - graphs in one line, and queues back as text.
 *
 * Tokens in order of capture (node ids 1, 2 ...), each with its stream's digit in front:
 *   0a:C8     kernel a on stream 0: C cube, V vector, M mix 1:2, m mix 1:1; 8 blocks
 *             behind it: ! without binding, * batch mode, ^3 capability bits, g in a task group, $ SIMT code
 *   0N(x) 1W(x) 0R(x)   record, wait, reset of event x (one letter); N!(x) = shared with the outside
 *   0w(x=1) 1u(x=1,2)   value write, value wait with condition 2, on address x
 *   0B(s) 0E(s) 0P(s)   begin, end and placeholder of scope s, one node each; () = the None scope
 *   0D        a task that is no kernel
 * The word @950 alone: the graph is of the third chip. */
#ifndef SK_TESTS_GRAPH_TEXT_H
#define SK_TESTS_GRAPH_TEXT_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "fuse/fuse.h"
#include "harness.h"

static inline json_t *text_kernel(const char *token) {
  const char *type = strchr(token, ':') + 1;
  char *rest;
  long blocks = strtol(type + 1, &rest, 10);
  int kind = *type == 'C' ? 1 : *type == 'V' ? 2 : 3;
  json_t *kernel = json_pack("{s:s%,s:I,s:i,s:[i,i],s:i,s:[{s:[i,i]}]}", "funcName", token, (size_t)(type - 1 - token), "numBlocks",
                             (json_int_t)blocks, "kernelTypeInt", kind, "taskRatio", kind != 2, *type == 'C' ? 0 : *type == 'M' ? 2 : 1,
                             "resolvedNum", 4, "resolvedFuncs", "funcSize", 4096, 4096);
  for (; *rest != '\0'; rest++) {
    if (*rest == '!') json_object_set_new(kernel, "bindFail", json_string("FUNC_NOT_FOUND"));
    if (*rest == '*') json_object_set_new(kernel, "schedMode", json_pack("{s:i,s:i}", "func", 1, "launch", 1));
    if (*rest == 'g') json_object_set_new(kernel, "taskGrp", json_string("0x1"));
    if (*rest == '$') json_object_set_new(kernel, "aivType", json_integer(3));
    if (*rest == '^') json_object_set_new(kernel, "cap", json_integer(strtol(rest + 1, &rest, 10))), rest--;
  }
  return json_pack("{s:s,s:[{s:o}]}", "nodeType", "KERNEL", "taskInfo", "kernelParams", kernel);
}

static inline json_t *text_marker(const char *token) {
  char name[300];
  snprintf(name, sizeof name, "%.*s", (int)(strlen(token) - 3), token + 2);
  return json_pack("{s:s,s:b,s:b,s:o}", "nodeType", "KERNEL", "isScopeNode", 1,
                   *token == 'B' ? "isScopeBegin" : *token == 'E' ? "isScopeEnd" : "isScopePlaceholder", 1,
                   "scopeName", name[0] != '\0' ? json_string(name) : json_null());
}

static inline json_t *text_other(const char *token) {
  const char *inside = strchr(token, '(') != NULL ? strchr(token, '(') + 1 : "";
  json_int_t key = (unsigned char)inside[0], value = strlen(inside) > 2 ? strtol(inside + 2, NULL, 10) : 0;
  const char *condition = strchr(inside, ',');
  switch (*token) {
    case 'N':
    case 'W':
    case 'R':
      return json_pack("{s:s,s:[{s:{s:I,s:i,s:i}}]}", "nodeType", *token == 'N' ? "NOTIFY" : *token == 'W' ? "WAIT" : "RESET", "taskInfo",
                       "eventParams", "eventId", key, "eventFlag", token[1] == '!' ? 0x20 : 0, "eventTaskFlag", 0);
    case 'w':
      return json_pack("{s:s,s:[{s:{s:I,s:I}}]}", "nodeType", "MEMORY_WRITE", "taskInfo", "valueWriteParams", "devAddr", key, "value", value);
    case 'u':
      return json_pack("{s:s,s:[{s:{s:I,s:I,s:I}}]}", "nodeType", "MEMORY_WAIT", "taskInfo", "valueWaitParams", "devAddr", key, "value", value,
                       "flag", condition != NULL ? (json_int_t)strtol(condition + 1, NULL, 10) : (json_int_t)1);
    default: return json_pack("{s:s}", "nodeType", "DEFAULT");
  }
}

static inline sk__graph *graph_of(const char *text) {
  json_t *streams = json_array();
  char *copy = strdup(text), *save = NULL;
  assert_non_null(copy);
  json_int_t id = 0;
  bool third_chip = false;
  for (char *token = strtok_r(copy, " ", &save); token != NULL; token = strtok_r(NULL, " ", &save)) {
    if (strcmp(token, "@950") == 0) {
      third_chip = true;
      continue;
    }
    size_t stream = (size_t)(*token++ - '0');
    while (json_array_size(streams) <= stream)
      json_array_append_new(streams, json_pack("{s:i,s:[]}", "streamIdxInGraph", (int)json_array_size(streams), "nodes"));
    json_t *node = strchr(token, ':') != NULL ? text_kernel(token) : strchr("BEP", *token) != NULL ? text_marker(token) : text_other(token);
    assert_non_null(node);
    json_object_set_new(node, "nodeId", json_integer(++id));
    json_array_append_new(json_object_get(json_array_get(streams, stream), "nodes"), node);
  }
  free(copy);
  json_t *dump = json_pack("{s:o}", "streams", streams);
  if (third_chip) json_object_set_new(dump, "soc", json_string("Ascend950"));
  char why[256] = "";
  sk__graph *graph = NULL;
  sk_status status = sk__graph_from_json(dump, &graph, why, sizeof why);
  if (status != SK_OK) print_message("%s: %s\n", text, why);
  assert_int_equal(status, SK_OK);
  json_decref(dump);
  return graph;
}

/* The plan; fails the test when there is none. The graph stays alive with the process. */
static inline sk__plan *plan_with(const char *text, sk__fuse_options options) {
  sk__plan *plan = NULL;
  char why[256] = "";
  sk_status status = sk__plan_make(graph_of(text), &options, &plan, why, sizeof why);
  if (status != SK_OK) print_message("%s: %s\n", text, why);
  assert_int_equal(status, SK_OK);
  return plan;
}
static inline sk__plan *plan_of(const char *text) { return plan_with(text, sk__fuse_defaults()); }

static inline void assert_no_plan(const char *text, sk__fuse_options options, const char *reason) {
  sk__plan *plan = NULL;
  char why[256] = "";
  assert_int_equal(sk__plan_make(graph_of(text), &options, &plan, why, sizeof why), SK_STATE);
  if (strstr(why, reason) == NULL) print_message("%s: '%s' lacks '%s'\n", text, why, reason);
  assert_non_null(strstr(why, reason));
}

/* Members of all SKs: "a b | c". */
static inline void assert_sks(const sk__plan *plan, const char *expected) {
  char text[1024] = "";
  for (size_t k = 0; k < plan->sk_count; k++) {
    if (k > 0) strcat(text, " | ");
    for (size_t i = 0; i < plan->sks[k].member_count; i++) {
      const sk__node *node = &plan->graph->nodes[plan->sks[k].members[i].value];
      char part[300];
      snprintf(part, sizeof part, "%s%s", i > 0 ? " " : "",
               node->type == SK__NODE_KERNEL ? node->kernel.name
               : node->type == SK__NODE_NOTIFY || node->type == SK__NODE_MEMORY_WRITE ? "N" : "W");
      strcat(text, part);
    }
  }
  assert_string_equal(text, expected);
}

/* A queue of the plan's first SK in the listing's notation. */
static inline void assert_queue(const sk__plan *plan, const char *queue, const char *expected) {
  char *text = NULL, label[16], want[2048];
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk__plan_print(plan, to);
  fclose(to);
  snprintf(label, sizeof label, "\n  %s:", queue);
  char *line = strstr(text, label);
  if (line == NULL) {
    assert_string_equal("", expected);
  } else {
    char *end = strchr(++line, '\n');
    *end = '\0';
    snprintf(want, sizeof want, "  %s: %s", queue, expected);
    assert_string_equal(line, want);
  }
  free(text);
}

/* Reason of a kernel by name: "CODE" or "CODE/SUB". */
static inline void assert_reason(const sk__plan *plan, const char *kernel, const char *expected) {
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    const sk__node *node = &plan->graph->nodes[i];
    if (node->type != SK__NODE_KERNEL || node->marker != SK__NO_MARKER || strcmp(node->kernel.name, kernel) != 0) continue;
    char text[128];
    sk__why why = sk__why_of(&plan->decisions[i]);
    snprintf(text, sizeof text, "%s%s%s", why.reason, why.sub_reason != NULL ? "/" : "", why.sub_reason != NULL ? why.sub_reason : "");
    assert_string_equal(text, expected);
    return;
  }
  fail();
}

#endif
