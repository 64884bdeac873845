/* SPDX-License-Identifier: Apache-2.0
 * record_begin - the scenario as rows. */
#include "replay/record/record_begin.h"

#include "base/check.h"
#include "replay/database/counter.h"
#include "replay/database/record_schema.h"
#include "rnic/host/rnic.h"
#include "scenarios/fault/fault.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

static void write_meta(struct store *store, const struct record_options *options,
                       const struct scenario *scenario)
{
    struct store_statement *insert = store_prepare(
        store, "INSERT INTO meta VALUES(?,?,?,?,?,?,?,?,?,'running',NULL,NULL,NULL,?,0)");
    STORE_INSERT(insert, STORE_I(RECORD_FORMAT), STORE_T(scenario->name), STORE_T(scenario->about),
                 STORE_T(options->version), STORE_I(scenario->seed),
                 STORE_T(record_level_name(options->level)), STORE_I(scenario->duration),
                 options->until == TIME_NEVER ? STORE_N : STORE_I(options->until),
                 STORE_I(options->threads), STORE_I(RECORD_EPOCH_UNIX_S));
    store_finish(insert);
}

static void write_sources(struct store *store, const struct scenario *scenario)
{
    struct store_statement *insert = store_prepare(store, "INSERT INTO source VALUES(?,?,?)");
    for (uint32_t i = 0; i < scenario->source_count; i++)
        STORE_INSERT(insert, STORE_I(i), STORE_T(scenario->sources[i].name),
                     STORE_T(scenario->sources[i].text));
    store_finish(insert);
    insert = store_prepare(store, "INSERT INTO set_option VALUES(?,?)");
    for (uint32_t i = 0; i < scenario->set_count; i++)
        STORE_INSERT(insert, STORE_I(i), STORE_T(scenario->sets[i]));
    store_finish(insert);
}

struct settings {
    struct store_statement *insert;
    const struct scenario_setting *next; /* the setting that the next text is of */
};

/* The default is spelt the way values are, so that the two can be compared as text. */
static void write_setting(void *self, const struct scenario_setting_text *text)
{
    struct settings *settings = self;
    const struct opt *row = settings->next++->row;
    char preset[64], why[OPT_WHY_BYTES];
    int64_t value;
    const bool parsed = opt_parse(row, row->preset, &value, why);
    CHECK(parsed);
    opt_format(row, value, preset, sizeof preset);
    STORE_INSERT(settings->insert, STORE_T(text->path), STORE_T(text->value), STORE_T(preset),
                 STORE_T(text->where),
                 text->evidence[0] == '\0' ? STORE_N : STORE_T(text->evidence),
                 STORE_T(text->source));
}

static void write_settings(struct store *store, const struct scenario *scenario)
{
    struct settings settings = {.next = scenario->settings};
    settings.insert = store_prepare(store, "INSERT INTO setting VALUES(?,?,?,?,?,?)");
    scenario_settings(scenario, write_setting, &settings);
    store_finish(settings.insert);
}

static void write_calibrated(struct store *store, const struct scenario *scenario)
{
    struct store_statement *insert =
        store_prepare(store, "INSERT INTO calibrated VALUES(?,?,?,?,?)");
    for (size_t i = 0; i < scenario->calibrated.count; i++) {
        const struct calibrated *range = &scenario->calibrated.ranges[i];
        STORE_INSERT(insert, STORE_T(range->profile), STORE_T(range->word), STORE_I(range->low),
                     STORE_I(range->high), STORE_T(range->text));
    }
    store_finish(insert);
}

static void write_ports(struct store_statement *insert, uint32_t index,
                        const struct scenario_node *node, uint32_t *endpoint)
{
    const bool host = node->kind == SCENARIO_HOST;
    for (uint32_t i = 0; i < node->port_count; i++) {
        const struct scenario_port *port = &node->ports[i];
        const struct scenario_port_text name = scenario_port_name(node, i);
        STORE_INSERT(insert, STORE_I(index), STORE_I(i), STORE_T(name.text), STORE_I(port->link),
                     STORE_I(port->peer_node), STORE_I(port->peer_port),
                     STORE_I(port->params->rate), STORE_I(port->params->mtu),
                     STORE_I(port->params->length), STORE_I(port_propagation(port->params)),
                     host ? STORE_I(*endpoint) : STORE_N,
                     host ? STORE_I(rnic_ip(*endpoint)) : STORE_N);
        *endpoint += host;
    }
}

