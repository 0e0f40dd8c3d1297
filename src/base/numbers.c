/* numbers.c - names of the rounding modes; the conversions themselves are inline in numbers.h. */
#include "base/numbers.h"

const char *sk__round_name(sk__round mode) {
  switch (mode) {
#define X(name, value, text) \
  case SK__ROUND_##name: return #name;
    SK__ROUND_LIST(X)
#undef X
    case SK__ROUNDS: break;
  }
  return NULL;
}

const char *sk__round_text(sk__round mode) {
  switch (mode) {
#define X(name, value, text) \
  case SK__ROUND_##name: return text;
    SK__ROUND_LIST(X)
#undef X
    case SK__ROUNDS: break;
  }
  return NULL;
}
