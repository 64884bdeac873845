/* SPDX-License-Identifier: Apache-2.0
 * cc_dcqcn - DCQCN's reaction point in integer arithmetic.
 *   CNP:            Rt = Rc;  Rc = Rc (1 - a/2);  a = (1-g) a + g;
 *                   stages, timer and byte counter restart
 *   alpha-timer:    a = (1-g) a
 *   rate-timer or byte-counter:   fast recovery   max(T,BC) < F        Rc = (Rt + Rc)/2
 *                                 hyper increase  min(T,BC) > F        Rt += rhai, then the same
 *                                 additive        else                 Rt += rai,  then the same
 * T and BC count the events before the present one, so a cut is followed by F events of fast
 * recovery, as in the authors' fluid model (factor (1-p)^(F B) in the additive term, CoNEXT 2016);
 * their public simulator has one event less, see its preset.
 * Not modeled: the firmware's 10-bit fixed point; hyper increase grows by rhai each time (the paper
 * leaves QCN's growing step open). (Rt + Rc)/2 rounds up, so that the rate reaches its target and
 * the limit ends. */
#include "rnic/cc/cc_dcqcn.h"

#include <assert.h>

static_assert(sizeof(struct cc_dcqcn) <= CC_STATE_BYTES, "the state fits in the queue pair");

#define PAPER      "Zhu et al., SIGCOMM 2015"
#define ZHU_NS3    "ns3-rdma, the simulator of the paper's authors (qbb-net-device.cc)"
#define HPCC_NS3   "the simulator of HPCC's authors (rdma-hw.cc)"
#define ROW(field) offsetof(struct cc_dcqcn_params, field)

