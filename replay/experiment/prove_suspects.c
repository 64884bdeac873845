/* SPDX-License-Identifier: Apache-2.0
 * prove_suspects - collects faults, slow hosts, settings, traffic at roots, and the remaining
 * workloads. */
#include "replay/experiment/prove_suspects.h"

#include "base/memory.h"
#include "scenarios/data/fault.h"
#include "scenarios/effect/effect.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_LEAST_PERCENT = 1 };

/* Priority of a suspect if there are more than can be run. */
enum { SCORE_CARRIES = 8, SCORE_ROOT = 4, SCORE_NARROW = 2, SCORE_HURT = 1 };

struct candidate {
    struct trial_change repair;
    bool cause, named;
    enum prove_tier tier;
    unsigned score;
};

struct search {
    struct prove *prove;
    const struct trial_base *base;
    const struct scenario *scenario;
    struct store *store;
    const struct harm *harm; /* causes from evidence */
    struct candidate *list;
    uint32_t count, room;
    uint8_t *carries; /* by port (all nodes in one array): carries frames of workloads */
    uint32_t *first;  /* by node: its first port */
    bool *hurt;       /* by node: it dropped frames */
    bool *causes;     /* by host: a cause of the pauses */
};

static void add_row(struct search *search, struct trial_change repair, enum prove_role role,
                    bool cause)
{
    struct prove *prove = search->prove;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (trial_change_equal(&prove->rows[i].repair, &repair)) {
            prove->rows[i].cause |= cause;
            return;
        }
    if (role == PROVE_SUSPECT && prove->row_count >= PROVE_SUSPECTS_MAX) {
        prove->left_out++;
        return;
    }
    struct prove_row *row = &prove->rows[prove->row_count++];
    *row = (struct prove_row){.repair = repair, .role = role, .cause = cause};
    trial_name(&repair, search->base, row->name, sizeof row->name);
    trial_words(&repair, search->base, row->text, sizeof row->text);
}

/* ------------------------------------------------------------------ paths */

static void map_traffic(struct search *search)
{
    const struct scenario *scenario = search->scenario;
    search->first = memory_zeroed((size_t)scenario->node_count + 1, sizeof *search->first);
    search->hurt = memory_zeroed(scenario->node_count, sizeof *search->hurt);
    search->causes = memory_zeroed(scenario->node_count, sizeof *search->causes);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        search->first[i + 1] = search->first[i] + scenario->nodes[i].port_count;
    search->carries = memory_zeroed((size_t)search->first[scenario->node_count] + 1, 1);
    struct store_statement *rows =
        store_prepare(search->store, "SELECT DISTINCT node, port FROM workload_way");
    while (store_step(rows)) {
        const uint32_t node = (uint32_t)store_int(rows, "node");
        const uint16_t port = (uint16_t)store_int(rows, "port");
        const struct scenario_port *own = &scenario->nodes[node].ports[port];
        search->carries[search->first[node] + port] = 1;
        if (own->link != SCENARIO_NO_LINK)
            search->carries[search->first[own->peer_node] + own->peer_port] = 1;
    }
    store_finish(rows);
    rows = store_prepare(search->store, "SELECT DISTINCT node FROM dropped");
    while (store_step(rows))
        search->hurt[store_int(rows, "node")] = true;
    store_finish(rows);
}

static bool carries(const struct search *search, const struct scenario_spot *spot)
{
    if (spot->node == SCENARIO_NOWHERE)
        return true;
    bool any = false;
    for (uint32_t i = search->first[spot->node]; i < search->first[spot->node + 1]; i++)
        if (spot->port == SCENARIO_ALL_PORTS || i - search->first[spot->node] == spot->port)
            any |= search->carries[i] != 0;
    return any;
}

/* ------------------------------------------------------------------ faults and settings */

static void add_candidate(struct search *search, const struct candidate *candidate)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (trial_change_equal(&search->list[i].repair, &candidate->repair)) {
            search->list[i].cause |= candidate->cause;
            search->list[i].named |= candidate->named;
            if (candidate->tier < search->list[i].tier)
                search->list[i].tier = candidate->tier;
            search->list[i].score |= candidate->score;
            return;
        }
    search->list = memory_grown(search->list, search->count, &search->room, sizeof *search->list);
    search->list[search->count++] = *candidate;
}

static void add_fault(struct search *search, uint32_t index, bool cause)
{
    const struct scenario_fault *fault = &search->scenario->faults[index];
    struct candidate candidate = {
        .repair = {.kind = TRIAL_REMOVE_FAULT, .fault = index},
        .cause = cause,
        .score = SCORE_NARROW | (cause ? SCORE_ROOT : 0),
    };
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        candidate.score |= carries(search, &fault->spots[i]) ? SCORE_CARRIES : 0;
        candidate.score |= search->hurt[fault->spots[i].node] ? SCORE_HURT : 0;
    }
    add_candidate(search, &candidate);
}

