/* SPDX-License-Identifier: Apache-2.0
 * triage_drops - frames that a switch or a host had no room for, and why: a class without pauses, a
 * port without PFC, a neighbor that sends on, or too little headroom. */
#include "base/plural.h"
#include "replay/incident/triage_private.h"

#include <stdio.h>

/* Frames of that priority that the port's switch had no room for. */
static struct triage_value drops_of(const struct triage_work *work, int port, int priority)
{
    char name[64];
    snprintf(name, sizeof name, "rx_prio%d_buffer_dropped", priority);
    return triage_get(work, port, name, priority);
}

static const double sender_part = 0.75; /* of a sender whose neighbor may also be the reason */

static bool pauses_anywhere(const struct triage_work *work, int priority)
{
    for (size_t i = 0; i < work->port_count; i++)
        if (triage_own_pauses(work, (int)i, true, priority).value >= TRIAGE_NOISE ||
            triage_own_pauses(work, (int)i, false, priority).value >= TRIAGE_NOISE)
            return true;
    return false;
}

static bool device_pauses(const struct triage_work *work, int node, int priority)
{
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++)
        if (triage_pauses(work, at->ports[i], true, priority).value >= TRIAGE_NOISE)
            return true;
    return false;
}

static bool any_pauses(const struct triage_work *work)
{
    for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++)
        if (pauses_anywhere(work, priority))
            return true;
    return false;
}

struct drop {
    int port, priority;
    struct triage_value frames;
    double share; /* of all drops */
};

/* The port sent no pauses although frames of the priority were dropped at it. */
static void suspect_unpaused(struct triage_work *work, const struct drop *drop)
{
    const int node = work->ports[drop->port].node, peer = work->ports[drop->port].peer;
    enum suspect_kind kind = SUSPECT_NO_PFC;
    int at = node, port = drop->port;
    if (!pauses_anywhere(work, drop->priority) && any_pauses(work) && peer >= 0) {
        kind = SUSPECT_WRONG_CLASS;
        at = work->ports[peer].node;
        port = work->nodes[at].is_switch ? peer : TRIAGE_NO_PORT;
    } else if (!device_pauses(work, node, drop->priority)) {
        port = TRIAGE_NO_PORT;
    }
    struct triage_suspect *suspect = triage_suspect(work, kind, at, port, drop->share);
    triage_sign(work, suspect, drop->frames,
                "%s dropped %s frames of priority %d and did not pause it",
                triage_port_words(work, drop->port), triage_frames(work->arena, drop->frames.value),
                drop->priority);
}

/* The only port of a switch that drops although others pause, too: its neighbor sends on. */
static bool is_alone(const struct triage_work *work, const struct drop *drop)
{
    const struct triage_node *at = &work->nodes[work->ports[drop->port].node];
    int pausing = 0;
    double all = 0;
    for (size_t i = 0; i < at->port_count; i++) {
        pausing += triage_pauses(work, at->ports[i], true, drop->priority).value >= TRIAGE_NOISE;
        all += (double)drops_of(work, at->ports[i], drop->priority).more;
    }
    return pausing >= 2 && (double)drop->frames.more > 0.9 * all;
}

/* Ports of the switch at which frames of the priority were dropped. */
static int dropping_ports(const struct triage_work *work, const struct drop *drop)
{
    const struct triage_node *at = &work->nodes[work->ports[drop->port].node];
    int count = 0;
    for (size_t i = 0; i < at->port_count; i++)
        count += drops_of(work, at->ports[i], drop->priority).value >= TRIAGE_NOISE;
    return count;
}

