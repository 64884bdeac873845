/* SPDX-License-Identifier: Apache-2.0
 * fit_score - counters of an incident, by interval, under runs with and without a fault. */
#include "base/memory.h"
#include "replay/compare/incident_score.h"
#include "replay/incident/fit_private.h"

#include <stdlib.h>
#include <string.h>

/* Shares of an interval's time with the fault that are tried, from none to all. */
enum { SHARES = 10 };

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

/* Samples of most counters. */
static uint32_t count_samples(const struct incident *incident)
{
    uint32_t samples = 0;
    for (size_t i = 0; i < incident->count_count; i++)
        if (incident->counts[i].known && incident->counts[i].sample_count > samples)
            samples = incident->counts[i].sample_count;
    return samples;
}

/* Seconds between two samples on average, since clocks print whole seconds; 0: not known. */
static double time_between(const struct incident *incident, uint32_t samples, uint32_t first,
                           uint32_t last)
{
    double sum = 0, dated = 0;
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_sample *at = incident->counts[i].samples;
        if (incident->counts[i].sample_count != samples ||
            at[first].when.seconds == INCIDENT_NO_TIME ||
            at[last].when.seconds <= at[first].when.seconds)
            continue;
        sum += (double)(at[last].when.seconds - at[first].when.seconds);
        dated++;
    }
    return dated > 0 ? sum / dated : 0;
}

/* Of more samples, every second one counts, or every third one, and so on. */
void fit_find_intervals(struct fit_search *search)
{
    const struct incident *incident = search->incident;
    const uint32_t samples = count_samples(incident);
    if (samples < 3)
        return;
    const uint32_t step = (samples - 2) / FIT_INTERVALS_MAX + 1;
    uint32_t intervals = 0;
    search->samples = samples;
    for (uint32_t at = 0; at + 1 < samples; at += step) {
        const uint32_t end = at + step < samples ? at + step : samples - 1;
        search->lengths[intervals] = time_between(incident, samples, at, end);
        if (search->lengths[intervals] <= 0)
            return;
        search->edges[intervals++] = at;
        search->edges[intervals] = end;
    }
    search->intervals = intervals;
}

/* A counter's difference over an interval; over all of it where there are no intervals.  False: not
 * known. */
static bool count_in(const struct fit_search *search, size_t i, uint32_t interval, int64_t *count)
{
    const struct incident_count *one = &search->incident->counts[i];
    *count = one->difference;
    if (search->intervals <= 1)
        return true;
    if (one->sample_count != search->samples)
        return false;
    *count = 0;
    for (uint32_t k = search->edges[interval]; k < search->edges[interval + 1]; k++) {
        const int64_t moved = one->samples[k + 1].value - one->samples[k].value;
        *count += moved < 0 ? 0 : moved;
    }
    return true;
}

/* Counts of a run without the fault in a part of its time. */
static double mix_count(const struct fit_search *search, const struct fit_with *with, size_t i,
                        double share)
{
    const double healthy = (double)search->nothing.replay[i], faulty = (double)with->replay[i];
    const double sum = healthy + (faulty - healthy) * share / with->part;
    return sum > 0 ? sum : 0;
}

void fit_mix(const struct fit_search *search, const struct fit_with *with, double share,
             int64_t *mixed)
{
    for (size_t i = 0; i < search->incident->count_count; i++)
        mixed[i] = with->replay[i] < 0 ? -1 : (int64_t)mix_count(search, with, i, share);
}

double fit_score_of_share(const struct fit_search *search, const struct fit_with *with,
                          uint32_t interval, double share)
{
    double sum = 0;
    const double seconds =
        search->intervals > 1 ? search->lengths[interval] : (double)search->fit->incident_s;
    const double scale = (double)search->fit->lasts / (seconds * (double)PS_PER_S);
    for (size_t i = 0; i < search->incident->count_count; i++) {
        int64_t count;
        if (with->replay[i] < 0 || !search->compared[i] || !count_in(search, i, interval, &count))
            continue;
        if (count != 0 || with->replay[i] > 0 || search->nothing.replay[i] > 0)
            sum += incident_score_counter(count, (int64_t)mix_count(search, with, i, share), scale);
    }
    return sum;
}

/* ---- when ---- */

/* Scores of one run: of each interval with the fault in a part of it, in steps of 1 / SHARES. */
struct shares {
    double scores[FIT_INTERVALS_MAX][SHARES + 1];
};

/* The best part of an interval in which the fault begins or ends: never none of it. */
static int best_part(const struct shares *shares, uint32_t interval)
{
    int best = 1;
    for (int part = 2; part <= SHARES; part++)
        if (shares->scores[interval][part] > shares->scores[interval][best])
            best = part;
    return best;
}

/* A fault begins once and ends once: between these intervals it is there all the time.  Shares that
 * were free in each interval would trade the magnitude for the time. */
struct fit_time fit_time_of(const struct fit_search *search, const struct fit_with *with)
{
    const uint32_t count = search->intervals > 1 ? search->intervals : 1;
    struct shares *shares = memory_zeroed(1, sizeof *shares);
    double none = 0, all = 0;
    for (uint32_t k = 0; k < count; k++) {
        for (int part = 0; part <= SHARES; part++)
            shares->scores[k][part] = fit_score_of_share(search, with, k, (double)part / SHARES);
        none += shares->scores[k][0];
        all += search->intervals > 1 ? search->lengths[k] : 1;
    }
    struct fit_time best = {.score = none};
    for (uint32_t first = 0; first < count; first++) {
        const int begin = best_part(shares, first);
        double sum = none;
        double time = 0;
        for (uint32_t last = first; last < count; last++) {
            const double length = search->intervals > 1 ? search->lengths[last] : 1;
            const int end = last == first ? begin : best_part(shares, last);
            const double score = sum + shares->scores[last][end] - shares->scores[last][0];
            if (score > best.score)
                best = (struct fit_time){score, (time + length * end / SHARES) / all};
            const int whole = last == first ? begin : SHARES;
            sum += shares->scores[last][whole] - shares->scores[last][0];
            time += length * whole / SHARES;
        }
    }
    free(shares);
    return best;
}

/* A counter that one run has and the other one has not is 0 there. */
void fit_zero_missing(const struct fit_search *search, int64_t *replay)
{
    for (size_t i = 0; i < search->incident->count_count; i++)
        if (replay[i] < 0 && search->nothing.replay[i] >= 0)
            replay[i] = 0;
}
