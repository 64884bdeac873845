/* SPDX-License-Identifier: Apache-2.0
 * plan_outcome - checks each field against its limits. */
#include "replay/plan/plan_outcome.h"

#include <math.h>
#include <string.h>

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* A bool with any other byte value must not even be read as one. */
static bool is_truth(const bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, sizeof byte);
    return byte <= 1;
}

static bool is_within(int64_t value, int64_t most)
{
    return value >= 0 && value <= most;
}

bool plan_outcome_is_sound(const struct plan_outcome *outcome, uint32_t asked)
{
    bool sound = outcome->end >= PLAN_RUN_DEAD && outcome->end <= PLAN_RUN_PLAYED &&
                 outcome->figure_count <= PLAN_SLO_MAX && outcome->figure_count <= asked &&
                 outcome->measure_count <= PLAN_MEASURES_MAX &&
                 is_within(outcome->duration, INT64_MAX / 2) &&
                 is_within(outcome->events, PLAN_OUTCOME_EVENTS_MAX) &&
                 is_within(outcome->packet_hops, PLAN_OUTCOME_EVENTS_MAX) &&
                 is_within(outcome->cores, PLAN_OUTCOME_CORES_MAX) &&
                 is_text(outcome->why, sizeof outcome->why) &&
                 is_text(outcome->limit, sizeof outcome->limit);
    if (sound && outcome->end > PLAN_RUN_STOPPED)
        sound = outcome->figure_count == asked;
    for (uint32_t i = 0; sound && i < outcome->figure_count; i++)
        sound = isfinite(outcome->figures[i].value) && isfinite(outcome->figures[i].slack) &&
                is_truth(&outcome->figures[i].held);
    for (uint32_t i = 0; sound && i < outcome->measure_count; i++)
        sound = isfinite(outcome->measures[i].value) && is_truth(&outcome->measures[i].known);
    return sound;
}
