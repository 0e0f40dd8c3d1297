/* status.c - names and texts of status values. */
#include "base/status.h"

const char *sk_status_name(sk_status status) {
  switch (status) {
#define X(name, value, text) \
  case SK_##name: return "SK_" #name;
    SK__STATUS_LIST(X)
#undef X
  }
  return "SK_?";
}

const char *sk_status_text(sk_status status) {
  switch (status) {
#define X(name, value, text) \
  case SK_##name: return text;
    SK__STATUS_LIST(X)
#undef X
  }
  return "not a status value";
}
