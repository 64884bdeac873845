/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/data/subsystems.h"

#include "base/check.h"
#include "nvme/target/target.h"
#include "nvme/wire/discovery.h"

#include <string.h>

uint32_t scenario_namespace_count(const struct scenario_host *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        count += host->namespaces[i].count;
    return count;
}

const struct nvme_target_subsystem *scenario_subsystem_of(const struct scenario_host *target,
                                                          const char *name)
{
    for (uint32_t i = 0; i < target->subsystem_count; i++)
        if (name == NULL || strcmp(target->subsystems[i].nqn, name) == 0)
            return &target->subsystems[i];
    return NULL;
}

uint32_t scenario_namespaces_at(const struct scenario_host *target, const char *name)
{
    const struct nvme_target_subsystem *subsystem = scenario_subsystem_of(target, name);
    return subsystem != NULL ? subsystem->namespace_count : scenario_namespace_count(target);
}

uint32_t scenario_namespace_at(const struct scenario_host *target, const char *name, uint32_t nsid)
{
    const struct nvme_target_subsystem *subsystem = scenario_subsystem_of(target, name);
    return subsystem != NULL ? subsystem->namespaces[nsid - 1] : nsid - 1;
}

bool scenario_is_default_nqn(const char *nqn)
{
    return nqn == NULL || strcmp(nqn, NVME_SUBSYSTEM_NQN) == 0;
}

struct workload_names scenario_subsystem_names(const struct scenario *scenario,
                                               const struct scenario_workload *workload,
                                               const struct scenario_pair *pair)
{
    const struct scenario_node *to = &scenario->nodes[pair->to];
    const struct nvme_target_subsystem *subsystem =
        scenario_subsystem_of(to->host, workload->subsystem);
    const char *own = scenario_is_default_nqn(workload->subsystem) ? to->nqn : workload->subsystem;
    return (struct workload_names){
        .subsystem = subsystem == NULL ? own : subsystem->nqn,
        .host = scenario->nodes[pair->from].host->nqn,
        .target = pair->to,
        .namespaces = subsystem == NULL ? NULL : subsystem->namespaces,
        .namespace_count = subsystem == NULL ? 0 : subsystem->namespace_count,
    };
}

/* ---- ANA states of ports ---- */

#define ANA_WORDS(X)                                                                               \
    X(OPTIMIZED, "optimized")                                                                      \
    X(NON_OPTIMIZED, "non-optimized")                                                              \
    X(INACCESSIBLE, "inaccessible")                                                                \
    X(PERSISTENT_LOSS, "persistent-loss")                                                          \
    X(CHANGE, "change")

#define FIELD(name) offsetof(struct scenario_ana, name)

const struct opt scenario_ana_opts[] = {
    {"port", OPT_INT, FIELD(port), "all", "0", "7", "all",
     "Port of the target, counted from 0 in the order of its NICs; all: every port.", "own",
     OPT_ACTS(PATHS, ANY, TRACE)},
    {"group", OPT_INT, FIELD(group), "all", "1", "128", "all",
     "Number of the ANA group; all: every group.", "NVMe base 1.4, 8.20; limit: nvmet, Linux 6.1",
     OPT_ACTS(PATHS, ANY, TRACE)},
    {"state", OPT_CHOICE, FIELD(state), "optimized", NULL, NULL, OPT_WORDS(ANA_WORDS),
     "ANA state that the target reports for the group at the port.", "NVMe base 1.4, 8.20",
     OPT_ACTS(PATHS, ANY, TRACE)},
    {0}};

uint32_t scenario_ana_state(int64_t choice)
{
    static const uint32_t states[] = {
#define X(name, word) NVME_ANA_##name,
        ANA_WORDS(X)
#undef X
    };
    CHECK(choice >= 0 && (size_t)choice < sizeof states / sizeof states[0]);
    return states[choice];
}

/* A port that the target does not have, as with the bridge, gets no state. */
void scenario_set_ana(const struct scenario_host *host, struct nvme_target *target)
{
    for (uint32_t i = 0; i < host->ana_count; i++) {
        const struct scenario_ana *ana = &host->ana[i];
        if (ana->port < (int64_t)nvme_target_ports(target))
            nvme_target_set_ana(target, ana->port < 0 ? NVME_TARGET_ALL : (uint32_t)ana->port,
                                ana->group < 0 ? NVME_TARGET_ALL : (uint32_t)ana->group,
                                (enum nvme_ana_state)scenario_ana_state(ana->state));
    }
}
