/* SPDX-License-Identifier: Apache-2.0
 * fuzz_mlnx_qos - any bytes as the output of mlnx_qos.
 * What is imported goes into a scenario that loads.
 * Reads: scenarios/device/mlnx_qos.c */
#include "base/check.h"
#include "scenarios/device/device.h"
#include "tests/unit/workload/piece.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct device_result result;
    diag = (struct diag){0};
    const char *text = size == 0 ? "" : (const char *)data;
    const bool fine = device_import(device_mlnx_qos, "qos.txt", text, size, &result, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(fine == (result.yaml != NULL));
    if (fine)
        piece_loads(result.yaml);
    device_free(&result);
    return 0;
}
