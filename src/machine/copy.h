/* copy.h - the copy loops of the data movers and of the transaction log. Private to the machine floor. */
#ifndef SK_MACHINE_COPY_H
#define SK_MACHINE_COPY_H

#include <stddef.h>

typedef void (*sk__copy_fn)(void *to, const void *from, size_t bytes);

/* Plain versions, every host. The ranges must not overlap. */
void sk__copy_plain(void *to, const void *from, size_t bytes);
/* For this host: `near` leaves the destination in the caches, `stream` goes past them and is ordered
 * before everything later when it returns. Any alignment. */
sk__copy_fn sk__copy_near(void);
sk__copy_fn sk__copy_stream(void);

#endif
