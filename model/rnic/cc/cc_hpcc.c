/* SPDX-License-Identifier: Apache-2.0
 * cc_hpcc - HPCC: a window computed from in-band link telemetry, in integer arithmetic.
 *   of each link i  txRate = (bytes - bytes') / (ts - ts')
 *                   u_i = min(qlen, qlen') / (B T) + txRate / B        ': of the previous ACK
 *   u               the greatest u_i, and tau its ts - ts', at most T
 *   U               (1 - tau/T) U + tau/T u
 *   W               U >= eta or stage >= max-stage:  Wc / (U / eta) + w-ai
 *                   else:                            Wc + w-ai
 *                   at most one bandwidth-delay product B T, the initial window of a queue pair
 *   once per round-trip time, when what was sent after the last such update is acknowledged:
 *                   Wc = W;  stage = 0 in the first case, else stage + 1
 *   rate            W / T
 * The first ACK, and the first after a path change, only records its telemetry. Packet bytes
 * include preamble and gap, so that a saturated link has u = 1.
 * Not modeled: HPCC-PINT, the per-hop rate of the authors' simulator (multi-rate), a congestion
 * window in the host; losses are handled by RoCE and do not change the window. */
#include "rnic/cc/cc_hpcc.h"

#include <assert.h>

static_assert(sizeof(struct cc_hpcc) <= CC_ACK_STATE_BYTES, "the state fits");

#define PAPER      "Li et al., SIGCOMM 2019"
#define ROW(field) offsetof(struct cc_hpcc_params, field)

