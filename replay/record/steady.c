/* SPDX-License-Identifier: Apache-2.0
 * steady - MSER in integers, so that the result is the same on every machine; means of batches. */
#include "replay/record/steady.h"

#include "base/memory.h"
#include "base/quantity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MSER_BATCH = 5, /* observations */
    MSER_BATCHES_MIN = 20,
    COMPLETED_MIN = 5, /* minimum mean number per batch */
    BATCHES = 20,      /* for confidence intervals */
    P50_SAMPLES = 10,  /* needed for a percentile of a batch or of all */
    P99_SAMPLES = 100,
    P99_9_SAMPLES = 1000
};

/* p99.9 has no interval: the p99.9 of a batch would be one of its last samples, and intervals from
 * those are too narrow (docs/model.md). */
static_assert(BATCHES * P99_9_SAMPLES > WL_HISTORY_SAMPLES, "batches never have as many samples");

/* 0.975 quantiles of Student's t for all batches, half as many and a quarter. */
static const double student_t[] = {2.093, 2.262, 2.776}; /* 19, 9 and 4 degrees of freedom */
static const double sure_enough = 0.1;                   /* relative width of a steady interval */

/* A range of intervals of the history. */
struct part {
    const struct wl_history *history;
    uint32_t first, end;
};

static struct wl_history_interval sum_of(const struct part *part, uint32_t from, uint32_t count)
{
    struct wl_history_interval sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        sum.completed += part->history->intervals[from + i].completed;
        sum.bytes += part->history->intervals[from + i].bytes;
        sum.latency_sum += part->history->intervals[from + i].latency_sum;
    }
    return sum;
}

/* ---- end of the warm-up ---- */

/* Scales values below 2^38, so that with at most 512 of them no product overflows. */
static int shift_of(const uint64_t *batches, uint32_t count)
{
    uint64_t all = 0;
    int shift = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= batches[i];
    while (all >> shift >= UINT64_C(1) << 38)
        shift++;
    return shift;
}

static uint32_t cut_within(const uint64_t *batches, uint32_t count, uint32_t most)
{
    const int shift = shift_of(batches, count);
    __int128 sum = 0, squares = 0, least = 0;
    int64_t least_cube = 0;
    uint32_t best = 0;
    for (uint32_t cut = count; cut-- > 0;) {
        const int64_t y = (int64_t)(batches[cut] >> shift), n = count - cut;
        sum += y;
        squares += (__int128)y * y;
        if (cut > most)
            continue;
        const __int128 spread = n * squares - sum * sum; /* / n^3: squared standard error */
        const int64_t cube = n * n * n;
        if (least_cube != 0 && spread * least_cube > least * cube)
            continue;
        least = spread;
        least_cube = cube;
        best = cut;
    }
    return best;
}

uint32_t steady_cut(const uint64_t *batches, uint32_t count)
{
    return cut_within(batches, count, count / 2);
}

/* The trend of a series for which MSER cuts off the maximum. */
enum trend { TREND_LEVEL, TREND_CONVERGES, TREND_GOES_ON };

static double mean_of(const uint64_t *batches, uint32_t from, uint32_t until)
{
    double sum = 0;
    for (uint32_t i = from; i < until; i++)
        sum += (double)batches[i];
    return sum / (until - from);
}

/* The part just before the middle differs from the second half by no more than the permitted
 * width. */
static bool halves_agree(const uint64_t *batches, uint32_t count, uint32_t from)
{
    const double second = mean_of(batches, count / 2, count);
    return fabs(mean_of(batches, from, count / 2) - second) <= sure_enough * second;
}

/* Level: the last eighth before the middle agrees with the second half, so MSER reacted to noise.
 * Converging: the step from the third to the fourth quarter is at most 3/4 of the previous one. For
 * a steady rise that ratio is 1, for an exponential approach less. */
static enum trend trend_of(const uint64_t *batches, uint32_t count)
{
    const uint32_t half = count / 2, quarter = half / 2;
    if (halves_agree(batches, count, half - count / 8))
        return TREND_LEVEL;
    const double b = mean_of(batches, quarter, half), c = mean_of(batches, half, half + quarter);
    const double d = mean_of(batches, half + quarter, count);
    return fabs(d - c) <= 0.75 * fabs(c - b) ? TREND_CONVERGES : TREND_GOES_ON;
}

