/* SPDX-License-Identifier: Apache-2.0
 * triage_load - full ports: overload, or a link that is slower than its peers.
 * A port is full where its switch pauses others for it, or where it marks. */
#include "replay/incident/triage_private.h"

#include <string.h>

static const double busy = 0.5;         /* of its rate, on average: a slow link matters */
static const double least_fallen = 0.1; /* of the bytes before; less is chance */
/* More traffic than before makes no port send less, and a port that is not busy is full in bursts
 * alone. */
static const double fallen_part = 0.6;
static const double slow_part = 0.34; /* of the bytes of the busiest peer */

struct triage_value triage_sent_bytes(const struct triage_work *work, int port)
{
    const int peer = work->ports[port].peer;
    struct triage_value bytes = triage_get(work, port, "tx_bytes_phy", TRIAGE_ALL);
    if (!bytes.known)
        bytes = triage_sum(work, port, "tx_prio%d_bytes");
    if (!bytes.known && peer >= 0)
        bytes = triage_get(work, peer, "rx_bytes_phy", TRIAGE_ALL);
    if (!bytes.known && peer >= 0)
        bytes = triage_sum(work, peer, "rx_prio%d_bytes");
    return bytes;
}

bool triage_is_full(const struct triage_work *work, int port)
{
    const double load = triage_load(work, port);
    return !triage_sends_less(work, port) && (load <= 0 || load >= busy);
}

bool triage_sends_less(const struct triage_work *work, int port)
{
    struct triage_rates rates;
    return triage_rates(&work->change, triage_sent_bytes(work, port).count, &rates) &&
           rates.during < (1 - least_fallen) * rates.before;
}

static bool is_alike(const struct triage_work *work, int a, int b)
{
    const struct triage_port *x = &work->ports[a], *y = &work->ports[b];
    if (a == b || x->peer < 0 || y->peer < 0 || b == x->peer)
        return false;
    return work->nodes[x->node].is_switch == work->nodes[y->node].is_switch &&
           work->nodes[work->ports[x->peer].node].is_switch ==
               work->nodes[work->ports[y->peer].node].is_switch;
}

int64_t triage_peer_rate(const struct triage_work *work, int port)
{
    int64_t best = 0;
    for (size_t i = 0; i < work->port_count; i++)
        if (is_alike(work, port, (int)i) && work->ports[i].rate > best)
            best = work->ports[i].rate;
    return best;
}

double triage_load(const struct triage_work *work, int port)
{
    const struct triage_value bytes = triage_sent_bytes(work, port);
    const double rate = (double)work->ports[port].rate, seconds = (double)work->triage->seconds;
    return rate > 0 && seconds > 0 ? (double)bytes.value * 8 / rate / seconds : 0;
}

/* Whether the port is marked or paused for, and yet sends far less than the busiest of its kind,
 * while nothing pauses it: where rates are not known, that is what a slow link looks like. */
static bool sends_little(const struct triage_work *work, int port)
{
    double most = 0;
    if (work->ports[port].rate > 0 ||
        triage_pauses(work, port, false, TRIAGE_ALL).value >= TRIAGE_NOISE)
        return false;
    for (size_t i = 0; i < work->port_count; i++) {
        const double bytes = (double)triage_sent_bytes(work, (int)i).value;
        if (is_alike(work, port, (int)i) && bytes > most)
            most = bytes;
    }
    return most > 0 && (double)triage_sent_bytes(work, port).value < slow_part * most;
}

static int64_t marks_of(const struct triage_work *work, int port)
{
    return triage_sum(work, port, "tx_prio%d_ecn_marked").more;
}

/* The port that cannot send enough: that which marks most, else the fullest that is not paused. */
static int fullest_port(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    int best = TRIAGE_NO_PORT;
    double most = 0;
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i];
        double load = triage_load(work, port);
        load = load > 0 ? load : (double)triage_sent_bytes(work, port).value * 1e-15;
        load += (double)marks_of(work, port);
        if (load > most) {
            most = load;
            best = port;
        }
    }
    return best;
}

static void sign_load(struct triage_work *work, struct triage_suspect *suspect, int port)
{
    const struct triage_value bytes = triage_sent_bytes(work, port);
    const double load = triage_load(work, port);
    const double rate = (double)work->ports[port].rate;
    if (bytes.known && load > 0)
        triage_sign(work, suspect, triage_place(bytes),
                    "%s sent %.0f%% of its %.0f Gb/s on average", triage_port_words(work, port),
                    load * 100, rate / 1e9);
    else if (bytes.known)
        triage_sign(work, suspect, triage_place(bytes), "%s sent %s bytes",
                    triage_port_words(work, port), triage_frames(work->arena, bytes.value));
    const struct triage_value marks = triage_sum(work, port, "tx_prio%d_ecn_marked");
    if (marks.value >= TRIAGE_NOISE)
        triage_sign(work, suspect, marks, "%s marked %s frames", triage_port_words(work, port),
                    triage_frames(work->arena, marks.value));
}

void triage_suspect_full(struct triage_work *work, int node, int port, double share)
{
    port = port == TRIAGE_NO_PORT ? fullest_port(work, node) : port;
    const int64_t rate = port < 0 ? 0 : work->ports[port].rate;
    const int64_t usual = port < 0 ? 0 : triage_peer_rate(work, port);
    const bool is_slow = rate > 0 && usual >= 2 * rate,
               is_little = port >= 0 && sends_little(work, port);
    const bool is_less = !is_slow && port >= 0 && triage_sends_less(work, port);
    const double load = port < 0 ? 0 : triage_load(work, port);
    share *= is_less || (load > 0 && load < busy) ? fallen_part : 1;
    struct triage_suspect *suspect =
        triage_suspect(work, is_slow || is_little ? SUSPECT_SLOW_LINK : SUSPECT_OVERLOAD, node,
                       port, is_little ? 0.6 * share : share);
    if (port < 0)
        return;
    sign_load(work, suspect, port);
    if (is_less)
        triage_against(work, suspect, (struct triage_value){0}, "%s sends less than before",
                       triage_port_words(work, port));
    if (is_slow)
        triage_sign(work, suspect, (struct triage_value){0},
                    "%s runs at %.0f Gb/s, its peers at %.0f Gb/s", triage_port_words(work, port),
                    (double)rate / 1e9, (double)usual / 1e9);
    if (is_little)
        triage_sign(work, suspect, (struct triage_value){0},
                    "frames wait for this port although similar ports send several times as "
                    "much and no pause stops it");
}

void triage_load_signs(struct triage_work *work)
{
    double marks = 0;
    for (size_t i = 0; i < work->port_count; i++)
        marks += (double)marks_of(work, (int)i);
    for (size_t i = 0; i < work->port_count; i++) {
        const int port = (int)i, node = work->ports[i].node;
        const bool slow =
            work->ports[i].rate > 0 && triage_peer_rate(work, port) >= 2 * work->ports[i].rate;
        const double share = marks > 0 ? (double)marks_of(work, port) / marks : 0;
        if (marks_of(work, port) >= TRIAGE_NOISE && share > 0.1)
            triage_suspect_full(work, node, port, share);
        else if (slow && triage_load(work, port) > busy)
            triage_suspect_full(work, node, port, 1);
    }
}