static void suspect_paused(struct triage_work *work, const struct drop *drop)
{
    const int node = work->ports[drop->port].node, peer = work->ports[drop->port].peer;
    const struct triage_value sent = triage_own_pauses(work, drop->port, true, drop->priority);
    const struct triage_value heard =
        peer < 0 ? (struct triage_value){0} : triage_own_pauses(work, peer, false, drop->priority);
    const bool unheard = sent.known && heard.known && heard.value * 10 < sent.value;
    /* Too little headroom loses a few frames for each pause, and at every port that pauses; one
     * neighbor that sends on, many. */
    const bool many =
        sent.known && drop->frames.value > 2 * sent.value && dropping_ports(work, drop) == 1;
    const bool ignored = peer >= 0 && (unheard || many || is_alone(work, drop));
    struct triage_suspect *suspect =
        ignored
            ? triage_suspect(work, SUSPECT_PAUSE_IGNORED, work->ports[peer].node, peer, drop->share)
            : triage_suspect(work, SUSPECT_HEADROOM, node, TRIAGE_NO_PORT, drop->share);
    triage_sign(work, suspect, drop->frames, "%s dropped %s frames of priority %d",
                triage_port_words(work, drop->port), triage_frames(work->arena, drop->frames.value),
                drop->priority);
    if (sent.known)
        triage_sign(work, suspect, sent, "%s sent %s pause frames of priority %d",
                    triage_port_words(work, drop->port), triage_frames(work->arena, sent.value),
                    drop->priority);
    if (ignored && !unheard && !many)
        triage_sign(work, suspect, (struct triage_value){0},
                    "other ports of %s send pauses and do not drop frames", work->nodes[node].name);
    if (unheard)
        triage_sign(work, suspect, heard, "%s received only %s of these pauses",
                    triage_port_words(work, peer), triage_frames(work->arena, heard.value));
}

static void suspect_drops(struct triage_work *work)
{
    double total = 0;
    for (size_t i = 0; i < work->port_count; i++)
        total += (double)triage_sum(work, (int)i, "rx_prio%d_buffer_dropped").more;
    for (size_t i = 0; i < work->port_count; i++)
        for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
            struct drop drop = {.port = (int)i, .priority = priority};
            drop.frames = drops_of(work, (int)i, priority);
            if (drop.frames.value < TRIAGE_NOISE || !work->nodes[work->ports[i].node].is_switch)
                continue;
            drop.share = (double)drop.frames.more / total;
            if (triage_pauses(work, (int)i, true, priority).value < TRIAGE_NOISE)
                suspect_unpaused(work, &drop);
            else
                suspect_paused(work, &drop);
        }
}

/* ---- queues ---- */

/* A class that is paused elsewhere, or whose senders see gaps, and that a switch drops like any
 * other: it does not treat the class as lossless. */
static void suspect_queues(struct triage_work *work)
{
    double total = 0;
    for (size_t i = 0; i < work->port_count; i++)
        total += (double)triage_sum(work, (int)i, "tx_prio%d_queue_dropped").more;
    for (size_t i = 0; i < work->port_count; i++)
        for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
            char name[64];
            snprintf(name, sizeof name, "tx_prio%d_queue_dropped", priority);
            const struct triage_value frames = triage_get(work, (int)i, name, priority);
            const int node = work->ports[i].node;
            if (frames.value < TRIAGE_NOISE || !work->nodes[node].is_switch ||
                (work->lost_frames < TRIAGE_NOISE && !pauses_anywhere(work, priority)))
                continue;
            struct triage_suspect *suspect = triage_suspect(
                work, SUSPECT_NO_PFC, node, TRIAGE_NO_PORT, (double)frames.more / total * 0.8);
            triage_sign(work, suspect, frames, "%s dropped %s frames of priority %d from its queue",
                        triage_port_words(work, (int)i), triage_frames(work->arena, frames.value),
                        priority);
        }
}

/* ---- classes ---- */

