/* SPDX-License-Identifier: Apache-2.0
 * buffer_abm - Active Buffer Management: free memory, divided by the number of congested places and
 * scaled by the drain rate.
 *    T = alpha * (B - Q) * 1/n * mu/b
 * n is the number of congested places of the same priority (groups with groups, queues with
 * queues), mu/b the drain rate of the place as a fraction of its port's rate. With a single
 * congested place that drains at line rate this is the dynamic threshold.
 * Source: Addanki et al., ABM: Active Buffer Management in Datacenters, SIGCOMM 2022; the
 * measurement of n and mu follows its authors' simulator (inet-tub/ns3-datacenter,
 * gen-queue-disc.cc): a place counts fractionally until it reaches `abm-congested`, and n is at
 * least 1. Groups, and mu/b = 1 below that occupancy: the same simulator, switch-mmu.cc. Our
 * choice: the rate of a paused or starved place counts as 1/8 of the line, the share of one of
 * eight priorities, so that its threshold does not vanish; its measurement window begins when the
 * place becomes congested, and n is updated with each frame, where the simulator updates the whole
 * switch periodically. Not modeled: the larger alpha during a flow's first round trip, which hosts
 * would have to mark. Units: cells, ppm, picoseconds. */
#include "net/switch/buffer.h"

#include "base/check.h"

struct abm_params {
    int64_t interval;  /* ps */
    int64_t congested; /* bytes */
};

static const struct opt opts[] = {
    {"abm-interval", OPT_TIME, offsetof(struct abm_params, interval), "30us", "1us", "10ms", NULL,
     "ABM: interval over which the drain rate of a congested queue or group is measured.",
     "the authors' ns-3 simulator: updateInterval 30000 ns", OPT_ACTS(PAUSES, ANY, TRACE)},
    {"abm-congested", OPT_SIZE, offsetof(struct abm_params, congested), "28000B", "1B", "1GiB",
     NULL,
     "ABM: occupancy at which a queue or group counts as one congested queue or group. With a "
     "lower occupancy it counts as the fraction occupancy / abm-congested.",
     "the authors' ns-3 simulator: sat 20 * 1400 B", OPT_ACTS(PAUSES, ANY, TRACE)},
    {0},
};

enum { LEAST_DRAIN = PPM / PRIORITIES };

struct abm_place {
    time_ps since; /* begin of the measurement window */
    int64_t left;  /* cells that left during the window */
    int64_t drain; /* drain rate in the previous window, ppm of the line rate */
    int64_t level; /* occupancy in ppm of `congested`, at most PPM */
};

struct abm {
    int64_t congested[2][PRIORITIES]; /* sums of levels: of groups, of queues */
    struct abm_place places[];        /* groups, then queues */
};

static size_t state_bytes(uint32_t groups)
{
    return sizeof(struct abm) + 2 * (size_t)groups * sizeof(struct abm_place);
}

static uint32_t place_index(const struct buffer *view, struct buffer_place place)
{
    return (place.egress ? view->group_count : 0) + place.port * (uint32_t)PRIORITIES +
           place.priority;
}

static int64_t level_of(const struct buffer *view, struct buffer_place place)
{
    const struct abm_params *params = view->params;
    const int64_t held = buffer_bytes(view, buffer_place_held(view, place));
    return held >= params->congested ? PPM : held * PPM / params->congested;
}

/* Drain rate, as ppm of the port's rate, when `cells` left in time `took`. */
static int64_t drain_of(const struct buffer *view, struct buffer_place place, int64_t cells,
                        time_ps took)
{
    const uint64_t bytes = (uint64_t)buffer_bytes(view, cells);
    const time_ps line = units_transfer_ps(bytes, view->ports[place.port].rate.bps);
    const int64_t drain = line >= took ? PPM : (int64_t)((__int128)line * PPM / took);
    return drain > LEAST_DRAIN ? drain : LEAST_DRAIN;
}

static void moved(void *state, const struct buffer *view, struct buffer_place place, int64_t cells,
                  time_ps now)
{
    const struct abm_params *params = view->params;
    struct abm *abm = state;
    struct abm_place *at = &abm->places[place_index(view, place)];
    const int64_t was = at->level;
    at->level = level_of(view, place);
    abm->congested[place.egress][place.priority] += at->level - was;
    if (was < PPM || at->level < PPM) {
        at->since = now;
        at->left = 0;
        at->drain = PPM;
        return;
    }
    at->left += cells < 0 ? -cells : 0;
    if (now - at->since < params->interval)
        return;
    at->drain = drain_of(view, place, at->left, now - at->since);
    at->since = now;
    at->left = 0;
}

static int64_t most(const struct buffer *view, struct buffer_place place, int64_t alpha,
                    int64_t idle)
{
    (void)view, (void)place;
    return idle * alpha / PPM; /* fits: 2^31 * 2^27 */
}

static int64_t threshold(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle)
{
    const struct abm *abm = view->state;
    const struct abm_place *at = &abm->places[place_index(view, place)];
    const int64_t congested = abm->congested[place.egress][place.priority];
    const int64_t drain = at->level < PPM ? PPM : at->drain;
    return most(view, place, alpha, idle) * drain / (congested > PPM ? congested : PPM);
}

/* Groups that meet at one egress port share its rate: s = alpha/n * mu/b * (B - n*s). */
static int64_t settled(const void *params, int64_t alpha, int64_t shared, int64_t busy)
{
    (void)params;
    const int64_t drain = PPM / busy > LEAST_DRAIN ? PPM / busy : LEAST_DRAIN;
    const int64_t weight = alpha * drain / PPM;
    return (int64_t)((__int128)shared * weight / (busy * ((__int128)PPM + weight)));
}

static void audit(const struct buffer *view)
{
    const struct abm *abm = view->state;
    int64_t congested[2][PRIORITIES] = {0};
    for (uint32_t i = 0; i < 2 * view->group_count; i++) {
        const struct abm_place *at = &abm->places[i];
        CHECK(at->level >= 0 && at->level <= PPM);
        CHECK(at->level < PPM || (at->drain >= LEAST_DRAIN && at->drain <= PPM));
        congested[i >= view->group_count][i % PRIORITIES] += at->level;
    }
    for (unsigned side = 0; side < 2; side++)
        for (unsigned p = 0; p < PRIORITIES; p++)
            CHECK(congested[side][p] == abm->congested[side][p]);
}

const struct buffer_policy buffer_abm = {
    .about = "alpha times the free shared memory, by the congested queues and how fast one drains",
    .source = "Addanki et al., ABM: Active Buffer Management in Datacenters, SIGCOMM 2022",
    .opts = opts,
    .params_bytes = sizeof(struct abm_params),
    .queues = true,
    .threshold = threshold,
    .most = most,
    .settled = settled,
    .state_bytes = state_bytes,
    .moved = moved,
    .audit = audit,
};
