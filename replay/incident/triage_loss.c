/* SPDX-License-Identifier: Apache-2.0
 * triage_loss - frames that are lost and that no device counts.
 * Receivers count gaps (out_of_sequence, implied_nak_seq_err of read responses; of TCP segments
 * TcpExtTCPOFOQueue), senders the NAKs for what they sent (packet_seq_err) and what TCP sent again
 * (TcpRetransSegs).  A host that nearly all gaps or nearly all NAKs belong to
 * has the loss on its own cable; else it lies where frames that one end of a cable sent do not
 * arrive at the other.  Only the inner part of the incident is compared, where rates are steady and
 * clocks that differ matter little, and of its loss only what no difference of clocks explains. */
#include "replay/incident/triage_private.h"

#include <stdlib.h>

static const double least_loss = 0.0015; /* of frames along a cable */
static const double clocks = 2.5;        /* seconds by which two clocks differ */
static const double cleared = 0.3;
static const double roughly = 4;      /* as many, where cables and hosts count the same frames */
static const double own_share = 0.75; /* of gaps or NAKs: the loss is on the host's cable */

enum { LEAST_FRAMES = 1000, CLOCK_STEPS = 50 };

struct losses {
    int64_t gaps, naks, timeouts;
};

/* What a port's RDMA and TCP count of the same. */
static struct triage_value both(const struct triage_work *work, int port, const char *rdma,
                                const char *tcp)
{
    const struct triage_value one = triage_get(work, port, rdma, TRIAGE_ALL),
                              two = triage_get(work, port, tcp, TRIAGE_ALL);
    struct triage_value sum = one.value >= two.value && one.known ? one : two;
    sum.known = one.known || two.known;
    sum.value = one.value > INT64_MAX - two.value ? INT64_MAX : one.value + two.value;
    sum.more = one.more > INT64_MAX - two.more ? INT64_MAX : one.more + two.more;
    return sum;
}

static struct triage_value gaps_at(const struct triage_work *work, int port)
{
    return both(work, port, "out_of_sequence", "TcpExtTCPOFOQueue");
}

static struct triage_value naks_at(const struct triage_work *work, int port)
{
    return both(work, port, "packet_seq_err", "TcpRetransSegs");
}

static struct triage_value timeouts_at(const struct triage_work *work, int port)
{
    return both(work, port, "local_ack_timeout_err", "TcpExtTCPTimeouts");
}

static struct losses losses_of(const struct triage_work *work, int node)
{
    struct losses losses = {0};
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i];
        losses.gaps += gaps_at(work, port).more +
                       triage_get(work, port, "implied_nak_seq_err", TRIAGE_ALL).more;
        losses.naks += naks_at(work, port).more;
        losses.timeouts += timeouts_at(work, port).more;
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
        triage_sign(work, suspect, gaps_at(work, port),
                    "%s has %.0f%% of all gaps in received packets: %s", work->nodes[node].name,
                    gaps * 100, triage_frames(work->arena, own.gaps));
    if (naks >= own_share && own.naks >= TRIAGE_NOISE)
        triage_sign(work, suspect, naks_at(work, port),
                    "%s has %.0f%% of all NAKs and retransmissions for lost packets: %s",
                    work->nodes[node].name, naks * 100, triage_frames(work->arena, own.naks));
    if (timeouts >= own_share && own.timeouts > 0)
        triage_sign(work, suspect, timeouts_at(work, port), "%s has %.0f%% of all timeouts: %s",
                    work->nodes[node].name, timeouts * 100,
                    triage_frames(work->arena, own.timeouts));
}

/* ---- frames along a cable ---- */

/* Frames in the incident in one direction: sent at one end, and that did not arrive. */
struct direction {
    struct triage_value sent, received;
    double frames, arrived;
    double turn; /* frames per second at its end more than at its beginning */
};

