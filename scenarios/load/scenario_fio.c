/* SPDX-License-Identifier: Apache-2.0
 * scenario_fio - loads `kind: fio`: each job of the file becomes a workload with its own
 * statistics. */
#include "scenarios/load/scenario_load.h"

#include "base/check.h"
#include "base/memory.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>
#include <string.h>

static const char *job_name(struct loader *loader, const struct scenario_workload *base,
                            const struct fio_jobs *jobs, uint32_t index)
{
    return jobs->count == 1
               ? base->name
               : arena_format(loader->arena, "%s/%s", base->name, jobs->jobs[index].name);
}

static int64_t value_of(const struct opt *row, const struct wl_nvme_params *params)
{
    return *opt_field(row, (void *)(uintptr_t)params);
}

/* In the settings table, a job's parameters have the line of their section, or the place where the
 * entry changes them. */
static void show_job(struct loader *loader, const struct scenario_workload *workload,
                     const char *file, const struct fio_job *unchanged, struct diag_place change)
{
    const struct fio_job *job = workload->job;
    struct block *block =
        block_new(loader->arena, arena_format(loader->arena, "workloads.%s", workload->name),
                  workload->ops->opts, workload->ops->params_bytes);
    CHECK(block->bytes == sizeof job->nvme);
    for (size_t i = 0; i < block->row_count; i++) {
        const int64_t value = value_of(&block->rows[i], &job->nvme);
        if (unchanged != NULL && value != value_of(&block->rows[i], &unchanged->nvme))
            block->origins[i].where = change;
        else if (value != *opt_field(&block->rows[i], block->params))
            block->origins[i].where = (struct diag_place){file, job->line, 1, 1};
        *opt_field(&block->rows[i], block->params) = value;
    }
    scenario_show(loader, block, false);
}

static void add_jobs(struct loader *loader, const struct tree_node *entry,
                     const struct scenario_workload *base, const struct fio_jobs *jobs,
                     const struct fio_file *file, struct scenario_workload_list *out)
{
    const uint32_t first = (uint32_t)out->count;
    struct fio_job *kept = arena_array(loader->arena, jobs->count, sizeof *kept);
    const struct fio_file alone = {.name = file->name,
                                   .text = file->text,
                                   .length = file->length,
                                   .open = file->open,
                                   .open_self = file->open_self};
    struct fio_jobs unchanged = {NULL, 0};
    struct diag *unseen = memory_new(sizeof *unseen); /* errors of the unchanged file may be
                                                       * fixed by the changes, so they are not
                                                       * reported */
    if (file->change_count > 0)
        fio_load_changed(&alone, &unchanged, unseen);
    memcpy(kept, jobs->jobs, jobs->count * sizeof *kept);
    for (uint32_t i = 0; i < jobs->count; i++) {
        struct scenario_workload *added =
            arena_push(loader->arena, (void **)(void *)&out->list, &out->count, sizeof *added);
        *added = *base;
        added->name = job_name(loader, base, jobs, i);
        added->params = &kept[i].nvme;
        added->copies = kept[i].copies;
        added->turns = kept[i].copies;
        added->job = &kept[i];
        added->first_job = first;
        show_job(loader, added, file->name, i < unchanged.count ? &unchanged.jobs[i] : NULL,
                 file->change_count > 0 ? file->changes[0].option_place : (struct diag_place){0});
        if (strlen(added->name) >= WORKLOAD_NAME_BYTES)
            diag_add(loader->diag, DIAG_ERROR, (struct diag_place){file->name, kept[i].line, 1, 1},
                     NULL, "the name '%.64s' is longer than %d", added->name,
                     WORKLOAD_NAME_BYTES - 1);
        scenario_check_spaces(loader, entry, added);
    }
    fio_free(&unchanged);
    free(unseen);
}

/* ------------------------------------------------------------------ options of an entry */

struct changes {
    struct fio_change *list;
    size_t count;
};

static void take_options(struct loader *loader, const struct tree_node *map, const char *job,
                         struct changes *changes)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        const struct tree_node *value = map->items[i].value;
        if (value->kind != TREE_SCALAR) {
            tree_error(loader->diag, value, "expected a value as in a fio job file, such as 8k");
            continue;
        }
        struct fio_change *change = arena_push(loader->arena, (void **)(void *)&changes->list,
                                               &changes->count, sizeof *change);
        *change = (struct fio_change){
            .job = job,
            .option = map->items[i].key,
            .text = value->text,
            .option_place = map->items[i].key_place,
            .text_place = value->place,
            /* A key from --set is in another file than its map; the value has the right file. */
            .option_line = tree_line(value->file, map->items[i].key_place.line),
            .text_line = tree_line(value->file, value->place.line)};
    }
}

/* First the options for all jobs, then those for one. */
static void take_changes(struct loader *loader, const struct tree_node *entry,
                         struct changes *changes)
{
    take_options(loader, scenario_map(loader, entry, "options"), NULL, changes);
    const struct tree_node *jobs = scenario_map(loader, entry, "jobs");
    for (size_t i = 0; jobs != NULL && i < jobs->count; i++) {
        const struct tree_node *job = jobs->items[i].value;
        if (job->kind == TREE_MAP)
            take_options(loader, job, jobs->items[i].key, changes);
        else
            tree_error(loader->diag, job, "expected options of the job, such as {iodepth: 8}");
    }
}

/* ------------------------------------------------------------------ files that a file includes */

struct includes {
    struct loader *loader;
    const struct tree_node *name; /* name of the job file in the scenario */
};

/* Opens a file relative to the job file, under a name relative to the scenario like the job
 * file's. */
static const struct tree_file *open_included(void *self, const char *name)
{
    const struct includes *includes = self;
    struct tree_node *node = arena_take(includes->loader->arena, sizeof *node);
    *node = *includes->name;
    node->text = tree_beside(includes->loader->arena, includes->name->text, name);
    return scenario_open(includes->loader, node);
}

void scenario_add_fio(struct loader *loader, const struct tree_node *entry,
                      const struct scenario_workload *base, struct scenario_workload_list *out)
{
    const struct tree_node *name = scenario_word(loader, entry, "file");
    if (name == NULL) {
        tree_error(loader->diag, entry, "expected file: a fio job file");
        return;
    }
    const struct tree_file *file = scenario_open(loader, name);
    struct changes changes = {NULL, 0};
    const int errors_before = loader->diag->errors;
    take_changes(loader, entry, &changes);
    if (file == NULL || loader->diag->errors > errors_before)
        return;
    struct includes includes = {.loader = loader, .name = name};
    const struct fio_file changed = {.name = file->name,
                                     .text = file->text,
                                     .length = file->length,
                                     .changes = changes.list,
                                     .change_count = changes.count,
                                     .open = open_included,
                                     .open_self = &includes};
    struct fio_jobs jobs;
    if (!fio_load_changed(&changed, &jobs, loader->diag))
        return;
    if (jobs.count == 0)
        tree_error(loader->diag, name, "'%.64s' has no job", file->name);
    else
        add_jobs(loader, entry, base, &jobs, &changed, out);
    fio_free(&jobs);
}
