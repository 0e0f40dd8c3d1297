/* thread.c - what the runtime keeps for each thread of the host, on the heap: of thread-local storage a library that a running
 * process loads, as Python does, gets little more than a kilobyte. */
#include <pthread.h>

#include "base/memory.h"
#include "runtime/internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void make_key(void) { has_key = pthread_key_create(&key, sk__free) == 0; }

sk__of_thread *sk__of_this_thread(void) {
  pthread_once(&once, make_key);
  sk__of_thread *mine = has_key ? pthread_getspecific(key) : NULL;
  if (mine != NULL || !has_key) return mine;
  mine = sk__calloc(1, sizeof *mine);
  if (mine != NULL && pthread_setspecific(key, mine) != 0) {
    sk__free(mine);
    mine = NULL;
  }
  return mine;
}
