/* SPDX-License-Identifier: Apache-2.0
 * change - compares the mean latency of two periods of a workload. */
#include "replay/harm/change.h"

#include "scenarios/workload/wl_history.h"

enum {
    LEAST = 32,         /* least number of operations in each period */
    PARTS = 8,          /* parts of the earlier period, to see how much its mean varies */
    SPREAD_QUARTERS = 3 /* quarters of the parts that must be faster */
};

/* The fault begins at `at`; nothing else begins or ends between `from` and `until`. */
struct stretch {
    time_ps from, at, until;
};

static void end_at(struct stretch *stretch, time_ps moment)
{
    if (moment <= stretch->at)
        stretch->from = time_later(stretch->from, moment);
    else
        stretch->until = time_earlier(stretch->until, moment);
}

static struct stretch stretch_of(const struct harm_scene *scene, uint32_t workload, uint32_t index)
{
    const struct scenario *scenario = scene->scenario;
    const struct scenario_workload *mine = &scenario->workloads[workload];
    struct stretch stretch = {mine->start, scenario->faults[index].at,
                              time_earlier(mine->stop, scene->window_end)};
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        end_at(&stretch, scenario->workloads[i].start);
        end_at(&stretch, scenario->workloads[i].stop);
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        if (i == index)
            continue;
        end_at(&stretch, scenario->faults[i].at);
        end_at(&stretch, scenario->faults[i].end);
    }
    return stretch;
}

/* Sum of the history intervals that lie entirely between the two times. */
static struct wl_history_interval sum_of(const struct wl_history *history, time_ps from,
                                         time_ps until)
{
    struct wl_history_interval sum = {0};
    for (int i = 0; i < WL_HISTORY_INTERVALS; i++) {
        const time_ps begin = history->base + ((time_ps)i << history->shift);
        if (begin < from || begin + ((time_ps)1 << history->shift) > until)
            continue;
        sum.completed += history->intervals[i].completed;
        sum.latency_sum += history->intervals[i].latency_sum;
    }
    return sum;
}

/* Whether a has a larger mean. */
static bool is_slower(const struct wl_history_interval *a, const struct wl_history_interval *b)
{
    return (unsigned __int128)a->latency_sum * b->completed >
           (unsigned __int128)b->latency_sum * a->completed;
}

/* Most parts of the earlier period were faster; otherwise the difference is normal variation. */
static bool is_clear(const struct wl_history *history, const struct stretch *stretch,
                     const struct wl_history_interval *after)
{
    const time_ps part = (stretch->at - stretch->from) / PARTS;
    int known = 0, faster = 0;
    for (int i = 0; i < PARTS; i++) {
        const struct wl_history_interval sum =
            sum_of(history, stretch->from + i * part, stretch->from + (i + 1) * part);
        known += sum.completed > 0;
        faster += sum.completed > 0 && is_slower(after, &sum);
    }
    return faster * 4 > known * SPREAD_QUARTERS;
}

static struct change compare(const struct wl_history *history, const struct stretch *stretch)
{
    const struct wl_history_interval before = sum_of(history, stretch->from, stretch->at);
    const struct wl_history_interval after = sum_of(history, stretch->at, stretch->until);
    const struct wl_history_interval all = sum_of(history, history->base, TIME_NEVER);
    if (before.completed < LEAST || after.completed < LEAST)
        return (struct change){.known = false};
    struct change change = {.known = true,
                            .before = (time_ps)(before.latency_sum / before.completed),
                            .after = (time_ps)(after.latency_sum / after.completed)};
    if (is_slower(&after, &before) && is_clear(history, stretch, &after))
        change.lost = (int64_t)((unsigned __int128)(change.after - change.before) *
                                after.completed * PPM / all.latency_sum);
    return change;
}

struct change change_since(const struct harm_scene *scene, uint32_t workload, uint32_t fault)
{
    struct wl_history history;
    struct change change = {.known = false};
    const struct stretch stretch = stretch_of(scene, workload, fault);
    world_history(scene->world, workload, &history);
    if (history.intervals != NULL && stretch.from < stretch.at && stretch.at < stretch.until)
        change = compare(&history, &stretch);
    wl_history_fini(&history);
    return change;
}
