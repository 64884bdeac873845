/* SPDX-License-Identifier: Apache-2.0
 * waits_message - the messages of queue pairs, as RNICs tell of them.
 * A message's way is known from three readings of its sender's clock (when it was posted, when its
 * first and when its last packet left) and from the transit of its last packet. */
#include "base/memory.h"
#include "replay/waits/waits_private.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ rows and messages */

uint32_t waits_row_at(const struct waits_row *row, uint64_t place)
{
    return row->items[place & (row->room - 1)];
}

void waits_row_push(struct waits_row *row, uint32_t item)
{
    if (row->tail - row->head == row->room) {
        struct waits_row wide = {
            .room = row->room == 0 ? 8 : row->room * 2, .head = row->head, .tail = row->tail};
        wide.items = memory_zeroed(wide.room, sizeof *wide.items);
        for (uint64_t i = row->head; i < row->tail; i++)
            wide.items[i & (wide.room - 1)] = waits_row_at(row, i);
        free(row->items);
        *row = wide;
    }
    row->items[row->tail++ & (row->room - 1)] = item;
}

struct waits_message *waits_message_at(const struct waits *waits, uint32_t index)
{
    return &waits->messages[index];
}

static uint32_t take_message(struct waits *waits)
{
    uint32_t index = waits->message_free;
    if (index != WAITS_NONE) {
        waits->message_free = waits->messages[index].next;
    } else {
        waits->messages = memory_grown(waits->messages, waits->message_count, &waits->message_room,
                                       sizeof *waits->messages);
        index = waits->message_count++;
    }
    waits->messages[index] = (struct waits_message){.references = 1, .lead = WAITS_NONE};
    return index;
}

void waits_message_release(struct waits *waits, uint32_t index)
{
    for (uint32_t lead; index != WAITS_NONE; index = lead) {
        struct waits_message *message = waits_message_at(waits, index);
        if (--message->references > 0)
            return;
        lead = message->lead;
        message->next = waits->message_free;
        waits->message_free = index;
    }
}

/* ------------------------------------------------------------------ legs */

static time_ps passed(const struct waits_clock *from, const struct waits_clock *to,
                      enum waits_state state)
{
    return to->ps[state] - from->ps[state];
}
static void add_place(struct waits_leg *leg, const struct waits_place *place)
{
    waits_place_add(leg->places, &leg->place_count, WAITS_LEG_PLACES, place);
}

static void add_transit(struct waits_leg *leg, const struct waits_transit *transit)
{
    leg->ps[WAITS_SERIALISATION] += transit->serialisation;
    leg->ps[WAITS_PROPAGATION] += transit->propagation;
    leg->ps[WAITS_SWITCHING] += transit->switching;
    leg->ps[WAITS_PAUSED] += transit->paused;
    leg->ps[WAITS_QUEUED] += transit->queued;
    for (uint32_t i = 0; i < transit->place_count; i++)
        add_place(leg, &transit->places[i]);
}

/* What a sender did between two readings of its clock; packets of its own are to `sending`. */
static void add_clock(struct waits_leg *leg, const struct waits_flow *flow,
                      const struct waits_clock *from, const struct waits_clock *to,
                      enum waits_part sending, enum waits_part nothing)
{
    const time_ps paused = passed(from, to, WAITS_AT_PAUSED);
    time_ps queued = passed(from, to, WAITS_AT_EGRESS);
    if (sending == WAITS_QUEUED)
        queued += passed(from, to, WAITS_SENDING);
    else
        leg->ps[sending] += passed(from, to, WAITS_SENDING);
    leg->ps[WAITS_QUEUED] += queued;
    leg->ps[WAITS_PAUSED] += paused;
    leg->ps[WAITS_RETRANSMISSION] += passed(from, to, WAITS_RESENDING);
    leg->ps[WAITS_HELD] += passed(from, to, WAITS_BY_CONGESTION);
    leg->ps[WAITS_WINDOW] += passed(from, to, WAITS_BY_WINDOW);
    leg->ps[WAITS_RNR] += passed(from, to, WAITS_BY_RNR);
    leg->ps[WAITS_RNIC] += passed(from, to, WAITS_BY_RNIC);
    leg->ps[WAITS_HOST_CPU] += passed(from, to, WAITS_BY_SOFTWARE);
    leg->ps[WAITS_RNIC_ENGINE] += passed(from, to, WAITS_BY_ENGINE);
    leg->ps[WAITS_PCIE] += passed(from, to, WAITS_BY_PCIE);
    leg->ps[nothing] += passed(from, to, WAITS_BY_NOTHING);
    if (flow->port != WAITS_NONE)
        add_place(leg, &(struct waits_place){flow->port, flow->priority, paused, queued});
}

