/* SPDX-License-Identifier: Apache-2.0
 * check_depths - an NVMe workload gets the queues and the depth that it requests.
 * Host and target agree on the smaller of their limits (NVMe over Fabrics 1.1, 3.3; CAP.MQES,
 * Number of Queues). One entry of a queue always stays empty, so one command less than its size can
 * be in flight; further requests of the workload wait at the host. READs in flight are limited by
 * both ends (IBTA Vol 1 9.7.3); if either limit is 0, no operation that needs a READ works. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/numbers.h"
#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

bool check_keeps_depth(const struct scenario_workload *workload)
{
    const struct opt *rate = opt_find(workload->ops->opts, "rate");
    if (strcmp(workload->ops->name, "trace") == 0)
        return false;
    return rate == NULL || *opt_field(rate, (void *)(uintptr_t)workload->params) == 0;
}

/* Queues of all types and commands in each of them that a host and a target agree on. */
struct agreement {
    struct nvme_host_params host; /* with no more queues than CPUs */
    int64_t wanted;               /* queues, regardless of its CPUs */
    int64_t asked, queues;        /* requested and granted */
    int64_t sharing;              /* cores that issue to one queue */
    struct nvme_carrier_depth depth;
};

/* For the kinds of I/O that the workload has. */
static int64_t sharing_of(const struct scenario_workload *workload, const struct agreement *agreed)
{
    const struct wl_nvme_params *params = workload->params;
    const struct offering offering = offered_all(workload);
    const struct nvme_io read = {.opcode = NVME_READ, .polled = params->polled != 0};
    const struct nvme_io write = {.opcode = NVME_WRITE, .polled = params->polled != 0};
    int64_t sharing = 1;
    if (offering.share > 0)
        sharing = nvme_host_params_sharing(&agreed->host, agreed->queues, &read);
    if (offering.share < PPM)
        sharing = max_i64(sharing, nvme_host_params_sharing(&agreed->host, agreed->queues, &write));
    return max_i64(sharing, 1);
}

static struct agreement agreement_of(const struct scenario *scenario,
                                     const struct scenario_workload *workload,
                                     const struct scenario_pair *pair)
{
    const struct nvme_carrier_host *host = scenario->nodes[pair->from].host->nvme_host;
    const struct nvme_carrier_target *target = scenario->nodes[pair->to].host->nvme_target;
    const uint32_t most = nvme_carriers[workload->transport]->most_queues;
    struct agreement agreed = {
        .host = wl_nvme_on_host(workload->params, &host->core),
        .depth = nvme_carrier_depth(workload->transport, host, target),
    };
    agreed.wanted = ((const struct wl_nvme_params *)workload->params)->queues +
                    host->core.write_queues + host->core.poll_queues;
    agreed.asked = nvme_host_params_queues(&agreed.host);
    agreed.queues = min_i64(agreed.asked, target->core.max_queues);
    if (most > 0)
        agreed.queues = min_i64(agreed.queues, most);
    agreed.sharing = sharing_of(workload, &agreed);
    return agreed;
}

static void tell_depth(const struct scenario *scenario, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, const struct agreement *agreed,
                       struct check_report *report)
{
    const struct wl_nvme_params *params = workload->params;
    const struct nvme_carrier_depth *depth = &agreed->depth;
    const int64_t count = depth->commands + depth->entries;
    const int64_t most = max_i64(depth->commands / agreed->sharing, 1);
    char shared[48] = "";
    if (agreed->sharing > 1)
        snprintf(shared, sizeof shared, ", which %lld %s", (long long)agreed->sharing,
                 plural(agreed->sharing, "CPU shares", "CPUs share"));
    check_add(report, DIAG_WARNING, block_place(workload->values, "queue-depth", workload->place),
              "'%s': queue-depth %lld is limited to %lld: a queue between %s and %s has %lld %s "
              "(%s of %s)%s; further I/Os wait at the host",
              workload->name, (long long)params->queue_depth, (long long)most,
              scenario->nodes[pair->from].name, scenario->nodes[pair->to].name, (long long)count,
              depth->entries ? plural(count, "entry", "entries")
                             : plural(count, "outstanding command", "outstanding commands"),
              depth->row, scenario->nodes[depth->at_target ? pair->to : pair->from].name, shared);
    check_remedy(report, "set queue-depth %lld, or use longer queues", (long long)most);
    check_set_row(report, workload->values, "queue-depth", "%lld", (long long)most);
}

static void tell_queues(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, const struct agreement *agreed,
                        struct check_report *report)
{
    const struct wl_nvme_params *params = workload->params;
    const uint32_t most = nvme_carriers[workload->transport]->most_queues;
    const struct diag_place place = block_place(workload->values, "queues", workload->place);
    const int64_t others = agreed->asked - agreed->host.queues;
    const int64_t left = agreed->queues - others; /* for `queues` */
    char also[64] = "";
    if (others > 0)
        snprintf(also, sizeof also, " with %lld write and poll %s", (long long)others,
                 plural(others, "queue", "queues"));
    if (most > 0 && agreed->queues == most) {
        check_add(report, DIAG_WARNING, place,
                  "'%s': queues %lld%s is limited to %lld: transport %s has no more for a host and "
                  "a target",
                  workload->name, (long long)params->queues, also, (long long)agreed->queues,
                  nvme_carrier_name(workload->transport));
        check_remedy(report, "set queues %lld%s", (long long)agreed->queues,
                     others > 0 ? ", and no write-queues and poll-queues" : "");
    } else {
        check_add(report, DIAG_WARNING, place,
                  "'%s': queues %lld%s is limited to %lld: %s grants no more to a controller "
                  "(target.max-queues)",
                  workload->name, (long long)params->queues, also, (long long)agreed->queues,
                  scenario->nodes[pair->to].name);
        check_remedy(report,
                     left > 0 ? "set queues %lld, or a larger target.max-queues"
                              : "use fewer write-queues and poll-queues, or a larger "
                                "target.max-queues",
                     (long long)left);
    }
    if (left > 0)
        check_set_row(report, workload->values, "queues", "%lld", (long long)left);
}

