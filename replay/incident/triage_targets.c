/* SPDX-License-Identifier: Apache-2.0
 * triage_targets - messages of logs, and hosts that send less than before while nothing pauses them
 * and nothing is lost: a slow target or a slow drive leaves no other sign in counters of ports. */
#include "replay/incident/triage_private.h"

#include <string.h>

static const double explained = 0.3; /* how much of a fall other signs leave to explain */
enum { FALL_SECONDS = 5 };

static const double fallen = 0.7; /* of the highest rate so far */

/* Bytes of the direction in which the host moved most. */
static const struct incident_count *most_bytes(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    const struct incident_count *most = NULL;
    for (size_t i = 0; i < 2 * at->port_count; i++) {
        const struct triage_value bytes = triage_get(
            work, at->ports[i / 2], i % 2 == 0 ? "tx_bytes_phy" : "rx_bytes_phy", TRIAGE_ALL);
        if (bytes.known && (most == NULL || bytes.value > most->difference))
            most = bytes.count;
    }
    return most;
}

double triage_rate(const struct incident_sample *then, const struct incident_sample *now)
{
    const bool dated =
        then->when.seconds != INCIDENT_NO_TIME && now->when.seconds > then->when.seconds;
    const double time = dated ? (double)(now->when.seconds - then->when.seconds) : 1;
    return now->value < then->value ? 0 : (double)(now->value - then->value) / time;
}

struct fall {
    double part;       /* of the highest rate before; 1: none */
    uint32_t from, at; /* the samples between which it is */
    const struct incident_count *bytes;
};

/* Clocks print whole seconds: over a shorter time, a rate may be far off. */
static bool is_long(const struct incident_sample *then, const struct incident_sample *now)
{
    return then->when.seconds == INCIDENT_NO_TIME || now->when.seconds == INCIDENT_NO_TIME ||
           now->when.seconds - then->when.seconds >= FALL_SECONDS;
}

/* The time in which a host moved least, against that in which it moved most before. */
static struct fall find_fall(const struct triage_work *work, int node)
{
    struct fall fall = {.part = 1, .bytes = most_bytes(work, node)};
    double most = 0;
    const struct incident_sample *samples = fall.bytes == NULL ? NULL : fall.bytes->samples;
    for (uint32_t from = 0, i = 1; fall.bytes != NULL && i < fall.bytes->sample_count; i++) {
        if (!is_long(&samples[from], &samples[i]))
            continue;
        const double rate = triage_rate(&samples[from], &samples[i]);
        if (most > 1e6 && rate / most < fall.part) {
            fall.part = rate / most;
            fall.from = from;
            fall.at = i;
        }
        most = rate > most ? rate : most;
        from = i;
    }
    return fall;
}

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
    const struct fall fall = find_fall(work, node);
    if (fall.part > fallen)
        return;
    const bool is_target = !receives_requests(work, node);
    struct triage_suspect *suspect =
        triage_suspect(work, SUSPECT_SLOW_TARGET, node, TRIAGE_NO_PORT,
                       share * (1 - fall.part) * (is_target ? 1 : 0.5));
    triage_sign(work, suspect, (struct triage_value){.known = true, .count = fall.bytes},
                "the traffic of %s fell to %.0f%% of its earlier rate", work->nodes[node].name,
                fall.part * 100);
    suspect->signs[suspect->sign_count - 1].place = fall.bytes->samples[fall.at].place;
    suspect->since = fall.bytes->samples[fall.from].when.text;
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

void triage_target_signs(struct triage_work *work)
{
    bool quiet = work->lost_frames < TRIAGE_NOISE;
    for (size_t i = 0; i < work->triage->suspect_count; i++)
        quiet &= work->triage->suspects[i].is_steady;
    suspect_logs(work);
    for (size_t i = 0; i < work->node_count; i++)
        if (!work->nodes[i].is_switch)
            suspect_fallen(work, (int)i, quiet ? 1 : explained);
}
