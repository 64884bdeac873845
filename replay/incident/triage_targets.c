/* SPDX-License-Identifier: Apache-2.0
 * triage_targets - messages of logs, and hosts that send less than before while nothing pauses them
 * and nothing is lost: a slow target or a slow drive leaves no other sign in counters of ports. */
#include "replay/incident/triage_private.h"

#include <string.h>

static const double explained_part = 0.3; /* how much of a fall other signs leave to explain */
static const double least_fallen = 0.1;   /* of the rate before; less is chance */
static const double initiator_part = 0.9, unknown_part = 0.95, receiver_part = 0.97;

/* Targets send and fetch data by RDMA: their hosts receive the requests, and they receive none. */
static bool receives_requests(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; i < at->port_count; i++)
        if (triage_get(work, at->ports[i], "rx_write_requests", TRIAGE_ALL).value > 0 ||
            triage_get(work, at->ports[i], "rx_read_requests", TRIAGE_ALL).value > 0)
            return true;
    return false;
}

/* `share`: 1, or less where pauses, drops or losses may be the reason. */
static void suspect_fallen(struct triage_work *work, int node, double share)
{
    const struct triage_change *change = &work->change;
    const struct triage_fall *fall = &work->falls[node];
    const double known = (fall->known[TRIAGE_SENT] ? fall->lost[TRIAGE_SENT] : 0) +
                         (fall->known[TRIAGE_RECEIVED] ? fall->lost[TRIAGE_RECEIVED] : 0),
                 expected = fall->expected[TRIAGE_SENT] + fall->expected[TRIAGE_RECEIVED],
                 part = triage_part(known, expected);
    if (part < least_fallen)
        return;
    const bool is_known = work->nodes[node].has_counts,
               is_target = is_known && !receives_requests(work, node);
    double weight = share * triage_host_likelihood(work, node) * (0.6 + 0.4 * part);
    weight *= is_target ? 1 : is_known ? initiator_part : unknown_part;
    /* A receiver that is slow pauses its switch or drops frames; a sender leaves no such sign. */
    weight *= fall->lost[TRIAGE_RECEIVED] > fall->lost[TRIAGE_SENT] ? receiver_part : 1;
    struct triage_suspect *suspect =
        triage_suspect(work, SUSPECT_SLOW_TARGET, node, TRIAGE_NO_PORT, weight);
    triage_sign(work, suspect, (struct triage_value){.known = true, .count = fall->bytes},
                "the traffic of %s fell to %.0f%% of its earlier rate", work->nodes[node].name,
                (1 - part) * 100);
    const struct incident_count *bytes = fall->bytes;
    uint32_t at = bytes->sample_count - 1;
    while (at > 1 && triage_time(change, bytes, at - 1) > triage_edge(change, change->from))
        at--;
    suspect->signs[suspect->sign_count - 1].place = bytes->samples[at].place;
    suspect->since = bytes->samples[at - 1].when.text;
    if (is_target)
        triage_sign(work, suspect, (struct triage_value){0},
                    "%s receives no RDMA requests, so it is a target", work->nodes[node].name);
}

static void suspect_logs(struct triage_work *work)
{
    const struct incident *incident = work->incident;
    for (size_t i = 0; i < incident->event_count; i++) {
        const struct incident_event *event = &incident->events[i];
        const int node = triage_find_node(work, event->host);
        enum suspect_kind kind = SUSPECT_DEVICE_LOG;
        if (node < 0)
            continue;
        if (event->kind == INCIDENT_PAUSE_STORM && !work->nodes[node].is_switch)
            kind = SUSPECT_HOST_PAUSES;
        else if (event->kind != INCIDENT_CARD && event->kind != INCIDENT_PCIE &&
                 event->kind != INCIDENT_DRIVE && event->kind != INCIDENT_STALL &&
                 event->kind != INCIDENT_TARGET_FATAL)
            continue;
        struct triage_suspect *suspect = triage_suspect(work, kind, node, TRIAGE_NO_PORT, 1);
        if (triage_sign(work, suspect, (struct triage_value){0}, "%s: %s", event->host,
                        incident_event_about(event->kind)))
            suspect->signs[suspect->sign_count - 1].place = event->place;
        if (suspect->since == NULL)
            suspect->since = event->when.text;
    }
}

/* Whether what the suspect does may be why hosts move less.  A setting alone does nothing, and
 * traffic that a port has more of does not make the port send less. */
static bool explains_fall(const struct triage_work *work, const struct triage_suspect *suspect)
{
    const bool is_weak = suspects_about[suspect->kind].is_fault && !triage_is_fault(suspect);
    if (is_weak || triage_is_steady(suspect) || suspect->kind == SUSPECT_CONFIGURATION)
        return false;
    const int node = triage_find_node(work, suspect->device);
    for (size_t i = 0;
         suspect->kind == SUSPECT_OVERLOAD && node >= 0 && i < work->nodes[node].port_count; i++) {
        const int port = work->nodes[node].ports[i];
        if (suspect->port != NULL && strcmp(work->ports[port].name, suspect->port) == 0)
            return triage_is_full(work, port);
    }
    return true;
}

void triage_target_signs(struct triage_work *work)
{
    bool quiet = work->lost_frames < TRIAGE_NOISE;
    for (size_t i = 0; i < work->triage->suspect_count; i++)
        quiet &= !explains_fall(work, &work->triage->suspects[i]);
    suspect_logs(work);
    triage_find_falls(work);
    const double share = quiet ? 1 : explained_part;
    for (size_t i = 0; i < work->node_count; i++)
        if (!work->nodes[i].is_switch)
            suspect_fallen(work, (int)i, share);
    triage_path_signs(work, share);
}
