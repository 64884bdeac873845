/* SPDX-License-Identifier: Apache-2.0
 * check_begins - every workload begins in time and issues something.
 * A fio job with stonewall or wait_for begins when the jobs before it have finished. Source: fio
 * 3.33, HOWTO: stonewall, wait_for, runtime, time_based. Before a run, only the end of jobs limited
 * by their runtime is known; the time that the bytes of other jobs take is not. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/workload.h"

enum { TIME_BYTES = QUANTITY_TEXT_BYTES };

static const char *time_words(time_ps time, char text[TIME_BYTES])
{
    quantity_format(QUANTITY_TIME, time, text, TIME_BYTES);
    return text;
}

static bool waits(const struct fio_job *job)
{
    return job != NULL && (job->barrier > 0 || job->wait_for != FIO_NO_JOB);
}

static bool waits_for(const struct fio_job *job, uint32_t other)
{
    return other < job->barrier || other == job->wait_for;
}

/* True if bytes or I/Os may end the job before its runtime does. */
static bool is_bounded(const struct fio_job *job)
{
    return job->nvme.fio.io_bytes != 0 || job->nvme.fio.loop_ios != 0 || job->nvme.count != 0;
}

/* ---- before a run ---- */

/* Earliest start of each job of a file, and the job that each waits for longest. */
struct begins {
    const struct scenario *scenario;
    const struct scenario_workload *jobs; /* jobs of the file */
    time_ps *at;
    uint32_t *last;
};

static time_ps earliest_end(const struct begins *begins, uint32_t job)
{
    const struct fio_job *about = begins->jobs[job].job;
    const time_ps at = begins->at[job];
    if (is_bounded(about) || at >= begins->scenario->duration)
        return at;
    return about->runtime < begins->scenario->duration ? at + about->runtime : TIME_NEVER;
}

static void find_begin(const struct begins *begins, uint32_t job)
{
    const struct fio_job *about = begins->jobs[job].job;
    time_ps at = begins->jobs[job].start;
    begins->last[job] = FIO_NO_JOB;
    for (uint32_t i = 0; i < job; i++) {
        const time_ps end = waits_for(about, i) ? earliest_end(begins, i) : 0;
        if (end <= at)
            continue;
        at = end;
        begins->last[job] = i;
    }
    begins->at[job] = at > TIME_NEVER - about->start_delay ? TIME_NEVER : at + about->start_delay;
}

static void report_late_job(const struct begins *begins, uint32_t job, struct check_report *report)
{
    const struct scenario_workload *workload = &begins->jobs[job];
    const uint32_t last = begins->last[job];
    const struct scenario_workload *before = last == FIO_NO_JOB ? NULL : &begins->jobs[last];
    char lasts[TIME_BYTES], other[TIME_BYTES];
    time_words(begins->scenario->duration, lasts);
    if (begins->at[job] < workload->stop)
        return;
    if (before == NULL || begins->at[job] - workload->job->start_delay < workload->stop)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' never begins: its startdelay is %s, and the run ends at %s", workload->name,
                  time_words(workload->job->start_delay, other), lasts);
    else if (before->job->runtime == TIME_NEVER)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' never begins: it waits for '%s', which has no runtime and lasts to the end "
                  "of the run at %s",
                  workload->name, before->name, lasts);
    else
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' never begins: it waits for '%s', which has a runtime of %s, and the run "
                  "ends at %s",
                  workload->name, before->name, time_words(before->job->runtime, other), lasts);
    check_shows(report, "workloads[].issued == 0");
}

/* Skips files in which a job may end the others at any time (exitall). */
static void check_file(const struct scenario *scenario, uint32_t first, uint32_t count,
                       struct check_report *report)
{
    struct arena scratch = {0};
    struct begins begins = {.scenario = scenario, .jobs = &scenario->workloads[first]};
    begins.at = arena_array(&scratch, count, sizeof *begins.at);
    begins.last = arena_array(&scratch, count, sizeof *begins.last);
    bool ends_others = false;
    for (uint32_t i = 0; i < count; i++)
        ends_others |= begins.jobs[i].job->exit != FIO_EXIT_NONE;
    for (uint32_t i = 0; i < count && !ends_others; i++) {
        find_begin(&begins, i);
        report_late_job(&begins, i, report);
    }
    arena_free(&scratch);
}

static void find_begins(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t first = 0; first < scenario->workload_count;) {
        uint32_t end = first + 1;
        const bool of_fio = scenario->workloads[first].job != NULL;
        while (of_fio && end < scenario->workload_count && scenario->workloads[end].job != NULL &&
               scenario->workloads[end].first_job == scenario->workloads[first].first_job)
            end++;
        if (of_fio)
            check_file(scenario, first, end - first, report);
        first = end;
    }
}

/* ---- after a run ---- */

/* A job begins its startdelay after the jobs before it have finished. */
static void report_delayed_job(const struct scenario_workload *workload, time_ps began,
                               time_ps stop, struct check_report *report)
{
    const time_ps delay = workload->job->start_delay, left = stop - delay;
    char delays[TIME_BYTES], lasts[TIME_BYTES], latest[TIME_BYTES];
    time_words(delay, delays);
    time_words(stop, lasts);
    if (began < stop || left <= workload->start) /* the earlier jobs finished, or there was no
                                                  * time left for them */
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' never began: its startdelay is %s, and the run ends at %s", workload->name,
                  delays, lasts);
    else
        check_add(
            report, DIAG_WARNING, workload->place,
            "'%s' never began: the jobs before it were not finished by %s, and its startdelay "
            "is %s in a run that ends at %s",
            workload->name, time_words(left, latest), delays, lasts);
}

/* Members that never connected or connected too late are reported by check_members. */
static void check_begin(const struct check_run *run, uint32_t index, struct check_report *report)
{
    const struct scenario_workload *workload = &run->scenario->workloads[index];
    const struct check_idle idle = check_idle_members(run, index);
    const uint32_t count = workload->pair_count * workload->copies;
    time_ps began = TIME_NEVER;
    uint64_t issued = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct workload_member *member = run->members[run->first_member[index] + i];
        issued += member == NULL ? 0 : member->issued;
        began = member == NULL ? began : time_earlier(began, member->began);
    }
    if (count == 0 || issued > 0 || idle.never + idle.late > 0 || scenario_issues_nothing(workload))
        return;
    char lasts[TIME_BYTES];
    time_words(time_earlier(workload->stop, run->stop), lasts);
    const time_ps delay = workload->job == NULL ? 0 : workload->job->start_delay;
    const time_ps stop = time_earlier(workload->stop, run->stop);
    if (delay > 0 && (began < stop ? began >= stop - delay : waits(workload->job)))
        report_delayed_job(workload, began, stop, report);
    else if (waits(workload->job) && began >= stop)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' never began: the jobs before it were not finished by %s", workload->name,
                  lasts);
    else
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s' issued no operations: none was due by %s", workload->name, lasts);
}

static void after(const struct check_run *run, struct check_report *report)
{
    for (uint32_t i = 0; !run->cut && i < run->scenario->workload_count; i++)
        check_begin(run, i, report);
}

const struct check_rule check_begins = {
    .name = "begins",
    .about = "Every workload begins before the simulation ends, and issues operations.",
    .run = find_begins,
    .after = after,
};
