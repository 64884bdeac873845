/* SPDX-License-Identifier: Apache-2.0
 * play_ways - maps the NICs of a workload to devices and addresses.
 * A scenario's NIC is the address with the same number. If fewer addresses were given, they are
 * used in turn, and paths that become equal are merged. */
#include "bridge/play/play_private.h"

#include "base/check.h"
#include "scenarios/fabric/nics.h"

static struct verbs_device *device_of(const struct play *play, uint16_t nic)
{
    const struct places_nics *own = &play->options.address;
    return play_device_at(play, own->ip[nic % own->count]);
}

static uint32_t ip_of(const struct play *play, uint32_t node, uint16_t nic)
{
    const struct places_nics *nics = &play_target_of(play, node)->nics;
    return nics->ip[nic % nics->count];
}

static struct verbs_device *way(const struct workload_site *site, uint32_t queue, uint32_t *ip)
{
    const struct play *play = site->way_self;
    const struct scenario_workload *workload = &play->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    const struct nic_pair nics = nics_of(play->scenario, workload, pair, site->copy + queue);
    *ip = ip_of(play, pair->to, nics.to);
    return device_of(play, nics.from);
}

/* The scenario's paths, with each pair of addresses only once. */
static uint32_t paths_of(const struct play *play, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, struct nic_pair list[NICS_PATHS_MAX])
{
    const uint32_t local = play->options.address.count;
    const uint32_t far = play_target_of(play, pair->to)->nics.count;
    uint32_t all = nics_paths(play->scenario, workload, pair, list), count = 0;
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
    const struct play *play = site->way_self;
    const struct scenario_workload *workload = &play->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    struct nic_pair list[NICS_PATHS_MAX];
    CHECK(path < paths_of(play, workload, pair, list));
    *ip = ip_of(play, pair->to, list[path].to);
    *nic = list[path].from;
    return device_of(play, list[path].from);
}

uint32_t play_ways_paths(const struct play *play, uint32_t workload, uint32_t pair)
{
    const struct scenario_workload *about = &play->scenario->workloads[workload];
    struct nic_pair list[NICS_PATHS_MAX];
    return paths_of(play, about, &about->pairs[pair], list);
}

void play_ways_give(const struct play *play, struct workload_site *site)
{
    const struct scenario_workload *workload = &play->scenario->workloads[site->workload];
    uint32_t nic;
    site->way_self = play;
    site->way = way;
    site->device = way(site, 0, &site->target_ip);
    if (workload->paths == 0)
        return;
    site->paths = play_ways_paths(play, site->workload, site->instance);
    site->path = path_of;
    site->device = path_of(site, 0, &site->target_ip, &nic);
}
