/* SPDX-License-Identifier: Apache-2.0
 * expect_eval - compares values with expectations. */
#include "replay/run/expect_eval.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/record/result.h"
#include "scenarios/load/expect.h"

#include <stdio.h>
#include <string.h>

static struct result_ratio commands_lost(const struct result *result)
{
    struct result_ratio lost = {.numerator = 0, .denominator = 1};
    for (uint32_t i = 0; i < result->workload_count; i++)
        lost.numerator += result->workloads[i].failed + result->workloads[i].unfinished;
    return lost;
}

/* A workload with too little data counts as not steady. */
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
    CHECK(found); /* a test checks that every quantity in the list has a value */
    /* Printed values are compared, so that a limit copied from a run's JSON is met by that run. */
    if (value.denominator > 0 && strstr(path, "_ns") != NULL)
        value = (struct result_ratio){(__int128)result_workload_ns(value) * PS_PER_NS, 1};
    return value;
}

/* Compares the sign of the difference with 0, which is exact for fractions. */
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

/* For the first workload that is not steady. */
static void write_unsettled(char *text, size_t size, const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        if (workload->steady.settled)
            continue;
        snprintf(text, size, "%s: %s", workload->name,
                 workload->steady.known ? workload->steady.why : "too few operations to tell");
        return;
    }
    snprintf(text, size, "0");
}

static bool speaks_of(const struct scenario *scenario, enum expect_quantity quantity)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        if (scenario->expectations[i].quantity == quantity)
            return true;
    return false;
}

/* The scenario has an expectation on this quantity of this workload; those on others do not
 * count. */
static bool speaks_of_its(const struct scenario *scenario, enum expect_quantity quantity,
                          uint32_t workload)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        if (scenario->expectations[i].quantity == quantity &&
            scenario->expectations[i].workload == workload)
            return true;
    return false;
}

/* `w.failed >= 0` is always met and demands nothing: any number is acceptable. */
static bool accepts_all(const struct expectation *expectation)
{
    return expectation->op == EXPECT_GE && expectation->value <= 0;
}

/* Only an idle run meets it. */
static bool expects_nothing(const struct expectation *expectation)
{
    return expect_basis(expectation->quantity) == EXPECT_OVER_WORK &&
           expect_holds(expectation, 0) && !expect_holds(expectation, 1);
}

/* The scenario expects no completions of the workload: its operations fail or stay unfinished. */
static bool expects_no_completion(const struct scenario *scenario, uint32_t workload)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const struct expectation *expectation = &scenario->expectations[i];
        if (expectation->quantity == EXPECT_COMPLETED && expectation->workload == workload &&
            expects_nothing(expectation))
            return true;
    }
    return false;
}

static void fail_unfinished(const struct scenario *scenario, struct result *result)
{
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].unfinished > 0 && !speaks_of_its(scenario, EXPECT_UNFINISHED, i) &&
            !expects_no_completion(scenario, i))
            result_fail(result, "%s: %s of %s %s never completed", result->workloads[i].name,
                        words_count(result->workloads[i].unfinished).text,
                        words_count(result->workloads[i].issued).text,
                        plural(result->workloads[i].issued, "operation", "operations"));
}

/* A stalled workload counts like an operation that never completed, although it issued none. */
static void fail_stalled(const struct scenario *scenario, struct result *result)
{
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        if (speaks_of_its(scenario, EXPECT_ISSUED, i) ||
            speaks_of_its(scenario, EXPECT_COMPLETED, i))
            continue;
        if (workload->stalled)
            result_fail(result, SCENARIO_WORKLOAD_WORDS " issued no operations", workload->name);
        else if (workload->idle > 0)
            result_fail(result, "%s: %s of %s %s never connected or issued no operations",
                        workload->name, words_count(workload->idle).text,
                        words_count(workload->members).text,
                        plural(workload->members, "host-target pair", "host-target pairs"));
    }
}

static void fail_failed(const struct scenario *scenario, struct result *result)
{
    const int64_t errors = result->totals.rnic_qp_errors;
    if (errors > 0 && !speaks_of(scenario, EXPECT_RNIC_QP_ERRORS))
        result_fail(result, "%s queue pair%s went into the error state", words_count(errors).text,
                    plural(errors, "", "s"));
    if (speaks_of(scenario, EXPECT_COMMANDS_LOST))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].failed > 0 && !speaks_of_its(scenario, EXPECT_FAILED, i) &&
            !expects_no_completion(scenario, i))
            result_fail(result, "%s: %s of %s %s failed", result->workloads[i].name,
                        words_count(result->workloads[i].failed).text,
                        words_count(result->workloads[i].issued).text,
                        plural(result->workloads[i].issued, "operation", "operations"));
}

