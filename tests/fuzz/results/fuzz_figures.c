/* SPDX-License-Identifier: Apache-2.0
 * fuzz_figures - any bytes as a file of figures: read or refused.  What is read is summed up.
 * Reads: replay/calibrate/measurements.c scenarios/format/json_tree.c */
#include "replay/calibrate/measurements.h"
#include "tests/fuzz/token_mutator.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        abort();
    struct measurements *figures = measurements_parse("fuzz.json", (const char *)data, size, diag);
    if ((figures == NULL) != diag_failed(diag))
        abort();
    for (uint32_t i = 0; figures != NULL && i < BENCHMARK_COUNT; i++)
        for (int f = 0; figures->benchmarks[i].repeats > 0 && f < BENCHMARK_FIGURE_COUNT; f++) {
            const struct measurements_middle middle =
                measurements_middle(figures, i, (enum benchmark_figure)f);
            if (middle.time < 1 || middle.time > MEASUREMENTS_PS_MAX || !(middle.spread >= 0))
                abort();
        }
    measurements_free(figures);
    free(diag);
    return 0;
}
