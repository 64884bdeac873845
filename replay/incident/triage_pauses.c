/* SPDX-License-Identifier: Apache-2.0
 * triage_pauses - who pauses whom, and where pauses begin.
 * A host that pauses does so for reasons of its own.  A switch pauses because a port of it cannot
 * send: that port is paused, and the pauses go on to the device that sent these, or it is full, and
 * they end there.  The share of pauses that a switch passes on grows with those that it receives;
 * one pause received explains PASSED_ON that it sends to others. */
#include "replay/incident/triage_private.h"

#include <stdlib.h>

enum { PASSED_ON = 10, ROUNDS = 32 };

/* Pauses below this share of all do not make a suspect. */
static const double least_share = 0.01;

/* A host that pauses at all is odd, a switch that does is not: so much it explains at least, where
 * it does for this part of the time. */
static const double host_share = 0.4, host_time = 0.01;

struct roots {
    double *weight, *own, *next; /* by node */
    double *beyond;              /* by port of a switch: of an unknown neighbor */
    double total;
};

static struct triage_value pauses_of(const struct triage_work *work, int node, bool sent)
{
    struct triage_value sum = {0};
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++) {
        const struct triage_value one = triage_pauses(work, at->ports[i], sent, TRIAGE_ALL);
        sum.value += one.value;
        sum.more += one.more;
    }
    return sum;
}

/* ---- along the cables ---- */

static int by_frames(const void *a, const void *b)
{
    const struct triage_pause *x = a, *y = b;
    return (y->frames > x->frames) - (y->frames < x->frames);
}

/* One end counts pauses that the other end does not. */
static void compare_ends(struct triage_work *work, int port, struct triage_value sent,
                         struct triage_value received)
{
    const int64_t more = sent.value > received.value ? sent.value : received.value,
                  less = sent.value > received.value ? received.value : sent.value;
    if (!sent.known || !received.known || more < 100 || less * 2 > more)
        return;
    const struct triage_value *most = sent.value > received.value ? &sent : &received;
    triage_contradiction(work, most->count->samples[most->count->sample_count - 1].place,
                         "%s sent %s pauses, %s received %s", triage_port_words(work, port),
                         triage_frames(work->arena, sent.value),
                         triage_port_words(work, work->ports[port].peer),
                         triage_frames(work->arena, received.value));
}

/* Pauses of a neighbor that is not known. */
static void list_unknown(struct triage_work *work, int port)
{
    struct triage *triage = work->triage;
    const struct triage_value received = triage_own_pauses(work, port, false, TRIAGE_ALL);
    if (work->ports[port].peer != TRIAGE_NO_PORT || received.value < TRIAGE_NOISE)
        return;
    struct triage_pause *slot = arena_push(work->arena, (void **)(void *)&triage->pauses,
                                           &triage->pause_count, sizeof *slot);
    *slot = (struct triage_pause){.to = work->nodes[work->ports[port].node].name,
                                  .to_port = work->ports[port].name,
                                  .frames = received.value,
                                  .is_received_known = true};
}

static void list_pauses(struct triage_work *work)
{
    struct triage *triage = work->triage;
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        const struct triage_value sent = triage_own_pauses(work, (int)i, true, TRIAGE_ALL);
        const struct triage_value received =
            peer < 0 ? (struct triage_value){0} : triage_own_pauses(work, peer, false, TRIAGE_ALL);
        const int64_t frames = sent.known ? sent.value : received.value;
        compare_ends(work, (int)i, sent, received);
        list_unknown(work, (int)i);
        if (frames < TRIAGE_NOISE)
            continue;
        struct triage_pause *slot = arena_push(work->arena, (void **)(void *)&triage->pauses,
                                               &triage->pause_count, sizeof *slot);
        *slot =
            (struct triage_pause){.from = work->nodes[work->ports[i].node].name,
                                  .from_port = work->ports[i].name,
                                  .to = peer < 0 ? NULL : work->nodes[work->ports[peer].node].name,
                                  .to_port = peer < 0 ? NULL : work->ports[peer].name,
                                  .frames = frames,
                                  .is_sent_known = sent.known,
                                  .is_received_known = received.known};
    }
    if (triage->pause_count > 1)
        qsort(triage->pauses, triage->pause_count, sizeof *triage->pauses, by_frames);
}

/* ---- roots ---- */

/* Passes a switch's weight to those that pause it. */
static void pass_on(const struct triage_work *work, struct roots *roots, int node)
{
    const struct triage_node *at = &work->nodes[node];
    const double weight = roots->weight[node];
    const double sent = (double)pauses_of(work, node, true).more,
                 received = (double)pauses_of(work, node, false).more;
    const double passed =
        at->is_switch && received >= TRIAGE_NOISE ? received / (received + sent / PASSED_ON) : 0;
    double left = weight;
    for (size_t i = 0; i < at->port_count && passed > 0; i++) {
        const int port = at->ports[i], peer = work->ports[port].peer;
        const double part =
            (double)triage_pauses(work, port, false, TRIAGE_ALL).more / received * passed * weight;
        if (part <= 0)
            continue;
        if (peer == TRIAGE_NO_PORT)
            roots->beyond[port] += part;
        else
            roots->next[work->ports[peer].node] += part;
        left -= part;
    }
    roots->own[node] += left;
}

