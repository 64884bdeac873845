/* SPDX-License-Identifier: Apache-2.0
 * checkpoint - times, rows, and the first row that differs. */
#include "replay/run/checkpoint.h"

#include "base/memory.h"
#include "replay/database/record_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of checkpoints before the end of the window. */
static uint32_t how_many(uint32_t nodes)
{
    const uint32_t fit = CHECKPOINT_BYTES / CHECKPOINT_DIGEST_BYTES / (nodes + 1);
    return fit > CHECKPOINTS_MAX ? CHECKPOINTS_MAX : fit < CHECKPOINTS_MIN ? CHECKPOINTS_MIN : fit;
}

void checkpoint_init(struct checkpoint *checkpoint, struct store *store,
                     const struct scenario *scenario)
{
    const uint32_t count = how_many(scenario->node_count);
    const time_ps interval = scenario->duration / count;
    *checkpoint = (struct checkpoint){
        .store = store,
        .digests = memory_zeroed(scenario->node_count, CHECKPOINT_DIGEST_BYTES),
        .nodes = scenario->node_count,
        .left = 2 * count,
        .interval = interval > 0 ? interval : 1,
    };
    checkpoint->next = RECORD_KEEPS(store, checkpoint) ? checkpoint->interval : TIME_NEVER;
}

void checkpoint_fini(struct checkpoint *checkpoint)
{
    free(checkpoint->digests);
    *checkpoint = (struct checkpoint){0};
}

void checkpoint_take(struct checkpoint *checkpoint, const struct world *world)
{
    unsigned char *at = checkpoint->digests;
    for (uint32_t i = 0; i < checkpoint->nodes; i++)
        for (int shift = 56; shift >= 0; shift -= 8)
            *at++ = (unsigned char)(world->engine.nodes[i]->digest >> shift);
    RECORD_ROW(checkpoint->store, checkpoint, .at_ps = STORE_I(checkpoint->next),
               .digests =
                   STORE_B(checkpoint->digests, checkpoint->nodes * CHECKPOINT_DIGEST_BYTES));
    checkpoint->left--;
    checkpoint->next = checkpoint->left > 0 ? checkpoint->next + checkpoint->interval : TIME_NEVER;
}

/* ------------------------------------------------------------------ comparison */

/* One side's current row. */
struct row {
    time_ps at;
    const unsigned char *digests;
    size_t bytes;
};

static bool next_row(struct store_statement *rows, struct row *row)
{
    if (!store_step(rows))
        return false;
    row->at = store_int(rows, "at_ps");
    row->digests = store_blob(rows, "digests", &row->bytes);
    return true;
}

static void list_nodes(struct checkpoint_parting *parting, const struct row *a, const struct row *b)
{
    for (size_t i = 0; i < a->bytes; i += CHECKPOINT_DIGEST_BYTES) {
        if (memcmp(a->digests + i, b->digests + i, CHECKPOINT_DIGEST_BYTES) == 0)
            continue;
        if (parting->count < CHECKPOINT_NODES)
            parting->nodes[parting->count] = (uint32_t)(i / CHECKPOINT_DIGEST_BYTES);
        parting->count++;
    }
}

/* Compares the rows that both runs have; an unfinished run has fewer. */
static void compare_rows(struct store_statement *then, struct store_statement *now,
                         struct checkpoint_parting *parting)
{
    struct row a, b;
    while (!parting->parted && next_row(then, &a) && next_row(now, &b)) {
        parting->known = a.at == b.at && a.bytes == b.bytes && a.bytes > 0 &&
                         a.bytes % CHECKPOINT_DIGEST_BYTES == 0;
        if (!parting->known)
            return;
        parting->after = parting->before;
        parting->before = a.at;
        list_nodes(parting, &a, &b);
        parting->parted = parting->count > 0;
        parting->equal += !parting->parted;
    }
}

/* Databases of earlier versions lack the table. */
static bool has_checkpoints(struct store *store)
{
    return store_ask_int(store, "SELECT count(*) FROM sqlite_schema WHERE name='checkpoint'", 0) >
           0;
}

void checkpoint_compare(struct store *then, struct store *now, struct checkpoint_parting *parting)
{
    static const char sql[] = "SELECT at_ps, digests FROM checkpoint ORDER BY at_ps";
    *parting = (struct checkpoint_parting){0};
    if (!has_checkpoints(then) || !has_checkpoints(now))
        return;
    struct store_statement *a = store_prepare(then, sql), *b = store_prepare(now, sql);
    compare_rows(a, b, parting);
    store_finish(a);
    store_finish(b);
}

void checkpoint_nodes(const struct checkpoint_parting *parting, struct store *store,
                      char text[CHECKPOINT_WORDS_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < parting->count && i < CHECKPOINT_NODES; i++) {
        struct store_statement *row = store_prepare(store, "SELECT name FROM node WHERE node=?");
        store_bind(row, 1, STORE_I(parting->nodes[i]));
        used +=
            (size_t)snprintf(text + used, CHECKPOINT_WORDS_BYTES - used, "%s%.30s",
                             i > 0 ? ", " : "", store_step(row) ? store_text(row, "name") : "?");
        store_finish(row);
    }
    if (parting->count > CHECKPOINT_NODES)
        snprintf(text + used, CHECKPOINT_WORDS_BYTES - used, " and %u more",
                 parting->count - CHECKPOINT_NODES);
}
