/* SPDX-License-Identifier: Apache-2.0
 * data_judge - tracks the last writes of each unit. */
#include "replay/data/data_judge.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT_BYTES = 4096, FIRST_ROOM = 256, WRITES_GROW = 4 };

/* As enum nvme_opcode in nvme/wire/spec.h. */
enum { OPCODE_WRITE = 1, OPCODE_READ = 2, OPCODE_WRITE_ZEROES = 8, OPCODE_DATASET = 9 };

#define CONTENT_MIXED UINT32_C(0xFFFFFFFE) /* NVME_CONTENT_MIXED in nvme/wire/spec.h */

struct write {
    uint32_t content;
    time_ps issued, ended; /* ps; ended is TIME_NEVER if the write failed */
    time_ps superseded;    /* ps; when a write that began after this one ended had ended */
};

struct data_judge_unit {
    uint64_t number; /* of the 4 KiB unit in the namespace */
    uint64_t store;
    uint16_t count, room; /* remembered writes, the most recent ones */
    bool in_parts;        /* written partially, no longer judged */
    time_ps written;      /* ps; end of the first write; TIME_NEVER: none */
    struct write one;     /* enough for most units; saves memory */
    struct write *many;   /* `room` entries instead of `one`, or NULL */
};

void data_judge_init(struct data_judge *judge)
{
    *judge = (struct data_judge){0};
}

void data_judge_fini(struct data_judge *judge)
{
    for (uint32_t i = 0; i < judge->count; i++)
        free(judge->units[i].many);
    free(judge->units);
    free(judge->places);
    *judge = (struct data_judge){0};
}

/* ---- units ---- */

/* The place of the unit, or the empty one where it would be inserted. */
static uint32_t *place_of_unit(const struct data_judge *judge, uint64_t store, uint64_t number)
{
    uint64_t at = hash_home(number, store) & (judge->place_count - 1);
    for (; judge->places[at] != 0; at = (at + 1) & (judge->place_count - 1)) {
        const struct data_judge_unit *unit = &judge->units[judge->places[at] - 1];
        if (unit->number == number && unit->store == store)
            break;
    }
    return &judge->places[at];
}

/* Returns NULL if the unit was never written or is not tracked. */
static struct data_judge_unit *find_unit(const struct data_judge *judge,
                                         const struct probe_host_io *io, uint64_t number)
{
    if (judge->count == 0)
        return NULL;
    const uint32_t place = *place_of_unit(judge, io->store, number);
    return place == 0 ? NULL : &judge->units[place - 1];
}

static void grow_places(struct data_judge *judge)
{
    free(judge->places);
    judge->place_count = judge->place_count == 0 ? FIRST_ROOM : judge->place_count * 2;
    judge->places = memory_zeroed(judge->place_count, sizeof *judge->places);
    for (uint32_t i = 0; i < judge->count; i++)
        *place_of_unit(judge, judge->units[i].store, judge->units[i].number) = i + 1;
}

static struct data_judge_unit *make_unit(struct data_judge *judge, const struct probe_host_io *io,
                                         uint64_t number)
{
    struct data_judge_unit *unit = find_unit(judge, io, number);
    if (unit != NULL || judge->count == DATA_JUDGE_UNITS)
        return unit;
    if (judge->count * 2 >= judge->place_count)
        grow_places(judge);
    judge->units = memory_grown(judge->units, judge->count, &judge->room, sizeof *judge->units);
    unit = &judge->units[judge->count++];
    *unit = (struct data_judge_unit){
        .number = number, .store = io->store, .room = 1, .written = TIME_NEVER};
    *place_of_unit(judge, io->store, number) = judge->count;
    return unit;
}

/* ---- verdicts ---- */

static void wrong(struct data_judge *judge, uint64_t *kind, const struct probe_host_io *io)
{
    if (data_judge_wrong(judge) == 0)
        judge->first = *io;
    *kind += 1;
}

static struct write *writes_of(struct data_judge_unit *unit)
{
    return unit->many != NULL ? unit->many : &unit->one;
}

static void grow_writes(struct data_judge_unit *unit)
{
    const uint16_t room = (uint16_t)(unit->room * WRITES_GROW);
    struct write *writes = memory_new(room * sizeof *writes);
    memcpy(writes, writes_of(unit), unit->count * sizeof *writes);
    free(unit->many);
    unit->many = writes;
    unit->room = room;
}