static const struct opt dcqcn_opts[] = {
    {"g", OPT_RATIO, ROW(g), "1/256", "0", "1", NULL,
     "Weight of each new observation in alpha, the congestion estimate.", PAPER ", table 14",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"initial-alpha", OPT_RATIO, ROW(initial_alpha), "1", "0", "1", NULL,
     "Value of alpha, the congestion estimate, before the first CNP.", PAPER ", 3.1",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"alpha-timer", OPT_TIME, ROW(alpha_timer), "55us", "100ns", "1s", NULL,
     "Period of alpha's decay: alpha decays once in each period without a CNP.",
     PAPER ", table 14 (K)", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"rate-timer", OPT_TIME, ROW(rate_timer), "55us", "1us", "1s", NULL,
     "Period of the timer that increases the rate.", PAPER ", table 14 (T); DCQCN+ text",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"byte-counter", OPT_SIZE, ROW(byte_counter), "10MB", "1KB", "1TB", NULL,
     "Number of bytes sent after which the byte counter increases the rate.",
     PAPER ", table 14 (B)", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"f", OPT_INT, ROW(f), "5", "0", "1000", NULL,
     "Number of rate increases in fast recovery, which follows each rate cut.",
     PAPER ", table 14 (F)", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"rai", OPT_RATE, ROW(rai), "40Mbps", "1Kbps", "1Tbps", NULL,
     "Amount by which each additive increase raises the target rate.", PAPER ", table 14 (R_AI)",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"rhai", OPT_RATE, ROW(rhai), "200Mbps", "1Kbps", "1Tbps", NULL,
     "Amount by which each hyper increase raises the target rate.",
     "left open by the paper; its authors' ns-3 sample uses 200 Mb/s",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"min-rate", OPT_RATE, ROW(min_rate), "1Mbps", "1Kbps", "1Tbps", NULL,
     "Minimum rate of a queue pair; no cut goes below it.", "ConnectX rpg_min_rate",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"cnp-interval", OPT_TIME, ROW(cnp_interval), "50us", "0us", "1s", NULL,
     "Minimum time between two CNPs that a receiver sends for one queue pair.",
     PAPER ", table 14 (N)", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"cut-interval", OPT_TIME, ROW(cut_interval), "0us", "0us", "1s", NULL,
     "Minimum time between two rate cuts. A CNP that arrives earlier only changes alpha.",
     "ConnectX rate_reduce_monitor_period; 0: as in the paper",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"clamp-target", OPT_BOOL, ROW(clamp_target), "true", NULL, NULL, NULL,
     "true: each cut lowers the target rate to the rate before the cut; false: it does so only if "
     "the timer has raised the rate since the last cut.",
     PAPER ", 3.1; ConnectX clamp_tgt_rate, clamp_tgt_rate_after_time_inc",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"rate-on-first-cnp", OPT_RATE, ROW(rate_on_first_cnp), "0bps", "0bps", "1Tbps", NULL,
     "Rate and target rate of a queue pair after its first CNP; 0: the first CNP causes a normal "
     "cut.",
     "ConnectX rate_to_set_on_first_cnp; 0: as in the paper",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"hyper-increase", OPT_CHOICE, ROW(hyper_increase), "both", NULL, NULL,
     OPT_WORDS(CC_DCQCN_HYPER),
     "Condition for hyper increase. both: more than f increases by the timer and more than f by "
     "the byte counter; timer: more than f increases by the timer.",
     PAPER ", 3.1; timer: " HPCC_NS3, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"alpha-first", OPT_BOOL, ROW(alpha_first), "false", NULL, NULL, NULL,
     "Order of the two effects of a CNP. true: it raises alpha before it cuts the rate; false: it "
     "cuts the rate first.",
     PAPER ", equation 1; true: " ZHU_NS3, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"gap-fixed", OPT_BOOL, ROW(gap_fixed), "false", NULL, NULL, NULL,
     "true: the gap between a packet and the next one is computed once, from the rate when the "
     "first one was sent; false: a later change of the rate also changes the gap.",
     "assumed: hardware meters by tokens; true: " ZHU_NS3,
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {0},
};

const struct cc_setting cc_dcqcn_paper[] = {{0}}; /* the defaults of the rows */

/* dce_tcp_g 1019/1024, dce_tcp_rtt 1 us, rate_reduce_monitor_period 4 us: DOCA 3.4 "DCQCN CC
 * Parameters"; the others from an mlxconfig dump and the HPCC paper (timer 300 us); units of
 * rpg_byte_reset as documented (64 B). */
const struct cc_setting cc_dcqcn_mlx5[] = {
    {"g", "5/1024"},
    {"alpha-timer", "1us"},
    {"rate-timer", "300us"},
    {"byte-counter", "2097088B"},
    {"f", "1"},
    {"rai", "5Mbps"},
    {"rhai", "50Mbps"},
    {"min-rate", "1Mbps"},
    {"cnp-interval", "4us"},
    {"cut-interval", "4us"},
    {"clamp-target", "false"},
    {0},
};

/* Values of its sample configuration (mix/config.txt), else the defaults in its code: MinRate 100
 * Mb/s, initial alpha 0.5. A stage is counted before the comparison with F, so a cut is followed by
 * F - 1 events of fast recovery: 4 of its 5. */
const struct cc_setting cc_dcqcn_zhu_ns3[] = {
    {"initial-alpha", "1/2"}, {"rate-timer", "60us"},  {"byte-counter", "300MB"}, {"f", "4"},
    {"min-rate", "100Mbps"},  {"alpha-first", "true"}, {"gap-fixed", "true"},     {0},
};

/* Values that run.py sets for "dcqcn" at 100 Gb/s (steps of 5 and 50 Mb/s per 25 Gb/s), and
 * RateOnFirstCnp 1, the full rate. It has no byte counter; the receiver echoes every mark, and the
 * sender evaluates them once per interval. */
const struct cc_setting cc_dcqcn_hpcc_ns3[] = {
    {"g", "1/256"},
    {"alpha-timer", "1us"},
    {"rate-timer", "300us"},
    {"byte-counter", "1TB"},
    {"f", "1"},
    {"rai", "20Mbps"},
    {"rhai", "200Mbps"},
    {"min-rate", "1Gbps"},
    {"cnp-interval", "0us"},
    {"cut-interval", "4us"},
    {"clamp-target", "false"},
    {"hyper-increase", "timer"},
    {"gap-fixed", "true"},
    {0},
};

enum { ALPHA_BITS = 32 };
#define ALPHA_ONE (UINT64_C(1) << ALPHA_BITS)
#define RATIO_ONE UINT64_C(1000000000000000)

typedef unsigned __int128 wide;

static uint64_t ratio_q32(int64_t ratio)
{
    return (uint64_t)(((wide)(uint64_t)ratio << ALPHA_BITS) / RATIO_ONE);
}

static uint64_t times_q32(uint64_t value, uint64_t factor)
{
    return (uint64_t)(((wide)value * factor) >> ALPHA_BITS);
}

/* Alpha stops decaying when g alpha is below the resolution, until the next CNP raises it. */
static void decay_alpha(struct cc_dcqcn *state, const struct cc_dcqcn_params *params, time_ps now)
{
    const uint64_t g = ratio_q32(params->g);
    while (state->alpha_due <= now) {
        const uint64_t less = times_q32(state->alpha, g);
        if (less == 0) {
            state->alpha_due = TIME_NEVER;
            return;
        }
        state->alpha -= less;
        state->alpha_due += params->alpha_timer;
    }
}

/* One event of the timer or of the byte counter. */
static void increase(struct cc_flow *flow)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    struct cc_dcqcn *state = flow->state;
    const uint64_t f = (uint64_t)params->f;
    const uint32_t low =
        state->timer_stage < state->byte_stage || params->hyper_increase == CC_DCQCN_HYPER_TIMER
            ? state->timer_stage
            : state->byte_stage;
    const uint32_t high =
        state->timer_stage < state->byte_stage ? state->byte_stage : state->timer_stage;
    if (low > f)
        state->target += (uint64_t)params->rhai;
    else if (high >= f)
        state->target += (uint64_t)params->rai;
    if (state->target > flow->site->line_bps)
        state->target = flow->site->line_bps;
    if (flow->rate_bps < state->target)
        flow->rate_bps += (state->target - flow->rate_bps + 1) / 2;
}

