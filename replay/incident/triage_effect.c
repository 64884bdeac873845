/* SPDX-License-Identifier: Apache-2.0
 * triage_effect - how well the symptoms match what a deviating setting acts on (opt_part.def).
 * A part of a run that devices count (drops, pauses, marks, losses) matches by the share of these
 * counts that is at the place of the setting.  Any other part shows only in the bytes that pass the
 * place: it matches by the share of all bytes that hosts move less. */
#include "replay/incident/triage_effect.h"

#include <stdio.h>
#include <string.h>

static const double least_fallen = 0.1; /* of the rate before */
static const double most_there = 0.5;   /* of the counts: symptoms spread to neighbors */
static const double least_class = 0.01; /* of the frames */

static const char *const drops[] = {"rx_oversize_pkts_phy",
                                    "rx_discards_phy",
                                    "tx_discards_phy",
                                    "rx_out_of_buffer",
                                    "rx_prio%d_buffer_dropped",
                                    "tx_prio%d_queue_dropped",
                                    NULL};
static const char *const marks[] = {"tx_prio%d_ecn_marked", NULL};
static const char *const losses[] = {"out_of_sequence", "packet_seq_err", "TcpRetransSegs",
                                     "local_ack_timeout_err", NULL};

static void add_to(struct triage_value *sum, struct triage_value value)
{
    sum->known |= value.known;
    sum->value += value.value;
    sum->more += value.more;
    if (sum->count == NULL || (value.count != NULL && value.value > sum->count->difference))
        sum->count = value.count;
}

static void add_names(const struct triage_work *work, int port, const char *const *names,
                      struct triage_value *sum)
{
    for (; *names != NULL; names++)
        add_to(sum, strstr(*names, "%d") != NULL ? triage_sum(work, port, *names)
                                                 : triage_get(work, port, *names, TRIAGE_ALL));
}

/* What is counted of the part at a port; false: nothing counts it. */
static bool count_part(const struct triage_work *work, enum opt_part part, bool at_switch, int port,
                       struct triage_value *sum)
{
    if (part == OPT_PART_DROPS)
        add_names(work, port, drops, sum);
    else if (part == OPT_PART_LOSS)
        add_names(work, port, losses, sum);
    else if (part == OPT_PART_PAUSES)
        add_to(sum, triage_pauses(work, port, true, TRIAGE_ALL));
    else if (part == OPT_PART_CONGESTION && at_switch)
        add_names(work, port, marks, sum);
    else
        return false;
    /* A switch that marks too late pauses or drops instead. */
    if (part == OPT_PART_CONGESTION) {
        add_names(work, port, drops, sum);
        add_to(sum, triage_pauses(work, port, true, TRIAGE_ALL));
    }
    return true;
}

static bool is_at(const struct triage_work *work, const struct triage_spot *spot, int port)
{
    return work->ports[port].node == spot->node &&
           (spot->port == TRIAGE_NO_PORT || spot->port == port);
}

/* Also at the other ends of its cables: an MTU or a class without PFC makes neighbors drop. */
static bool is_near(const struct triage_work *work, const struct triage_spot *spot, int port)
{
    const int peer = work->ports[port].peer;
    return peer >= 0 && is_at(work, spot, peer);
}

static bool match_counts(const struct triage_work *work, const struct triage_spot *spot,
                         enum opt_part part, struct triage_effect *effect)
{
    struct triage_value there = {0}, all = {0};
    const bool at_switch = work->nodes[spot->node].is_switch;
    for (size_t i = 0; i < work->port_count; i++) {
        struct triage_value value = {0};
        if (!count_part(work, part, at_switch, (int)i, &value))
            return false;
        add_to(&all, value);
        if (is_at(work, spot, (int)i) || (part == OPT_PART_DROPS && is_near(work, spot, (int)i)))
            add_to(&there, value);
    }
    effect->known = there.known;
    effect->count = there.count;
    if (there.more >= TRIAGE_NOISE) {
        const double share = (double)there.more / (double)all.more / most_there;
        effect->strength = share < 1 ? share : 1;
    }
    return true;
}

/* Bytes per second that a port sends less, and before. */
static bool find_lost(const struct triage_work *work, int port, double *lost, double *before)
{
    struct triage_rates rates;
    if (!triage_rates(&work->change, triage_sent_bytes(work, port).count, &rates))
        return false;
    *before += rates.before;
    *lost += rates.before > rates.during ? rates.before - rates.during : 0;
    return true;
}

double triage_lost_by_hosts(const struct triage_work *work)
{
    double sum = 0, before = 0;
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        if (work->nodes[work->ports[i].node].is_switch && peer >= 0 &&
            !work->nodes[work->ports[peer].node].is_switch)
            find_lost(work, (int)i, &sum, &before);
    }
    return sum;
}

/* Each byte passes a switch once, and begins or ends at a host. */
static void match_bytes(const struct triage_work *work, const struct triage_spot *spot,
                        struct triage_effect *effect)
{
    const bool both = !work->nodes[spot->node].is_switch || spot->port != TRIAGE_NO_PORT;
    const double all = triage_lost_by_hosts(work);
    double lost = 0, before = 0;
    for (size_t i = 0; i < work->port_count; i++)
        if (is_at(work, spot, (int)i) || (both && is_near(work, spot, (int)i)))
            effect->known |= find_lost(work, (int)i, &lost, &before);
    if (before > 0 && all > 0 && lost > least_fallen * before)
        effect->strength = lost < all ? lost / all : 1;
}

struct triage_effect triage_effect(const struct triage_work *work, const struct triage_spot *spot,
                                   enum opt_part part)
{
    struct triage_effect effect = {0};
    if (!match_counts(work, spot, part, &effect))
        match_bytes(work, spot, &effect);
    return effect;
}

struct triage_effect triage_class_effect(const struct triage_work *work,
                                         const struct triage_spot *spot, int priority)
{
    struct triage_effect effect = {0};
    int64_t own = 0, all = 0;
    char name[32];
    snprintf(name, sizeof name, "tx_prio%d_packets", priority);
    for (size_t i = 0; i < work->port_count; i++) {
        if (!is_at(work, spot, (int)i))
            continue;
        const struct triage_value value = triage_get(work, (int)i, name, priority);
        effect.known |= value.known;
        own += value.more;
        all += triage_sum(work, (int)i, "tx_prio%d_packets").more;
        effect.count = value.more >= TRIAGE_NOISE ? value.count : effect.count;
    }
    effect.strength = own >= TRIAGE_NOISE && (double)own > least_class * (double)all ? 1 : 0;
    return effect;
}
