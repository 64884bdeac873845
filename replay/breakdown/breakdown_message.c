/* SPDX-License-Identifier: Apache-2.0
 * breakdown_message - messages of queue pairs, as reported by RNICs.
 * The path of a message follows from three readings of its sender's clock (when it was posted, when
 * its first packet left, when its last packet left) and from the transit of its last packet. */
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ queues and messages */

uint32_t breakdown_row_at(const struct breakdown_row *row, uint64_t place)
{
    return row->items[place & (row->room - 1)];
}

void breakdown_row_push(struct breakdown_row *row, uint32_t item)
{
    if (row->tail - row->head == row->room) {
        struct breakdown_row wide = {
            .room = row->room == 0 ? 8 : row->room * 2, .head = row->head, .tail = row->tail};
        wide.items = memory_zeroed(wide.room, sizeof *wide.items);
        for (uint64_t i = row->head; i < row->tail; i++)
            wide.items[i & (wide.room - 1)] = breakdown_row_at(row, i);
        free(row->items);
        *row = wide;
    }
    row->items[row->tail++ & (row->room - 1)] = item;
}

struct breakdown_message *breakdown_message_at(const struct breakdown *breakdown, uint32_t index)
{
    return &breakdown->messages[index];
}

static uint32_t take_message(struct breakdown *breakdown)
{
    uint32_t index = breakdown->message_free;
    if (index != BREAKDOWN_NONE) {
        breakdown->message_free = breakdown->messages[index].next;
    } else {
        breakdown->messages = memory_grown(breakdown->messages, breakdown->message_count,
                                           &breakdown->message_room, sizeof *breakdown->messages);
        index = breakdown->message_count++;
    }
    struct breakdown_message *message = &breakdown->messages[index];
    memset(message, 0, offsetof(struct breakdown_message, leg.places));
    memset(&message->ack, 0, offsetof(struct breakdown_leg, places));
    message->taken_at = message->heard_at = 0;
    message->references = 1;
    message->lead = message->follower = BREAKDOWN_NONE;
    return index;
}

/* Adds the message to the list `freed` if nothing refers to it any more. */
static void drop_reference(struct breakdown *breakdown, uint32_t index, uint32_t *freed)
{
    if (index == BREAKDOWN_NONE)
        return;
    struct breakdown_message *message = breakdown_message_at(breakdown, index);
    if (--message->references > 0)
        return;
    message->next = *freed;
    *freed = index;
}

void breakdown_message_release(struct breakdown *breakdown, uint32_t index)
{
    uint32_t freed = BREAKDOWN_NONE;
    drop_reference(breakdown, index, &freed);
    while (freed != BREAKDOWN_NONE) {
        const uint32_t at = freed;
        struct breakdown_message *message = breakdown_message_at(breakdown, at);
        freed = message->next;
        drop_reference(breakdown, message->lead, &freed);
        drop_reference(breakdown, message->follower, &freed);
        message->next = breakdown->message_free;
        breakdown->message_free = at;
    }
}

/* ------------------------------------------------------------------ legs */

static time_ps passed(const struct breakdown_clock *from, const struct breakdown_clock *to,
                      enum breakdown_state state)
{
    return to->ps[state] - from->ps[state];
}
static void add_place(struct breakdown_leg *leg, const struct breakdown_place *place)
{
    breakdown_place_add(leg->places, &leg->place_count, BREAKDOWN_LEG_PLACES, place);
}

void breakdown_leg_transit(struct breakdown_leg *leg, const struct breakdown_transit *transit)
{
    leg->ps[BREAKDOWN_SERIALISATION] += transit->serialisation;
    leg->ps[BREAKDOWN_PROPAGATION] += transit->propagation;
    leg->ps[BREAKDOWN_SWITCHING] += transit->switching;
    leg->ps[BREAKDOWN_PAUSED] += transit->paused;
    leg->ps[BREAKDOWN_QUEUED] += transit->queued;
    for (uint32_t i = 0; i < transit->place_count; i++)
        add_place(leg, &transit->places[i]);
}

