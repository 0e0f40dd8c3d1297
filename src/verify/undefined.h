/* undefined.h - results that depend on what memory holds that nobody has written: two runs with two patterns there.
 * Private to the verify floor.
 *
 * The reference finds the machine's own fill in such memory, every other run its complement. What then differs, and does not
 * once the mode is run again on the reference's fill, is no difference of fusing. Bytes that pass through untouched, as
 * padding or in a workspace, are nobody's result: only a copy to the host tells (UNDEFINED_RESULT).
 *
 * A later segment reads such results, too. Its runs other than the reference find there what the other pattern had made of
 * them, so that what depends on them differs again. */
#ifndef SK_VERIFY_UNDEFINED_H
#define SK_VERIFY_UNDEFINED_H

#include "verify/image.h"

/* What a run other than the reference finds: with `again` what the reference found. */
void sk__undefined_prepare(sk__machine *machine, bool again);

typedef struct sk__undefined {
  sk__stretch *items;
  size_t count, capacity;
  uint8_t *other;               /* what this run left there, one stretch after another; NULL on no memory */
  size_t other_bytes, other_capacity;
  size_t piece_from;            /* the stretches of the piece in work begin here */
  sk__end reader;               /* the first to read what nobody wrote */
  bool read;                    /* somebody did, in the run that has just ended */
} sk__undefined;

/* Results of earlier segments. */
typedef struct sk__inherited_item {
  sk__stretch where;
  sk__end reader;
  uint8_t *reference, *other;   /* both owned: the bytes of the two runs */
} sk__inherited_item;
typedef struct sk__inherited {
  sk__inherited_item *items;
  size_t count, capacity;
} sk__inherited;
/* What a segment's runs have told is kept; on no memory less. */
void sk__inherited_add(sk__inherited *inherited, const sk__undefined *undefined);
/* Those that somebody has written anew are forgotten: before a segment; and once it has a reference, those near what that
 * wrote. */
void sk__inherited_refresh(sk__machine *machine, sk__inherited *inherited);
void sk__inherited_forget(sk__inherited *inherited, const sk__image *written);
/* Behind a segment: what it only read is as undefined as before. */
SK_MUST_USE sk_status sk__inherited_keep(sk__machine *machine, const sk__inherited *inherited);
/* Inside a transaction, before a run: the other bytes come. */
void sk__inherited_put(sk__machine *machine, const sk__inherited *inherited);
void sk__inherited_free(sk__inherited *inherited);

/* After a run, before its memory is judged: device memory that was filled is as it was, and where memory differs from the
 * reference is noted if the run read what nobody wrote, or may have read other bytes of earlier segments (NULL: there were
 * none). Padding is left out: up to 31 bytes in front of a multiple of 32. On no memory less is told. */
void sk__undefined_take(sk__machine *machine, const sk__image *reference, const sk__inherited *inherited, sk__undefined *out);
void sk__undefined_free(sk__undefined *undefined);

#endif