/* A fault makes this host send pauses. */
static bool is_at(const struct scenario_fault *fault, uint32_t host)
{
    if (!fault->ops->host_pauses)
        return false;
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == host)
            return true;
    return false;
}

/* Hosts that drain more slowly than all others are separate suspects; for many hosts with the same
 * value, the setting is the suspect. */
static bool is_slow_host(const struct deviation *deviation)
{
    const struct deviation_change *change = deviation->changes;
    return deviation->change_count == 1 && change->of == DEVIATION_RNIC &&
           strcmp(change->row->name, "drain") == 0 && change->common == RNIC_UNLIMITED;
}

bool prove_is_accused(const struct harm *harm, const char *name)
{
    for (uint32_t i = 0; i < harm->cause_count; i++)
        if (strcmp(harm->causes[i].name, name) == 0)
            return true;
    return false;
}

/* All deviations in one entry of the file are one suspect. */
static uint32_t first_of_entry(const struct deviations *deviations, uint32_t index)
{
    uint32_t first = 0;
    while (!deviation_together(&deviations->list[first], &deviations->list[index]))
        first++;
    return first;
}

static void add_setting(struct search *search, const struct deviations *deviations, uint32_t index)
{
    const struct deviation *deviation = &deviations->list[index];
    const uint32_t first = first_of_entry(deviations, index);
    bool alone = true;
    for (uint32_t i = 0; i < deviations->count; i++)
        alone &= i == index || !deviation_together(&deviations->list[i], deviation);
    const bool slow = alone && is_slow_host(deviation);
    struct candidate candidate = {
        .repair = slow ? (struct trial_change){.kind = TRIAL_RESTORE_DRAIN,
                                               .host = deviation->changes[0].spot.node}
                       : (struct trial_change){.kind = TRIAL_RESTORE_SETTING, .setting = first},
        .tier = !deviation->planned                               ? PROVE_ODD
                : prove_is_accused(search->harm, deviation->path) ? PROVE_NAMED
                                                                  : PROVE_PLANNED,
        .named = prove_is_accused(search->harm, deviation->path),
        .score = deviation->broad ? 0 : SCORE_NARROW};
    for (size_t k = 0; k < deviation->change_count; k++) {
        const struct scenario_spot *spot = &deviation->changes[k].spot;
        const bool somewhere = spot->node != SCENARIO_NOWHERE;
        candidate.score |= carries(search, spot) ? SCORE_CARRIES : 0;
        candidate.score |= somewhere && search->hurt[spot->node] ? SCORE_HURT : 0;
        candidate.cause |= slow && somewhere && search->causes[spot->node];
    }
    if ((candidate.score & SCORE_CARRIES) != 0)
        add_candidate(search, &candidate);
}

static void add_settings(struct search *search)
{
    const struct deviations *deviations = &search->base->deviations;
    search->prove->left_out += deviations->left_out;
    for (uint32_t i = 0; i < deviations->count; i++)
        add_setting(search, deviations, i);
}

static struct trial_change written_repair(uint32_t index)
{
    return (struct trial_change){
        .kind = TRIAL_RESTORE_SETTING, .setting = index, .single = true, .written = true};
}

/* The setting deviates from nothing because all objects have it, but the evidence names it. */
static void add_named(struct search *search)
{
    const struct deviations *written = &search->base->written;
    for (uint32_t i = 0; i < written->count; i++)
        if (prove_is_accused(search->harm, written->list[i].path))
            add_candidate(search,
                          &(struct candidate){.repair = written_repair(i),
                                              .tier = PROVE_NAMED,
                                              .score = SCORE_CARRIES | SCORE_ROOT | SCORE_NARROW});
}

/* A root of pauses: a host that pauses by itself, or traffic that converges at the port. */
struct root {
    int64_t node, port;
    uint32_t behind; /* the host there, or TRIAL_ANY_HOST */
    bool is_host, cause;
};

typedef void root_fn(struct search *search, const struct root *root);

