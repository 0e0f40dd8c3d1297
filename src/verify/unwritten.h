/* unwritten.h - which bytes of a segment's outputs nobody has written. Private to the verify floor.
 *
 * An image covers memory in pieces; putting it back would make the bytes between look written by the host. */
#ifndef SK_VERIFY_UNWRITTEN_H
#define SK_VERIFY_UNWRITTEN_H

#include "verify/image.h"

typedef struct sk__unwritten {
  sk__stretch *items;
  size_t count, capacity;
} sk__unwritten;

/* What no task of the reference run has written, of the pieces of its image; before the memory is rolled back. Without
 * memory for all of it the rest counts as written. Allocations that kernels wrote are noted as outputs. */
void sk__unwritten_take(sk__machine *machine, const sk__image *reference, sk__unwritten *out);
/* After the image has been put back: these bytes are unwritten again. */
void sk__unwritten_put(sk__machine *machine, const sk__unwritten *unwritten);
void sk__unwritten_free(sk__unwritten *unwritten);

#endif
