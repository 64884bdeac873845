/* SPDX-License-Identifier: Apache-2.0
 * grow - growth of load, capacity and wear over the years. */
#include "scenarios/vary/grow.h"

#include "base/numbers.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "scenarios/fio/fio.h"
#include "scenarios/format/block.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MILLION = 1000000, DAYS = 365 };

#define FIELD(name) offsetof(struct grow, name)

static const struct opt grow_opts[] = {
    {"years", OPT_INT, FIELD(years), "3", "1", "10", NULL,
     "Number of years for which a candidate has to meet the objectives.", "own", OPT_INERT},
    {0}};

#undef FIELD
#define FIELD(name) offsetof(struct grow_rate, name)

static const struct opt rate_opts[] = {
    {"each-year", OPT_PERCENT, FIELD(each_year), "0%", "0%", "1000%", NULL, "Growth per year.",
     "own", OPT_INERT},
    {"uncertainty", OPT_PERCENT, FIELD(uncertainty), "0%", "0%", "1000%", NULL,
     "Uncertainty of the expected value, added to it.", "own", OPT_INERT},
    {0}};

#undef FIELD
#define FIELD(name) offsetof(struct grow_capacity, name)

static const struct opt capacity_opts[] = {
    {"needed", OPT_SIZE, FIELD(needed), "0B", "0B", "1000PB", NULL, "Capacity that is needed now.",
     "own", OPT_INERT},
    {"each-year", OPT_PERCENT, FIELD(rate.each_year), "0%", "0%", "1000%", NULL, "Growth per year.",
     "own", OPT_INERT},
    {"uncertainty", OPT_PERCENT, FIELD(rate.uncertainty), "0%", "0%", "1000%", NULL,
     "Uncertainty of the expected value, added to it.", "own", OPT_INERT},
    {"usable", OPT_PERCENT, FIELD(usable), "100%", "1%", "100%", NULL,
     "Share of the drives' capacity that is usable for data.", "own", OPT_INERT},
    {"written-each-day", OPT_SIZE, FIELD(written), "0B", "0B", "1000PB", NULL,
     "Bytes written per day now.", "own", OPT_INERT},
    {"write-amplification", OPT_DECIMAL, FIELD(amplification), "1", "0.1", "100", NULL,
     "Bytes that drives write for each written byte, including parity and copies.", "own",
     OPT_INERT},
    {0}};

/* ------------------------------------------------------------------ reading */

static bool read_rows(struct arena *arena, const struct tree_node *map, const struct opt *rows,
                      const char *const *also, void *params, size_t bytes, struct diag *diag)
{
    if (map->kind != TREE_MAP) {
        tree_error(diag, map, "expected a mapping");
        return false;
    }
    struct block *block = block_new(arena, "grow", rows, bytes);
    const struct block_load load = {.arena = arena, .diag = diag, .map = map, .also = also};
    if (!block_load(block, &load))
        return false;
    memcpy(params, block->params, bytes);
    return true;
}

static void read_load(struct arena *arena, const struct tree_node *map, struct grow *grow,
                      struct diag *diag)
{
    static const char *const also[] = {"path", NULL};
    struct grow_load *load = &grow->loads[grow->load_count];
    if (!read_rows(arena, map, rate_opts, also, &load->rate, sizeof load->rate, diag))
        return;
    load->path = tree_need(diag, map, "path", TREE_SCALAR,
                           "the setting that grows, such as workloads.oltp.rate");
    grow->load_count++;
}

bool grow_read(struct arena *arena, const struct tree_node *map, struct grow *grow,
               struct diag *diag)
{
    static const char *const also[] = {"load", "capacity", NULL};
    *grow = (struct grow){0};
    if (!read_rows(arena, map, grow_opts, also, grow, sizeof *grow, diag))
        return false;
    const struct tree_node *loads = tree_want(diag, map, "load", TREE_LIST);
    grow->capacity_written = tree_want(diag, map, "capacity", TREE_MAP);
    if (loads != NULL && (loads->count == 0 || loads->count > GROW_LOADS_MAX))
        tree_error(diag, loads, "expected 1 to %d loads", GROW_LOADS_MAX);
    else if (loads == NULL && grow->capacity_written == NULL)
        tree_error(diag, map, "expected load, capacity or both");
    for (size_t i = 0; loads != NULL && !diag_failed(diag) && i < loads->count; i++)
        read_load(arena, loads->items[i].value, grow, diag);
    if (grow->capacity_written != NULL && !diag_failed(diag))
        read_rows(arena, grow->capacity_written, capacity_opts, NULL, &grow->capacity,
                  sizeof grow->capacity, diag);
    return !diag_failed(diag);
}

