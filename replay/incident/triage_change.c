/* SPDX-License-Identifier: Apache-2.0
 * triage_change - when the incident was: the time in which most counters moved at another rate than
 * before.
 * The samples of all counters are put on one time axis of at most CHANGE_BINS_MAX equal bins.  A
 * window from one bin to another splits each counter into two rates.  The logarithm of the
 * likelihood gains n/2 ln(S/S'), with the squares S of its rates around one mean and S' around two.
 * The incident is the window at which the counters gain most in total; a counter that gains less
 * than chance would give is left out.  The window never begins with the first bin, because signs
 * are compared with the rates before it.
 * Clocks that are off by seconds shift a counter by a bin or two. */
#include "replay/incident/triage_private.h"

#include <math.h>

/* Of all counters: a lower gain is chance. */
static const double least_gain = 2.5;

/* An incident that ends early has to explain more than one that lasts, by this factor: the time
 * before a lasting one is also a window. */
static const double ends_early = 1.2;

/* Deviations of a rate from its mean that say nothing, as a part of its highest value: dates are
 * whole seconds, and rates are those of a short time. */
static const double noise = 0.05;

/* At this part of its count at least, a sign counts although it grew as fast before. */
static const double least_more = 0.1;

double triage_time(const struct triage_change *change, const struct incident_count *count,
                   uint32_t sample)
{
    return change->dated ? (double)count->samples[sample].when.seconds : (double)sample;
}

double triage_edge(const struct triage_change *change, uint32_t bin)
{
    return change->start + change->step * bin;
}

bool triage_is_dated(const struct incident_count *count)
{
    for (uint32_t i = 0; i < count->sample_count; i++)
        if (count->samples[i].when.seconds == INCIDENT_NO_TIME ||
            (i > 0 && count->samples[i].when.seconds < count->samples[i - 1].when.seconds))
            return false;
    return true;
}

/* Whether the counter has a place on the time axis. */
static bool is_usable(const struct triage_change *change, const struct incident_count *count)
{
    return count->known && !count->peak && count->sample_count >= 3 &&
           count->difference >= TRIAGE_NOISE && (!change->dated || triage_is_dated(count)) &&
           (change->bins == 0 || (triage_time(change, count, 0) <= change->start &&
                                  triage_time(change, count, count->sample_count - 1) >=
                                      triage_edge(change, change->bins) - 0.5));
}

double triage_counted_until(const struct triage_change *change, const struct incident_count *count,
                            double time)
{
    double sum = 0;
    for (uint32_t i = 1; i < count->sample_count; i++) {
        const int64_t then = count->samples[i - 1].value, now = count->samples[i].value;
        const double moved = (double)(now < then ? now : now - then),
                     from = triage_time(change, count, i - 1), to = triage_time(change, count, i);
        if (time >= to) {
            sum += moved;
            continue;
        }
        return time <= from ? sum : sum + moved * (time - from) / (to - from);
    }
    return sum;
}

double triage_moved(const struct triage_change *change, const struct incident_count *count,
                    uint32_t from, uint32_t to)
{
    return triage_counted_until(change, count, triage_edge(change, to)) -
           triage_counted_until(change, count, triage_edge(change, from));
}

void triage_inner(const struct triage_change *change, uint32_t *from, uint32_t *to)
{
    const uint32_t guard =
        change->dated && change->step > 0 ? (uint32_t)ceil(TRIAGE_CLOCK_SECONDS / change->step) : 0;
    *from = change->found ? change->from : 0;
    *to = change->found ? change->to : change->bins;
    if (*to - *from > 2 * guard) {
        *from += guard;
        *to -= guard;
    }
}

bool triage_rates(const struct triage_change *change, const struct incident_count *count,
                  struct triage_rates *rates)
{
    uint32_t from, to;
    if (count == NULL || !change->found || count->sample_count < 3)
        return false;
    triage_inner(change, &from, &to);
    const uint32_t guard = from - change->from, end = change->from - guard;
    const uint32_t until = change->from > guard ? end : change->from;
    *rates =
        (struct triage_rates){triage_moved(change, count, 0, until) / (change->step * until),
                              triage_moved(change, count, from, to) / (change->step * (to - from))};
    return true;
}

/* ---- the time axis ---- */