struct deficit {
    int port;            /* of the sender that loses more */
    double lost, frames; /* at least, in both directions */
    struct direction way;
    double agreement; /* with the losses that hosts counted, 0 to 1 */
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

/* Frames in the incident, of a port whose samples are dense enough; else in all of the time. */
static double in_incident(const struct triage_work *work, const struct triage_value *frames)
{
    uint32_t from, to;
    if (!work->change.found || frames->count->sample_count < 3)
        return (double)frames->value;
    triage_inner(&work->change, &from, &to);
    return triage_moved(&work->change, frames->count, from, to);
}

/* A clock that is late counts less of the rate at the beginning, and more of that at the end. */
static double turn_of(const struct triage_work *work, const struct incident_count *count)
{
    const struct triage_change *change = &work->change;
    uint32_t from, to;
    if (!change->found || count->sample_count < 3)
        return 0;
    triage_inner(change, &from, &to);
    const uint32_t first = from > 0 ? from - 1 : 0,
                   last = to < change->bins ? to + 1 : change->bins;
    const double begins = triage_moved(change, count, first, from + 1) / (from + 1 - first),
                 ends = triage_moved(change, count, to - 1, last) / (last + 1 - to);
    return (ends - begins) / change->step;
}

static bool read_direction(const struct triage_work *work, int port, struct direction *way)
{
    const int peer = work->ports[port].peer;
    *way = (struct direction){.sent = frames_of(work, port, true)};
    if (peer < 0 || !way->sent.known || way->sent.value < LEAST_FRAMES)
        return false;
    way->received = frames_of(work, peer, false);
    if (!way->received.known)
        return false;
    way->frames = in_incident(work, &way->sent);
    way->arrived = in_incident(work, &way->received);
    way->turn = turn_of(work, way->sent.count);
    return true;
}

/* What the directions lose at least if the receiver's clock of the first one is late by that. */
static double lost_if_late(const struct direction ways[2], double seconds)
{
    const double out = ways[0].frames - ways[0].arrived + seconds * ways[0].turn,
                 back = ways[1].frames - ways[1].arrived - seconds * ways[1].turn;
    return (out > 0 ? out : 0) + (back > 0 ? back : 0);
}

/* Both directions have the same clocks: the least loss at the difference that explains most. */
static double least_lost(const struct direction ways[2])
{
    double least = lost_if_late(ways, 0);
    for (int i = -CLOCK_STEPS; i <= CLOCK_STEPS; i++) {
        const double lost = lost_if_late(ways, clocks * i / CLOCK_STEPS);
        least = lost < least ? lost : least;
    }
    return least;
}

static bool read_loss(const struct triage_work *work, int port, struct deficit *deficit)
{
    struct direction ways[2] = {{.frames = 0}};
    const int peer = work->ports[port].peer;
    *deficit = (struct deficit){.port = port};
    if (!read_direction(work, port, &ways[0]))
        return false;
    read_direction(work, peer, &ways[1]);
    const bool back = ways[1].frames - ways[1].arrived > ways[0].frames - ways[0].arrived;
    deficit->port = back ? peer : port;
    deficit->way = ways[back];
    deficit->frames = ways[0].frames + ways[1].frames;
    deficit->lost = least_lost(ways);
    return true;
}

/* More than what is left of clocks and of counters that are not read at once. */
static bool is_lossy(const struct deficit *deficit)
{
    return deficit->lost >= TRIAGE_NOISE && deficit->lost > least_loss * deficit->frames;
}

/* Of each cable that loses frames once. */
static size_t find_deficits(const struct triage_work *work, struct deficit *deficits)
{
    size_t count = 0;
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        const bool again = peer >= 0 && peer < (int)i && read_loss(work, peer, &deficits[count]);
        count += !again && read_loss(work, (int)i, &deficits[count]) && is_lossy(&deficits[count]);
    }
    if (count > 1)
        qsort(deficits, count, sizeof *deficits, by_lost);
    return count;
}

/* How well frames that a cable lost agree with the losses that hosts counted: each lost frame is
 * about one of them.  Frames that no host missed are an error of the counts. */
static double agreement(double lost, double counted)
{
    const double part = lost < counted ? lost / counted : counted / lost;
    return part > 1 / roughly ? 1 : part * roughly;
}

/* A frame may be a gap at its receiver and a NAK at its sender. */
static double counted_by(struct losses losses)
{
    const int64_t counted = losses.gaps > losses.naks ? losses.gaps : losses.naks;
    return (double)(counted + losses.timeouts);
}

/* What a cable loses on the way to a host, this host counts as gaps; what another cable loses, any
 * host.  Lost responses to READs are counted by their receivers alone. */