/* From the first to the successful send of the last packet: RNR waits are told apart. */
static void add_again(struct waits_leg *leg, const struct waits_clock *first,
                      const struct waits_clock *successful)
{
    const time_ps rnr = passed(first, successful, WAITS_BY_RNR);
    leg->ps[WAITS_RNR] += rnr;
    leg->ps[WAITS_RETRANSMISSION] += successful->at - first->at - rnr;
}

/* The first packet that carries what the message is for. */
static const struct waits_message *leading(const struct waits *waits,
                                           const struct waits_message *message)
{
    return message->lead != WAITS_NONE ? waits_message_at(waits, message->lead) : message;
}

/* From being posted until a request's last packet is with its peer, at `now`. */
static void add_request(const struct waits *waits, const struct waits_flow *flow,
                        struct waits_message *message, time_ps now)
{
    struct waits_leg *leg = &message->leg;
    const struct waits_transit *transit =
        waits_transit_arrived(flow, WAITS_REQUEST, message->psn, now);
    leg->from = message->posted.at;
    if (!message->sent || transit == NULL) {
        leg->ps[WAITS_UNTRACED] += now - message->posted.at;
        return;
    }
    const struct waits_message *lead = leading(waits, message);
    const bool led =
        lead->begun && lead->first.at >= message->posted.at && lead->first.at <= message->last.at;
    const struct waits_clock *begun = led ? &lead->first : &message->last;
    add_clock(leg, flow, &message->posted, begun, WAITS_QUEUED, WAITS_RNIC);
    add_clock(leg, flow, begun, &message->last, WAITS_SERIALISATION, WAITS_RNIC);
    add_again(leg, &message->last, &transit->sent);
    add_transit(leg, transit);
    leg->ps[WAITS_RECEIVER] += now - transit->arrives_at;
    leg->whole = true;
}

/* Of a READ, from the request's arrival until its data are there. */
static void add_response(struct waits_flow *back, struct waits_message *message, uint32_t psn,
                         time_ps now)
{
    struct waits_leg *leg = &message->leg;
    const struct waits_transit *transit =
        waits_transit_arrived(back, WAITS_RESPONSE_DATA, psn, now);
    const time_ps asked = message->asked ? message->asked_at.at : message->posted.at;
    if (!message->asked || transit == NULL || transit->sent.at < asked) {
        leg->ps[WAITS_UNTRACED] += now - asked;
        leg->whole = false;
        return;
    }
    add_clock(leg, back, &message->asked_at, &transit->sent, WAITS_SERIALISATION,
              WAITS_RETRANSMISSION);
    add_transit(leg, transit);
    leg->ps[WAITS_RECEIVER] += now - transit->arrives_at;
    waits_transit_forget(back, WAITS_RESPONSE_DATA, psn, 0);
}

/* From the last packet's arrival until the sender knows of it.  What was sent before that, as a NAK
 * that has the same PSN, is no ACK of it, nor of any later message. */
static void add_acknowledgement(struct waits_flow *back, struct waits_message *message, time_ps now)
{
    struct waits_leg *leg = &message->ack;
    waits_transit_forget(back, WAITS_ACKNOWLEDGEMENT, 0, message->taken_at);
    const struct waits_transit *transit =
        waits_transit_arrived(back, WAITS_ACKNOWLEDGEMENT, message->psn, now);
    leg->from = message->taken_at;
    if (transit == NULL) {
        leg->ps[WAITS_ACK] += now - message->taken_at;
        return;
    }
    leg->ps[WAITS_ACK] += transit->sent.at - message->taken_at;
    add_transit(leg, transit);
    leg->ps[WAITS_RECEIVER] += now - transit->arrives_at;
    leg->whole = true;
    waits_transit_forget(back, WAITS_ACKNOWLEDGEMENT, 0, transit->sent.at);
}

/* ------------------------------------------------------------------ what an RNIC tells */

