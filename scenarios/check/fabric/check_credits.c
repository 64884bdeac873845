/* SPDX-License-Identifier: Apache-2.0
 * check_credits - the credits of a link last until the first ones return.
 * A credit returns after a round trip: the frame, the cable, the switch behind it, which may first
 * send the frame on, and the cable again. With fewer credits than are used in that time the sender
 * waits in every round trip. On Fibre Channel a credit is a frame, on InfiniBand 64 B of one lane.
 * Source: FC-FS, buffer-to-buffer credit; IBTA Vol 1 7.9.4; docs/model.md. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "net/port/credits.h"
#include "net/switch/switch.h"

enum { FULL_PERCENT = 98, CREDITS_MOST = 2047 };

/* One direction of a link, with frames of the largest size. */
struct lasting {
    time_ps frame;      /* on the wire, with the gap */
    time_ps round_trip; /* from the first bit of a frame until its credit is back */
    int64_t frames;     /* that the credits are for */
};

static int64_t frame_bytes(const struct port_params *params)
{
    return params->mtu +
           (params->kind == PORT_FIBRE_CHANNEL ? (int64_t)WIRE_FC_BYTES : (int64_t)WIRE_IB_BYTES);
}

/* A port starts a frame only if it has credits for the largest. */
static int64_t frames_of_lane(const struct port_params *sender, int64_t lane_buffer)
{
    const int64_t blocks = lane_buffer / CREDIT_UNIT_BYTES;
    const int64_t largest = credits_of(CREDIT_UNIT_BYTES, port_largest_frame(sender));
    const int64_t each = credits_of(CREDIT_UNIT_BYTES, (uint32_t)frame_bytes(sender));
    return blocks < largest ? 0 : (blocks - largest) / each + 1;
}

static struct lasting lasting_of(const struct scenario *scenario,
                                 const struct scenario_port *sender)
{
    const struct port_params *params = sender->params;
    const struct scenario_node *peer = &scenario->nodes[sender->peer_node];
    const struct port_params *other = peer->ports[sender->peer_port].params;
    const uint64_t rate = (uint64_t)params->rate;
    const bool fc = params->kind == PORT_FIBRE_CHANNEL;
    struct lasting lasting = {
        .frame = (time_ps)units_transfer_ps((uint64_t)frame_bytes(params) + port_gap_bytes(params),
                                            rate),
        .frames = fc ? other->bb_credit : frames_of_lane(params, other->lane_buffer),
    };
    lasting.round_trip = lasting.frame + 2 * port_propagation(params);
    if (peer->kind == SCENARIO_SWITCH)
        lasting.round_trip += peer->switch_params->latency + (fc ? lasting.frame : 0);
    return lasting;
}

static int64_t needed_frames(const struct lasting *lasting)
{
    return (lasting->round_trip + lasting->frame - 1) / lasting->frame;
}

/* The least lane buffer for that many frames. */
static int64_t needed_bytes(const struct port_params *sender, int64_t frames)
{
    const int64_t largest = credits_of(CREDIT_UNIT_BYTES, port_largest_frame(sender));
    const int64_t each = credits_of(CREDIT_UNIT_BYTES, (uint32_t)frame_bytes(sender));
    return (largest + (frames - 1) * each) * CREDIT_UNIT_BYTES;
}

static void offer(const struct scenario_node *peer, const struct scenario_port *sender,
                  int64_t needed, struct check_report *report)
{
    const bool fc = sender->params->kind == PORT_FIBRE_CHANNEL;
    const int64_t most = fc ? CREDITS_MOST : (int64_t)CREDIT_WINDOW * CREDIT_UNIT_BYTES;
    const int64_t value = fc ? needed : needed_bytes(sender->params, needed);
    if (value > most) {
        check_remedy(report, fc ? "no number of credits is enough: use a shorter or slower link"
                                : "no buffer is enough: use a shorter or slower link");
        check_set_none(report);
        return;
    }
    if (fc)
        check_remedy(report, "raise bb-credit to %lld", (long long)value);
    else
        check_remedy(report, "raise vl-buffer to %lld B", (long long)value);
    check_set_here(report, peer, sender->peer_port, fc ? "bb-credit: %lld" : "vl-buffer: %lldB",
                   (long long)value);
}

static void check_port(const struct scenario *scenario, const struct scenario_node *node,
                       uint16_t number, struct check_report *report)
{
    const struct scenario_port *sender = &node->ports[number];
    if (sender->link == SCENARIO_NO_LINK)
        return;
    const struct lasting lasting = lasting_of(scenario, sender);
    const struct scenario_node *peer = &scenario->nodes[sender->peer_node];
    const bool fc = sender->params->kind == PORT_FIBRE_CHANNEL;
    const int64_t used = lasting.frames * lasting.frame, needed = needed_frames(&lasting);
    if (used * 100 >= lasting.round_trip * FULL_PERCENT)
        return;
    const struct check_thing thing =
        check_of_port(peer, sender->peer_port, fc ? "bb-credit" : "vl-buffer");
    check_alike(report, DIAG_WARNING, &thing,
                "%s has credits for %lld %s, but %lld %s of %lld B fit in a round trip of %s: "
                "the peer reaches %lld%% of the link rate",
                thing.row, (long long)lasting.frames, plural(lasting.frames, "frame", "frames"),
                (long long)needed, plural(needed, "frame", "frames"),
                (long long)frame_bytes(sender->params), note_time(lasting.round_trip).text,
                (long long)(used * 100 / lasting.round_trip));
    offer(peer, sender, needed, report);
}

static void run_credits_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0;
             scenario_has_credits(&scenario->nodes[i]) && p < scenario->nodes[i].port_count; p++)
            check_port(scenario, &scenario->nodes[i], p, report);
}

const struct check_rule check_credits = {
    .name = "credits",
    .about = "The credits of each link last for a round trip.",
    .run = run_credits_check,
};
