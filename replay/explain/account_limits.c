/* SPDX-License-Identifier: Apache-2.0
 * account_limits - the bottleneck of each workload, as determined by the run. */
#include "replay/explain/account.h"

#include "base/memory.h"

#include <stdio.h>

static void copy(char *to, size_t size, const struct store_statement *row, const char *column)
{
    snprintf(to, size, "%s", store_text(row, column));
}

static void read_uses(struct account_limit *limit, struct store *store, int64_t workload)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT resource, place, used_ppm, waiting_ppm, covers_ppm, span_ps FROM resource_use"
        " WHERE workload=?1 ORDER BY used_ppm DESC, resource");
    store_bind(rows, 1, STORE_I(workload));
    while (limit->use_count < BOTTLENECK_RESOURCES && store_step(rows)) {
        struct account_use *use = &limit->uses[limit->use_count++];
        copy(use->resource, sizeof use->resource, rows, "resource");
        copy(use->place, sizeof use->place, rows, "place");
        use->used_ppm = store_int(rows, "used_ppm");
        use->waiting_ppm = store_int(rows, "waiting_ppm");
        use->covers_ppm = store_int(rows, "covers_ppm");
        limit->span_ps = store_int(rows, "span_ps");
    }
    store_finish(rows);
}

void account_limits(struct account *account, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT workload, name, b.kind, text, gain_ppm, account"
                             " FROM bottleneck b JOIN workload USING(workload) ORDER BY workload");
    uint32_t room = 0;
    while (store_step(rows)) {
        account->limits =
            memory_grown(account->limits, account->limit_count, &room, sizeof *account->limits);
        struct account_limit *limit = &account->limits[account->limit_count++];
        *limit = (struct account_limit){0};
        copy(limit->workload, sizeof limit->workload, rows, "name");
        copy(limit->kind, sizeof limit->kind, rows, "kind");
        copy(limit->text, sizeof limit->text, rows, "text");
        copy(limit->account, sizeof limit->account, rows, "account");
        limit->gain_ppm = store_int(rows, "gain_ppm");
        read_uses(limit, store, store_int(rows, "workload"));
    }
    store_finish(rows);
}