static void find_roots(const struct triage_work *work, struct roots *roots)
{
    const size_t nodes = work->node_count + 1;
    roots->weight = arena_array(work->arena, nodes, sizeof *roots->weight);
    roots->own = arena_array(work->arena, nodes, sizeof *roots->own);
    for (size_t i = 0; i < work->node_count; i++) {
        roots->weight[i] = (double)pauses_of(work, (int)i, true).more;
        roots->total += roots->weight[i];
    }
    roots->beyond = arena_array(work->arena, work->port_count + 1, sizeof *roots->beyond);
    for (size_t i = 0; i < work->port_count; i++) {
        const struct triage_port *at = &work->ports[i];
        if (at->peer != TRIAGE_NO_PORT || !work->nodes[at->node].is_switch)
            continue;
        roots->beyond[i] = (double)triage_own_pauses(work, (int)i, false, TRIAGE_ALL).more;
        roots->total += roots->beyond[i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        roots->next = arena_array(work->arena, nodes, sizeof *roots->next);
        for (size_t i = 0; i < work->node_count; i++)
            if (roots->weight[i] > 0)
                pass_on(work, roots, (int)i);
        roots->weight = roots->next;
    }
}

/* ---- suspects ---- */

/* The part of the time for which a host paused its switches, by its own counters; 0: not known. */
static double time_paused(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    int64_t most = 0;
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i];
        const int64_t time = triage_sum(work, port, "tx_prio%d_pause_duration").value +
                             triage_get(work, port, "tx_global_pause_duration", TRIAGE_ALL).value;
        most = time > most ? time : most;
    }
    const double seconds = (double)work->triage->seconds;
    return seconds > 0 ? (double)most / 1e6 / seconds : 0;
}

static void suspect_host(struct triage_work *work, int node, double share)
{
    struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i], peer = work->ports[port].peer;
        const struct triage_value sent = triage_own_pauses(work, port, true, TRIAGE_ALL);
        const struct triage_value heard =
            peer < 0 ? (struct triage_value){0} : triage_own_pauses(work, peer, false, TRIAGE_ALL);
        if (sent.value < TRIAGE_NOISE && heard.value < TRIAGE_NOISE)
            continue;
        struct triage_suspect *suspect =
            triage_suspect(work, SUSPECT_HOST_PAUSES, node, TRIAGE_NO_PORT, share);
        if (sent.known)
            triage_sign(work, suspect, sent, "%s sent %s pauses", triage_port_words(work, port),
                        triage_frames(work->arena, sent.value));
        else
            triage_against(work, suspect, heard,
                           "%s has no counters here: what it received is "
                           "unknown",
                           at->name);
        if (heard.known && heard.value >= TRIAGE_NOISE)
            triage_sign(work, suspect, heard, "%s received %s pauses from %s",
                        triage_port_words(work, peer), triage_frames(work->arena, heard.value),
                        at->name);
        const struct triage_value paused = triage_pauses(work, port, false, TRIAGE_ALL);
        if (paused.known && paused.value > 0)
            triage_against(work, suspect, paused, "%s received %s pauses itself",
                           triage_port_words(work, port), triage_frames(work->arena, paused.value));
    }
}

static void suspect_switch(struct triage_work *work, int node, double share)
{
    triage_suspect_full(work, node, TRIAGE_NO_PORT, share);
    triage_sign(work, &work->triage->suspects[work->triage->suspect_count - 1],
                pauses_of(work, node, true), "%s sent %s pauses and received %s",
                work->nodes[node].name,
                triage_frames(work->arena, pauses_of(work, node, true).value),
                triage_frames(work->arena, pauses_of(work, node, false).value));
}

/* Where no cable is known, the port is all that can be named. */
static void suspect_beyond(struct triage_work *work, const struct roots *roots)
{
    for (size_t i = 0; i < work->port_count; i++) {
        const double share = roots->beyond[i] / roots->total;
        const struct triage_value received = triage_own_pauses(work, (int)i, false, TRIAGE_ALL);
        if (share < least_share || received.value < TRIAGE_NOISE)
            continue;
        triage_sign(
            work, triage_suspect(work, SUSPECT_NEIGHBOR_PAUSES, work->ports[i].node, (int)i, share),
            received, "%s received %s pauses from an unknown device",
            triage_port_words(work, (int)i), triage_frames(work->arena, received.value));
    }
}

void triage_pause_signs(struct triage_work *work)
{
    struct roots roots = {0};
    double turning = 0;
    list_pauses(work);
    find_roots(work, &roots);
    if (roots.total < TRIAGE_NOISE)
        return;
    suspect_beyond(work, &roots);
    for (size_t i = 0; i < work->node_count; i++) {
        const double share = roots.own[i] / roots.total;
        const double time = time_paused(work, (int)i);
        turning += roots.weight[i] / roots.total;
        if (share < least_share && time < host_time)
            continue;
        if (work->nodes[i].is_switch)
            suspect_switch(work, (int)i, share);
        else
            suspect_host(work, (int)i,
                         host_share + (1 - host_share) * (share > time ? share : time));
    }
    for (size_t i = 0; i < work->node_count && turning > 0.2; i++)
        if (roots.weight[i] / roots.total > 0.1)
            triage_sign(work,
                        triage_suspect(work, SUSPECT_PAUSE_CYCLE, (int)i, TRIAGE_NO_PORT, turning),
                        (struct triage_value){0}, "the pauses that %s receives lead back to it",
                        work->nodes[i].name);
}
