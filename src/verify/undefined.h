/* undefined.h - results that depend on what memory holds that nobody has written: two runs with two patterns there.
 * Private to the verify floor.
 *
 * The reference finds the machine's own fill in such memory, every other run its complement. What then differs, and does not
 * once the mode is run again on the reference's fill, is no difference of fusing. Bytes that pass through untouched, as
 * padding or in a workspace, are nobody's result: only a copy to the host tells (UNDEFINED_RESULT). */
#ifndef SK_VERIFY_UNDEFINED_H
#define SK_VERIFY_UNDEFINED_H

#include "verify/image.h"

/* What a run other than the reference finds: with `again` what the reference found. */
void sk__undefined_prepare(sk__machine *machine, bool again);

typedef struct sk__undefined {
  sk__stretch *items;
  size_t count, capacity;
  size_t piece_from;            /* the stretches of the piece in work begin here */
  sk__end reader;               /* the first to read what nobody wrote */
  bool read;                    /* somebody did, in the run that has just ended */
} sk__undefined;

/* After a run, before its memory is judged: device memory that was filled is as it was, and where memory differs from the
 * reference is noted if the run read what nobody wrote. Padding is left out: up to 31 bytes in front of a multiple of 32. On
 * no memory less is told. */
void sk__undefined_take(sk__machine *machine, const sk__image *reference, sk__undefined *out);
void sk__undefined_free(sk__undefined *undefined);

#endif
