/* SPDX-License-Identifier: Apache-2.0
 * dim - samples and levels. */
#include "rnic/pipeline/dim.h"

#include "base/check.h"

enum { POLLS = 64, SIGNIFICANT = 10 /* percent */, RATIO_OF_LEVEL = 50 };

static const struct level {
    uint8_t us, completions;
} levels[DIM_LEVELS] = {{1, 1},  {1, 4},   {2, 4},   {2, 8},  {4, 8},
                        {16, 8}, {16, 16}, {32, 16}, {32, 32}};

int64_t dim_count(const struct dim *dim)
{
    return levels[dim->level].completions;
}

time_ps dim_time(const struct dim *dim)
{
    return levels[dim->level].us * PS_PER_US;
}

enum verdict { SAME, BETTER, WORSE };

static enum verdict judged(uint64_t now, uint64_t before)
{
    const uint64_t apart = now > before ? now - before : before - now;
    if (before == 0 || apart * 100 / before <= SIGNIFICANT)
        return SAME;
    return now > before ? BETTER : WORSE;
}

static enum verdict compared(const struct dim *dim, uint64_t rate, uint64_t ratio)
{
    if (dim->rate == 0)
        return SAME; /* the first sample */
    const enum verdict by_rate = judged(rate, dim->rate);
    return by_rate != SAME ? by_rate : judged(ratio, dim->ratio);
}

/* Turns around at the lowest and highest level. */
static void step_level(struct dim *dim)
{
    if (dim->level == (dim->left ? 0 : DIM_LEVELS - 1))
        dim->left = !dim->left;
    else
        dim->level = (uint8_t)(dim->left ? dim->level - 1 : dim->level + 1);
}

static uint64_t per_ms(uint64_t count, uint64_t us)
{
    return (count * 1000 + us - 1) / us;
}

/* Returns true when the level changes. */
static bool decide_level(struct dim *dim, uint64_t us)
{
    const uint8_t before = dim->level;
    const uint64_t rate = per_ms(dim->completions, us);
    const uint64_t ratio = rate * 100 / per_ms(POLLS, us);
    const enum verdict verdict = compared(dim, rate, ratio);
    if (verdict == SAME && ratio <= (uint64_t)RATIO_OF_LEVEL * dim->level)
        dim->level = 0;
    if (verdict == WORSE)
        dim->left = !dim->left;
    if (verdict != SAME)
        step_level(dim);
    dim->rate = rate;
    dim->ratio = ratio;
    return dim->level != before;
}

static void begin(struct dim *dim, time_ps now)
{
    dim->measuring = true;
    dim->polls = dim->completions = 0;
    dim->since = now;
}

void dim_polled(struct dim *dim, uint32_t completions, time_ps now)
{
    CHECK(dim->level < DIM_LEVELS);
    if (!dim->measuring) {
        begin(dim, now);
        return;
    }
    dim->polls++;
    dim->completions += completions;
    const uint64_t us = (uint64_t)((now - dim->since) / PS_PER_US);
    if (dim->polls < POLLS || us == 0)
        return;
    if (decide_level(dim, us))
        dim->measuring = false;
    else
        begin(dim, now);
}
