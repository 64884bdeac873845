/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/workload/piece.h"

#include "base/check.h"
#include "scenarios/import/cabling_import.h"
#include "scenarios/load/load.h"

#include <stdlib.h>
#include <string.h>

static void text_loads(const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "x.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stderr);
    CHECK(scenario != NULL);
    scenario_free(scenario);
}

void piece_loads(const char *yaml)
{
    static const char head[] = "stormglass: 1\nname: x\nduration: 1ms\n"
                               "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n";
    char *text = malloc(strlen(head) + strlen(yaml) + 1);
    CHECK(text != NULL);
    strcpy(text, head);
    strcat(text, yaml);
    text_loads(text);
    free(text);
}

void piece_fabric_loads(const char *yaml)
{
    static const char head[] = "stormglass: 1\nname: x\nduration: 1ms\n"
                               "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n"
                               "fabric:\n  topology: {kind: single-switch, hosts: 2}\n";
    const char *rest = strstr(yaml, "fabric:\n");
    CHECK(rest != NULL);
    rest += strlen("fabric:\n");
    char *text = malloc(strlen(head) + strlen(rest) + 1);
    CHECK(text != NULL);
    strcpy(text, head);
    strcat(text, rest);
    text_loads(text);
    free(text);
}

static void scenario_loads(const char *text)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "out.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    CHECK(scenario != NULL || strstr(text, "\nworkloads:") == NULL);
    scenario_free(scenario);
}

enum { FILES_MAX = 3 };

/* Texts that a form feed parts; a NUL ends one, as it ends a file that is read as text. */
static size_t cut_files(char *text, const char *files[FILES_MAX])
{
    size_t count = 0;
    while (count < FILES_MAX) {
        files[count++] = text;
        char *end = strchr(text, '\f');
        if (end == NULL)
            break;
        *end = '\0';
        text = end + 1;
    }
    return count;
}

void piece_cables(const char *kind, cabling_reader *read, const uint8_t *data, size_t size)
{
    static struct diag diag;
    static const char *const names[] = {"b", "c"};
    const char *files[FILES_MAX] = {NULL};
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, size == 0 ? (const uint8_t *)"" : data, size);
    text[size] = '\0';
    const bool parted = strchr(text, '\f') != NULL;
    const size_t count = parted ? cut_files(text, files) : 1;
    const struct cabling_input input = {.kind = kind,
                                        .read = read,
                                        .name = "in",
                                        .text = text,
                                        .length = parted ? strlen(text) : size,
                                        .others = names,
                                        .other_texts = files + 1,
                                        .other_count = count - 1,
                                        .host_pattern = "h*"};
    struct cabling_result result;
    diag = (struct diag){0};
    const bool fine = cabling_import(&input, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.scenario != NULL) && fine == (result.notes != NULL));
    if (fine)
        scenario_loads(result.scenario);
    cabling_import_free(&result);
    free(text);
}
