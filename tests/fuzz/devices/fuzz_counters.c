/* SPDX-License-Identifier: Apache-2.0
 * fuzz_counters - any bytes as counters before and after, cut at the first form feed.
 * What is read is JSON that can be read.
 * Reads: scenarios/counters/counts*.c scenarios/counters/format_*.c
 * Reads: scenarios/counters/names.c scenarios/counters/tables.c */
#include "base/check.h"
#include "scenarios/format/json_tree.h"
#include "scenarios/counters/counts.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_json(const char *text)
{
    static struct diag diag;
    struct arena arena = {0};
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&arena, "out.json", text, strlen(text));
    CHECK(json_tree(&arena, file, NULL, &diag) != NULL);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    const char *text = size == 0 ? "" : (const char *)data;
    const char *cut = memchr(text, '\f', size);
    const size_t first = cut == NULL ? size : (size_t)(cut - text);
    const struct counts_input before = {"before.txt", text, first};
    const struct counts_input after = {"after.txt", cut == NULL ? text : cut + 1,
                                         cut == NULL ? size : size - first - 1};
    struct counts_result result;
    diag = (struct diag){0};
    const bool fine = counts_import(&before, &after, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.json != NULL));
    if (fine)
        is_json(result.json);
    counts_free(&result);
    return 0;
}
