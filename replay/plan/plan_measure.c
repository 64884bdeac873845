/* SPDX-License-Identifier: Apache-2.0
 * plan_measure - the list of measures, and the value of each. */
#include "replay/plan/plan_measure.h"

#include "base/check.h"

#include <math.h>
#include <stdio.h>

static const double RATIO_ONE = 1e15; /* scale of QUANTITY_RATIO */

static const struct row {
    enum expect_quantity whole;
    int better; /* of those of the run */
} rows[] = {
#define OF_RUN(name, better) {EXPECT_##name, better},
#define OF_WORKLOAD(name)    {EXPECT_##name, 0},
    PLAN_MEASURES_OF_RUNS(OF_RUN) PLAN_MEASURES_OF_WORKLOADS(OF_WORKLOAD)
#undef OF_RUN
#undef OF_WORKLOAD
};

static bool is_of_run(uint32_t measure)
{
    return measure < PLAN_MEASURES_RUN;
}

static const struct row *row_of(uint32_t measure)
{
    CHECK(measure < PLAN_MEASURES_MAX);
    return is_of_run(measure)
               ? &rows[measure]
               : &rows[PLAN_MEASURES_RUN + (measure - PLAN_MEASURES_RUN) % PLAN_MEASURES_WORKLOAD];
}

static struct plan_measured measure_value(const struct result *result, uint32_t measure,
                                          bool steady, time_ps duration)
{
    const struct row *row = row_of(measure);
    const char *path = expect_path(steady ? expect_steady(row->whole) : row->whole);
    struct result_ratio value = {0};
    const bool found =
        is_of_run(measure)
            ? result_total(result, path, &value)
            : result_of_workload(
                  &result->workloads[(measure - PLAN_MEASURES_RUN) / PLAN_MEASURES_WORKLOAD],
                  path + 1, &value);
    CHECK(found);
    if (value.denominator == 0)
        return (struct plan_measured){0};
    double real = (double)value.numerator / (double)value.denominator;
    if (is_of_run(measure))
        real = duration > 0 ? real / ((double)duration / (double)PS_PER_S) : 0;
    else if (expect_kind(row->whole) == QUANTITY_RATIO)
        real /= RATIO_ONE;
    return (struct plan_measured){real, true};
}

uint32_t plan_measures(const struct result *result, bool steady, time_ps duration,
                       struct plan_measured measures[PLAN_MEASURES_MAX])
{
    const uint32_t workloads =
        result->workload_count < PLAN_WORKLOADS_MAX ? result->workload_count : PLAN_WORKLOADS_MAX;
    const uint32_t count = PLAN_MEASURES_RUN + workloads * PLAN_MEASURES_WORKLOAD;
    for (uint32_t i = 0; i < count; i++)
        measures[i] = measure_value(result, i, steady, duration);
    return count;
}

void plan_measure_name(uint32_t measure, const char *const *workloads,
                       char name[PLAN_MEASURE_BYTES])
{
    const char *path = expect_plain(row_of(measure)->whole); /* as written in objectives */
    if (is_of_run(measure))
        snprintf(name, PLAN_MEASURE_BYTES, "%s/s", path);
    else
        snprintf(name, PLAN_MEASURE_BYTES, "%.100s%s",
                 workloads[(measure - PLAN_MEASURES_RUN) / PLAN_MEASURES_WORKLOAD], path);
}

int plan_measure_better(uint32_t measure)
{
    const struct row *row = row_of(measure);
    return is_of_run(measure) ? row->better : expect_less_is_better(row->whole) ? -1 : 1;
}

const char *plan_measure_unit(uint32_t measure)
{
    switch (expect_kind(row_of(measure)->whole)) {
    case QUANTITY_TIME:
        return "ps";
    case QUANTITY_RATE:
        return "bps";
    case QUANTITY_RATIO:
        return "ratio";
    default:
        return "count";
    }
}

struct words plan_measure_words(uint32_t measure, double value)
{
    struct words words;
    const double size = fabs(value);
    switch (expect_kind(row_of(measure)->whole)) {
    case QUANTITY_TIME:
        return words_time(words_whole(size));
    case QUANTITY_RATE:
        return words_rate(size);
    case QUANTITY_RATIO:
        snprintf(words.text, sizeof words.text, "%.3f", size);
        return words;
    default:
        return words_short(size);
    }
}