static void agree(const struct triage_work *work, struct deficit *deficits, size_t count,
                  struct losses all)
{
    for (size_t i = 0; i < count; i++) {
        struct deficit *deficit = &deficits[i];
        struct losses losses = all;
        const int receiver = work->ports[work->ports[deficit->port].peer].node;
        if (!work->nodes[receiver].is_switch && work->nodes[receiver].has_counts)
            losses = losses_of(work, receiver);
        deficit->agreement = agreement(deficit->lost, counted_by(losses));
    }
}

static void suspect_deficits(struct triage_work *work, const struct deficit *deficits, size_t count)
{
    for (size_t i = 0; i < count && i < 4; i++) {
        const struct direction *way = &deficits[i].way;
        const int port = deficits[i].port;
        struct triage_suspect *suspect = triage_suspect(
            work, SUSPECT_SILENT_LOSS, work->ports[port].node, port, deficits[i].agreement);
        triage_sign(work, suspect, triage_place(way->sent), "%s sent %s frames",
                    triage_port_words(work, port),
                    triage_frames(work->arena, (int64_t)way->frames));
        triage_sign(work, suspect, triage_place(way->received), "%s received %s, %.1f%% fewer",
                    triage_port_words(work, work->ports[port].peer),
                    triage_frames(work->arena, (int64_t)way->arrived),
                    (1 - way->arrived / way->frames) * 100);
    }
}

/* 1, or less where both ends of the host's cable agree: on more frames than it lost, or while
 * another cable loses frames.  Where several cables seem to lose frames, the host's own counts as
 * the part that it lost of the most. */
static double cable_factor(const struct triage_work *work, int node, const struct deficit *deficits,
                           size_t lossy)
{
    struct deficit own;
    const int port = first_wired(work, node);
    if (port < 0 || !read_loss(work, port, &own))
        return 1;
    double most = 0;
    for (size_t i = 0; i < lossy; i++)
        if (deficits[i].lost * deficits[i].agreement > most)
            most = deficits[i].lost * deficits[i].agreement;
    if (is_lossy(&own))
        return own.lost < most ? own.lost / most : 1;
    const struct losses all = losses_of(work, node);
    const double least = (double)(all.gaps + all.naks + all.timeouts);
    return lossy > 0 || least > 2 * least_loss * own.frames ? cleared : 1;
}

/* Senders received NAKs, and no receiver here counted the gaps, or receivers counted gaps, and no
 * sender here received the NAKs: the other end is one of the hosts without counters, and its cable
 * may lose the frames. */
static void suspect_unknown(struct triage_work *work, struct losses all, size_t lossy)
{
    size_t unknown = 0;
    for (size_t i = 0; i < work->node_count; i++)
        unknown += !work->nodes[i].is_switch && !work->nodes[i].has_counts;
    if ((all.naks < TRIAGE_NOISE) == (all.gaps < TRIAGE_NOISE) || unknown == 0)
        return;
    const bool has_naks = all.naks >= TRIAGE_NOISE;
    const char *lost = triage_frames(work->arena, has_naks ? all.naks : all.gaps);
    for (size_t i = 0; i < work->node_count; i++) {
        const int port = first_wired(work, (int)i);
        if (work->nodes[i].is_switch || work->nodes[i].has_counts || port < 0)
            continue;
        struct triage_suspect *suspect =
            triage_suspect(work, SUSPECT_SILENT_LOSS, (int)i, port,
                           (unknown == 1 ? 0.8 : 0.5) * (lossy > 0 ? cleared : 1));
        if (has_naks)
            triage_sign(work, suspect, (struct triage_value){0},
                        "hosts received NAKs for %s lost packets, but no host with counters "
                        "reports gaps in received packets, and %s has no counters here",
                        lost, work->nodes[i].name);
        else
            triage_sign(work, suspect, (struct triage_value){0},
                        "hosts report %s gaps in received packets, but no host with counters "
                        "received NAKs for them, and %s has no counters here",
                        lost, work->nodes[i].name);
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
    struct deficit *deficits = arena_array(work->arena, work->port_count + 1, sizeof *deficits);
    const size_t count = find_deficits(work, deficits);
    agree(work, deficits, count, all);
    for (size_t i = 0; i < work->node_count; i++)
        if (!work->nodes[i].is_switch)
            suspect_cable_of(work, (int)i, losses_of(work, (int)i), all,
                             cable_factor(work, (int)i, deficits, count));
    suspect_unknown(work, all, count);
    suspect_deficits(work, deficits, count);
}
