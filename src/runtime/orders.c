/* orders.c - what the streams' next launches are ordered after: of all of them, and kept over work that is run more than once. */
#include <stdlib.h>

#include "runtime/internal.h"

/* ---- of all ---------------------------------------------------------------------------------- */

static void join_news(sk__snapshot *all, sk__stream *stream) {
  if (stream->order_is_news && stream->order != NULL) sk__snapshot_join(all, stream->order);
  stream->order_is_news = false;
}

/* Kept from question to question, since a program may ask at each of many waits: a stream's order only grows, but where
 * it is forgotten. Others hold what was answered, so that it does not change. */
sk__snapshot *sk__streams_order(sk__runtime *runtime) {
  bool news = runtime->all_order == NULL || runtime->default_stream.order_is_news;
  for (const sk__stream *stream = runtime->streams; stream != NULL && !news; stream = stream->next) news = stream->order_is_news;
  if (!news) return sk__snapshot_ref(runtime->all_order);
  sk__snapshot *all = sk__snapshot_new(sk__machine_checker(runtime->machine), runtime->all_order);
  if (all == NULL) return NULL;
  join_news(all, &runtime->default_stream);
  for (sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next) join_news(all, stream);
  sk__snapshot_unref(runtime->all_order);
  runtime->all_order = all;
  return sk__snapshot_ref(all);
}

void sk__streams_order_forget(sk__runtime *runtime) {
  sk__snapshot_unref(runtime->all_order);
  runtime->all_order = NULL;
  runtime->default_stream.order_is_news = true;
  for (sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next) stream->order_is_news = true;
}

/* ---- over more than one run ------------------------------------------------------------------ */

static void take(sk__stream *stream, sk__orders *out) {
  stream->references++;
  out->items[out->count++] = (sk__order_kept){stream, stream->order != NULL ? sk__snapshot_ref(stream->order) : NULL};
}

sk_status sk__orders_take(sk__runtime *runtime, sk__orders *out) {
  size_t count = 1;
  for (const sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next) count++;
  *out = (sk__orders){.items = calloc(count, sizeof *out->items)};
  if (out->items == NULL) return SK_OUT_OF_MEMORY;
  sk__checker_clocks(sk__machine_checker(runtime->machine), out->clocks);
  take(&runtime->default_stream, out);
  for (sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next) take(stream, out);
  return SK_OK;
}

sk_status sk__orders_put(sk__runtime *runtime, const sk__orders *orders) {
  sk__checker *checker = sk__machine_checker(runtime->machine);
  sk__streams_order_forget(runtime);
  for (size_t i = 0; i < orders->count; i++) {
    sk__snapshot *order = sk__snapshot_since(checker, orders->items[i].order, orders->clocks);
    if (order == NULL) return SK_OUT_OF_MEMORY;
    sk__stream_set_order(orders->items[i].stream, order);
  }
  return SK_OK;
}

static bool works(const sk__stream *stream, sk__task *const *tasks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tasks[i]->stream == stream) return true;
  return false;
}

void sk__orders_rehearse(sk__runtime *runtime, const sk__orders *orders, sk__task *const *tasks, size_t count, sk__rehearsal *rehearsal) {
  sk__rehearsal_begin(rehearsal, orders->clocks);
  for (size_t i = 0; i < orders->count; i++)
    if (works(orders->items[i].stream, tasks, count)) sk__rehearsal_add_stream(rehearsal, orders->items[i].order);
  sk__checker_rehearse(sk__machine_checker(runtime->machine), rehearsal);
}

void sk__orders_free(sk__orders *orders) {
  for (size_t i = 0; i < orders->count; i++) {
    if (orders->items[i].order != NULL) sk__snapshot_unref(orders->items[i].order);
    sk__stream_unref(orders->items[i].stream);
  }
  free(orders->items);
  *orders = (sk__orders){.items = NULL};
}

bool sk__runtime_goes_on(const sk__runtime *runtime) { return runtime->goes_on && runtime->streams != NULL; }