static void tell_cpus(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair, const struct agreement *agreed,
                      struct check_report *report)
{
    const long long cpus = (long long)agreed->host.cpus;
    check_add(report, DIAG_NOTE, block_place(workload->values, "queues", workload->place),
              "'%s': %s requests %lld of %lld %s: it has %lld %s (nvme.cpus), and no more queues "
              "of each type",
              workload->name, scenario->nodes[pair->from].name, (long long)agreed->asked,
              (long long)agreed->wanted, plural(agreed->wanted, "queue", "queues"), cpus,
              plural(cpus, "CPU", "CPUs"));
}

/* Reports only the first pair that gets less of each. */
static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    const struct wl_nvme_params *params = workload->params;
    bool shallow = !check_keeps_depth(workload), few = false, capped = false;
    for (uint32_t i = 0; i < workload->pair_count && !(shallow && few && capped); i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const struct agreement agreed = agreement_of(scenario, workload, pair);
        const bool deep = params->queue_depth * agreed.sharing > agreed.depth.commands;
        if (!shallow && deep)
            tell_depth(scenario, workload, pair, &agreed, report);
        if (!few && agreed.queues < agreed.asked)
            tell_queues(scenario, workload, pair, &agreed, report);
        if (!capped && agreed.asked < agreed.wanted)
            tell_cpus(scenario, workload, pair, &agreed, report);
        shallow |= deep;
        few |= agreed.queues < agreed.asked;
        capped |= agreed.asked < agreed.wanted;
    }
}

/* With max-rd-atomic 0 at either end, READs cannot be sent at all. In NVMe, the target needs READs
 * to fetch the data of Connect and of writes. Reports only the first such pair. True: there is
 * one. */
static bool check_reads_at_all(const struct scenario *scenario,
                               const struct scenario_workload *workload,
                               struct check_report *report)
{
    const bool nvme = workload->ops->needs_nvme_target;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_node *from = &scenario->nodes[workload->pairs[i].from];
        const struct scenario_node *to = &scenario->nodes[workload->pairs[i].to];
        const struct scenario_node *none = from->host->rnic->max_rd_atomic == 0 ? from
                                           : to->host->rnic->max_rd_atomic == 0 ? to
                                                                                : NULL;
        if (none == NULL)
            continue;
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': %s can never READ from %s, with rnic.max-rd-atomic 0 at %s: %s",
                  workload->name, nvme ? to->name : from->name, nvme ? from->name : to->name,
                  none->name,
                  nvme ? "the data of Connect and of writes cannot be fetched, so no controller "
                         "comes up"
                       : "no operation is ever sent");
        check_remedy(report, "set rnic.max-rd-atomic: 16");
        if (from->host->rnic->max_rd_atomic == 0)
            check_set_row(report, from->host->rnic_values, "max-rd-atomic", "16");
        if (to->host->rnic->max_rd_atomic == 0)
            check_set_row(report, to->host->rnic_values, "max-rd-atomic", "16");
        return true;
    }
    return false;
}

/* READs beyond a queue pair's limit wait in its send queue. */
static void check_reads(const struct scenario *scenario, const struct scenario_workload *workload,
                        struct check_report *report)
{
    const int64_t asked = ((const struct wl_rdma_params *)workload->params)->outstanding;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const int64_t own = scenario->nodes[pair->from].host->rnic->max_rd_atomic;
        const int64_t peer = scenario->nodes[pair->to].host->rnic->max_rd_atomic;
        if (asked <= min_i64(own, peer))
            continue;
        check_add(report, DIAG_NOTE, block_place(workload->values, "outstanding", workload->place),
                  "'%s': only %lld of its %lld outstanding %s %s in flight at the same time "
                  "(rnic.max-rd-atomic of %s)",
                  workload->name, (long long)min_i64(own, peer), (long long)asked,
                  plural(asked, "READ", "READs"), plural(asked, "is", "are"),
                  scenario->nodes[own <= peer ? pair->from : pair->to].name);
        check_remedy(report,
                     "use more queue pairs (qps), or a larger rnic.max-rd-atomic at both ends");
        check_set_row(report, scenario->nodes[pair->from].host->rnic_values, "max-rd-atomic",
                      "%lld", (long long)asked);
        check_set_row(report, scenario->nodes[pair->to].host->rnic_values, "max-rd-atomic", "%lld",
                      (long long)asked);
        return;
    }
}

static void find_depths(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].ops->needs_nvme_target) {
            check_reads_at_all(scenario, &scenario->workloads[i], report);
            check_workload(scenario, &scenario->workloads[i], report);
        } else if (strcmp(scenario->workloads[i].ops->name, "rdma-read") == 0 &&
                   !check_reads_at_all(scenario, &scenario->workloads[i], report)) {
            check_reads(scenario, &scenario->workloads[i], report);
        }
}

const struct check_rule check_depths = {
    .name = "depths",
    .about = "The queues for a workload are deep enough, and there are enough queues.",
    .run = find_depths,
    .by_run = true,
};
