/* SPDX-License-Identifier: Apache-2.0
 * fuzz_clab - any bytes as a laboratory of containerlab.
 * What is imported is a scenario that loads, as soon as it has hosts for a workload. */
#include "base/check.h"
#include "scenarios/cabling_import.h"
#include "scenarios/clab.h"
#include "scenarios/scenario.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void loads(const char *text)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "out.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    CHECK(scenario != NULL || strstr(text, "\nworkloads:") == NULL);
    scenario_free(scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    const struct cabling_input input = {.kind = "clab",
                                        .read = clab_read,
                                        .name = "in.clab",
                                        .text = size == 0 ? "" : (const char *)data,
                                        .length = size,
                                        .host_pattern = "h*"};
    struct cabling_result result;
    diag = (struct diag){0};
    const bool fine = cabling_import(&input, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.scenario != NULL) && fine == (result.notes != NULL));
    if (fine)
        loads(result.scenario);
    cabling_import_free(&result);
    return 0;
}
