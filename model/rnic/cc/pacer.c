/* SPDX-License-Identifier: Apache-2.0
 * pacer - calls the algorithm's hooks. */
#include "rnic/cc/pacer.h"

#include <string.h>

static inline bool has_flight(const struct cc_site *site)
{
    return UNLIKELY(site->ops->on_ack != NULL);
}

/* `state` may be a copy. Without a flight the window is not used. */
static inline struct cc_flow flow_of(const struct pacer *pacer, const struct cc_site *site,
                                     void *state)
{
    struct cc_flow flow;
    flow.site = site;
    flow.state = state;
    flow.rate_bps = pacer->rate;
    flow.timer = pacer->timer;
    flow.bytes_left = pacer->bytes_left;
    flow.window = CC_NO_WINDOW;
    flow.packet_bytes = 0;
    if (has_flight(site)) {
        flow.window = pacer->flight->window;
        flow.packet_bytes = pacer->flight->packet_bytes;
    }
    return flow;
}

static inline struct cc_flow flow_now(struct pacer *pacer, const struct cc_site *site)
{
    return flow_of(pacer, site, has_flight(site) ? pacer->flight->state : pacer->state);
}

/* Applies the values that a hook has set. */
static inline void apply_flow(struct pacer *pacer, const struct cc_flow *flow)
{
    CHECK(flow->rate_bps - 1 < flow->site->line_bps); /* 1 .. line_bps */
    pacer->rate = flow->rate_bps;
    pacer->timer = flow->timer;
    pacer->bytes_left = flow->bytes_left;
    if (!has_flight(flow->site))
        return;
    CHECK(flow->window > 0);
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
    apply_flow(pacer, &flow);
}

void pacer_fini(struct pacer *pacer, const struct cc_site *site)
{
    if (has_flight(site) && pacer->flight != NULL)
        flight_free(pacer->flight);
    *pacer = (struct pacer){0};
}

/* Updates the debt to `now`, before the rate may change. */
static inline void settle_debt(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (LIKELY(pacer->debt_at < now))
        pacer_pay(pacer, now);
    if (LIKELY(!pacer_gap_is_fixed(site)) || pacer->debt <= 0)
        return;
    pacer->debt_at = pacer_paid_at(pacer);
    pacer->debt = 0;
}

/* Runs the timer up to `until`. A rate change does not affect what was paid before it. */
static inline void run_timers(struct pacer *pacer, struct cc_flow *flow, time_ps until)
{
    while (flow->timer <= until) {
        const time_ps due = flow->timer;
        settle_debt(pacer, flow->site, due);
        flow->site->ops->on_timer(flow, until);
        CHECK(flow->timer > due && flow->rate_bps > 0);
        pacer->rate = flow->rate_bps;
    }
}

/* The values in force now, for a limited pacer; pays the debt up to now. */
static inline struct cc_flow catch_up(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    struct cc_flow flow = flow_now(pacer, site);
    run_timers(pacer, &flow, now);
    settle_debt(pacer, site, now);
    return flow;
}

/* A copy of the algorithm's state that may run ahead of time, with the values in force. */
static inline struct cc_flow flow_ahead(const struct pacer *pacer, const struct cc_site *site,
                                        unsigned char *state)
{
    if (has_flight(site))
        memcpy(state, pacer->flight->state, site->ops->state_bytes);
    else
        memcpy(state, pacer->state, CC_STATE_BYTES);
    return flow_of(pacer, site, state);
}

/* A debt paid before the timer stays paid, whatever rate the timer sets. */
NOINLINE time_ps pacer_paid_later(const struct pacer *pacer, const struct cc_site *site)
{
    alignas(16) unsigned char state[CC_ACK_STATE_BYTES];
    struct cc_flow flow = flow_ahead(pacer, site, state);
    struct pacer ahead = *pacer;
    time_ps paid;
    do {
        run_timers(&ahead, &flow, flow.timer);
        paid = pacer_paid_at(&ahead);
    } while (paid >= flow.timer);
    return paid;
}

time_ps pacer_on_cnp(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (!pacer_is_limited(pacer)) {
        pacer_begin(pacer, now);
        pacer->timer = TIME_NEVER;
    }
    struct cc_flow flow = catch_up(pacer, site, now);
    site->ops->on_cnp(&flow, now);
    apply_flow(pacer, &flow);
    return pacer_next(pacer, site);
}

/* The values in force before a hook that may leave the line rate unchanged. */
static struct cc_flow flow_before(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (pacer_is_limited(pacer))
        return catch_up(pacer, site, now);
    pacer->timer = TIME_NEVER;
    return flow_now(pacer, site);
}

static time_ps next_after(struct pacer *pacer, const struct cc_flow *flow, time_ps now)
{
    apply_flow(pacer, flow);
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
    struct cc_flow flow = flow_now(pacer, site);
    run_timers(pacer, &flow, now);
    pacer_owe(pacer, bytes, now);
    settle_debt(pacer, site, now);
    flow.bytes_left -= bytes;
    while (flow.bytes_left <= 0) {
        const int64_t before = flow.bytes_left;
        site->ops->on_sent(&flow, now);
        CHECK(flow.bytes_left > before);
    }
    apply_flow(pacer, &flow);
    return pacer_after_frame(pacer, site);
}

struct cc_view pacer_view(const struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    alignas(16) unsigned char state[CC_ACK_STATE_BYTES];
    struct cc_flow flow = flow_ahead(pacer, site, state);
    struct pacer then = *pacer;
    if (pacer_is_limited(pacer))
        run_timers(&then, &flow, now);
    struct cc_view view = {.rate_bps = flow.rate_bps, .target_bps = flow.rate_bps};
    if (site->ops->observe != NULL)
        site->ops->observe(&flow, now, &view);
    /* A window over a round-trip time may exceed the line rate. */
    if (view.rate_bps > site->line_bps)
        view.rate_bps = site->line_bps;
    if (view.target_bps > site->line_bps)
        view.target_bps = site->line_bps;
    return view;
}

void pacer_audit(const struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    alignas(16) unsigned char state[CC_ACK_STATE_BYTES];
    const struct cc_flow flow = flow_ahead(pacer, site, state);
    if (site->ops->audit != NULL && (has_flight(site) || pacer_is_limited(pacer)))
        site->ops->audit(&flow, now);
}
