/* SPDX-License-Identifier: Apache-2.0
 * fuzz_scenario - any bytes as a scenario: loaded or refused, never anything else.
 * A scenario that loads is checked and its settings are walked, so that what the loader let through
 * is used too. Sizes are what costs time, so scenarios of more than a few thousand nodes are not
 * checked.
 * Reads: scenarios/format/tree*.c scenarios/load/scenario*.c scenarios/fabric/topology*.c */
#include "scenarios/check/check.h"
#include "scenarios/load/load.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_text(void *self, const struct scenario_setting_text *setting)
{
    *(size_t *)self += strlen(setting->path) + strlen(setting->value) + strlen(setting->where);
}

static void use(const struct scenario *scenario)
{
    size_t letters = 0;
    scenario_settings(scenario, count_text, &letters);
    if (scenario->node_count > 3000)
        return;
    struct check_report report;
    check_scenario(scenario, &report);
    check_free(&report);
}

/* The last line, when it begins with "--set ", is one. */
static const char *split_set(char *text, size_t *length)
{
    char *line = strrchr(text, '\n');
    if (line == NULL || strncmp(line + 1, "--set ", 6) != 0)
        return NULL;
    *line = '\0';
    *length = (size_t)(line - text);
    return line + 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fio[] = "[job]\nrw=randread\nbs=4k\niodepth=4\n";
    static const char other[] =
        "stormglass: 1\nname: other\nfabric: {topology: {kind: single-switch, hosts: 3}}\n"
        "workloads: [{name: io, kind: rdma-write, from: host1, to: host2}]\n";
    static const struct scenario_source files[] = {{"job.fio", fio, sizeof fio - 1},
                                                   {"other.yaml", other, sizeof other - 1}};
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    size_t length = size;
    const char *const sets[] = {split_set(text, &length)};
    const struct scenario_input input = {.name = "fuzz.yaml",
                                         .text = text,
                                         .length = length,
                                         .files = files,
                                         .file_count = sizeof files / sizeof files[0],
                                         .sets = sets,
                                         .set_count = sets[0] == NULL ? 0 : 1};
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        abort();
    struct scenario *scenario = scenario_load(&input, diag);
    if ((scenario == NULL) != diag_failed(diag))
        abort();
    if (scenario != NULL)
        use(scenario);
    scenario_free(scenario);
    free(diag);
    free(text);
    return 0;
}
