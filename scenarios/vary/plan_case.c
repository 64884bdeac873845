/* SPDX-License-Identifier: Apache-2.0
 * plan_case - the failures of a plan as cases of one candidate, with the SLOs of each. */
#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/load/library.h"
#include "scenarios/load/select.h"
#include "scenarios/vary/plan.h"

#include <stdlib.h>
#include <string.h>

/* Names of the members that `each` selects in a scenario, in the syntax of `where`. */
struct members {
    struct arena *arena;
    const char **names;
    size_t count;
};

static void add_member(struct members *members, const char *name)
{
    *(const char **)arena_push(members->arena, (void **)(void *)&members->names, &members->count,
                               sizeof *members->names) = name;
}

/* A link is identified by its port at one end, because parallel links share a name. */
static void add_links(struct members *members, const struct scenario *scenario, const char *pattern)
{
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        if (!select_matches(pattern, link->name))
            continue;
        const bool alone =
            (i == 0 || strcmp(scenario->links[i - 1].name, link->name) != 0) &&
            (i + 1 == scenario->link_count || strcmp(scenario->links[i + 1].name, link->name) != 0);
        add_member(members, alone ? link->name
                                  : arena_format(members->arena, "%s:p%u",
                                                 scenario->nodes[link->node[0]].name,
                                                 (unsigned)link->port[0]));
    }
}

static bool add_spots(struct members *members, struct scenario *scenario,
                      const struct plan_failure *failure, unsigned kinds, struct diag *diag)
{
    struct selection selection = {0};
    const bool targets = fault_find(failure->kind)->place == FAULT_AT_TARGETS;
    if (!select_from(scenario, failure->each, kinds, &selection, diag))
        return false;
    for (size_t i = 0; i < selection.count; i++) {
        const struct scenario_node *at = &scenario->nodes[selection.spots[i].node];
        const char *node = at->name;
        if (targets && at->host->namespace_count == 0)
            continue;
        const uint16_t port = selection.spots[i].port;
        add_member(members, port == SCENARIO_ALL_PORTS
                                ? node
                                : arena_format(members->arena, "%s:p%u", node, (unsigned)port));
    }
    if (members->count == 0)
        tree_error(diag, failure->each, "there is no target among these: none has namespaces");
    return members->count > 0;
}

static bool find_members(struct members *members, struct scenario *scenario,
                         const struct plan_failure *failure, struct diag *diag)
{
    static const unsigned kinds[] = {
        [FAULT_AT_PORTS] = SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS,
        [FAULT_AT_HOSTS] = SELECT_HOSTS,
        [FAULT_AT_SWITCHES] = SELECT_SWITCHES,
        [FAULT_AT_TARGETS] = SELECT_HOSTS,
    };
    const enum fault_place place = fault_find(failure->kind)->place;
    if (place == FAULT_AT_PORTS && failure->each->kind == TREE_SCALAR)
        add_links(members, scenario, failure->each->text);
    return members->count > 0 || add_spots(members, scenario, failure, kinds[place], diag);
}

/* Simultaneous failures of one case: as a name of the case, and as a list for `where`. */
struct choice {
    const char *name, *where;
};

static struct choice make_choice(struct arena *arena, const struct members *members,
                                 const size_t *which, size_t count)
{
    struct choice choice = {.name = "", .where = ""};
    for (size_t i = 0; i < count; i++) {
        const char *name = members->names[which == NULL ? i : which[i]];
        choice.where = arena_format(arena, "%s%s\"%s\"", choice.where, i == 0 ? "" : ", ", name);
        if (which != NULL)
            choice.name = arena_format(arena, "%s%s%s", choice.name, i == 0 ? "" : " and ", name);
    }
    if (which == NULL)
        choice.name = arena_format(arena, "all %zu", count);
    if (count > 1)
        choice.where = arena_format(arena, "[%s]", choice.where);
    return choice;
}

