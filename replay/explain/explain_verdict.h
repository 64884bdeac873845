/* SPDX-License-Identifier: Apache-2.0
 * explain_verdict - which root is the cause, and how certain that is.
 * A host that pauses its switch is faulty regardless of load, and the end of its pauses causes
 * congestion elsewhere; congestion never makes a host pause. Hosts therefore precede congested
 * egresses unless their share is below a thousandth. A leading host with less than half of the time
 * is named, but marked unsure. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_VERDICT_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_VERDICT_H

#include "replay/explain/explain.h"

/* Sets `fault` of every root; kinds must be known. */
void explain_mark_faults(struct explain *explain);

/* Fills in explain->verdict; roots must be sorted. */
void explain_judge(struct explain *explain);

#endif
