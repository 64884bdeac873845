/* SPDX-License-Identifier: Apache-2.0
 * trial - copies of what changes, pointers to the rest. */
#include "replay/experiment/trial_private.h"

#include "base/memory.h"
#include "scenarios/data/fault.h"
#include "scenarios/load/library.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trial_base_find(struct trial_base *base, const struct scenario *scenario)
{
    base->scenario = scenario;
    deviations_find(&base->deviations, scenario);
    deviations_find_written(&base->written, scenario);
    trial_remedies_find(&base->remedies, scenario);
}

void trial_base_free(struct trial_base *base)
{
    deviations_free(&base->deviations);
    deviations_free(&base->written);
    trial_remedies_free(&base->remedies);
}

bool trial_change_equal(const struct trial_change *a, const struct trial_change *b)
{
    return a->kind == b->kind && a->fault == b->fault && a->host == b->host &&
           a->workload == b->workload && a->setting == b->setting && a->single == b->single &&
           a->written == b->written && a->family == b->family && a->even == b->even &&
           a->resource == b->resource && a->permille == b->permille && a->set == b->set &&
           a->remedy == b->remedy;
}

const char *trial_suspect(enum trial_kind kind)
{
    static const char *const words[] = {"fault",   "host",    "setting", "load",
                                        "setting", "setting", "setting"};
    return words[kind];
}

static const char *first_set(const struct trial_base *base, const struct trial_change *change)
{
    return base->remedies.list[change->remedy].sets[0];
}

void trial_name(const struct trial_change *change, const struct trial_base *base, char *text,
                size_t size)
{
    const struct scenario *scenario = base->scenario;
    switch (change->kind) {
    case TRIAL_REMOVE_FAULT:
        snprintf(text, size, "faults.%u", change->fault);
        break;
    case TRIAL_RESTORE_DRAIN:
        snprintf(text, size, "%s", scenario->nodes[change->host].name);
        break;
    case TRIAL_RESTORE_SETTING:
        trial_setting_name(change, base, text, size);
        break;
    case TRIAL_REMOVE_TRAFFIC:
        snprintf(text, size, "%s", scenario->workloads[change->workload].name);
        break;
    case TRIAL_RELAX:
        snprintf(text, size, "%s", bottleneck_word(change->resource));
        break;
    case TRIAL_SCALE:
        snprintf(text, size, "%.*s", (int)strcspn(change->set, "="), change->set);
        break;
    case TRIAL_REMEDY:
        snprintf(text, size, "%.*s", (int)strcspn(first_set(base, change), "="),
                 first_set(base, change));
        break;
    }
}

void trial_words(const struct trial_change *change, const struct trial_base *base, char *text,
                 size_t size)
{
    const struct scenario *scenario = base->scenario;
    switch (change->kind) {
    case TRIAL_REMOVE_FAULT:
        snprintf(text, size, "%s, removed", fault_name(scenario, change->fault).text);
        break;
    case TRIAL_RESTORE_DRAIN:
        snprintf(text, size, "%s drains at line rate", scenario->nodes[change->host].name);
        break;
    case TRIAL_RESTORE_SETTING:
        trial_setting_words(change, base, text, size);
        break;
    case TRIAL_REMOVE_TRAFFIC:
        if (change->host == TRIAL_ANY_HOST)
            snprintf(text, size, "%s removed", scenario->workloads[change->workload].name);
        else
            snprintf(text, size, "%s, traffic with %s removed",
                     scenario->workloads[change->workload].name,
                     scenario->nodes[change->host].name);
        break;
    case TRIAL_RELAX:
        trial_relax_words(change, scenario, text, size);
        break;
    case TRIAL_SCALE:
        snprintf(text, size, "%s", change->set);
        break;
    case TRIAL_REMEDY:
        snprintf(text, size, "%s", base->remedies.list[change->remedy].finding);
        break;
    }
}

void trial_cause_words(const struct trial_change *change, const struct trial_base *base, char *text,
                       size_t size)
{
    if (change->kind == TRIAL_REMOVE_FAULT)
        snprintf(text, size, "%s", fault_name(base->scenario, change->fault).text);
    else if (change->kind == TRIAL_RESTORE_DRAIN)
        snprintf(text, size, "%.64s drains more slowly than its link delivers",
                 base->scenario->nodes[change->host].name);
    else if (change->kind == TRIAL_RESTORE_SETTING)
        trial_setting_cause(change, base, text, size);
    else
        trial_words(change, base, text, size);
}

