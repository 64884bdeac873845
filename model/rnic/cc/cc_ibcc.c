/* SPDX-License-Identifier: Apache-2.0
 * cc_ibcc - the source of InfiniBand's congestion control: an index into a table of delays.
 *   BECN:        CCTI = min(CCTI + CCTI_Increase, CCTI_Limit)
 *   CCTI_Timer:  CCTI = max(CCTI - 1, CCTI_Min), every 1.024 us x CCTI_Timer
 *   after each packet:  delay = time of the packet x CCT_Multiplier / 2^CCT_Shift of the entry CCTI
 * The timer starts with the first BECN and stops at CCTI_Min, as in Linux's hfi1 driver. A table of
 * 128 entries is described by its last multiplier and its shape: entry i is the integer part of
 * last (i / CCTI_Limit)^2, or of last i / CCTI_Limit.
 * Source: IBTA Vol 1 annex A10.2; hfi1 process_becn and set_link_ipg.
 * Not modeled: one index for all queue pairs of a service level (Port_Control), the threshold and
 * the log of congestion events. The delay counts 20 B of Ethernet gap with each packet, as for all
 * algorithms. */
#include "rnic/cc/cc_ibcc.h"

#include <assert.h>

static_assert(sizeof(struct cc_ibcc) <= CC_STATE_BYTES, "the state fits in the queue pair");

#define ROW(field) offsetof(struct cc_ibcc_params, field)
#define LLNL       "opensm-cc-conf-gen.rb of LLNL"
#define ACTS       OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_INFINIBAND, CONGESTION, ANY, TRACE)

static const struct opt ibcc_opts[] = {
    {"ccti-increase", OPT_INT, ROW(increase), "1", "0", "255", NULL,
     "Added to the index (CCTI) for each BECN.", "IBTA annex A10.4.3.8.4; " LLNL, ACTS},
    {"ccti-limit", OPT_INT, ROW(limit), "127", "0", "1023", NULL,
     "Maximum of the index, the last entry of the table.", "IBTA annex A10.4.3.9; 128 in " LLNL,
     ACTS},
    {"ccti-min", OPT_INT, ROW(least), "0", "0", "255", NULL,
     "Minimum of the index after the first BECN; at most ccti-limit.", "IBTA annex A10.4.3.8.4",
     ACTS},
    {"ccti-timer", OPT_INT, ROW(timer), "10", "1", "65535", NULL,
     "Time after which the index falls by one, in units of 1.024 us.",
     "CCT_Timer 10 us in fat-tree-ibcc.ini (OMNeT++ model, hcyang99/ib_model); " LLNL
     " tries 2 to 8192",
     ACTS},
    {"cct-last", OPT_INT, ROW(last), "57", "0", "16383", NULL,
     "CCT_Multiplier of the last entry: delay after a packet, in packet times.",
     "Mellanox default in " LLNL ": 7 us (i / 95)^2 at 0.218 us a packet", ACTS},
    {"cct-shift", OPT_INT, ROW(shift), "0", "0", "3", NULL,
     "CCT_Shift of all entries: delays are divided by 2^n.", "IBTA annex A10.2.2.1.1", ACTS},
    {"cct-shape", OPT_CHOICE, ROW(shape), "quadratic", NULL, NULL, OPT_WORDS(CC_IBCC_SHAPES),
     "How the multipliers grow with the index.", LLNL ": quadratic", ACTS},
    {"becn", OPT_CHOICE, ROW(becn), "cnp", NULL, NULL, OPT_WORDS(CC_IBCC_BECNS),
     "How the receiver of a packet with FECN returns BECN. cnp: a congestion notification packet "
     "for each; ack: in the next ACK, and a CNP only for READ responses.",
     "IBTA annex A10.2.2; cnp: Mellanox's OMNeT++ model; ack: hfi1", ACTS},
    {0},
};

static const struct cc_ibcc_params *params_of(const struct cc_flow *flow)
{
    return flow->site->params;
}

static uint32_t minimum(const struct cc_ibcc_params *params)
{
    return (uint32_t)(params->least < params->limit ? params->least : params->limit);
}

static time_ps period(const struct cc_ibcc_params *params)
{
    return params->timer * 1024 * PS_PER_NS;
}

