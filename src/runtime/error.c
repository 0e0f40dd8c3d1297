/* error.c - acl return codes: the thread's last error, its text, and how a status becomes a code. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/internal.h"

aclError sk__fail(aclError code, const char *format, ...) {
  char detail[640];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  sk__of_thread *mine = sk__of_this_thread();
  if (mine == NULL) return code; /* no memory: the code alone */
  mine->last_error = code;
  snprintf(mine->last_message, sizeof mine->last_message, "[%s %d] %s", sk__acl_error_name(code), code, detail);
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
  sk__of_thread *mine = sk__of_this_thread();
  if (mine != NULL) mine->last_error = ACL_SUCCESS;
  return error;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "error level %d; only ACL_RT_THREAD_LEVEL (0) exists", (int)level);
  const sk__of_thread *mine = sk__of_this_thread();
  return mine != NULL ? mine->last_error : ACL_SUCCESS;
}

const char *aclGetRecentErrMsg(void) {
  const sk__of_thread *mine = sk__of_this_thread();
  return mine != NULL && mine->last_message[0] != '\0' ? mine->last_message : NULL;
}
