/* SPDX-License-Identifier: Apache-2.0
 * fuzz_grid - any bytes as a grid: loaded or refused, and what is loaded is whole.
 * Reads: scenarios/vary/grid.c scenarios/vary/grid_axis.c */
#include "scenarios/vary/grid.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every cell has a name that is fit for a file, and settings that are path=value. */
static void use(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->cell_count; i++) {
        const struct grid_cell *cell = &grid->cells[i];
        if (cell->name[0] == '\0' || strchr(cell->name, '/') != NULL)
            abort();
        for (uint32_t k = 0; k < cell->set_count; k++)
            if (strchr(cell->sets[k], '=') == NULL || strpbrk(cell->sets[k], " $`'\"\n") != NULL)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        abort();
    struct grid *grid = grid_load("fuzz.yaml", (const char *)data, size, diag);
    if ((grid == NULL) != diag_failed(diag))
        abort();
    if (grid != NULL)
        use(grid);
    grid_free(grid);
    free(diag);
    return 0;
}