/* `longer`: the scenario's own drain is at least as long as PLAN_WAIT. */
static bool add_case(struct plan *plan, const struct plan_failure *failure, struct choice choice,
                     bool longer, struct plan_cases *cases, struct diag *diag)
{
    struct arena *arena = &plan->grid.arena;
    if (cases->count == PLAN_CASES_MAX) {
        tree_error(diag, failure->written, "more than %d cases: expected a smaller sample",
                   PLAN_CASES_MAX);
        return false;
    }
    struct plan_case *made = &cases->cases[cases->count++];
    *made = (struct plan_case){
        .name = arena_format(arena, "%s: %s", failure->name, choice.name),
        .failure = failure,
    };
    made->sets[0] =
        arena_format(arena, "faults[+]={kind: %s, where: %s, at: \"%s\"%s}", failure->kind,
                     choice.where, failure->at == NULL ? "0s" : failure->at, failure->keys);
    if (failure->at != NULL) { /* timers and new routes take time; a longer drain costs nothing */
        made->sets[1] = "drain=60s";
        made->set_count = longer ? 1 : 2;
        return true;
    }
    /* A failure from the start is known to all switches from the start. */
    made->sets[1] = "fabric.routing.detection=0s";
    made->sets[2] = "fabric.routing.convergence=0s";
    made->set_count = 3;
    return true;
}

static bool are_writable(const struct members *members, const struct plan_failure *failure,
                         struct diag *diag)
{
    for (size_t i = 0; i < members->count; i++)
        if (strpbrk(members->names[i], "\"\\") != NULL) {
            tree_error(diag, failure->each, "the name '%.64s' cannot be used in a setting",
                       members->names[i]);
            return false;
        }
    return true;
}

/* The pair with this index in the order 0 1, 0 2, .. 1 2, .. */
static void pair_at(size_t index, size_t count, size_t pair[2])
{
    pair[0] = 0;
    for (size_t left = count - 1; index >= left; left--) {
        index -= left;
        pair[0]++;
    }
    pair[1] = pair[0] + 1 + index;
}

static bool add_cases(struct plan *plan, struct scenario *scenario,
                      const struct plan_failure *failure, struct plan_cases *cases,
                      struct diag *diag)
{
    struct members members = {.arena = &plan->grid.arena};
    if (!find_members(&members, scenario, failure, diag) || !are_writable(&members, failure, diag))
        return false;
    const bool longer = scenario->drain >= PLAN_WAIT;
    const size_t count = members.count;
    if (failure->together == PLAN_TOGETHER_ALL)
        return add_case(plan, failure, make_choice(members.arena, &members, NULL, count), longer,
                        cases, diag);
    const bool pairs = failure->together == 2 && count > 1;
    const size_t choices = pairs ? count * (count - 1) / 2 : count;
    const size_t wanted = failure->sample > 0 && (size_t)failure->sample < choices
                              ? (size_t)failure->sample
                              : choices;
    for (size_t i = 0; i < wanted; i++) {
        size_t which[2] = {i * choices / wanted};
        if (pairs)
            pair_at(i * choices / wanted, count, which);
        const struct choice choice = make_choice(members.arena, &members, which, pairs ? 2 : 1);
        if (!add_case(plan, failure, choice, longer, cases, diag))
            return false;
    }
    return true;
}

/* Adds a copy of case `from` with the load of that year. */
static bool add_grown(struct plan *plan, const struct scenario *scenario, uint32_t from,
                      int64_t year, struct plan_cases *cases, struct diag *diag)
{
    struct arena *arena = &plan->grid.arena;
    const char *sets[GROW_LOADS_MAX];
    if (!grow_sets(&plan->grow, scenario, year, arena, sets, diag))
        return false;
    if (cases->count == PLAN_CASES_MAX) {
        tree_error(diag, plan->grow.loads[0].path, "more than %d cases: expected fewer failures",
                   PLAN_CASES_MAX);
        return false;
    }
    struct plan_case *made = &cases->cases[cases->count++];
    *made = cases->cases[from];
    const char *years = arena_format(arena, "in %d %s", (int)year, plural(year, "year", "years"));
    made->name = from == 0 ? years : arena_format(arena, "%s, %s", made->name, years);
    for (uint32_t i = 0; i < plan->grow.load_count; i++)
        made->sets[made->set_count++] = sets[i];
    return true;
}

