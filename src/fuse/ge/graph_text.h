/* graph_text.h - a GE graph from a text dump. Private to fuse/ge.
 *
 * Two forms: `node { ... }` blocks whose attributes hold texts of attributes (pbtxt), and the text of a graph or model
 * message with `op { ... }` blocks (txt). Nodes come in order of their ids, or of their inputs where there are none. */
#ifndef SK_FUSE_GE_GRAPH_TEXT_H
#define SK_FUSE_GE_GRAPH_TEXT_H

#include "fuse/ge/ge.h"

typedef struct sk__ge_text_graph {
  sk__ge_graph graph;        /* nodes: kind, scope, options and what attributes tell of the compiled kernel */
  bool before_compile;       /* no node tells whether it supports a SuperKernel: all are taken to */
  size_t other_graphs;       /* behind the first one of a model: not read */
} sk__ge_text_graph;

/* SK_PARSE names the place. Everything lives in the arena. */
SK_MUST_USE sk_status sk__ge_graph_from_text(const char *text, size_t bytes, struct sk__arena *arena, sk__ge_text_graph *out, char *why, size_t why_bytes);

#endif
