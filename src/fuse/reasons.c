/* reasons.c - texts of the reasons. */
#include "fuse/reasons.h"

#include <string.h>

typedef struct words { const char *code, *text, *advice; } words;
static const words reasons[] = {
#define X(code, explanation, advice) {#code, explanation, advice},
    SK__REASON_LIST(X)
#undef X
};
static const words subs[] = {
    {0, 0, 0},
#define X(code, explanation, advice) {#code, explanation, advice},
    SK__SUB_REASON_LIST(X)
#undef X
};

const char *sk__reason_code(sk__reason reason) { return reasons[reason].code; }
const char *sk__reason_text(sk__reason reason) { return reasons[reason].text; }
const char *sk__reason_advice(sk__reason reason) { return reasons[reason].advice; }
const char *sk__sub_code(sk__sub_reason sub) { return subs[sub].code; }
const char *sk__sub_text(sk__sub_reason sub) { return subs[sub].text; }
const char *sk__sub_advice(sk__sub_reason sub) { return subs[sub].advice; }

sk__sub_reason sk__sub_find(const char *code) {
  for (int sub = 1; sub < SK__SUB_REASONS; sub++)
    if (strcmp(subs[sub].code, code) == 0) return (sk__sub_reason)sub;
  return SK__NO_SUB;
}
