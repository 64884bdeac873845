/* SPDX-License-Identifier: Apache-2.0
 * fc - an N_Port: creation, what it reports, audit. */
#include "base/memory.h"
#include "fc/fc_private.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ reports */

struct fc_event *fc_event_take(struct fc *fc, enum fc_event_kind kind, struct fc_exchange *exchange)
{
    struct fc_event *event = fc->free_events;
    if (event != NULL)
        fc->free_events = event->next;
    else
        event = memory_new(sizeof *event);
    event->next = NULL;
    event->kind = kind;
    event->exchange = exchange;
    event->unit = (struct fc_unit){0};
    event->opens = false;
    event->end = 0;
    event->why = NULL;
    event->call = NULL;
    event->self = NULL;
    event->more = NULL;
    if (exchange != NULL)
        exchange->events++;
    return event;
}

void fc_event_give(struct fc *fc, struct fc_event *event)
{
    struct fc_exchange *exchange = event->exchange;
    free(event->more);
    event->next = fc->free_events;
    fc->free_events = event;
    if (exchange == NULL)
        return;
    exchange->events--;
    fc_exchange_settle(exchange);
}

unsigned char *fc_event_room(struct fc_event *event, uint32_t length)
{
    if (length > FC_SMALL_BYTES && event->more == NULL)
        event->more = memory_new(length);
    return event->more != NULL ? event->more : event->small;
}

void fc_report(struct fc *fc, struct fc_event *event, time_ps due)
{
    event->due = due;
    event->next = NULL;
    if (fc->events_first == NULL)
        fc->events_first = event;
    else
        fc->events_last->next = event;
    fc->events_last = event;
    if (fc->events_first == event)
        env_timer_set(fc->site.env, &fc->report_timer, due);
}

static void report_unit(struct fc *fc, const struct fc_event *event)
{
    struct fc_exchange *exchange = event->exchange;
    const struct fc_unit *unit = &event->unit;
    fc_watch_take(exchange, event->end);
    if (!event->opens) {
        exchange->user.on_unit(exchange->user.self, exchange, unit);
        return;
    }
    if (unit->type == FC_TYPE_ELS) {
        fc_on_els(exchange, unit);
        return;
    }
    const struct fc_listener *listener = unit->type == FC_TYPE_NVME ? &fc->of_nvme : &fc->of_fcp;
    if (listener->on_exchange != NULL)
        listener->on_exchange(listener->self, exchange, unit);
    else
        fc_abort(exchange);
}

static void report(struct fc *fc, const struct fc_event *event)
{
    struct fc_exchange *exchange = event->exchange;
    if (event->kind == FC_EVENT_CALL) {
        if (event->call != NULL)
            event->call(event->self);
        return;
    }
    if (exchange->closed)
        return;
    switch (event->kind) {
    case FC_EVENT_UNIT:
        if (!exchange->failed)
            report_unit(fc, event);
        break;
    case FC_EVENT_SENT:
        if (exchange->user.on_sent != NULL)
            exchange->user.on_sent(exchange->user.self, exchange, event->unit.cookie);
        break;
    default:
        if (exchange->user.on_failed != NULL)
            exchange->user.on_failed(exchange->user.self, exchange, event->why);
        else
            fc_close(exchange);
    }
}

static void on_report(void *self, time_ps now)
{
    struct fc *fc = self;
    while (fc->events_first != NULL && fc->events_first->due <= now) {
        struct fc_event *event = fc->events_first;
        fc->events_first = event->next;
        report(fc, event);
        fc_event_give(fc, event);
    }
    if (fc->events_first != NULL)
        env_timer_set(fc->site.env, &fc->report_timer, fc->events_first->due);
}

void fc_defer(struct fc *fc, void (*call)(void *self), void *self)
{
    struct fc_event *event = fc_event_take(fc, FC_EVENT_CALL, NULL);
    event->call = call;
    event->self = self;
    fc_report(fc, event, env_now(fc->site.env) + fc->site.rx_delay);
}

