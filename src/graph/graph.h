/* graph.h - floor 5: the operator graph the fuser plans on: nodes in streams, in capture order.
 *
 * A graph comes from queued tasks (what a program launched) or from a dump file. It owns all its text. */
#ifndef SK_GRAPH_GRAPH_H
#define SK_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

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
  const char *unbound_reason; /* sub-code when not bound */
  uint64_t cap;              /* SK_CAP_* */
  sk_kernel_type type;
  uint32_t blocks;
  uint32_t schedmode;        /* 0, 1; 2 = invalid or absent */
  uint32_t binding_copies;   /* different functions bound, 1..4 */
  uint32_t code_bytes[4][2]; /* per bound function and core type; 0 = unknown or no such half */
  bool bound;                /* an SK binding resolves */
  bool in_task_group;        /* parameters refreshed at run time */
  bool has_half[2];          /* by sk__core_type */
  bool attributes_failed;    /* the runtime could not tell what this kernel is: no plan at all */
  bool mix_split;            /* third chip: cuts the task list into groups */
  bool simt;                 /* third chip: the vector half is SIMT code */
} sk__kernel_info;

enum { SK__SCHEDMODE_NONE = 2 };
#define SK__EVENT_EXTERNAL 0x20u /* bit of event_flag: shared with what is outside the graph */

typedef struct sk__node {
  uint64_t id;               /* capture sequence number, global over streams */
  uint32_t stream, position; /* stream index, index inside the stream */
  sk__node_type type;
  sk__marker marker;
  const char *scope;         /* markers: NULL = the None scope */
  sk__kernel_info kernel;    /* KERNEL, not markers */
  uint64_t event_id;         /* NOTIFY, WAIT, RESET */
  uint32_t event_flag, event_task_flag;
  uint32_t condition;        /* MEMORY_WAIT: 0 GEQ, 1 EQ, 2 AND, 3 NOR */
  uint64_t address, value;   /* MEMORY_* */
  sk__task *task;            /* borrowed; NULL when the graph came from a file */
} sk__node;

typedef struct sk__graph {
  const sk__soc *soc;        /* NULL: from a file */
  bool implicit_resets;      /* from tasks: the runtime itself makes an event fresh for each replay */
  bool third_chip;           /* mix groups, SIMT test, early-start control bit */
  uint32_t aic_count, aiv_count; /* of the device */
  uint32_t stream_count;
  uint32_t *stream_sizes;    /* nodes per stream */
  uint32_t **stream_nodes;   /* per stream: node indices by position */
  size_t node_count;
  sk__node *nodes;           /* ascending id */
  struct sk__arena *arena;   /* owns everything above */
} sk__graph;

/* Makes the tables of nodes per stream from node.stream; positions are counted in node order. */
SK_MUST_USE sk_status sk__graph_index(sk__graph *graph);

/* Tasks of one segment, in order of issue. Each record of an event is an event of its own, which the
 * waits behind it mean; a wait without a record in the segment, and a record nobody in the segment waits
 * for, belong to the world outside (SK__EVENT_EXTERNAL). Markers become three nodes each as on the real system
 * (begin, placeholder, placeholder / placeholder, placeholder, end). */
SK_MUST_USE sk_status sk__graph_from_tasks(const sk__soc *soc, sk__task *const *tasks, size_t count, sk__graph **out);
/* A graph dump (JSON, as the planner writes it). Refuses what is malformed, too deep or too large with
 * SK_PARSE and one line that names the place. */
#define SK__GRAPH_MAX_NODES 1000000u
SK_MUST_USE sk_status sk__graph_from_json(const json_t *dump, sk__graph **out, char *why, size_t why_bytes);
SK__API SK_MUST_USE sk_status sk__graph_from_text(const char *text, size_t bytes, sk__graph **out, char *why, size_t why_bytes);
/* The same form, of any graph: what the reader makes the same graph of. SK_INVALID_ARGUMENT: the name of a
 * kernel or scope is not UTF-8, which JSON cannot hold. `implicitResets` is told by a key of our own. */
SK_MUST_USE sk_status sk__graph_to_json(const sk__graph *graph, json_t **out);
SK_MUST_USE sk_status sk__graph_write(const sk__graph *graph, const char *path); /* SK_IO: errno tells why */
SK__API void sk__graph_free(sk__graph *graph);
/* Nodes by the event they record or wait for: sorted by event, then node. */
typedef struct sk__event_node { uint64_t event; uint32_t node; } sk__event_node;
void sk__event_nodes_sort(sk__event_node *list, size_t count);
/* Index of the first of the sorted list that is not before (event, node). */
size_t sk__event_nodes_find(const sk__event_node *list, size_t count, uint64_t event, uint32_t node);
/* A wait for a record that can only run behind it, over whatever streams and events; NULL none. Value tasks are not
 * looked at: their words may be written from outside. */
SK__API SK_MUST_USE sk_status sk__graph_find_cycle(const sk__graph *graph, const sk__node **out);

#endif