/* ------------------------------------------------------------------ growing */

/* Computes value * numerator / denominator, rounded up. */
static int64_t multiply_ratio(int64_t value, int64_t numerator, int64_t denominator)
{
    const __int128 all = (__int128)value * numerator + denominator - 1;
    return all / denominator > INT64_MAX ? INT64_MAX : (int64_t)(all / denominator);
}

/* Uses a single fraction for all years, because year by year each step would be rounded up. */
int64_t grow_after(int64_t value, const struct grow_rate *rate, int64_t years)
{
    int64_t factor = MILLION;
    for (int64_t i = 0; i < years; i++)
        factor = multiply_ratio(factor, MILLION + rate->each_year, MILLION);
    return multiply_ratio(
        value, years > 0 ? multiply_ratio(factor, MILLION + rate->uncertainty, MILLION) : factor,
        MILLION);
}

static const struct scenario_setting *setting_of(const struct scenario *scenario, const char *path)
{
    for (uint32_t i = 0; i < scenario->setting_count; i++)
        if (strcmp(scenario->settings[i].path, path) == 0)
            return &scenario->settings[i];
    return NULL;
}

static bool may_grow(const struct opt *row)
{
    return row->type == OPT_INT || row->type == OPT_DECIMAL || row->type == OPT_RATE ||
           row->type == OPT_SIZE;
}

/* Finds the job of a path: workloads.NAME.options.OPTION for an entry with one job, or
 * workloads.NAME.jobs.JOB.OPTION. */
static const struct fio_job *job_of(const struct scenario *scenario, const char *path,
                                    const char **option)
{
    enum { NAME_MAX_BYTES = 2 * WORKLOAD_NAME_BYTES };
    char name[NAME_MAX_BYTES];
    const char *workloads = "workloads.";
    if (strncmp(path, workloads, strlen(workloads)) != 0)
        return NULL;
    path += strlen(workloads);
    const size_t length = strcspn(path, ".");
    const char *options = ".options.", *jobs = ".jobs.", *rest = path + length;
    *option = strrchr(path, '.') == NULL ? path : strrchr(path, '.') + 1;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        if (workload->job == NULL || strncmp(workload->name, path, length) != 0)
            continue;
        snprintf(name, sizeof name, "%s%s.", jobs, workload->job->name);
        const bool alone = workload->name[length] == '\0';
        if ((alone && strncmp(rest, options, strlen(options)) == 0) ||
            ((alone || workload->name[length] == '/') && strncmp(rest, name, strlen(name)) == 0))
            return workload->job;
    }
    return NULL;
}

