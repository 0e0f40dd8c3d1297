/* events.c - who sends and receives which event, and whether the subs stand in one queue or two. */
#include <stdlib.h>
#include <string.h>

#include "fuse/ge/internal.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static bool sorted_copy(sk__arena *arena, const sk__ge_ids *from, sk__ge_ids *to) {
  int64_t *items = sk__arena_array(arena, int64_t, from->count);
  if (items == NULL) return false;
  for (size_t i = 0; i < from->count; i++) items[i] = from->items[i];
  qsort(items, from->count, sizeof *items, by_id);
  *to = (sk__ge_ids){items, from->count};
  return true;
}

/* First id in both ascending lists; NULL none. */
static const int64_t *common(const sk__ge_ids *a, const sk__ge_ids *b) {
  size_t i = 0, j = 0;
  while (i < a->count && j < b->count) {
    if (a->items[i] == b->items[j]) return &a->items[i];
    if (a->items[i] < b->items[j]) i++;
    else j++;
  }
  return NULL;
}

typedef struct event_end { int64_t id, stream; uint32_t number; uint8_t sends; } event_end;

/* At one sub the receive counts before the send: an event to itself is no pair of one stream. */
static int by_event(const void *a, const void *b) {
  const event_end *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return (int)x->sends - (int)y->sends;
}

static sk_status list_uses(sk__ge_build *b, event_end **out, size_t *count) {
  size_t total = 0;
  for (size_t i = 0; i < b->count; i++) {
    if (!sorted_copy(b->arena, &b->parts[i].sub->send, &b->parts[i].send)) return SK_OUT_OF_MEMORY;
    if (!sorted_copy(b->arena, &b->parts[i].sub->recv, &b->parts[i].recv)) return SK_OUT_OF_MEMORY;
    total += b->parts[i].send.count + b->parts[i].recv.count;
  }
  event_end *uses = sk__arena_array(b->arena, event_end, total);
  if (uses == NULL) return SK_OUT_OF_MEMORY;
  size_t at = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    for (size_t k = 0; k < part->send.count; k++) uses[at++] = (event_end){part->send.items[k], part->sub->stream, i, 1};
    for (size_t k = 0; k < part->recv.count; k++) uses[at++] = (event_end){part->recv.items[k], part->sub->stream, i, 0};
  }
  qsort(uses, total, sizeof *uses, by_event);
  *out = uses;
  *count = total;
  return SK_OK;
}

static sk_status make_table(sk__ge_build *b, const event_end *uses, size_t count) {
  b->events = sk__arena_array(b->arena, sk__ge_event_use, count);
  if (b->events == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || uses[i].id != uses[i - 1].id)
      b->events[b->event_count++] = (sk__ge_event_use){uses[i].id, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    sk__ge_event_use *event = &b->events[b->event_count - 1];
    uint32_t number = uses[i].number;
    if (uses[i].sends) {
      if (event->first_send == UINT32_MAX || number < event->first_send) event->first_send = number;
      if (event->last_send == UINT32_MAX || number > event->last_send) event->last_send = number;
    } else if (event->last_recv == UINT32_MAX || number > event->last_recv) {
      event->last_recv = number;
    }
  }
  return SK_OK;
}

const sk__ge_event_use *sk__ge_use_of(const sk__ge_build *b, int64_t event) {
  return b->event_count == 0 ? NULL : bsearch(&event, b->events, b->event_count, sizeof *b->events, by_id);
}

static bool inner(const sk__ge_event_use *use) {
  return use->first_send != UINT32_MAX && use->last_recv != UINT32_MAX && use->first_send < use->last_recv;
}
bool sk__ge_is_inner(const sk__ge_build *b, int64_t event) {
  const sk__ge_event_use *use = sk__ge_use_of(b, event);
  return use != NULL && inner(use);
}

static sk_status list_inner(sk__ge_build *b) {
  b->out->inner_events = sk__arena_array(b->arena, int64_t, b->event_count);
  if (b->out->inner_events == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < b->event_count; i++)
    if (inner(&b->events[i])) b->out->inner_events[b->out->inner_event_count++] = b->events[i].id;
  for (size_t i = 0; i < b->count; i++) {
    sk__ge_part *part = &b->parts[i];
    for (size_t k = 0; k < part->send.count; k++) part->has_notify = part->has_notify || !sk__ge_is_inner(b, part->send.items[k]);
    for (size_t k = 0; k < part->recv.count; k++) part->has_wait = part->has_wait || !sk__ge_is_inner(b, part->recv.items[k]);
  }
  return SK_OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

static sk_status same_stream(sk__ge_build *b, int64_t event, int64_t stream) {
  return sk__ge_fail(b->failure, SK__GE_EVENT_SAME_STREAM, NULL, UINT32_MAX, -1, "event %lld on stream %lld; operators of one stream are ordered anyway",
                     (long long)event, (long long)stream);
}

/* Neighbours in list order, until the first pair that nothing connects: it decides for two queues. */
static sk_status walk(sk__ge_build *b) {
  b->out->queue_count = 1;
  for (size_t i = 1; i < b->count; i++) {
    const sk__ge_part *before = &b->parts[i - 1], *part = &b->parts[i];
    const int64_t *self = common(&part->send, &part->recv), *link = common(&before->send, &part->recv);
    if (self != NULL) return sk__ge_fail(b->failure, SK__GE_EVENT_SELF, NULL, part->position, -1, "event %lld", (long long)*self);
    bool one_stream = before->sub->stream == part->sub->stream;
    if (one_stream && link != NULL) return same_stream(b, *link, part->sub->stream);
    if (one_stream || link != NULL) continue;
    if (sk__ge_number(b, SK__GE_KEY_STREAM_FUSION) == 0)
      return sk__ge_fail(b->failure, SK__GE_NEED_STREAM_FUSION, NULL, UINT32_MAX, -1,
                         "operator %u on stream %lld, operator %u on stream %lld: set stream-fusion=1 or connect them", before->position,
                         (long long)before->sub->stream, part->position, (long long)part->sub->stream);
    b->out->queue_count = 2;
    break;
  }
  return SK_OK;
}

static sk_status refuse_pairs_of_one_stream(sk__ge_build *b, const event_end *uses, size_t count) {
  bool sent = false;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || uses[i].id != uses[i - 1].id || uses[i].stream != uses[i - 1].stream) sent = false;
    if (uses[i].sends) sent = true;
    else if (sent) return same_stream(b, uses[i].id, uses[i].stream);
  }
  return SK_OK;
}

sk_status sk__ge_read_events(sk__ge_build *b) {
  event_end *uses;
  size_t count;
  sk_status status = list_uses(b, &uses, &count);
  if (status == SK_OK) status = make_table(b, uses, count);
  if (status == SK_OK) status = walk(b);
  if (status == SK_OK) status = refuse_pairs_of_one_stream(b, uses, count);
  if (status == SK_OK) status = list_inner(b);
  return status;
}
