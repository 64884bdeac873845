/* SPDX-License-Identifier: Apache-2.0
 * check_homing - several NICs of a host are redundant only if they are connected to different
 * switches. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"

/* Number of the host's NICs with a link. Out: the node that all of them connect to; UINT32_MAX:
 * several. */
static unsigned cabled(const struct scenario_node *host, uint32_t *to)
{
    unsigned links = 0;
    *to = UINT32_MAX;
    for (uint16_t p = 0; p < host->outer_ports; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        if (links > 0 && *to != host->ports[p].peer_node)
            *to = UINT32_MAX;
        else
            *to = host->ports[p].peer_node;
        links++;
        if (*to == UINT32_MAX)
            break;
    }
    return links;
}

static void find_homing(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        uint32_t to;
        const unsigned links = cabled(&scenario->nodes[i], &to);
        if (links < 2 || to == UINT32_MAX)
            continue;
        const struct check_thing thing = {&scenario->nodes[i], SCENARIO_ALL_PORTS, NULL, NULL};
        if (scenario->nodes[i].is_aggregate) {
            check_alike(report, DIAG_NOTE, &thing,
                        "%u %s of a link aggregation group, all connected to one switch: the "
                        "group survives the loss of a cable, but not of the switch",
                        links, plural(links, "member", "members"));
            check_remedy(report, "set homing: dual, or connect the links to different switches");
            continue;
        }
        check_alike(report, DIAG_NOTE, &thing,
                    "%u %s, all connected to one switch: more bandwidth, but no redundancy", links,
                    plural(links, "NIC", "NICs"));
        check_remedy(report,
                     "set homing: dual or fabrics, or connect the links to different switches");
    }
}

const struct check_rule check_homing = {
    .name = "homing",
    .about = "The NICs of a host are connected to different switches.",
    .run = find_homing,
};