void breakdown_leg_clock(struct breakdown_leg *leg, const struct breakdown_flow *flow,
                         const struct breakdown_clock *from, const struct breakdown_clock *to,
                         enum breakdown_part sending, enum breakdown_part nothing)
{
    const time_ps paused = passed(from, to, BREAKDOWN_AT_PAUSED);
    time_ps queued = passed(from, to, BREAKDOWN_AT_EGRESS);
    if (sending == BREAKDOWN_QUEUED)
        queued += passed(from, to, BREAKDOWN_SENDING);
    else
        leg->ps[sending] += passed(from, to, BREAKDOWN_SENDING);
    leg->ps[BREAKDOWN_QUEUED] += queued;
    leg->ps[BREAKDOWN_PAUSED] += paused;
    leg->ps[BREAKDOWN_RETRANSMISSION] += passed(from, to, BREAKDOWN_RESENDING);
    leg->ps[BREAKDOWN_HELD] += passed(from, to, BREAKDOWN_BY_CONGESTION);
    leg->ps[BREAKDOWN_WINDOW] += passed(from, to, BREAKDOWN_BY_WINDOW);
    leg->ps[BREAKDOWN_RNR] += passed(from, to, BREAKDOWN_BY_RNR);
    leg->ps[BREAKDOWN_RNIC] += passed(from, to, BREAKDOWN_BY_RNIC);
    leg->ps[BREAKDOWN_HOST_CPU] += passed(from, to, BREAKDOWN_BY_SOFTWARE);
    leg->ps[BREAKDOWN_RNIC_ENGINE] += passed(from, to, BREAKDOWN_BY_ENGINE);
    leg->ps[BREAKDOWN_PCIE] += passed(from, to, BREAKDOWN_BY_PCIE);
    leg->ps[nothing] += passed(from, to, BREAKDOWN_BY_NOTHING);
    if (flow->port != BREAKDOWN_NONE)
        add_place(leg, &(struct breakdown_place){flow->port, flow->priority, paused, queued});
}

/* From the first to the successful transmission of the last packet: RNR waits are counted
 * separately from retransmission. */
static void add_again(struct breakdown_leg *leg, const struct breakdown_clock *first,
                      const struct breakdown_clock *successful)
{
    const time_ps rnr = passed(first, successful, BREAKDOWN_BY_RNR);
    leg->ps[BREAKDOWN_RNR] += rnr;
    leg->ps[BREAKDOWN_RETRANSMISSION] += successful->at - first->at - rnr;
}

const struct breakdown_message *breakdown_message_lead(const struct breakdown *breakdown,
                                                       const struct breakdown_message *message)
{
    return message->lead != BREAKDOWN_NONE ? breakdown_message_at(breakdown, message->lead)
                                           : message;
}

void breakdown_message_find_lead(struct breakdown *breakdown, const struct breakdown_flow *flow,
                                 uint32_t index)
{
    const struct breakdown_row *row = &flow->posted;
    struct breakdown_message *message = breakdown_message_at(breakdown, index);
    if (message->lead != BREAKDOWN_NONE)
        return;
    for (uint64_t place = row->tail - 1; place > row->head; place--) {
        const uint32_t before = breakdown_row_at(row, place - 1);
        const struct breakdown_message *data = breakdown_message_at(breakdown, before);
        if (data->operation != PROBE_WORK_WRITE || data->posted.at != message->posted.at)
            break;
        message->lead = before;
    }
    if (message->lead != BREAKDOWN_NONE)
        breakdown_message_at(breakdown, message->lead)->references++;
}

/* From posting a request until its last packet arrived at the peer, at `now`. */
static void add_request(const struct breakdown *breakdown, const struct breakdown_flow *flow,
                        struct breakdown_message *message, time_ps now)
{
    struct breakdown_leg *leg = &message->leg;
    const struct breakdown_transit *transit =
        breakdown_transit_arrived(flow, BREAKDOWN_REQUEST, message->psn, now);
    leg->from = message->posted.at;
    if (!message->sent || transit == NULL) {
        leg->ps[BREAKDOWN_UNTRACED] += now - message->posted.at;
        return;
    }
    const struct breakdown_message *lead = breakdown_message_lead(breakdown, message);
    const bool led =
        lead->begun && lead->first.at >= message->posted.at && lead->first.at <= message->last.at;
    const struct breakdown_clock *begun = led ? &lead->first : &message->last;
    breakdown_leg_clock(leg, flow, &message->posted, begun, BREAKDOWN_QUEUED, BREAKDOWN_RNIC);
    breakdown_leg_clock(leg, flow, begun, &message->last, BREAKDOWN_SERIALISATION, BREAKDOWN_RNIC);
    add_again(leg, &message->last, &transit->sent);
    breakdown_leg_transit(leg, transit);
    leg->ps[BREAKDOWN_RECEIVER] += now - transit->arrives_at;
    leg->whole = true;
}

