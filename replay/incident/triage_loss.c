/* SPDX-License-Identifier: Apache-2.0
 * triage_loss - frames that are lost and that no device counts.
 * Receivers count gaps (out_of_sequence, implied_nak_seq_err of read responses), senders the NAKs
 * for what they sent (packet_seq_err).  A host that nearly all gaps or nearly all NAKs belong to
 * has the loss on its own cable; else it lies where frames that one end of a cable sent do not
 * arrive at the other, beyond what clocks explain. */
#include "replay/incident/triage_private.h"

#include <stdlib.h>

static const double least_loss = 0.003; /* of frames along a cable */
static const double cleared = 0.3;
static const double own_share = 0.75; /* of gaps or NAKs: the loss is on the host's cable */

struct losses {
    int64_t gaps, naks, timeouts;
};

static struct losses losses_of(const struct triage_work *work, int node)
{
    struct losses losses = {0};
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i];
        losses.gaps += triage_get(work, port, "out_of_sequence", TRIAGE_ALL).more +
                       triage_get(work, port, "implied_nak_seq_err", TRIAGE_ALL).more;
        losses.naks += triage_get(work, port, "packet_seq_err", TRIAGE_ALL).more;
        losses.timeouts += triage_get(work, port, "local_ack_timeout_err", TRIAGE_ALL).more;
    }
    return losses;
}

/* What is counted as dropped or damaged anywhere. */
static int64_t counted_losses(const struct triage_work *work)
{
    static const char *const names[] = {"rx_crc_errors_phy", "rx_oversize_pkts_phy",
                                        "rx_discards_phy", "tx_discards_phy"};
    int64_t sum = 0;
    for (size_t i = 0; i < work->port_count; i++) {
        sum += triage_sum(work, (int)i, "rx_prio%d_buffer_dropped").more;
        sum += triage_sum(work, (int)i, "tx_prio%d_queue_dropped").more;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            sum += triage_get(work, (int)i, names[k], TRIAGE_ALL).more;
    }
    return sum;
}

static int first_wired(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++)
        if (work->ports[at->ports[i]].peer >= 0)
            return at->ports[i];
    return at->port_count > 0 ? at->ports[0] : TRIAGE_NO_PORT;
}

static void suspect_cable_of(struct triage_work *work, int node, struct losses own,
                             struct losses all, double factor)
{
    const double gaps = all.gaps > 0 ? (double)own.gaps / (double)all.gaps : 0,
                 naks = all.naks > 0 ? (double)own.naks / (double)all.naks : 0,
                 timeouts = all.timeouts > 0 ? (double)own.timeouts / (double)all.timeouts : 0;
    const double share = gaps > naks ? gaps : naks;
    const bool late = all.gaps + all.naks < TRIAGE_NOISE;
    const int port = first_wired(work, node);
    if ((late ? timeouts : share) < own_share || port < 0)
        return;
    struct triage_suspect *suspect = triage_suspect(work, SUSPECT_SILENT_LOSS, node, port,
                                                    factor * (late ? timeouts * 0.8 : share));
    if (gaps >= own_share && own.gaps >= TRIAGE_NOISE)
        triage_sign(work, suspect, triage_get(work, port, "out_of_sequence", TRIAGE_ALL),
                    "%s has %.0f%% of all gaps in received packets: %s", work->nodes[node].name,
                    gaps * 100, triage_frames(work->arena, own.gaps));
    if (naks >= own_share && own.naks >= TRIAGE_NOISE)
        triage_sign(work, suspect, triage_get(work, port, "packet_seq_err", TRIAGE_ALL),
                    "%s has %.0f%% of all NAKs for lost packets: %s", work->nodes[node].name,
                    naks * 100, triage_frames(work->arena, own.naks));
    if (timeouts >= own_share && own.timeouts > 0)
        triage_sign(work, suspect, triage_get(work, port, "local_ack_timeout_err", TRIAGE_ALL),
                    "%s has %.0f%% of all timeouts: %s", work->nodes[node].name, timeouts * 100,
                    triage_frames(work->arena, own.timeouts));
}

/* ---- frames along a cable ---- */

struct deficit {
    int port;           /* the sender's */
    double share, lost; /* of the frames; without what clocks do */
    struct triage_value sent, received;
};

static int by_lost(const void *a, const void *b)
{
    const struct deficit *x = a, *y = b;
    if (x->lost != y->lost)
        return x->lost < y->lost ? 1 : -1;
    return x->port - y->port;
}

static struct triage_value frames_of(const struct triage_work *work, int port, bool sent)
{
    const struct triage_value all =
        triage_get(work, port, sent ? "tx_packets_phy" : "rx_packets_phy", TRIAGE_ALL);
    return all.known ? all
                     : triage_sum(work, port, sent ? "tx_prio%d_packets" : "rx_prio%d_packets");
}

static bool read_deficit(const struct triage_work *work, int port, struct deficit *deficit)
{
    const int peer = work->ports[port].peer;
    *deficit = (struct deficit){.port = port};
    if (peer < 0)
        return false;
    deficit->sent = frames_of(work, port, true);
    deficit->received = frames_of(work, peer, false);
    if (!deficit->sent.known || !deficit->received.known || deficit->sent.value < 1000)
        return false;
    deficit->share = 1 - (double)deficit->received.value / (double)deficit->sent.value;
    return true;
}

