/* SPDX-License-Identifier: Apache-2.0
 * deduce_base - starting values: the base's values, the link's rate, and settings that a tool
 * printed. */
#include "base/quantity.h"
#include "replay/calibrate/benchmark.h"
#include "replay/readings/deduce_private.h"
#include "scenarios/load/profile.h"

#include "base/check.h"

#include <stdio.h>
#include <string.h>

enum { SET_BYTES = 256 };

static const char section[] = "hosts.defaults.";

/* ------------------------------------------------------------------ settings */

static int find_parameter(const char *path)
{
    static const char *const paths[] = {
#define X(member, path, settle) path,
        DEDUCE_PARAMETERS(X)
#undef X
    };
    int i = 0;
    while (i < DEDUCE_COUNT && strcmp(paths[i], path) != 0)
        i++;
    return i;
}

/* Sizes that tests choose themselves differ from test to test, so the largest counts. */
static bool is_chosen(int which)
{
    return which == DEDUCE_INLINE_SIZE || which == DEDUCE_MAX_RD_ATOMIC;
}

static void take_setting(struct deduced *deduced, const struct reading *reading)
{
    char why[OPT_WHY_BYTES];
    int64_t value;
    const int which = find_parameter(reading->path);
    CHECK(which < DEDUCE_COUNT);
    struct deduced_parameter *parameter = &deduced->parameters[which];
    if (!opt_parse(parameter->row, reading->value, &value, why)) {
        deduce_conflict(deduced, reading, NULL, "%s is not modeled: %s", parameter->path, why);
        return;
    }
    const bool known = parameter->state == DEDUCE_KNOWN;
    if (known && !is_chosen(which) && value != parameter->value && parameter->from != NULL)
        deduce_conflict(deduced, parameter->from, reading,
                        "%s is %s in the first and %s in the second", parameter->path,
                        parameter->from->value, reading->value);
    else if (known && !is_chosen(which) && value != parameter->value)
        deduce_conflict(deduced, reading, NULL, "--rate contradicts the rate %s", reading->value);
    if (known && (!is_chosen(which) || value <= parameter->value))
        return;
    parameter->state = DEDUCE_KNOWN;
    parameter->value = value;
    parameter->from = reading;
    parameter->evidence = "documented";
}

void deduce_settings(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++)
        if (readings->list[i].kind == READING_SETTING)
            take_setting(deduced, &readings->list[i]);
    if (deduced->parameters[DEDUCE_LINE_RATE].state == DEDUCE_KNOWN)
        deduced->rate = deduced->parameters[DEDUCE_LINE_RATE].value;
}

/* ------------------------------------------------------------------ the base */

static const struct scenario_setting *find_setting(const struct scenario *scenario,
                                                   const char *head, const char *path)
{
    const struct scenario_setting *setting = scenario->settings;
    while (strncmp(setting->path, head, strlen(head)) != 0 ||
           strcmp(setting->path + strlen(head), path) != 0)
        CHECK(++setting < scenario->settings + scenario->setting_count);
    return setting;
}

/* A row assembled from several tables ends with its own scenario row. */
static const struct opt *own_row(struct deduced *deduced, const struct opt *row)
{
    struct opt *own = arena_take(&deduced->arena, sizeof *own);
    *own = *row;
    return own;
}

static const char *copy(struct deduced *deduced, const char *text)
{
    return text == NULL ? NULL : arena_text(&deduced->arena, text, strlen(text));
}

static void begin_parameters(struct deduced *deduced, const struct scenario *scenario)
{
    static const struct deduced_parameter begin[] = {
#define X(member, path, settle) {path, settle, .evidence = "assumed"},
        DEDUCE_PARAMETERS(X)
#undef X
    };
    memcpy(deduced->parameters, begin, sizeof begin);
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        struct deduced_parameter *parameter = &deduced->parameters[i];
        const bool of_tcp = strncmp(parameter->path, "tcp.", 4) == 0;
        parameter->absent = deduced->tcp ? strncmp(parameter->path, "rnic.", 5) == 0 : of_tcp;
        if (of_tcp && parameter->absent)
            continue;
        const struct scenario_setting *setting = find_setting(scenario, section, parameter->path);
        parameter->row = own_row(deduced, setting->row);
        parameter->base = parameter->value = setting->value;
        parameter->written = setting->profile != NULL && setting->evidence != NULL;
        parameter->base_evidence = copy(deduced, setting->evidence);
        parameter->base_sources = setting->sources;
        parameter->source = copy(deduced, setting->source);
    }
}

