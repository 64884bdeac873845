/* SPDX-License-Identifier: Apache-2.0
 * triage_falls - how well one place explains what all hosts move less than before.
 * A byte that a host no longer receives is one that some host no longer sends, and it no longer
 * passes any place between both.  What a place moves less is therefore the most of the falls of
 * other hosts that it explains; the rest would be chance.  The logarithm of the likelihood of this
 * chance ranks the places: each host's rate differs from its earlier one by `spread` of it, and the
 * rest is divided among the hosts as is most likely.
 * A place that is slow slows all that passes it, in parts that differ by `uneven`: a host that lost
 * a larger part than the place did is less likely its victim. */
#include "replay/incident/triage_private.h"

#include <math.h>

static const double spread = 0.1;  /* of a rate that nothing changes: standard deviation */
static const double uneven = 0.3;  /* of the parts by which the flows of one place fall */
static const double clocks = 0.02; /* of a rate: what clocks that differ add to a fall */

/* That two hosts are slow at a time, relative to one. */
static const double second_cause = 0.75;

enum { ROUNDS = 40, PARTNERS = 8 };

static void add_fall(const struct triage_work *work, struct triage_fall *fall, int direction,
                     const struct incident_count *bytes)
{
    const struct triage_change *change = &work->change;
    const double most = fall->lost[TRIAGE_SENT] > fall->lost[TRIAGE_RECEIVED]
                            ? fall->lost[TRIAGE_SENT]
                            : fall->lost[TRIAGE_RECEIVED];
    if (bytes == NULL || bytes->sample_count < 3)
        return;
    const double expected =
        triage_moved(change, bytes, 0, change->from) / change->from * (change->to - change->from);
    const double lost = expected - triage_moved(change, bytes, change->from, change->to);
    fall->known[direction] = true;
    fall->expected[direction] += expected;
    fall->less[direction] += lost;
    if (triage_gain(change, bytes) <= 0 || lost <= 0)
        return;
    fall->lost[direction] += lost;
    fall->bytes = lost > most ? bytes : fall->bytes;
}

/* For a host without counters, those of its switches' ports are used. */
static struct triage_fall find_fall(const struct triage_work *work, int node)
{
    struct triage_fall fall = {.bytes = NULL};
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count && work->change.found; i++) {
        const int port = at->ports[i], peer = work->ports[port].peer;
        add_fall(work, &fall, TRIAGE_SENT, triage_sent_bytes(work, port).count);
        if (peer >= 0)
            add_fall(work, &fall, TRIAGE_RECEIVED, triage_sent_bytes(work, peer).count);
    }
    return fall;
}

/* Switches count no received bytes, so one direction of a host without counters is unknown.  All
 * hosts send as much less as they receive less: what is missing in the sum belongs to such hosts.
 * Returns what was lost in all. */
static double complete_falls(const struct triage_work *work, struct triage_fall *falls)
{
    double all[TRIAGE_DIRECTIONS] = {0},
           known[TRIAGE_DIRECTIONS] = {0}; /* known: where the other one is not */
    for (size_t i = 0; i < work->node_count; i++)
        for (int d = 0; d < TRIAGE_DIRECTIONS; d++) {
            all[d] += falls[i].lost[d];
            known[d] += falls[i].known[1 - d] ? 0 : falls[i].lost[d];
        }
    const double most =
        all[TRIAGE_SENT] > all[TRIAGE_RECEIVED] ? all[TRIAGE_SENT] : all[TRIAGE_RECEIVED];
    for (size_t i = 0; i < work->node_count; i++)
        for (int d = 0; d < TRIAGE_DIRECTIONS; d++)
            if (!falls[i].known[d] && known[1 - d] > 0)
                falls[i].lost[d] = falls[i].less[d] =
                    (most - all[d]) * falls[i].lost[1 - d] / known[1 - d];
    return most;
}

/* The largest part of its rate that a host lost. */
static double most_fallen(const struct triage_work *work)
{
    double most = 0;
    for (size_t i = 0; i < work->node_count; i++)
        for (int d = 0; d < TRIAGE_DIRECTIONS; d++) {
            const struct triage_fall *fall = &work->falls[i];
            if (fall->known[d] && fall->lost[d] > most * fall->expected[d])
                most = fall->lost[d] / fall->expected[d];
        }
    return most;
}

static double lost_by(const struct triage_fall *fall)
{
    return fall->lost[TRIAGE_SENT] + fall->lost[TRIAGE_RECEIVED];
}

static void list_partners(struct triage_work *work)
{
    int *partners = arena_array(work->arena, PARTNERS, sizeof *partners), count = 0;
    for (size_t i = 0; i < work->node_count; i++) {
        int at = count < PARTNERS ? count++ : PARTNERS;
        for (; at > 0 && lost_by(&work->falls[i]) > lost_by(&work->falls[partners[at - 1]]); at--)
            if (at < PARTNERS)
                partners[at] = partners[at - 1];
        if (at < PARTNERS)
            partners[at] = (int)i;
    }
    work->partners = partners;
    work->partner_count = count;
}

