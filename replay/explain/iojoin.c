/* SPDX-License-Identifier: Apache-2.0
 * iojoin - a small hash table, and a subtraction for each stage.
 * Linear probing with the entries behind a removed one moved up, so that no marks of the dead pile
 * up. */
#include "replay/explain/iojoin.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { ROOM_FIRST = 256 };

static const char *const stage_names[] = {
#define X(name, words, about) [IOJOIN_##name] = words,
    IOJOIN_STAGES(X)
#undef X
};

const char *iojoin_stage_name(enum iojoin_stage stage)
{
    CHECK(stage < IOJOIN_STAGE_COUNT);
    return stage_names[stage];
}

static void allocate(struct iojoin *join, uint32_t room)
{
    join->entries = memory_zeroed(room, sizeof *join->entries);
    join->room = room;
    join->taken = 0;
}

void iojoin_init(struct iojoin *join)
{
    *join = (struct iojoin){0};
    allocate(join, ROOM_FIRST);
}

void iojoin_fini(struct iojoin *join)
{
    free(join->entries);
    *join = (struct iojoin){0};
}

static uint32_t home_of(const struct iojoin *join, const struct probe_target_io *io)
{
    const uint64_t ips = (uint64_t)io->host_ip << 32 | io->target_ip;
    const uint64_t ids = (uint64_t)io->controller << 32 | (uint64_t)io->qid << 16 | io->cid;
    return hash_home(ips, ids) & (join->room - 1);
}

static bool same(const struct probe_target_io *a, const struct probe_target_io *b)
{
    return a->host_ip == b->host_ip && a->target_ip == b->target_ip &&
           a->controller == b->controller && a->qid == b->qid && a->cid == b->cid;
}

/* The entry of that command, or the free one where it would go. */
static uint32_t find_half(const struct iojoin *join, const struct probe_target_io *io)
{
    uint32_t at = home_of(join, io);
    while (join->entries[at].taken && !same(&join->entries[at].io, io))
        at = (at + 1) & (join->room - 1);
    return at;
}

static void grow(struct iojoin *join)
{
    const struct iojoin old = *join;
    allocate(join, old.room * 2);
    for (uint32_t i = 0; i < old.room; i++)
        if (old.entries[i].taken)
            iojoin_add(join, &old.entries[i].io);
    free(old.entries);
}

void iojoin_add(struct iojoin *join, const struct probe_target_io *io)
{
    uint32_t at = find_half(join, io);
    if (!join->entries[at].taken) {
        if (join->taken == IOJOIN_ENTRIES_MAX) {
            join->refused++;
            return;
        }
        if (join->taken >= join->room / 2) {
            grow(join);
            at = find_half(join, io);
        }
        join->taken++;
    }
    join->entries[at] = (struct iojoin_entry){.io = *io, .taken = true};
}

/* Moves up what was pushed past the hole, so that every entry is found from its home without a gap.
 * */
static void close_hole(struct iojoin *join, uint32_t hole)
{
    const uint32_t mask = join->room - 1;
    for (uint32_t at = (hole + 1) & mask; join->entries[at].taken; at = (at + 1) & mask) {
        const uint32_t home = home_of(join, &join->entries[at].io);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home lies behind the hole */
        join->entries[hole] = join->entries[at];
        hole = at;
    }
    join->entries[hole].taken = false;
}

bool iojoin_take(struct iojoin *join, const struct probe_host_io *io, struct probe_target_io *found)
{
    const struct probe_target_io key = {.host_ip = io->host_ip,
                                        .target_ip = io->target_ip,
                                        .controller = io->controller,
                                        .qid = io->qid,
                                        .cid = io->cid};
    const uint32_t at = find_half(join, &key);
    if (!join->entries[at].taken)
        return false;
    *found = join->entries[at].io;
    join->taken--;
    close_hole(join, at);
    return true;
}

/* Time since the moment before; a moment that is not set leaves it where it was. */
static time_ps step(time_ps *before, time_ps moment)
{
    if (moment == 0)
        return 0;
    const time_ps passed = moment - *before;
    CHECK(passed >= 0);
    *before = moment;
    return passed;
}

void iojoin_stages(const struct probe_host_io *host, const struct probe_target_io *target,
                   time_ps stages[IOJOIN_STAGE_COUNT])
{
    for (int i = 0; i < IOJOIN_STAGE_COUNT; i++)
        stages[i] = 0;
    time_ps before = host->issued_at;
    stages[IOJOIN_THROTTLE] = step(&before, host->admitted_at);
    stages[IOJOIN_SUBMIT] = step(&before, host->posted_at);
    if (target != NULL) {
        stages[IOJOIN_REQUEST] = step(&before, target->capsule_at);
        const bool waits = target->buffered_at != 0 || target->wrs_at != 0;
        stages[IOJOIN_TARGET] = step(&before, waits ? target->begun_at : 0);
        stages[IOJOIN_BUFFERS] = step(&before, target->buffered_at);
        stages[IOJOIN_WRS] = step(&before, target->wrs_at);
        stages[IOJOIN_TARGET] += step(&before, target->fetch_at);
        stages[IOJOIN_FETCH] = step(&before, target->fetched_at);
        stages[IOJOIN_TARGET] +=
            step(&before, target->limit_at == 0 ? target->media_at : target->limit_at);
        stages[IOJOIN_LIMIT] = step(&before, target->limit_at == 0 ? 0 : target->media_at);
        stages[IOJOIN_WAIT] = step(&before, target->media_begun_at);
        stages[IOJOIN_MEDIA] = step(&before, target->media_done_at);
        stages[IOJOIN_RESPOND] = step(&before, target->response_at);
        stages[IOJOIN_RESPONSE] = step(&before, host->response_at);
    } else {
        stages[IOJOIN_REQUEST] = step(&before, host->response_at);
    }
    stages[IOJOIN_COMPLETE] = step(&before, host->completed_at);
}
