/* image.h - what a run wrote: byte copies of touched ranges, and comparison with another run. */
#ifndef SK_VERIFY_IMAGE_H
#define SK_VERIFY_IMAGE_H

#include "verify/order_sums.h"

typedef struct sk__piece { uint64_t start, bytes; uint8_t *data; } sk__piece;
typedef struct sk__image { sk__piece *pieces; size_t count; sk_status status; } sk__image;

/* Copies every range written since the transaction began; with `beyond` only what that does not cover. */
SK_MUST_USE sk_status sk__image_take(sk__machine *machine, const sk__image *beyond, sk__image *out);
void sk__image_free(sk__image *image);
/* Writes the copies back. */
SK_MUST_USE sk_status sk__image_put(sk__machine *machine, const sk__image *image);

/* Names and element types of the buffers of a segment, from the kernels' pointer arguments. */
typedef struct sk__buffer { uint64_t start, bytes; sk__dtype dtype; char name[96]; } sk__buffer;
typedef struct sk__buffers { sk__buffer *items; size_t count; } sk__buffers;
SK_MUST_USE sk_status sk__buffers_of(sk__machine *machine, sk__task *const *tasks, size_t count, sk__buffers *out);
void sk__buffers_free(sk__buffers *buffers);

/* Adds one difference per buffer in which the images differ, and raises the mode's outcome. */
void sk__image_compare(const sk__buffers *buffers, const sk__image *reference, const sk__image *other,
                       sk__mode_result *into);
/* The same against memory as it is now, where the reference covers it: no copy of it all is needed. sums: where results
 * that depend on order are kept; NULL: differences are all alike. */
SK_MUST_USE sk_status sk__image_compare_now(sk__machine *machine, const sk__buffers *buffers, const sk__image *reference,
                                            sk__order_sums *sums, sk__mode_result *into);
/* Ends a run made since the transaction began: compares memory with the reference if it is `comparable` and raises the
 * mode's outcome, then rolls back. What only this run wrote is compared with what stood there before, which is what
 * the reference left there; the reference covers it from then on. */
SK_MUST_USE sk_status sk__image_judge(sk__machine *machine, const sk__buffers *buffers, sk__image *reference, bool comparable,
                                      sk__order_sums *sums, sk__mode_result *into);
/* Memory as it is now at every piece of `of` that `in` does not cover is appended to `in`, so that both
 * images cover the same bytes. */
SK_MUST_USE sk_status sk__image_cover(sk__machine *machine, sk__image *in, const sk__image *of);

#endif