static void each_root(struct search *search, root_fn *call)
{
    const struct scenario *scenario = search->scenario;
    struct store_statement *rows = store_prepare(
        search->store,
        "SELECT r.node, r.port, p.peer_node, position FROM pause_root r LEFT JOIN port p ON"
        " p.node=r.node AND p.port=r.port WHERE held_ps*100 >= ?1*(SELECT sum(held_ps) FROM"
        " pause_root) ORDER BY position");
    store_bind(rows, 1, STORE_I(SHARE_LEAST_PERCENT));
    const int64_t causes =
        store_ask_int(search->store, "SELECT value FROM result WHERE path='root_causes'", 1);
    while (store_step(rows)) {
        const int64_t node = store_int(rows, "node"), peer = store_int(rows, "peer_node");
        const bool is_host = scenario->nodes[node].kind == SCENARIO_HOST;
        const int64_t behind = is_host ? node : peer;
        call(search, &(struct root){node, store_int(rows, "port"),
                                    scenario->nodes[behind].kind == SCENARIO_HOST ? (uint32_t)behind
                                                                                  : TRIAL_ANY_HOST,
                                    is_host, store_int(rows, "position") < causes});
    }
    store_finish(rows);
}

static void add_root_host(struct search *search, const struct root *root)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; root->is_host && i < scenario->fault_count; i++)
        if (is_at(&scenario->faults[i], root->behind))
            add_fault(search, i, root->cause);
    if (root->is_host)
        search->causes[root->behind] |= root->cause;
}

/* Keeps the best suspects in the order in which they were found. */
static void take_best(struct search *search, uint32_t left)
{
    uint32_t taken = 0;
    bool *taking = memory_zeroed((size_t)search->count + 1, sizeof *taking);
    for (unsigned score = 2 * SCORE_CARRIES; score-- > 0 && taken < left;)
        for (uint32_t i = 0; i < search->count && taken < left; i++)
            if (search->list[i].score == score) {
                taking[i] = true;
                taken++;
            }
    for (uint32_t i = 0; i < search->count; i++)
        if (taking[i]) {
            add_row(search, search->list[i].repair, PROVE_SUSPECT, search->list[i].cause);
            struct prove_row *row = &search->prove->rows[search->prove->row_count - 1];
            row->tier = search->list[i].tier;
            row->named = search->list[i].named;
        }
    search->prove->left_out += search->count - taken;
    free(taking);
}

static struct search search_of(struct prove *prove, const struct trial_base *base,
                               struct store *store)
{
    return (struct search){
        .prove = prove, .base = base, .scenario = base->scenario, .store = store};
}

void prove_suspects(struct prove *prove, const struct trial_base *base, struct store *store,
                    const struct harm *harm, uint32_t most)
{
    struct search search = search_of(prove, base, store);
    search.harm = harm;
    map_traffic(&search);
    for (uint32_t i = 0; i < base->scenario->fault_count; i++)
        add_fault(&search, i, false);
    each_root(&search, add_root_host);
    add_settings(&search);
    add_named(&search);
    take_best(&search, most);
    free(search.list);
    free(search.carries);
    free(search.first);
    free(search.hurt);
    free(search.causes);
}

/* ------------------------------------------------------------------ settings for all */

static void add_tier(struct search *search, struct trial_change repair, enum prove_tier tier)
{
    const uint32_t before = search->prove->row_count;
    add_row(search, repair, PROVE_SUSPECT, false);
    if (search->prove->row_count > before)
        search->prove->rows[before].tier = tier;
}

/* Memory is too small if frames were dropped; that it fills is what it is for. */
static bool is_enough_memory(const struct prove *prove, const struct deviation *deviation)
{
    return opt_is_memory(deviation->changes[0].row) && prove->all.drops == 0;
}

static bool has_effect(const struct scenario *scenario, const struct deviation *deviation)
{
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct deviation_change *change = &deviation->changes[i];
        if (change->row->effect.part != OPT_PART_NOTHING &&
            !effect_is_void(scenario, change->spot.node, change->row))
            return true;
    }
    return false;
}

void prove_unlike_default(struct prove *prove, const struct trial_base *base)
{
    struct search search = search_of(prove, base, NULL);
    for (uint32_t i = 0; i < base->written.count; i++) {
        const struct deviation *setting = &base->written.list[i];
        const uint32_t before = prove->row_count;
        if (has_effect(base->scenario, setting) && !is_enough_memory(prove, setting))
            add_tier(&search, written_repair(i), PROVE_WRITTEN);
        if (prove->row_count == before)
            continue;
        prove->rows[before].named |= trial_is_warned_of(&base->remedies, setting);
        prove->rows[before].needs =
            (setting->changes[0].row->effect.needs & ~(uint32_t)OPT_NEED_ETHERNET) != 0;
        prove->rows[before].bought = opt_is_purchase(setting->changes[0].row);
    }
    for (uint32_t i = 0; i < base->remedies.count; i++)
        add_tier(&search, (struct trial_change){.kind = TRIAL_REMEDY, .remedy = i}, PROVE_CHECKED);
}