/* The time of which all counters with the most samples count. */
static bool make_bins(struct triage_work *work)
{
    struct triage_change *change = &work->change;
    const struct incident *incident = work->incident;
    uint32_t samples = 0;
    double from = 0, to = 0;
    for (size_t i = 0; i < incident->count_count; i++)
        change->dated |=
            incident->counts[i].sample_count >= 3 && triage_is_dated(&incident->counts[i]);
    for (size_t i = 0; i < incident->count_count; i++)
        if (is_usable(change, &incident->counts[i]) && incident->counts[i].sample_count > samples)
            samples = incident->counts[i].sample_count;
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        if (count->sample_count != samples || !is_usable(change, count))
            continue;
        const double first = triage_time(change, count, 0),
                     last = triage_time(change, count, samples - 1);
        from = to == 0 || first > from ? first : from;
        to = to == 0 || last < to ? last : to;
    }
    if (samples < 3 || to <= from)
        return false;
    change->bins = samples - 1 < CHANGE_BINS_MAX ? samples - 1 : CHANGE_BINS_MAX;
    change->start = from;
    change->step = (to - from) / change->bins;
    return true;
}

/* ---- the window ---- */

/* Of a counter's rates, relative to the highest: sums before each bin. */
struct rates {
    double sums[CHANGE_BINS_MAX + 1];
    double squares; /* around their mean */
};

static bool read_rates(const struct triage_change *change, const struct incident_count *count,
                       struct rates *rates)
{
    double most = 0, squares = 0;
    *rates = (struct rates){.squares = 0};
    for (uint32_t k = 0; k < change->bins; k++) {
        rates->sums[k + 1] = triage_moved(change, count, k, k + 1);
        most = rates->sums[k + 1] > most ? rates->sums[k + 1] : most;
    }
    for (uint32_t k = 1; k <= change->bins && most > 0; k++) {
        rates->sums[k] /= most;
        squares += rates->sums[k] * rates->sums[k];
        rates->sums[k] += rates->sums[k - 1];
    }
    const double sum = rates->sums[change->bins];
    rates->squares = squares - sum * sum / change->bins;
    return most > 0;
}

/* What the best of all windows gains by chance: the logarithm of their number, and half of that of
 * the rates for the second rate (Schwarz 1978, "Estimating the dimension of a model"). */
static double gain_by_chance(double bins)
{
    return log(bins * bins / 2) + log(bins) / 2;
}

static double gain_of(const struct triage_change *change, const struct rates *rates, uint32_t from,
                      uint32_t to)
{
    const double bins = change->bins, inside = to - from, outside = bins - inside,
                 sum = rates->sums[to] - rates->sums[from], rest = rates->sums[change->bins] - sum;
    const double differ = sum / inside - rest / outside,
                 explained = differ * differ * inside * outside / bins,
                 floor = bins * noise * noise;
    return bins / 2 * log((rates->squares + floor) / (rates->squares - explained + floor)) -
           gain_by_chance(bins);
}

double triage_gain(const struct triage_change *change, const struct incident_count *count)
{
    struct rates rates;
    if (!change->found || !is_usable(change, count) || !read_rates(change, count, &rates))
        return 0;
    return gain_of(change, &rates, change->from, change->to);
}

void triage_find_change(struct triage_work *work)
{
    struct triage_change *change = &work->change;
    double gains[CHANGE_BINS_MAX + 1][CHANGE_BINS_MAX + 1] = {{0}}, best = 0;
    *change = (struct triage_change){.bins = 0};
    if (!make_bins(work))
        return;
    for (size_t i = 0; i < work->incident->count_count; i++) {
        const struct incident_count *count = &work->incident->counts[i];
        struct rates rates;
        if (!is_usable(change, count) || !read_rates(change, count, &rates))
            continue;
        for (uint32_t from = 1; from < change->bins; from++)
            for (uint32_t to = from + 1; to <= change->bins; to++) {
                const double gain = gain_of(change, &rates, from, to);
                gains[from][to] += gain > 0 ? gain : 0;
            }
    }
    for (uint32_t from = 1; from < change->bins; from++)
        for (uint32_t to = from + 1; to <= change->bins; to++)
            if (gains[from][to] / (to < change->bins ? ends_early : 1) > best) {
                best = gains[from][to] / (to < change->bins ? ends_early : 1);
                change->from = from;
                change->to = to;
            }
    change->found = best > least_gain;
}

/* ---- what is more than before ---- */

int64_t triage_more(const struct triage_work *work, const struct incident_count *count)
{
    const struct triage_change *change = &work->change;
    if (!change->found || !is_usable(change, count))
        return count->difference;
    const double expected =
        triage_moved(change, count, 0, change->from) / change->from * change->bins;
    const double more = (double)count->difference - expected,
                 least = (double)count->difference * least_more;
    return (int64_t)(more > least ? more : least);
}
