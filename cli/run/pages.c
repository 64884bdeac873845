/* SPDX-License-Identifier: Apache-2.0
 * pages - writes a page for each run, then the plan's own page. */
#include "cli/run/pages.h"

#include "base/memory.h"
#include "replay/database/store.h"
#include "replay/files/output_folder.h"
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
static const char index_name[] = "index.html";

int pages_begin(const char *path)
{
    struct output_folder folder;
    const bool well =
        output_folder_open(&folder, path, &nothing) && output_folder_may(&folder, index_name);
    const int why = errno;
    if (!well)
        cli_output_failed(folder.file, &nothing, why);
    output_folder_close(&folder);
    return well ? CLI_DONE : CLI_USAGE;
}

/* The scenario of the run that the answer refers to; NULL: none was run. */
static struct scenario *load(const struct plan_state *state, uint32_t candidate)
{
    const struct plan_candidate *mine = &state->candidates[candidate];
    const uint32_t of = plan_telling_case(mine);
    if (of == PLAN_NO_CASE || mine->verdict == PLAN_VERDICT_DIED) /* it would die here, too */
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

static bool write_page(const struct scenario *scenario, struct output_folder *folder,
                       const char *name)
{
    const struct run_options options = {
        .level = RECORD_SUMMARY, .until = TIME_NEVER, .interval = SERIES_AUTO};
    struct diag *diag = memory_new(sizeof *diag);
    struct run run = {0};
    struct output output;
    bool well = run_scenario(&run, scenario, &options, diag) == RUN_DONE && stop_asked() == 0;
    if (well)
        well = output_folder_file(folder, name, &output) &&
               output_end(&output,
                          page_write(record_store(run.record), (struct page_extra){0}, output.out));
    run_close(&run);
    free(diag);
    return well;
}

static bool write_index(const char *database, struct output_folder *folder)
{
    char error[STORE_ERROR_BYTES];
    struct output output;
    struct store *store = store_open(database, error);
    const bool well = store != NULL && output_folder_file(folder, index_name, &output) &&
                      output_end(&output, page_plan_write(store, true, output.out));
    store_close(store);
    return well;
}

static bool write_pages(const struct plan_state *state, struct output_folder *folder)
{
    for (uint32_t i = 0; i < state->points && stop_asked() == 0; i++) {
        char name[PATH_MAX];
        struct scenario *scenario = state->candidates[i].cell == NULL ? NULL : load(state, i);
        if (scenario == NULL)
            continue;
        snprintf(name, sizeof name, "%s.html", state->candidates[i].cell->name);
        const bool well = write_page(scenario, folder, name);
        scenario_free(scenario);
        if (!well)
            return false;
    }
    return stop_asked() == 0;
}

int pages_write(const struct plan_state *state, const char *database, const char *path)
{
    struct output_folder folder;
    int code = CLI_DONE;
    errno = 0;
    const bool well = output_folder_open(&folder, path, &nothing) && write_pages(state, &folder) &&
                      write_index(database, &folder);
    const int why = errno;
    if (!well && stop_asked() == 0 && why == 0) {
        cli_error("--pages %s: the page of a run could not be written", path);
        code = CLI_FAILED;
    } else if (!well && stop_asked() == 0) {
        code = cli_output_failed(folder.file, &nothing, why);
    }
    output_folder_close(&folder);
    return code;
}