/* The warm-up of one series, and its trend. */
static uint32_t cut_of(const uint64_t *batches, uint32_t count, enum trend *worst)
{
    const uint32_t cut = steady_cut(batches, count);
    if (cut + count / 20 < count / 2)
        return cut;
    const enum trend trend = trend_of(batches, count);
    *worst = trend > *worst ? trend : *worst;
    return halves_agree(batches, count, count / 4) ? cut_within(batches, count, count / 4) : cut;
}

/* Intervals per batch; 0 if there are too few completions or intervals. */
static uint32_t batch_size(const struct part *part)
{
    const uint32_t intervals = part->end - part->first;
    const uint64_t completed = sum_of(part, part->first, intervals).completed;
    for (uint32_t size = MSER_BATCH; intervals / size >= MSER_BATCHES_MIN; size *= 2)
        if (completed / (intervals / size) >= COMPLETED_MIN)
            return size;
    return 0;
}

/* The warm-up in intervals, considering both series. */
static uint32_t warm_up(const struct part *part, uint32_t size, enum trend *trend)
{
    uint64_t goodput[WL_HISTORY_INTERVALS], latency[WL_HISTORY_INTERVALS];
    const uint32_t count = (part->end - part->first) / size;
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_history_interval sum = sum_of(part, part->first + i * size, size);
        goodput[i] = sum.bytes > 0 ? sum.bytes : sum.completed;
        latency[i] = sum.completed > 0 ? sum.latency_sum / sum.completed
                     : i > 0           ? latency[i - 1]
                                       : 0;
    }
    *trend = TREND_LEVEL;
    const uint32_t a = cut_of(goodput, count, trend), b = cut_of(latency, count, trend);
    return (a > b ? a : b) * size;
}

/* ---- figures ---- */

static int64_t rounded(double value)
{
    return (int64_t)(value + 0.5);
}

/* Half of the interval from the means of single batches (level 0), of pairs (1), or of groups of
 * four (2). */
static double half_of(const double batches[BATCHES], int level)
{
    const int each = 1 << level, count = BATCHES / each;
    double means[BATCHES] = {0}, mean = 0, squares = 0;
    for (int i = 0; i < BATCHES; i++) {
        means[i / each] += batches[i] / each;
        mean += batches[i] / BATCHES;
    }
    for (int i = 0; i < count; i++)
        squares += (means[i] - mean) * (means[i] - mean);
    return student_t[level] * sqrt(squares / (count - 1) / count);
}

static struct steady_figure figure(double value, const double batches[BATCHES])
{
    return (struct steady_figure){rounded(value), rounded(half_of(batches, 0))};
}

/* The width of a figure's interval, relative to its value. */
struct width {
    double now, widest; /* now: from all batches; widest: also from fewer, longer ones */
    bool grows;         /* grows with longer batches, so even the longest are too short */
};

/* With independent batches, the interval is the same whether they are combined or not. */
static struct width width_of(double value, const double batches[BATCHES])
{
    const double much[] = {1, 1.2, 2}; /* more than random variation of independent batches */
    struct width width = {0};
    if (value <= 0)
        return width;
    width.now = half_of(batches, 0) / value;
    width.widest = width.now;
    for (int level = 1; level < 3; level++) {
        const double wide = half_of(batches, level) / value;
        width.widest = wide > width.widest ? wide : width.widest;
        width.grows |= wide > sure_enough && wide > much[level] * width.now;
    }
    return width;
}

/* For both figures that decide. */
struct widths {
    struct width goodput, mean;
};

