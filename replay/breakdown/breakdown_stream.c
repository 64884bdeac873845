/* SPDX-License-Identifier: Apache-2.0
 * breakdown_stream - messages on TCP connections.
 * A message is a range of sequence numbers. Its receiver has it when the last of these bytes, and
 * all before them, were delivered in order. It waits for its last segment or, if that was there
 * before, for the retransmission that filled the last gap. Followed from port to port are segments
 * in which a message ends and those that were sent again. */
#include "base/memory.h"
#include "net/frame/frame.h"
#include "replay/breakdown/breakdown_private.h"

#include <stdlib.h>
#include <string.h>

void breakdown_stream_free(struct breakdown_stream *stream)
{
    if (stream == NULL)
        return;
    free(stream->sent);
    free(stream->deliveries);
    free(stream);
}

/* ------------------------------------------------------------------ segments that were sent */

/* Index of the first segment that is not before `psn`. */
static uint32_t place_of(const struct breakdown_stream *stream, uint32_t psn)
{
    uint32_t low = stream->sent_first, high = stream->sent_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (breakdown_apart(stream->sent[middle].psn, psn) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct breakdown_sent *find_sent(const struct breakdown_stream *stream, uint32_t psn)
{
    const uint32_t at = place_of(stream, psn);
    return at < stream->sent_count && stream->sent[at].psn == psn ? &stream->sent[at] : NULL;
}

static void close_gap(struct breakdown_stream *stream)
{
    if (stream->sent_first == 0 || stream->sent_first < stream->sent_count / 2)
        return;
    stream->sent_count -= stream->sent_first;
    memmove(stream->sent, stream->sent + stream->sent_first,
            stream->sent_count * sizeof *stream->sent);
    stream->sent_first = 0;
}

static void add_sent(struct breakdown_flow *flow, uint32_t psn, time_ps before)
{
    struct breakdown_stream *stream = flow->stream;
    close_gap(stream);
    stream->sent =
        memory_grown(stream->sent, stream->sent_count, &stream->sent_room, sizeof *stream->sent);
    const uint32_t at = place_of(stream, psn);
    memmove(stream->sent + at + 1, stream->sent + at,
            (stream->sent_count - at) * sizeof *stream->sent);
    stream->sent[at] = (struct breakdown_sent){psn, before, flow->clock};
    stream->sent_count++;
}

/* Notes which messages begin and end in a segment that leaves for the first time. Returns whether
 * one ends, and where the first of these starts. */
static bool note_messages(struct breakdown *breakdown, struct breakdown_flow *flow,
                          const struct probe_segment *segment, uint32_t *start)
{
    const uint32_t end = segment->hop.psn + segment->payload;
    bool ends = false;
    for (uint64_t at = flow->unsent; at < flow->stream->unbuffered; at++) {
        struct breakdown_message *message =
            breakdown_message_at(breakdown, breakdown_row_at(&flow->posted, at));
        if (breakdown_apart(message->start, end) >= 0)
            break;
        if (!message->begun) {
            message->begun = true;
            message->first = flow->clock;
        }
        if (breakdown_apart(message->end, end) > 0)
            break;
        message->sent = true;
        message->psn = segment->hop.psn;
        if (!ends)
            *start = breakdown_message_lead(breakdown, message)->start;
        ends = true;
        flow->unsent = at + 1;
    }
    return ends;
}

static void leave_host(struct breakdown *breakdown, struct breakdown_flow *flow,
                       const struct probe_segment *segment)
{
    const struct probe_hop *hop = &segment->hop;
    const uint32_t end = hop->psn + segment->payload;
    const bool again = find_sent(flow->stream, hop->psn) != NULL;
    const time_ps before = flow->busy_until;
    uint32_t start = hop->psn;
    flow->port = breakdown->fabric->first_port[hop->node] + hop->port;
    flow->priority = hop->priority;
    breakdown_flow_advance(breakdown, flow, hop->at);
    flow->busy_until = hop->at + hop->wire_ps;
    flow->resending = again;
    if (breakdown_apart(end, flow->stream->left) > 0)
        flow->stream->left = end;
    if (!again)
        add_sent(flow, hop->psn, before);
    const bool ends = !again && note_messages(breakdown, flow, segment, &start);
    struct breakdown_transit *transit =
        again || ends ? breakdown_transit_begin(breakdown, flow, hop, BREAKDOWN_REQUEST) : NULL;
    if (transit != NULL)
        transit->start = start;
}

void breakdown_segment(struct breakdown *breakdown, const struct probe_segment *segment)
{
    const struct probe_hop *hop = &segment->hop;
    struct breakdown_flow *flow =
        breakdown_flow_of_stream(breakdown, segment->source, hop->destination, hop->qpn);
    flow->stream->exchange = hop->opcode == FRAME_FC;
    if (breakdown->fabric->is_host[hop->node]) {
        leave_host(breakdown, flow, segment);
        return;
    }
    breakdown_transit_on(breakdown, flow, hop, BREAKDOWN_REQUEST);
    breakdown_transit_pass(breakdown, flow, hop);
}

void breakdown_stream_lost(struct breakdown *breakdown, const struct probe_drop *drop)
{
    if (drop->payload > 0)
        breakdown_transit_lost(
            breakdown,
            breakdown_flow_of_stream(breakdown, drop->source, drop->destination, drop->qpn), drop,
            BREAKDOWN_REQUEST);
}

/* ------------------------------------------------------------------ arrival */

static void on_arrived(struct breakdown_flow *flow, const struct probe_stream *arrived)
{
    for (uint32_t i = 0; i < flow->arrived.count; i++) {
        struct breakdown_transit *transit = &flow->arrived.list[i];
        if (transit->psn != arrived->number || transit->drained_at != 0 ||
            transit->arrives_at > arrived->at)
            continue;
        transit->drained_at = arrived->at;
        return;
    }
}

static void on_delivered(struct breakdown_stream *stream, const struct probe_stream *delivered)
{
    stream->deliveries = memory_grown(stream->deliveries, stream->delivery_count,
                                      &stream->delivery_room, sizeof *stream->deliveries);
    stream->deliveries[stream->delivery_count++] = (struct breakdown_delivery){
        delivered->number, delivered->woken_at, delivered->begun_at, delivered->at};
}

/* The delivery that completed the message; earlier ones are forgotten. */
static const struct breakdown_delivery *find_delivery(struct breakdown_stream *stream, uint32_t end)
{
    uint32_t over = 0;
    while (over < stream->delivery_count && breakdown_apart(stream->deliveries[over].end, end) < 0)
        over++;
    stream->delivery_count -= over;
    if (over > 0)
        memmove(stream->deliveries, stream->deliveries + over,
                stream->delivery_count * sizeof *stream->deliveries);
    return stream->delivery_count > 0 ? &stream->deliveries[0] : NULL;
}

/* The first copy of the segment that arrived until then. */
static const struct breakdown_transit *first_copy(const struct breakdown_flow *flow, uint32_t psn,
                                                  time_ps until)
{
    const struct breakdown_transit *found = NULL;
    for (uint32_t i = 0; i < flow->arrived.count; i++) {
        const struct breakdown_transit *transit = &flow->arrived.list[i];
        if (transit->psn == psn && transit->drained_at != 0 && transit->drained_at <= until &&
            (found == NULL || transit->drained_at < found->drained_at))
            found = transit;
    }
    return found;
}

/* The segment whose arrival completed the message: its last one, or one before it that was sent
 * again after the message was posted and arrived later. */
static const struct breakdown_transit *last_to_arrive(const struct breakdown_flow *flow,
                                                      const struct breakdown_message *message,
                                                      time_ps until)
{
    const struct breakdown_transit *found = first_copy(flow, message->psn, until);
    for (uint32_t i = 0; found != NULL && i < flow->arrived.count; i++) {
        const struct breakdown_transit *transit = &flow->arrived.list[i];
        if (breakdown_apart(transit->psn, message->psn) < 0 &&
            breakdown_apart(transit->psn, flow->stream->known) >= 0 &&
            transit->drained_at > found->drained_at && transit->sent.at >= message->posted.at &&
            transit == first_copy(flow, transit->psn, until))
            found = transit;
    }
    return found;
}

/* ------------------------------------------------------------------ messages */

/* From the arrival of the last segment until its bytes were delivered. Until `filled_at`, a segment
 * of an earlier message was missing. */
static void add_receiver(struct breakdown_leg *leg, const struct breakdown_transit *transit,
                         time_ps filled_at, const struct breakdown_delivery *delivery)
{
    const time_ps woken_at = time_earlier(delivery->woken_at, delivery->begun_at);
    const time_ps interrupted = time_later(woken_at, filled_at);
    leg->ps[BREAKDOWN_RECEIVER] += transit->drained_at - transit->arrives_at;
    if (!leg->of_stream) {
        leg->ps[BREAKDOWN_RNIC] += delivery->at - transit->drained_at;
        return;
    }
    leg->ps[BREAKDOWN_RETRANSMISSION] += filled_at - transit->drained_at;
    leg->ps[BREAKDOWN_COMPLETION] += interrupted - filled_at;
    leg->core_wait += delivery->begun_at - interrupted;
    leg->core += delivery->at - delivery->begun_at;
}

/* Index of the segment with that byte. */
static uint32_t segment_of(const struct breakdown_stream *stream, uint32_t byte)
{
    const uint32_t at = place_of(stream, byte);
    return at > stream->sent_first &&
                   (at == stream->sent_count || stream->sent[at].psn != byte)
               ? at - 1
               : at;
}

/* The time by which the message's own segments had arrived. */
static time_ps own_arrival(const struct breakdown_flow *flow,
                           const struct breakdown_message *message, uint32_t first, time_ps until)
{
    time_ps last = 0;
    for (uint32_t i = 0; i < flow->arrived.count; i++) {
        const struct breakdown_transit *transit = &flow->arrived.list[i];
        if (breakdown_apart(transit->psn, first) >= 0 &&
            breakdown_apart(transit->psn, message->psn) <= 0 &&
            transit == first_copy(flow, transit->psn, until))
            last = time_later(last, transit->drained_at);
    }
    return last;
}

/* From posting until the segment before its first one had left. */
static time_ps wait_to_leave(const struct breakdown_stream *stream, uint32_t at, time_ps posted)
{
    if (at >= stream->sent_count)
        return 0;
    const time_ps left = time_earlier(stream->sent[at].before, stream->sent[at].clock.at);
    return left > posted ? left - posted : 0;
}

/* What of the message's time was spent behind other messages: until those before it had left, and
 * from its own arrival until theirs at `filled_at`. Its lead is of the same command. */
static void find_behind(const struct breakdown *breakdown, const struct breakdown_flow *flow,
                        struct breakdown_message *message, time_ps filled_at, time_ps until)
{
    const struct breakdown_stream *stream = flow->stream;
    const struct breakdown_message *lead = breakdown_message_lead(breakdown, message);
    const uint32_t at = segment_of(stream, message->start);
    const uint32_t first = at < stream->sent_count ? stream->sent[at].psn : message->start;
    message->own_at = own_arrival(flow, message, first, until);
    if (lead != message) {
        message->own_at = time_later(message->own_at, lead->own_at);
        message->leg.behind.sent = lead->leg.behind.sent;
    } else {
        message->leg.behind.sent = wait_to_leave(stream, at, message->posted.at);
    }
    if (message->own_at > 0 && filled_at > message->own_at)
        message->leg.behind.lost = filled_at - message->own_at;
}

/* From posting until the receiver's TCP has delivered all of it. */
static void add_leg(const struct breakdown *breakdown, struct breakdown_flow *flow,
                    struct breakdown_message *message)
{
    struct breakdown_leg *leg = &message->leg;
    const struct breakdown_delivery *delivery = find_delivery(flow->stream, message->end);
    const struct breakdown_transit *transit =
        delivery == NULL || !message->sent ? NULL
                                           : last_to_arrive(flow, message, delivery->begun_at);
    const struct breakdown_sent *sent =
        transit == NULL ? NULL : find_sent(flow->stream, transit->psn);
    leg->from = sent == NULL ? TIME_NEVER : message->posted.at;
    if (sent == NULL)
        return; /* it fits no time of a command, so that is untraced */
    const struct breakdown_clock *first =
        sent->clock.at > message->posted.at ? &sent->clock : &message->posted;
    const struct breakdown_message *lead = breakdown_message_lead(breakdown, message);
    const bool led =
        lead->begun && lead->first.at >= message->posted.at && lead->first.at <= first->at;
    const struct breakdown_clock *begun = led ? &lead->first : first;
    const enum breakdown_part nothing =
        flow->stream->exchange ? BREAKDOWN_RNIC : BREAKDOWN_HOST_CPU;
    breakdown_leg_clock(leg, flow, &message->posted, begun, BREAKDOWN_QUEUED, nothing);
    breakdown_leg_clock(leg, flow, begun, first, BREAKDOWN_SERIALISATION, nothing);
    leg->of_stream = !flow->stream->exchange;
    leg->ps[BREAKDOWN_RETRANSMISSION] += transit->sent.at - first->at;
    breakdown_leg_transit(leg, transit);
    const time_ps filled_at = time_later(transit->drained_at, flow->stream->filled_at);
    flow->stream->filled_at = filled_at;
    add_receiver(leg, transit, filled_at, delivery);
    if (leg->of_stream)
        find_behind(breakdown, flow, message, filled_at, delivery->begun_at);
    leg->until = delivery->at;
    leg->whole = true;
}

static bool is_before(const struct breakdown_transit *transit, const void *what)
{
    return breakdown_apart(transit->psn, *(const uint32_t *)what) < 0;
}

/* Forgets segments before the last one of the message. */
static void forget_before(struct breakdown_flow *flow, uint32_t psn)
{
    struct breakdown_stream *stream = flow->stream;
    if (breakdown_apart(psn, stream->known) <= 0)
        return;
    stream->known = psn;
    stream->sent_first = place_of(stream, psn);
    breakdown_transit_remove(&flow->crossing, is_before, &psn);
    breakdown_transit_remove(&flow->arrived, is_before, &psn);
}

static void on_taken(struct breakdown *breakdown, struct breakdown_flow *flow, uint32_t end,
                     time_ps at)
{
    struct breakdown_stream *stream = flow->stream;
    while (flow->untaken < stream->unbuffered) {
        const uint32_t index = breakdown_row_at(&flow->posted, flow->untaken);
        struct breakdown_message *message = breakdown_message_at(breakdown, index);
        if (breakdown_apart(message->end, end) > 0)
            return;
        add_leg(breakdown, flow, message);
        message->leg.taken = at;
        if (message->sent)
            forget_before(flow, message->psn);
        flow->posted.head = ++flow->untaken;
        flow->unsent = flow->unsent > flow->untaken ? flow->unsent : flow->untaken;
        breakdown_message_release(breakdown, stream->taken);
        stream->taken = index;
    }
}

static void on_buffered(struct breakdown *breakdown, struct breakdown_flow *flow, uint32_t end)
{
    struct breakdown_stream *stream = flow->stream;
    if (stream->unbuffered == flow->posted.tail)
        return;
    struct breakdown_message *message =
        breakdown_message_at(breakdown, breakdown_row_at(&flow->posted, stream->unbuffered++));
    message->start = stream->buffered;
    message->end = stream->buffered = end;
}

static void on_posted(struct breakdown *breakdown, struct breakdown_flow *flow,
                      const struct probe_stream *posted)
{
    const bool data = posted->kind == PROBE_STREAM_POSTED_DATA;
    const uint32_t index = breakdown_message_post(
        breakdown, flow, data ? PROBE_WORK_WRITE : PROBE_WORK_SEND, posted->at);
    if (!data)
        breakdown_message_find_lead(breakdown, flow, index);
    if (posted->kind != PROBE_STREAM_POSTED_ANSWER)
        return;
    const struct breakdown_flow *back = breakdown_flow_of_stream(
        breakdown, posted->flow.peer, posted->flow.endpoint, posted->flow.peer_qpn);
    if (back->stream->taken == BREAKDOWN_NONE)
        return;
    struct breakdown_message *answered = breakdown_message_at(breakdown, back->stream->taken);
    breakdown_message_release(breakdown, answered->follower);
    answered->follower = index;
    breakdown_message_at(breakdown, index)->references++;
}

/* A connection with the ports of an earlier one begins anew. */
static void on_open(struct breakdown *breakdown, struct breakdown_flow *flow, uint32_t number)
{
    struct breakdown_stream *stream = flow->stream;
    while (flow->posted.head < flow->posted.tail)
        breakdown_message_release(breakdown, breakdown_row_at(&flow->posted, flow->posted.head++));
    flow->unsent = flow->untaken = stream->unbuffered = flow->posted.tail;
    flow->crossing.count = flow->arrived.count = 0;
    for (uint32_t i = 0; i < flow->passed_count; i++)
        flow->passed[i].count = 0;
    breakdown_message_release(breakdown, stream->taken);
    stream->taken = BREAKDOWN_NONE;
    stream->sent_first = stream->sent_count = stream->delivery_count = 0;
    stream->filled_at = 0;
    stream->buffered = stream->handed = stream->left = stream->known = number;
}

void breakdown_stream(struct breakdown *breakdown, const struct probe_stream *stream)
{
    struct breakdown_flow *flow = breakdown_flow_of_stream(breakdown, stream->flow.endpoint,
                                                           stream->flow.peer, stream->flow.qpn);
    switch ((enum probe_stream_kind)stream->kind) {
    case PROBE_STREAM_OPEN:
        on_open(breakdown, flow, stream->number);
        return;
    case PROBE_STREAM_HOLD:
        breakdown_flow_advance(breakdown, flow, stream->at);
        flow->state = stream->state;
        flow->stream->handed = stream->number;
        return;
    case PROBE_STREAM_POSTED:
    case PROBE_STREAM_POSTED_DATA:
    case PROBE_STREAM_POSTED_ANSWER:
        on_posted(breakdown, flow, stream);
        return;
    case PROBE_STREAM_BUFFERED:
        on_buffered(breakdown, flow, stream->number);
        return;
    case PROBE_STREAM_ARRIVED:
        on_arrived(flow, stream);
        return;
    case PROBE_STREAM_DELIVERED:
        on_delivered(flow->stream, stream);
        return;
    case PROBE_STREAM_TAKEN:
        on_taken(breakdown, flow, stream->number, stream->at);
        return;
    }
}
