/* SPDX-License-Identifier: Apache-2.0
 * cc_dcqcn - the reaction point in integers.
 *
 *   CNP:            Rt = Rc;  Rc = Rc (1 - a/2);  a = (1-g) a + g;
 *                   stages, timer and byte counter begin anew
 *   alpha-timer:    a = (1-g) a
 *   rate-timer or byte-counter:   fast recovery   max(T,BC) < F        Rc = (Rt + Rc)/2
 *                                 hyper increase  min(T,BC) > F        Rt += rhai, then the same
 *                                 additive        else                 Rt += rai,  then the same
 *
 * T and BC count the events before the present one, so a cut is followed by F events of fast
 * recovery: so do the authors' fluid model (factor (1-p)^(F B) in the additive term, CoNEXT 2016)
 * and their simulator.
 *
 * No events: the timers are caught up when a CNP comes or a frame leaves.  Pacing is a fluid
 * account: a frame adds its bits to the debt, time pays it at the current rate, and sending waits
 * until it is paid.  Where the rate timer falls into the wait, the rest is paid at the rate that
 * the timer will make, so the wait is exact piece by piece.  Up to one maximum frame of credit is
 * kept while others hold the wire; without it, two queue pairs at half the line rate would not fill
 * it.
 * Not modelled: the firmware's 10-bit fixed point; hyper increase grows by rhai each time (the
 * paper leaves QCN's growing step open).  (Rt + Rc)/2 rounds up, so that a rate reaches its target
 * and the limit ends. */
#include "rnic/cc/cc_dcqcn.h"

#include <assert.h>

static_assert(sizeof(struct cc_dcqcn) <= CC_STATE_BYTES, "the state fits in the queue pair");

#define PAPER      "Zhu et al., SIGCOMM 2015"
#define ROW(field) offsetof(struct cc_dcqcn_params, field)

static const struct opt dcqcn_opts[] = {
    {"g", OPT_RATIO, ROW(g), "1/256", "0", "1", NULL,
     "Weight of a new observation in the congestion estimate alpha.", PAPER ", table 14"},
    {"initial-alpha", OPT_RATIO, ROW(initial_alpha), "1", "0", "1", NULL,
     "Congestion estimate before the first CNP.", PAPER ", 3.1"},
    {"alpha-timer", OPT_TIME, ROW(alpha_timer), "55us", "100ns", "1s", NULL,
     "Alpha decays once in this time without a CNP.", PAPER ", table 14 (K)"},
    {"rate-timer", OPT_TIME, ROW(rate_timer), "55us", "1us", "1s", NULL,
     "Time between increases by the timer.", PAPER ", table 14 (T); DCQCN+ text"},
    {"byte-counter", OPT_SIZE, ROW(byte_counter), "10MB", "1KB", "1TB", NULL,
     "Bytes sent between increases by the byte counter.", PAPER ", table 14 (B)"},
    {"f", OPT_INT, ROW(f), "5", "0", "1000", NULL, "Events of fast recovery after a cut.",
     PAPER ", table 14 (F)"},
    {"rai", OPT_RATE, ROW(rai), "40Mbps", "1Kbps", "1Tbps", NULL, "Step of additive increase.",
     PAPER ", table 14 (R_AI)"},
    {"rhai", OPT_RATE, ROW(rhai), "200Mbps", "1Kbps", "1Tbps", NULL, "Step of hyper increase.",
     "left open by the paper; its authors' ns-3 sample uses 200 Mb/s"},
    {"min-rate", OPT_RATE, ROW(min_rate), "1Mbps", "1Kbps", "1Tbps", NULL,
     "No cut goes below this rate.", "ConnectX rpg_min_rate"},
    {"cnp-interval", OPT_TIME, ROW(cnp_interval), "50us", "0us", "1s", NULL,
     "The receiver sends at most one CNP per queue pair in this time.", PAPER ", table 14 (N)"},
    {"cut-interval", OPT_TIME, ROW(cut_interval), "0us", "0us", "1s", NULL,
     "Least time between two cuts; CNPs between them only move alpha.",
     "ConnectX rate_reduce_monitor_period; 0: the paper's behaviour"},
    {"clamp-target", OPT_BOOL, ROW(clamp_target), "true", NULL, NULL, NULL,
     "Each cut lowers the target to the rate before it; false: only if the timer raised the rate "
     "since the last cut.",
     PAPER ", 3.1; ConnectX clamp_tgt_rate, clamp_tgt_rate_after_time_inc"},
    {0},
};

