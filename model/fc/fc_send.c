/* SPDX-License-Identifier: Apache-2.0
 * fc_send - units as frames. */
#include "base/hash.h"
#include "base/memory.h"
#include "fc/fc_private.h"

#include <stdlib.h>

static struct fc_out *take_out(struct fc *fc)
{
    struct fc_out *out = fc->free_outs;
    if (out != NULL)
        fc->free_outs = out->next;
    else
        out = memory_new(sizeof *out);
    out->next = NULL;
    out->sent = 0;
    out->closes = false;
    out->more = NULL;
    return out;
}

static void give_out(struct fc *fc, struct fc_out *out)
{
    struct fc_exchange *exchange = out->exchange;
    free(out->more);
    out->next = fc->free_outs;
    fc->free_outs = out;
    exchange->outs--;
    fc_exchange_settle(exchange);
}

/* Units other than data are copied. */
static void keep_bytes(struct fc_out *out)
{
    const struct fc_unit *unit = &out->unit;
    if (unit->bytes == NULL || unit->length == 0 || unit->r_ctl == FC_RCTL_DATA)
        return;
    unsigned char *copy = out->small;
    if (unit->length > FC_SMALL_BYTES)
        copy = out->more = memory_new(unit->length);
    memcpy(copy, unit->bytes, unit->length);
    out->unit.bytes = copy;
}

static struct fc_out *post(struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct fc *fc = exchange->fc;
    struct fc_out *out = take_out(fc);
    CHECK(!exchange->closed);
    out->exchange = exchange;
    out->unit = *unit;
    out->due = env_now(fc->site.env) + fc->site.tx_delay;
    keep_bytes(out);
    fc_watch_post(exchange, out);
    exchange->outs++;
    exchange->started = true;
    if (fc->outbox_first == NULL)
        fc->outbox_first = out;
    else
        fc->outbox_last->next = out;
    fc->outbox_last = out;
    if (fc->outbox_first == out)
        env_timer_set(fc->site.env, &fc->send_timer, out->due);
    return out;
}

void fc_send(struct fc_exchange *exchange, const struct fc_unit *unit)
{
    post(exchange, unit);
}

void fc_send_last(struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct fc_out *out = post(exchange, unit);
    out->closes = true;
    exchange->closed = true;
}

/* ------------------------------------------------------------------ exchanges with frames */

static void list_ready(struct fc_exchange *exchange)
{
    struct fc *fc = exchange->fc;
    exchange->ready = true;
    exchange->next_ready = NULL;
    if (fc->ready_first == NULL)
        fc->ready_first = exchange;
    else
        fc->ready_last->next_ready = exchange;
    fc->ready_last = exchange;
}

static void note_ready(struct fc *fc)
{
    struct port *port = fc->site.port;
    port->ready = (uint8_t)((port->ready & ~1u) | (fc->ready_first != NULL));
}

static void unlist(struct fc_exchange *exchange)
{
    struct fc *fc = exchange->fc;
    struct fc_exchange **link = &fc->ready_first, *before = NULL;
    if (!exchange->ready)
        return;
    while (*link != exchange) {
        before = *link;
        link = &before->next_ready;
    }
    *link = exchange->next_ready;
    if (fc->ready_last == exchange)
        fc->ready_last = before;
    exchange->ready = false;
    note_ready(fc);
}

/* Those whose delay has not passed stay in the outbox, and are dropped there. */
void fc_drop_outs(struct fc_exchange *exchange)
{
    struct fc *fc = exchange->fc;
    unlist(exchange);
    while (exchange->first != NULL) {
        struct fc_out *out = exchange->first;
        exchange->first = out->next;
        give_out(fc, out);
    }
}

void fc_on_send(void *self, time_ps now)
{
    struct fc *fc = self;
    while (fc->outbox_first != NULL && fc->outbox_first->due <= now) {
        struct fc_out *out = fc->outbox_first;
        struct fc_exchange *exchange = out->exchange;
        fc->outbox_first = out->next;
        out->next = NULL;
        if (exchange->closed && !out->closes) {
            give_out(fc, out);
            continue;
        }
        if (exchange->first == NULL)
            exchange->first = out;
        else
            exchange->last->next = out;
        exchange->last = out;
        fc_watch_ready(exchange, out);
        if (!exchange->ready)
            list_ready(exchange);
    }
    if (fc->outbox_first != NULL)
        env_timer_set(fc->site.env, &fc->send_timer, fc->outbox_first->due);
    note_ready(fc);
    if (fc->ready_first != NULL)
        fc->site.kick(fc->site.nic);
}

