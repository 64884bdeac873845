/* SPDX-License-Identifier: Apache-2.0
 * check_machines - hosts of one machine share its processor, so their costs must be equal. */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"

#include <string.h>

static bool is_of_machine(const struct scenario_node *node, const char *machine)
{
    return node->host->machine != NULL && strcmp(node->host->machine, machine) == 0;
}

/* The shared processor has the costs of the machine's first host. */
static void check_machine(const struct scenario *scenario, const struct scenario_node *node,
                          struct check_report *report)
{
    const struct scenario_node *first = scenario->nodes;
    if (node->host->machine == NULL)
        return;
    while (!is_of_machine(first, node->host->machine))
        first++;
    const struct soft_params *costs = &node->host->rnic->soft, *held = &first->host->rnic->soft;
    if (memcmp(costs, held, sizeof *costs) != 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s and %s share machine %s but differ in CPU costs: the costs of %s are used",
                  first->name, node->name, node->host->machine, first->name);
}

static void find_machines(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_machine(scenario, &scenario->nodes[i], report);
}

const struct check_rule check_machines = {
    .name = "machines",
    .about = "Hosts of one machine have the same costs.",
    .run = find_machines,
};
