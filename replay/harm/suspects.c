/* SPDX-License-Identifier: Apache-2.0
 * suspects - finds faults and settings at a place.
 * A setting deviates if a comparable object elsewhere has another value: a port compared with
 * ports, a switch with switches of its tier, a host with hosts. */
#include "replay/harm/suspects.h"

#include "scenarios/effect/effect.h"
#include "scenarios/fault/fault_kinds.h"

#include <stdio.h>
#include <string.h>

/* Finds a whole word, not part of a longer one; NULL if the list does not contain it. */
static const char *place_of(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return at;
    return NULL;
}

bool suspects_listed(const char *words, const char *word)
{
    return place_of(words, word) != NULL;
}

/* ------------------------------------------------------------------ places */

static bool spot_is_at(const struct harm_scene *scene, const struct scenario_spot *spot,
                       struct suspects_place place)
{
    const struct explain_fabric *fabric = scene->fabric;
    if (place.port != HARM_NONE) {
        const uint32_t peer = fabric->peer[place.port];
        if (spot->port == SCENARIO_ALL_PORTS)
            return spot->node == fabric->node_of[place.port] || spot->node == fabric->node_of[peer];
        const uint32_t port = scene_port_of(scene, spot->node, spot->port);
        return port == place.port || port == peer;
    }
    return place.node != HARM_NONE && spot->node == place.node;
}

/* ------------------------------------------------------------------ faults */

/* No workload uses the host there or at the other end of the link. */
static bool spot_is_idle(const struct harm_scene *scene, const struct scenario_spot *spot)
{
    const struct scenario_node *node = &scene->scenario->nodes[spot->node];
    if (node->kind == SCENARIO_HOST)
        return !scene_is_used(scene, spot->node);
    if (spot->port == SCENARIO_ALL_PORTS)
        return false;
    const uint32_t peer = node->ports[spot->port].peer_node;
    return scene->scenario->nodes[peer].kind == SCENARIO_HOST && !scene_is_used(scene, peer);
}

static bool fault_is_at(const struct harm_scene *scene, const struct scenario_fault *fault,
                        struct suspects_place place)
{
    const bool anywhere = place.port == HARM_NONE && place.node == HARM_NONE;
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (anywhere ? !spot_is_idle(scene, &fault->spots[i])
                     : spot_is_at(scene, &fault->spots[i], place))
            return true;
    return false;
}

struct suspect suspects_named_fault(const struct harm_scene *scene, uint32_t index)
{
    struct suspect suspect = {.suspect = HARM_FAULT};
    snprintf(suspect.name, sizeof suspect.name, "faults.%u", index);
    snprintf(suspect.words, sizeof suspect.words, "%s", fault_name(scene->scenario, index).text);
    return suspect;
}

const char *suspects_kinds(const char *counted_as, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; fault_kinds[i] != NULL; i++)
        if (fault_kinds[i]->counted_as != NULL &&
            strcmp(fault_kinds[i]->counted_as, counted_as) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s ", fault_kinds[i]->name);
    return text;
}

/* Of two faults of the same kind: whether the first loses more frames or drains more slowly. */
static bool is_harsher(const struct scenario_fault *fault, const struct scenario_fault *than)
{
    static const char *const rows[] = {"rate", "n", "drain"};
    for (size_t i = 0; fault->ops == than->ops && i < sizeof rows / sizeof rows[0]; i++) {
        const struct opt *row = opt_find(fault->ops->opts, rows[i]);
        if (row == NULL)
            continue;
        const int64_t own = *opt_field(row, (void *)(uintptr_t)fault->params),
                      other = *opt_field(row, (void *)(uintptr_t)than->params);
        return i == 0 ? own > other : own < other;
    }
    return false;
}

