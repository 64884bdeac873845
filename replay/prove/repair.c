/* SPDX-License-Identifier: Apache-2.0
 * repair - copies of what changes, pointers to the rest. */
#include "replay/prove/repair_private.h"

#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <string.h>

bool repair_equal(const struct repair *a, const struct repair *b)
{
    return a->kind == b->kind && a->fault == b->fault && a->host == b->host &&
           a->workload == b->workload && a->setting == b->setting && a->single == b->single &&
           a->written == b->written && a->family == b->family;
}

/* Up to the dash in the last name of the path; 0: there is none. */
static size_t family_of(const char *path)
{
    const char *name = strrchr(path, '.'), *dash = name == NULL ? NULL : strchr(name, '-');
    return dash == NULL ? 0 : (size_t)(dash - path) + 1;
}

static bool is_kin(const char *a, const char *b)
{
    const size_t length = family_of(a);
    return length > 0 && length == family_of(b) && strncmp(a, b, length) == 0;
}

bool repair_covers(const struct repair *repair, const struct deviations *deviations, size_t index)
{
    return index == repair->setting ||
           (repair->family &&
            is_kin(deviations->list[index].path, deviations->list[repair->setting].path)) ||
           (!repair->single &&
            deviation_together(&deviations->list[index], &deviations->list[repair->setting]));
}

const char *repair_suspect(enum repair_kind kind)
{
    static const char *const words[] = {"fault", "host", "setting", "load"};
    return words[kind];
}

/* ------------------------------------------------------------------ in words */

static int spot_words(const struct scenario *scenario, const struct scenario_spot *spot, char *text,
                      size_t size)
{
    const struct scenario_node *node = &scenario->nodes[spot->node];
    if (spot->port == SCENARIO_ALL_PORTS)
        return snprintf(text, size, " at %s", node->name);
    return snprintf(text, size, " at %s", scenario_port_name(node, spot->port).text);
}

static void place_words(const struct scenario *scenario, const struct deviation *deviation,
                        char *text, size_t size)
{
    const struct scenario_spot *spot = &deviation->changes[0].spot;
    const uint32_t spots = deviation_spots(deviation);
    int used = 0;
    text[0] = '\0';
    if (spot->node != SCENARIO_NOWHERE)
        used = spot_words(scenario, spot, text, size);
    if (spots > 1 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " and %u more", spots - 1);
}

static uint32_t count_covered(const struct repair *repair, const struct deviations *deviations)
{
    uint32_t count = 0;
    for (size_t i = 0; i < deviations->count; i++)
        count += repair_covers(repair, deviations, i);
    return count;
}

static void setting_name(const struct repair *repair, const struct deviations *deviations,
                         char *text, size_t size)
{
    const struct deviation *first = &deviations->list[repair->setting];
    const bool whole = !repair->family && count_covered(repair, deviations) > 1;
    snprintf(text, size, "%s", whole ? first->entry : first->path);
}

bool repair_has_family(const struct repair *repair, const struct scenario *scenario)
{
    struct repair wide = *repair;
    struct deviations written;
    wide.family = true;
    deviations_find_written(&written, scenario);
    const bool several = repair->written && count_covered(&wide, &written) > 1;
    deviations_free(&written);
    return several;
}

/* "fabric.overrides[0].mtu 1500B -> 4200B at leaf1:p0 and 3 more"; of several values
 * "fabric.overrides[0]: alpha 1% -> 25%, xon 0B -> 10KB at leaf1" */
static void setting_words(const struct repair *repair, const struct scenario *scenario,
                          const struct deviations *deviations, char *text, size_t size)
{
    const struct deviation *first = &deviations->list[repair->setting];
    const bool whole = !repair->family && count_covered(repair, deviations) > 1;
    const char *between = whole ? " " : "";
    char place[REPAIR_NAME_BYTES];
    int used = whole ? snprintf(text, size, "%s:", first->entry) : 0;
    place_words(scenario, first, place, sizeof place);
    for (size_t i = 0; i < deviations->count; i++) {
        const struct deviation *deviation = &deviations->list[i];
        if (!repair_covers(repair, deviations, i) || (size_t)used >= size)
            continue;
        const char *path = deviation->path + (whole ? strlen(first->entry) : 0);
        path += whole && *path == '.';
        used += snprintf(text + used, size - (size_t)used, "%s%s %s -> %s", between, path,
                         deviation->value, deviation->common);
        between = ", ";
    }
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s", place);
}

static void settings_say(const struct repair *repair, const struct scenario *scenario, bool name,
                         char *text, size_t size)
{
    struct deviations deviations;
    (repair->written ? deviations_find_written : deviations_find)(&deviations, scenario);
    if (name)
        setting_name(repair, &deviations, text, size);
    else
        setting_words(repair, scenario, &deviations, text, size);
    deviations_free(&deviations);
}

void repair_name(const struct repair *repair, const struct scenario *scenario, char *text,
                 size_t size)
{
    if (repair->kind == REPAIR_FAULT)
        snprintf(text, size, "faults.%u", repair->fault);
    else if (repair->kind == REPAIR_DRAIN)
        snprintf(text, size, "%s", scenario->nodes[repair->host].name);
    else if (repair->kind == REPAIR_SETTING)
        settings_say(repair, scenario, true, text, size);
    else
        snprintf(text, size, "%s", scenario->workloads[repair->workload].name);
}

