/* SPDX-License-Identifier: Apache-2.0
 * waits_frame - what a frame that leaves a port, or is dropped, is to the account. */
#include "net/frame/frame.h"
#include "replay/waits/waits_private.h"

static bool begins_message(uint8_t opcode)
{
    return opcode == FRAME_RC_SEND_FIRST || opcode == FRAME_RC_SEND_ONLY ||
           opcode == FRAME_RC_SEND_ONLY_IMM || opcode == FRAME_RC_SEND_ONLY_INV ||
           opcode == FRAME_RC_WRITE_FIRST || opcode == FRAME_RC_WRITE_ONLY ||
           opcode == FRAME_RC_WRITE_ONLY_IMM || opcode == FRAME_RC_READ_REQUEST;
}

static bool ends_message(uint8_t opcode)
{
    return opcode == FRAME_RC_SEND_LAST || opcode == FRAME_RC_SEND_LAST_INV ||
           opcode == FRAME_RC_SEND_ONLY || opcode == FRAME_RC_SEND_ONLY_INV ||
           opcode == FRAME_RC_WRITE_LAST || opcode == FRAME_RC_WRITE_ONLY ||
           frame_has_immediate(opcode) || opcode == FRAME_RC_READ_REQUEST;
}

static bool ends_response(uint8_t opcode)
{
    return opcode == FRAME_RC_READ_RESPONSE_LAST || opcode == FRAME_RC_READ_RESPONSE_ONLY;
}

static bool is_response(uint8_t opcode)
{
    return opcode >= FRAME_RC_READ_RESPONSE_FIRST && opcode <= FRAME_RC_READ_RESPONSE_ONLY;
}

/* A request's packet leaves for the first time: where in its message it is. */
static void on_first_send(struct waits *waits, struct waits_flow *flow,
                          const struct probe_hop *frame)
{
    if (flow->unsent == flow->posted.tail)
        return;
    struct waits_message *message =
        waits_message_at(waits, waits_row_at(&flow->posted, flow->unsent));
    if (begins_message(frame->opcode)) {
        message->begun = true;
        message->first = flow->clock;
    }
    if (!ends_message(frame->opcode))
        return;
    message->sent = true;
    message->psn = frame->psn;
    message->last = flow->clock;
    flow->unsent++;
}

/* A data packet leaves its host. */
static void on_data(struct waits *waits, struct waits_flow *flow, const struct probe_hop *seen)
{
    flow->port = waits->fabric->first_port[seen->node] + seen->port;
    flow->priority = seen->priority;
    waits_flow_advance(waits, flow, seen->at);
    flow->busy_until = seen->at + seen->wire_ps;
    flow->resending = seen->resent;
    if (!flow->resending && !is_response(seen->opcode))
        on_first_send(waits, flow, seen);
    if (ends_message(seen->opcode))
        waits_transit_begin(waits, flow, seen, WAITS_REQUEST);
    else if (ends_response(seen->opcode))
        waits_transit_begin(waits, flow, seen, WAITS_RESPONSE_DATA);
}

/* An ACK is followed where a workload waits for it. */
static void on_ack(struct waits *waits, struct waits_flow *flow, const struct probe_hop *seen,
                   bool leaves_host)
{
    if (!flow->own)
        return;
    waits_flow_advance(waits, flow, seen->at);
    if (leaves_host)
        waits_transit_begin(waits, flow, seen, WAITS_ACKNOWLEDGEMENT);
    else
        waits_transit_on(waits, flow, seen, WAITS_ACKNOWLEDGEMENT);
}

/* A data packet leaves a switch. */
static void on_passing(struct waits *waits, struct waits_flow *flow, const struct probe_hop *seen)
{
    const uint8_t opcode = seen->opcode;
    if (ends_message(opcode))
        waits_transit_on(waits, flow, seen, WAITS_REQUEST);
    else if (ends_response(opcode))
        waits_transit_on(waits, flow, seen, WAITS_RESPONSE_DATA);
    waits_transit_pass(waits, flow, seen);
}

void waits_drop(struct waits *waits, const struct probe_drop *drop)
{
    struct waits_flow *flow = waits_flow_to(waits, drop->destination, drop->qpn);
    if (drop->opcode == FRAME_RC_ACKNOWLEDGE)
        waits_transit_lost(waits, flow, drop, WAITS_ACKNOWLEDGEMENT);
    else if (ends_message(drop->opcode))
        waits_transit_lost(waits, flow, drop, WAITS_REQUEST);
    else if (ends_response(drop->opcode))
        waits_transit_lost(waits, flow, drop, WAITS_RESPONSE_DATA);
}

/* A packet is data, or an ACK. */
void waits_hop(struct waits *waits, const struct probe_hop *hop)
{
    const bool leaves_host = waits->fabric->is_host[hop->node];
    struct waits_flow *flow = waits_flow_to(waits, hop->destination, hop->qpn);
    if (hop->opcode == FRAME_RC_ACKNOWLEDGE)
        on_ack(waits, flow, hop, leaves_host);
    else if (leaves_host)
        on_data(waits, flow, hop);
    else
        on_passing(waits, flow, hop);
}
