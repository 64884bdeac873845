/* SPDX-License-Identifier: Apache-2.0
 * step_checks - reads checkpoints, and compares them node by node. */
#include "replay/step/step_checks.h"

#include "base/memory.h"
#include "replay/run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static void add_check(struct step_checks *checks, const struct store_statement *row, size_t wanted)
{
    size_t bytes;
    const unsigned char *digests = store_blob(row, "digests", &bytes);
    if (bytes != wanted)
        return;
    checks->list = memory_grown(checks->list, checks->count, &checks->room, sizeof *checks->list);
    struct step_check *check = &checks->list[checks->count++];
    check->at = store_int(row, "at_ps");
    check->digests = memory_zeroed(bytes, 1);
    memcpy(check->digests, digests, bytes);
}

void step_checks_read(struct step_checks *checks, struct store *store, uint32_t nodes)
{
    *checks = (struct step_checks){0};
    store_ask_text(store, "SELECT digest FROM meta", checks->digest, sizeof checks->digest);
    if (store_ask_int(store, "SELECT count(*) FROM sqlite_schema WHERE name='checkpoint'", 0) == 0)
        return; /* an earlier version */
    struct store_statement *rows =
        store_prepare(store, "SELECT at_ps, digests FROM checkpoint WHERE at_ps>0 ORDER BY at_ps");
    while (store_step(rows))
        add_check(checks, rows, (size_t)nodes * CHECKPOINT_DIGEST_BYTES);
    store_finish(rows);
}

void step_checks_free(struct step_checks *checks)
{
    for (uint32_t i = 0; i < checks->count; i++)
        free(checks->list[i].digests);
    free(checks->list);
    *checks = (struct step_checks){0};
}

static uint64_t read_word(const unsigned char *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < CHECKPOINT_DIGEST_BYTES; i++)
        word = word << 8 | bytes[i];
    return word;
}

uint32_t step_check_differs(const struct step_check *check, const struct world *world)
{
    for (uint32_t i = 0; i < world->engine.node_count; i++)
        if (read_word(check->digests + (size_t)i * CHECKPOINT_DIGEST_BYTES) !=
            world->engine.nodes[i]->digest)
            return i;
    return UINT32_MAX;
}