/* Each kind on its own, unless the scenario has an expectation on it. */
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

/* ---- nothing to compare ---- */

/* Without completed operations there is no figure to compare. */
static bool has_no_samples(const struct expectation *expectation, const struct result *result)
{
    return expectation->workload != EXPECT_WHOLE_RUN &&
           expect_basis(expectation->quantity) == EXPECT_OVER_SAMPLES &&
           result->workloads[expectation->workload].latency->count == 0;
}

/* It had no I/O to do, and completed its admin commands. */
static bool is_silent(const struct result_workload *workload)
{
    return workload->silent && workload->admin > 0 && !workload->stalled && workload->idle == 0;
}

/* Writes the reason why the workload has nothing to compare; false if it has. */
static bool is_dead(const struct result_workload *workload, char *why, size_t size)
{
    if (workload->never_began)
        snprintf(why, size, "%s never began", workload->name);
    else if (workload->stalled || workload->issued == 0)
        snprintf(why, size, "%s issued no operations", workload->name);
    else if (workload->completed == 0)
        snprintf(why, size, "nothing completed");
    else if (workload->idle > 0)
        snprintf(why, size, "%s: %s of %s %s did nothing", workload->name,
                 words_count(workload->idle).text, words_count(workload->members).text,
                 plural(workload->members, "host-target pair", "host-target pairs"));
    else
        return false;
    return true;
}

/* Expectations on the run apply to every workload, so each must have done something. */
static bool some_dead(const struct result *result, enum expect_quantity quantity, char *why,
                      size_t size)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        here += !workload->elsewhere;
        const bool failed = workload->issued > 0 && workload->completed == 0 && workload->idle == 0;
        if (!workload->elsewhere && !is_silent(workload) &&
            (quantity == EXPECT_UNSETTLED || !failed) && is_dead(workload, why, size))
            return true;
    }
    snprintf(why, size, "no workload ran here");
    return here == 0;
}

static bool all_dead(const struct result *result, char *why, size_t size)
{
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].completed > 0)
            return false;
    snprintf(why, size, result->workload_count == 0 ? "no workload ran here" : "nothing completed");
    return true;
}

enum { ALL = 10000 }; /* p99_99 leaves out 1 of them */

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* How many of 10,000 operations may be slower than all others without changing the quantity: none
 * for a mean or maximum, the rest for a percentile, all if it is not a latency. */
static int64_t slower_without_effect(enum expect_quantity quantity)
{
    const char *path = expect_path(quantity), *figure = strrchr(path, '.') + 1;
    if (expect_basis(quantity) != EXPECT_OVER_SAMPLES || strcmp(figure, "min") == 0 ||
        (strstr(path, "latency_ns.") == NULL && strstr(path, "fct_ns.") == NULL &&
         strstr(path, "slowdown.") == NULL))
        return ALL;
    int64_t below = 0, unit = ALL / 10;
    if (figure[0] != 'p')
        return 0;
    /* p99_9 is 9990 of 10,000; the _ci of an interval ends the number */
    for (figure++; is_digit(figure[*figure == '_']); figure++)
        if (*figure != '_') {
            below += (*figure - '0') * unit;
            unit /= 10;
        }
    return ALL - below;
}

/* A failed operation counts as slower than every completed one. For the worst member, all failures
 * may be its own: percentiles are those of a workload the size of one member. */
static bool leaves_out_failed(const struct expectation *expectation,
                              const struct result_workload *workload)
{
    const int64_t may = slower_without_effect(expectation->quantity);
    const bool worst = strstr(expect_path(expectation->quantity), "worst_member") != NULL;
    const int64_t members = worst && workload->members > 1 ? workload->members : 1;
    const int64_t all = ((int64_t)workload->latency->count + workload->failed) / members;
    return may < ALL && (__int128)workload->failed * ALL > (__int128)may * all;
}

/* Operations that failed or never completed count as slower than all measured ones. */
static bool leaves_out_operations(const struct expectation *expectation,
                                  const struct result *result, char *why, size_t size)
{
    if (expect_basis(expectation->quantity) != EXPECT_OVER_SAMPLES)
        return false;
    const struct result_workload *workload = &result->workloads[expectation->workload];
    if (workload->idle > 0)
        return is_dead(workload, why, size);
    const bool failed = leaves_out_failed(expectation, workload);
    const int64_t count = workload->unfinished + (failed ? workload->failed : 0);
    snprintf(why, size, "%s of %s %s %s", words_count(count).text,
             words_count(workload->issued).text,
             plural(workload->issued, "operation", "operations"),
             !failed                    ? "never completed"
             : workload->unfinished > 0 ? "did not complete"
                                        : "failed");
    return !result->cut && count > 0 && expect_holds(expectation, 0);
}