const struct cc_setting cc_dcqcn_paper[] = {{0}}; /* the rows' own defaults */

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

enum { ALPHA_BITS = 32 };
#define ALPHA_ONE    (UINT64_C(1) << ALPHA_BITS)
#define RATIO_ONE    UINT64_C(1000000000000000)
#define DEBT_PER_BIT PS_PER_S
#define CREDIT_FRAME 4200 /* the largest RoCE frame with its gap */
#define WIRE_GAP     20 /* preamble 8 and gap 12, IEEE 802.3: pacing counts what the wire carries */
#define CREDIT_MAX   (CREDIT_FRAME * INT64_C(8) * DEBT_PER_BIT)

typedef unsigned __int128 wide;

static uint64_t ratio_q32(int64_t ratio)
{
    return (uint64_t)(((wide)(uint64_t)ratio << ALPHA_BITS) / RATIO_ONE);
}

static uint64_t times_q32(uint64_t value, uint64_t factor)
{
    return (uint64_t)(((wide)value * factor) >> ALPHA_BITS);
}

/* Alpha stands still where g alpha is below its last digit, until the next CNP raises it. */
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

static bool is_limited(const struct cc_dcqcn *state)
{
    return state->debt_at != TIME_NEVER;
}

/* Time pays the debt at the current rate. */
static void pay(struct cc_dcqcn *state, time_ps until)
{
    const wide paid = (wide)state->rate * (uint64_t)(until - state->debt_at);
    const wide owed = (wide)(uint64_t)(state->debt + CREDIT_MAX);
    state->debt = paid >= owed ? -CREDIT_MAX : state->debt - (int64_t)paid;
    state->debt_at = until;
}

static void increase(struct cc_dcqcn *state, const struct cc_site *site)
{
    const struct cc_dcqcn_params *params = site->params;
    const uint64_t f = (uint64_t)params->f;
    const uint32_t low =
        state->timer_stage < state->byte_stage ? state->timer_stage : state->byte_stage;
    const uint32_t high =
        state->timer_stage < state->byte_stage ? state->byte_stage : state->timer_stage;
    if (low > f)
        state->target += (uint64_t)params->rhai;
    else if (high >= f)
        state->target += (uint64_t)params->rai;
    if (state->target > site->line_bps)
        state->target = site->line_bps;
    if (state->rate < state->target)
        state->rate += (state->target - state->rate + 1) / 2;
}

static void on_rate_timer(struct cc_dcqcn *state, const struct cc_site *site)
{
    const struct cc_dcqcn_params *params = site->params;
    pay(state, state->rate_due);
    increase(state, site);
    state->timer_stage++;
    state->rate_due += params->rate_timer;
}

/* Of a queue pair back at line rate the timer only counts. */
static void run_rate_timer(struct cc_dcqcn *state, const struct cc_site *site, time_ps now)
{
    const struct cc_dcqcn_params *params = site->params;
    while (state->rate_due <= now && state->rate < site->line_bps)
        on_rate_timer(state, site);
    if (state->rate_due > now)
        return;
    const time_ps events = (now - state->rate_due) / params->rate_timer + 1;
    state->timer_stage += (uint32_t)events;
    state->rate_due += events * params->rate_timer;
}

static inline void catch_up(struct cc_dcqcn *state, const struct cc_site *site, time_ps now)
{
    if (UNLIKELY(state->rate_due <= now))
        run_rate_timer(state, site, now);
    pay(state, now);
}

/* When the debt is paid, as long as the rate is what it is. */
static inline time_ps paid_at(const struct cc_dcqcn *state)
{
    if (state->debt <= 0)
        return state->debt_at;
    return state->debt_at + (time_ps)(((uint64_t)state->debt + state->rate - 1) / state->rate);
}

/* The same where the timer falls into the wait, on a copy that goes ahead of time.  Once paid a
 * debt stays paid, whatever the timer makes of the rate. */
static ASIDE time_ps paid_later(const struct cc_dcqcn *state, const struct cc_site *site)
{
    struct cc_dcqcn ahead = *state;
    time_ps paid;
    do {
        on_rate_timer(&ahead, site);
        paid = paid_at(&ahead);
    } while (paid >= ahead.rate_due);
    return paid;
}

/* Of a state that is caught up. */
static inline time_ps next_send(const struct cc_dcqcn *state, const struct cc_site *site)
{
    const time_ps paid = paid_at(state);
    return LIKELY(paid < state->rate_due) ? paid : paid_later(state, site);
}

