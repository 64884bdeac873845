/* SPDX-License-Identifier: Apache-2.0
 * fuzz_dot - any bytes as a graph in DOT.
 * What is imported is a scenario that loads, as soon as it has hosts for a workload. */
#include "base/check.h"
#include "scenarios/cabling_import.h"
#include "scenarios/dot.h"
#include "scenarios/scenario.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libcgraph keeps what it had read when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcgraph.so\nleak:libcdt.so\n";
}

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
    const struct cabling_input input = {.kind = "dot",
                                        .read = dot_read,
                                        .name = "in.dot",
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
