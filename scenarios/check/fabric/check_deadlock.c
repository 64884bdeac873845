/* SPDX-License-Identifier: Apache-2.0
 * check_deadlock - cyclic buffer dependencies on the routes of the workloads.
 * A deadlock needs such a cycle, and also rates that fill all buffers of the cycle at once (Hu et
 * al., HotNets 2016). Each strongly connected component is reported once, with one shortest cycle.
 * Routes change as links fail and come back: every routing state of the run is checked, within the
 * limits of epochs_most. */
#include "base/memory.h"
#include "scenarios/check/check_rule.h"

#include "base/hash.h"
#include "base/note_text.h"
#include "scenarios/check/traffic.h"
#include "scenarios/fabric/routing.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPORTED_MAX = 16, /* reported cycles */
    ANY_PRIORITY = (1 << PRIORITIES) - 1,
    EPOCHS_MAX = 32,
    EPOCHS_LINKS = 100000,
    NAMED_MAX = 3,  /* flows named per cycle */
    HOPS_SHOWN = 8, /* switches shown per cycle */
    CIRCLE_WORK = 1 << 22,
    PART_BYTES = 200
};

struct checking {
    const struct scenario *scenario;
    struct check_report *report;
    struct dependency dependency;
    struct traffic traffic;
    uint64_t reported[REPORTED_MAX]; /* hashes of the reported cycles */
    uint32_t reported_count;
};

/* One cycle while its message is written. */
struct circle {
    const uint32_t *vertices;
    uint32_t count;
    uint8_t priorities;                             /* mask; several priorities where a global
                                                     * PAUSE stops all of them */
    bool control;                                   /* true: data alone do not close the cycle */
    const struct dependency_traffic *by[NAMED_MAX]; /* flows that close the cycle */
    uint32_t by_count;
};

/* ------------------------------------------------------------------ flows of a cycle */

/* Finds a flow of the group that passes both buffers, `in` and then `next`. */
static const struct dependency_traffic *one_of(struct checking *checking, uint32_t first,
                                               uint32_t count, uint32_t in, uint32_t next)
{
    for (uint32_t i = first; i < first + count; i++) {
        dependency_walk(&checking->dependency, &checking->traffic.entries[i], 1);
        if (dependency_joins(&checking->dependency, in, next))
            return &checking->traffic.entries[i];
    }
    return NULL;
}

static void name_flow(struct circle *circle, const struct dependency_traffic *flow)
{
    for (uint32_t i = 0; i < circle->by_count; i++)
        if (circle->by[i] == flow)
            return;
    if (flow != NULL && circle->by_count < NAMED_MAX)
        circle->by[circle->by_count++] = flow;
}

/* Finds a flow for each of the first steps of the cycle, preferably data. */
static void find_flows(struct checking *checking, struct circle *circle)
{
    const struct traffic *traffic = &checking->traffic;
    bool *found = memory_zeroed(circle->count, sizeof *found);
    for (int load = 0; load <= (int)circle->control; load++) {
        for (uint32_t first = 0; first < traffic->count; first += traffic_group(traffic, first)) {
            const struct dependency_traffic *group = &traffic->entries[first];
            const uint32_t count = traffic_group(traffic, first);
            if (group->load != load)
                continue;
            dependency_walk(&checking->dependency, group, count);
            for (uint32_t i = 0; i < circle->count && circle->by_count < NAMED_MAX; i++) {
                const uint32_t in = circle->vertices[i];
                const uint32_t next = circle->vertices[(i + 1) % circle->count];
                if (found[i] || !dependency_joins(&checking->dependency, in, next) ||
                    (circle->priorities >>
                         dependency_priority(&checking->dependency, in, group->dscp) &
                     1) == 0)
                    continue;
                found[i] = true;
                name_flow(circle, one_of(checking, first, count, in, next));
                dependency_walk(&checking->dependency, group, count);
            }
        }
    }
    free(found);
}