/* A host that is paused in one priority and sends in others only. */
static void suspect_classes(struct triage_work *work)
{
    for (size_t i = 0; i < work->port_count; i++)
        for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
            char name[64];
            const int node = work->ports[i].node;
            const struct triage_value paused = triage_pauses(work, (int)i, false, priority);
            snprintf(name, sizeof name, "tx_prio%d_packets", priority);
            const struct triage_value sent = triage_get(work, (int)i, name, priority),
                                      all = triage_sum(work, (int)i, "tx_prio%d_packets");
            if (work->nodes[node].is_switch || paused.value < TRIAGE_NOISE || !sent.known ||
                sent.value * 100 > all.value || all.value < 1000)
                continue;
            struct triage_suspect *suspect =
                triage_suspect(work, SUSPECT_WRONG_CLASS, node, TRIAGE_NO_PORT, 1);
            triage_sign(work, suspect, paused, "%s is paused on priority %d (%s pause frames)",
                        work->nodes[node].name, priority, triage_frames(work->arena, paused.value));
            triage_sign(work, suspect, sent, "%s sent %s frames of this priority, %s of others",
                        work->nodes[node].name, triage_frames(work->arena, sent.value),
                        triage_frames(work->arena, all.value - sent.value));
        }
}

/* ---- discards for other reasons: MTU, TTL, routes, filters ---- */

/* Ports of the switch that discard frames although its buffer has room, and ports from which it
 * receives frames of hosts and discards none. */
struct discards {
    int port; /* the first */
    size_t ports, clean_hosts;
};

static struct discards find_discards(const struct triage_work *work, int node)
{
    struct discards found = {.port = TRIAGE_NO_PORT};
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i], peer = work->ports[port].peer;
        if (triage_get(work, port, "rx_discards_phy", TRIAGE_ALL).value >= TRIAGE_NOISE) {
            found.port = found.ports++ == 0 ? port : found.port;
        } else if (peer >= 0 && !work->nodes[work->ports[peer].node].is_switch) {
            found.clean_hosts += triage_get(work, port, "rx_packets_phy", TRIAGE_ALL).value >= 1000;
        }
    }
    return found;
}

/* The switch of the host whose received bytes fell most; -1: of none by half. */
static int switch_of_victim(const struct triage_work *work)
{
    double least = 0.5;
    int found = -1;
    for (size_t i = 0; i < work->port_count; i++) {
        const int node = work->ports[i].node, peer = work->ports[i].peer;
        struct triage_rates rates;
        if (!work->nodes[node].is_switch || peer < 0 ||
            work->nodes[work->ports[peer].node].is_switch ||
            !triage_rates(&work->change, triage_sent_bytes(work, (int)i).count, &rates) ||
            rates.before <= 0 || rates.during >= least * rates.before)
            continue;
        least = rates.during / rates.before;
        found = node;
    }
    return found;
}

/* Where all discarded frames come over one cable, the device that sends them may be the reason: a
 * TTL or an MTU of a host, or a route of a switch.  A host is, if the frames of others pass.
 * Frames that two switches send each other until they are too old are sent the wrong way by the one
 * at which their host is, and if it is at neither, by the other one. */
static void suspect_sender(struct triage_work *work, int node)
{
    const struct discards found = find_discards(work, node);
    const int peer = found.ports == 1 ? work->ports[found.port].peer : TRIAGE_NO_PORT;
    if (peer < 0)
        return;
    const int sender = work->ports[peer].node;
    const struct triage_value frames = triage_get(work, found.port, "rx_discards_phy", TRIAGE_ALL);
    const bool is_sender =
        work->nodes[sender].is_switch ? switch_of_victim(work) == sender : found.clean_hosts >= 2;
    struct triage_suspect *suspect = triage_suspect(work, SUSPECT_DISCARDED, sender, TRIAGE_NO_PORT,
                                                    is_sender ? 1 : sender_part);
    triage_sign(
        work, suspect, frames, "%s discarded %s frames from %s, and none from other devices",
        work->nodes[node].name, triage_frames(work->arena, frames.value), work->nodes[sender].name);
}

