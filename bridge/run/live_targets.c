/* SPDX-License-Identifier: Apache-2.0
 * live_targets - the targets, their addresses, and the part of the scenario that runs here. */
#include "base/memory.h"
#include "bridge/run/live_private.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/effect/effect.h"

#include <netinet/in.h>

static void complain(struct diag *diag, const struct scenario_workload *workload, const char *what,
                     const char *host, const char *remedy)
{
    diag_add(diag, DIAG_ERROR, workload == NULL ? (struct diag_place){0} : workload->place, NULL,
             "%s%s: %s", what, host, remedy);
}

bool live_here(const struct live_run *run, uint32_t node)
{
    const struct host_addresses *addresses = run->options.addresses;
    return addresses == NULL || addresses->here == NULL || addresses->here[node];
}

struct live_target *live_target_of(const struct live_run *run, uint32_t node)
{
    for (uint32_t i = 0; i < run->target_count; i++)
        if (run->targets[i].node == node)
            return &run->targets[i];
    return NULL;
}

static struct nic_addresses nics_of_target(const struct live_run *run, uint32_t node)
{
    const struct live_options *options = &run->options;
    if (options->addresses != NULL && options->addresses->nics[node].count > 0)
        return options->addresses->nics[node];
    return options->role == LIVE_TARGET ? options->address : options->peer;
}

static bool share_address(const struct nic_addresses *a, const struct nic_addresses *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (a->ip[i] == b->ip[k])
                return true;
    return false;
}

static void add_target(struct live_run *run, uint32_t node,
                       const struct scenario_workload *workload, struct diag *diag)
{
    const char *name = run->scenario->nodes[node].name;
    const struct live_target target = {
        .run = run,
        .node = node,
        .nics = nics_of_target(run, node),
        .here = (run->options.role & LIVE_TARGET) != 0 &&
                (run->options.role == LIVE_BOTH || live_here(run, node)),
    };
    if (run->options.role == LIVE_TARGET && !target.here)
        return; /* another process runs it */
    if (target.nics.count == 0)
        complain(diag, workload, "no address for the target ", name,
                 "expected --peer HOST=ADDRESS");
    for (uint32_t i = 0; i < run->target_count && !diag_failed(diag); i++)
        if (share_address(&run->targets[i].nics, &target.nics))
            complain(diag, workload, "one address for two targets, one of them ", name,
                     run->options.role == LIVE_TARGET
                         ? "expected --as HOST, or --peer HOST=ADDRESS for each"
                         : "expected --peer HOST=ADDRESS for each");
    run->targets[run->target_count++] = target;
}

static void find_targets(struct live_run *run, struct diag *diag)
{
    const struct scenario *scenario = run->scenario;
    for (uint32_t i = 0; i < scenario->workload_count && !diag_failed(diag); i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        if (workload->ops->needs_tcp)
            complain(diag, workload, "the bridge does not run the kind ", workload->ops->name,
                     "expected nvme, trace, fio or an rdma kind");
        if (workload->ops->needs_nvme_target && nvme_carriers[workload->transport]->only_blocks)
            complain(diag, workload, "the bridge does not run the transport ",
                     nvme_carrier_name(workload->transport), "expected transport rdma or tcp");
        if (workload->by_tcp != run->by_tcp)
            complain(diag, workload,
                     "workloads over RDMA and over TCP in one run: ", workload->name,
                     "expected one transport for all workloads of the bridge");
        run->raw |= !workload->ops->needs_nvme_target;
        for (uint32_t p = 0; p < workload->pair_count && !diag_failed(diag); p++) {
            const struct scenario_pair *pair = &workload->pairs[p];
            const bool needed = run->options.role != LIVE_HOST || live_here(run, pair->from);
            if (effect_uses_tls(scenario, workload, pair))
                complain(diag, workload, "the bridge does not use TLS, but nvme.tcp-tls is set at ",
                         scenario->nodes[pair->from].name, "expected tcp-tls: false");
            if (needed && live_target_of(run, pair->to) == NULL)
                add_target(run, pair->to, workload, diag);
        }
    }
}

bool live_uses_tcp(const struct scenario *scenario)
{
    return scenario->workload_count > 0 && scenario->workloads[0].by_tcp;
}

void live_targets_find(struct live_run *run, struct diag *diag)
{
    run->by_tcp = live_uses_tcp(run->scenario);
    run->targets = memory_zeroed(run->scenario->host_count, sizeof *run->targets);
    if (run->scenario->workload_count == 0)
        complain(diag, NULL, "the bridge has nothing to run", "", "the scenario has no workload");
    find_targets(run, diag);
    if (!diag_failed(diag) && run->target_count == 0)
        complain(diag, NULL, "the bridge has nothing to run", "",
                 run->options.role == LIVE_TARGET
                     ? "expected --as with the target of a workload"
                     : "expected --as with a host that has a workload");
}

void live_print_listeners(const struct live_run *run, FILE *out)
{
    static const struct nic_addresses any = {.ip = {INADDR_ANY}, .count = 1};
    for (uint32_t i = 0; i < run->target_count; i++) {
        const struct live_target *target = &run->targets[i];
        char text[NIC_ADDRESSES_BYTES];
        nic_addresses_write(run->options.any ? &any : &target->nics, text);
        if (target->here)
            fprintf(out, "stormglass-bridge: %s listens on %s%s\n",
                    run->scenario->nodes[target->node].name, text,
                    run->options.any ? " (every address)" : "");
    }
}