/* ------------------------------------------------------------------ messages */

struct text {
    char bytes[PART_BYTES];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text->used < sizeof text->bytes)
        text->used += (size_t)vsnprintf(text->bytes + text->used, sizeof text->bytes - text->used,
                                        format, arguments);
    va_end(arguments);
}

/* Writes the names of the switches along the cycle, and the first one again at the end. */
static void write_circle(const struct checking *checking, const struct circle *circle,
                         struct text *text)
{
    const struct dependency *dependency = &checking->dependency;
    for (uint32_t i = 0; i <= circle->count; i++) {
        const uint32_t from = dependency->peer[circle->vertices[i % circle->count]];
        if (circle->count > HOPS_SHOWN && i == HOPS_SHOWN / 2)
            append(text, " -> ...");
        if (circle->count > HOPS_SHOWN && i >= HOPS_SHOWN / 2 &&
            i <= circle->count - HOPS_SHOWN / 2)
            continue;
        append(text, "%s%s", i > 0 ? " -> " : "",
               checking->scenario->nodes[dependency->node[from]].name);
    }
}

static void write_flows(const struct checking *checking, const struct circle *circle,
                        struct text *text)
{
    const struct scenario_node *nodes = checking->scenario->nodes;
    for (uint32_t i = 0; i < circle->by_count; i++)
        append(text, "%s%s -> %s%s", i > 0 ? ", " : "", nodes[circle->by[i]->from].name,
               nodes[circle->by[i]->to].name,
               circle->by[i]->load == DEPENDENCY_CONTROL ? " (no data)" : "");
    if (circle->count > circle->by_count)
        append(text, ", ...");
}

static void offer_directed_routes(struct check_report *report)
{
    check_remedy(report, "use up-down routes, which have no cycles");
    check_set_path(report, "fabric.routing.algorithm=up-down");
}

static bool is_infiniband(const struct checking *checking, const struct circle *circle)
{
    const struct dependency *dependency = &checking->dependency;
    const uint32_t node = dependency->node[circle->vertices[0]];
    return checking->scenario->nodes[node].link == SCENARIO_INFINIBAND;
}

static void report_cycle(struct checking *checking, struct circle *circle, time_ps at)
{
    struct text path = {0}, flows = {0}, when = {0}, class = {0};
    find_flows(checking, circle);
    write_circle(checking, circle, &path);
    write_flows(checking, circle, &flows);
    if (circle->priorities == ANY_PRIORITY)
        append(&class, "on all priorities");
    else
        append(&class, "on priority %d", __builtin_ctz(circle->priorities));
    if (at > 0)
        append(&when, "from %s on, a ", note_time(at).text);
    const struct diag_place place =
        circle->by_count > 0 ? checking->scenario->workloads[circle->by[0]->workload].place
                             : (struct diag_place){0};
    check_add(
        checking->report, circle->control ? DIAG_NOTE : DIAG_WARNING, place,
        "%scyclic buffer dependency %s: %s (flows %s): %s", when.bytes, class.bytes, path.bytes,
        flows.bytes,
        circle->control
            ? "only acknowledgments and requests close the cycle, and they rarely fill a buffer"
            : "if all these buffers fill, they deadlock; `run` shows whether the load fills them");
    check_shows(checking->report, "pfc.deadlocks > 0");
    if (is_infiniband(checking, circle))
        offer_directed_routes(checking->report);
}

/* ------------------------------------------------------------------ cycles */

/* False if this cycle or the maximum number of cycles was already reported. */
static bool is_new(struct checking *checking, const struct circle *circle)
{
    uint64_t hash = circle->priorities;
    for (uint32_t i = 0; i < circle->count; i++)
        hash += hash_mix(circle->vertices[i] + UINT64_C(1));
    for (uint32_t i = 0; i < checking->reported_count; i++)
        if (checking->reported[i] == hash)
            return false;
    if (checking->reported_count == REPORTED_MAX)
        return false;
    checking->reported[checking->reported_count++] = hash;
    return true;
}