/* Adds a case for each year, and for the last year with every failure. */
static bool add_years(struct plan *plan, const struct scenario *scenario, struct plan_cases *cases,
                      struct diag *diag)
{
    const uint32_t now = cases->count;
    for (int64_t year = 1; plan->grow.load_count > 0 && year <= plan->grow.years; year++)
        if (!add_grown(plan, scenario, 0, year, cases, diag))
            return false;
    for (uint32_t i = 1; plan->grow.load_count > 0 && i < now; i++)
        if (!add_grown(plan, scenario, i, plan->grow.years, cases, diag))
            return false;
    return true;
}

/* A failure has no effect on the SLOs if it occurs after the workloads have stopped. */
static void check_moment(const struct scenario *scenario, const struct plan_failure *failure,
                         const struct expectation *asked, uint32_t count, struct diag *diag)
{
    const struct tree_node *written = tree_get(failure->written, "at");
    char why[QUANTITY_WHY_BYTES], end[QUANTITY_TEXT_BYTES];
    int64_t at;
    if (failure->at == NULL)
        return;
    if (!quantity_parse(QUANTITY_TIME, failure->at, &at, why)) {
        tree_error(diag, written, "at: %s", why);
        return;
    }
    quantity_format(QUANTITY_TIME, scenario->duration, end, sizeof end);
    if (at >= scenario->duration)
        tree_error(diag, written, "the failure is too late: the run ends at %s", end);
    for (uint32_t i = 0; i < count && !diag_failed(diag); i++) {
        if (asked[i].workload == EXPECT_WHOLE_RUN)
            continue;
        const struct scenario_workload *workload = &scenario->workloads[asked[i].workload];
        quantity_format(QUANTITY_TIME, workload->stop, end, sizeof end);
        if (workload->stop <= at)
            tree_error(diag, written, "the failure is too late for %s, which stops at %s",
                       workload->name, end);
    }
}

bool plan_cases_of(struct plan *plan, struct scenario *scenario, struct plan_cases *cases,
                   struct diag *diag)
{
    struct expectation expectations[PLAN_SLO_MAX];
    cases->count = 1;
    cases->cases[0] = (struct plan_case){.name = ""};
    for (uint32_t i = 0; i < plan->failure_count; i++)
        if (!add_cases(plan, scenario, &plan->failures[i], cases, diag))
            return false;
    if (!add_years(plan, scenario, cases, diag))
        return false;
    for (uint32_t i = 0; i < cases->count && !diag_failed(diag); i++) {
        const uint32_t count =
            plan_expectations(plan, &cases->cases[i], scenario, expectations, diag);
        if (!diag_failed(diag) && cases->cases[i].failure != NULL)
            check_moment(scenario, cases->cases[i].failure, expectations, count, diag);
    }
    return !diag_failed(diag);
}

uint32_t plan_expectations(const struct plan *plan, const struct plan_case *of,
                           const struct scenario *scenario,
                           struct expectation expectations[PLAN_SLO_MAX], struct diag *diag)
{
    const bool own = of->failure != NULL && of->failure->slo_count > 0;
    const struct plan_slo *slo = own ? of->failure->slo : plan->slo;
    const uint32_t count = own ? of->failure->slo_count : plan->slo_count;
    const bool steady = of->failure == NULL || of->failure->at == NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!expect_parse(scenario, slo[i].written, &expectations[i], diag))
            return 0;
        if (steady)
            expectations[i].quantity = expect_steady(expectations[i].quantity);
    }
    return count;
}
