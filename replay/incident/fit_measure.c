/* SPDX-License-Identifier: Apache-2.0
 * fit_measure - what counters say of a fault without a run: how strong it was, and for how long.
 * A bit error rate is damaged frames over frames, a loss rate is what hosts noticed as lost over
 * frames, and what a slow host drains is the bytes that it took while it paused others.  A run of
 * milliseconds has few of these events or none, so a search would fit chance.
 * The counter of a fault counts at one rate while the fault is there.  Where it begins or ends
 * within an interval between samples, the count of the interval says in which part of it. */
#include "replay/incident/fit_private.h"

#include <math.h>

enum {
    LEAST_EVENTS = 20,   /* fewer measure nothing: the error of their rate is 22 % */
    LEAST_INTERVALS = 3, /* between samples: with fewer, no rate from before and during is known */
    WHOLE_INTERVALS = 3, /* of the fault from which on its first and last ones are parts */
    ROUNDED_SECONDS = 2  /* clocks print whole seconds, so that a rate over less is wrong */
};

/* Counters that are added up. */
struct counts {
    struct arena *arena;
    const struct incident_count **of;
    size_t count;
    const struct incident_count *largest;
};

static bool has_rates(struct triage_value value)
{
    return value.known && value.count != NULL && value.count->sample_count > LEAST_INTERVALS &&
           triage_is_dated(value.count);
}

static void add_count(struct counts *counts, struct triage_value value)
{
    if (!has_rates(value))
        return;
    const struct incident_count **slot =
        arena_push(counts->arena, (void **)(void *)&counts->of, &counts->count, sizeof *slot);
    *slot = value.count;
    if (counts->largest == NULL || value.count->difference > counts->largest->difference)
        counts->largest = value.count;
}

/* ---- counts over time ---- */

/* Times are seconds since the first sample of a counter. */
static const struct triage_change by_date = {.dated = true};

static double duration(const struct incident_count *count)
{
    return triage_time(&by_date, count, count->sample_count - 1) - triage_time(&by_date, count, 0);
}

static double counted_between(const struct incident_count *count, double from, double to)
{
    const double start = triage_time(&by_date, count, 0);
    return triage_counted_until(&by_date, count, start + to) -
           triage_counted_until(&by_date, count, start + from);
}

static double rate_between(const struct counts *counts, double from, double to)
{
    double sum = 0;
    for (size_t i = 0; i < counts->count; i++)
        sum += counted_between(counts->of[i], from, to);
    return sum / (to - from);
}

/* ---- when ---- */

/* Intervals of equal or greater length than clocks can tell. */
struct grid {
    double edges[FIT_INTERVALS_MAX + 1], counts[FIT_INTERVALS_MAX];
    uint32_t count;
};

static bool make_grid(struct grid *grid, const struct counts *counts)
{
    const struct incident_count *largest = counts->largest;
    const uint32_t last = largest->sample_count - 1;
    const double all = duration(largest);
    const double most = all / ROUNDED_SECONDS;
    const double wanted = last < FIT_INTERVALS_MAX ? last : FIT_INTERVALS_MAX;
    grid->count = (uint32_t)(wanted < most ? wanted : most);
    for (uint32_t i = 0; i <= grid->count; i++) {
        grid->edges[i] = all * i / grid->count;
        if (i > 0)
            grid->counts[i - 1] = rate_between(counts, grid->edges[i - 1], grid->edges[i]) *
                                  (grid->edges[i] - grid->edges[i - 1]);
    }
    return grid->count >= LEAST_INTERVALS;
}

/* n ln(n / t): the logarithm of a Poisson likelihood at its best rate, but for what all windows
 * have in common. */
static double at_best_rate(double count, double seconds)
{
    return count > 0 && seconds > 0 ? count * log(count / seconds) : 0;
}

/* The intervals from `first` to before `end` in which the count rises at another, higher rate. */
static void find_window(const struct grid *grid, uint32_t *first, uint32_t *end)
{
    double best = -HUGE_VAL, all = 0;
    for (uint32_t i = 0; i < grid->count; i++)
        all += grid->counts[i];
    *first = 0;
    *end = grid->count;
    for (uint32_t from = 0; from < grid->count; from++) {
        double inside = 0;
        for (uint32_t to = from + 1; to <= grid->count; to++) {
            inside += grid->counts[to - 1];
            const double time = grid->edges[to] - grid->edges[from],
                         rest = grid->edges[grid->count] - time,
                         score = at_best_rate(inside, time) + at_best_rate(all - inside, rest);
            if (score > best && (rest <= 0 || inside * rest > (all - inside) * time)) {
                best = score;
                *first = from;
                *end = to;
            }
        }
    }
}

/* When a fault was there: all of the seconds from `from` to `to`, and `lasts` in all. */
struct window {
    double from, to, lasts;
    double more; /* events per second that the fault adds */
};

static bool measure_window(const struct counts *counts, struct window *window)
{
    struct grid grid;
    uint32_t first, end;
    if (counts->largest == NULL || !make_grid(&grid, counts))
        return false;
    find_window(&grid, &first, &end);
    uint32_t inner = first, inner_end = end;
    if (end - first >= WHOLE_INTERVALS) { /* those at the edges may be parts */
        inner = first > 0 ? first + 1 : first;
        inner_end = end < grid.count ? end - 1 : end;
    } else {
        for (uint32_t i = first; i < end; i++)
            if (grid.counts[i] > grid.counts[inner])
                inner = i;
        inner_end = inner + 1;
    }
    /* Intervals next to the window may have a part of the fault. */
    const uint32_t early = first > 0 ? first - 1 : 0,
                   late = end < grid.count ? end + 1 : grid.count;
    double inside = 0, outside = 0, time_outside = 0;
    for (uint32_t i = 0; i < grid.count; i++) {
        const double time = grid.edges[i + 1] - grid.edges[i];
        const bool is_near = i >= early && i < late;
        inside += is_near ? grid.counts[i] : 0;
        outside += is_near ? 0 : grid.counts[i];
        time_outside += is_near ? 0 : time;
    }
    const double before = time_outside > 0 ? outside / time_outside : 0;
    window->from = grid.edges[inner];
    window->to = grid.edges[inner_end];
    window->more = rate_between(counts, window->from, window->to) - before;
    const double excess = inside - before * (grid.edges[late] - grid.edges[early]);
    if (window->more <= 0 || excess < LEAST_EVENTS)
        return false;
    window->lasts = excess / window->more;
    if (window->lasts > grid.edges[late] - grid.edges[early])
        window->lasts = grid.edges[late] - grid.edges[early];
    return true;
}

