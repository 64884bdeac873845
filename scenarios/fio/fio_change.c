/* SPDX-License-Identifier: Apache-2.0
 * fio_change - options that the scenario sets instead of the job file.
 * A setting without effect is an error, because a plan would vary it in vain. */
#include "scenarios/fio/fio_private.h"

#include <string.h>

static void stand_at_option(struct fio_reader *reader, const struct fio_change *change)
{
    reader->file = change->option_place.file;
    reader->line = change->option_place.line;
    reader->line_text = change->option_line;
}

static void stand_at_text(struct fio_reader *reader, const struct fio_change *change)
{
    reader->file = change->text_place.file;
    reader->line = change->text_place.line;
    reader->line_text = change->text_line;
}

/* True for options that affect how the file is read. */
static bool is_of_file(const char *option)
{
    static const char *const names[] = {"name", "kb_base"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Finds the option if the scenario may set it; otherwise reports an error. */
static const struct fio_option *option_of(struct fio_reader *reader,
                                          const struct fio_change *change)
{
    const struct fio_option *option = fio_option_find(change->option);
    const int column = change->option_place.column;
    stand_at_option(reader, change);
    if (option == NULL)
        fio_error(reader, column, "fio has no option '%.64s'%s", change->option,
                  fio_option_hint(change->option).text);
    else if (option->class == FIO_NO_MEANING)
        fio_error(reader, column, "'%s' has no effect here: %s", option->name, option->about);
    else if (is_of_file(option->name))
        fio_error(reader, column, "expected '%s' in the job file", option->name);
    else
        return option;
    return NULL;
}

static bool apply(struct fio_reader *reader, const struct fio_change *change, struct fio_raw *raw)
{
    const struct fio_value value = {.option = change->option,
                                    .text = change->text,
                                    .option_column = change->text_place.column,
                                    .column = change->text_place.column};
    const struct fio_option *option = option_of(reader, change);
    stand_at_text(reader, change);
    return option != NULL && fio_option_read(reader, option, raw, &value);
}

/* Called after all changes: reports a change that another option overrides. */
static bool has_effect(struct fio_reader *reader, const struct fio_change *change,
                       const struct fio_raw *raw)
{
    const char *option = fio_option_find(change->option)->name;
    const int column = change->option_place.column;
    const bool split = raw->bssplit[WL_READ].count + raw->bssplit[WL_WRITE].count > 0;
    const bool range = raw->bsrange[WL_READ].share + raw->bsrange[WL_WRITE].share > 0;
    stand_at_option(reader, change);
    if (strcmp(option, "iodepth") == 0 && raw->engine_sync && raw->iodepth > 1)
        return fio_error(reader, column,
                         "the job's ioengine has at most one outstanding I/O: expected ioengine: "
                         "libaio together with iodepth");
    if (strncmp(option, "rwmix", 5) == 0 && raw->rw != FIO_RW_MIXED)
        return fio_error(
            reader, column,
            "the job does not mix reads and writes: expected rw: randrw together with %s", option);
    if (strcmp(option, "bs") == 0 && (split || range))
        return fio_error(reader, column, "the job has %s, which overrides bs",
                         split ? "bssplit" : "bsrange");
    return true;
}

static bool is_of(const struct fio_change *change, const char *name)
{
    return change->job == NULL || strcmp(change->job, name) == 0;
}

static bool change_all(struct fio_reader *reader, const struct fio_file *file, const char *name,
                       struct fio_raw *raw)
{
    bool well = true;
    for (size_t i = 0; i < file->change_count && well; i++)
        well = !is_of(&file->changes[i], name) || apply(reader, &file->changes[i], raw);
    for (size_t i = 0; i < file->change_count && well; i++)
        well = !is_of(&file->changes[i], name) || has_effect(reader, &file->changes[i], raw);
    return well;
}

bool fio_change_job(struct fio_reader *reader, const struct fio_file *file, const char *name,
                    struct fio_raw *raw)
{
    const bool well = change_all(reader, file, name, raw);
    reader->file = file->name;
    return well;
}

static bool is_there(const struct fio_jobs *jobs, const char *name, struct nearest *nearest)
{
    for (uint32_t i = 0; i < jobs->count; i++) {
        if (strcmp(jobs->jobs[i].name, name) == 0)
            return true;
        nearest_offer(nearest, jobs->jobs[i].name);
    }
    return false;
}

bool fio_changes_name_jobs(struct fio_reader *reader, const struct fio_file *file,
                           const struct fio_jobs *jobs)
{
    for (size_t i = 0; i < file->change_count; i++) {
        const struct fio_change *change = &file->changes[i];
        if (change->job == NULL)
            continue;
        struct nearest nearest = nearest_to(change->job);
        if (is_there(jobs, change->job, &nearest))
            continue;
        stand_at_option(reader, change);
        return fio_error(reader, change->option_place.column, "'%.64s' has no job '%.64s'%s",
                         file->name, change->job, nearest_hint(&nearest).text);
    }
    return true;
}