/* For a READ: from the arrival of the request until its data arrived. */
static void add_response(struct breakdown_flow *back, struct breakdown_message *message,
                         uint32_t psn, time_ps now)
{
    struct breakdown_leg *leg = &message->leg;
    const struct breakdown_transit *transit =
        breakdown_transit_arrived(back, BREAKDOWN_RESPONSE_DATA, psn, now);
    const time_ps asked = message->asked ? message->asked_at.at : message->posted.at;
    if (!message->asked || transit == NULL || transit->sent.at < asked) {
        leg->ps[BREAKDOWN_UNTRACED] += now - asked;
        leg->whole = false;
        return;
    }
    breakdown_leg_clock(leg, back, &message->asked_at, &transit->sent, BREAKDOWN_SERIALISATION,
                        BREAKDOWN_RETRANSMISSION);
    breakdown_leg_transit(leg, transit);
    leg->ps[BREAKDOWN_RECEIVER] += now - transit->arrives_at;
    breakdown_transit_forget(back, BREAKDOWN_RESPONSE_DATA, psn, 0);
}

/* From the arrival of the last packet until the sender received its ACK. Frames sent before that
 * arrival, for instance a NAK with the same PSN, do not acknowledge this or any later message. */
static void add_acknowledgment(struct breakdown_flow *back, struct breakdown_message *message,
                                time_ps now)
{
    struct breakdown_leg *leg = &message->ack;
    breakdown_transit_forget(back, BREAKDOWN_ACKNOWLEDGEMENT, 0, message->taken_at);
    const struct breakdown_transit *transit =
        breakdown_transit_arrived(back, BREAKDOWN_ACKNOWLEDGEMENT, message->psn, now);
    leg->from = message->taken_at;
    if (transit == NULL) {
        leg->ps[BREAKDOWN_ACK] += now - message->taken_at;
        return;
    }
    leg->ps[BREAKDOWN_ACK] += transit->sent.at - message->taken_at;
    breakdown_leg_transit(leg, transit);
    leg->ps[BREAKDOWN_RECEIVER] += now - transit->arrives_at;
    leg->whole = true;
    breakdown_transit_forget(back, BREAKDOWN_ACKNOWLEDGEMENT, 0, transit->sent.at);
}

/* ------------------------------------------------------------------ reports of RNICs */

uint32_t breakdown_message_post(struct breakdown *breakdown, struct breakdown_flow *flow,
                                uint8_t operation, time_ps at)
{
    const uint32_t index = take_message(breakdown);
    struct breakdown_message *message = breakdown_message_at(breakdown, index);
    breakdown_flow_advance(breakdown, flow, at);
    message->operation = operation;
    message->posted = flow->clock;
    breakdown_row_push(&flow->posted, index);
    breakdown->last_flow = flow;
    breakdown->last_at = at;
    return index;
}

static void on_posted(struct breakdown *breakdown, struct breakdown_flow *flow,
                      const struct probe_work *work)
{
    struct breakdown_flow *back = breakdown_flow_to(breakdown, work->flow.endpoint, work->flow.qpn);
    flow->endpoint = work->flow.endpoint;
    flow->qpn = work->flow.qpn;
    back->endpoint = work->flow.peer;
    back->qpn = work->flow.peer_qpn;
    breakdown_message_post(breakdown, flow, work->operation, work->at);
}

/* The message that the peer expects next. */
static struct breakdown_message *next_untaken(struct breakdown *breakdown,
                                              struct breakdown_flow *flow)
{
    if (flow->untaken == flow->posted.tail)
        return NULL;
    return breakdown_message_at(breakdown, breakdown_row_at(&flow->posted, flow->untaken++));
}

