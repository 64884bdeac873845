/* SPDX-License-Identifier: Apache-2.0
 * text_members - how the members of workloads stand beside each other. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_MEMBERS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_MEMBERS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Sized flows with completion times and slowdown, and members that did not get alike; nothing of
 * workloads that have neither. */
void text_members(struct store *store, FILE *out, const struct paint *paint);

#endif