/* ------------------------------------------------------------------ frames */

static struct fc_header header_of(const struct fc_exchange *exchange, const struct fc_out *out,
                                  uint32_t length)
{
    const struct fc_unit *unit = &out->unit;
    const bool end = out->sent + length == unit->length, data = unit->r_ctl == FC_RCTL_DATA;
    const bool link = unit->type == FC_TYPE_BLS; /* about another exchange */
    const bool responder = link ? unit->content != 0 : exchange->responder;
    const uint16_t own = link ? (uint16_t)(unit->offset >> 16) : exchange->id;
    const uint16_t other = link ? (uint16_t)unit->offset : exchange->peer_id;
    uint32_t f_ctl = (responder ? FC_FCTL_RESPONDER : 0) | (data ? FC_FCTL_OFFSET : 0) |
                     (exchange->seq_id == 0 && !responder ? FC_FCTL_FIRST_SEQ : 0);
    if (end)
        f_ctl |= FC_FCTL_END_SEQ | (unit->last ? FC_FCTL_LAST_SEQ : 0) |
                 (unit->initiative ? FC_FCTL_INITIATIVE : 0) | ((0 - length) & FC_FCTL_PAD);
    return (struct fc_header){
        .r_ctl = unit->r_ctl,
        .type = unit->type,
        .seq_id = exchange->seq_id,
        .seq_cnt = (uint16_t)(out->sent / exchange->fc->data_most),
        .f_ctl = f_ctl,
        .ox_id = responder ? other : own,
        .rx_id = responder ? own : other,
        .parameter = data ? unit->offset + out->sent : 0,
    };
}

static uint32_t make_frame(struct fc_exchange *exchange, const struct fc_out *out, uint32_t length)
{
    struct fc *fc = exchange->fc;
    const struct fc_unit *unit = &out->unit;
    const uint32_t handle = frame_take(fc->site.port->frames);
    struct frame *frame = frame_at(fc->site.port->frames, handle);
    *frame = (struct frame){
        .next = POOL_NONE,
        .ttl = fc->site.ttl,
        .bytes = (uint16_t)fc_frame_bytes(length),
        .opcode = FRAME_FC,
        .payload = (uint16_t)length,
        .source = fc->site.endpoint,
        .destination = exchange->peer,
        .content = unit->content,
        .blob = POOL_NONE,
    };
    const struct fc_header header = header_of(exchange, out, length);
    fc_header_store(&header, frame);
    /* Of several paths, the frames of an exchange take one: load sharing by S_ID, D_ID, OX_ID. */
    frame->entropy = (uint32_t)hash_mix((uint64_t)header.ox_id << 48 ^
                                        (uint64_t)(frame->source ^ frame->destination));
    if (unit->bytes != NULL && length > 0)
        memcpy(frame_blob_take(fc->site.port->frames, frame, length), unit->bytes + out->sent,
               length);
    fc->counters.frames_tx++;
    fc->counters.bytes_tx += length;
    return handle;
}

static void finish_out(struct fc_exchange *exchange, struct fc_out *out, time_ps now)
{
    struct fc *fc = exchange->fc;
    exchange->first = out->next;
    exchange->seq_id++;
    if (out->unit.cookie != 0) {
        struct fc_event *event = fc_event_take(fc, FC_EVENT_SENT, exchange);
        event->unit.cookie = out->unit.cookie;
        fc_report(fc, event, now + fc->site.rx_delay);
    }
}

/* The exchange that has been ready longest sends all that it has. */
uint32_t fc_next(struct fc *fc, time_ps now)
{
    struct fc_exchange *exchange = fc->ready_first;
    if (exchange == NULL) {
        note_ready(fc);
        return POOL_NONE;
    }
    struct fc_out *out = exchange->first;
    const uint32_t length = fc_min(out->unit.length - out->sent, fc->data_most);
    const uint32_t handle = make_frame(exchange, out, length);
    out->sent += length;
    if (out->sent < out->unit.length)
        return handle;
    finish_out(exchange, out, now);
    if (exchange->first == NULL)
        unlist(exchange);
    give_out(fc, out);
    return handle;
}