/* ------------------------------------------------------------------ changed copies */

static bool removes(const struct trial *trial, uint32_t fault)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->changes[i].kind == TRIAL_REMOVE_FAULT && trial->changes[i].fault == fault)
            return true;
    return false;
}

static void remove_faults(struct tried *tried, const struct trial *trial)
{
    struct scenario *scenario = &tried->scenario;
    struct scenario_fault *faults =
        arena_array(&tried->arena, (size_t)scenario->fault_count + 1, sizeof *faults);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (!removes(trial, i))
            faults[kept++] = scenario->faults[i];
    scenario->faults = faults;
    scenario->fault_count = kept;
}

static bool computes(const struct trial *trial, const struct trial_base *base, uint32_t route)
{
    for (uint32_t i = 0; i < trial->count; i++) {
        if (trial->changes[i].kind != TRIAL_RESTORE_SETTING || trial->changes[i].written)
            continue;
        for (size_t k = 0; k < base->deviations.count; k++) {
            const struct deviation_change *change = base->deviations.list[k].changes;
            if (change->of == DEVIATION_ROUTE && change->index == route &&
                trial_covers(&trial->changes[i], &base->deviations, k))
                return true;
        }
    }
    return false;
}

static void remove_routes(struct tried *tried, const struct trial *trial,
                          const struct trial_base *base)
{
    struct scenario *scenario = &tried->scenario;
    struct scenario_route *routes =
        arena_array(&tried->arena, (size_t)scenario->route_count + 1, sizeof *routes);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->route_count; i++)
        if (!computes(trial, base, i))
            routes[kept++] = scenario->routes[i];
    scenario->routes = routes;
    scenario->route_count = kept;
}

static void own_nodes(struct tried *tried)
{
    struct scenario *scenario = &tried->scenario;
    struct scenario_node *nodes = arena_array(&tried->arena, scenario->node_count, sizeof *nodes);
    memcpy(nodes, scenario->nodes, scenario->node_count * sizeof *nodes);
    scenario->nodes = nodes;
}

static struct scenario_workload *own_workloads(struct tried *tried)
{
    struct scenario *scenario = &tried->scenario;
    struct scenario_workload *workloads =
        arena_array(&tried->arena, scenario->workload_count, sizeof *workloads);
    memcpy(workloads, scenario->workloads, scenario->workload_count * sizeof *workloads);
    scenario->workloads = workloads;
    return workloads;
}

static void restore_drain(struct tried *tried, uint32_t node)
{
    struct scenario_host *host = arena_take(&tried->arena, sizeof *host);
    struct rnic_params *rnic = arena_take(&tried->arena, sizeof *rnic);
    *host = *tried->scenario.nodes[node].host;
    *rnic = *host->rnic;
    rnic->drain = RNIC_UNLIMITED;
    host->rnic = rnic;
    tried->scenario.nodes[node].host = host;
}

