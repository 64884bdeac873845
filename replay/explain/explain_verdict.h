/* SPDX-License-Identifier: Apache-2.0
 * explain_verdict - which root is named, and how sure that is.
 * A host that pauses its switch is out of order whatever the load is, and its pauses make
 * congestion elsewhere when they end; congestion never makes a host pause.  So hosts come before
 * congested egresses, unless their share is below a thousandth.  A host that comes first with less
 * than half of the time is named, and the statement is unsure. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_VERDICT_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_VERDICT_H

#include "replay/explain/explain.h"

/* Sets root.fault of every root; their kinds are known. */
void explain_mark_faults(struct explain *explain);

/* Fills explain->verdict; the roots are sorted. */
void explain_judge(struct explain *explain);

#endif
