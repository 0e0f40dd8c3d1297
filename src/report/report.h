/* report.h - floor 8: results as JSON (schema superkernel.verify/1, docs/json-schema.md), text, SARIF, JUnit.
 *
 * The JSON document is the one form: the verified program writes it, skv reads it and makes the
 * other forms from it, so that a saved document gives the same. */
#ifndef SK_REPORT_REPORT_H
#define SK_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "verify/verify.h"

#define SK__REPORT_SCHEMA "superkernel.verify/1"
/* A key for skv alone, which takes it out: the program could not write a trace or a graph that was asked for. */
#define SK__REPORT_UNWRITTEN "unwritten"

/* Environment of a program under skv. */
#define SK__ENV_REPORT "SUPERKERNEL_REPORT"     /* file the document goes to when the program ends */
#define SK__ENV_TWIN "SUPERKERNEL_TWIN"         /* "1": verify; else one plain run is recorded */
#define SK__ENV_MODES "SUPERKERNEL_MODES"       /* list of modes, "default" */
#define SK__ENV_RANDOM "SUPERKERNEL_RANDOM"     /* number of further random schedules */
#define SK__ENV_GE_OPTIONS "SUPERKERNEL_GE_OPTIONS" /* option string of every scope in mode ge */
#define SK__ENV_UNREAD "SUPERKERNEL_UNREAD"     /* "1": also results that are overwritten unread */
#define SK__ENV_EMULATE "SUPERKERNEL_EMULATE"   /* "1": fused modes with the real optimizers' known defects */
#define SK__ENV_SCOPED "SUPERKERNEL_SCOPED"     /* "1": twin runs only of work with a scope or SuperKernels */
#define SK__ENV_PROGRESS "SUPERKERNEL_PROGRESS" /* "1": a line per mode on standard error */
#define SK__ENV_DIAGNOSE "SUPERKERNEL_DIAGNOSE" /* "0": failures of fused modes are not run otherwise */
#define SK__ENV_TRACE "SUPERKERNEL_TRACE"       /* file for the timelines of a twin run */
#define SK__ENV_SAVE_GRAPH "SUPERKERNEL_SAVE_GRAPH" /* file for the graphs of what the program launches */

/* New reference; NULL on no memory. */
json_t *sk__report_json(const sk__verify_result *result, const sk__soc *soc);
/* Puts the source line of each end into the document ("code") where its file can be read and is not newer than
 * the program's. */
SK__API void sk__report_add_source(json_t *document, const char *program);

/* A file of suppressions (docs/json-schema.md tells its form): an object to apply, a new reference. SK_PARSE:
 * `why` names line and rule; other errors are the file's. */
SK__API SK_MUST_USE sk_status sk__suppressions_read(const char *path, json_t **out, char *why, size_t why_bytes);
/* Marks what the rules speak for and gives the document the verdict that is left; once per document. */
SK__API void sk__suppressions_apply(json_t *suppressions, json_t *document);

/* The schema, and the keys everything else relies on. */
SK__API bool sk__is_report(json_t *document);
/* Table, estimate, findings and verdict for people, with the source lines that the document has or without.
 * SK_PARSE: not such a document. */
SK__API SK_MUST_USE sk_status sk__report_text(json_t *document, bool with_source, FILE *to);
/* A SARIF 2.1.0 log of one run, a new reference. SK_PARSE: not such a document. */
SK__API SK_MUST_USE sk_status sk__report_sarif(json_t *document, int exit_code, const char *version, json_t **out);
/* JUnit XML, a test case for each mode; failures tell differences and findings. SK_PARSE: not such a document. */
SK__API SK_MUST_USE sk_status sk__report_junit(json_t *document, FILE *to);
/* Writes a document, whole or not at all. */
SK__API SK_MUST_USE sk_status sk__report_write(json_t *document, const char *path);
/* Timelines of the un-fused and the fused run as a Chrome trace: a process each, a thread per core. */
SK_MUST_USE sk_status sk__report_trace(const sk__verifier *verifier, const sk__soc *soc, const char *path);

/* The verifier or recorder of the process (session.c). */
bool sk__session_is_twin(void);
void sk__session_collect(void);      /* findings so far are its own */
void sk__session_attach_again(void); /* after another verifier */

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