static void write_fabric(struct store *store, const struct scenario *scenario)
{
    struct store_statement *nodes = store_prepare(store, "INSERT INTO node VALUES(?,?,?,?,NULL)");
    struct store_statement *ports =
        store_prepare(store, "INSERT INTO port VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    uint32_t endpoint = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        STORE_INSERT(nodes, STORE_I(i), STORE_T(node->name),
                     STORE_T(node->kind == SCENARIO_HOST ? "host" : "switch"), STORE_I(node->tier));
        write_ports(ports, i, node, &endpoint);
    }
    store_finish(nodes);
    store_finish(ports);
    struct store_statement *links = store_prepare(store, "INSERT INTO link VALUES(?,?,?,?,?,?)");
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        STORE_INSERT(links, STORE_I(i), STORE_T(link->name), STORE_I(link->node[0]),
                     STORE_I(link->port[0]), STORE_I(link->node[1]), STORE_I(link->port[1]));
    }
    store_finish(links);
}

static void write_pairs(struct store *store, const struct scenario *scenario)
{
    struct store_statement *insert =
        store_prepare(store, "INSERT INTO workload_pair VALUES(?,?,?)");
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++)
            STORE_INSERT(insert, STORE_I(i), STORE_I(workload->pairs[k].from),
                         STORE_I(workload->pairs[k].to));
    }
    store_finish(insert);
}

static void write_faults(struct store *store, const struct scenario *scenario)
{
    struct store_statement *faults = store_prepare(store, "INSERT INTO fault VALUES(?,?,?,?)");
    struct store_statement *places = store_prepare(store, "INSERT INTO fault_place VALUES(?,?,?)");
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        STORE_INSERT(faults, STORE_I(i), STORE_T(fault->ops->name), STORE_I(fault->at),
                     fault->end == TIME_NEVER ? STORE_N : STORE_I(fault->end));
        for (uint32_t k = 0; k < fault->spot_count; k++)
            STORE_INSERT(places, STORE_I(i), STORE_I(fault->spots[k].node),
                         fault->spots[k].port == SCENARIO_ALL_PORTS
                             ? STORE_N
                             : STORE_I(fault->spots[k].port));
    }
    store_finish(faults);
    store_finish(places);
}

static void write_counter_names(struct store *store)
{
    static const char *const scopes[] = {
        [COUNTER_OF_PRIORITY] = "priority",
        [COUNTER_OF_PORT] = "port",
        [COUNTER_OF_RNIC] = "rnic",
        [COUNTER_OF_SWITCH_PRIORITY] = "switch-priority",
        [COUNTER_OF_SWITCH_PORT] = "switch-port",
        [COUNTER_OF_SWITCH] = "switch",
    };
    struct store_statement *insert =
        store_prepare(store, "INSERT INTO counter_name VALUES(?,?,?,?)");
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_about *about = &counters_about[i];
        STORE_INSERT(insert, STORE_T(about->name), STORE_T(about->sai),
                     STORE_T(scopes[about->scope]), STORE_T(about->unit));
    }
    store_finish(insert);
}

struct beginning {
    const struct record_options *options;
    const struct scenario *scenario;
};

static void fill(void *self, struct store *store)
{
    const struct beginning *beginning = self;
    store_exec(store, record_schema_counters);
    store_exec(store, record_schema_series);
    store_exec(store, record_schema_events);
    write_counter_names(store);
    write_meta(store, beginning->options, beginning->scenario);
    write_sources(store, beginning->scenario);
    write_settings(store, beginning->scenario);
    write_calibrated(store, beginning->scenario);
    write_fabric(store, beginning->scenario);
    write_pairs(store, beginning->scenario);
    write_faults(store, beginning->scenario);
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
    else if (store_is_foreign(path))
        snprintf(why, OUTPUT_WHY_BYTES,
                 "%.400s: exists and is not a run database; it is left alone", path);
    else
        return output_is_apart(path, &inputs, why);
    return false;
}

struct store *record_begin(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES])
{
    CHECK(scenario->source_count > 0);
    if (options->unread)
        return store_create_deaf();
    struct beginning self = {options, scenario};
    const struct store_beginning beginning = {.schema = record_schema, .fill = fill, .self = &self};
    return store_create(options->path, &beginning, error);
}
