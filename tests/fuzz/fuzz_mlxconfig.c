/* SPDX-License-Identifier: Apache-2.0
 * fuzz_mlxconfig - any bytes as the output of mlxconfig query.
 * What is imported goes into a scenario that loads. */
#include "base/check.h"
#include "scenarios/mlxconfig.h"
#include "scenarios/scenario.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void loads(const char *yaml)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct mlxconfig_result result;
    diag = (struct diag){0};
    const char *text = size == 0 ? "" : (const char *)data;
    const bool fine = mlxconfig_import("mlx.txt", text, size, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.yaml != NULL));
    if (fine)
        loads(result.yaml);
    mlxconfig_free(&result);
    return 0;
}