/* Batches are the last intervals, equally many in each. */
static struct widths find_means(const struct part *part, struct steady *steady)
{
    const uint32_t size = (part->end - part->first) / BATCHES;
    const uint32_t first = part->end - size * BATCHES;
    const double second = 1e12 / (double)((int64_t)1 << part->history->shift);
    double bytes[BATCHES], completed[BATCHES], latency[BATCHES];
    bool all = true;
    for (uint32_t i = 0; i < BATCHES; i++) {
        const struct wl_history_interval sum = sum_of(part, first + i * size, size);
        bytes[i] = (double)sum.bytes * 8 * second / size;
        completed[i] = (double)sum.completed * second / size;
        latency[i] = sum.completed == 0 ? 0 : (double)sum.latency_sum / (double)sum.completed;
        all &= sum.completed > 0;
    }
    const uint32_t intervals = part->end - part->first;
    const struct wl_history_interval sum = sum_of(part, part->first, intervals);
    steady->goodput_bps = figure((double)sum.bytes * 8 * second / intervals, bytes);
    steady->iops = figure((double)sum.completed * second / intervals, completed);
    steady->mean = (struct steady_figure){STEADY_UNKNOWN, STEADY_UNKNOWN};
    if (sum.completed > 0)
        steady->mean = figure((double)sum.latency_sum / (double)sum.completed, latency);
    struct widths widths = {width_of((double)steady->goodput_bps.value, bytes),
                            width_of((double)steady->mean.value, latency)};
    if (!all) { /* a batch without completions: too wide by an unknown amount */
        steady->mean.half = STEADY_UNKNOWN;
        widths.mean = (struct width){2 * sure_enough, 2 * sure_enough, true};
    }
    return widths;
}

struct sorted {
    int64_t batch;
    time_ps latency;
};

static int by_latency(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    return x->latency < y->latency ? -1 : x->latency > y->latency;
}

static int by_batch(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    return x->batch != y->batch ? (x->batch < y->batch ? -1 : 1) : by_latency(a, b);
}

/* Requires at least one sample. */
static time_ps quantile(const struct sorted *sorted, uint32_t count, int64_t ppm)
{
    const int64_t rank = ((int64_t)count * ppm + PPM - 1) / PPM;
    return sorted[rank - 1].latency;
}

/* The value from all samples sorted by latency, and the interval from batches, sorted by batch. */
static struct steady_figure percentile(const struct sorted *all, const struct sorted *batched,
                                       uint32_t count, int64_t ppm, uint32_t needed)
{
    double batches[BATCHES];
    bool enough = true;
    uint32_t at = 0;
    if (count < needed)
        return (struct steady_figure){STEADY_UNKNOWN, STEADY_UNKNOWN};
    for (int64_t i = 0; i < BATCHES; i++) {
        uint32_t end = at;
        while (end < count && batched[end].batch == i)
            end++;
        enough &= end - at >= needed;
        batches[i] = end == at ? 0 : (double)quantile(batched + at, end - at, ppm);
        at = end;
    }
    struct steady_figure found = figure((double)quantile(all, count, ppm), batches);
    if (!enough)
        found.half = STEADY_UNKNOWN;
    return found;
}

/* Mean of the last hundredth, sorted by latency. */
static int64_t slowest(const struct sorted *all, uint32_t count)
{
    const uint32_t tail = (count + 99) / 100;
    __int128 sum = 0;
    if (count < P99_SAMPLES)
        return STEADY_UNKNOWN;
    for (uint32_t i = count - tail; i < count; i++)
        sum += all[i].latency;
    return (int64_t)(sum / tail);
}

static void find_percentiles(const struct wl_history *history, struct steady *steady)
{
    struct sorted *all = memory_zeroed(history->sample_count + 1, sizeof *all);
    struct sorted *batched = memory_zeroed(history->sample_count + 1, sizeof *batched);
    const time_ps span = steady->until - steady->from;
    uint32_t count = 0;
    for (uint32_t i = 0; i < history->sample_count; i++) {
        const struct wl_history_sample *sample = &history->samples[i];
        if (sample->at < steady->from || sample->at >= steady->until)
            continue;
        const __int128 batch = (__int128)(sample->at - steady->from) * BATCHES / span;
        all[count] = batched[count] = (struct sorted){(int64_t)batch, sample->latency};
        count++;
    }
    qsort(all, count, sizeof *all, by_latency);
    qsort(batched, count, sizeof *batched, by_batch);
    steady->p50 = percentile(all, batched, count, 500000, P50_SAMPLES);
    steady->p99 = percentile(all, batched, count, 990000, P99_SAMPLES);
    steady->p99_9 = percentile(all, batched, count, 999000, P99_9_SAMPLES);
    steady->slowest = slowest(all, count);
    free(all);
    free(batched);
}

/* ---- verdict ---- */

/* The window needed for an interval of this width to become narrow enough: the width decreases with
 * the square root of time. The width itself is uncertain by about a fifth (20 batches), hence four
 * times that time, and at least four times this window including its warm-up. Far beyond the
 * window, nothing can be estimated. */
