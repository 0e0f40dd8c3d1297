/* copy.h - the copy loops of the data movers and of the transaction log. Private to the machine floor. */
#ifndef SK_MACHINE_COPY_H
#define SK_MACHINE_COPY_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*sk__copy_fn)(void *to, const void *from, size_t bytes);

/* One way to copy. The ranges must not overlap; any alignment. `near` leaves the destination in the caches, `stream` may go
 * past them and is ordered before everything later when it returns. */
typedef struct sk__copy_kind {
  const char *name;
  bool (*runs_here)(void); /* on this host's CPU; the first kind of the list that does is the quickest */
  sk__copy_fn near, stream;
} sk__copy_kind;

/* All kinds this build has, the plain one last; a kind without a name ends the list. */
extern const sk__copy_kind sk__copy_kinds[];
/* What this host copies with. */
const sk__copy_kind *sk__copy_here(void);

#endif
