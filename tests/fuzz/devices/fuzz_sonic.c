/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sonic - any bytes as the config_db.json of two switches, cut at the first NUL byte.
 * What is imported is a scenario whose YAML can be read, whatever its names and values are.
 * Reads: scenarios/sonic/sonic*.c scenarios/format/json_tree.c */
#include "base/check.h"
#include "scenarios/format/tree.h"
#include "scenarios/sonic/sonic.h"
#include "tests/fuzz/token_mutator.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_yaml(const char *text)
{
    static struct diag diag;
    struct arena arena = {0};
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&arena, "out.yaml", text, strlen(text));
    CHECK(tree_parse(&arena, file, 0, &diag) != NULL);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    const char *text = (const char *)data;
    const char *cut = size == 0 ? NULL : memchr(data, '\0', size);
    const size_t first = cut == NULL ? size : (size_t)(cut - text);
    const struct sonic_input inputs[2] = {
        {"a.json", size == 0 ? "" : text, first},
        {"b.json", cut == NULL ? NULL : cut + 1, cut == NULL ? 0 : size - first - 1},
    };
    struct sonic_result result;
    diag = (struct diag){0};
    const struct sonic_ask ask = {
        .inputs = inputs, .count = cut == NULL ? 1 : 2, .verbose = size % 2 == 0};
    const bool fine = sonic_import(&ask, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.scenario != NULL) && fine == (result.notes != NULL));
    if (fine)
        is_yaml(result.scenario);
    sonic_free(&result);
    return 0;
}
