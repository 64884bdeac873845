/* SPDX-License-Identifier: Apache-2.0
 * fc_exchange - exchanges and their identifiers.
 * Identifiers are used in a circle, so that a late frame rarely meets a new exchange with the
 * identifier of an old one. */
#include "base/memory.h"
#include "fc/fc_private.h"

#include <stdlib.h>

enum { TABLE_FEW = 1024 };

static void grow_table(struct fc *fc)
{
    const uint32_t room = fc->table_room == 0 ? TABLE_FEW : fc_min(2 * fc->table_room, FC_XIDS);
    struct fc_exchange **table = memory_zeroed(room, sizeof(struct fc_exchange *));
    for (uint32_t i = 0; i < fc->table_room; i++)
        table[i] = fc->table[i];
    free(fc->table);
    fc->table = table;
    fc->table_room = room;
}

struct fc_exchange *fc_exchange_make(struct fc *fc, uint32_t peer)
{
    if (2 * fc->in_use >= fc->table_room && fc->table_room < FC_XIDS)
        grow_table(fc);
    if (fc->in_use == fc->table_room)
        return NULL;
    while (fc->table[fc->table_next] != NULL)
        fc->table_next = (fc->table_next + 1) % fc->table_room;
    struct fc_exchange *exchange = memory_zeroed(1, sizeof *exchange);
    exchange->fc = fc;
    exchange->peer = peer;
    exchange->id = (uint16_t)fc->table_next;
    exchange->peer_id = FC_XID_UNKNOWN;
    fc->table[fc->table_next] = exchange;
    fc->table_next = (fc->table_next + 1) % fc->table_room;
    fc->in_use++;
    fc->counters.exchanges++;
    return exchange;
}

struct fc_exchange *fc_exchange_at(const struct fc *fc, uint16_t id)
{
    return id < fc->table_room ? fc->table[id] : NULL;
}

void fc_exchange_settle(struct fc_exchange *exchange)
{
    struct fc *fc = exchange->fc;
    if (!exchange->closed || exchange->events + exchange->outs > 0)
        return;
    CHECK(fc->table[exchange->id] == exchange && exchange->unit == NULL);
    fc->table[exchange->id] = NULL;
    fc->in_use--;
    free(exchange);
}

void fc_exchange_fail(struct fc_exchange *exchange, const char *why)
{
    if (exchange->failed || exchange->closed)
        return;
    exchange->failed = true;
    struct fc_event *event = fc_event_take(exchange->fc, FC_EVENT_FAILED, exchange);
    event->why = why;
    fc_report(exchange->fc, event, env_now(exchange->fc->site.env) + exchange->fc->site.rx_delay);
}

struct fc_exchange *fc_open(struct fc *fc, uint32_t ip, const struct fc_user *user)
{
    struct fc_exchange *exchange = fc_exchange_make(fc, ip - fc->site.first_ip);
    if (exchange != NULL)
        exchange->user = *user;
    return exchange;
}

void fc_set_user(struct fc_exchange *exchange, const struct fc_user *user)
{
    exchange->user = *user;
}

void fc_receive_into(struct fc_exchange *exchange, unsigned char *bytes, uint32_t length)
{
    exchange->into = bytes;
    exchange->into_length = length;
}

uint32_t fc_peer_ip(const struct fc_exchange *exchange)
{
    return exchange->fc->site.first_ip + exchange->peer;
}

/* What is partly sent is not finished: the memory may be gone. */
void fc_close(struct fc_exchange *exchange)
{
    CHECK(!exchange->closed);
    exchange->closed = true;
    exchange->events++; /* until the end of this function */
    if (exchange->unit != NULL) {
        fc_event_give(exchange->fc, exchange->unit);
        exchange->unit = NULL;
        exchange->arriving = false;
    }
    fc_drop_outs(exchange);
    exchange->events--;
    fc_exchange_settle(exchange);
}

/* The ABTS is a unit of the exchange, which ends when it has left. */
void fc_abort(struct fc_exchange *exchange)
{
    struct fc *fc = exchange->fc;
    const bool tell = exchange->started || exchange->responder;
    const uint32_t ip = fc_peer_ip(exchange);
    const uint16_t id = exchange->id, peer_id = exchange->peer_id;
    const bool responder = exchange->responder;
    fc_close(exchange);
    struct fc_exchange *teller = tell ? fc_open(fc, ip, &(struct fc_user){0}) : NULL;
    if (teller == NULL)
        return;
    /* It has the identifiers of the exchange that it ends, and none of its own on the wire. */
    const struct fc_unit abts = {
        .r_ctl = FC_RCTL_ABTS,
        .type = FC_TYPE_BLS,
        .last = true,
        .initiative = true,
        .offset = (uint32_t)id << 16 | peer_id,
        .content = responder,
    };
    fc->counters.aborts_tx++;
    fc_send_last(teller, &abts);
}
