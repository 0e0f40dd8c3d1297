/* ledger.h - questions to the flag ledger. Private to the machine floor. */
#ifndef SK_MACHINE_LEDGER_H
#define SK_MACHINE_LEDGER_H

#include "base/text.h"
#include "machine/flags.h"

/* What a core noted in a task; NULL / 0 if nothing. */
const sk__ledger_entry *sk__ledger_find(const sk__machine *machine, uint32_t core, uint32_t task, sk__act act, uint32_t id);
uint32_t sk__ledger_count(const sk__machine *machine, uint32_t core, uint32_t task, sk__act act, uint32_t id);

/* Barriers of all cores of a type, whichever way they are written. */
typedef enum sk__barrier { SK__BARRIER_AIV, SK__BARRIER_AIC, SK__BARRIER_MIX, SK__BARRIER_USER } sk__barrier;

/* A sub-kernel some of whose peers did not take part in a whole-core barrier as often as others. */
typedef struct sk__culprit {
  uint32_t task;
  const sk__ledger_entry *entry; /* of a core that did */
  uint32_t core;                 /* that core */
  sk__core_set took_part, missing;
  bool missing_ran;              /* all missing cores ran the sub-kernel, and skipped the barrier */
} sk__culprit;
bool sk__barrier_culprit(const sk__machine *machine, sk__core_type type, uint32_t id, sk__culprit *out);
/* The finding about it, without words on how it ended. */
sk__finding sk__culprit_finding(const sk__machine *machine, const sk__culprit *culprit);
/* An SK that came to its end: barriers that were completed by cores that were not in the sub-kernel. */
void sk__barriers_judge(sk__machine *machine);

#endif
