/* SPDX-License-Identifier: Apache-2.0
 * plan_picture - draws the chosen candidate. */
#include "cli/run/plan_picture.h"

#include "base/memory.h"
#include "replay/record/record_begin.h"
#include "reports/draw/draw.h"
#include "scenarios/embedded.h"
#include "scenarios/load/library.h"

#include <stdlib.h>

/* A database without a run: the fabric alone. */
static struct store *fabric_store(const struct scenario *scenario)
{
    char error[STORE_ERROR_BYTES];
    const struct record_options with = {
        .until = TIME_NEVER, .threads = 1, .version = stormglass_version};
    struct record_fabric fabric;
    record_fabric_init(&fabric, scenario);
    struct store *store = record_begin(&with, &fabric, error);
    record_fabric_free(&fabric);
    return store;
}

static char *store_picture(struct store *store)
{
    char *svg = NULL, why[DRAW_WHY_BYTES] = "";
    size_t length = 0;
    FILE *memory = memory_stream(&svg, &length);
    const bool drawn = draw_fabric.draw(store, "svg", memory, why);
    memory_stream_end(memory);
    if (drawn)
        return svg;
    free(svg);
    return NULL;
}

char *plan_picture(const struct plan_state *state)
{
    if (state->chosen < 0)
        return NULL;
    const struct grid_cell *cell = state->candidates[state->chosen].cell;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct scenario *scenario =
        library_load(state->plan->grid.scenario, cell->sets, cell->set_count, diag);
    free(diag);
    if (scenario == NULL)
        return NULL;
    struct store *store = fabric_store(scenario);
    scenario_free(scenario);
    char *svg = store == NULL ? NULL : store_picture(store);
    if (store != NULL)
        store_close(store);
    return svg;
}
