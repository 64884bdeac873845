/* SPDX-License-Identifier: Apache-2.0
 * account - the output of stormglass explain, as text and as a JSON object.
 * Results of additional runs are in `account_played`; NULL if not run. */
#ifndef STORMGLASS_REPORTS_EXPLAIN_ACCOUNT_H
#define STORMGLASS_REPORTS_EXPLAIN_ACCOUNT_H

#include "replay/experiment/assumed.h"
#include "replay/experiment/prove.h"
#include "replay/experiment/what_if.h"
#include "replay/explain/account.h"
#include "replay/step/queued.h"
#include "reports/text/json.h"
#include "reports/text/paint.h"

#include <stdio.h>

struct account_played {
    const struct prove *proof;
    const struct whatif *whatif;
    const struct assumed *assumed;
    const struct queued *queued;
};

/* False: the output could not be written. */
bool account_text(const struct account *account, struct account_played played, FILE *out);
bool account_json(const struct account *account, struct account_played played, FILE *out);

/* ------------------------------------------------------------------ parts */

void prove_text(const struct prove *prove, FILE *out, const struct paint *paint);
void prove_json(const struct prove *prove, struct json *json);

/* What commands and messages waited for, as members `waits` and `members` of workloads[index];
 * no-op without a time breakdown. */
void account_waits_json(struct store *store, size_t index, const char *workload, struct json *json);

/* The sections alone, and the members `what_if`, `assumed` and `queue` of an open object. */
void whatif_text(const struct whatif *whatif, FILE *out, const struct paint *paint);
void whatif_json(const struct whatif *whatif, struct json *json);
void assumed_text(const struct assumed *assumed, FILE *out, const struct paint *paint);
void assumed_json(const struct assumed *assumed, struct json *json);
void queued_text(const struct queued *queued, FILE *out, const struct paint *paint);
void queued_json(const struct queued *queued, struct json *json);

#endif
