/* SPDX-License-Identifier: Apache-2.0
 * breakdown - creates and finishes a time breakdown, and names its parts. */
#include "replay/breakdown/breakdown.h"

#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *words;
} parts[] = {
#define PART(NAME, key, words, about) [BREAKDOWN_##NAME] = {key, words},
#include "replay/breakdown/breakdown_part.def"
};

static const char *const phase_keys[] = {
#define PHASE(NAME, key, about) [BREAKDOWN_IN_##NAME] = key,
#include "replay/breakdown/breakdown_phase.def"
};

static const char *const operation_keys[] = {
    [BREAKDOWN_FLUSH] = "flush",         [BREAKDOWN_WRITE] = "write",
    [BREAKDOWN_READ] = "read",           [BREAKDOWN_OTHER] = "other",
    [BREAKDOWN_RDMA_SEND] = "rdma-send", [BREAKDOWN_RDMA_WRITE] = "rdma-write",
    [BREAKDOWN_RDMA_READ] = "rdma-read",
};

static_assert(sizeof operation_keys / sizeof *operation_keys == BREAKDOWN_OPERATIONS, "one each");

const char *breakdown_part_key(enum breakdown_part part)
{
    CHECK(part < BREAKDOWN_PARTS);
    return parts[part].key;
}

const char *breakdown_part_words(enum breakdown_part part)
{
    CHECK(part < BREAKDOWN_PARTS);
    return parts[part].words;
}

const char *breakdown_part_words_of(enum breakdown_part part, bool credits)
{
    return credits && part == BREAKDOWN_PAUSED ? "wait for credits" : breakdown_part_words(part);
}

enum breakdown_part breakdown_part_find(const char *key)
{
    int part = 0;
    while (part < BREAKDOWN_PARTS && strcmp(parts[part].key, key) != 0)
        part++;
    return (enum breakdown_part)part;
}

const char *breakdown_phase_key(enum breakdown_phase phase)
{
    CHECK(phase < BREAKDOWN_PHASES);
    return phase_keys[phase];
}

const char *breakdown_operation_key(enum breakdown_operation operation)
{
    CHECK(operation < BREAKDOWN_OPERATIONS);
    return operation_keys[operation];
}

struct breakdown *breakdown_new(const struct explain_fabric *fabric, uint32_t workload_count,
                                bool traced)
{
    struct breakdown *breakdown = memory_new(sizeof *breakdown);
    breakdown->fabric = fabric;
    breakdown->workload_count = workload_count;
    breakdown->message_free = BREAKDOWN_NONE;
    breakdown->stages = memory_zeroed((size_t)workload_count * BREAKDOWN_NVME_OPERATIONS,
                                      sizeof *breakdown->stages);
    breakdown->traced = traced;
    if (!traced)
        return breakdown;
    const size_t keys = (size_t)fabric->first_port[fabric->node_count] * EXPLAIN_PRIORITIES;
    const size_t rows = (size_t)workload_count * BREAKDOWN_OPERATIONS;
    breakdown->pauses = memory_zeroed(keys, sizeof *breakdown->pauses);
    breakdown->rows = memory_zeroed(rows, sizeof(struct breakdown_row_sum *));
    breakdown->members = memory_zeroed(workload_count, sizeof *breakdown->members);
    return breakdown;
}

void breakdown_free(struct breakdown *breakdown)
{
    if (breakdown == NULL)
        return;
    const struct explain_fabric *fabric = breakdown->fabric;
    const uint32_t ports = breakdown->traced ? fabric->first_port[fabric->node_count] : 0;
    for (uint32_t i = 0; i < ports * EXPLAIN_PRIORITIES; i++)
        free(breakdown->pauses[i].list);
    free(breakdown->pauses);
    breakdown_flows_fini(breakdown);
    breakdown_commands_fini(breakdown);
    breakdown_sums_fini(breakdown);
    free(breakdown->stages);
    free(breakdown);
}

bool breakdown_is_traced(const struct breakdown *breakdown)
{
    return breakdown->traced;
}

void breakdown_hear(struct breakdown *breakdown,
                    void (*each)(void *self, const struct breakdown_life *life), void *self)
{
    breakdown->each = each;
    breakdown->each_self = self;
}

void breakdown_blocked(struct breakdown *breakdown, const struct probe_blocked *blocked)
{
    const uint32_t port = breakdown->fabric->first_port[blocked->node] + blocked->port;
    breakdown_pauses_reported(&breakdown->pauses[port * EXPLAIN_PRIORITIES + blocked->priority],
                              blocked->at, blocked->blocked);
}