void triage_find_falls(struct triage_work *work)
{
    work->falls = arena_array(work->arena, work->node_count + 1, sizeof *work->falls);
    for (size_t i = 0; i < work->node_count; i++)
        if (!work->nodes[i].is_switch)
            work->falls[i] = find_fall(work, (int)i);
    work->lost_bytes = complete_falls(work, work->falls);
    work->most_fallen = most_fallen(work);
    list_partners(work);
}

/* One host, or two; or none. */
struct pair {
    int one, other;
};

static bool is_one(struct pair pair, size_t node)
{
    return (int)node == pair.one || (int)node == pair.other;
}

/* What a host may have lost by chance at that level of surprise.  Of a direction without counters
 * nothing is known. */
static double by_chance(const struct triage_fall *fall, int direction, double level)
{
    const double lost = level * fall->expected[direction] * fall->expected[direction];
    if (!fall->known[direction])
        return 0;
    return lost < fall->lost[direction] ? lost : fall->lost[direction];
}

static double all_by_chance(const struct triage_work *work, int direction, struct pair except,
                            double level)
{
    double sum = 0;
    for (size_t i = 0; i < work->node_count; i++)
        sum += is_one(except, i) ? 0 : by_chance(&work->falls[i], direction, level);
    return sum;
}

/* The least sum of squares, in standard deviations, of falls by chance that add up to `rest`: each
 * has the same level, up to what the host lost (the condition of Karush, Kuhn and Tucker). */
static double squares_of(const struct triage_work *work, int direction, struct pair except,
                         double rest)
{
    double low = 0, high = 0, squares = 0;
    for (size_t i = 0; i < work->node_count; i++) {
        const struct triage_fall *fall = &work->falls[i];
        const double rate = fall->expected[direction];
        if (rate > 0 && fall->lost[direction] / rate / rate > high)
            high = fall->lost[direction] / rate / rate;
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double middle = (low + high) / 2;
        if (all_by_chance(work, direction, except, middle) < rest)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = 0; i < work->node_count; i++) {
        const struct triage_fall *fall = &work->falls[i];
        const double lost = is_one(except, i) ? 0 : by_chance(fall, direction, high);
        const double deviation = lost > 0 ? lost / fall->expected[direction] / spread : 0;
        squares += deviation * deviation;
    }
    return squares;
}

/* `place`: what passes it in the direction in which others send, and receive. */
static double chance_of(const struct triage_work *work, struct pair except,
                        const struct triage_fall *place)
{
    double squares = 0, part = 0;
    for (int d = 0; d < TRIAGE_DIRECTIONS; d++) {
        double lost = 0;
        for (size_t i = 0; i < work->node_count; i++)
            lost += is_one(except, i) || !work->falls[i].known[d] ? 0 : work->falls[i].lost[d];
        const double explained = place->less[d] + clocks * place->expected[d];
        if (lost > explained)
            squares += squares_of(work, d, except, lost - explained);
        const double one = triage_part(place->less[d], place->expected[d]);
        part = one > part ? one : part;
    }
    const double deviation = work->most_fallen > part ? (work->most_fallen - part) / uneven : 0;
    return -(squares + deviation * deviation) / 2;
}

/* What others do not receive of what the host does not send. */
static void add_host(const struct triage_work *work, int host, struct triage_fall *place)
{
    for (int d = 0; d < TRIAGE_DIRECTIONS; d++) {
        place->less[d] += work->falls[host].less[1 - d];
        place->expected[d] += work->falls[host].expected[1 - d];
    }
}

double triage_host_likelihood(const struct triage_work *work, int host)
{
    const double lost = lost_by(&work->falls[host]);
    const double cover = lost < work->lost_bytes ? lost / work->lost_bytes : 1;
    struct triage_fall own = {.bytes = NULL};
    add_host(work, host, &own);
    double best = exp(chance_of(work, (struct pair){host, host}, &own));
    for (int i = 0; i < work->partner_count; i++) {
        const int partner = work->partners[i];
        struct triage_fall both = own;
        if (partner == host)
            continue;
        add_host(work, partner, &both);
        const double two =
            second_cause * cover * exp(chance_of(work, (struct pair){host, partner}, &both));
        best = two > best ? two : best;
    }
    return best;
}

double triage_place_likelihood(const struct triage_work *work, double lost, double expected)
{
    const struct triage_fall place = {.less = {lost, lost}, .expected = {expected, expected}};
    return exp(chance_of(work, (struct pair){TRIAGE_NO_PORT, TRIAGE_NO_PORT}, &place));
}