static void on_asked(struct breakdown *breakdown, struct breakdown_flow *flow,
                     const struct probe_work *work)
{
    struct breakdown_message *message = next_untaken(breakdown, flow);
    if (message == NULL)
        return;
    struct breakdown_flow *back = breakdown_flow_to(breakdown, work->flow.endpoint, work->flow.qpn);
    add_request(breakdown, flow, message, work->at);
    breakdown_transit_forget(flow, BREAKDOWN_REQUEST, message->psn, 0);
    breakdown_flow_advance(breakdown, back, work->at);
    message->asked = true;
    message->asked_at = back->clock;
}

static void on_taken(struct breakdown *breakdown, struct breakdown_flow *flow,
                     const struct probe_work *work)
{
    struct breakdown_message *message = next_untaken(breakdown, flow);
    if (message == NULL)
        return;
    add_request(breakdown, flow, message, work->at);
    breakdown_transit_forget(flow, BREAKDOWN_REQUEST, message->psn, 0);
    message->taken_at = work->at;
    message->leg.ps[BREAKDOWN_RNIC] += work->heard_at - work->at;
    message->leg.until = work->heard_at;
    message->leg.by_interrupt = work->by_interrupt;
    if (!message->answer)
        return;
    message->references++;
    breakdown_row_push(&flow->answers, breakdown_row_at(&flow->posted, flow->untaken - 1));
    breakdown_messages_join(breakdown, breakdown_flow_to(breakdown, flow->endpoint, flow->qpn));
}

/* Releases messages that are both completed and received by the peer. */
static void forget_over(struct breakdown *breakdown, struct breakdown_flow *flow)
{
    const uint64_t over = flow->untaken < flow->uncompleted ? flow->untaken : flow->uncompleted;
    while (flow->posted.head < over)
        breakdown_message_release(breakdown, breakdown_row_at(&flow->posted, flow->posted.head++));
}

static void end_own(struct breakdown *breakdown, struct breakdown_flow *flow, uint32_t index)
{
    breakdown_message_at(breakdown, index)->references++;
    breakdown_row_push(&flow->done, index);
    breakdown_messages_join(breakdown, flow);
}

static void on_completed(struct breakdown *breakdown, struct breakdown_flow *flow,
                         const struct probe_work *work)
{
    if (flow->uncompleted == flow->posted.tail)
        return;
    const uint32_t index = breakdown_row_at(&flow->posted, flow->uncompleted++);
    struct breakdown_message *message = breakdown_message_at(breakdown, index);
    struct breakdown_flow *back = breakdown_flow_to(breakdown, work->flow.endpoint, work->flow.qpn);
    message->heard_at = work->heard_at;
    if (work->good && message->operation == PROBE_WORK_READ) {
        add_response(back, message, work->psn, work->at);
        message->leg.ps[BREAKDOWN_RNIC] += work->heard_at - work->at;
        message->leg.until = work->heard_at;
        message->leg.by_interrupt = work->by_interrupt;
    } else if (work->good && message->own) {
        add_acknowledgment(back, message, work->at);
        message->ack.ps[BREAKDOWN_RNIC] += work->heard_at - work->at;
        message->ack.until = work->heard_at;
        message->ack.by_interrupt = work->by_interrupt;
    }
    if (message->own)
        end_own(breakdown, flow, index);
    forget_over(breakdown, flow);
}

void breakdown_work(struct breakdown *breakdown, const struct probe_work *work)
{
    struct breakdown_flow *flow =
        breakdown_flow_to(breakdown, work->flow.peer, work->flow.peer_qpn);
    switch ((enum probe_work_kind)work->kind) {
    case PROBE_WORK_POSTED:
        on_posted(breakdown, flow, work);
        return;
    case PROBE_WORK_ASKED:
        on_asked(breakdown, flow, work);
        forget_over(breakdown, flow);
        return;
    case PROBE_WORK_TAKEN:
        on_taken(breakdown, flow, work);
        forget_over(breakdown, flow);
        return;
    case PROBE_WORK_COMPLETED:
        on_completed(breakdown, flow, work);
        return;
    }
}
