/* SPDX-License-Identifier: Apache-2.0
 * fc_receive - frames as units.
 * The fabric keeps the order of an exchange's frames, so a gap is a lost frame. */
#include "fc/fc_private.h"

/* A unit without data has at most one frame of the largest size. */
enum { UNIT_MOST = WIRE_FC_DATA_MOST };

static bool is_first(uint8_t r_ctl)
{
    return r_ctl == FC_RCTL_COMMAND || r_ctl == FC_RCTL_LS_REQUEST || r_ctl == FC_RCTL_ELS_REQUEST;
}

static bool opens(const struct fc_header *header)
{
    return (header->f_ctl & FC_FCTL_RESPONDER) == 0 && header->rx_id == FC_XID_UNKNOWN &&
           is_first(header->r_ctl) && header->seq_cnt == 0;
}

/* A peer's exchange whose own identifier the peer does not know yet. */
static struct fc_exchange *find_by_peer(const struct fc *fc, uint32_t source, uint16_t ox_id)
{
    for (uint32_t i = 0; i < fc->table_room; i++) {
        struct fc_exchange *exchange = fc->table[i];
        if (exchange != NULL && exchange->responder && exchange->peer == source &&
            exchange->peer_id == ox_id && !exchange->closed)
            return exchange;
    }
    return NULL;
}

static struct fc_exchange *find(const struct fc *fc, const struct frame *frame,
                                const struct fc_header *header)
{
    const bool from_responder = (header->f_ctl & FC_FCTL_RESPONDER) != 0;
    const uint16_t own = from_responder ? header->ox_id : header->rx_id;
    const uint16_t other = from_responder ? header->rx_id : header->ox_id;
    if (own == FC_XID_UNKNOWN)
        return find_by_peer(fc, frame->source, other);
    struct fc_exchange *exchange = fc_exchange_at(fc, own);
    if (exchange == NULL || exchange->closed || exchange->peer != frame->source ||
        exchange->responder == from_responder)
        return NULL;
    if (exchange->peer_id == FC_XID_UNKNOWN)
        exchange->peer_id = other;
    return exchange->peer_id == other ? exchange : NULL;
}

static void acknowledge_abort(struct fc *fc, const struct frame *frame,
                              const struct fc_header *header)
{
    const bool from_responder = (header->f_ctl & FC_FCTL_RESPONDER) != 0;
    struct fc_exchange *teller =
        fc_open(fc, fc->site.first_ip + frame->source, &(struct fc_user){0});
    unsigned char accept[12] = {0}; /* SEQ_ID, OX_ID, RX_ID, lowest and highest SEQ_CNT */
    if (teller == NULL)
        return;
    accept[4] = (unsigned char)(header->ox_id >> 8);
    accept[5] = (unsigned char)header->ox_id;
    accept[6] = (unsigned char)(header->rx_id >> 8);
    accept[7] = (unsigned char)header->rx_id;
    accept[10] = accept[11] = 0xFF;
    const uint32_t own = from_responder ? header->ox_id : header->rx_id;
    const uint32_t other = from_responder ? header->rx_id : header->ox_id;
    fc_send_last(teller, &(struct fc_unit){.r_ctl = FC_RCTL_BA_ACC,
                                           .type = FC_TYPE_BLS,
                                           .last = true,
                                           .offset = own << 16 | other,
                                           .content = !from_responder,
                                           .bytes = accept,
                                           .length = sizeof accept});
}

static void receive_link_service(struct fc *fc, const struct frame *frame,
                                 const struct fc_header *header)
{
    if (header->r_ctl != FC_RCTL_ABTS)
        return;
    struct fc_exchange *exchange = find(fc, frame, header);
    fc->counters.aborts_rx++;
    acknowledge_abort(fc, frame, header);
    if (exchange != NULL)
        fc_exchange_fail(exchange, "the peer aborted the exchange (ABTS)");
}

/* ------------------------------------------------------------------ sequences */

static void begin_unit(struct fc_exchange *exchange, const struct fc_header *header)
{
    exchange->unit = fc_event_take(exchange->fc, FC_EVENT_UNIT, exchange);
    exchange->arriving = true;
    exchange->rx_seq = header->seq_id;
    exchange->rx_next = 0;
    exchange->unit->unit =
        (struct fc_unit){.r_ctl = header->r_ctl, .type = header->type, .offset = header->parameter};
}

