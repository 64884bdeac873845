/* SPDX-License-Identifier: Apache-2.0
 * expect_eval - values by path, compared. */
#include "replay/run/expect_eval.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "scenarios/load/expect.h"

#include <stdio.h>

static struct result_ratio commands_lost(const struct result *result)
{
    struct result_ratio lost = {.numerator = 0, .denominator = 1};
    for (uint32_t i = 0; i < result->workload_count; i++)
        lost.numerator += result->workloads[i].failed + result->workloads[i].unfinished;
    return lost;
}

/* One of which too little is known has not settled either. */
static struct result_ratio unsettled(const struct result *result)
{
    struct result_ratio count = {.numerator = 0, .denominator = 1};
    for (uint32_t i = 0; i < result->workload_count; i++)
        count.numerator += !result->workloads[i].steady.settled;
    return count;
}

/* Paths of workloads begin with a dot in the list of quantities. */
static struct result_ratio value_of(const struct expectation *expectation,
                                    const struct result *result)
{
    if (expectation->quantity == EXPECT_COMMANDS_LOST)
        return commands_lost(result);
    if (expectation->quantity == EXPECT_UNSETTLED)
        return unsettled(result);
    struct result_ratio value;
    const char *path = expect_path(expectation->quantity);
    bool found = false;
    if (expectation->workload == EXPECT_WHOLE_RUN)
        found = result_total(result, path, &value);
    else
        found = result_of_workload(&result->workloads[expectation->workload], path + 1, &value);
    CHECK(found); /* a test holds that every quantity of the list has its value */
    return value;
}

/* Comparing the sign of the difference with 0 keeps fractions exact. */
static bool holds(const struct expectation *expectation, struct result_ratio value)
{
    struct expectation sign = *expectation;
    sign.value = 0;
    return expect_holds(&sign, result_compare(value, expectation->value));
}

static void write_actual(char *text, size_t size, enum quantity_kind kind,
                         struct result_ratio value)
{
    const double real = (double)value.numerator / (double)value.denominator;
    if (kind == QUANTITY_RATIO)
        snprintf(text, size, "%.3f", real / 1e15);
    else if (kind == QUANTITY_TIME)
        snprintf(text, size, "%s", words_time((time_ps)real).text);
    else if (kind == QUANTITY_RATE)
        snprintf(text, size, "%s", words_rate(real).text);
    else if (kind == QUANTITY_SIZE)
        snprintf(text, size, "%s", words_bytes((int64_t)real).text);
    else
        snprintf(text, size, "%s", words_count((int64_t)real).text);
}

static bool speaks_of(const struct scenario *scenario, enum expect_quantity quantity)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        if (scenario->expectations[i].quantity == quantity)
            return true;
    return false;
}

static void fail_unfinished(const struct scenario *scenario, struct result *result)
{
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST) || speaks_of(scenario, EXPECT_UNFINISHED))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].unfinished > 0)
            result_fail(result, "%s: %s of %s %s never completed", result->workloads[i].name,
                        words_count(result->workloads[i].unfinished).text,
                        words_count(result->workloads[i].issued).text,
                        plural(result->workloads[i].issued, "operation", "operations"));
}

/* As much as any other operation that never completed, also where none was asked for. */
static void fail_stalled(const struct scenario *scenario, struct result *result)
{
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST) || speaks_of(scenario, EXPECT_ISSUED) ||
        speaks_of(scenario, EXPECT_COMPLETED))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        if (workload->stalled)
            result_fail(result, "workload %s issued nothing in its window", workload->name);
        else if (workload->idle > 0)
            result_fail(result, "%s: %s of its %s %s never connected or issued nothing",
                        workload->name, words_count(workload->idle).text,
                        words_count(workload->members).text,
                        plural(workload->members, "member", "members"));
    }
}

static void fail_failed(const struct scenario *scenario, struct result *result)
{
    const int64_t errors = result->totals.rnic_qp_errors;
    if (errors > 0 && !speaks_of(scenario, EXPECT_RNIC_QP_ERRORS))
        result_fail(result, "%s queue pair%s went into error", words_count(errors).text,
                    plural(errors, "", "s"));
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST) || speaks_of(scenario, EXPECT_FAILED))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].failed > 0)
            result_fail(result, "%s: %s of %s %s failed", result->workloads[i].name,
                        words_count(result->workloads[i].failed).text,
                        words_count(result->workloads[i].issued).text,
                        plural(result->workloads[i].issued, "operation", "operations"));
}

/* Each kind by itself, unless the scenario expects something of it. */
static void fail_data(const struct scenario *scenario, struct result *result)
{
    const struct {
        enum expect_quantity quantity;
        int64_t reads;
        const char *what;
    } kinds[] = {
        {EXPECT_DATA_STALE, result->totals.data_stale, "data that had been overwritten before"},
        {EXPECT_DATA_LOST, result->totals.data_lost, "nothing where something had been written"},
        {EXPECT_DATA_TORN, result->totals.data_torn, "a mixture of several writes"},
    };
    const int64_t damaged = result->totals.data_damaged;
    if (damaged > 0 && !speaks_of(scenario, EXPECT_DATA_DAMAGED))
        result_fail(result, "%s write%s reached a target as other data than was sent",
                    words_count(damaged).text, plural(damaged, "", "s"));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].reads > 0 && !speaks_of(scenario, kinds[i].quantity))
            result_fail(result, "%s read%s returned %s", words_count(kinds[i].reads).text,
                        plural(kinds[i].reads, "", "s"), kinds[i].what);
}

