/* SPDX-License-Identifier: Apache-2.0
 * fuzz_mlnx_qos - any bytes as the output of mlnx_qos.
 * What is imported goes into a scenario that loads.
 * Reads: scenarios/import/mlnx_qos.c */
#include "base/check.h"
#include "scenarios/import/mlnx_qos.h"
#include "tests/unit/workload/piece.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct mlnx_qos_result result;
    diag = (struct diag){0};
    const char *text = size == 0 ? "" : (const char *)data;
    const bool fine = mlnx_qos_import("qos.txt", text, size, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.yaml != NULL));
    if (fine)
        piece_loads(result.yaml);
    mlnx_qos_free(&result);
    return 0;
}
