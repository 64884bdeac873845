/* SPDX-License-Identifier: Apache-2.0
 * check_members - every member of a workload did something.
 * A member is one pair of hosts. A member that never connected, or connected too late, has no
 * latency, failures or losses, so all results describe only the others. An open loop or a trace may
 * have nothing due; a workload that keeps a queue depth always has. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

/* True if the workload has time to issue; false: it has none, or waits for other jobs. Out: the end
 * of that time. */
static bool has_window(const struct check_run *run, const struct scenario_workload *workload,
                       time_ps *stop)
{
    const struct fio_job *job = workload->job;
    *stop = time_earlier(workload->stop, run->stop);
    if (job != NULL && (job->barrier > 0 || job->wait_for != FIO_NO_JOB))
        return false;
    return workload->start + (job == NULL ? 0 : job->start_delay) < *stop;
}

struct check_idle check_idle_members(const struct check_run *run, uint32_t workload)
{
    const struct scenario_workload *about = &run->scenario->workloads[workload];
    struct check_idle idle = {0};
    time_ps stop;
    if (run->cut || !has_window(run, about, &stop))
        return idle;
    for (uint32_t i = about->pair_count * about->copies; i-- > 0;) {
        const struct workload_member *member = run->members[run->first_member[workload] + i];
        if (member == NULL || member->issued > 0)
            continue;
        const bool never = !member->connected;
        const bool late = !never && !scenario_issues_nothing(about) &&
                          (member->ready >= stop || check_keeps_depth(about));
        idle.never += never;
        idle.late += late;
        idle.first = never || late ? i : idle.first;
    }
    return idle;
}

/* "12 of 48 hosts": hosts for which something of the workload was done. */
struct hosts {
    uint8_t *seen; /* by host; 1: takes part, 3: takes part and did something */
    uint32_t all, active;
};

static void count_host(struct hosts *hosts, uint32_t host, bool active)
{
    hosts->all += (hosts->seen[host] & 1) == 0;
    hosts->active += active && (hosts->seen[host] & 2) == 0;
    hosts->seen[host] |= active ? 3 : 1;
}

/* The workload has no results at all, and a longer run would not change this. */
static void report_all_failed(const struct scenario *scenario,
                              const struct scenario_workload *workload, uint32_t pairs,
                              struct check_report *report)
{
    const struct scenario_pair *first = &workload->pairs[0];
    const char *from = scenario->nodes[first->from].name, *to = scenario->nodes[first->to].name;
    static const char nothing[] = "IOPS, goodput and latency have no values: repair the path";
    if (pairs == 1)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': its only host-target pair (%s to %s) never connected; %s", workload->name,
                  from, to, nothing);
    else
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': none of the %u host-target %s connected (first: %s to %s); %s",
                  workload->name, (unsigned)pairs, plural(pairs, "pair", "pairs"), from, to,
                  nothing);
}

static void tell(const struct scenario *scenario, const struct scenario_workload *workload,
                 const struct check_idle *idle, const struct hosts *hosts,
                 struct check_report *report)
{
    const struct scenario_pair *first = &workload->pairs[idle->first / workload->copies];
    const uint32_t pairs = workload->pair_count * workload->copies;
    const bool both = idle->never > 0 && idle->late > 0;
    if (idle->never == pairs) {
        report_all_failed(scenario, workload, pairs, report);
        return;
    }
    char late[64] = "";
    if (both)
        snprintf(late, sizeof late, ", %u ", (unsigned)idle->late);
    if (idle->late > 0)
        strcat(late, "connected too late to issue an operation");
    check_add(report, DIAG_WARNING, workload->place,
              "'%s': %u of %u %s active; %u of %u %s %s%s (first: %s to %s); IOPS, goodput and "
              "latency exclude %s: repair the path, or run longer",
              workload->name, (unsigned)hosts->active, (unsigned)hosts->all,
              plural(hosts->all, "host", "hosts"),
              (unsigned)(idle->never > 0 ? idle->never : idle->late), (unsigned)pairs,
              plural(pairs, "host-target pair", "host-target pairs"),
              idle->never > 0 ? "never connected" : "", late, scenario->nodes[first->from].name,
              scenario->nodes[first->to].name,
              plural(idle->never + idle->late, "this pair", "these pairs"));
}

static void look_at(const struct check_run *run, uint32_t index, struct check_report *report)
{
    const struct scenario_workload *workload = &run->scenario->workloads[index];
    const struct check_idle idle = check_idle_members(run, index);
    if (idle.never + idle.late == 0)
        return;
    struct arena scratch = {0};
    struct hosts hosts = {.seen = arena_take(&scratch, run->scenario->host_count)};
    for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
        const struct workload_member *member = run->members[run->first_member[index] + i];
        count_host(&hosts, workload->pairs[i / workload->copies].from,
                   member != NULL && member->completed > 0);
    }
    tell(run->scenario, workload, &idle, &hosts, report);
    arena_free(&scratch);
}

static void after(const struct check_run *run, struct check_report *report)
{
    for (uint32_t i = 0; i < run->scenario->workload_count; i++)
        look_at(run, i, report);
}

const struct check_rule check_members = {
    .name = "members",
    .about = "Every host-target pair connects and issues operations (checked after a simulation).",
    .after = after,
};
