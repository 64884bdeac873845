/* SPDX-License-Identifier: Apache-2.0
 * wire_partners - pairs of connections, and their streams. */
#include "reports/wire/wire_partners.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LIKENESSES_MAX = 400 /* pairs of connections whose frames are aligned */ };
static_assert(WIRE_ALONE == WIRE_MAP_NONE, "the end of a chain is nobody");

/* ---- streams ---- */

static const char *words_at(const struct wire_trace *const side[2], const struct wire_pair *pair,
                            int which, uint32_t index)
{
    return wire_trace_words(side[which], &pair->line[which][index]);
}

/* Words after the mark are printed but not compared. */
static bool words_agree(const char *a, const char *b)
{
    const char mark[] = {WIRE_WORDS_APART, '\0'};
    const size_t length = strcspn(a, mark);
    return length == strcspn(b, mark) && memcmp(a, b, length) == 0;
}

static uint32_t shorter(const struct wire_pair *pair)
{
    return pair->count[0] < pair->count[1] ? pair->count[0] : pair->count[1];
}

/* A capture may stop before its connections end, so the end is only compared if both captures have
 * it. */
static void leave_out_end(const struct wire_trace *const side[2], struct wire_pair *pair)
{
    for (int i = 0; i < 2; i++)
        while (pair->count[i] > 0 && wire_words_end(words_at(side, pair, i, pair->count[i] - 1)))
            pair->count[i]--;
}

struct wire_pair wire_pair_up(const struct wire_trace *const side[2], uint32_t a, uint32_t b,
                              unsigned stream)
{
    struct wire_pair pair = {0};
    const uint32_t at[2] = {a, b};
    for (int i = 0; i < 2; i++)
        pair.line[i] = wire_trace_stream(side[i], at[i], stream, &pair.count[i]);
    if (stream % WIRE_KINDS == WIRE_CM &&
        side[0]->connections[a].ended != side[1]->connections[b].ended)
        leave_out_end(side, &pair);
    while (pair.equal < shorter(&pair) &&
           words_agree(words_at(side, &pair, 0, pair.equal), words_at(side, &pair, 1, pair.equal)))
        pair.equal++;
    return pair;
}

struct wire_counts wire_pair_count(const struct wire_trace *const side[2],
                                   const struct wire_pair *pair, unsigned stream,
                                   struct wire_numbers *numbers)
{
    struct wire_counts counts = {0};
    const struct wire_aligned both[2] = {{side[0], pair->line[0], pair->count[0]},
                                         {side[1], pair->line[1], pair->count[1]}};
    const bool commands = stream == wire_stream(WIRE_HOST, WIRE_REQUESTS);
    if (wire_pair_parted(pair) || commands)
        counts = wire_align(both, commands, numbers);
    if (!wire_pair_parted(pair))
        counts = (struct wire_counts){.equal = pair->equal};
    return counts;
}

/* ---- partners ---- */

struct search {
    const struct wire_trace *const *side;
    uint32_t *partner;
    bool *taken; /* by connection of the second capture */
};

/* A key that is equal for connections to the same port and NVMe queue. */
static uint64_t purpose(const struct wire_connection *connection)
{
    return wire_map_pair(connection->port, connection->qid);
}

static bool is_candidate(const struct search *search, uint32_t a, uint32_t b)
{
    return !search->taken[b] &&
           purpose(&search->side[0]->connections[a]) == purpose(&search->side[1]->connections[b]);
}

static bool same_frames(const struct search *search, uint32_t a, uint32_t b)
{
    for (unsigned stream = 0; stream < WIRE_STREAMS; stream++) {
        const struct wire_pair pair = wire_pair_up(search->side, a, b, stream);
        if (wire_pair_parted(&pair))
            return false;
    }
    return true;
}

static uint32_t likeness(const struct search *search, uint32_t a, uint32_t b)
{
    struct wire_numbers numbers = {0};
    uint32_t equal = 0;
    for (unsigned stream = 0; stream < WIRE_STREAMS; stream++) {
        const struct wire_pair pair = wire_pair_up(search->side, a, b, stream);
        equal += wire_pair_count(search->side, &pair, stream, &numbers).equal;
    }
    wire_numbers_fini(&numbers);
    return equal;
}

enum pass { SAME_FRAMES, MOST_ALIKE, IN_ORDER };

/* The best free connection of the second capture, the first of those that are equally good. */
static uint32_t find_partner(const struct search *search, uint32_t a, enum pass pass)
{
    uint32_t best = WIRE_ALONE, most = 0;
    for (uint32_t b = 0; b < search->side[1]->connection_count; b++) {
        if (!is_candidate(search, a, b) || (pass == SAME_FRAMES && !same_frames(search, a, b)))
            continue;
        if (pass != MOST_ALIKE)
            return b;
        const uint32_t alike = likeness(search, a, b);
        if (best == WIRE_ALONE || alike > most) {
            best = b;
            most = alike;
        }
    }
    return best;
}

static void pair_all(struct search *search, enum pass pass)
{
    for (uint32_t a = 0; a < search->side[0]->connection_count; a++) {
        if (search->partner[a] != WIRE_ALONE)
            continue;
        const uint32_t b = search->partner[a] = find_partner(search, a, pass);
        if (b != WIRE_ALONE)
            search->taken[b] = true;
    }
}

static uint32_t candidates(const struct search *search)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < search->side[0]->connection_count; a++)
        for (uint32_t b = 0; b < search->side[1]->connection_count; b++)
            if (search->partner[a] == WIRE_ALONE && is_candidate(search, a, b) &&
                count <= LIKENESSES_MAX)
                count++;
    return count;
}

uint32_t *wire_find_partners(const struct wire_trace *const side[2])
{
    const uint32_t count = side[0]->connection_count;
    struct search search = {.side = side,
                            .partner = memory_zeroed(count, sizeof(uint32_t)),
                            .taken = memory_zeroed(side[1]->connection_count, sizeof(bool))};
    memset(search.partner, 0xFF, count * sizeof *search.partner); /* all WIRE_ALONE */
    pair_all(&search, SAME_FRAMES);
    pair_all(&search, candidates(&search) <= LIKENESSES_MAX ? MOST_ALIKE : IN_ORDER);
    free(search.taken);
    return search.partner;
}
