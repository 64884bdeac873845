/* SPDX-License-Identifier: Apache-2.0
 * check_host_links - every link of a participating host carries traffic.
 * Each link is a NIC. Workloads use the first NICs, as many as the topology's `nics`, or those
 * given by their `nic` and `peer-nic`. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "scenarios/fabric/nics.h"

static uint32_t links_of(const struct scenario_node *host)
{
    uint32_t links = 0;
    for (uint16_t p = 0; p < host->outer_ports; p++)
        links += host->ports[p].link != SCENARIO_NO_LINK;
    return links;
}

static uint32_t idle_of(const struct scenario_node *host, uint8_t used)
{
    uint32_t idle = 0;
    for (uint16_t p = 0; p < host->outer_ports; p++)
        idle += host->ports[p].link != SCENARIO_NO_LINK && !(used >> p & 1);
    return idle;
}

static struct scenario_port_text first_idle(const struct scenario_node *host, uint8_t used)
{
    uint16_t port = 0;
    while (host->ports[port].link == SCENARIO_NO_LINK || (used >> port & 1) != 0)
        port++;
    return scenario_port_name(host, port);
}

/* Idle links of participating hosts: the first host that has any, and the number of such hosts. */
struct idle_links {
    const struct scenario *scenario;
    uint8_t *used; /* by host: mask of the NICs in use; 0: the host takes no part */
    const struct scenario_node *first;
    uint32_t hosts;
};

static void count_idle_links(struct idle_links *idle, uint32_t node)
{
    const struct scenario_node *host = &idle->scenario->nodes[node];
    const uint8_t used = idle->used[host->index];
    if (used == 0 || idle_of(host, used) == 0)
        return;
    idle->first = idle->first == NULL ? host : idle->first;
    idle->hosts++;
}

/* A workload of the host is bound to one of its NICs. */
static bool is_bound(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct scenario_node *host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if ((workload->nic >= 0 && &scenario->nodes[workload->pairs[i].from] == host) ||
            (workload->peer_nic >= 0 && &scenario->nodes[workload->pairs[i].to] == host))
            return true;
    return false;
}

static const struct scenario_workload *first_bound(const struct scenario *scenario,
                                                   const struct scenario_node *host)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (is_bound(scenario, &scenario->workloads[w], host))
            return &scenario->workloads[w];
    return NULL;
}

/* The remedy releases all workloads of the host. */
static void report_bound(const struct scenario *scenario, const struct scenario_node *host,
                         struct check_report *report)
{
    check_remedy(report, "remove nic and peer-nic of the workloads");
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        if (!is_bound(scenario, workload, host))
            continue;
        if (workload->nic >= 0)
            check_set_path(report, "workloads.%s.nic=auto", workload->entry);
        if (workload->peer_nic >= 0)
            check_set_path(report, "workloads.%s.peer-nic=auto", workload->entry);
    }
}

static void report_idle_links(const struct idle_links *idle, struct check_report *report)
{
    char others[32] = "";
    if (idle->hosts > 1)
        snprintf(others, sizeof others, " (and %u more)", (unsigned)(idle->hosts - 1));
    const struct scenario_node *host = idle->first;
    const uint8_t used = idle->used[host->index];
    const unsigned links = idle_of(host, used), all = links_of(host);
    const struct scenario_workload *bound = first_bound(idle->scenario, host);
    if (bound != NULL && idle->scenario->nics > 1) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s%s: %u of its %u %s carr%s no traffic (%s): " SCENARIO_WORKLOAD_WORDS
                  " uses only one NIC (its keys nic and peer-nic)",
                  host->name, others, links, all, plural(all, "link", "links"),
                  plural(links, "ies", "y"), first_idle(host, used).text, bound->name);
        report_bound(idle->scenario, host, report);
        return;
    }
    if (used == 1 && idle->scenario->nics == 1)
        check_add(
            report, DIAG_WARNING, host->place,
            "%s%s: %u of its %u %s carr%s no traffic: workloads use the first link of a host, %s",
            host->name, others, links, all, plural(all, "link", "links"), plural(links, "ies", "y"),
            scenario_port_name(host, 0).text);
    else
        check_add(report, DIAG_WARNING, host->place,
                  "%s%s: %u of its %u %s carr%s no traffic (%s): the workloads have too few queue "
                  "pairs to use all links",
                  host->name, others, links, all, plural(all, "link", "links"),
                  plural(links, "ies", "y"), first_idle(host, used).text);
    check_remedy(report, "%s",
                 idle->scenario->nics == 1
                     ? "set nics in the topology, or nic and peer-nic of workloads"
                     : "use more queue pairs or more host-target pairs");
}

static void use(struct idle_links *idle, const struct scenario_workload *workload,
                const struct scenario_pair *pair)
{
    struct nic_pair nics[NICS_MAX];
    const uint32_t count = nics_used(idle->scenario, workload, pair, nics);
    for (uint32_t n = 0; n < count; n++) {
        idle->used[pair->from] |= (uint8_t)(1u << nics[n].from);
        idle->used[pair->to] |= (uint8_t)(1u << nics[n].to);
    }
}

static void find_host_links(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct idle_links idle = {.scenario = scenario};
    idle.used = arena_array(&scratch, scenario->host_count, sizeof *idle.used);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++)
            use(&idle, &scenario->workloads[w], &scenario->workloads[w].pairs[i]);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        count_idle_links(&idle, i);
    if (idle.first != NULL)
        report_idle_links(&idle, report);
    arena_free(&scratch);
}

const struct check_rule check_host_links = {
    .name = "host-links",
    .about = "Every link of a host that sends or receives data is used.",
    .run = find_host_links,
    .by_run = true,
};
