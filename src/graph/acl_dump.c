/* acl_dump.c - aclmdlRIDebugJsonPrint: a captured model, optimised or not, as a graph dump. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "graph/graph.h"

static aclError failed(aclError code, const char *what, const char *why) {
  char text[512];
  snprintf(text, sizeof text, "aclmdlRIDebugJsonPrint: %s%s%s", what, why[0] != '\0' ? ": " : "", why);
  return sk_report_error(code, text);
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags) {
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  aclError error = sk__model_tasks(modelRI, "aclmdlRIDebugJsonPrint", &tasks, &count, &optimised);
  if (error != ACL_SUCCESS) return error;
  if (path == NULL || path[0] == '\0') return failed(ACL_ERROR_INVALID_PARAM, "no path", "");
  if (flags > 1) return failed(ACL_ERROR_INVALID_PARAM, "flags; legal: 0, 1", "");
  sk__graph *graph = NULL;
  sk_status status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(sk__runtime_get())), tasks, count, &graph);
  errno = 0;
  if (status == SK_OK) status = sk__graph_write(graph, path);
  int reason = errno;
  sk__graph_free(graph);
  if (status == SK_OK) return ACL_SUCCESS;
  if (status == SK_OUT_OF_MEMORY) return failed(ACL_ERROR_BAD_ALLOC, "no host memory", "");
  if (status == SK_INVALID_ARGUMENT) return failed(ACL_ERROR_FAILURE, "the name of a kernel or scope is not UTF-8", "");
  return failed(ACL_ERROR_FAILURE, path, reason != 0 ? strerror(reason) : sk_status_text(status));
}