static const struct opt hpcc_opts[] = {
    {"eta", OPT_RATIO, ROW(eta), "0.95", "0.1", "1", NULL,
     "Target utilization of the busiest link of a path, as a fraction of 1.", PAPER ", 3.3 and 5.1",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"max-stage", OPT_INT, ROW(max_stage), "5", "0", "1000", NULL,
     "Number of consecutive additive increases after which the window is scaled by eta / "
     "utilization, even if the utilization is below eta.",
     PAPER ", 3.3 and 5.1 (maxStage)", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"w-ai", OPT_SIZE, ROW(w_ai), "80B", "1B", "1MB", NULL,
     "Amount by which each additive increase raises the window.", PAPER ", 5.1 (W_AI)",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"base-rtt", OPT_TIME, ROW(base_rtt), "13us", "100ns", "10ms", NULL,
     "Round-trip time without queues that HPCC assumes for all paths; set it slightly above the "
     "largest one in the fabric.",
     PAPER ", 5.1 (T): 13 us in the simulated fat-tree, 9 us in the testbed",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {0},
};

const struct cc_setting cc_hpcc_testbed[] = {{"base-rtt", "9us"}, {0}}; /* 5.1 */

enum { ONE_BITS = 32 };
#define ONE       (UINT64_C(1) << ONE_BITS)
#define RATIO_ONE UINT64_C(1000000000000000)

typedef unsigned __int128 wide;

static uint64_t largest_window(const struct cc_site *site)
{
    const struct cc_hpcc_params *params = site->params;
    const wide bits = (wide)site->line_bps * (uint64_t)params->base_rtt / (uint64_t)PS_PER_S;
    return bits < 8 ? 1 : (uint64_t)(bits / 8);
}

static void set_window(struct cc_flow *flow, uint64_t window)
{
    const struct cc_hpcc_params *params = flow->site->params;
    const wide rate = (wide)window * 8 * (uint64_t)PS_PER_S / (uint64_t)params->base_rtt;
    flow->window = window;
    flow->rate_bps = flow->site->line_bps;
    if (rate < flow->rate_bps && window < largest_window(flow->site))
        flow->rate_bps = rate == 0 ? 1 : (uint64_t)rate;
}

static void init(struct cc_flow *flow)
{
    const uint64_t window = largest_window(flow->site);
    *(struct cc_hpcc *)flow->state = (struct cc_hpcc){.reference = window};
    set_window(flow, window);
}

/* u of a link, in 2^-32; capped at 2^32 times full utilization. */
static uint64_t link_utilisation(const struct telemetry_hop *hop,
                                 const struct telemetry_hop *before, time_ps base_rtt)
{
    const uint64_t queue = hop->queue < before->queue ? hop->queue : before->queue;
    const wide waits = (wide)queue * 8 * (uint64_t)PS_PER_S / (uint64_t)base_rtt;
    const wide leaves = (wide)(hop->wire_bytes - before->wire_bytes) * 8 * (uint64_t)PS_PER_S /
                        (uint64_t)(hop->at - before->at);
    const wide u = ((waits + leaves) << ONE_BITS) / hop->line_bps;
    return u > UINT64_MAX ? UINT64_MAX : (uint64_t)u;
}

static void measure(struct cc_hpcc *state, const struct telemetry *now, time_ps base_rtt)
{
    uint64_t u = 0;
    time_ps tau = 0;
    for (uint32_t i = 0; i < now->hops; i++) {
        const struct telemetry_hop *hop = &now->hop[i], *before = &state->previous.hop[i];
        const uint64_t here = link_utilisation(hop, before, base_rtt);
        if (here >= u) {
            u = here;
            tau = hop->at - before->at;
        }
    }
    if (tau > base_rtt)
        tau = base_rtt;
    const wide kept = (wide)state->utilisation * (uint64_t)(base_rtt - tau);
    state->utilisation = (uint64_t)((kept + (wide)u * (uint64_t)tau) / (uint64_t)base_rtt);
}

static uint64_t compute_window(const struct cc_flow *flow, bool follow)
{
    const struct cc_hpcc_params *params = flow->site->params;
    const struct cc_hpcc *state = flow->state;
    const uint64_t most = largest_window(flow->site), u = state->utilisation;
    const uint64_t eta = (uint64_t)((wide)(uint64_t)params->eta * ONE / RATIO_ONE);
    wide window = state->reference;
    if (follow)
        window = u == 0 ? most : window * eta / u;
    window += (uint64_t)params->w_ai;
    return window < most ? (uint64_t)window : most;
}

static void react(struct cc_flow *flow, const struct cc_ack *ack)
{
    const struct cc_hpcc_params *params = flow->site->params;
    struct cc_hpcc *state = flow->state;
    const bool busy = (wide)state->utilisation * RATIO_ONE >= (wide)(uint64_t)params->eta * ONE;
    const bool follow = busy || state->stage >= params->max_stage;
    const uint64_t window = compute_window(flow, follow);
    if (ack->acked > state->update_after) {
        state->reference = window;
        state->stage = follow ? 0 : state->stage + 1;
        state->update_after = ack->sent;
    }
    set_window(flow, window);
}

/* The same links as in the previous ACK, each with a later time. */
static bool goes_on(const struct telemetry *before, const struct telemetry *now)
{
    if (before->hops != now->hops || before->path != now->path)
        return false;
    for (uint32_t i = 0; i < now->hops; i++)
        if (now->hop[i].at <= before->hop[i].at)
            return false;
    return true;
}

static void on_ack(struct cc_flow *flow, const struct cc_ack *ack, time_ps now)
{
    const struct cc_hpcc_params *params = flow->site->params;
    struct cc_hpcc *state = flow->state;
    (void)now;
    if (ack->telemetry == NULL || ack->telemetry->hops == 0)
        return;
    if (goes_on(&state->previous, ack->telemetry)) {
        measure(state, ack->telemetry, params->base_rtt);
        react(flow, ack);
    } else {
        state->update_after = ack->sent;
    }
    state->previous = *ack->telemetry;
}

/* Reports the reference window as the target, and the utilization as alpha. */
static void observe(struct cc_flow *flow, time_ps now, struct cc_view *view)
{
    const struct cc_hpcc_params *params = flow->site->params;
    const struct cc_hpcc *state = flow->state;
    (void)now;
    const wide rate = (wide)state->reference * 8 * (uint64_t)PS_PER_S / (uint64_t)params->base_rtt;
    if (rate < flow->site->line_bps)
        view->target_bps = (uint64_t)rate;
    view->alpha_ppm = (uint64_t)(((wide)state->utilisation * (uint64_t)PPM) >> ONE_BITS);
}

/* The rate is the window over the round-trip time; the maximum window has no rate limit. */
static void audit(const struct cc_flow *flow, time_ps now)
{
    const struct cc_hpcc_params *params = flow->site->params;
    const struct cc_hpcc *state = flow->state;
    const uint64_t most = largest_window(flow->site);
    (void)now;
    CHECK(state->reference > 0 && state->reference <= most && flow->window <= most);
    CHECK(state->stage >= 0 && state->stage <= params->max_stage);
    CHECK(flow->window < most || flow->rate_bps == flow->site->line_bps);
    CHECK((wide)(flow->rate_bps - 1) * (uint64_t)params->base_rtt <=
              (wide)flow->window * 8 * (uint64_t)PS_PER_S ||
          flow->window == most);
}

const struct cc_ops cc_hpcc = {
    .name = "hpcc",
    .about = "HPCC: a window by what switches say of their links",
    .source = PAPER,
    .opts = hpcc_opts,
    .params_bytes = sizeof(struct cc_hpcc_params),
    .state_bytes = sizeof(struct cc_hpcc),
    .link = CC_ETHERNET,
    .wants_telemetry = true,
    .init = init,
    .on_ack = on_ack,
    .observe = observe,
    .audit = audit,
};