/* A clock that is late makes one direction lose what the other gains, so that their sum does not
 * depend on it. */
static bool read_loss(const struct triage_work *work, int port, struct deficit *deficit)
{
    struct deficit back;
    if (!read_deficit(work, port, deficit))
        return false;
    deficit->lost = deficit->share;
    if (read_deficit(work, work->ports[port].peer, &back))
        deficit->lost += back.share;
    return true;
}

/* Half of the cables lose less: noise. */
static size_t find_deficits(const struct triage_work *work, struct deficit *deficits, double *noise)
{
    size_t count = 0;
    for (size_t i = 0; i < work->port_count; i++)
        count += read_loss(work, (int)i, &deficits[count]);
    *noise = least_loss;
    if (count > 1)
        qsort(deficits, count, sizeof *deficits, by_lost);
    for (size_t i = count / 4; i < count; i++) {
        const double size = deficits[i].lost < 0 ? -deficits[i].lost : deficits[i].lost;
        *noise = size > *noise ? size : *noise;
    }
    return count;
}

/* Cables that lose frames, if these stand out from the rest. */
static void suspect_deficits(struct triage_work *work, const struct deficit *deficits, size_t count,
                             double noise)
{
    for (size_t i = 0; i < count && i < 4 && deficits[i].lost > 2 * noise; i++) {
        const struct deficit *one = &deficits[i];
        if (one->share < 0)
            continue;
        struct triage_suspect *suspect =
            triage_suspect(work, SUSPECT_SILENT_LOSS, work->ports[one->port].node, one->port,
                           one->lost / deficits[0].lost * (1 - noise / one->lost));
        triage_sign(work, suspect, triage_place(one->sent), "%s sent %s frames",
                    triage_port_words(work, one->port),
                    triage_frames(work->arena, one->sent.value));
        triage_sign(work, suspect, triage_place(one->received), "%s received %s, %.1f%% fewer",
                    triage_port_words(work, work->ports[one->port].peer),
                    triage_frames(work->arena, one->received.value), one->share * 100);
    }
}

/* 1, or less where both ends of the host's cable agree: on more frames than it lost, or while
 * another cable loses frames. */
static double cable_factor(const struct triage_work *work, int node, const struct deficit *deficits,
                           size_t count, double noise)
{
    struct deficit out;
    const int port = first_wired(work, node);
    if (port < 0 || !read_loss(work, port, &out) || out.lost > 2 * noise)
        return 1;
    const struct losses own = losses_of(work, node);
    const double least = (double)(own.gaps + own.naks) / (double)out.sent.value;
    const bool elsewhere = count > 0 && deficits[0].lost > 2 * noise;
    return elsewhere || least > 2 * noise ? cleared : 1;
}

/* Senders received NAKs, and no receiver here counted the gaps: it is one of the hosts without
 * counters, and its cable may lose the frames. */
static void suspect_unknown(struct triage_work *work, struct losses all)
{
    size_t unknown = 0;
    for (size_t i = 0; i < work->node_count; i++)
        unknown += !work->nodes[i].is_switch && !work->nodes[i].has_counts;
    if (all.naks < TRIAGE_NOISE || all.gaps >= TRIAGE_NOISE || unknown == 0)
        return;
    for (size_t i = 0; i < work->node_count; i++) {
        const int port = first_wired(work, (int)i);
        if (work->nodes[i].is_switch || work->nodes[i].has_counts || port < 0)
            continue;
        triage_sign(
            work, triage_suspect(work, SUSPECT_SILENT_LOSS, (int)i, port, unknown == 1 ? 0.8 : 0.5),
            (struct triage_value){0},
            "hosts received NAKs for %s lost packets, but no host with counters reports "
            "gaps in received packets, and %s has no counters here",
            triage_frames(work->arena, all.naks), work->nodes[i].name);
    }
}

static struct losses all_losses(const struct triage_work *work)
{
    struct losses all = {0};
    for (size_t i = 0; i < work->node_count; i++) {
        const struct losses one = losses_of(work, (int)i);
        all.gaps += one.gaps;
        all.naks += one.naks;
        all.timeouts += one.timeouts;
    }
    return all;
}

void triage_count_losses(struct triage_work *work)
{
    const struct losses all = all_losses(work);
    work->lost_frames = all.gaps + all.naks;
}

void triage_loss_signs(struct triage_work *work)
{
    const struct losses all = all_losses(work);
    if (work->lost_frames + all.timeouts < TRIAGE_NOISE ||
        counted_losses(work) * 2 > work->lost_frames + all.timeouts)
        return;
    double noise;
    struct deficit *deficits = arena_array(work->arena, work->port_count + 1, sizeof *deficits);
    const size_t count = find_deficits(work, deficits, &noise);
    for (size_t i = 0; i < work->node_count; i++)
        if (!work->nodes[i].is_switch)
            suspect_cable_of(work, (int)i, losses_of(work, (int)i), all,
                             cable_factor(work, (int)i, deficits, count, noise));
    suspect_unknown(work, all);
    suspect_deficits(work, deficits, count, noise);
}