static bool has_marked(const bool *marked, const uint32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (marked[members[i]])
            return true;
    return false;
}

/* Checks the components of the data first. With `control`, acknowledgments and requests count too,
 * and components that overlap an earlier one are skipped (`marked`). */
static void check_view(struct checking *checking, uint8_t priorities, bool control, bool *marked,
                       time_ps at)
{
    struct dependency_view view = {&checking->dependency, priorities, control};
    const struct graph graph = dependency_graph(&view);
    struct graph_components knots;
    graph_components_find(&knots, &graph);
    uint32_t *vertices = memory_zeroed(graph.count, sizeof *vertices);
    for (uint32_t k = 0; k < knots.count; k++) {
        const uint32_t *members = knots.members + knots.first[k];
        const uint32_t count = knots.first[k + 1] - knots.first[k];
        struct circle circle = {.vertices = vertices, .priorities = priorities, .control = control};
        if (has_marked(marked, members, count))
            continue;
        circle.count = graph_circle(&graph, knots.of, k, members, count, CIRCLE_WORK, vertices);
        for (uint32_t i = 0; i < count; i++)
            marked[members[i]] = true;
        if (is_new(checking, &circle))
            report_cycle(checking, &circle, at);
    }
    free(vertices);
    graph_components_free(&knots);
}

static void check_priorities(struct checking *checking, uint8_t priorities, time_ps at)
{
    bool *marked = memory_zeroed(checking->dependency.vertex_count, sizeof *marked);
    check_view(checking, priorities, false, marked, at);
    check_view(checking, priorities, true, marked, at);
    free(marked);
}

/* Checks these routes, which are in force from `at` on. */
static void check_routes(struct checking *checking, const struct route_table *tables, time_ps at)
{
    struct dependency *dependency = &checking->dependency;
    dependency_route(dependency, tables);
    traffic_gather(&checking->traffic, checking->scenario, tables);
    for (uint32_t i = 0; i < checking->traffic.count;) {
        const uint32_t count = traffic_group(&checking->traffic, i);
        dependency_add(dependency, &checking->traffic.entries[i], count);
        i += count;
    }
    if (dependency_is_global(dependency)) {
        check_priorities(checking, ANY_PRIORITY, at);
    } else {
        for (unsigned p = 0; p < PRIORITIES; p++)
            if (dependency->rows[DEPENDENCY_DATA][p] != NULL ||
                dependency->rows[DEPENDENCY_CONTROL][p] != NULL)
                check_priorities(checking, (uint8_t)(1u << p), at);
    }
    traffic_free(&checking->traffic);
}

/* Limit of routing states to check, because each takes long in a large fabric. */
static uint32_t epochs_most(const struct scenario *scenario)
{
    const uint32_t affordable = EPOCHS_LINKS / (scenario->link_count + 1);
    return 1 + (affordable < EPOCHS_MAX ? affordable : EPOCHS_MAX);
}

static void run_deadlock_check(const struct scenario *scenario, struct check_report *report)
{
    struct checking *checking = memory_new(sizeof *checking);
    struct routing_epoch *epochs;
    checking->scenario = scenario;
    checking->report = report;
    dependency_init(&checking->dependency, scenario);
    const uint32_t count = routing_epochs(scenario, epochs_most(scenario), &epochs);
    for (uint32_t i = 0; i < count; i++) {
        struct route_table *tables = routing_compute_view(scenario, &epochs[i].view);
        check_routes(checking, tables, epochs[i].at);
        routing_free(scenario, tables);
    }
    free(epochs);
    dependency_fini(&checking->dependency);
    free(checking);
}

const struct check_rule check_deadlock = {
    .name = "deadlock",
    .about = "There is no cyclic buffer dependency, neither before nor after link failures.",
    .run = run_deadlock_check,
};
