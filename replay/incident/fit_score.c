/* SPDX-License-Identifier: Apache-2.0
 * fit_score - counters of an incident, by interval, under runs with and without a fault. */
#include "replay/compare/incident_score.h"
#include "replay/incident/fit_private.h"

#include <string.h>

enum { SHARES = 20 }; /* of the time with the fault that are tried */

/* ---- counters ---- */

/* Where flows are estimated, their ways through the fabric and their messages are not known: bytes
 * and frames of links between switches and counts of requests say nothing about a hypothesis. */
static bool is_predicted(const struct triage_work *work, const struct incident_count *count)
{
    const bool of_volume =
        strstr(count->name, "packets") != NULL || strstr(count->name, "bytes") != NULL;
    if (strstr(count->name, "requests") != NULL)
        return false;
    const int node = triage_find_node(work, count->host);
    for (size_t i = 0;
         node >= 0 && work->nodes[node].is_switch && of_volume && i < work->nodes[node].port_count;
         i++) {
        const struct triage_port *port = &work->ports[work->nodes[node].ports[i]];
        if (strcmp(port->name, count->port) == 0)
            return port->peer < 0 || !work->nodes[work->ports[port->peer].node].is_switch;
    }
    return true;
}

void fit_find_compared(struct fit_search *search)
{
    const size_t count = search->incident->count_count;
    search->compared = arena_array(&search->fit->arena, count + 1, sizeof *search->compared);
    for (size_t i = 0; i < count; i++)
        search->compared[i] = search->incident->counts[i].known &&
                              (search->base->own_workloads ||
                               is_predicted(search->base->work, &search->incident->counts[i]));
}

double fit_score_of(const struct fit_search *search, const int64_t *replay)
{
    double sum = 0;
    for (size_t i = 0; i < search->incident->count_count; i++) {
        const int64_t count = search->incident->counts[i].difference;
        if (search->compared[i] && replay[i] >= 0 && (count != 0 || replay[i] > 0))
            sum += incident_score_counter(count, replay[i], search->scale);
    }
    return sum;
}

/* ---- shares ---- */

/* Samples of most counters, and the time between them on average: clocks print whole seconds. */
void fit_find_intervals(struct fit_search *search)
{
    const struct incident *incident = search->incident;
    uint32_t samples = 0;
    for (size_t i = 0; i < incident->count_count; i++)
        if (incident->counts[i].known && incident->counts[i].sample_count > samples)
            samples = incident->counts[i].sample_count;
    if (samples < 3 || samples > FIT_INTERVALS_MAX + 1)
        return;
    for (uint32_t k = 0; k + 1 < samples; k++) {
        double sum = 0, dated = 0;
        for (size_t i = 0; i < incident->count_count; i++) {
            const struct incident_sample *at = incident->counts[i].samples;
            if (incident->counts[i].sample_count != samples ||
                at[k].when.seconds == INCIDENT_NO_TIME ||
                at[k + 1].when.seconds <= at[k].when.seconds)
                continue;
            sum += (double)(at[k + 1].when.seconds - at[k].when.seconds);
            dated++;
        }
        if (dated == 0)
            return;
        search->lengths[k] = sum / dated;
    }
    search->intervals = samples - 1;
}

/* A counter's difference over an interval; over all of it where there are no intervals.  False: not
 * known. */
static bool count_in(const struct fit_search *search, size_t i, uint32_t interval, int64_t *count)
{
    const struct incident_count *one = &search->incident->counts[i];
    *count = one->difference;
    if (search->intervals <= 1)
        return true;
    if (one->sample_count != search->intervals + 1)
        return false;
    const int64_t moved = one->samples[interval + 1].value - one->samples[interval].value;
    *count = moved < 0 ? 0 : moved;
    return true;
}

/* Counts of a run that has the fault in a part of its time. */
static double mixed(const struct fit_search *search, const int64_t *replay, size_t i, double share)
{
    const double without = (double)search->nothing.replay[i], with = (double)replay[i];
    const double sum = without + (with - without) * share / (1 - fit_fault_at);
    return sum > 0 ? sum : 0;
}

double fit_score_of_share(const struct fit_search *search, const int64_t *replay, uint32_t interval,
                          double share)
{
    double sum = 0;
    const double seconds =
        search->intervals > 1 ? search->lengths[interval] : (double)search->fit->incident_s;
    const double scale = (double)search->fit->lasts / (seconds * (double)PS_PER_S);
    for (size_t i = 0; i < search->incident->count_count; i++) {
        int64_t count;
        if (replay[i] < 0 || !search->compared[i] || !count_in(search, i, interval, &count))
            continue;
        if (count != 0 || replay[i] > 0 || search->nothing.replay[i] > 0)
            sum += incident_score_counter(count, (int64_t)mixed(search, replay, i, share), scale);
    }
    return sum;
}

/* The best share of one interval. */
double fit_share_of(const struct fit_search *search, const int64_t *replay, uint32_t interval,
                    double *score)
{
    double best = 0;
    *score = fit_score_of_share(search, replay, interval, 0);
    for (int i = 1; i <= SHARES; i++) {
        const double share = (double)i / SHARES,
                     at = fit_score_of_share(search, replay, interval, share);
        if (at > *score) {
            *score = at;
            best = share;
        }
    }
    return best;
}

/* A counter that one run has and the other one has not is 0 there. */
void fit_zero_missing(const struct fit_search *search, int64_t *replay)
{
    for (size_t i = 0; i < search->incident->count_count; i++)
        if (replay[i] < 0 && search->nothing.replay[i] >= 0)
            replay[i] = 0;
}
