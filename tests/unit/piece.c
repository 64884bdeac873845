/* SPDX-License-Identifier: Apache-2.0 */
#include "piece.h"

#include "base/check.h"
#include "scenarios/scenario.h"

#include <stdlib.h>
#include <string.h>

void piece_loads(const char *yaml)
{
    static const char head[] = "stormglass: 1\nname: x\nduration: 1ms\n"
                               "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n";
    static struct diag diag;
    const size_t length = strlen(head) + strlen(yaml);
    char *text = malloc(length + 1);
    CHECK(text != NULL);
    strcpy(text, head);
    strcat(text, yaml);
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "x.yaml", .text = text, .length = length};
    struct scenario *scenario = scenario_load(&input, &diag);
    CHECK(scenario != NULL);
    scenario_free(scenario);
    free(text);
}
