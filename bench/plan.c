/* plan.c - planning alone: a graph of as many tasks as asked for, on four streams joined by events.
 *
 *   plan make TASKS SHAPE     each line: the plan is made and given back
 *   plan read TASKS SHAPE     each line: the graph is read from its JSON text
 *   plan peak TASKS SHAPE     once: most memory that reading and planning took, in bytes
 *
 * SHAPE: "whole", no scope is marked and everything is one SuperKernel; "scopes", a scope around every 64 tasks and a
 * kernel without binding in every 50; "ge", the graph of "scopes" by the rules of graph mode. */
#include <sys/resource.h>

#include "contender.h"
#include "fuse/fuse.h"
#include "fuse/ge/ge.h"

enum { STREAMS = 4, MOST_TASKS = 1000000, EVENT_EVERY = 25, SCOPE_EVERY = 64, UNBOUND_EVERY = 50 };

/* ---- a graph as text ---- */

typedef struct texts { char *items[STREAMS]; size_t bytes[STREAMS]; FILE *streams[STREAMS]; uint32_t id; } texts;

static FILE *node(texts *t, uint32_t stream, const char *type) {
  FILE *to = t->streams[stream];
  fprintf(to, "%s{\"nodeId\":%u,\"nodeType\":\"%s\",", ftell(to) > 0 ? "," : "", ++t->id, type);
  return to;
}

static void kernel(texts *t, uint32_t stream, uint32_t number, bool bound) {
  static const struct { int type, cube, vector; } kinds[] = {{1, 1, 0}, {2, 0, 1}, {3, 1, 2}, {2, 0, 1}};
  uint32_t kind = (number / STREAMS + stream) % 4;
  FILE *to = node(t, stream, "KERNEL");
  fprintf(to, "\"taskInfo\":[{\"kernelParams\":{\"funcName\":\"op_%u_kernel\",\"numBlocks\":%u,\"kernelTypeInt\":%d,\"taskRatio\":[%d,%d],"
              "\"resolvedNum\":4,\"resolvedFuncs\":[{\"funcSize\":[4096,4096]}]%s}}]}",
          number, 8 + number % 16, kinds[kind].type, kinds[kind].cube, kinds[kind].vector, bound ? "" : ",\"bindFail\":\"FUNC_NOT_FOUND\"");
}

static void event(texts *t, uint32_t stream, const char *type, uint32_t id) {
  fprintf(node(t, stream, type), "\"taskInfo\":[{\"eventParams\":{\"eventId\":%u,\"eventFlag\":0,\"eventTaskFlag\":0}}]}", id);
}

static void marker(texts *t, uint32_t stream, bool begin, uint32_t name) {
  fprintf(node(t, stream, "KERNEL"), "\"isScopeNode\":true,\"%s\":true,\"scopeName\":\"s%u\"}", begin ? "isScopeBegin" : "isScopeEnd", name);
}

static void fill(texts *t, uint32_t tasks, bool scopes) {
  uint32_t events = 0, open = UINT32_MAX, number = 0;
  while (t->id < tasks) {
    uint32_t name = t->id / SCOPE_EVERY;
    if (scopes && name != open && t->id + SCOPE_EVERY <= tasks) {
      if (open != UINT32_MAX) marker(t, 0, false, open);
      marker(t, 0, true, open = name);
    }
    if (t->id % EVENT_EVERY == EVENT_EVERY - 1) { /* record, wait and reset: three tasks */
      uint32_t from = ++events % STREAMS;
      event(t, from, "NOTIFY", events);
      event(t, (from + 1) % STREAMS, "WAIT", events);
      event(t, (from + 1) % STREAMS, "RESET", events);
    }
    kernel(t, number % STREAMS, number, !scopes || number % UNBOUND_EVERY != 7);
    number++;
  }
  if (open != UINT32_MAX) marker(t, 0, false, open);
}

static char *graph_text(uint32_t tasks, bool scopes, size_t *bytes) {
  texts t = {.id = 0};
  char *text = NULL;
  for (int s = 0; s < STREAMS; s++) t.streams[s] = open_memstream(&t.items[s], &t.bytes[s]);
  FILE *to = open_memstream(&text, bytes);
  fill(&t, tasks, scopes);
  fprintf(to, "{\"version\":\"1.0\",\"streams\":[");
  for (int s = 0; s < STREAMS; s++) {
    fclose(t.streams[s]);
    fprintf(to, "%s{\"streamIdxInGraph\":%d,\"nodes\":[%s]}", s > 0 ? "," : "", s, t.items[s]);
    free(t.items[s]);
  }
  fprintf(to, "]}");
  fclose(to);
  return text;
}

/* ---- work ---- */

typedef struct job { char *text; size_t bytes; bool ge; sk__graph *graph; } job;

static sk__graph *read_graph(const job *j) {
  char why[256] = "";
  sk__graph *graph = NULL;
  if (sk__graph_from_text(j->text, j->bytes, &graph, why, sizeof why) != SK_OK) contender_stop("plan", why);
  return graph;
}

static void read_again(void *context) { sk__graph_free(read_graph(context)); }

static const char *fuse_streams(void *context, const char *scope) {
  (void)context, (void)scope;
  return "stream-fusion=1";
}

static void make_ge(const job *j) {
  sk__ge_plan *plan = NULL;
  char why[256] = "";
  size_t count = 0;
  if (sk__ge_plan_make(j->graph, fuse_streams, NULL, false, &plan, why, sizeof why) != SK_OK) contender_stop("plan", why);
  sk__ge_plan_programs(plan, &count);
  if (count == 0) contender_stop("plan", "nothing was fused");
  sk__ge_plan_free(plan);
}

static void make(void *context) {
  const job *j = context;
  if (j->ge) {
    make_ge(j);
    return;
  }
  sk__fuse_options options = sk__fuse_defaults();
  sk__plan *plan = NULL;
  char why[256] = "";
  if (sk__plan_make(j->graph, &options, &plan, why, sizeof why) != SK_OK) contender_stop("plan", why);
  if (plan->sk_count == 0) contender_stop("plan", "nothing was fused");
  sk__plan_free(plan);
}

static int print_peak(job *j) {
  struct rusage usage;
  make(j);
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld\n", usage.ru_maxrss * 1024);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) contender_stop("plan", "usage: plan make|read|peak TASKS whole|scopes|ge");
  bool scopes = strcmp(argv[3], "whole") != 0;
  job j = {.ge = strcmp(argv[3], "ge") == 0};
  j.text = graph_text(contender_number("plan", argv[2], MOST_TASKS), scopes, &j.bytes);
  j.graph = read_graph(&j);
  if (strcmp(argv[1], "peak") == 0) return print_peak(&j);
  return contender_serve(strcmp(argv[1], "read") == 0 ? read_again : make, &j);
}
