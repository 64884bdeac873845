/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sizes - any bytes as a distribution of message sizes: what is drawn lies in its bounds.
 * Reads: scenarios/workload/wl_sizes.c */
#include "base/check.h"
#include "scenarios/workload/wl_sizes.h"
#include "tests/fuzz/token_mutator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct arena arena = {0};
    char *text = calloc(1, size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&arena, "s", text, size);
    const struct wl_sizes *sizes = wl_sizes_read(&arena, file, &diag);
    CHECK((sizes != NULL) == !diag_failed(&diag));
    struct rng rng = rng_stream(1, "fuzz", "sizes");
    for (int i = 0; sizes != NULL && i < 100; i++) {
        const int64_t bytes = wl_sizes_draw(sizes, &rng);
        CHECK(bytes >= 1 && bytes <= wl_sizes_largest(sizes));
        CHECK(wl_sizes_mean(sizes) <= wl_sizes_largest(sizes));
    }
    arena_free(&arena);
    free(text);
    return 0;
}
