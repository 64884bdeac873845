/* SPDX-License-Identifier: Apache-2.0
 * pacer - where the algorithm is asked. */
#include "rnic/cc/pacer.h"

static struct cc_flow flow_of(struct pacer *pacer, const struct cc_site *site)
{
    return (struct cc_flow){
        .site = site,
        .state = pacer->state,
        .rate_bps = pacer->rate,
        .timer = pacer->timer,
        .bytes_left = pacer->bytes_left,
    };
}

/* What a hook has said holds from now on. */
static void obey(struct pacer *pacer, const struct cc_flow *flow)
{
    CHECK(flow->rate_bps > 0 && flow->rate_bps <= flow->site->line_bps);
    pacer->rate = flow->rate_bps;
    pacer->timer = flow->timer;
    pacer->bytes_left = flow->bytes_left;
}

void pacer_init(struct pacer *pacer, const struct cc_site *site)
{
    CHECK(site->ops->state_bytes <= sizeof pacer->state);
    *pacer = (struct pacer){
        .rate = site->line_bps,
        .timer = TIME_NEVER,
        .bytes_left = INT64_MAX,
        .debt_at = TIME_NEVER,
    };
    if (site->ops->init == NULL)
        return;
    struct cc_flow flow = flow_of(pacer, site);
    site->ops->init(&flow);
    obey(pacer, &flow);
}

/* The timer is due; what it changes does not concern what was paid before. */
static void run_timer(struct pacer *pacer, const struct cc_site *site, time_ps until)
{
    const time_ps due = pacer->timer;
    pacer_pay(pacer, due);
    struct cc_flow flow = flow_of(pacer, site);
    site->ops->on_timer(&flow, until);
    CHECK(flow.timer > due);
    obey(pacer, &flow);
}

static void catch_up(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    while (pacer->timer <= now)
        run_timer(pacer, site, now);
    pacer_pay(pacer, now);
}

/* On a copy that goes ahead of time.  Once paid a debt stays paid, whatever the timer makes of the
 * rate. */
NOINLINE time_ps pacer_paid_later(const struct pacer *pacer, const struct cc_site *site)
{
    struct pacer ahead = *pacer;
    time_ps paid;
    do {
        run_timer(&ahead, site, ahead.timer);
        paid = pacer_paid_at(&ahead);
    } while (paid >= ahead.timer);
    return paid;
}

time_ps pacer_on_cnp(struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    if (!pacer_is_limited(pacer)) {
        pacer->debt = 0;
        pacer->debt_at = now;
        pacer->timer = TIME_NEVER;
    }
    catch_up(pacer, site, now);
    struct cc_flow flow = flow_of(pacer, site);
    site->ops->on_cnp(&flow, now);
    obey(pacer, &flow);
    return pacer_next(pacer, site);
}

NOINLINE time_ps pacer_sent_due(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                                time_ps now)
{
    catch_up(pacer, site, now);
    pacer_owe(pacer, bytes, now);
    while (pacer->bytes_left <= 0) {
        struct cc_flow flow = flow_of(pacer, site);
        site->ops->on_sent(&flow, now);
        CHECK(flow.bytes_left > pacer->bytes_left);
        obey(pacer, &flow);
    }
    return pacer_after_frame(pacer, site);
}

struct cc_view pacer_view(const struct pacer *pacer, const struct cc_site *site, time_ps now)
{
    struct pacer then = *pacer;
    if (pacer_is_limited(&then))
        catch_up(&then, site, now);
    struct cc_view view = {.rate_bps = then.rate, .target_bps = then.rate};
    struct cc_flow flow = flow_of(&then, site);
    if (site->ops->observe != NULL)
        site->ops->observe(&flow, now, &view);
    return view;
}
