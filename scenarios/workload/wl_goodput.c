/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/workload/wl_goodput.h"

#include "base/numbers.h"

void wl_goodput_begin(struct wl_goodput *goodput, const struct wl_window *window, time_ps now)
{
    *goodput = (struct wl_goodput){.at_from = UINT64_MAX, .at_to = UINT64_MAX};
    wl_goodput_mark(goodput, window, now, 0);
}

void wl_goodput_mark(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                     uint64_t arrived)
{
    const bool over = now >= window->to; /* it may end before its warm-up does */
    if ((over || now >= window->from) && goodput->at_from == UINT64_MAX)
        goodput->at_from = arrived;
    if (over && goodput->at_to == UINT64_MAX)
        goodput->at_to = arrived;
}

void wl_goodput_completed(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                          uint64_t bytes)
{
    wl_goodput_mark(goodput, window, now - 1, goodput->done);
    goodput->done += bytes;
}

uint64_t wl_goodput_so_far(const struct wl_goodput *goodput, uint64_t arrived)
{
    const uint64_t from = min_u64(goodput->at_from, arrived), to = min_u64(goodput->at_to, arrived);
    return to > from ? to - from : 0;
}

uint64_t wl_goodput_completed_only(const struct wl_goodput *goodput)
{
    return wl_goodput_so_far(goodput, goodput->done);
}
