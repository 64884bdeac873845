/* SPDX-License-Identifier: Apache-2.0
 * deduce_io - software costs of host and target from I/Os of fio.
 * fio does not report what is behind the namespace. With a drive, its figures are upper bounds for
 * host and target together. If the user states that there is no drive, the time of a single I/O
 * minus the model's time without software is the software cost, divided in the base's
 * proportion. */
#include "base/units.h"
#include "replay/readings/deduce_private.h"

#include <math.h>

static const enum deduce_parameter costs[] = {DEDUCE_SUBMIT_COST, DEDUCE_COMPLETE_COST,
                                              DEDUCE_COMMAND_COST};

enum { COSTS = sizeof costs / sizeof costs[0] };

static bool is_io(const struct reading *reading)
{
    return reading->kind == READING_IO;
}

/* ------------------------------------------------------------------ bounds */

/* A queue's CPU submits and completes; each is assumed to take half of the time per I/O. */
static void host_is_at_most(struct deduced *deduced, const struct reading *reading, double both,
                            const char *how)
{
    const double step = both * reading->rate.step / 2 / reading->rate.value;
    const struct deduce_word word = {reading, both / 2, step / 2, how};
    deduce_at_most(deduced, DEDUCE_SUBMIT_COST, word);
    deduce_at_most(deduced, DEDUCE_COMPLETE_COST, word);
}

static void bounds(struct deduced *deduced, const struct reading *reading)
{
    const double jobs = (double)reading->work.qps;
    const double second = (double)PS_PER_S;
    host_is_at_most(deduced, reading, jobs * second / reading->rate.value,
                    "half of the time from one I/O of a job to its next");
    if (reading->cpu.value > 0)
        host_is_at_most(deduced, reading, reading->cpu.value,
                        "half of the host's CPU time per I/O, which includes fio itself");
    const double cores = (double)deduced->target_cores;
    const double each = cores * second / reading->rate.value;
    deduce_at_most(deduced, DEDUCE_COMMAND_COST,
                   (struct deduce_word){reading, each,
                                        each * reading->rate.step / 2 / reading->rate.value,
                                        "the IOPS of all jobs, divided among the cores of the base "
                                        "profile"});
}

/* ------------------------------------------------------------------ single I/Os */

static bool is_alone(const struct deduced *deduced, const struct reading *reading)
{
    return is_io(reading) && reading->work.depth == 1 && reading->work.qps == 1 &&
           reading->latency.value > 0 && deduce_can_play(deduced, reading);
}

/* The reading with the lowest latency. */
static const struct reading *fastest_single(const struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++)
        if (is_alone(deduced, &readings->list[i]) &&
            (best == NULL || readings->list[i].latency.value < best->latency.value))
            best = &readings->list[i];
    return best;
}

/* The time left for software and the drive. */
static double left(struct deduced *deduced, const struct reading *reading)
{
    int64_t kept[COSTS];
    for (int i = 0; i < COSTS; i++) {
        kept[i] = deduced->parameters[costs[i]].value;
        deduced->parameters[costs[i]].value = 0;
    }
    const double wire = deduce_play(deduced, reading);
    for (int i = 0; i < COSTS; i++)
        deduced->parameters[costs[i]].value = kept[i];
    return reading->latency.value - wire;
}

static void software(struct deduced *deduced)
{
    const struct reading *reading = fastest_single(deduced);
    double sum = 0;
    if (reading == NULL)
        return;
    const double rest = left(deduced, reading);
    for (int i = 0; i < COSTS; i++)
        sum += (double)deduced->parameters[costs[i]].value;
    if (rest < 0)
        deduce_conflict(
            deduced, reading, NULL,
            "even without software, the model is slower than this: check the card and the "
            "link rate");
    if (rest < 0 || !(sum > 0) || (!deduced->no_drive && rest >= sum))
        return;
    double over = 0; /* what an upper bound of the host leaves to the target */
    for (int i = 0; i < COSTS; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[costs[i]];
        const double share = (double)parameter->value / sum;
        const double whole = rest * share + over;
        const bool bound = parameter->state == DEDUCE_AT_MOST && costs[i] != DEDUCE_COMMAND_COST;
        const double value = bound ? fmin(whole, (double)parameter->bound) : whole;
        over = whole - value;
        const struct deduce_word word = {
            reading, value, reading->latency.step * share / 2,
            deduced->no_drive ? "its share of the software time, in the base profile's proportion"
                              : "its share of the remaining time of software and drive"};
        if (deduced->no_drive)
            deduce_know(deduced, costs[i], word);
        else
            deduce_at_most(deduced, costs[i], word);
        deduced->parameters[costs[i]].evidence = "inferred";
    }
}

void deduce_ios(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++)
        if (is_io(&readings->list[i]) && readings->list[i].work.qps > 0)
            bounds(deduced, &readings->list[i]);
    software(deduced);
}
