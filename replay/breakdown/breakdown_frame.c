/* SPDX-License-Identifier: Apache-2.0
 * breakdown_frame - assigns frames that leave a port or are dropped to their flows. */
#include "net/frame/frame.h"
#include "replay/breakdown/breakdown_private.h"

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

/* A request's packet leaves for the first time: records the clock at its message's first and last
 * packet. */
static void on_first_send(struct breakdown *breakdown, struct breakdown_flow *flow,
                          const struct probe_hop *frame)
{
    if (flow->unsent == flow->posted.tail)
        return;
    struct breakdown_message *message =
        breakdown_message_at(breakdown, breakdown_row_at(&flow->posted, flow->unsent));
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
static void on_data(struct breakdown *breakdown, struct breakdown_flow *flow,
                    const struct probe_hop *seen)
{
    flow->port = breakdown->fabric->first_port[seen->node] + seen->port;
    flow->priority = seen->priority;
    breakdown_flow_advance(breakdown, flow, seen->at);
    flow->busy_until = seen->at + seen->wire_ps;
    flow->resending = seen->resent;
    if (!flow->resending && !is_response(seen->opcode))
        on_first_send(breakdown, flow, seen);
    if (ends_message(seen->opcode))
        breakdown_transit_begin(breakdown, flow, seen, BREAKDOWN_REQUEST);
    else if (ends_response(seen->opcode))
        breakdown_transit_begin(breakdown, flow, seen, BREAKDOWN_RESPONSE_DATA);
}

/* ACKs are followed only if a workload waits for them. */
static void on_ack(struct breakdown *breakdown, struct breakdown_flow *flow,
                   const struct probe_hop *seen, bool leaves_host)
{
    if (!flow->own)
        return;
    breakdown_flow_advance(breakdown, flow, seen->at);
    if (leaves_host)
        breakdown_transit_begin(breakdown, flow, seen, BREAKDOWN_ACKNOWLEDGEMENT);
    else
        breakdown_transit_on(breakdown, flow, seen, BREAKDOWN_ACKNOWLEDGEMENT);
}

/* A data packet leaves a switch. */
static void on_passing(struct breakdown *breakdown, struct breakdown_flow *flow,
                       const struct probe_hop *seen)
{
    const uint8_t opcode = seen->opcode;
    if (ends_message(opcode))
        breakdown_transit_on(breakdown, flow, seen, BREAKDOWN_REQUEST);
    else if (ends_response(opcode))
        breakdown_transit_on(breakdown, flow, seen, BREAKDOWN_RESPONSE_DATA);
    breakdown_transit_pass(breakdown, flow, seen);
}

void breakdown_drop(struct breakdown *breakdown, const struct probe_drop *drop)
{
    if (drop->opcode == FRAME_TCP) {
        breakdown_stream_lost(breakdown, drop);
        return;
    }
    if (drop->opcode == FRAME_FC)
        return; /* its exchange fails, and the command with it */
    struct breakdown_flow *flow = breakdown_flow_to(breakdown, drop->destination, drop->qpn);
    if (drop->opcode == FRAME_RC_ACKNOWLEDGE)
        breakdown_transit_lost(breakdown, flow, drop, BREAKDOWN_ACKNOWLEDGEMENT);
    else if (ends_message(drop->opcode))
        breakdown_transit_lost(breakdown, flow, drop, BREAKDOWN_REQUEST);
    else if (ends_response(drop->opcode))
        breakdown_transit_lost(breakdown, flow, drop, BREAKDOWN_RESPONSE_DATA);
}

/* A packet is either data or an ACK. */
void breakdown_hop(struct breakdown *breakdown, const struct probe_hop *hop)
{
    const bool leaves_host = breakdown->fabric->is_host[hop->node];
    struct breakdown_flow *flow = breakdown_flow_to(breakdown, hop->destination, hop->qpn);
    if (hop->opcode == FRAME_RC_ACKNOWLEDGE)
        on_ack(breakdown, flow, hop, leaves_host);
    else if (leaves_host)
        on_data(breakdown, flow, hop);
    else
        on_passing(breakdown, flow, hop);
}
