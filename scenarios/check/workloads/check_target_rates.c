/* SPDX-License-Identifier: Apache-2.0
 * check_target_rates - drives and CPUs of a target can serve what open loops offer, and its data
 * buffers suffice for the commands in flight.
 * These bounds need no run: a drive serves one command per `least`, a CPU one per command-cost. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "nvme/media/media.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

enum { BUFFERS_SHARE = 4 }; /* with less than a quarter of the buffers needed, most commands wait */

/* Load of the workloads on a target. */
struct wants {
    __int128 commands; /* commands per second, of open loops */
    __int128 service;  /* drive time needed per second by all open loops, in ps */
    int64_t buffers;
};

static time_ps least_of(const struct scenario_namespace *drives, const struct offering *offering)
{
    const uint32_t bytes = offering->mean > UINT32_MAX ? UINT32_MAX : (uint32_t)offering->mean;
    if (drives->media->least == NULL)
        return 0;
    const time_ps read = drives->media->least(drives->media_params, MEDIA_READ, bytes);
    const time_ps write = drives->media->least(drives->media_params, MEDIA_WRITE, bytes);
    return (
        time_ps)(((__int128)read * offering->share + (__int128)write * (PPM - offering->share)) /
                 PPM);
}

static void add_buffers(const struct scenario_workload *workload,
                        const struct nvme_host_params *host, const struct nvme_target_params *core,
                        struct wants *wants)
{
    const struct wl_nvme_params *params = workload->params;
    if (workload->job != NULL || core->io_unit <= 0)
        return;
    wants->buffers += params->queue_depth * wl_nvme_cores(params, host) * workload->copies *
                      ((params->block_size + core->io_unit - 1) / core->io_unit);
}

/* By host: load of all workloads with this host as target. */
static struct wants *wants_of(const struct scenario *scenario, struct arena *arena)
{
    struct wants *wants = arena_array(arena, scenario->host_count, sizeof *wants);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        if (!workload->ops->needs_nvme_target)
            continue;
        const struct offering offering = offered_all(workload);
        const __int128 each = (__int128)offering.rate * workload->copies / QUANTITY_DECIMAL_ONE;
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const uint32_t target = workload->pairs[i].to;
            const struct scenario_host *host = scenario->nodes[target].host;
            if (host->namespace_count == 0)
                continue;
            wants[target].commands += each;
            wants[target].service += each * least_of(&host->namespaces[0], &offering);
            add_buffers(workload, &scenario->nodes[workload->pairs[i].from].host->nvme_host->core,
                        &host->nvme_target->core, &wants[target]);
        }
    }
    return wants;
}

static int64_t drives_of(const struct scenario_host *host)
{
    int64_t drives = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        drives += host->namespaces[i].count * host->namespaces[i].params->array.drives;
    return drives;
}

static void check_drives(const struct scenario_node *node, const struct wants *wants,
                         struct check_report *report)
{
    const int64_t drives = drives_of(node->host);
    const bool uniform = node->host->namespace_count == 1; /* all drives are of the same kind */
    if (!uniform || wants->service <= (__int128)drives * PS_PER_S)
        return;
    const struct scenario_namespace *entry = &node->host->namespaces[0];
    const struct check_thing thing = {
        .node = node, .port = SCENARIO_ALL_PORTS, .written = entry->place};
    check_alike(report, DIAG_WARNING, &thing,
                "workloads with a rate offer %lld %s per second: %lld %s of media %s would be busy "
                "%lld%% of the time",
                (long long)wants->commands, plural(wants->commands, "I/O", "I/Os"),
                (long long)drives, plural(drives, "drive", "drives"), entry->profile,
                (long long)(wants->service * 100 / ((__int128)drives * PS_PER_S)));
    check_remedy(report, "use more drives, faster media, or lower the rate of the workloads");
}

