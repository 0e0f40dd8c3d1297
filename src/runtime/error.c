/* error.c - acl return codes: the thread's last error, its text, and how a status becomes a code. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/internal.h"

static _Thread_local aclError last_error;
static _Thread_local char last_message[768];

aclError sk__fail(aclError code, const char *format, ...) {
  char detail[640];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  last_error = code;
  snprintf(last_message, sizeof last_message, "[%s %d] %s", sk__acl_error_name(code), code, detail);
  return code;
}

int sk_report_error(int code, const char *text) { return sk__fail(code, "%s", text); }

const char *sk__acl_error_name(aclError code) {
  switch (code) {
#define X(name, value, text) \
  case value:                \
    return #name;
    ACL_ERROR_LIST(X)
#undef X
    default: return "unknown";
  }
}

const char *sk__acl_error_text(aclError code) {
  switch (code) {
#define X(name, value, text) \
  case value:                \
    return text;
    ACL_ERROR_LIST(X)
#undef X
    default: return "unknown error";
  }
}

aclError sk__acl_of_status(sk_status status, sk__core_type core) {
  switch (status) {
    case SK_OK: return ACL_SUCCESS;
    case SK_INVALID_ARGUMENT: return ACL_ERROR_RT_PARAM_INVALID;
    case SK_OUT_OF_MEMORY: return ACL_ERROR_BAD_ALLOC;
    case SK_OUT_OF_DEVICE_MEMORY: return ACL_ERROR_RT_DEVICE_OOM;
    case SK_NOT_MODELLED: return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    case SK_FAULT: return core == SK__AIC ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
    case SK_DEADLOCK:
    case SK_BUDGET: return core == SK__AIC ? ACL_ERROR_RT_AICORE_TIMEOUT : ACL_ERROR_RT_VECTOR_CORE_TIMEOUT;
    case SK_NOT_FOUND:
    case SK_IO:
    case SK_PARSE:
    case SK_STATE:
    case SK_INTERNAL: break;
  }
  return ACL_ERROR_INTERNAL_ERROR;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  aclError error = aclrtPeekAtLastError(level);
  last_error = ACL_SUCCESS;
  return error;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "error level %d; only ACL_RT_THREAD_LEVEL (0) exists", (int)level);
  return last_error;
}

const char *aclGetRecentErrMsg(void) { return last_message[0] != '\0' ? last_message : NULL; }
