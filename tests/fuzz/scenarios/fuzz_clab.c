/* SPDX-License-Identifier: Apache-2.0
 * fuzz_clab - any bytes as a laboratory of containerlab.
 * Reads: scenarios/import/clab.c scenarios/import/cabling*.c */
#include "scenarios/import/clab.h"
#include "tests/fuzz/token_mutator.h"
#include "tests/unit/workload/piece.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    piece_cables("clab", clab_read, data, size);
    return 0;
}