static time_ps window_for(double width, const struct steady *steady, time_ps from)
{
    enum { MARGIN = 4, FAR = 64 };
    const double ratio = width / sure_enough, squared = ratio > 1 ? ratio * ratio : 1;
    const double window = (double)(steady->until - from);
    const double span = (double)(steady->until - steady->from);
    const double needs = span * squared * MARGIN + (double)(steady->from - from);
    if (needs > FAR * window)
        return STEADY_UNKNOWN;
    return rounded(needs < MARGIN * window ? MARGIN * window : needs);
}

/* If the trend continues, this run does not show its end. There is only a lower bound if longer
 * batches give wider intervals, if the figures still converge, or if latency varies and goodput
 * does not: by Little's law, the completed operations then leave out a few much slower ones. */
static void judge_widths(struct steady *steady, time_ps from, enum trend trend,
                         struct widths widths)
{
    enum { LITTLE = 20 };
    const struct width goodput = widths.goodput, mean = widths.mean;
    const double worst = fmax(goodput.now, mean.now);
    steady->settled = trend == TREND_LEVEL && worst <= sure_enough;
    if (steady->settled)
        return;
    if (trend == TREND_LEVEL)
        snprintf(steady->why, sizeof steady->why,
                 "the 95%% confidence interval of %s is wider than +- 10%%",
                 goodput.now > mean.now ? "goodput" : "the mean latency");
    else
        snprintf(steady->why, sizeof steady->why, "goodput or latency has not leveled off");
    if (trend == TREND_GOES_ON)
        return;
    steady->least = window_for(worst, steady, from);
    if (trend == TREND_LEVEL && !goodput.grows && !mean.grows &&
        mean.now <= LITTLE * goodput.widest)
        steady->needs = window_for(fmax(goodput.widest, mean.widest), steady, from);
}

struct steady steady_find(const struct wl_history *history, time_ps from, time_ps until, bool given)
{
    struct steady steady = {.needs = STEADY_UNKNOWN, .least = STEADY_UNKNOWN};
    const int64_t length = (int64_t)1 << history->shift;
    if (history->intervals == NULL || from < history->base || until - from < length)
        return steady;
    const int64_t first = (from - history->base + length - 1) / length;
    const int64_t end = (until - history->base) / length;
    struct part part = {history, (uint32_t)first,
                        end < WL_HISTORY_INTERVALS ? (uint32_t)end : WL_HISTORY_INTERVALS};
    if (part.end <= part.first)
        return steady;
    const uint32_t size = batch_size(&part);
    if (size == 0)
        return steady;
    enum trend trend;
    const uint32_t cut = warm_up(&part, size, &trend);
    part.first += given ? 0 : cut;
    steady.known = true;
    steady.from = history->base + part.first * length;
    steady.until = history->base + part.end * length;
    const struct widths widths = find_means(&part, &steady);
    find_percentiles(history, &steady);
    steady.worst = wl_history_worst(history, steady.from, steady.until);
    if (sum_of(&part, part.first, part.end - part.first).completed > 0)
        judge_widths(&steady, from, trend, widths);
    else
        snprintf(steady.why, sizeof steady.why, "nothing completed in this part");
    return steady;
}

/* ---- remedy ---- */

/* Rounds up to two digits. */
static time_ps two_digits(time_ps time)
{
    time_ps step = 1;
    while (time / step >= 100)
        step *= 10;
    return (time + step - 1) / step * step;
}

void steady_propose(struct steady *steady, const struct scenario_workload *about, time_ps duration)
{
    steady->set[0] = '\0';
    if (!steady->known || steady->settled || steady->needs < 0)
        return;
    /* A workload that has finished would show nothing more in a longer window. */
    if (steady->until + (steady->until - steady->from) / BATCHES < about->stop)
        return;
    char text[QUANTITY_TEXT_BYTES];
    const time_ps until = two_digits(steady->from + steady->needs);
    quantity_format(QUANTITY_TIME, until, text, sizeof text);
    if (about->stop >= duration)
        snprintf(steady->set, sizeof steady->set, "duration=%s", text);
    else if (until <= duration)
        snprintf(steady->set, sizeof steady->set, "workloads.%s.stop=%s", about->entry, text);
}
