/* graph.h - floor 5: the operator graph the fuser plans on: nodes in streams, in capture order.
 *
 * A graph comes from queued tasks (what a program launched) or from a dump file. It owns all its text. */
#ifndef SK_GRAPH_GRAPH_H
#define SK_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/runtime.h"
#include "soc/soc.h"

/* Integers that must not be mixed up. */
typedef struct sk__node_index { uint32_t value; } sk__node_index; /* position in sk__graph.nodes */
#define SK__NO_NODE ((sk__node_index){UINT32_MAX})

#define SK__NODE_LIST(X)                                                    \
  X(KERNEL) X(NOTIFY) X(WAIT) X(RESET) X(MEMORY_WRITE) X(MEMORY_WAIT) X(DEFAULT)
typedef enum sk__node_type {
#define X(name) SK__NODE_##name,
  SK__NODE_LIST(X)
#undef X
  SK__NODE_TYPES
} sk__node_type;
typedef enum sk__marker { SK__NO_MARKER, SK__MARK_BEGIN, SK__MARK_END, SK__MARK_PLACEHOLDER } sk__marker;

/* What the fuser knows of a kernel. */
typedef struct sk__kernel_info {
  const char *name;
  sk_kernel_type type;
  uint32_t blocks;
  uint64_t cap;              /* SK_CAP_* */
  uint32_t schedmode;        /* 0, 1; 2 = invalid or absent */
  bool bound;                /* an SK binding resolves */
  const char *unbound_reason; /* sub-code when not */
  bool in_task_group;        /* parameters refreshed at run time */
  uint32_t binding_copies;   /* 1..4 */
  uint32_t code_bytes;       /* 0 unknown */
} sk__kernel_info;

typedef struct sk__node {
  uint64_t id;               /* capture sequence number, global over streams */
  uint32_t stream, position; /* stream index, index inside the stream */
  sk__node_type type;
  sk__marker marker;
  const char *scope;         /* markers: NULL = the None scope */
  sk__kernel_info kernel;    /* KERNEL, not markers */
  uint64_t event_id;         /* NOTIFY, WAIT, RESET */
  uint32_t event_flag, event_task_flag;
  uint64_t address, value;   /* MEMORY_* */
  uint32_t condition;        /* MEMORY_WAIT: 0 GEQ, 1 EQ, 2 AND, 3 NOR */
  sk__task *task;            /* borrowed; NULL when the graph came from a file */
} sk__node;

typedef struct sk__graph {
  const sk__soc *soc;
  uint32_t aic_count, aiv_count; /* of the device */
  uint32_t stream_count;
  uint32_t *stream_sizes;    /* nodes per stream */
  size_t node_count;
  sk__node *nodes;           /* ascending id */
  struct sk__arena *arena;   /* owns everything above */
} sk__graph;

/* Tasks of one segment, in order of issue. Markers become three nodes each as on the real system
 * (begin, placeholder, placeholder / placeholder, placeholder, end). */
SK_MUST_USE sk_status sk__graph_from_tasks(const sk__soc *soc, sk__task *const *tasks, size_t count, sk__graph **out);
void sk__graph_free(sk__graph *graph);

#endif
