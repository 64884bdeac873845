/* SPDX-License-Identifier: Apache-2.0
 * fuzz_dot - any bytes as a graph in DOT, imported, and named by a scenario.
 * Reads: scenarios/import/dot.c scenarios/import/dot_scan.c */
#include "base/check.h"
#include "scenarios/import/dot.h"
#include "scenarios/load/load.h"
#include "tests/unit/workload/piece.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libcgraph keeps what it had read when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcgraph.so\nleak:libcdt.so\n";
}

static void named_by_a_scenario(const char *graph, size_t length)
{
    static const char text[] = "stormglass: 1\nname: x\nduration: 1ms\n"
                               "fabric: {topology: {kind: dot, file: g.dot, hosts: h*}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: h1, to: h2}]\n";
    static struct diag diag;
    const struct scenario_source file = {.name = "g.dot", .text = graph, .length = length};
    const struct scenario_input input = {
        .name = "x.yaml", .text = text, .length = strlen(text), .files = &file, .file_count = 1};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    CHECK((scenario != NULL) == !diag_failed(&diag));
    scenario_free(scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    piece_cables("dot", dot_read, data, size);
    named_by_a_scenario(text, size);
    free(text);
    return 0;
}
