/* checker.c - the checker object: reserved tables, switches, shared memory of the shadow. */
#include "base/memory.h"
#include "base/text.h"
#include "check/checker.h"
#include "check/shadow.h"

#define GM_PAGES (SK__GM_BYTES / SK__PAGE_BYTES)
#define LOCAL_BYTES (SK__MAX_CORES * SK__LOCAL_SLOT_BYTES)
#define LOCAL_PAGES (LOCAL_BYTES / SK__PAGE_BYTES)
#define LOCAL_CHUNKS (LOCAL_BYTES / SK__CHUNK_BYTES)

sk_status sk__checker_create(const sk__soc *soc, sk__checker **out) {
  *out = NULL;
  if (soc == NULL || sk__engine_core(soc) >= SK__MAX_CORES) return SK_INVALID_ARGUMENT;
  sk__checker *c = sk__reserve(sizeof *c);
  if (c == NULL) return SK_OUT_OF_MEMORY;
  pthread_mutex_init(&c->lock, NULL);
  pthread_mutex_init(&c->pool_lock, NULL);
  c->soc = soc;
  c->actors = (sk__engine_core(soc) + 1) * SK__PIPE_SLOTS;
  c->nothing = sk__snapshot_new(c, NULL);
  c->findings = sk__findings_new();
  c->origins = sk__reserve(SK__ORIGINS * sizeof *c->origins);
  c->scopes = sk__reserve(SK__MAX_CORES * sizeof *c->scopes);
  c->told = sk__reserve(SK__MAX_CORES * SK__TOLD * sizeof *c->told);
  c->sets = sk__reserve(SK__MAX_CORES * sizeof *c->sets);
  c->watches = sk__reserve(SK__MAX_CORES * SK__WATCHES * sizeof *c->watches);
  c->gm = sk__reserve(GM_PAGES * sizeof *c->gm);
  c->local_pages = sk__reserve(LOCAL_PAGES * sizeof *c->local_pages);
  c->local_chunks = sk__reserve(LOCAL_CHUNKS * sizeof *c->local_chunks);
  c->local_seconds = sk__reserve(LOCAL_CHUNKS * sizeof *c->local_seconds);
  if (c->nothing == NULL || c->findings == NULL || c->origins == NULL || c->scopes == NULL || c->told == NULL || c->sets == NULL || c->watches == NULL ||
      c->gm == NULL || c->local_pages == NULL || c->local_chunks == NULL || c->local_seconds == NULL) {
    sk__checker_destroy(c);
    return SK_OUT_OF_MEMORY;
  }
  *out = c;
  return SK_OK;
}

void sk__checker_set_fresh(sk__checker *checker, sk__fresh_fn fn, void *context) {
  checker->fresh = fn;
  checker->fresh_context = context;
}

bool sk__checker_first_fresh(const sk__checker *checker, sk__end *reader) {
  if (checker->has_fresh) *reader = checker->first_fresh;
  return checker->has_fresh;
}

void sk__checker_clear_fresh(sk__checker *checker) { checker->has_fresh = false; }

void sk__checker_destroy(sk__checker *checker) {
  if (checker == NULL) return;
  sk__snapshot_unref(checker->nothing);
  sk__findings_delete(checker->findings);
  sk__unreserve(checker->origins, SK__ORIGINS * sizeof *checker->origins);
  sk__unreserve(checker->scopes, SK__MAX_CORES * sizeof *checker->scopes);
  sk__unreserve(checker->told, SK__MAX_CORES * SK__TOLD * sizeof *checker->told);
  sk__unreserve(checker->sets, SK__MAX_CORES * sizeof *checker->sets);
  sk__unreserve(checker->watches, SK__MAX_CORES * SK__WATCHES * sizeof *checker->watches);
  sk__unreserve(checker->gm, GM_PAGES * sizeof *checker->gm);
  sk__unreserve(checker->local_pages, LOCAL_PAGES * sizeof *checker->local_pages);
  sk__unreserve(checker->local_chunks, LOCAL_CHUNKS * sizeof *checker->local_chunks);
  sk__unreserve(checker->local_seconds, LOCAL_CHUNKS * sizeof *checker->local_seconds);
  sk__pool_release(&checker->pool);
  pthread_mutex_destroy(&checker->lock);
  pthread_mutex_destroy(&checker->pool_lock);
  sk__unreserve(checker, sizeof *checker);
}

void sk__checker_set_describe(sk__checker *checker, sk__describe_fn describe) { checker->describe = describe; }
void sk__checker_set_unread(sk__checker *checker, bool judged) { checker->unread = judged; }
void sk__checker_set_same_pipe(sk__checker *checker, bool judged) { checker->same_pipe = judged; }
void sk__checker_set_threads(sk__checker *checker, uint32_t threads) { checker->threaded = threads > 1; }

void *sk__shadow_alloc(sk__checker *checker, size_t bytes) {
  if (checker->threaded) pthread_mutex_lock(&checker->pool_lock);
  void *block = sk__pool_alloc(&checker->pool, bytes);
  if (checker->threaded) pthread_mutex_unlock(&checker->pool_lock);
  if (block == NULL) sk__history_lost(checker);
  return block;
}

void sk__shadow_free(sk__checker *checker, void *block, size_t bytes) {
  if (checker->threaded) pthread_mutex_lock(&checker->pool_lock);
  sk__pool_free(&checker->pool, block, bytes);
  if (checker->threaded) pthread_mutex_unlock(&checker->pool_lock);
}

void sk__history_lost(sk__checker *checker) {
  atomic_store_explicit(&checker->lost, true, memory_order_relaxed);
  sk__finding f = {.category = SK__CAT_INTERNAL, .severity = SK__WARNING};
  sk__text_copy(f.id, sizeof f.id, "HISTORY_LOST");
  sk__text_copy(f.message, sizeof f.message,
                "host memory ran out while accesses were being recorded; from here on they are not judged");
  sk__text_copy(f.remedy, sizeof f.remedy, "give the process more memory, or check a smaller part at a time");
  sk__report(checker, &f);
}
