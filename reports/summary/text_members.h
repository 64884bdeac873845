/* SPDX-License-Identifier: Apache-2.0
 * text_members - compares the members of workloads. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_MEMBERS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_MEMBERS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Flows with completion times and slowdown, and members with unequal rates; nothing for workloads
 * without either. */
void text_members(struct store *store, FILE *out, const struct paint *paint);

#endif
