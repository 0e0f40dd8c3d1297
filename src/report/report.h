/* report.h - floor 8: results as JSON (schema superkernel.verify/1, docs/json-schema.md) and as text.
 *
 * The JSON document is the one form: the verified program writes it, skv reads it and prints the text
 * from it, so that a saved document prints the same. */
#ifndef SK_REPORT_REPORT_H
#define SK_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "verify/verify.h"

#define SK__REPORT_SCHEMA "superkernel.verify/1"

/* Environment of a program under skv. */
#define SK__ENV_REPORT "SUPERKERNEL_REPORT"     /* file the document goes to when the program ends */
#define SK__ENV_TWIN "SUPERKERNEL_TWIN"         /* "1": verify; else one plain run is recorded */
#define SK__ENV_MODES "SUPERKERNEL_MODES"       /* list of modes, "default" */
#define SK__ENV_RANDOM "SUPERKERNEL_RANDOM"     /* number of further random schedules */
#define SK__ENV_PROGRESS "SUPERKERNEL_PROGRESS" /* "1": a line per mode on standard error */
#define SK__ENV_TRACE "SUPERKERNEL_TRACE"       /* file for the timelines of a twin run */
#define SK__ENV_SAVE_GRAPH "SUPERKERNEL_SAVE_GRAPH" /* file for the graphs of what the program launches */

/* New reference; NULL on no memory. */
json_t *sk__report_json(const sk__verify_result *result, const sk__soc *soc);
/* Table, estimate, findings and verdict for people. SK_PARSE: not such a document. */
SK__API SK_MUST_USE sk_status sk__report_text(json_t *document, FILE *to);
/* Writes a document, whole or not at all. */
SK__API SK_MUST_USE sk_status sk__report_write(json_t *document, const char *path);
/* Timelines of the un-fused and the fused run as a Chrome trace: a process each, a thread per core. */
SK_MUST_USE sk_status sk__report_trace(const sk__verifier *verifier, const sk__soc *soc, const char *path);

/* Writes the graph of each segment: to `path`, or, when there are several that differ, to names with the number
 * of the segment before the extension ("graph-3.json"). A graph like the one before is not written again. */
typedef struct sk__graph_saver {
  const char *path;
  const sk__soc *soc;
  uint64_t segments, files;
  uint64_t first_segment;    /* whose graph stands at `path` while it is the only one */
  json_t *last;
} sk__graph_saver;
SK_MUST_USE sk_status sk__graph_saver_add(sk__graph_saver *saver, sk__task *const *tasks, size_t count);
void sk__graph_saver_free(sk__graph_saver *saver);

#endif
