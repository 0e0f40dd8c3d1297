/* parsers.h - every reader of text that comes from outside, on any bytes. */
#ifndef SK_TESTS_FUZZ_PARSERS_H
#define SK_TESTS_FUZZ_PARSERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define FUZZ_PARSER_LIST(X)                                                  \
  X(GRAPH, "graph dump; a good one is planned, written and read again")      \
  X(OPTIONS, "options of the captured-graph path, as JSON")                  \
  X(GE_OPTIONS, "option string of graph mode")                               \
  X(GE_RECORD, "a record for the graph mode generator; a good one is generated") \
  X(SCHEDULE, "name of a schedule")                                          \
  X(MODES, "list of modes")                                                  \
  X(PATTERN, "name pattern, matched against its own text")                   \
  X(GE_GRAPH, "text of a GE graph; a good one is planned and told in every form") \
  X(GE_KERNELS, "descriptions of the operators of a GE graph, as JSON")           \
  X(RECORDS, "a file of recorded decisions, of either path; each is played")
typedef enum fuzz_parser {
#define X(name, what) FUZZ_##name,
  FUZZ_PARSER_LIST(X)
#undef X
  FUZZ_PARSERS
} fuzz_parser;

/* Parses and gives everything back. Aborts where an invariant breaks: a failure without a reason, a reason of
 * several lines, a graph that does not survive being written. */
/* The parser that the first byte of an input picks: '0', '1' ... in the order above. */
static inline fuzz_parser fuzz_parser_of(uint8_t byte) { return (fuzz_parser)((uint8_t)(byte - '0') % FUZZ_PARSERS); }
sk_status fuzz_parse(fuzz_parser parser, const uint8_t *data, size_t bytes);

#endif