static void on_posted(struct waits *waits, struct waits_flow *flow, const struct probe_work *work)
{
    const uint32_t index = take_message(waits);
    struct waits_message *message = waits_message_at(waits, index);
    struct waits_flow *back = waits_flow_to(waits, work->flow.endpoint, work->flow.qpn);
    flow->endpoint = work->flow.endpoint;
    flow->qpn = work->flow.qpn;
    back->endpoint = work->flow.peer;
    back->qpn = work->flow.peer_qpn;
    waits_flow_advance(waits, flow, work->at);
    message->operation = work->operation;
    message->posted = flow->clock;
    waits_row_push(&flow->posted, index);
    waits->last_flow = flow;
    waits->last_at = work->at;
}

/* The message that the peer expects next. */
static struct waits_message *next_untaken(struct waits *waits, struct waits_flow *flow)
{
    if (flow->untaken == flow->posted.tail)
        return NULL;
    return waits_message_at(waits, waits_row_at(&flow->posted, flow->untaken++));
}

static void on_asked(struct waits *waits, struct waits_flow *flow, const struct probe_work *work)
{
    struct waits_message *message = next_untaken(waits, flow);
    if (message == NULL)
        return;
    struct waits_flow *back = waits_flow_to(waits, work->flow.endpoint, work->flow.qpn);
    add_request(waits, flow, message, work->at);
    waits_transit_forget(flow, WAITS_REQUEST, message->psn, 0);
    waits_flow_advance(waits, back, work->at);
    message->asked = true;
    message->asked_at = back->clock;
}

static void on_taken(struct waits *waits, struct waits_flow *flow, const struct probe_work *work)
{
    struct waits_message *message = next_untaken(waits, flow);
    if (message == NULL)
        return;
    add_request(waits, flow, message, work->at);
    waits_transit_forget(flow, WAITS_REQUEST, message->psn, 0);
    message->taken_at = work->at;
    message->leg.ps[WAITS_RNIC] += work->heard_at - work->at;
    message->leg.until = work->heard_at;
    message->leg.by_interrupt = work->by_interrupt;
    if (!message->answer)
        return;
    message->references++;
    waits_row_push(&flow->answers, waits_row_at(&flow->posted, flow->untaken - 1));
    waits_messages_join(waits, waits_flow_to(waits, flow->endpoint, flow->qpn));
}

/* Forgets what is both completed and taken. */
static void forget_over(struct waits *waits, struct waits_flow *flow)
{
    const uint64_t over = flow->untaken < flow->uncompleted ? flow->untaken : flow->uncompleted;
    while (flow->posted.head < over)
        waits_message_release(waits, waits_row_at(&flow->posted, flow->posted.head++));
}

static void end_own(struct waits *waits, struct waits_flow *flow, uint32_t index)
{
    waits_message_at(waits, index)->references++;
    waits_row_push(&flow->done, index);
    waits_messages_join(waits, flow);
}

static void on_completed(struct waits *waits, struct waits_flow *flow,
                         const struct probe_work *work)
{
    if (flow->uncompleted == flow->posted.tail)
        return;
    const uint32_t index = waits_row_at(&flow->posted, flow->uncompleted++);
    struct waits_message *message = waits_message_at(waits, index);
    struct waits_flow *back = waits_flow_to(waits, work->flow.endpoint, work->flow.qpn);
    message->heard_at = work->heard_at;
    if (work->good && message->operation == PROBE_WORK_READ) {
        add_response(back, message, work->psn, work->at);
        message->leg.ps[WAITS_RNIC] += work->heard_at - work->at;
        message->leg.until = work->heard_at;
        message->leg.by_interrupt = work->by_interrupt;
    } else if (work->good && message->own) {
        add_acknowledgement(back, message, work->at);
        message->ack.ps[WAITS_RNIC] += work->heard_at - work->at;
        message->ack.until = work->heard_at;
        message->ack.by_interrupt = work->by_interrupt;
    }
    if (message->own)
        end_own(waits, flow, index);
    forget_over(waits, flow);
}

void waits_work(struct waits *waits, const struct probe_work *work)
{
    struct waits_flow *flow = waits_flow_to(waits, work->flow.peer, work->flow.peer_qpn);
    switch ((enum probe_work_kind)work->kind) {
    case PROBE_WORK_POSTED:
        on_posted(waits, flow, work);
        return;
    case PROBE_WORK_ASKED:
        on_asked(waits, flow, work);
        forget_over(waits, flow);
        return;
    case PROBE_WORK_TAKEN:
        on_taken(waits, flow, work);
        forget_over(waits, flow);
        return;
    case PROBE_WORK_COMPLETED:
        on_completed(waits, flow, work);
        return;
    }
}
