/* SPDX-License-Identifier: Apache-2.0
 * live_nics - maps the NICs of a workload to devices and addresses.
 * A scenario's NIC is the address with the same number. If fewer addresses were given, they are
 * used in turn, and paths that become equal are merged. */
#include "bridge/run/live_private.h"

#include "base/check.h"
#include "scenarios/fabric/nics.h"

static struct verbs_device *device_of(const struct live_run *run, uint16_t nic)
{
    const struct nic_addresses *own = &run->options.address;
    return live_device_at(run, own->ip[nic % own->count]);
}

static uint32_t ip_of(const struct live_run *run, uint32_t node, uint16_t nic)
{
    const struct nic_addresses *nics = &live_target_of(run, node)->nics;
    return nics->ip[nic % nics->count];
}

static struct verbs_device *way(const struct workload_site *site, uint32_t queue, uint32_t *ip)
{
    const struct live_run *run = site->way_self;
    const struct scenario_workload *workload = &run->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    const struct nic_pair nics = nics_of(run->scenario, workload, pair, site->copy + queue);
    *ip = ip_of(run, pair->to, nics.to);
    return device_of(run, nics.from);
}

/* The scenario's paths, with each pair of addresses only once. */
static uint32_t paths_of(const struct live_run *run, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, struct nic_pair list[NICS_PATHS_MAX])
{
    const uint32_t local = run->options.address.count;
    const uint32_t far = live_target_of(run, pair->to)->nics.count;
    uint32_t all = nics_paths(run->scenario, workload, pair, list), count = 0;
    bool seen[NICS_MAX][NICS_MAX] = {{false}};
    all = all < workload->paths ? all : workload->paths;
    for (uint32_t i = 0; i < all; i++) {
        bool *known = &seen[list[i].from % local][list[i].to % far];
        if (!*known)
            list[count++] = list[i];
        *known = true;
    }
    return count;
}

static struct verbs_device *path_of(const struct workload_site *site, uint32_t path, uint32_t *ip,
                                    uint32_t *nic)
{
    const struct live_run *run = site->way_self;
    const struct scenario_workload *workload = &run->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    struct nic_pair list[NICS_PATHS_MAX];
    CHECK(path < paths_of(run, workload, pair, list));
    *ip = ip_of(run, pair->to, list[path].to);
    *nic = list[path].from;
    return device_of(run, list[path].from);
}

uint32_t live_nics_paths(const struct live_run *run, uint32_t workload, uint32_t pair)
{
    const struct scenario_workload *about = &run->scenario->workloads[workload];
    struct nic_pair list[NICS_PATHS_MAX];
    return paths_of(run, about, &about->pairs[pair], list);
}

void live_nics_give(const struct live_run *run, struct workload_site *site)
{
    const struct scenario_workload *workload = &run->scenario->workloads[site->workload];
    uint32_t nic;
    site->way_self = run;
    site->way = way;
    site->device = way(site, 0, &site->target_ip);
    if (workload->paths == 0)
        return;
    site->paths = live_nics_paths(run, site->workload, site->instance);
    site->path = path_of;
    site->device = path_of(site, 0, &site->target_ip, &nic);
}
