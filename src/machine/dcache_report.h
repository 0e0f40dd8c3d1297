/* dcache_report.h - the words of findings about data caches. Private to dcache.c. */
#ifndef SK_MACHINE_DCACHE_REPORT_H
#define SK_MACHINE_DCACHE_REPORT_H

#include "machine/dcache.h"

/* `mask` = bytes of the line in question; the running core is the other end. */

/* H11 (H14 when a dcci of the line before stopped short): `pipe` reads bytes that another scalar unit,
 * or its own, has stored but not flushed. */
void sk__dcache_report_unflushed(const sk__core *core, sk__pipe pipe, const sk__note *store, uint64_t line, uint64_t mask,
                                 bool left_behind);
/* H12: a scalar load hits bytes that were changed since the line was loaded. */
void sk__dcache_report_stale(const sk__core *core, const sk__note *change, uint64_t line, uint64_t mask, bool left_over);
/* H11: a store left unflushed is written back over bytes written later. why = "dcci", "eviction". */
void sk__dcache_report_overrun(const sk__core *core, const sk__note *store, const sk__note *change, uint64_t line,
                               uint64_t mask, const char *why);
/* H13: a write-back puts back old values of bytes this core never stored. */
void sk__dcache_report_sharing(const sk__core *core, const sk__note *store, const sk__note *change, uint64_t line,
                               uint64_t mask, const char *why);

#endif