/* ------------------------------------------------------------------ traffic at roots */

static bool talks_to(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from == host || workload->pairs[i].to == host)
            return true;
    return false;
}

/* The workload has pairs without the host. */
static bool has_others(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            return host != TRIAL_ANY_HOST;
    return false;
}

static bool uses(const struct search *search, uint32_t workload, int64_t node, int64_t port)
{
    struct store_statement *row = store_prepare(
        search->store, "SELECT 1 FROM workload_way WHERE workload=?1 AND node=?2 AND port=?3");
    store_bind(row, 1, STORE_I(workload));
    store_bind(row, 2, STORE_I(node));
    store_bind(row, 3, STORE_I(port));
    const bool found = store_step(row);
    store_finish(row);
    return found;
}

/* Traffic converges at the port, which leads to a host or to another switch. */
static void add_congestion(struct search *search, const struct root *root)
{
    const uint32_t host = root->behind;
    for (uint32_t i = 0; i < search->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &search->scenario->workloads[i];
        const bool meets = host == TRIAL_ANY_HOST ? uses(search, i, root->node, root->port)
                                                  : talks_to(workload, host);
        const uint32_t with = has_others(workload, host) ? host : TRIAL_ANY_HOST;
        if (meets && workload->job == NULL && !root->is_host)
            add_row(
                search,
                (struct trial_change){.kind = TRIAL_REMOVE_TRAFFIC, .workload = i, .host = with},
                PROVE_SUSPECT, root->cause);
    }
}

void prove_traffic(struct prove *prove, const struct trial_base *base, struct store *store)
{
    struct search search = search_of(prove, base, store);
    each_root(&search, add_congestion);
}

/* ------------------------------------------------------------------ remaining workloads */

/* The workload is a suspect, or uses a host that is repaired or has a fault. */
static bool is_involved(const struct search *search, uint32_t index)
{
    const struct scenario_workload *workload = &search->scenario->workloads[index];
    bool involved = false;
    for (uint32_t i = 0; i < search->prove->row_count && !involved; i++) {
        const struct trial_change *repair = &search->prove->rows[i].repair;
        if (repair->kind == TRIAL_REMOVE_TRAFFIC)
            involved = repair->workload == index;
        else if (repair->kind == TRIAL_RESTORE_DRAIN)
            involved = talks_to(workload, repair->host);
    }
    for (uint32_t i = 0; i < search->scenario->fault_count; i++)
        for (uint32_t k = 0; k < search->scenario->faults[i].spot_count; k++)
            involved |= talks_to(workload, search->scenario->faults[i].spots[k].node);
    return involved;
}

/* Marks all workloads that share a transmitter with a marked one, transitively. */
static void spread_out(const struct search *search, bool *touched)
{
    struct store_statement *rows = store_prepare(
        search->store, "SELECT DISTINCT a.workload, b.workload AS other FROM workload_way a JOIN"
                       " workload_way b USING(node, port, priority) WHERE a.workload<>b.workload");
    uint32_t(*pairs)[2] = NULL, count = 0, room = 0;
    while (store_step(rows)) {
        pairs = memory_grown(pairs, count, &room, sizeof *pairs);
        pairs[count][0] = (uint32_t)store_int(rows, "workload");
        pairs[count++][1] = (uint32_t)store_int(rows, "other");
    }
    store_finish(rows);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++)
            if (touched[pairs[i][0]] && !touched[pairs[i][1]])
                more = touched[pairs[i][1]] = true;
    }
    free(pairs);
}

void prove_others(struct prove *prove, const struct trial_base *base, struct store *store,
                  const bool *victims)
{
    const struct scenario *scenario = base->scenario;
    struct search search = search_of(prove, base, store);
    bool *touched = memory_zeroed(scenario->workload_count, sizeof *touched);
    memcpy(touched, victims, scenario->workload_count * sizeof *touched);
    spread_out(&search, touched);
    const uint32_t first = prove->row_count;
    for (enum prove_role role = PROVE_INNOCENT; role <= PROVE_BYSTANDER; role++)
        for (uint32_t i = 0; i < scenario->workload_count; i++) {
            if (prove->row_count - first == PROVE_OTHERS_MAX || scenario->workloads[i].job != NULL)
                continue;
            const struct trial_change repair = {
                .kind = TRIAL_REMOVE_TRAFFIC, .workload = i, .host = TRIAL_ANY_HOST};
            if (!is_involved(&search, i) && touched[i] == (role == PROVE_BYSTANDER))
                add_row(&search, repair, role, false);
        }
    free(touched);
}
