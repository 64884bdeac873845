/* SPDX-License-Identifier: Apache-2.0
 * waits - beginning and end of the account, and its words. */
#include "replay/waits/waits.h"

#include "base/memory.h"
#include "replay/waits/waits_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *words, *about;
} parts[] = {
#define PART(NAME, key, words, about) [WAITS_##NAME] = {key, words, about},
#include "replay/waits/waits_part.def"
};

static const char *const phase_keys[] = {
#define PHASE(NAME, key, about) [WAITS_IN_##NAME] = key,
#include "replay/waits/waits_phase.def"
};

static const char *const operation_keys[] = {
    [WAITS_FLUSH] = "flush",         [WAITS_WRITE] = "write",
    [WAITS_READ] = "read",           [WAITS_OTHER] = "other",
    [WAITS_RDMA_SEND] = "rdma-send", [WAITS_RDMA_WRITE] = "rdma-write",
    [WAITS_RDMA_READ] = "rdma-read",
};

static_assert(sizeof operation_keys / sizeof *operation_keys == WAITS_OPERATIONS, "one each");

const char *waits_part_key(enum waits_part part)
{
    CHECK(part < WAITS_PARTS);
    return parts[part].key;
}

const char *waits_part_words(enum waits_part part)
{
    CHECK(part < WAITS_PARTS);
    return parts[part].words;
}

enum waits_part waits_part_find(const char *key)
{
    int part = 0;
    while (part < WAITS_PARTS && strcmp(parts[part].key, key) != 0)
        part++;
    return (enum waits_part)part;
}

const char *waits_part_about(enum waits_part part)
{
    CHECK(part < WAITS_PARTS);
    return parts[part].about;
}

const char *waits_phase_key(enum waits_phase phase)
{
    CHECK(phase < WAITS_PHASES);
    return phase_keys[phase];
}

const char *waits_operation_key(enum waits_operation operation)
{
    CHECK(operation < WAITS_OPERATIONS);
    return operation_keys[operation];
}

struct waits *waits_new(const struct explain_fabric *fabric, uint32_t workload_count)
{
    struct waits *waits = memory_new(sizeof *waits);
    const size_t keys = (size_t)fabric->first_port[fabric->node_count] * EXPLAIN_PRIORITIES;
    const size_t rows = (size_t)workload_count * WAITS_OPERATIONS;
    waits->fabric = fabric;
    waits->workload_count = workload_count;
    waits->message_free = WAITS_NONE;
    waits->pauses = memory_zeroed(keys, sizeof *waits->pauses);
    waits->rows = memory_zeroed(rows, sizeof(struct waits_row_sum *));
    waits->members = memory_zeroed(workload_count, sizeof *waits->members);
    return waits;
}

void waits_free(struct waits *waits)
{
    if (waits == NULL)
        return;
    const uint32_t keys = waits->fabric->first_port[waits->fabric->node_count] * EXPLAIN_PRIORITIES;
    for (uint32_t i = 0; i < keys; i++)
        free(waits->pauses[i].list);
    free(waits->pauses);
    waits_flows_fini(waits);
    waits_commands_fini(waits);
    waits_sums_fini(waits);
    free(waits);
}

void waits_hear(struct waits *waits, void (*each)(void *self, const struct waits_life *life),
                void *self)
{
    waits->each = each;
    waits->each_self = self;
}

void waits_blocked(struct waits *waits, const struct probe_blocked *blocked)
{
    const uint32_t port = waits->fabric->first_port[blocked->node] + blocked->port;
    waits_pauses_reported(&waits->pauses[port * EXPLAIN_PRIORITIES + blocked->priority],
                          blocked->at, blocked->blocked);
}