/* When the queue pair is back at line rate, the timer only counts. */
static void on_timer(struct cc_flow *flow, time_ps until)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    struct cc_dcqcn *state = flow->state;
    if (LIKELY(flow->rate_bps < flow->site->line_bps)) {
        increase(flow);
        state->timer_stage++;
        flow->timer += params->rate_timer;
        return;
    }
    const time_ps events = (until - flow->timer) / params->rate_timer + 1;
    state->timer_stage += (uint32_t)events;
    flow->timer += events * params->rate_timer;
}

static void on_sent(struct cc_flow *flow, time_ps now)
{
    struct cc_dcqcn *state = flow->state;
    (void)now;
    increase(flow);
    state->byte_stage++;
    flow->bytes_left += ((const struct cc_dcqcn_params *)flow->site->params)->byte_counter;
}

static time_ps cnp_interval(const void *params)
{
    return ((const struct cc_dcqcn_params *)params)->cnp_interval;
}

static bool gap_is_fixed(const void *params)
{
    return ((const struct cc_dcqcn_params *)params)->gap_fixed != 0;
}

static void init(struct cc_flow *flow)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    flow->bytes_left = params->byte_counter;
    *(struct cc_dcqcn *)flow->state = (struct cc_dcqcn){
        .target = flow->site->line_bps,
        .alpha = ratio_q32(params->initial_alpha),
        .alpha_due = TIME_NEVER,
        .last_cut = -1,
    };
}

static uint64_t clamp_rate(const struct cc_flow *flow, uint64_t rate)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    if (rate < (uint64_t)params->min_rate)
        rate = (uint64_t)params->min_rate;
    if (rate > flow->site->line_bps) /* min-rate is above the line rate: a cut has no effect */
        rate = flow->site->line_bps;
    return rate;
}

static void cut_rate(struct cc_flow *flow, time_ps now)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    struct cc_dcqcn *state = flow->state;
    const bool first = state->last_cut < 0;
    if (params->clamp_target || state->timer_stage > 0 || first)
        state->target = flow->rate_bps;
    if (first && params->rate_on_first_cnp > 0) {
        flow->rate_bps = clamp_rate(flow, (uint64_t)params->rate_on_first_cnp);
        state->target = flow->rate_bps;
    } else {
        flow->rate_bps =
            clamp_rate(flow, flow->rate_bps - times_q32(flow->rate_bps, state->alpha / 2));
    }
    if (state->target < flow->rate_bps)
        state->target = flow->rate_bps;
    state->timer_stage = state->byte_stage = 0;
    state->last_cut = now;
    flow->bytes_left = params->byte_counter;
    flow->timer = now + params->rate_timer;
}

static void raise_alpha(struct cc_dcqcn *state, const struct cc_dcqcn_params *params)
{
    state->alpha += times_q32(ALPHA_ONE - state->alpha, ratio_q32(params->g));
}

static void on_cnp(struct cc_flow *flow, time_ps now)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    struct cc_dcqcn *state = flow->state;
    decay_alpha(state, params, now);
    if (params->alpha_first)
        raise_alpha(state, params);
    if (state->last_cut < 0 || now - state->last_cut >= params->cut_interval)
        cut_rate(flow, now);
    if (!params->alpha_first)
        raise_alpha(state, params);
    state->alpha_due = now + params->alpha_timer;
}

static void observe(struct cc_flow *flow, time_ps now, struct cc_view *view)
{
    struct cc_dcqcn *state = flow->state;
    decay_alpha(state, flow->site->params, now);
    view->target_bps = state->target;
    view->alpha_ppm = times_q32((uint64_t)PPM, state->alpha);
}

/* Since the last cut the timer has advanced in equal steps, each a stage; it is stopped when the
 * rate is back at line rate. */
static void audit(const struct cc_flow *flow, time_ps now)
{
    const struct cc_dcqcn_params *params = flow->site->params;
    const struct cc_dcqcn *state = flow->state;
    const uint64_t line = flow->site->line_bps, least = (uint64_t)params->min_rate;
    CHECK(flow->rate_bps >= (least < line ? least : line) && flow->rate_bps <= state->target);
    CHECK(state->target <= line && state->alpha <= ALPHA_ONE);
    CHECK(flow->bytes_left <= params->byte_counter);
    CHECK(state->last_cut <= now);
    CHECK(state->alpha_due == TIME_NEVER || state->alpha_due <= now + params->alpha_timer);
    if (flow->timer == TIME_NEVER)
        CHECK(flow->rate_bps == line);
    else
        CHECK(flow->timer ==
              state->last_cut + (state->timer_stage + INT64_C(1)) * params->rate_timer);
}

const struct cc_ops cc_dcqcn = {
    .name = "dcqcn",
    .about = "DCQCN: rate cuts on CNPs, timed recovery",
    .source = PAPER,
    .opts = dcqcn_opts,
    .params_bytes = sizeof(struct cc_dcqcn_params),
    .state_bytes = sizeof(struct cc_dcqcn),
    .link = CC_ETHERNET,
    .wants_ecn = true,
    .cnp_interval = cnp_interval,
    .gap_is_fixed = gap_is_fixed,
    .init = init,
    .on_cnp = on_cnp,
    .on_sent = on_sent,
    .on_timer = on_timer,
    .observe = observe,
    .audit = audit,
};
