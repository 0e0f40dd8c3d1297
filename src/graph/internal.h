/* internal.h - what the files of this floor share. */
#ifndef SK_GRAPH_INTERNAL_H
#define SK_GRAPH_INTERNAL_H

#include "base/arena.h"
#include "graph/graph.h"

/* An empty graph with its arena; NULL on no memory. */
sk__graph *sk__graph_new(void);

#endif
