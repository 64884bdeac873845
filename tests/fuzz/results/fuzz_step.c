/* SPDX-License-Identifier: Apache-2.0
 * fuzz_step - any bytes as commands of `stormglass step`, line by line: each is taken with all that
 * it names inside the scenario, or refused at a column of the line.
 * Reads: replay/step/step_command.c replay/step/step_condition.c */
#include "replay/step/step_command.h"

#include "scenarios/load/load.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
    "stormglass: 1\nname: f\nduration: 1ms\n"
    "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}\n"
    "workloads: [{name: raw, kind: rdma-write, from: host0, to: host1, message-size: 4KiB}]\n";

static const struct scenario *scenario_of(void)
{
    static struct scenario *scenario;
    if (scenario != NULL)
        return scenario;
    struct diag *diag = calloc(1, sizeof *diag);
    const struct scenario_input input = {.name = "f", .text = text, .length = sizeof text - 1};
    if (diag == NULL)
        abort();
    scenario = scenario_load(&input, diag);
    if (scenario == NULL)
        abort();
    free(diag);
    return scenario;
}

static void look_at_subject(const struct scenario *scenario, const struct step_subject *subject)
{
    if (subject->workload != STEP_ANY && subject->workload >= scenario->workload_count)
        abort();
    if (subject->node != STEP_ANY && subject->node >= scenario->node_count)
        abort();
    if (subject->port != SCENARIO_ALL_PORTS &&
        subject->port >= scenario->nodes[subject->node].port_count)
        abort();
    if (subject->priority != STEP_ANY_PRIORITY && subject->priority >= PRIORITIES)
        abort();
}

static void parse(const char *line)
{
    const struct scenario *scenario = scenario_of();
    struct step_command command;
    struct step_wrong wrong;
    if (step_command_parse(line, scenario, &command, &wrong)) {
        if (command.verb >= STEP_VERB_COUNT || command.condition.quantity >= STEP_QUANTITY_COUNT)
            abort();
        look_at_subject(scenario, &command.subject);
        look_at_subject(scenario, &command.condition.subject);
        return;
    }
    const char first = line[strspn(line, " \t\r\n")];
    const bool is_blank = first == '\0' || first == '#';
    if (wrong.column == 0 ? !is_blank : wrong.column > (int)strlen(line) + 1 || !*wrong.text)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[STEP_LINE_BYTES];
    size_t used = 0;
    for (size_t i = 0; i <= size; i++) {
        const char c = i < size ? (char)data[i] : '\n';
        if (c != '\n' && c != '\0' && used < sizeof line - 1) {
            line[used++] = c;
            continue;
        }
        line[used] = '\0';
        parse(line);
        used = 0;
    }
    return 0;
}