/* ---- how strong ---- */

static void count_events(const struct triage_work *work, const struct fit_hypothesis *hypothesis,
                         struct counts *counts)
{
    const int port = hypothesis->place, peer = work->ports[port].peer;
    if (hypothesis->kind == FIT_BIT_ERRORS) {
        add_count(counts, triage_get(work, peer, "rx_crc_errors_phy", TRIAGE_ALL));
        return;
    }
    if (hypothesis->kind == FIT_SLOW_HOST) {
        add_count(counts, triage_pauses(work, port, true, TRIAGE_ALL));
        return;
    }
    /* Who sends through the port notices what is lost there, or who reads through it. */
    const int from = work->ports[port].node, to = work->ports[peer].node;
    for (size_t i = 0; i < work->port_count; i++) {
        const int node = work->ports[i].node;
        if (work->nodes[node].is_switch)
            continue;
        const bool sends = work->nodes[from].is_switch ? node != to : node == from,
                   reads = work->nodes[to].is_switch ? node != from : node == to;
        if (sends) {
            add_count(counts, triage_get(work, (int)i, "packet_seq_err", TRIAGE_ALL));
            add_count(counts, triage_get(work, (int)i, "local_ack_timeout_err", TRIAGE_ALL));
            add_count(counts, triage_get(work, (int)i, "TcpRetransSegs", TRIAGE_ALL));
        }
        if (reads)
            add_count(counts, triage_get(work, (int)i, "implied_nak_seq_err", TRIAGE_ALL));
    }
}

static double frame_rate(const struct triage_work *work, int port, const struct window *window)
{
    struct counts frames = {.arena = work->arena};
    add_count(&frames, triage_get(work, port, "tx_packets_phy", TRIAGE_ALL));
    if (frames.count == 0)
        add_count(&frames, triage_get(work, work->ports[port].peer, "rx_packets_phy", TRIAGE_ALL));
    return frames.count == 0 ? 0 : rate_between(&frames, window->from, window->to);
}

static double byte_rate(const struct triage_work *work, int port, const struct window *window)
{
    struct counts bytes = {.arena = work->arena};
    add_count(&bytes, triage_sent_bytes(work, port));
    return bytes.count == 0 ? 0 : rate_between(&bytes, window->from, window->to);
}

/* Frames per second that one end sent and the other did not receive; 0: not known, or less than
 * what clocks that differ may explain.  A host that sends a whole window again counts several lost
 * frames of it once. */
static double missing_rate(const struct triage_work *work, int port, const struct window *window)
{
    const struct triage_value sent = triage_get(work, port, "tx_packets_phy", TRIAGE_ALL),
                              received = triage_get(work, work->ports[port].peer, "rx_packets_phy",
                                                    TRIAGE_ALL);
    if (!has_rates(sent) || !received.known)
        return 0;
    const double all = duration(sent.count),
                 first = counted_between(sent.count, 0, all / 4) / (all / 4),
                 last = counted_between(sent.count, all * 3 / 4, all) / (all / 4),
                 missing = (double)(sent.count->difference - received.count->difference);
    return missing > 2 * TRIAGE_CLOCK_SECONDS * fabs(last - first) ? missing / window->lasts : 0;
}

/* 0: not known. */
static double measure_value(const struct triage_work *work, const struct fit_hypothesis *hypothesis,
                            const struct window *window)
{
    const int port = hypothesis->place, peer = work->ports[port].peer;
    if (hypothesis->kind == FIT_SLOW_HOST)
        return hypothesis->rate > 0 ? byte_rate(work, peer, window) * 8 / (double)hypothesis->rate
                                    : 0;
    const double frames = frame_rate(work, port, window), bytes = byte_rate(work, port, window);
    if (frames <= window->more)
        return 0;
    if (hypothesis->kind == FIT_LOSS)
        return fmax(window->more, missing_rate(work, port, window)) / frames;
    return bytes > 0 ? -log1p(-window->more / frames) / (bytes / frames * 8) : 0;
}

static bool is_measurable(enum fit_kind kind)
{
    return kind == FIT_BIT_ERRORS || kind == FIT_LOSS || kind == FIT_SLOW_HOST;
}

bool fit_measure(const struct fit *fit, const struct triage_work *work,
                 struct fit_hypothesis *hypothesis)
{
    struct counts counts = {.arena = work->arena};
    struct window window;
    const int port = hypothesis->place;
    if (!is_measurable(hypothesis->kind) || port < 0 || work->ports[port].peer < 0)
        return true;
    count_events(work, hypothesis, &counts);
    if (!measure_window(&counts, &window))
        return counts.count == 0 || hypothesis->kind != FIT_LOSS;
    const double value = measure_value(work, hypothesis, &window);
    if (value <= 0)
        return true;
    hypothesis->measured = true;
    hypothesis->value = value;
    hypothesis->share = window.lasts / (double)fit->incident_s;
    return true;
}