static void suspect_discards(struct triage_work *work)
{
    for (size_t i = 0; i < work->port_count; i++) {
        const int node = work->ports[i].node;
        const struct triage_value frames = triage_get(work, (int)i, "rx_discards_phy", TRIAGE_ALL);
        const int64_t full = triage_sum(work, (int)i, "rx_prio%d_buffer_dropped").value;
        int64_t queues = 0;
        for (size_t k = 0; k < work->nodes[node].port_count; k++)
            queues += triage_sum(work, work->nodes[node].ports[k], "tx_prio%d_queue_dropped").value;
        if (!work->nodes[node].is_switch || frames.value < TRIAGE_NOISE ||
            frames.value <= 2 * (full + queues))
            continue;
        triage_sign(
            work, triage_suspect(work, SUSPECT_DISCARDS, node, TRIAGE_NO_PORT, 1), frames,
            "%s discarded %s received frames, but only %s of them because its buffer was full",
            triage_port_words(work, (int)i), triage_frames(work->arena, frames.value),
            triage_frames(work->arena, full));
        suspect_sender(work, node);
    }
}

/* ---- hosts ---- */

static void suspect_hosts(struct triage_work *work)
{
    double missed = 0;
    for (size_t i = 0; i < work->port_count; i++)
        missed += (double)triage_get(work, (int)i, "out_of_buffer", TRIAGE_ALL).more;
    for (size_t i = 0; i < work->port_count; i++) {
        const int node = work->ports[i].node;
        struct triage_value frames = triage_get(work, (int)i, "rx_discards_phy", TRIAGE_ALL);
        const struct triage_value receives = triage_get(work, (int)i, "out_of_buffer", TRIAGE_ALL);
        if (!frames.known || frames.value < TRIAGE_NOISE)
            frames = triage_get(work, (int)i, "rx_out_of_buffer", TRIAGE_ALL);
        if (work->nodes[node].is_switch)
            continue;
        if (frames.value >= TRIAGE_NOISE)
            triage_sign(work, triage_suspect(work, SUSPECT_HOST_DROPS, node, TRIAGE_NO_PORT, 1),
                        frames, "%s dropped %s frames", triage_port_words(work, (int)i),
                        triage_frames(work->arena, frames.value));
        if (receives.value >= TRIAGE_NOISE)
            triage_sign(work,
                        triage_suspect(work, SUSPECT_NO_RECEIVES, node, TRIAGE_NO_PORT,
                                       (double)receives.more / missed),
                        receives, "%s had no posted receive for %s messages",
                        triage_port_words(work, (int)i),
                        triage_frames(work->arena, receives.value));
    }
}

/* ---- watchdogs ---- */

static void suspect_storms(struct triage_work *work)
{
    for (size_t i = 0; i < work->port_count; i++)
        for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
            const struct triage_value storms = triage_get(work, (int)i, "pfcwd_storms", priority);
            const int peer = work->ports[i].peer;
            const bool is_host = peer >= 0 && !work->nodes[work->ports[peer].node].is_switch;
            if (storms.value <= 0)
                continue;
            struct triage_suspect *suspect =
                is_host ? triage_suspect(work, SUSPECT_HOST_PAUSES, work->ports[peer].node,
                                         TRIAGE_NO_PORT, 1)
                        : triage_suspect(work, SUSPECT_NEIGHBOR_PAUSES, work->ports[i].node, (int)i,
                                         peer < 0 ? 1 : 0.5);
            triage_sign(work, suspect, storms, "the watchdog of %s detected %s %s of priority %d",
                        triage_port_words(work, (int)i), triage_frames(work->arena, storms.value),
                        plural(storms.value, "storm", "storms"), priority);
        }
}

void triage_drop_signs(struct triage_work *work)
{
    suspect_drops(work);
    suspect_queues(work);
    suspect_classes(work);
    suspect_discards(work);
    suspect_hosts(work);
    suspect_storms(work);
}