/* The workload or the run lacks what quantities of that basis are measured over. */
static bool is_unmeasured(const struct expectation *expectation, const struct result *result)
{
    const bool whole = expectation->workload == EXPECT_WHOLE_RUN;
    const unsigned unmeasured =
        whole ? result->unmeasured : result->workloads[expectation->workload].unmeasured;
    return (unmeasured >> expect_basis(expectation->quantity) & 1) != 0;
}

/* Whether the run lacks what the quantity is measured over; writes the reason. */
static bool has_no_basis(const struct expectation *expectation, const struct result *result,
                         char *why, size_t size)
{
    const enum expect_basis basis = expect_basis(expectation->quantity);
    if (basis == EXPECT_OVER_FACT)
        return false;
    if (expectation->quantity == EXPECT_COMMANDS_LOST || expectation->quantity == EXPECT_UNSETTLED)
        return some_dead(result, expectation->quantity, why, size);
    const bool whole = expectation->workload == EXPECT_WHOLE_RUN;
    if (whole ? all_dead(result, why, size)
              : is_dead(&result->workloads[expectation->workload], why, size))
        return true;
    snprintf(why, size, "%s", expect_basis_missing(basis));
    return is_unmeasured(expectation, result);
}

/* IOPS and goodput of a workload, or of its members. */
static bool is_over_window(enum expect_quantity quantity)
{
    const char *path = expect_path(quantity);
    return strcmp(path, ".iops") == 0 || strncmp(path, ".goodput", 8) == 0 ||
           strncmp(path, ".member_goodput", 15) == 0;
}

/* Whether nothing was compared, because an idle run would have the same result; writes the
 * reason. */
static bool compares_nothing(const struct expectation *expectation, const struct result *result,
                             struct result_ratio value, char *why, size_t size)
{
    if (has_no_samples(expectation, result)) {
        snprintf(why, size, "nothing completed");
        return true;
    }
    if (value.denominator == 0) {
        const bool whole = expectation->workload == EXPECT_WHOLE_RUN;
        const char *no_rates = whole ? "" : result->workloads[expectation->workload].no_rates;
        snprintf(why, size, "%s",
                 no_rates[0] != '\0' && is_over_window(expectation->quantity) ? no_rates
                 : is_unmeasured(expectation, result)
                     ? expect_basis_missing(expect_basis(expectation->quantity))
                     : "not known: too few samples or members");
        return true;
    }
    if (leaves_out_operations(expectation, result, why, size))
        return true;
    return expect_holds(expectation, 0) && !expects_nothing(expectation) &&
           !accepts_all(expectation) && has_no_basis(expectation, result, why, size);
}

/* ---- runs that were cut off ---- */

/* Integers that are not counts. */
static bool is_rate(enum expect_quantity quantity)
{
    return quantity == EXPECT_IOPS || quantity == EXPECT_STEADY_IOPS ||
           quantity == EXPECT_STEADY_IOPS_CI || quantity == EXPECT_MEMBERS ||
           quantity == EXPECT_MEMBERS_IDLE;
}

/* For a run that was cut off: whether an expectation that is not met may still be met. Counts only
 * grow, so a count that is too low gives no verdict, and one that is too high does; nor do
 * outstanding operations. */
static bool may_still_hold(const struct expectation *expectation, const struct result *result,
                           struct result_ratio value)
{
    if (expectation->quantity == EXPECT_UNFINISHED || expectation->quantity == EXPECT_UNSETTLED)
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

static void judge_expectation(const struct expectation *expectation, const struct result *result,
                              struct result_expectation *verdict)
{
    const struct result_ratio value = value_of(expectation, result);
    verdict->text = expectation->text;
    verdict->value = value;
    if (compares_nothing(expectation, result, value, verdict->actual, sizeof verdict->actual)) {
        verdict->unjudged = result->cut;
        return;
    }
    if (expectation->quantity == EXPECT_UNSETTLED)
        write_unsettled(verdict->actual, sizeof verdict->actual, result);
    else
        write_actual(verdict->actual, sizeof verdict->actual, expect_kind(expectation->quantity),
                     value);
    verdict->held = holds(expectation, value);
    verdict->unjudged = result->cut && !verdict->held && may_still_hold(expectation, result, value);
}

const char *expect_eval_counted(const char *text, const char *actual)
{
    return expect_counted(text, actual);
}

void expect_eval(const struct scenario *scenario, struct result *result, bool cut_short)
{
    CHECK(result->expectations == NULL);
    result->expectation_count = scenario->expectation_count;
    result->expectations = memory_zeroed(scenario->expectation_count, sizeof *result->expectations);
    result->cut = cut_short;
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        judge_expectation(&scenario->expectations[i], result, &result->expectations[i]);
    fail_on_its_own(scenario, result, cut_short);
}
