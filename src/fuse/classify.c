/* classify.c - what each node is and whether it may be fused at all, before scopes are looked at. */
#include "fuse/planner.h"

/* ---- events by id or address ----------------------------------------------------------------- */

typedef struct event_index {
  uint32_t *slots; /* 1 + index of the event, 0 free */
  size_t mask;
} event_index;

static sk_status event_of(sk__planner *p, event_index *index, uint64_t key, bool by_address, uint32_t *out) {
  size_t at = (size_t)((key + by_address) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & index->mask;
  for (; index->slots[at] != 0; at = (at + 1) & index->mask) {
    const sk__pevent *event = &p->events.items[index->slots[at] - 1];
    if (event->key == key && event->by_address == by_address) {
      *out = index->slots[at] - 1;
      return SK_OK;
    }
  }
  sk__pevent fresh = {.key = key, .by_address = by_address, .notify = SK__NONE};
  if (!sk__vec_push(&p->events, fresh)) return SK_OUT_OF_MEMORY;
  *out = (uint32_t)p->events.count - 1;
  index->slots[at] = *out + 1;
  return SK_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static sk__shape shape_of(sk_kernel_type type) {
  switch (type) {
    case SK_AIV_ONLY:
    case SK_MIX_AIV_1_0: return SK__SHAPE_AIV;
    case SK_AIC_ONLY:
    case SK_MIX_AIC_1_0: return SK__SHAPE_AIC;
    case SK_MIX_AIC_1_1:
    case SK_MIX_AIC_1_2: return SK__SHAPE_MIX;
  }
  return SK__SHAPE_NONE;
}

static void forbid(sk__pnode *node, sk__reason reason, sk__sub_reason sub) {
  node->fusible = false;
  node->reason = reason;
  node->sub = sub;
}

static void classify_kernel(const sk__kernel_info *kernel, sk__pnode *node) {
  node->shape = shape_of(kernel->type);
  node->need[SK__AIC] = node->shape == SK__SHAPE_AIV ? 0 : kernel->blocks;
  node->need[SK__AIV] = node->shape == SK__SHAPE_AIC ? 0 : kernel->blocks * (kernel->type == SK_MIX_AIC_1_2 ? 2 : 1);
  node->schedmode = (kernel->cap & SK_CAP_DISABLE_BATCHMODE_CHECK) != 0 ? 0 : (uint8_t)kernel->schedmode;
  node->fusible = true;
  if (!kernel->bound) {
    sk__sub_reason sub = kernel->unbound_reason != NULL ? sk__sub_find(kernel->unbound_reason) : SK__SUB_FUNC_NOT_FOUND;
    bool unreported = sub == SK__SUB_BINHDL_NULL || sub == SK__SUB_FUNCHDL_NULL;
    forbid(node, unreported ? SK__REASON_CAN_FUSE : SK__REASON_OP_UNSUPPORT, unreported ? SK__NO_SUB : sub);
  }
  if (kernel->simt && node->shape != SK__SHAPE_AIC) forbid(node, SK__REASON_SIMT_OP_UNSUPPORT, SK__NO_SUB);
  if (kernel->in_task_group) forbid(node, SK__REASON_DYNAMIC_TASK_UNSUPPORT, SK__NO_SUB); /* the last reason stays */
}

/* ---- events ---------------------------------------------------------------------------------- */

static sk_status join_event(sk__planner *p, event_index *index, uint32_t at) {
  const sk__node *node = &p->graph->nodes[at];
  sk__pnode *mine = &p->nodes[at];
  sk_status status = event_of(p, index, node->event_id, false, &mine->event);
  if (status != SK_OK) return status;
  sk__pevent *event = &p->events.items[mine->event];
  bool external = (node->event_flag & SK__EVENT_EXTERNAL) != 0 || node->event_task_flag != 0;
  bool pushed = true;
  if (node->type == SK__NODE_NOTIFY) {
    if (event->notify != SK__NONE)
      return sk__plan_refuse(p, "node %llu records an event that node %llu records already", (unsigned long long)node->id,
                             (unsigned long long)p->graph->nodes[event->notify].id);
    event->notify = at;
  } else if (node->type == SK__NODE_WAIT) {
    pushed = sk__vec_push(&event->waits, at);
  } else {
    pushed = sk__vec_push(&event->resets, at);
  }
  mine->fusible = true;
  if (node->type == SK__NODE_RESET) forbid(mine, SK__REASON_RESET_TYPE_NODE, SK__NO_SUB);
  else if (external) forbid(mine, SK__REASON_EXTERNAL_DEPEND, SK__NO_SUB);
  return pushed ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status join_value(sk__planner *p, event_index *index, uint32_t at) {
  const sk__node *node = &p->graph->nodes[at];
  if (node->address == 0) return sk__plan_refuse(p, "value task %llu has a null address", (unsigned long long)node->id);
  sk_status status = event_of(p, index, node->address, true, &p->nodes[at].event);
  if (status != SK_OK) return status;
  sk__pevent *event = &p->events.items[p->nodes[at].event];
  bool pushed = node->type == SK__NODE_MEMORY_WRITE ? sk__vec_push(&event->writes, at) : sk__vec_push(&event->waits, at);
  return pushed ? SK_OK : SK_OUT_OF_MEMORY;
}

/* ---- value tasks ----------------------------------------------------------------------------- */

bool sk__value_satisfies(uint64_t memory, uint64_t value, uint32_t condition) {
  switch (condition) {
    case 0: return memory >= value;
    case 1: return memory == value;
    case 2: return (memory & value) != 0;
    default: return ~(memory | value) != 0;
  }
}

/* Kinds of the value tasks of one address. */
static sk_status classify_address(sk__planner *p, sk__pevent *event) {
  const sk__node *nodes = p->graph->nodes;
  for (size_t i = 0; i < event->waits.count; i++) {
    const sk__node *wait = &nodes[event->waits.items[i]], *first = &nodes[event->waits.items[0]];
    p->nodes[event->waits.items[i]].type = SK__NODE_WAIT;
    if (event->writes.count > 0 && (wait->value != first->value || wait->condition != first->condition))
      return sk__plan_refuse(p, "value waits %llu and %llu on one address wait for different things",
                             (unsigned long long)first->id, (unsigned long long)wait->id);
  }
  for (size_t i = 0; i < event->writes.count; i++) {
    uint32_t at = event->writes.items[i];
    const sk__node *first = event->waits.count > 0 ? &nodes[event->waits.items[0]] : NULL;
    bool notifies = first != NULL ? sk__value_satisfies(nodes[at].value, first->value, first->condition) : nodes[at].value != 0;
    p->nodes[at].type = notifies ? SK__NODE_NOTIFY : SK__NODE_RESET;
    if (!notifies) {
      if (!sk__vec_push(&event->resets, at)) return SK_OUT_OF_MEMORY;
      continue;
    }
    if (event->notify != SK__NONE)
      return sk__plan_refuse(p, "value writes %llu and %llu both release the waits on one address",
                             (unsigned long long)nodes[event->notify].id, (unsigned long long)nodes[at].id);
    event->notify = at;
  }
  for (size_t i = 0; i < event->waits.count; i++) p->nodes[event->waits.items[i]].unpaired = event->notify == SK__NONE;
  return SK_OK;
}

/* The real planner decides here last of all, whatever the scopes said: a value task outside every scope
 * comes back in. Ours does not. */
static void allow(sk__planner *p, uint32_t at, bool fusible) {
  sk__pnode *node = &p->nodes[at];
  node->fusible = fusible && (!node->scope_verdict || p->options->emulate_vendor_defects);
}

void sk__classify_after_scopes(sk__planner *p) {
  bool paired = (p->options->value_breaker_bypass & 1u) != 0, unpaired = (p->options->value_breaker_bypass & 2u) != 0;
  for (size_t e = 0; e < p->events.count; e++) {
    sk__pevent *event = &p->events.items[e];
    if (!event->by_address) continue;
    bool both = event->waits.count > 0 && event->writes.count > 0;
    bool released = event->notify != SK__NONE && event->waits.count > 0;
    for (size_t i = 0; i < event->waits.count; i++) allow(p, event->waits.items[i], released ? paired : unpaired);
    for (size_t i = 0; i < event->writes.count; i++) {
      uint32_t at = event->writes.items[i];
      if (!both) allow(p, at, true);
      else if (p->nodes[at].type == SK__NODE_NOTIFY) allow(p, at, paired);
    }
  }
  for (size_t i = 0; i < p->graph->node_count; i++) /* whatever the scopes said: such a node only ever cuts */
    if (p->nodes[i].type == SK__NODE_DEFAULT) p->nodes[i].fusible = p->options->task_breaker_bypass != 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static sk_status classify_node(sk__planner *p, event_index *index, uint32_t at) {
  const sk__node *node = &p->graph->nodes[at];
  sk__pnode *mine = &p->nodes[at];
  *mine = (sk__pnode){.type = node->type, .marker = node->marker, .stream = node->stream, .position = node->position,
                      .event = SK__NONE, .scope = SK__NONE};
  if (at > 0 && p->graph->nodes[at - 1].id == node->id)
    return sk__plan_refuse(p, "two nodes have the id %llu: number %u of stream %u and number %u of stream %u", (unsigned long long)node->id,
                           p->graph->nodes[at - 1].position, p->graph->nodes[at - 1].stream, node->position, node->stream);
  switch (node->type) {
    case SK__NODE_KERNEL:
      if (node->marker != SK__NO_MARKER) {
        mine->shape = SK__SHAPE_AIV;
        mine->need[SK__AIV] = 1;
        mine->fusible = true;
        return SK_OK;
      }
      if (node->kernel.attributes_failed)
        return sk__plan_refuse(p, "the attributes of kernel %llu (%s) cannot be had", (unsigned long long)node->id, node->kernel.name);
      classify_kernel(&node->kernel, mine);
      return SK_OK;
    case SK__NODE_NOTIFY:
    case SK__NODE_WAIT:
    case SK__NODE_RESET: return join_event(p, index, at);
    case SK__NODE_MEMORY_WRITE:
    case SK__NODE_MEMORY_WAIT: return join_value(p, index, at);
    case SK__NODE_DEFAULT: return SK_OK; /* sk__classify_after_scopes */
    case SK__NODE_TYPES: break;
  }
  return SK_INTERNAL;
}

sk_status sk__classify(sk__planner *p) {
  event_index index = {NULL, 15};
  size_t count = p->graph->node_count;
  while (index.mask < 2 * count) index.mask = index.mask * 2 + 1;
  index.slots = sk__arena_array(&p->scratch, uint32_t, index.mask + 1);
  p->nodes = sk__arena_alloc(&p->scratch, count * sizeof *p->nodes);
  if (index.slots == NULL || p->nodes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    sk_status status = classify_node(p, &index, (uint32_t)i);
    if (status != SK_OK) return status;
  }
  for (size_t e = 0; e < p->events.count; e++) {
    sk_status status = p->events.items[e].by_address ? classify_address(p, &p->events.items[e]) : SK_OK;
    if (status != SK_OK) return status;
  }
  return SK_OK;
}