static void check_cpus(const struct scenario_node *node, const struct wants *wants,
                       struct check_report *report)
{
    const struct nvme_target_params *core = &node->host->nvme_target->core;
    const __int128 busy = wants->commands * core->command_cost;
    if (core->command_cost <= 0 || busy <= (__int128)core->cores * PS_PER_S)
        return;
    const struct check_thing thing = check_of_target(node, "cores");
    char cost[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_TIME, core->command_cost, cost, sizeof cost);
    check_alike(report, DIAG_WARNING, &thing,
                "workloads with a rate offer %lld %s per second, but target.cores %lld with "
                "command-cost %s can process %lld: the backlog grows without limit",
                (long long)wants->commands, plural(wants->commands, "I/O", "I/Os"),
                (long long)core->cores, cost,
                (long long)((__int128)core->cores * PS_PER_S / core->command_cost));
    const long long cores = (long long)(busy / PS_PER_S + 1);
    check_remedy(report, "set target.cores: %lld or more, or lower the rate of the workloads",
                 cores);
    check_set(report, &thing, "%lld", cores);
}

static void check_buffers(const struct scenario_node *node, const struct wants *wants,
                          struct check_report *report)
{
    const struct nvme_target_params *core = &node->host->nvme_target->core;
    if (core->data_buffers == 0 || core->data_buffers >= wants->buffers / BUFFERS_SHARE)
        return;
    const struct check_thing thing = check_of_target(node, "data-buffers");
    check_alike(report, DIAG_WARNING, &thing,
                "target.data-buffers is %lld, but outstanding commands may need %lld: most of them "
                "wait for a buffer",
                (long long)core->data_buffers, (long long)wants->buffers);
    check_remedy(report, "set target.data-buffers: %lld", (long long)wants->buffers);
    check_set(report, &thing, "%lld", (long long)wants->buffers);
}

/* Each CPU serves one queue of each type. */
static void check_host_cpus(const struct scenario *scenario,
                            const struct scenario_workload *workload, struct check_report *report)
{
    const struct offering offering = offered_all(workload);
    const struct wl_nvme_params *params = workload->params;
    for (uint32_t i = 0; workload->job == NULL && i < workload->pair_count; i++) {
        const struct scenario_node *host = &scenario->nodes[workload->pairs[i].from];
        const struct nvme_host_params *core = &host->host->nvme_host->core;
        const time_ps each = core->submit_cost + core->complete_cost;
        const __int128 asked = (__int128)offering.rate / QUANTITY_DECIMAL_ONE;
        const int64_t cpus = wl_nvme_cores(params, core);
        if (each <= 0 || asked * each <= (__int128)cpus * PS_PER_S)
            continue;
        const struct check_thing thing = check_of_initiator(host, "submit-cost");
        char cost[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_TIME, each, cost, sizeof cost);
        check_alike(report, DIAG_WARNING, &thing,
                    "'%s' offers %lld %s per second, but the %lld %s of its queues can process "
                    "%lld at %s per I/O (nvme.submit-cost, complete-cost)",
                    workload->name, (long long)asked, plural(asked, "I/O", "I/Os"), (long long)cpus,
                    plural(cpus, "CPU", "CPUs"), (long long)((__int128)cpus * PS_PER_S / each),
                    cost);
        check_remedy(report, "set queues: %lld or more, or lower the rate of '%s'",
                     (long long)(asked * each / PS_PER_S + 1), workload->name);
    }
}

static void find_target_rates(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const struct wants *wants = wants_of(scenario, &scratch);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workloads[w].ops->needs_nvme_target)
            check_host_cpus(scenario, &scenario->workloads[w], report);
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->host->namespace_count == 0)
            continue;
        check_drives(node, &wants[i], report);
        check_cpus(node, &wants[i], report);
        check_buffers(node, &wants[i], report);
    }
    arena_free(&scratch);
}

const struct check_rule check_target_rates = {
    .name = "target-rates",
    .about = "Drives, data buffers and CPUs can process the offered load.",
    .run = find_target_rates,
};
