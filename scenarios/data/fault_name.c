/* SPDX-License-Identifier: Apache-2.0
 * fault_name - name of a fault in messages: its kind, its place, and its beginning if there are
 * several faults. */
#include "scenarios/data/fault.h"

#include "base/quantity.h"
#include "scenarios/data/scenario.h"

#include <stdio.h>
#include <string.h>

/* The link whose ends are the two spots; NULL: none. */
static const struct scenario_link *link_of(const struct scenario *scenario,
                                           const struct scenario_spot *spots)
{
    if (spots[0].port == SCENARIO_ALL_PORTS || spots[1].port == SCENARIO_ALL_PORTS)
        return NULL;
    const struct scenario_port *ends[2];
    for (int i = 0; i < 2; i++)
        ends[i] = &scenario->nodes[spots[i].node].ports[spots[i].port];
    if (ends[0]->link == SCENARIO_NO_LINK || ends[0]->link != ends[1]->link ||
        ends[0]->end == ends[1]->end)
        return NULL;
    return &scenario->links[ends[0]->link];
}

static struct scenario_port_text place_of(const struct scenario *scenario,
                                          const struct scenario_fault *fault)
{
    struct scenario_port_text place;
    const struct scenario_node *node = &scenario->nodes[fault->spots[0].node];
    const struct scenario_link *link =
        fault->spot_count == 2 ? link_of(scenario, fault->spots) : NULL;
    if (link != NULL)
        snprintf(place.text, sizeof place.text, "%s", link->name);
    else if (fault->spots[0].port == SCENARIO_ALL_PORTS)
        snprintf(place.text, sizeof place.text, "%s", node->name);
    else
        place = scenario_port_name(node, fault->spots[0].port);
    if (link == NULL && fault->spot_count > 1)
        snprintf(place.text + strlen(place.text), sizeof place.text - strlen(place.text),
                 " and %u more", fault->spot_count - 1);
    return place;
}

struct fault_name fault_name(const struct scenario *scenario, uint32_t index)
{
    const struct scenario_fault *fault = &scenario->faults[index];
    struct fault_name name;
    char from[QUANTITY_TEXT_BYTES] = "";
    if (scenario->fault_count > 1)
        quantity_format(QUANTITY_TIME, fault->at, from, sizeof from);
    snprintf(name.text, sizeof name.text, "%s%s%s%s%s", fault->ops->name,
             fault->spot_count > 0 ? " at " : "",
             fault->spot_count > 0 ? place_of(scenario, fault).text : "",
             *from == '\0' ? "" : " from ", from);
    return name;
}
