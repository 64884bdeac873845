/* SPDX-License-Identifier: Apache-2.0
 * fuzz_hpcc - any bytes as topology, flow and config files of the HPCC simulator; a form feed parts
 * them.
 * Reads: scenarios/import/hpcc.c scenarios/import/flows.c scenarios/import/cabling*.c */
#include "scenarios/import/hpcc.h"
#include "tests/fuzz/token_mutator.h"
#include "tests/unit/workload/piece.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    piece_cables("hpcc", hpcc_read, data, size);
    return 0;
}
