/* stretch.c - see superkernel/verify.h: a verifier in place of the session's for a while. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "report/parts.h"
#include "report/report.h"
#include "superkernel/verify.h"

static sk__verifier *stretch;

static int refuse(const char *text) { return sk_report_error(ACL_ERROR_INVALID_PARAM, text); }

static sk__runtime *ready_runtime(void) {
  return aclrtSetDevice(0) == ACL_SUCCESS ? sk__runtime_get() : NULL;
}

int sk_verify_begin(const char *modes) {
  char why[512] = "";
  sk__mode *list = NULL;
  size_t count = 0;
  sk__runtime *runtime = ready_runtime();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR; /* the reason is this thread's acl error */
  if (stretch != NULL) return refuse("sk_verify_begin: a verification is going on already; sk_verify_end comes first");
  if (sk__session_is_twin()) return refuse("sk_verify_begin: skv verifies the whole process; run it by itself or with skv run");
  sk_status status = sk__mode_list(modes, 0, &list, &count, why, sizeof why);
  if (status == SK_OK) {
    status = sk__runtime_flush(runtime); /* with a failure of its own for those who queued it */
    sk__session_collect();
    status = sk__verifier_create(runtime, list, count, &stretch);
  }
  if (status == SK_OK) sk__verifier_set_diagnose(stretch, true);
  if (status == SK_OK) return ACL_SUCCESS;
  free(list);
  return refuse(why[0] != '\0' ? why : sk_status_text(status));
}

static char *text_of(json_t *document) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  sk_status status = stream != NULL ? sk__report_text(document, true, stream) : SK_OUT_OF_MEMORY;
  if (stream != NULL) fclose(stream);
  if (status == SK_OK) return text;
  free(text);
  return NULL;
}

int sk_verify_end(const char *program, char **json, char **text) {
  *json = *text = NULL;
  sk__runtime *runtime = ready_runtime();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  if (stretch == NULL) return refuse("sk_verify_end: sk_verify_begin comes first");
  sk_status ran = sk__runtime_flush(runtime); /* a kernel that fails is in the report */
  (void)ran;
  sk__verifier_collect(stretch);
  json_t *document = sk__report_json(sk__verifier_result(stretch), sk__machine_soc(sk__runtime_machine(runtime)));
  sk__verifier_destroy(stretch);
  stretch = NULL;
  sk__session_attach_again();
  if (document != NULL) {
    json_object_set_new(document, "program", json_string(program));
    sk__report_add_source(document, "/proc/self/exe");
    *json = json_dumps(document, JSON_INDENT(1));
    *text = text_of(document);
    json_decref(document);
  }
  if (*json != NULL && *text != NULL) return ACL_SUCCESS;
  free(*json);
  free(*text);
  *json = *text = NULL;
  return refuse("sk_verify_end: no memory for the report");
}
