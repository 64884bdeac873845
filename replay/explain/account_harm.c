/* SPDX-License-Identifier: Apache-2.0
 * account_harm - harm and causes with the keys and values that the run reported. */
#include "replay/explain/account.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void account_harm(struct account *account, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT path, type, value FROM result WHERE path GLOB 'harm.*' OR path GLOB 'causes*'"
        " ORDER BY rowid");
    uint32_t room = 0;
    while (store_step(rows)) {
        account->harm =
            memory_grown(account->harm, account->harm_count, &room, sizeof *account->harm);
        struct account_item *item = &account->harm[account->harm_count++];
        *item = (struct account_item){.integer = store_int(rows, "value"),
                                      .real = store_real(rows, "value")};
        snprintf(item->path, sizeof item->path, "%s", store_text(rows, "path"));
        snprintf(item->type, sizeof item->type, "%s", store_text(rows, "type"));
        snprintf(item->text, sizeof item->text, "%s", store_text(rows, "value"));
    }
    store_finish(rows);
}

const char *account_of_harm(const struct account *account, const char *path)
{
    for (uint32_t i = 0; i < account->harm_count; i++)
        if (strcmp(account->harm[i].path, path) == 0)
            return account->harm[i].text;
    return "";
}