static void remove_traffic(struct tried *tried, uint32_t index, uint32_t host)
{
    struct scenario_workload *workload = &own_workloads(tried)[index];
    struct scenario_pair *pairs =
        arena_array(&tried->arena, (size_t)workload->pair_count + 1, sizeof *pairs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < workload->pair_count && host != TRIAL_ANY_HOST; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            pairs[kept++] = workload->pairs[i];
    workload->pairs = pairs;
    workload->pair_count = kept;
}

static void restore_settings(struct tried *tried, const struct trial_change *change,
                             const struct trial_base *base)
{
    const struct deviations *all = trial_deviations(change, base);
    for (size_t i = 0; i < all->count; i++)
        if (trial_covers(change, all, i))
            trial_restore(tried, &all->list[i], trial_even_share(change, all, i),
                          tried->loaded != NULL ? tried->loaded : base->scenario);
}

/* Changes the order of frames that would otherwise coincide: each member begins at a time of its
 * own, later by less than a microsecond. */
static void start_later(struct tried *tried, uint32_t times)
{
    static const time_ps most = 300 * PS_PER_NS;
    struct scenario_workload *workloads = own_workloads(tried);
    for (uint32_t i = 0; i < tried->scenario.workload_count; i++)
        workloads[i].nudge = times * most;
}

/* ------------------------------------------------------------------ another scenario */

static bool is_loaded(const struct trial_change *change)
{
    return change->kind == TRIAL_RELAX || change->kind == TRIAL_SCALE ||
           change->kind == TRIAL_REMEDY;
}

/* Nodes, namespaces and workloads have the same numbers, so that changes of one are changes of the
 * other. */
static bool is_alike(const struct scenario *a, const struct scenario *b)
{
    bool alike = a->node_count == b->node_count && a->link_count == b->link_count &&
                 a->host_count == b->host_count && a->workload_count == b->workload_count &&
                 a->fault_count == b->fault_count && a->route_count == b->route_count;
    for (uint32_t i = 0; alike && i < a->node_count; i++)
        alike = a->nodes[i].port_count == b->nodes[i].port_count;
    for (uint32_t i = 0; alike && i < a->host_count; i++)
        alike = a->nodes[i].host->namespace_count == b->nodes[i].host->namespace_count &&
                a->nodes[i].host->subsystem_count == b->nodes[i].host->subsystem_count;
    for (uint32_t i = 0; alike && i < a->workload_count; i++)
        alike = a->workloads[i].ops == b->workloads[i].ops;
    return alike;
}

static uint32_t count_sets(const struct trial *trial, const struct trial_base *base)
{
    uint32_t count = 1; /* the seed */
    for (uint32_t i = 0; i < trial->count; i++)
        count += trial->changes[i].kind == TRIAL_REMEDY
                     ? base->remedies.list[trial->changes[i].remedy].set_count
                     : 1;
    return count;
}

/* Relaxed values are changed in place, and others are read: in a scenario of the trial's own. */
static bool load_again(struct tried *tried, const struct trial *trial,
                       const struct trial_base *base, struct diag *diag)
{
    const char **sets = memory_zeroed(count_sets(trial, base), sizeof *sets);
    char seed[40];
    uint32_t count = 0;
    bool loads = trial->seed > 0;
    snprintf(seed, sizeof seed, "seed=%" PRIu64, trial->seed);
    if (loads)
        sets[count++] = seed;
    for (uint32_t i = 0; i < trial->count; i++) {
        loads |= is_loaded(&trial->changes[i]);
        if (trial->changes[i].kind == TRIAL_SCALE)
            sets[count++] = trial->changes[i].set;
        const struct trial_remedy *remedy = &base->remedies.list[trial->changes[i].remedy];
        for (uint32_t k = 0; trial->changes[i].kind == TRIAL_REMEDY && k < remedy->set_count; k++)
            sets[count++] = remedy->sets[k];
    }
    if (loads)
        tried->loaded = library_load_again(base->scenario, sets, count, diag);
    free(sets);
    if (!loads)
        return true;
    if (tried->loaded == NULL || !is_alike(tried->loaded, base->scenario))
        return false;
    bool changed = true;
    for (uint32_t i = 0; i < trial->count; i++) {
        const struct trial_change *change = &trial->changes[i];
        if (change->kind == TRIAL_RELAX)
            changed &= trial_relax(tried->loaded, change->resource, change->permille) > 0;
    }
    tried->scenario = *tried->loaded;
    return changed;
}

bool trial_apply(struct tried *tried, const struct trial *trial, const struct trial_base *base,
                 struct diag *diag)
{
    *tried = (struct tried){.scenario = *base->scenario};
    if (!load_again(tried, trial, base, diag))
        return false;
    remove_faults(tried, trial);
    remove_routes(tried, trial, base);
    own_nodes(tried);
    for (uint32_t i = 0; i < trial->count; i++) {
        const struct trial_change *change = &trial->changes[i];
        if (change->kind == TRIAL_RESTORE_DRAIN)
            restore_drain(tried, change->host);
        else if (change->kind == TRIAL_RESTORE_SETTING)
            restore_settings(tried, change, base);
        else if (change->kind == TRIAL_REMOVE_TRAFFIC)
            remove_traffic(tried, change->workload, change->host);
    }
    if (trial->later > 0)
        start_later(tried, trial->later);
    return true;
}

void tried_free(struct tried *tried)
{
    arena_free(&tried->arena);
    scenario_free(tried->loaded);
}
