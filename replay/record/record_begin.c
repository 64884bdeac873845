/* SPDX-License-Identifier: Apache-2.0
 * record_begin - writes the scenario as rows. */
#include "replay/record/record_begin.h"

#include "base/check.h"
#include "replay/database/counter.h"
#include "replay/database/record_schema.h"
#include "scenarios/data/fault.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

static void write_meta(struct store *store, const struct record_options *options,
                       const struct scenario *scenario)
{
    RECORD_ROW(store, meta, .format = STORE_I(RECORD_FORMAT), .scenario = STORE_T(scenario->name),
               .about = STORE_T(scenario->about), .version = STORE_T(options->version),
               .seed = STORE_I(scenario->seed),
               .record = STORE_T(record_level_name(options->level)),
               .duration_ps = STORE_I(scenario->duration),
               .until_ps = options->until == TIME_NEVER ? STORE_N : STORE_I(options->until),
               .threads = STORE_I(options->threads), .epoch_unix_s = STORE_I(RECORD_EPOCH_UNIX_S),
               .status = STORE_T("running"), .reached_ps = STORE_I(0));
}

static void write_sources(struct store *store, const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->source_count; i++)
        RECORD_ROW(store, source, .position = STORE_I(i),
                   .name = STORE_T(scenario->sources[i].name),
                   .text = STORE_T(scenario->sources[i].text));
    for (uint32_t i = 0; i < scenario->set_count; i++)
        RECORD_ROW(store, set_option, .position = STORE_I(i), .text = STORE_T(scenario->sets[i]));
}

struct settings {
    struct store *store;
    const struct scenario_setting *next; /* setting of the next text */
};

/* The default is formatted like the value, so that both can be compared as text. */
static void write_setting(void *self, const struct scenario_setting_text *text)
{
    struct settings *settings = self;
    const struct opt *row = settings->next++->row;
    char preset[64], why[OPT_WHY_BYTES];
    int64_t value;
    const bool parsed = opt_parse(row, row->preset, &value, why);
    CHECK(parsed);
    opt_format(row, value, preset, sizeof preset);
    RECORD_ROW(settings->store, setting, .path = STORE_T(text->path), .value = STORE_T(text->value),
               .preset = STORE_T(preset), .set_by = STORE_T(text->where),
               .evidence = text->evidence[0] == '\0' ? STORE_N : STORE_T(text->evidence),
               .source = STORE_T(text->source));
}

static void write_settings(struct store *store, const struct scenario *scenario)
{
    struct settings settings = {store, scenario->settings};
    scenario_settings(scenario, write_setting, &settings);
}

static void write_calibrated(struct store *store, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->calibrated.count; i++) {
        const struct calibrated *range = &scenario->calibrated.ranges[i];
        RECORD_ROW(store, calibrated, .profile = STORE_T(range->profile),
                   .word = STORE_T(range->word), .low = STORE_I(range->low),
                   .high = STORE_I(range->high), .text = STORE_T(range->text));
    }
}

static void write_pairs(struct store *store, const struct scenario *scenario)
{
    for (uint32_t i = 0; RECORD_KEEPS(store, workload_pair) && i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++)
            RECORD_ROW(store, workload_pair, .workload = STORE_I(i),
                       .from_node = STORE_I(workload->pairs[k].from),
                       .to_node = STORE_I(workload->pairs[k].to));
    }
}

static void write_faults(struct store *store, const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        RECORD_ROW(store, fault, .fault = STORE_I(i), .kind = STORE_T(fault->ops->name),
                   .name = STORE_T(fault_name(scenario, i).text), .at_ps = STORE_I(fault->at),
                   .until_ps = fault->end == TIME_NEVER ? STORE_N : STORE_I(fault->end));
        for (uint32_t k = 0; k < fault->spot_count; k++)
            RECORD_ROW(
                store, fault_place, .fault = STORE_I(i), .node = STORE_I(fault->spots[k].node),
                .port = fault->spots[k].port == SCENARIO_ALL_PORTS ? STORE_N
                                                                   : STORE_I(fault->spots[k].port));
    }
}

static void write_counter_names(struct store *store)
{
    static const char *const scopes[] = {
        [COUNTER_OF_PRIORITY] = "priority",
        [COUNTER_OF_PORT] = "port",
        [COUNTER_OF_RNIC] = "rnic",
        [COUNTER_OF_TCP] = "tcp",
        [COUNTER_OF_CREDITS] = "credits",
        [COUNTER_OF_SWITCH_PRIORITY] = "switch-priority",
        [COUNTER_OF_SWITCH_PORT] = "switch-port",
        [COUNTER_OF_SWITCH] = "switch",
    };
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_about *about = &counters_about[i];
        RECORD_ROW(store, counter_name, .name = STORE_T(about->name), .sonic = STORE_T(about->sai),
                   .scope = STORE_T(scopes[about->scope]), .unit = STORE_T(about->unit));
    }
}

struct beginning {
    const struct record_options *options;
    const struct scenario *scenario;
    const struct record_fabric *fabric;
};

static void fill(void *self, struct store *store)
{
    const struct beginning *beginning = self;
    write_counter_names(store);
    write_meta(store, beginning->options, beginning->scenario);
    write_sources(store, beginning->scenario);
    write_settings(store, beginning->scenario);
    write_calibrated(store, beginning->scenario);
    record_fabric_write(beginning->fabric, store);
    write_pairs(store, beginning->scenario);
    write_faults(store, beginning->scenario);
}

/* A device, a pipe, or an open descriptor such as /dev/stdout. */
static bool is_no_file(const char *path)
{
    struct output_place place;
    return output_place_find(&place, path) && place.kind != OUTPUT_FILE;
}

bool record_begin_may(const char *path, const struct scenario *scenario, char why[OUTPUT_WHY_BYTES])
{
    const struct output_inputs inputs = {scenario->paths, scenario->path_count};
    if (path == NULL)
        return true;
    if (strcmp(path, "-") == 0)
        snprintf(why, OUTPUT_WHY_BYTES,
                 "-: a run database cannot be written to standard output: expected a file's name");
    else if (path[0] == '\0')
        snprintf(why, OUTPUT_WHY_BYTES, "expected the name of a file");
    else if (is_no_file(path) || store_is_foreign(path, STORE_RUN))
        snprintf(why, OUTPUT_WHY_BYTES, "%.400s: exists and is not a run database; not overwritten",
                 path);
    else
        return output_is_apart(path, &inputs, why);
    return false;
}

struct store *record_begin(const struct record_options *options, const struct record_fabric *fabric,
                           char error[STORE_ERROR_BYTES])
{
    CHECK(fabric->scenario->source_count > 0);
    if (options->unread)
        return store_create_deaf();
    struct beginning self = {options, fabric->scenario, fabric};
    const struct store_brief brief = {fabric->tables, RECORD_FABRIC_TABLES};
    const struct store_beginning beginning = {.kind = STORE_RUN,
                                              .image = &record_image,
                                              .fill = fill,
                                              .self = &self,
                                              .brief = options->brief ? &brief : NULL};
    return store_create(options->path, &beginning, error);
}
