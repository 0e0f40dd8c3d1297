/* log.h - messages to stderr for whoever debugs the simulator. Findings do not go this way.
 *
 * $SUPERKERNEL_LOG = error | warning | info | debug; default warning. */
#ifndef SK_BASE_LOG_H
#define SK_BASE_LOG_H

#include <stdbool.h>

#define SK__LOG_LIST(X) X(ERROR, 0, "error") X(WARNING, 1, "warning") X(INFO, 2, "info") X(DEBUG, 3, "debug")
typedef enum sk__log_level {
#define X(name, value, text) SK__LOG_##name = (value),
  SK__LOG_LIST(X)
#undef X
  SK__LOG_LEVELS,
} sk__log_level;

/* One line "superkernel: <level>: <text>", if the level is on. Never inlined: call it from cold code. */
__attribute__((noinline, cold, format(printf, 2, 3))) void sk__log(sk__log_level level, const char *format, ...);
/* Worth asking before arguments that cost something to compute. */
__attribute__((noinline, cold)) bool sk__log_on(sk__log_level level);

#endif
