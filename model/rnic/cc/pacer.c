/* SPDX-License-Identifier: Apache-2.0
 * pacer - where the algorithm is asked. */
#include "rnic/cc/pacer.h"

#include <string.h>

static bool has_flight(const struct cc_site *site)
{
    return site->ops->on_ack != NULL;
}

/* The state may be a copy. */
static struct cc_flow flow_of(struct pacer *pacer, const struct cc_site *site, void *state)
{
    const struct flight *flight = has_flight(site) ? pacer->flight : NULL;
    return (struct cc_flow){
        .site = site,
        .state = state,
        .rate_bps = pacer->rate,
        .timer = pacer->timer,
        .bytes_left = pacer->bytes_left,
        .window = flight != NULL ? flight->window : CC_NO_WINDOW,
        .packet_bytes = flight != NULL ? flight->packet_bytes : 0,
    };
}

static struct cc_flow flow_now(struct pacer *pacer, const struct cc_site *site)
{
    return flow_of(pacer, site, has_flight(site) ? pacer->flight->state : pacer->state);
}

/* What a hook has said of the rate holds from now on. */
static void obey_rate(struct pacer *pacer, const struct cc_flow *flow)
{
    CHECK(flow->rate_bps > 0 && flow->rate_bps <= flow->site->line_bps);
    pacer->rate = flow->rate_bps;
    pacer->timer = flow->timer;
    pacer->bytes_left = flow->bytes_left;
}

static void obey(struct pacer *pacer, const struct cc_flow *flow)
{
    CHECK(flow->window > 0);
    obey_rate(pacer, flow);
    if (has_flight(flow->site))
        pacer->flight->window = flow->window;
}

void pacer_init(struct pacer *pacer, const struct cc_site *site, uint32_t packet_bytes)
{
    const struct cc_ops *ops = site->ops;
    CHECK(ops->state_bytes <= (has_flight(site) ? CC_ACK_STATE_BYTES : CC_STATE_BYTES));
    CHECK(has_flight(site) || !(ops->echoes_ecn || ops->wants_telemetry || ops->on_nak != NULL));
    *pacer = (struct pacer){
        .rate = site->line_bps,
        .timer = TIME_NEVER,
        .bytes_left = INT64_MAX,
        .debt_at = TIME_NEVER,
    };
    if (has_flight(site))
        pacer->flight = flight_new(packet_bytes);
    if (ops->init == NULL)
        return;
    struct cc_flow flow = flow_now(pacer, site);
    ops->init(&flow);
    obey(pacer, &flow);
}

void pacer_fini(struct pacer *pacer, const struct cc_site *site)
{
    if (has_flight(site) && pacer->flight != NULL)
        flight_free(pacer->flight);
    *pacer = (struct pacer){0};
}

/* The timer is due; what it changes does not concern what was paid before. */
static struct cc_flow run_timer(struct pacer *pacer, const struct cc_site *site, void *state,
                                time_ps until)
{
    const time_ps due = pacer->timer;
    pacer_pay(pacer, due);
    struct cc_flow flow = flow_of(pacer, site, state);
    site->ops->on_timer(&flow, until);
    CHECK(flow.timer > due);
    obey_rate(pacer, &flow);
    return flow;
}

static void catch_up(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    while (pacer->timer <= now) {
        void *state = has_flight(site) ? pacer->flight->state : pacer->state;
        const struct cc_flow flow = run_timer(pacer, site, state, now);
        obey(pacer, &flow);
    }
    pacer_pay(pacer, now);
}

/* On a copy that goes ahead of time.  Once paid a debt stays paid, whatever the timer makes of the
 * rate. */
NOINLINE time_ps pacer_paid_later(const struct pacer *pacer, const struct cc_site *site)
{
    alignas(16) unsigned char copy[CC_ACK_STATE_BYTES];
    struct pacer ahead = *pacer;
    time_ps paid;
    memcpy(copy, has_flight(site) ? pacer->flight->state : pacer->state, site->ops->state_bytes);
    do {
        run_timer(&ahead, site, copy, ahead.timer);
        paid = pacer_paid_at(&ahead);
    } while (paid >= ahead.timer);
    return paid;
}

time_ps pacer_on_cnp(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (!pacer_is_limited(pacer)) {
        pacer_begin(pacer, now);
        pacer->timer = TIME_NEVER;
    }
    catch_up(pacer, site, now);
    struct cc_flow flow = flow_now(pacer, site);
    site->ops->on_cnp(&flow, now);
    obey(pacer, &flow);
    return pacer_next(pacer, site);
}

/* What is in force before a hook that may well leave the line rate as it is. */
static struct cc_flow flow_before(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (pacer_is_limited(pacer))
        catch_up(pacer, site, now);
    else
        pacer->timer = TIME_NEVER;
    return flow_now(pacer, site);
}

static time_ps next_after(struct pacer *pacer, const struct cc_flow *flow, time_ps now)
{
    obey(pacer, flow);
    if (pacer->rate == flow->site->line_bps && !pacer_is_limited(pacer))
        return PACER_UNLIMITED;
    if (!pacer_is_limited(pacer))
        pacer_begin(pacer, now);
    return pacer_next(pacer, flow->site);
}

time_ps pacer_on_ack(struct pacer *pacer, const struct cc_site *site, struct cc_ack *ack,
                     time_ps now)
{
    struct flight *flight = pacer->flight;
    ack->bytes = flight->new_bytes;
    ack->packets = flight->new_packets;
    ack->acked = flight->acked;
    ack->sent = flight->acked + flight->bytes;
    flight->new_bytes = flight->new_packets = 0;
    struct cc_flow flow = flow_before(pacer, site, now);
    site->ops->on_ack(&flow, ack, now);
    return next_after(pacer, &flow, now);
}

time_ps pacer_on_nak(struct pacer *pacer, const struct cc_site *site, enum cc_nak why, time_ps now)
{
    struct cc_flow flow = flow_before(pacer, site, now);
    if (site->ops->on_nak != NULL)
        site->ops->on_nak(&flow, why, now);
    return next_after(pacer, &flow, now);
}

NOINLINE time_ps pacer_sent_due(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                                time_ps now)
{
    catch_up(pacer, site, now);
    pacer_owe(pacer, bytes, now);
    while (pacer->bytes_left <= 0) {
        struct cc_flow flow = flow_now(pacer, site);
        site->ops->on_sent(&flow, now);
        CHECK(flow.bytes_left > pacer->bytes_left);
        obey(pacer, &flow);
    }
    return pacer_after_frame(pacer, site);
}

struct cc_view pacer_view(const struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    alignas(16) unsigned char copy[CC_ACK_STATE_BYTES];
    struct pacer then = *pacer;
    memcpy(copy, has_flight(site) ? pacer->flight->state : pacer->state, site->ops->state_bytes);
    struct cc_flow flow = flow_of(&then, site, copy);
    if (pacer_is_limited(&then)) {
        while (then.timer <= now)
            flow = run_timer(&then, site, copy, now);
    }
    struct cc_view view = {.rate_bps = flow.rate_bps, .target_bps = flow.rate_bps};
    if (site->ops->observe != NULL)
        site->ops->observe(&flow, now, &view);
    return view;
}
