/* save_graph.c - the graphs of a running program, segment by segment, into files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report.h"

/* "dir/graph.json", 3 -> "dir/graph-3.json"; NULL on no memory. */
static char *numbered(const char *path, uint64_t number) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (dot == NULL || dot == path || (slash != NULL && dot <= slash + 1)) dot = path + strlen(path);
  char *name = NULL;
  int length = asprintf(&name, "%.*s-%llu%s", (int)(dot - path), path, (unsigned long long)number, dot);
  return length >= 0 ? name : NULL;
}

static sk_status write_numbered(const sk__graph_saver *saver, const sk__graph *graph, uint64_t number) {
  char *name = numbered(saver->path, number);
  if (name == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = sk__graph_write(graph, name);
  free(name);
  return status;
}

/* The first graph stops being the only one. */
static sk_status number_first(const sk__graph_saver *saver) {
  char *name = numbered(saver->path, saver->first_segment);
  if (name == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = rename(saver->path, name) == 0 ? SK_OK : SK_IO;
  free(name);
  return status;
}

sk_status sk__graph_saver_add(sk__graph_saver *saver, sk__task *const *tasks, size_t count) {
  sk__graph *graph = NULL;
  json_t *dump = NULL;
  saver->segments++;
  sk_status status = sk__graph_from_tasks(saver->soc, tasks, count, &graph);
  if (status == SK_OK) status = sk__graph_to_json(graph, &dump);
  bool fresh = status == SK_OK && (saver->last == NULL || !json_equal(saver->last, dump));
  if (fresh) {
    if (saver->files == 1) status = number_first(saver);
    if (status == SK_OK) status = saver->files == 0 ? sk__graph_write(graph, saver->path) : write_numbered(saver, graph, saver->segments);
    if (saver->files++ == 0) saver->first_segment = saver->segments;
    json_decref(saver->last);
    saver->last = json_incref(dump);
  }
  json_decref(dump);
  sk__graph_free(graph);
  return status;
}

void sk__graph_saver_free(sk__graph_saver *saver) {
  json_decref(saver->last);
  saver->last = NULL;
}