static void fail_on_its_own(const struct scenario *scenario, struct result *result, bool cut_short)
{
    if (result->totals.drops_lossless > 0 && !speaks_of(scenario, EXPECT_DROPS_LOSSLESS))
        result_fail(result, "%s %s of a lossless class were dropped",
                    words_count(result->totals.drops_lossless).text,
                    plural(result->totals.drops_lossless, "frame", "frames"));
    if (result->totals.pfc_deadlocks > 0 && !speaks_of(scenario, EXPECT_PFC_DEADLOCKS))
        result_fail(result, "%s", result->deadlock);
    fail_failed(scenario, result);
    if (!cut_short) {
        fail_unfinished(scenario, result);
        fail_stalled(scenario, result);
    }
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].corrupt > 0)
            result_fail(result, "%s: %s %s returned wrong data", result->workloads[i].name,
                        words_count(result->workloads[i].corrupt).text,
                        plural(result->workloads[i].corrupt, "read", "reads"));
    fail_data(scenario, result);
}

/* A latency of operations none of which completed is no number that could be below a bound. */
static bool has_no_samples(const struct expectation *expectation, const struct result *result)
{
    return expectation->workload != EXPECT_WHOLE_RUN &&
           expect_kind(expectation->quantity) == QUANTITY_TIME &&
           result->workloads[expectation->workload].latency->count == 0;
}

/* Of a workload that issued nothing, or members of which did, where all commands should be
 * complete; NULL: none. */
static const struct result_workload *idle_workload(const struct expectation *expectation,
                                                   const struct result *result)
{
    if (expectation->quantity != EXPECT_COMMANDS_LOST)
        return NULL;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].stalled || result->workloads[i].idle > 0)
            return &result->workloads[i];
    return NULL;
}

/* Whole numbers that are no counts. */
static bool is_rate(enum expect_quantity quantity)
{
    return quantity == EXPECT_IOPS || quantity == EXPECT_STEADY_IOPS ||
           quantity == EXPECT_STEADY_IOPS_CI || quantity == EXPECT_MEMBERS ||
           quantity == EXPECT_MEMBERS_IDLE;
}

/* Of a run that was cut: whether what does not hold yet may still come to hold.  What is counted
 * only grows, so too little is no verdict, and too much is one; nor is what was under way. */
static bool may_still_hold(const struct expectation *expectation, const struct result *result,
                           struct result_ratio value)
{
    if (expectation->quantity == EXPECT_UNFINISHED || expectation->quantity == EXPECT_UNSETTLED ||
        value.denominator == 0 || has_no_samples(expectation, result))
        return true;
    if (expectation->quantity == EXPECT_COMMANDS_LOST) {
        for (uint32_t i = 0; i < result->workload_count; i++)
            if (result->workloads[i].failed > 0)
                return false;
        return true;
    }
    const bool counted = expect_kind(expectation->quantity) == QUANTITY_INT ||
                         expect_kind(expectation->quantity) == QUANTITY_SIZE;
    const int order = result_compare(value, expectation->value);
    return counted && !is_rate(expectation->quantity) &&
           (order < 0 || (order == 0 && expectation->op != EXPECT_LT));
}

/* A percentile of the others is none of those that did nothing. */
static bool leaves_out_members(const struct expectation *expectation, const struct result *result)
{
    return expectation->workload != EXPECT_WHOLE_RUN &&
           expect_kind(expectation->quantity) == QUANTITY_TIME &&
           expectation->quantity != EXPECT_CONTROLLERS_AWAY &&
           result->workloads[expectation->workload].idle > 0;
}

/* Why it does not hold whatever its value is, in `actual`; false: nothing speaks against it. */
static bool is_refused(const struct expectation *expectation, const struct result *result,
                       char *actual, size_t size)
{
    const struct result_workload *idle = idle_workload(expectation, result);
    if (idle != NULL && idle->stalled) {
        snprintf(actual, size, "%s issued nothing", idle->name);
        return true;
    }
    if (idle == NULL && has_no_samples(expectation, result)) {
        snprintf(actual, size, "nothing completed");
        return true;
    }
    if (idle == NULL && leaves_out_members(expectation, result))
        idle = &result->workloads[expectation->workload];
    if (idle != NULL)
        snprintf(actual, size, "%s: %s of %s %s did nothing", idle->name,
                 words_count(idle->idle).text, words_count(idle->members).text,
                 plural(idle->members, "member", "members"));
    return idle != NULL;
}

static void judge(const struct expectation *expectation, const struct result *result,
                  struct result_expectation *verdict)
{
    const struct result_ratio value = value_of(expectation, result);
    verdict->text = expectation->text;
    verdict->value = value;
    if (value.denominator == 0) { /* what is not known holds nothing */
        snprintf(verdict->actual, sizeof verdict->actual, "not known: too few samples or members");
        return;
    }
    verdict->held = holds(expectation, value);
    write_actual(verdict->actual, sizeof verdict->actual, expect_kind(expectation->quantity),
                 value);
    if (is_refused(expectation, result, verdict->actual, sizeof verdict->actual))
        verdict->held = false;
}

void expect_eval(const struct scenario *scenario, struct result *result, bool cut_short)
{
    CHECK(result->expectations == NULL);
    result->expectation_count = scenario->expectation_count;
    result->expectations = memory_zeroed(scenario->expectation_count, sizeof *result->expectations);
    result->cut = cut_short;
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const struct expectation *expectation = &scenario->expectations[i];
        struct result_expectation *verdict = &result->expectations[i];
        judge(expectation, result, verdict);
        verdict->unjudged = cut_short && !verdict->held &&
                            may_still_hold(expectation, result, value_of(expectation, result));
    }
    fail_on_its_own(scenario, result, cut_short);
}
