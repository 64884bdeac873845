/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/compare/predict.h"

#include "base/memory.h"
#include "replay/compare/compare.h"
#include "scenarios/embedded.h"

#include <string.h>

static const char *keep_text(struct predictions *predictions, const char *text)
{
    return arena_text(&predictions->arena, text, strlen(text));
}

static const char **keep_all(struct predictions *predictions, const char **texts, uint32_t count)
{
    const char **kept = arena_array(&predictions->arena, count, sizeof *kept);
    for (uint32_t i = 0; i < count; i++)
        kept[i] = keep_text(predictions, texts[i]);
    return kept;
}

struct predictions *predict_begin(const struct grid *grid)
{
    struct predictions *predictions = memory_new(sizeof *predictions);
    const char *file = strrchr(grid->scenario, '/');
    predictions->grid = keep_text(predictions, grid->name);
    predictions->about = keep_text(predictions, grid->about);
    predictions->scenario = keep_text(predictions, file == NULL ? grid->scenario : file + 1);
    predictions->version = stormglass_version;
    predictions->build = stormglass_build;
    predictions->sources = "";
    predictions->axis_count = grid->axis_count;
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const struct grid_axis *axis = &grid->axes[i];
        predictions->axes[i] = (struct grid_axis){
            .path = keep_text(predictions, axis->path),
            .as = keep_text(predictions, axis->as),
            .values = keep_all(predictions, axis->values, axis->value_count),
            .value_count = axis->value_count,
        };
    }
    predictions->cell_count = grid->cell_count;
    predictions->cells =
        arena_array(&predictions->arena, grid->cell_count, sizeof *predictions->cells);
    for (uint32_t i = 0; i < grid->cell_count; i++)
        predictions->cells[i] = (struct prediction){
            .name = keep_text(predictions, grid->cells[i].name),
            .sets = keep_all(predictions, grid->cells[i].sets, grid->cells[i].set_count),
            .set_count = grid->cells[i].set_count,
        };
    return predictions;
}

/* ------------------------------------------------------------------ properties of the model */

static void add_profile(struct predictions *predictions, const char *name)
{
    char digest[DIGEST_TEXT_BYTES];
    for (size_t i = 0; i < predictions->profile_count; i++)
        if (strcmp(predictions->profiles[i].name, name) == 0)
            return;
    predictions_profile_digest(name, digest);
    if (digest[0] == '\0') /* files of the scenario are already among its sources */
        return;
    struct prediction_profile *profile =
        arena_push(&predictions->arena, (void **)(void *)&predictions->profiles,
                   &predictions->profile_count, sizeof *profile);
    *profile =
        (struct prediction_profile){keep_text(predictions, name), keep_text(predictions, digest)};
}

static void describe_model(struct predictions *predictions, const struct scenario *scenario)
{
    struct digest all = {0};
    for (uint32_t i = 0; i < scenario->source_count; i++) {
        const struct digest one = digest_of(scenario->sources[i].text, scenario->sources[i].length);
        digest_add(&all, one.high);
        digest_add(&all, one.low);
    }
    char text[DIGEST_TEXT_BYTES];
    digest_format(&all, text);
    predictions->sources = keep_text(predictions, text);
}

/* ------------------------------------------------------------------ a cell */

enum run_end predict_cell(struct predictions *predictions, uint32_t index,
                          const struct scenario *scenario, const struct run_options *options,
                          struct diag *diag, char error[STORE_ERROR_BYTES])
{
    struct prediction *cell = &predictions->cells[index];
    struct run run;
    enum run_end end = run_scenario(&run, scenario, options, diag);
    if (end == RUN_DONE) {
        struct store *store = record_store(run.record);
        char text[DIGEST_TEXT_BYTES];
        digest_format(&run.result.digest, text);
        cell->run = keep_text(predictions, text);
        compare_work(store, text);
        cell->work = keep_text(predictions, text);
        figures_read(store, &predictions->arena, &cell->figures);
        if (index == 0)
            describe_model(predictions, scenario);
        for (uint32_t i = 0; i < scenario->setting_count; i++)
            if (scenario->settings[i].profile != NULL)
                add_profile(predictions, scenario->settings[i].profile);
        if (strcmp(run.result.status, "complete") != 0) {
            snprintf(error, STORE_ERROR_BYTES, "%s", run.result.status);
            end = RUN_BROKEN;
        }
    } else {
        snprintf(error, STORE_ERROR_BYTES, "%s", run.error);
    }
    if (run_close(&run) || end != RUN_DONE)
        return end;
    snprintf(error, STORE_ERROR_BYTES, "the last writes failed");
    return RUN_BROKEN;
}
