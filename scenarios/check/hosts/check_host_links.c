/* SPDX-License-Identifier: Apache-2.0
 * check_host_links - a host that takes part has no link that carries nothing.
 * Workloads use the first RNIC of a host at both ends. */
#include "scenarios/check/check_rule.h"

static uint32_t links_of(const struct scenario_node *host)
{
    uint32_t links = 0;
    for (uint16_t p = 1; p < host->port_count; p++)
        links += host->ports[p].link != SCENARIO_NO_LINK;
    return links;
}

/* Of hosts that take part: the first that has such links, and how many have. */
struct idle_links {
    const struct scenario *scenario;
    uint8_t *seen; /* by host */
    const struct scenario_node *first;
    uint32_t hosts;
};

static void look_at(struct idle_links *idle, uint32_t node)
{
    const struct scenario_node *host = &idle->scenario->nodes[node];
    if (idle->seen[host->index] != 0)
        return;
    idle->seen[host->index] = 1;
    if (links_of(host) == 0)
        return;
    idle->first = idle->first == NULL ? host : idle->first;
    idle->hosts++;
}

static void tell(const struct idle_links *idle, struct check_report *report)
{
    char others[32] = "";
    if (idle->hosts > 1)
        snprintf(others, sizeof others, " (and %u more)", (unsigned)(idle->hosts - 1));
    const unsigned links = links_of(idle->first);
    check_add(report, DIAG_WARNING, idle->first->place,
              "%s%s: %u of its %u links carr%s nothing: workloads use the first link of a host, %s",
              idle->first->name, others, links, links + 1, links == 1 ? "ies" : "y",
              scenario_port_name(idle->first, 0).text);
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct idle_links idle = {.scenario = scenario};
    idle.seen = arena_array(&scratch, scenario->host_count, sizeof *idle.seen);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            look_at(&idle, scenario->workloads[w].pairs[i].from);
            look_at(&idle, scenario->workloads[w].pairs[i].to);
        }
    if (idle.first != NULL)
        tell(&idle, report);
    arena_free(&scratch);
}

const struct check_rule check_host_links = {
    .name = "host-links",
    .about = "Every link of a host that takes part is used.",
    .run = run,
    .by_run = true,
};