bool suspects_fault(const struct harm_scene *scene, const char *kinds, struct suspects_place place,
                    time_ps from, time_ps until, struct suspect *suspect)
{
    const struct scenario_routing *routing = &scene->scenario->routing;
    const struct scenario_fault *faults = scene->scenario->faults, *found = NULL;
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &faults[i];
        const time_ps felt = fault->end == TIME_NEVER
                                 ? TIME_NEVER
                                 : fault->end + 2 * (routing->detection + routing->convergence);
        if (suspects_listed(kinds, fault->ops->name) && fault->at <= until && felt >= from &&
            fault->at < scene->now && fault_is_at(scene, fault, place) &&
            (found == NULL || is_harsher(fault, found)))
            found = fault;
    }
    if (found != NULL)
        *suspect = suspects_named_fault(scene, (uint32_t)(found - faults));
    return found != NULL;
}

/* ------------------------------------------------------------------ settings */

static const char *word_of(const struct deviation_change *change)
{
    static const char *const words[] = {
        [DEVIATION_CONTROL] = "congestion-control",
        [DEVIATION_DSCP] = "dscp",
        [DEVIATION_HOST_DSCP] = "dscp",
        [DEVIATION_MEDIA] = "media",
        [DEVIATION_ROUTE] = "routes",
        [DEVIATION_CLASS] = "class",
    };
    return change->row != NULL ? change->row->name : words[change->of];
}

static bool is_about(const struct harm_scene *scene, const struct deviation *deviation,
                     struct suspects_place place)
{
    const struct explain_fabric *fabric = scene->fabric;
    if (place.port == HARM_NONE)
        return place.node == HARM_NONE ||
               deviation_is_at(deviation, place.node, SCENARIO_ALL_PORTS);
    for (int end = 0; end < 2; end++) {
        const uint32_t port = end == 0 ? place.port : fabric->peer[place.port];
        const uint32_t node = fabric->node_of[port];
        if (deviation_is_at(deviation, node, (uint16_t)(port - fabric->first_port[node])))
            return true;
    }
    return false;
}

struct suspect suspects_named_deviation(const struct harm_scene *scene,
                                        const struct deviation *deviation)
{
    struct suspect suspect = {.suspect = HARM_SETTING};
    snprintf(suspect.name, sizeof suspect.name, "%s", deviation->path);
    deviation_words(scene->scenario, deviation, "instead of", suspect.words, sizeof suspect.words);
    return suspect;
}

bool suspects_is_worse(const struct deviation *deviation, const struct deviation_change *change)
{
    char why[OPT_WHY_BYTES];
    int64_t value;
    return change->row == NULL || !opt_parse(change->row, deviation->value, &value, why) ||
           opt_is_worse(change->row, value, change->common);
}

bool suspects_deviation(const struct harm_scene *scene, const char *rows,
                        struct suspects_place place, struct suspect *suspect)
{
    const char *best = NULL;
    for (size_t i = 0; rows != NULL && i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        if (!is_about(scene, deviation, place))
            continue;
        for (size_t k = 0; k < deviation->change_count; k++) {
            const char *word = word_of(&deviation->changes[k]);
            const char *at = place_of(rows, word);
            if (at == NULL || (best != NULL && at >= best) ||
                !suspects_is_worse(deviation, &deviation->changes[k]))
                continue;
            best = at;
            *suspect = suspects_named_deviation(scene, deviation);
        }
    }
    return best != NULL;
}

enum opt_part suspects_part(const struct deviation_change *change)
{
    static const enum opt_part parts[] = {
        [DEVIATION_CONTROL] = OPT_PART_CONGESTION, [DEVIATION_DSCP] = OPT_PART_CLASSES,
        [DEVIATION_HOST_DSCP] = OPT_PART_CLASSES,  [DEVIATION_MEDIA] = OPT_PART_MEDIA,
        [DEVIATION_ROUTE] = OPT_PART_PATHS,        [DEVIATION_CLASS] = OPT_PART_CLASSES,
    };
    return change->row != NULL ? change->row->effect.part : parts[change->of];
}

/* The delay of a row that does not scale with its part is not proportional to its value. */
static bool is_proportional(const struct deviation_change *change)
{
    return change->row == NULL || change->row->effect.scales;
}