uint32_t cc_ibcc_multiplier(const struct cc_ibcc_params *params, uint32_t index)
{
    const uint64_t last = (uint64_t)params->last, limit = (uint64_t)params->limit;
    if (limit == 0)
        return 0;
    return (uint32_t)(params->shape == CC_IBCC_LINEAR ? last * index / limit
                                                      : last * index * index / (limit * limit));
}

/* The delay is as if all packets took longer by that factor. Without it there is no limit, and the
 * pacer calls no timer. */
static void apply_index(struct cc_flow *flow)
{
    const struct cc_ibcc *state = flow->state;
    const uint64_t one = UINT64_C(1) << params_of(flow)->shift;
    const uint64_t line = flow->site->line_bps;
    const uint64_t multiplier = cc_ibcc_multiplier(params_of(flow), state->ccti);
    flow->rate_bps = line * one / (one + multiplier);
    if (flow->rate_bps == 0)
        flow->rate_bps = 1;
    flow->timer = multiplier == 0 ? TIME_NEVER : state->tick;
}

/* All falls of the index up to then. */
static void lower_index(struct cc_ibcc *state, const struct cc_ibcc_params *params, time_ps until)
{
    if (state->tick > until)
        return;
    const uint64_t ticks = (uint64_t)((until - state->tick) / period(params)) + 1;
    const uint32_t least = minimum(params);
    if (ticks >= state->ccti - least) {
        state->ccti = least;
        state->tick = TIME_NEVER;
    } else {
        state->ccti -= (uint32_t)ticks;
        state->tick += (time_ps)ticks * period(params);
    }
}

static void init(struct cc_flow *flow)
{
    *(struct cc_ibcc *)flow->state = (struct cc_ibcc){
        .tick = TIME_NEVER,
        .ccti = minimum(params_of(flow)),
    };
}

static void on_cnp(struct cc_flow *flow, time_ps now)
{
    const struct cc_ibcc_params *params = params_of(flow);
    struct cc_ibcc *state = flow->state;
    lower_index(state, params, now);
    const int64_t raised = state->ccti + params->increase;
    state->ccti = (uint32_t)(raised < params->limit ? raised : params->limit);
    if (state->tick == TIME_NEVER && state->ccti > minimum(params))
        state->tick = now + period(params);
    apply_index(flow);
}

static void on_timer(struct cc_flow *flow, time_ps until)
{
    (void)until;
    lower_index(flow->state, params_of(flow), flow->timer);
    apply_index(flow);
}

static bool gap_is_fixed(const void *params)
{
    (void)params;
    return true;
}

static time_ps cnp_interval(const void *params)
{
    (void)params;
    return 0;
}

static bool becn_in_acks(const void *params)
{
    return ((const struct cc_ibcc_params *)params)->becn == CC_IBCC_BY_ACK;
}

/* `alpha` is the index as a share of its limit. */
static void observe(struct cc_flow *flow, time_ps now, struct cc_view *view)
{
    const struct cc_ibcc_params *params = params_of(flow);
    struct cc_ibcc *state = flow->state;
    lower_index(state, params, now);
    view->target_bps = flow->site->line_bps;
    view->alpha_ppm =
        params->limit == 0 ? 0 : state->ccti * (uint64_t)PPM / (uint64_t)params->limit;
}

static void audit(const struct cc_flow *flow, time_ps now)
{
    const struct cc_ibcc_params *params = params_of(flow);
    const struct cc_ibcc *state = flow->state;
    CHECK(state->ccti >= minimum(params) && state->ccti <= (uint64_t)params->limit);
    CHECK((state->tick == TIME_NEVER) == (state->ccti == minimum(params)));
    CHECK(state->tick == TIME_NEVER || state->tick <= now + period(params));
    CHECK(flow->timer == TIME_NEVER || flow->timer == state->tick);
}

const struct cc_ops cc_ibcc = {
    .name = "ibcc",
    .about = "InfiniBand's congestion control: an index into a table of delays",
    .source = "IBTA Vol 1 annex A10",
    .opts = ibcc_opts,
    .params_bytes = sizeof(struct cc_ibcc_params),
    .state_bytes = sizeof(struct cc_ibcc),
    .link = CC_INFINIBAND,
    .wants_ecn = true,
    .cnp_interval = cnp_interval,
    .becn_in_acks = becn_in_acks,
    .gap_is_fixed = gap_is_fixed,
    .init = init,
    .on_cnp = on_cnp,
    .on_timer = on_timer,
    .observe = observe,
    .audit = audit,
};
