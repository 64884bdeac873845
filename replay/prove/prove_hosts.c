/* SPDX-License-Identifier: Apache-2.0
 * prove_hosts - the hosts that lost by the culprits, of each workload. */
#include "replay/prove/prove_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PERCENT = 5 };

/* What a workload's members that begin at a host did. */
struct part {
    uint32_t workload, host;
    struct prove_work work;
};

struct parts {
    struct part *rows;
    uint32_t count, room;
};

static void read_parts(struct parts *parts, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT workload, from_node, sum(completed) AS done,"
        " sum(completed*coalesce(latency_mean_ps, 0)) AS under_way_ps, sum(failed) AS failures,"
        " sum(ready_ps IS NULL) AS inactive"
        " FROM member GROUP BY workload, from_node ORDER BY workload, from_node");
    while (store_step(rows)) {
        parts->rows = memory_grown(parts->rows, parts->count, &parts->room, sizeof *parts->rows);
        parts->rows[parts->count++] = (struct part){
            (uint32_t)store_int(rows, "workload"),
            (uint32_t)store_int(rows, "from_node"),
            {.done = store_int(rows, "done"),
             .under_way_ps = store_int(rows, "under_way_ps"),
             .failed = store_int(rows, "failures"),
             .inactive = store_int(rows, "inactive")},
        };
    }
    store_finish(rows);
}

/* Without the culprits, with all that a database has.  False: see why. */
static bool play_repaired(struct prove_trial *trial, struct parts *parts)
{
    struct prove *prove = trial->prove;
    const struct prove_set set = prove_named(prove);
    const struct run_options options = {.until = trial->until};
    struct repair repairs[PROVE_SUSPECTS_MAX];
    struct repaired repaired;
    struct run run;
    for (uint32_t i = 0; i < set.count; i++)
        repairs[i] = prove->rows[set.rows[i]].repair;
    repair_apply(&repaired, repairs, set.count, trial->scenario);
    const bool well = run_scenario(&run, &repaired.scenario, &options, trial->diag) == RUN_DONE &&
                      strcmp(run.result.status, "interrupted") != 0;
    if (well)
        read_parts(parts, record_store(run.record));
    else
        snprintf(prove->why, sizeof prove->why, "%s", run.error);
    prove->runs++;
    run_close(&run);
    repair_free(&repaired);
    return well;
}

static void add_host(struct prove *prove, const struct prove_host *host)
{
    uint32_t at = prove->host_count < PROVE_HOSTS_MAX ? prove->host_count : PROVE_HOSTS_MAX;
    for (; at > 0 && prove->hosts[at - 1].lost_ps < host->lost_ps; at--)
        if (at < PROVE_HOSTS_MAX)
            prove->hosts[at] = prove->hosts[at - 1];
    if (at < PROVE_HOSTS_MAX)
        prove->hosts[at] = *host;
    prove->host_count++;
}

static void compare_part(struct prove_trial *trial, const struct part *was, const struct part *is)
{
    const struct prove_host host = {
        .workload = was->workload,
        .host = was->host,
        .lost_ps = prove_work_lost(&was->work, &is->work),
        .whole_ps = prove_work_whole(&was->work, &is->work),
        .failed = was->work.failed - is->work.failed,
        .inactive = was->work.inactive - is->work.inactive,
    };
    if (host.failed > 0 || host.inactive > 0 ||
        (host.lost_ps > 0 &&
         (__int128)host.lost_ps * 100 >= (__int128)host.whole_ps * LEAST_PERCENT))
        add_host(trial->prove, &host);
}

bool prove_find_hosts(struct prove_trial *trial)
{
    struct parts was = {0}, is = {0};
    if (trial->prove->culprits == 0)
        return true;
    const bool played = play_repaired(trial, &is);
    if (played)
        read_parts(&was, record_store(trial->run.record));
    for (uint32_t i = 0; i < was.count && was.count == is.count; i++)
        compare_part(trial, &was.rows[i], &is.rows[i]);
    for (uint32_t i = 0; i < trial->prove->host_count && i < PROVE_HOSTS_MAX; i++) {
        struct prove_host *host = &trial->prove->hosts[i];
        snprintf(host->name, sizeof host->name, "%s", trial->scenario->nodes[host->host].name);
        snprintf(host->of, sizeof host->of, "%s", trial->scenario->workloads[host->workload].name);
    }
    free(was.rows);
    free(is.rows);
    return played;
}
