/* SPDX-License-Identifier: Apache-2.0
 * check_connects - no connect waited for a timeout.
 * A connect takes a few round trips. If a connect lasts longer than the shortest timer of its RNIC,
 * at a host that retransmitted something, then a message was lost and the workload began late. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "rnic/cm/cm_setup.h"
#include "rnic/host/rnic.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>

struct breakdown {
    uint32_t members, first;
    time_ps longest;
};

/* IBTA Vol 1 9.7.6.1.3: local ACK timeout, 4.096 us x 2^timeout; 0: none. */
static time_ps shortest_timer(const struct rnic_params *rnic)
{
    const time_ps ack = rnic->timeout == 0 ? TIME_NEVER : INT64_C(4096000) << rnic->timeout;
    return time_earlier(ack, time_earlier(rnic->cm_timeout, cm_setup_probe_interval(rnic)));
}

static bool waited(const struct check_run *run, uint32_t host, const struct workload_member *member)
{
    return member != NULL && member->connected && run->retries[host] > 0 &&
           member->ready - member->began >= shortest_timer(run->scenario->nodes[host].host->rnic);
}

static void report_connects(const struct check_run *run, const struct scenario_workload *workload,
                            const struct breakdown *waits, struct check_report *report)
{
    const struct scenario_pair *pair = &workload->pairs[waits->first / workload->copies];
    check_add(
        report, DIAG_WARNING, workload->place,
        "'%s': %u of %u %s lost a connection message and waited until it was sent again (first: %s "
        "to %s; longest wait: %s); start the workload later, or repair the path first",
        workload->name, (unsigned)waits->members,
        (unsigned)(workload->pair_count * workload->copies),
        plural(workload->pair_count * workload->copies, "host-target pair", "host-target pairs"),
        run->scenario->nodes[pair->from].name, run->scenario->nodes[pair->to].name,
        note_time(waits->longest).text);
}

static void after(const struct check_run *run, struct check_report *report)
{
    for (uint32_t w = 0; w < run->scenario->workload_count; w++) {
        const struct scenario_workload *workload = &run->scenario->workloads[w];
        struct breakdown waits = {0};
        for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
            const struct workload_member *member = run->members[run->first_member[w] + i];
            if (!waited(run, workload->pairs[i / workload->copies].from, member))
                continue;
            waits.first = member->ready - member->began > waits.longest ? i : waits.first;
            waits.longest = time_later(waits.longest, member->ready - member->began);
            waits.members++;
        }
        if (waits.members > 0)
            report_connects(run, workload, &waits, report);
    }
}

const struct check_rule check_connects = {
    .name = "connects",
    .about = "No connection setup waits for a retry timer (checked after a simulation).",
    .after = after,
};
