/* SPDX-License-Identifier: Apache-2.0
 * fuzz_mlxconfig - any bytes as the output of mlxconfig query.
 * What is imported goes into a scenario that loads.
 * Reads: scenarios/import/mlxconfig.c */
#include "base/check.h"
#include "scenarios/import/mlxconfig.h"
#include "tests/unit/workload/piece.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct mlxconfig_result result;
    diag = (struct diag){0};
    const char *text = size == 0 ? "" : (const char *)data;
    const bool fine = mlxconfig_import("mlx.txt", text, size, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.yaml != NULL));
    if (fine)
        piece_loads(result.yaml);
    mlxconfig_free(&result);
    return 0;
}