static void keep_row(struct deduced *deduced, const struct scenario_setting *setting)
{
    char value[QUANTITY_TEXT_BYTES];
    opt_format(setting->row, setting->value, value, sizeof value);
    struct deduced_kept *kept = arena_push(&deduced->arena, (void **)(void *)&deduced->kept,
                                           &deduced->kept_count, sizeof *kept);
    *kept = (struct deduced_kept){.path = copy(deduced, setting->path + strlen(section)),
                                  .value = copy(deduced, value),
                                  .evidence = copy(deduced, setting->evidence),
                                  .sources = setting->sources,
                                  .source = copy(deduced, setting->source)};
}

static void keep_rows(struct deduced *deduced, const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        if (strncmp(setting->path, section, strlen(section)) == 0 && setting->profile != NULL &&
            setting->evidence != NULL &&
            find_parameter(setting->path + strlen(section)) == DEDUCE_COUNT)
            keep_row(deduced, setting);
    }
}

/* The given rate, otherwise the card's own, otherwise that of the benchmark's link. */
static bool begin_rate(struct deduced *deduced, const char *rate, const struct scenario *scenario,
                       struct diag *diag)
{
    char why[QUANTITY_WHY_BYTES];
    struct deduced_parameter *own = &deduced->parameters[DEDUCE_LINE_RATE];
    deduced->rate =
        own->base > 0 ? own->base : find_setting(scenario, "fabric.", "host-links.rate")->value;
    if (rate == NULL)
        return true;
    if (opt_parse(own->row, rate, &deduced->rate, why) && deduced->rate > 0) {
        own->value = deduced->rate;
        own->state = DEDUCE_KNOWN;
        own->evidence = "documented";
        own->how = "--rate";
        return true;
    }
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = "--rate", .line = 1, .column = 1}, rate,
             "expected a rate such as 100Gbps");
    return false;
}

/* Whether a profile of kind target limits NVMe over TCP. */
static bool has_tcp_values(const struct tree_node *root)
{
    const struct tree_node *values = tree_get(root, "values");
    for (size_t i = 0; values != NULL && i < values->count; i++)
        if (strncmp(values->items[i].key, "tcp-", 4) == 0)
            return true;
    return false;
}

/* Whatever is not a profile of the program is left to the scenario's message. */
static bool begin_section(struct deduced *deduced, struct diag *diag)
{
    const struct tree_node *root = profile_tree(&deduced->arena, deduced->base);
    const struct tree_node *kind = root == NULL ? NULL : tree_get(root, "kind");
    deduced->section = kind == NULL ? "rnic" : kind->text;
    deduced->tcp = strcmp(deduced->section, "tcp") == 0 ||
                   (strcmp(deduced->section, "target") == 0 && has_tcp_values(root));
    if (deduced->tcp || strcmp(deduced->section, "rnic") == 0)
        return true;
    tree_error(diag, kind,
               "--base %.64s: expected a profile of kind rnic or tcp, or one of kind target with "
               "tcp- values, but its kind is %.32s%s",
               deduced->base, kind->text, strcmp(kind->text, "target") == 0 ? ", for RDMA" : "");
    return false;
}

bool deduce_begin(struct deduced *deduced, const char *rate, struct diag *diag)
{
    char set[SET_BYTES];
    const char *list[] = {set, "workloads.0.transport=tcp"};
    if (!begin_section(deduced, diag))
        return false;
    snprintf(set, sizeof set, "hosts.defaults.%s.profile=%s", deduced->section, deduced->base);
    struct scenario *scenario =
        benchmark_load(deduced->tcp ? "fio" : "perftest", list, deduced->tcp ? 2 : 1, diag);
    if (scenario == NULL)
        return false;
    begin_parameters(deduced, scenario);
    keep_rows(deduced, scenario);
    deduced->target_cores = find_setting(scenario, section, "target.cores")->value;
    const bool fine = begin_rate(deduced, rate, scenario, diag);
    scenario_free(scenario);
    return fine;
}