/* Forgets the oldest write if there are already DATA_JUDGE_WRITES. */
static void remember_write(struct data_judge_unit *unit, const struct write *write)
{
    _Static_assert(DATA_JUDGE_WRITES == WRITES_GROW * WRITES_GROW, "the room is exceeded");
    if (unit->count == unit->room && unit->room < DATA_JUDGE_WRITES)
        grow_writes(unit);
    struct write *writes = writes_of(unit);
    if (unit->count == DATA_JUDGE_WRITES) {
        memmove(writes, writes + 1, (DATA_JUDGE_WRITES - 1) * sizeof *writes);
        unit->count--;
    }
    writes[unit->count++] = *write;
}

static void on_write(struct data_judge_unit *unit, const struct probe_host_io *io)
{
    const bool good = io->status == 0;
    const time_ps ended = good ? io->completed_at : TIME_NEVER;
    for (uint32_t i = 0; good && i < unit->count; i++) {
        struct write *before = &writes_of(unit)[i];
        if (before->ended < io->issued_at && before->superseded > ended)
            before->superseded = ended;
    }
    if (good && unit->written > ended)
        unit->written = ended;
    remember_write(unit, &(struct write){io->content, io->issued_at, ended, TIME_NEVER});
}

/* Judges a read of a unit that was only written as a whole. Returns true if it could be judged. */
static bool judge_unit(struct data_judge *judge, const struct data_judge_unit *unit,
                       const struct probe_host_io *io, uint64_t **verdict)
{
    if (io->content == 0) {
        if (unit->written < io->issued_at && !judge->empties)
            *verdict = &judge->lost;
        return true;
    }
    const struct write *writes = unit->many != NULL ? unit->many : &unit->one;
    bool known = false;
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct write *write = &writes[i];
        if (write->content != io->content)
            continue;
        if (write->issued < io->completed_at && write->superseded >= io->issued_at)
            return true;
        known = true;
    }
    if (known)
        *verdict = &judge->stale;
    return known;
}

static void on_read(struct data_judge *judge, const struct probe_host_io *io, uint64_t first,
                    uint64_t units)
{
    uint64_t *verdict = NULL;
    bool judged = false;
    if (io->content == CONTENT_MIXED && units > 1)
        return; /* any of them may be correct */
    for (uint64_t number = first; number < first + units && verdict == NULL; number++) {
        const struct data_judge_unit *unit = find_unit(judge, io, number);
        if (unit == NULL || unit->in_parts)
            continue;
        if (io->content != CONTENT_MIXED) {
            judged |= judge_unit(judge, unit, io, &verdict);
        } else if (unit->count > 0 && !judge->empties) {
            verdict = &judge->torn;
            judged = true;
        }
    }
    judge->reads += judged;
    if (verdict != NULL)
        wrong(judge, verdict, io);
}

static void on_emptied(struct data_judge *judge)
{
    judge->empties = true;
    judge->lost = judge->torn = 0;
    if (data_judge_wrong(judge) == 0)
        judge->first = (struct probe_host_io){0};
}

void data_judge_io(struct data_judge *judge, const struct probe_host_io *io)
{
    if (io->opcode == OPCODE_WRITE_ZEROES || io->opcode == OPCODE_DATASET)
        on_emptied(judge);
    const bool write = io->opcode == OPCODE_WRITE;
    if (io->bytes == 0 || (!write && (io->opcode != OPCODE_READ || io->status != 0)))
        return;
    const uint64_t from = io->lba * io->block_bytes, to = from + io->bytes;
    const uint64_t first = from / UNIT_BYTES, last = (to - 1) / UNIT_BYTES;
    if (!write) {
        on_read(judge, io, first, last - first + 1);
        return;
    }
    for (uint64_t number = first; number <= last; number++) {
        struct data_judge_unit *unit = make_unit(judge, io, number);
        if (unit == NULL)
            continue;
        const bool whole = number * UNIT_BYTES >= from && (number + 1) * UNIT_BYTES <= to;
        unit->in_parts |= !whole;
        if (!unit->in_parts)
            on_write(unit, io);
    }
}
