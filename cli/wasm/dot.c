/* SPDX-License-Identifier: Apache-2.0
 * dot - stub without import of cablings, because Debian has no libcgraph package for
 * WebAssembly. */
#include "scenarios/import/dot.h"

bool dot_read(struct cabling *cabling)
{
    diag_add(cabling->diag, DIAG_ERROR, (struct diag_place){.file = cabling->file->name}, NULL,
             "this build cannot read DOT graphs");
    return false;
}
