/* SPDX-License-Identifier: Apache-2.0
 * scenario_settings - the settings table: every effective value with its origin. */
#include "scenarios/load/scenario_load.h"

#include "scenarios/carrier/nvme_carrier.h"
#include "tcp/tcp.h"

#include "base/check.h"

#include <string.h>

void scenario_show(struct loader *loader, const struct block *block, bool written_only)
{
    struct loader_shown *shown = arena_push(loader->arena, (void **)(void *)&loader->shown,
                                            &loader->shown_count, sizeof *shown);
    *shown = (struct loader_shown){block, written_only};
}

struct opt_effect scenario_choice_effect(const char *name)
{
    static const struct opt_effect inert = {.part = OPT_PART_NOTHING, .by = OPT_BY_NOTHING},
                                   control = {.part = OPT_PART_CONGESTION,
                                              .by = OPT_BY_SERVICE,
                                              .scales = true};
    return strcmp(name, "congestion-control") == 0 ? control : inert;
}

/* Creates a row with only this word and the preset, to compare them. */
void scenario_show_choice(struct loader *loader, const struct scenario_choice *choice)
{
    struct opt *rows = arena_array(loader->arena, 2, sizeof *rows);
    const bool same = strcmp(choice->word, choice->preset) == 0;
    rows[0] = (struct opt){
        .name = choice->name,
        .type = OPT_CHOICE,
        .preset = choice->preset,
        .choices = arena_format(loader->arena, same ? "%s" : "%s|%s", choice->preset, choice->word),
        .about = choice->about,
        .source = "own",
        .effect = choice->effect,
    };
    struct block *block = block_new(loader->arena, choice->path, rows, sizeof(int64_t));
    *(int64_t *)block->params = same ? 0 : 1;
    block->origins[0].where = choice->where;
    scenario_show(loader, block, false);
}

static void add_row(struct loader *loader, const struct block *block, size_t index,
                    struct scenario_setting *setting)
{
    const struct opt *row = &block->rows[index];
    const struct block_origin *origin = &block->origins[index];
    *setting = (struct scenario_setting){
        .path = arena_format(loader->arena, "%s%s%s", block->path,
                             block->path[0] == '\0' ? "" : ".", row->name),
        .row = row,
        .value = *opt_field(row, block->params),
        .where = origin->where,
        .profile = origin->profile,
        .evidence = origin->evidence,
        .sources = origin->sources,
        .source = origin->source != NULL ? origin->source : row->source,
    };
}

void scenario_make_settings(struct loader *loader)
{
    size_t rows = 0, used = 0;
    for (size_t i = 0; i < loader->shown_count; i++)
        rows += loader->shown[i].block->row_count;
    struct scenario_setting *settings = arena_array(loader->arena, rows, sizeof *settings);
    for (size_t i = 0; i < loader->shown_count; i++) {
        const struct loader_shown *shown = &loader->shown[i];
        for (size_t r = 0; r < shown->block->row_count; r++)
            if (!shown->written_only || shown->block->origins[r].where.file != NULL)
                add_row(loader, shown->block, r, &settings[used++]);
    }
    loader->scenario->settings = settings;
    loader->scenario->setting_count = (uint32_t)used;
}

void scenario_settings(const struct scenario *scenario, scenario_setting_fn *call, void *self)
{
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        char value[128], preset[128], why[OPT_WHY_BYTES], where[320] = "default";
        int64_t preset_value;
        /* Formatted like the value, so that equal values have equal texts. */
        CHECK(opt_parse(setting->row, setting->row->preset, &preset_value, why));
        opt_format(setting->row, preset_value, preset, sizeof preset);
        opt_format(setting->row, setting->value, value, sizeof value);
        if (setting->profile != NULL)
            snprintf(where, sizeof where, "profile %.64s", setting->profile);
        else if (setting->where.file != NULL)
            snprintf(where, sizeof where, "%.256s:%d", setting->where.file, setting->where.line);
        const struct scenario_setting_text text = {
            .path = setting->path,
            .value = value,
            .preset = preset,
            .where = where,
            .evidence = setting->evidence == NULL ? "" : setting->evidence,
            .source = setting->source == NULL ? "" : setting->source,
        };
        call(self, &text);
    }
}

/* ---- blocks of hosts ---- */

struct block *scenario_nvme_block(struct loader *loader, const char *path)
{
    const struct opt *rows = scenario_rows(loader, &loader->nvme_rows, nvme_carrier_host_rows);
    return block_new(loader->arena, path, rows, sizeof(struct nvme_carrier_host));
}

struct block *scenario_target_block(struct loader *loader, const char *path)
{
    const struct opt *rows = scenario_rows(loader, &loader->target_rows, nvme_carrier_target_rows);
    return block_new(loader->arena, path, rows, sizeof(struct nvme_carrier_target));
}

struct block *scenario_tcp_block(struct loader *loader, const char *path)
{
    const struct opt *rows = scenario_rows(loader, &loader->tcp_rows, tcp_rows);
    return block_new(loader->arena, path, rows, sizeof(struct tcp_params));
}
