/* SPDX-License-Identifier: Apache-2.0
 * fuzz_htsim - any bytes as fat trees and connection matrices of htsim; a form feed parts them.
 * Reads: scenarios/import/htsim*.c scenarios/import/flows.c scenarios/import/cabling*.c */
#include "scenarios/import/htsim.h"
#include "tests/fuzz/token_mutator.h"
#include "tests/unit/workload/piece.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    piece_cables("htsim", htsim_read, data, size);
    return 0;
}