static time_ps cnp_interval(const void *params)
{
    return ((const struct cc_dcqcn_params *)params)->cnp_interval;
}

static void init(void *of, const struct cc_site *site)
{
    const struct cc_dcqcn_params *params = site->params;
    *(struct cc_dcqcn *)of = (struct cc_dcqcn){
        .rate = site->line_bps,
        .target = site->line_bps,
        .alpha = ratio_q32(params->initial_alpha),
        .alpha_due = TIME_NEVER,
        .rate_due = TIME_NEVER,
        .debt_at = TIME_NEVER,
        .last_cut = -1,
    };
}

static void cut(struct cc_dcqcn *state, const struct cc_dcqcn_params *params, time_ps now)
{
    if (params->clamp_target || state->timer_stage > 0 || state->last_cut < 0)
        state->target = state->rate;
    state->rate -= times_q32(state->rate, state->alpha / 2);
    if (state->rate < (uint64_t)params->min_rate)
        state->rate = (uint64_t)params->min_rate;
    if (state->target < state->rate)
        state->target = state->rate;
    state->timer_stage = state->byte_stage = 0;
    state->bytes = 0;
    state->rate_due = now + params->rate_timer;
    state->last_cut = now;
}

static time_ps on_cnp(void *of, const struct cc_site *site, time_ps now)
{
    struct cc_dcqcn *state = of;
    const struct cc_dcqcn_params *params = site->params;
    if (!is_limited(state)) {
        state->debt = 0;
        state->debt_at = now;
        state->rate_due = TIME_NEVER;
    }
    decay_alpha(state, params, now);
    catch_up(state, site, now);
    if (state->last_cut < 0 || now - state->last_cut >= params->cut_interval)
        cut(state, params, now);
    const uint64_t g = ratio_q32(params->g);
    state->alpha += times_q32(ALPHA_ONE - state->alpha, g);
    state->alpha_due = now + params->alpha_timer;
    return next_send(state, site);
}

static inline void owe(struct cc_dcqcn *state, uint32_t bytes, time_ps now)
{
    pay(state, now);
    state->debt += (int64_t)(bytes + WIRE_GAP) * 8 * DEBT_PER_BIT;
    state->bytes += bytes;
}

static inline time_ps after_frame(struct cc_dcqcn *state, const struct cc_site *site)
{
    if (LIKELY(state->rate < site->line_bps)) /* and never above its target */
        return next_send(state, site);
    state->debt_at = TIME_NEVER;
    return CC_UNLIMITED;
}

/* The timer or the byte counter falls due. */
static ASIDE time_ps on_sent_due(struct cc_dcqcn *state, const struct cc_site *site, uint32_t bytes,
                                 time_ps now)
{
    const struct cc_dcqcn_params *params = site->params;
    run_rate_timer(state, site, now);
    owe(state, bytes, now);
    while (state->bytes >= (uint64_t)params->byte_counter) {
        state->bytes -= (uint64_t)params->byte_counter;
        increase(state, site);
        state->byte_stage++;
    }
    return after_frame(state, site);
}

static time_ps on_sent(void *of, const struct cc_site *site, uint32_t bytes, time_ps now)
{
    struct cc_dcqcn *state = of;
    const struct cc_dcqcn_params *params = site->params;
    if (UNLIKELY(state->rate_due <= now || state->bytes + bytes >= (uint64_t)params->byte_counter))
        return on_sent_due(state, site, bytes, now);
    owe(state, bytes, now);
    return after_frame(state, site);
}

static void observe(const void *of, const struct cc_site *site, time_ps now, struct cc_view *view)
{
    struct cc_dcqcn then = *(const struct cc_dcqcn *)of;
    decay_alpha(&then, site->params, now);
    if (is_limited(&then))
        catch_up(&then, site, now);
    *view = (struct cc_view){
        .rate_bps = then.rate,
        .target_bps = then.target,
        .alpha_ppm = times_q32((uint64_t)PPM, then.alpha),
    };
}

const struct cc_ops cc_dcqcn = {
    .name = "dcqcn",
    .about = "DCQCN: rate cuts on CNPs, timed recovery",
    .source = PAPER,
    .opts = dcqcn_opts,
    .params_bytes = sizeof(struct cc_dcqcn_params),
    .wants_ecn = true,
    .cnp_interval = cnp_interval,
    .init = init,
    .on_cnp = on_cnp,
    .on_sent = on_sent,
    .observe = observe,
};
