/* SPDX-License-Identifier: Apache-2.0
 * check_protection - parameters of protection information have an effect and agree between
 * hosts. */
#include "scenarios/check/check_rule.h"

#include "nvme/host/host.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

static bool is_protected(const struct scenario_host *target)
{
    bool any = false;
    for (uint32_t i = 0; i < target->namespace_count; i++)
        any |= target->namespaces[i].params->pi_type > 0;
    return any;
}

/* The first parameter that differs from its default; NULL: none. */
static const char *written(const struct nvme_host_params *params)
{
    return params->pi_act != 0                            ? "pi-act"
           : params->pi_chk != NVME_HOST_CHECKS_REFERENCE ? "pi-chk"
           : params->app_tag != 0                         ? "app-tag"
                                                          : NULL;
}

/* Use of targets by a host: any at all, whether some namespace has protection, and the last target
 * with such a namespace. */
struct uses {
    bool any, protected;
    uint32_t target;
};

static void add_uses(const struct scenario *scenario, const struct scenario_workload *workload,
                     struct uses *all)
{
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        struct uses *uses = &all[pair->from];
        uses->any = true;
        if (!is_protected(scenario->nodes[pair->to].host))
            continue;
        uses->protected = true;
        uses->target = pair->to;
    }
}

static void check_host(const struct scenario *scenario, uint32_t index, const struct uses *uses,
                       struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[index];
    const struct nvme_host_params *params = &node->host->nvme_host->core;
    const char *row = written(params);
    const struct check_thing idle = check_of_initiator(node, row == NULL ? "pi-chk" : row);
    if (uses->any && !uses->protected && row != NULL) {
        check_alike(report, DIAG_WARNING, &idle,
                    "nvme.%s has no effect: no namespace that it uses has protection information",
                    row);
        check_remedy(report, "set namespaces[].pi-type");
    } else if (uses->protected && params->pi_chk == NVME_HOST_CHECKS_NOTHING) {
        check_alike(report, DIAG_WARNING, &idle,
                    "nvme.pi-chk is none: protection information of %s is stored but never checked",
                    scenario->nodes[uses->target].name);
        check_remedy(report, "set nvme.pi-chk to guard+ref");
        check_set_row(report, idle.values, "pi-chk", "guard+ref");
    }
}

/* Reports hosts that check the application tag of blocks written by a host with another tag. */
static void check_tags(const struct scenario *scenario, uint32_t index, const struct uses *all,
                       struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[index];
    const struct nvme_host_params *params = &node->host->nvme_host->core;
    const struct check_thing thing = check_of_initiator(node, "app-tag");
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const int64_t other = scenario->nodes[i].host->nvme_host->core.app_tag;
        if (!all[i].protected || all[i].target != all[index].target || other == params->app_tag)
            continue;
        check_alike(report, DIAG_WARNING, &thing,
                    "checks for application tag %lld, but %s writes at %s with %lld: blocks of "
                    "both hosts get Application Tag Check Error (283h)",
                    (long long)params->app_tag, scenario->nodes[i].name,
                    scenario->nodes[all[i].target].name, (long long)other);
        check_remedy(report, "use the same nvme.app-tag for both, or set nvme.pi-chk to guard+ref");
        return;
    }
}

static void find_protection(const struct scenario *scenario, struct check_report *report)
{
    struct arena arena = {0};
    struct uses *all = arena_array(&arena, scenario->host_count, sizeof *all);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workloads[w].ops->needs_nvme_target)
            add_uses(scenario, &scenario->workloads[w], all);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_host(scenario, i, &all[i], report);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (all[i].protected &&
            scenario->nodes[i].host->nvme_host->core.pi_chk == NVME_HOST_CHECKS_ALL)
            check_tags(scenario, i, all, report);
    arena_free(&arena);
}

const struct check_rule check_protection = {
    .name = "protection",
    .about = "Protection information that hosts use exists, is checked, and has the same tags.",
    .run = find_protection,
};