void repair_words(const struct repair *repair, const struct scenario *scenario, char *text,
                  size_t size)
{
    if (repair->kind == REPAIR_FAULT)
        snprintf(text, size, "%s, removed", fault_name(scenario, repair->fault).text);
    else if (repair->kind == REPAIR_DRAIN)
        snprintf(text, size, "%s drains at line rate", scenario->nodes[repair->host].name);
    else if (repair->kind == REPAIR_SETTING)
        settings_say(repair, scenario, false, text, size);
    else if (repair->host == REPAIR_ANY_HOST)
        snprintf(text, size, "%s removed", scenario->workloads[repair->workload].name);
    else
        snprintf(text, size, "%s, traffic with %s removed",
                 scenario->workloads[repair->workload].name, scenario->nodes[repair->host].name);
}

/* ------------------------------------------------------------------ copies of what changes */

static bool is_taken(const struct repair *repairs, uint32_t count, uint32_t fault)
{
    for (uint32_t i = 0; i < count; i++)
        if (repairs[i].kind == REPAIR_FAULT && repairs[i].fault == fault)
            return true;
    return false;
}

static void take_faults(struct repaired *repaired, const struct repair *repairs, uint32_t count)
{
    struct scenario *scenario = &repaired->scenario;
    struct scenario_fault *faults =
        arena_array(&repaired->arena, (size_t)scenario->fault_count + 1, sizeof *faults);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (!is_taken(repairs, count, i))
            faults[kept++] = scenario->faults[i];
    scenario->faults = faults;
    scenario->fault_count = kept;
}

static bool is_covered(const struct repaired *repaired, const struct repair *repairs,
                       uint32_t count, uint32_t route)
{
    for (uint32_t i = 0; i < count; i++) {
        if (repairs[i].kind != REPAIR_SETTING || repairs[i].written)
            continue;
        for (size_t k = 0; k < repaired->deviations.count; k++) {
            const struct deviation_change *change = repaired->deviations.list[k].changes;
            if (change->of == DEVIATION_ROUTE && change->index == route &&
                repair_covers(&repairs[i], &repaired->deviations, k))
                return true;
        }
    }
    return false;
}

static void take_routes(struct repaired *repaired, const struct repair *repairs, uint32_t count)
{
    struct scenario *scenario = &repaired->scenario;
    struct scenario_route *routes =
        arena_array(&repaired->arena, (size_t)scenario->route_count + 1, sizeof *routes);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->route_count; i++)
        if (!is_covered(repaired, repairs, count, i))
            routes[kept++] = scenario->routes[i];
    scenario->routes = routes;
    scenario->route_count = kept;
}

static void copy_nodes(struct repaired *repaired)
{
    struct scenario *scenario = &repaired->scenario;
    struct scenario_node *nodes =
        arena_array(&repaired->arena, scenario->node_count, sizeof *nodes);
    memcpy(nodes, scenario->nodes, scenario->node_count * sizeof *nodes);
    scenario->nodes = nodes;
}

static void free_drain(struct repaired *repaired, uint32_t node)
{
    struct scenario_host *host = arena_take(&repaired->arena, sizeof *host);
    struct rnic_params *rnic = arena_take(&repaired->arena, sizeof *rnic);
    *host = *repaired->scenario.nodes[node].host;
    *rnic = *host->rnic;
    rnic->drain = RNIC_UNLIMITED;
    host->rnic = rnic;
    repaired->scenario.nodes[node].host = host;
}

static void leave_out(struct repaired *repaired, uint32_t index, uint32_t host)
{
    struct scenario *scenario = &repaired->scenario;
    struct scenario_workload *workloads =
        arena_array(&repaired->arena, scenario->workload_count, sizeof *workloads);
    memcpy(workloads, scenario->workloads, scenario->workload_count * sizeof *workloads);
    struct scenario_workload *workload = &workloads[index];
    struct scenario_pair *pairs =
        arena_array(&repaired->arena, (size_t)workload->pair_count + 1, sizeof *pairs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < workload->pair_count && host != REPAIR_ANY_HOST; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            pairs[kept++] = workload->pairs[i];
    workload->pairs = pairs;
    workload->pair_count = kept;
    scenario->workloads = workloads;
}

static bool has_setting(const struct repair *repairs, uint32_t count, bool written)
{
    for (uint32_t i = 0; i < count; i++)
        if (repairs[i].kind == REPAIR_SETTING && repairs[i].written == written)
            return true;
    return false;
}

static void repair_settings(struct repaired *repaired, const struct repair *repair,
                            const struct scenario *scenario)
{
    const struct deviations *all = repair->written ? &repaired->written : &repaired->deviations;
    for (size_t i = 0; i < all->count; i++)
        if (repair_covers(repair, all, i))
            repair_setting(repaired, &all->list[i], scenario);
}

void repair_apply(struct repaired *repaired, const struct repair *repairs, uint32_t count,
                  const struct scenario *scenario)
{
    *repaired = (struct repaired){.scenario = *scenario};
    if (has_setting(repairs, count, false))
        deviations_find(&repaired->deviations, scenario);
    if (has_setting(repairs, count, true))
        deviations_find_written(&repaired->written, scenario);
    take_faults(repaired, repairs, count);
    take_routes(repaired, repairs, count);
    copy_nodes(repaired);
    for (uint32_t i = 0; i < count; i++) {
        if (repairs[i].kind == REPAIR_DRAIN)
            free_drain(repaired, repairs[i].host);
        else if (repairs[i].kind == REPAIR_SETTING)
            repair_settings(repaired, &repairs[i], scenario);
        else if (repairs[i].kind == REPAIR_TRAFFIC)
            leave_out(repaired, repairs[i].workload, repairs[i].host);
    }
}

void repair_free(struct repaired *repaired)
{
    arena_free(&repaired->arena);
    deviations_free(&repaired->deviations);
    deviations_free(&repaired->written);
}