/* Setting of a fio job's load; an empty text: the path is not that of a job. */
static const char *set_of_job(const struct grow_load *load, const struct scenario *scenario,
                              int64_t year, struct arena *arena, struct diag *diag)
{
    const char *option;
    const struct fio_job *job = job_of(scenario, load->path->text, &option);
    int64_t values[WL_DIRECTIONS] = {0};
    const uint32_t count = job == NULL ? 0 : fio_load_of(job, option, values);
    if (count == 0) {
        tree_error(diag, load->path,
                   job == NULL ? "the scenario has no such setting"
                               : "expected iodepth, numjobs, rate or rate_iops of the job");
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = grow_after(values[i], &load->rate, year);
    if (values[0] <= 0 && values[1] <= 0) {
        tree_error(diag, load->path, "it is 0 in the scenario, so it cannot grow");
        return NULL;
    }
    if (count == 1)
        return arena_format(arena, "%s=%" PRId64, load->path->text, values[0]);
    return arena_format(arena, "%s=\"%" PRId64 ",%" PRId64 "\"", load->path->text, values[0],
                        values[1]);
}

static const char *set_of(const struct grow_load *load, const struct scenario *scenario,
                          int64_t year, struct arena *arena, struct diag *diag)
{
    char text[QUANTITY_TEXT_BYTES], why[OPT_WHY_BYTES];
    int64_t value;
    const struct scenario_setting *setting = setting_of(scenario, load->path->text);
    if (setting == NULL)
        return set_of_job(load, scenario, year, arena, diag);
    if (!may_grow(setting->row)) {
        tree_error(diag, load->path, "expected a number, such as a rate or a depth");
        return NULL;
    }
    if (setting->value <= 0) {
        tree_error(diag, load->path, "it is %" PRId64 " in the scenario: nothing that grows",
                   setting->value);
        return NULL;
    }
    opt_format(setting->row, grow_after(setting->value, &load->rate, year), text, sizeof text);
    if (!opt_parse(setting->row, text, &value, why)) {
        tree_error(diag, load->path, "after %" PRId64 " %s: %s", year,
                   plural(year, "year", "years"), why);
        return NULL;
    }
    return arena_format(arena, "%s=%s", setting->path, text);
}

bool grow_sets(const struct grow *grow, const struct scenario *scenario, int64_t year,
               struct arena *arena, const char *sets[GROW_LOADS_MAX], struct diag *diag)
{
    for (uint32_t i = 0; i < grow->load_count; i++) {
        sets[i] = set_of(&grow->loads[i], scenario, year, arena, diag);
        if (sets[i] == NULL)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ drives */

struct drives {
    int64_t count, capacity, endurance; /* sums of all drives; endurance -1: unknown */
};

static struct drives drives_of(const struct prices *prices, const struct prices_bill *bill)
{
    struct drives drives = {0, 0, 0};
    for (size_t i = 0; i < prices->count; i++) {
        const struct prices_part *part = &prices->parts[i];
        if (part->part != PRICES_DRIVE || bill->counts[i] == 0)
            continue;
        drives.count += bill->counts[i];
        drives.capacity =
            sum_capped(drives.capacity, multiply_ratio(part->capacity, bill->counts[i], 1));
        if (part->endurance == 0 || drives.endurance < 0)
            drives.endurance = -1;
        else
            drives.endurance =
                sum_capped(drives.endurance, multiply_ratio(part->endurance, bill->counts[i], 1));
    }
    return drives;
}

/* Size for messages, such as "18.18 TB". */
static const char *size_of(int64_t bytes, char text[QUANTITY_TEXT_BYTES])
{
    const bool peta = bytes >= 1000000000000000;
    const int64_t hundredths = bytes / (peta ? 10000000000000 : 10000000000);
    snprintf(text, QUANTITY_TEXT_BYTES, "%" PRId64 ".%02d %s", hundredths / 100,
             (int)(hundredths % 100), peta ? "PB" : "TB");
    return text;
}

/* Bytes written until then, assuming on each day the rate at the end of its year. */
static int64_t written_until(const struct grow_capacity *capacity, int64_t years)
{
    int64_t all = 0;
    for (int64_t year = 1; year <= years; year++) {
        const int64_t day = grow_after(capacity->written, &capacity->rate, year);
        const int64_t more =
            multiply_ratio(multiply_ratio(day, DAYS, 1), capacity->amplification, 1000);
        all = sum_capped(all, more);
    }
    return all;
}

bool grow_refuses(const struct grow *grow, const struct prices *prices,
                  const struct prices_bill *bill, char why[GROW_WHY_BYTES])
{
    const struct grow_capacity *capacity = &grow->capacity;
    const struct drives drives = drives_of(prices, bill);
    char asked[QUANTITY_TEXT_BYTES], has[QUANTITY_TEXT_BYTES];
    if (grow->capacity_written == NULL)
        return false;
    const int64_t needed = grow_after(capacity->needed, &capacity->rate, grow->years);
    const int64_t usable = (int64_t)((__int128)drives.capacity * capacity->usable / MILLION);
    if (needed > usable) {
        snprintf(why, GROW_WHY_BYTES,
                 "in %" PRId64 " year%s %s are needed, and %s are usable on %" PRId64 " %s",
                 grow->years, plural(grow->years, "", "s"), size_of(needed, asked),
                 size_of(usable, has), drives.count, plural(drives.count, "drive", "drives"));
        return true;
    }
    const int64_t written = written_until(capacity, grow->years);
    if (drives.endurance >= 0 && written > drives.endurance) {
        snprintf(why, GROW_WHY_BYTES,
                 "in %" PRId64 " year%s %s are written, and the endurance of %" PRId64 " %s is %s",
                 grow->years, plural(grow->years, "", "s"), size_of(written, asked), drives.count,
                 plural(drives.count, "drive", "drives"), size_of(drives.endurance, has));
        return true;
    }
    return false;
}