static void abandon_unit(struct fc_exchange *exchange)
{
    struct fc_event *unit = exchange->unit;
    exchange->arriving = false;
    exchange->unit = NULL;
    if (unit != NULL)
        fc_event_give(exchange->fc, unit);
}

/* True: the frame is the next of its unit, and data continue what has arrived. */
static bool continues(struct fc_exchange *exchange, const struct frame *frame,
                      const struct fc_header *header)
{
    if (header->seq_cnt == 0 && !exchange->arriving)
        begin_unit(exchange, header);
    if (!exchange->arriving || header->seq_id != exchange->rx_seq ||
        header->seq_cnt != exchange->rx_next || header->r_ctl != exchange->unit->unit.r_ctl)
        return false;
    if (header->r_ctl == FC_RCTL_DATA)
        return header->parameter == exchange->received;
    return exchange->unit->unit.length + frame->payload <= UNIT_MOST;
}

static void store_data(struct fc_exchange *exchange, const struct frame *frame)
{
    const uint32_t at = exchange->received;
    exchange->received += frame->payload;
    exchange->unit->unit.content = frame->content;
    if (exchange->into != NULL && frame->blob != POOL_NONE && at < exchange->into_length)
        memcpy(exchange->into + at, frame_blob(exchange->fc->site.port->frames, frame),
               fc_min(frame->payload, exchange->into_length - at));
}

static void store_bytes(struct fc_exchange *exchange, const struct frame *frame, bool whole)
{
    struct fc_event *event = exchange->unit;
    unsigned char *room = fc_event_room(event, whole ? frame->payload : UNIT_MOST);
    if (frame->blob != POOL_NONE)
        memcpy(room + event->unit.length, frame_blob(exchange->fc->site.port->frames, frame),
               frame->payload);
    else if (frame->payload > 0)
        memset(room + event->unit.length, 0, frame->payload);
    event->unit.bytes = room;
}

static void take_frame(struct fc_exchange *exchange, const struct frame *frame,
                       const struct fc_header *header, bool first, time_ps now)
{
    struct fc *fc = exchange->fc;
    const bool end = (header->f_ctl & FC_FCTL_END_SEQ) != 0;
    if (!continues(exchange, frame, header)) {
        abandon_unit(exchange);
        fc->counters.lost_frames++;
        fc_exchange_fail(exchange, "a frame of the exchange was lost");
        return;
    }
    exchange->rx_next++;
    exchange->unit->opens |= first;
    if (header->r_ctl == FC_RCTL_DATA)
        store_data(exchange, frame);
    else
        store_bytes(exchange, frame, end && header->seq_cnt == 0);
    exchange->unit->unit.length += frame->payload;
    if (!end)
        return;
    struct fc_event *unit = exchange->unit;
    const uint32_t number = frame_exchange_number(frame);
    exchange->unit = NULL;
    exchange->arriving = false;
    unit->end = number + 1;
    fc_watch_arrive(exchange, number);
    fc_report(fc, unit, now + fc->site.rx_delay);
}

static void receive(struct fc *fc, const struct frame *frame, time_ps now)
{
    const struct fc_header header = fc_header_of(frame);
    fc->counters.frames_rx++;
    fc->counters.bytes_rx += frame->payload;
    if (header.type == FC_TYPE_BLS) {
        receive_link_service(fc, frame, &header);
        return;
    }
    const bool first = opens(&header);
    struct fc_exchange *exchange =
        first ? fc_exchange_make(fc, frame->source) : find(fc, frame, &header);
    if (exchange == NULL || exchange->failed) {
        fc->counters.stray++;
        return;
    }
    if (first) {
        exchange->responder = true;
        exchange->peer_id = header.ox_id;
    }
    take_frame(exchange, frame, &header, first, now);
}

void fc_receive(struct fc *fc, uint32_t handle, time_ps now)
{
    receive(fc, frame_at(fc->site.port->frames, handle), now);
    frame_give(fc->site.port->frames, handle);
}
