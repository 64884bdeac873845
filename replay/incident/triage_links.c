/* SPDX-License-Identifier: Apache-2.0
 * triage_links - carrier, bit errors and MTU: signs of cables and modules. */
#include "base/plural.h"
#include "replay/incident/triage_private.h"

#include <string.h>

static struct triage_value carrier_losses(const struct triage_work *work, int port)
{
    return triage_get(work, port, "link_down_events_phy", TRIAGE_ALL);
}

/* Messages about the port's link: by the port's name, or of a host with one port. */
static size_t link_messages(const struct triage_work *work, int port,
                            const struct incident_event **first)
{
    const struct incident *incident = work->incident;
    const struct triage_port *at = &work->ports[port];
    const struct triage_node *node = &work->nodes[at->node];
    size_t count = 0;
    for (size_t i = 0; i < incident->event_count; i++) {
        const struct incident_event *event = &incident->events[i];
        if ((event->kind != INCIDENT_LINK_DOWN && event->kind != INCIDENT_MODULE) ||
            strcmp(event->host, node->name) != 0)
            continue;
        if (node->is_switch && strcmp(event->subject, at->name) != 0)
            continue;
        *first = count++ == 0 ? event : *first;
    }
    return count;
}

static bool lost_carrier(const struct triage_work *work, int port)
{
    const struct incident_event *event = NULL;
    return carrier_losses(work, port).value > 0 || link_messages(work, port, &event) > 0;
}

static bool cable_lost_carrier(const struct triage_work *work, int port)
{
    const int peer = work->ports[port].peer;
    return lost_carrier(work, port) || (peer >= 0 && lost_carrier(work, peer));
}

static void sign_carrier(struct triage_work *work, struct triage_suspect *suspect, int port)
{
    const struct triage_value losses = carrier_losses(work, port);
    const struct incident_event *event = NULL;
    const size_t messages = link_messages(work, port, &event);
    if (losses.value > 0)
        triage_sign(work, suspect, losses, "%s lost its carrier %s %s",
                    triage_port_words(work, port), triage_frames(work->arena, losses.value),
                    plural(losses.value, "time", "times"));
    if (messages > 0) {
        if (triage_sign(work, suspect, (struct triage_value){0}, "%s: %s (%zu in all)",
                        triage_port_words(work, port), incident_event_about(event->kind), messages))
            suspect->signs[suspect->sign_count - 1].place = event->place;
        if (suspect->since == NULL)
            suspect->since = event->when.text;
    }
}

/* A device whose every cable with known ends lost its carrier, and has more than one. */
static bool is_down(const struct triage_work *work, int node)
{
    const struct triage_node *at = &work->nodes[node];
    size_t lost = 0, wired = 0;
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i];
        if (work->ports[port].peer < 0 || (work->ports[port].name_count == 0 &&
                                           work->ports[work->ports[port].peer].name_count == 0))
            continue;
        wired++;
        lost += cable_lost_carrier(work, port);
    }
    return at->is_switch && lost >= 2 && lost * 4 >= wired * 3;
}

static void suspect_carriers(struct triage_work *work)
{
    bool *down = arena_array(work->arena, work->node_count + 1, sizeof *down);
    for (size_t i = 0; i < work->node_count; i++) {
        down[i] = is_down(work, (int)i);
        for (size_t k = 0; down[i] && k < work->nodes[i].port_count; k++) {
            const int port = work->nodes[i].ports[k], peer = work->ports[port].peer;
            struct triage_suspect *suspect =
                triage_suspect(work, SUSPECT_SWITCH_DOWN, (int)i, TRIAGE_NO_PORT, 1);
            sign_carrier(work, suspect, port);
            if (peer >= 0)
                sign_carrier(work, suspect, peer);
        }
    }
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        if (!lost_carrier(work, (int)i) || down[work->ports[i].node] ||
            (peer >= 0 && down[work->ports[peer].node]))
            continue;
        sign_carrier(work, triage_suspect(work, SUSPECT_LINK_DOWN, work->ports[i].node, (int)i, 1),
                     (int)i);
    }
}

/* ---- damaged frames ---- */

/* rx_symbol_err_phy has no counterpart in a run; drivers call it so, or nearly so. */
static struct triage_value symbol_errors(const struct triage_work *work, int port)
{
    const struct triage_value phy = triage_get(work, port, "rx_symbol_err_phy", TRIAGE_ALL);
    return phy.known ? phy : triage_get(work, port, "symbol_error", TRIAGE_ALL);
}

static void suspect_errors(struct triage_work *work)
{
    int64_t total = 0;
    for (size_t i = 0; i < work->port_count; i++)
        total += triage_get(work, (int)i, "rx_crc_errors_phy", TRIAGE_ALL).more;
    for (size_t i = 0; i < work->port_count; i++) {
        const struct triage_value frames =
                                      triage_get(work, (int)i, "rx_crc_errors_phy", TRIAGE_ALL),
                                  symbols = symbol_errors(work, (int)i);
        if (frames.value >= TRIAGE_NOISE)
            triage_sign(work,
                        triage_suspect(work, SUSPECT_BIT_ERRORS, work->ports[i].node, (int)i,
                                       (double)frames.more / (double)total),
                        frames, "%s received %s damaged frames", triage_port_words(work, (int)i),
                        triage_frames(work->arena, frames.value));
        if (symbols.value >= TRIAGE_NOISE)
            triage_sign(work,
                        triage_suspect(work, SUSPECT_BIT_ERRORS, work->ports[i].node, (int)i,
                                       total > 0 ? (double)frames.more / (double)total : 0.5),
                        symbols, "%s received %s symbol errors", triage_port_words(work, (int)i),
                        triage_frames(work->arena, symbols.value));
    }
}

static void suspect_giants(struct triage_work *work)
{
    for (size_t i = 0; i < work->port_count; i++) {
        const struct triage_value giants =
            triage_get(work, (int)i, "rx_oversize_pkts_phy", TRIAGE_ALL);
        if (giants.value >= TRIAGE_NOISE)
            triage_sign(work, triage_suspect(work, SUSPECT_MTU, work->ports[i].node, (int)i, 1),
                        giants, "%s dropped %s frames larger than its MTU",
                        triage_port_words(work, (int)i), triage_frames(work->arena, giants.value));
    }
}

void triage_link_signs(struct triage_work *work)
{
    suspect_carriers(work);
    suspect_errors(work);
    suspect_giants(work);
}