void fc_forget(struct fc *fc, const void *self)
{
    for (struct fc_event *at = fc->events_first; at != NULL; at = at->next)
        if (at->kind == FC_EVENT_CALL && at->self == self)
            at->call = NULL;
}

/* ------------------------------------------------------------------ listeners */

static struct fc_listener *listener_of(struct fc *fc, uint8_t type)
{
    CHECK(type == FC_TYPE_NVME || type == FC_TYPE_FCP);
    return type == FC_TYPE_NVME ? &fc->of_nvme : &fc->of_fcp;
}

void fc_listen(struct fc *fc, uint8_t type, const struct fc_listener *listener)
{
    *listener_of(fc, type) = *listener;
}

void fc_unlisten(struct fc *fc, uint8_t type)
{
    *listener_of(fc, type) = (struct fc_listener){0};
}

const struct fc_counters *fc_counters(const struct fc *fc)
{
    return &fc->counters;
}

uint32_t fc_ip(const struct fc *fc)
{
    return fc->site.first_ip + fc->site.endpoint;
}

/* ------------------------------------------------------------------ creation, end, audit */

struct fc *fc_create(const struct fc_site *site)
{
    struct fc *fc = memory_zeroed(1, sizeof *fc);
    CHECK(site->port->params.kind == PORT_FIBRE_CHANNEL);
    fc->site = *site;
    fc->data_most = (uint32_t)site->port->params.mtu;
    fc->send_timer = (struct timer){.fire = fc_on_send, .self = fc, .due = TIME_NEVER};
    fc->report_timer = (struct timer){.fire = on_report, .self = fc, .due = TIME_NEVER};
    return fc;
}

static void free_outs(struct fc_out *first)
{
    while (first != NULL) {
        struct fc_out *out = first;
        first = out->next;
        free(out->more);
        free(out);
    }
}

/* Nothing is settled any more: what refers to an exchange is freed with it. */
void fc_destroy(struct fc *fc)
{
    while (fc->events_first != NULL) {
        struct fc_event *event = fc->events_first;
        fc->events_first = event->next;
        free(event->more);
        free(event);
    }
    free_outs(fc->outbox_first);
    for (uint32_t i = 0; i < fc->table_room; i++) {
        struct fc_exchange *exchange = fc->table[i];
        if (exchange == NULL)
            continue;
        free_outs(exchange->first);
        if (exchange->unit != NULL)
            free(exchange->unit->more);
        free(exchange->unit);
        free(exchange);
    }
    free(fc->table);
    fc_login_free(fc);
    while (fc->free_events != NULL) {
        struct fc_event *event = fc->free_events;
        fc->free_events = event->next;
        free(event);
    }
    while (fc->free_outs != NULL) {
        struct fc_out *out = fc->free_outs; /* its `more` is freed already */
        fc->free_outs = out->next;
        free(out);
    }
    free(fc);
}

void fc_audit(const struct fc *fc)
{
    uint32_t in_use = 0;
    for (uint32_t i = 0; i < fc->table_room; i++) {
        const struct fc_exchange *exchange = fc->table[i];
        if (exchange == NULL)
            continue;
        in_use++;
        CHECK(exchange->id == i && exchange->fc == fc);
        CHECK(!exchange->closed || exchange->events + exchange->outs > 0);
        CHECK(exchange->ready == (exchange->first != NULL));
        CHECK(exchange->arriving == (exchange->unit != NULL));
    }
    CHECK(in_use == fc->in_use);
    CHECK((fc->ready_first != NULL) == ((fc->site.port->ready & 1) != 0));
    CHECK(fc->events_first == NULL || fc->report_timer.due <= fc->events_first->due);
    CHECK(fc->outbox_first == NULL || fc->send_timer.due <= fc->outbox_first->due);
}
