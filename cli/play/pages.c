/* SPDX-License-Identifier: Apache-2.0
 * pages - each run in memory, then the plan's own page. */
#include "cli/play/pages.h"

#include "base/memory.h"
#include "replay/database/store.h"
#include "replay/files/output.h"
#include "replay/plan/plan_command.h"
#include "replay/run/run.h"
#include "replay/run/stop.h"
#include "reports/page/page.h"
#include "reports/page/page_plan.h"
#include "scenarios/load/library.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct output_inputs nothing;

int pages_begin(const char *folder)
{
    struct stat there;
    const bool is_folder = stat(folder, &there) == 0 && S_ISDIR(there.st_mode);
    if (is_folder || mkdir(folder, 0777) == 0)
        return CLI_DONE;
    cli_error("--pages %s: %s", folder, strerror(errno));
    return CLI_USAGE;
}

/* The scenario of the run whose command the answer has; NULL: none was played. */
static struct scenario *load(const struct plan_state *state, uint32_t candidate)
{
    const struct plan_candidate *mine = &state->candidates[candidate];
    const uint32_t of = plan_telling_case(mine);
    if (of == PLAN_NO_CASE || mine->verdict == PLAN_VERDICT_DIED) /* as it would here too */
        return NULL;
    struct diag *diag = memory_new(sizeof *diag);
    struct arena arena = {0};
    uint32_t count;
    const char **sets = plan_command_sets(&arena, state, candidate, of, &count);
    struct scenario *scenario = library_load(state->plan->grid.scenario, sets, count, diag);
    arena_free(&arena);
    free(diag);
    return scenario;
}

static bool write_page(const struct scenario *scenario, const char *path)
{
    const struct run_options options = {
        .level = RECORD_SUMMARY, .until = TIME_NEVER, .interval = SERIES_AUTO};
    struct diag *diag = memory_new(sizeof *diag);
    struct run run = {0};
    struct output output;
    bool well = run_scenario(&run, scenario, &options, diag) == RUN_DONE && stop_asked() == 0;
    if (well)
        well = output_open(&output, path, &nothing) &&
               output_end(&output,
                          page_write(record_store(run.record), (struct page_extra){0}, output.out));
    run_close(&run);
    free(diag);
    return well;
}

static bool write_index(const char *database, const char *folder)
{
    char path[PATH_MAX], error[STORE_ERROR_BYTES];
    struct output output;
    struct store *store = store_open(database, error);
    snprintf(path, sizeof path, "%s/index.html", folder);
    const bool well = store != NULL && output_open(&output, path, &nothing) &&
                      output_end(&output, page_plan_write(store, true, output.out));
    store_close(store);
    return well;
}

int pages_write(const struct plan_state *state, const char *database, const char *folder)
{
    bool well = true;
    for (uint32_t i = 0; i < state->points && well && stop_asked() == 0; i++) {
        char path[PATH_MAX];
        struct scenario *scenario = state->candidates[i].cell == NULL ? NULL : load(state, i);
        if (scenario == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s.html", folder, state->candidates[i].cell->name);
        well = write_page(scenario, path);
        scenario_free(scenario);
    }
    well = well && stop_asked() == 0 && write_index(database, folder);
    if (!well && stop_asked() == 0)
        cli_error("--pages %s: %s", folder, errno != 0 ? strerror(errno) : "a run has no page");
    return well || stop_asked() != 0 ? CLI_DONE : CLI_FAILED;
}