bool suspects_deviation_of(const struct harm_scene *scene, enum opt_part part,
                           struct suspects_place place, struct suspect *suspect)
{
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        if (!is_about(scene, deviation, place))
            continue;
        for (size_t k = 0; k < deviation->change_count; k++) {
            const struct deviation_change *change = &deviation->changes[k];
            if (suspects_part(change) != part || !is_proportional(change) ||
                !suspects_is_worse(deviation, change) ||
                effect_is_void(scene->scenario, change->spot.node, change->row))
                continue;
            *suspect = suspects_named_deviation(scene, deviation);
            return true;
        }
    }
    return false;
}

static void name_setting(const struct scenario_setting *setting, int64_t preset,
                         struct suspect *suspect)
{
    char value[64], by_default[64];
    opt_format(setting->row, setting->value, value, sizeof value);
    opt_format(setting->row, preset, by_default, sizeof by_default);
    *suspect = (struct suspect){.suspect = HARM_SETTING};
    snprintf(suspect->name, sizeof suspect->name, "%s", setting->path);
    snprintf(suspect->words, sizeof suspect->words,
             "%.40s is %.40s instead of the default %.40s (%.72s)", setting->row->name, value,
             by_default, setting->path);
}

/* Set by the scenario for all objects of a kind. */
static bool is_general(const struct scenario_setting *setting)
{
#define X(name, word)                                                                              \
    if (strncmp(setting->path, "fabric." word ".", sizeof "fabric." word) == 0)                    \
        return true;
    SCENARIO_KINDS(X)
#undef X
    return strncmp(setting->path, "hosts.defaults.", 15) == 0 ||
           strncmp(setting->path, "fabric.switch.", 14) == 0 ||
           strncmp(setting->path, "fabric.host-links.", 18) == 0 ||
           strncmp(setting->path, "fabric.fabric-links.", 20) == 0;
}

static bool is_below(const struct scenario_setting *setting, const char *below)
{
    return below == NULL ? is_general(setting) : strncmp(setting->path, below, strlen(below)) == 0;
}

/* Finds a row that the scenario sets to a worse value than its preset, for all objects or for those
 * below a path. */
static bool find_written(const struct harm_scene *scene, const char *rows, const char *below,
                         struct suspect *suspect)
{
    const char *best = NULL;
    for (uint32_t i = 0; rows != NULL && i < scene->scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scene->scenario->settings[i];
        char why[OPT_WHY_BYTES];
        int64_t preset;
        if (setting->where.file == NULL || setting->profile != NULL ||
            !suspects_listed(rows, setting->row->name) || !is_below(setting, below) ||
            !opt_parse(setting->row, setting->row->preset, &preset, why) ||
            !opt_is_worse(setting->row, setting->value, preset) ||
            opt_is_smaller_device(setting->row, setting->value, preset))
            continue;
        const char *at = place_of(rows, setting->row->name);
        if (best != NULL && at >= best)
            continue;
        best = at;
        name_setting(setting, preset, suspect);
    }
    return best != NULL;
}

bool suspects_general(const struct harm_scene *scene, const char *rows, struct suspect *suspect)
{
    return find_written(scene, rows, NULL, suspect);
}

bool suspects_scarce(const struct harm_scene *scene, enum opt_part part, struct suspect *suspect)
{
    for (uint32_t i = 0; i < scene->scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scene->scenario->settings[i];
        char why[OPT_WHY_BYTES];
        int64_t preset;
        if (setting->where.file == NULL || setting->profile != NULL ||
            strncmp(setting->path, "hosts.defaults.", 15) != 0 ||
            setting->row->effect.part != part || !setting->row->effect.scales ||
            !opt_parse(setting->row, setting->row->preset, &preset, why) ||
            opt_is_limit(setting->row) || !opt_is_worse(setting->row, setting->value, preset) ||
            opt_is_smaller_device(setting->row, setting->value, preset))
            continue;
        name_setting(setting, preset, suspect);
        return true;
    }
    return false;
}

bool suspects_of_workload(const struct harm_scene *scene, const char *rows, uint32_t workload,
                          struct suspect *suspect)
{
    char below[HARM_NAME_BYTES];
    snprintf(below, sizeof below, "workloads.%.100s.", scene->scenario->workloads[workload].name);
    return find_written(scene, rows, below, suspect);
}
