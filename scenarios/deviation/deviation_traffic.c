/* SPDX-License-Identifier: Apache-2.0
 * deviation_traffic - differences between the two classes of links, classes of workloads, static
 * routes. */
#include "scenarios/deviation/deviation_private.h"

#include "net/port/port.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 64 };

/* ------------------------------------------------------------------ link classes */

/* True if the value is the better one of a parameter that must fit from end to end. False: not
 * better, or no such parameter. */
static bool is_better(const struct opt *row, int64_t value, int64_t than)
{
    if (row->offset == offsetof(struct port_params, mtu))
        return value > than;
    if (row->offset == offsetof(struct port_params, flow_control))
        return value == PORT_FLOW_PFC && than != PORT_FLOW_PFC;
    if (row->offset == offsetof(struct port_params, pfc_enabled))
        return value != than && (value & than) == than;
    return false;
}

static void add_class_row(struct deviation_search *search, const struct block *worse, bool of_hosts,
                          size_t row, int64_t common)
{
    const struct scenario *scenario = search->scenario;
    const struct opt *opt = &worse->rows[row];
    char value[WORD_BYTES], other[WORD_BYTES];
    opt_format(opt, *opt_field(opt, worse->params), value, sizeof value);
    opt_format(opt, common, other, sizeof other);
    const struct deviation_said said = {.path = worse->path,
                                        .word = opt->name,
                                        .where = worse->origins[row].where,
                                        .value = value,
                                        .common = other};
    for (uint32_t i = 0; i < scenario->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const struct scenario_link *link = &scenario->links[i];
            const struct block *block =
                scenario->origins->nodes[link->node[end]].port_blocks[link->port[end]];
            const char *path = block->origins[row].path;
            const bool to_host = scenario->nodes[link->node[0]].kind == SCENARIO_HOST ||
                                 scenario->nodes[link->node[1]].kind == SCENARIO_HOST;
            const struct loader_layer *layer =
                &scenario->origins->bases.layers[scenario->nodes[link->node[end]].link];
            const bool base = worse == (of_hosts ? layer->host_links : layer->fabric_links) &&
                              (path == NULL || strcmp(path, worse->path) == 0);
            const struct deviation_change change = {
                .of = DEVIATION_PORT,
                .spot = {link->node[end], link->port[end]},
                .row = opt,
                .common = common,
            };
            if (base && to_host == of_hosts)
                deviation_add(search, &said, &change);
        }
}

static void look_at_layer(struct deviation_search *search, const struct loader_layer *layer)
{
    const struct block *hosts = layer->host_links, *fabric = layer->fabric_links;
    for (size_t row = 0; row < hosts->row_count && search->broad; row++) {
        const struct opt *opt = &hosts->rows[row];
        const int64_t at_hosts = *opt_field(opt, hosts->params);
        const int64_t inside = *opt_field(opt, fabric->params);
        const bool larger = opt->offset == offsetof(struct port_params, mtu);
        if (is_better(opt, at_hosts, inside))
            add_class_row(search, fabric, false, row, at_hosts);
        else if (!larger && is_better(opt, inside, at_hosts))
            add_class_row(search, hosts, true, row, inside);
    }
}

static void look_at_link_classes(struct deviation_search *search)
{
    for (int kind = 0; kind < SCENARIO_KIND_COUNT; kind++)
        if (scenario_has_kind(search->scenario, (enum scenario_kind)kind))
            look_at_layer(search, &search->scenario->origins->bases.layers[kind]);
}

/* ------------------------------------------------------------------ workloads and routes */

static bool is_same_class(const struct verbs_class *a, const struct verbs_class *b)
{
    return a->tos_set == b->tos_set && a->priority_set == b->priority_set &&
           (!a->tos_set || a->tos == b->tos) && (!a->priority_set || a->priority == b->priority);
}

static void say_class(const struct verbs_class *class, bool by_dscp, char text[WORD_BYTES])
{
    if (by_dscp ? class->tos_set : class->priority_set)
        snprintf(text, WORD_BYTES, "%d", by_dscp ? class->tos >> 2 : class->priority);
    else
        snprintf(text, WORD_BYTES, "auto");
}

/* The class of more than half of all workloads, else the default class. */
static const struct verbs_class *common_class(const struct scenario *scenario)
{
    static const struct verbs_class none;
    const struct verbs_class *found = &none;
    uint32_t lead = 0, holders = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct verbs_class *class = &scenario->workloads[i].class;
        found = lead == 0 ? class : found;
        lead += is_same_class(class, found) ? 1 : (uint32_t)-1;
    }
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        holders += is_same_class(&scenario->workloads[i].class, found);
    return holders > scenario->workload_count / 2 ? found : &none;
}

static void look_at_classes(struct deviation_search *search)
{
    const struct scenario *scenario = search->scenario;
    const struct verbs_class *common = common_class(scenario);
    for (uint32_t i = 0; i < scenario->workload_count && !search->broad; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        char value[WORD_BYTES], other[WORD_BYTES];
        if (is_same_class(&workload->class, common))
            continue;
        const bool by_dscp = workload->class.tos_set || common->tos_set;
        say_class(&workload->class, by_dscp, value);
        say_class(common, by_dscp, other);
        const int entry = (int)strcspn(workload->name, "/"); /* the rest of the name is a fio
                                                              * job's */
        const struct deviation_said said = {
            .path = arena_format(&search->found->arena, "workloads.%.*s", entry, workload->name),
            .word = by_dscp ? "dscp" : "priority",
            .where = workload->place,
            .value = value,
            .common = other,
            .planned = true};
        const struct deviation_change change = {.of = DEVIATION_CLASS,
                                                .spot = {SCENARIO_NOWHERE, SCENARIO_ALL_PORTS},
                                                .index = i,
                                                .like = common};
        deviation_add(search, &said, &change);
    }
}

/* Parameters of the resources that serve a workload or limit it, as opposed to the load that it
 * offers. */
static bool is_service(const struct opt *row)
{
    static const char *const names[] = {"receives",   "receive-delay", "iops-limit",
                                        "rate-limit", "read-limit",    "write-limit"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return false;
}

static int64_t work_value(const struct scenario_workload *workload, const struct opt *row)
{
    return *opt_field(row, (void *)(uintptr_t)workload->params);
}

/* Value of most workloads of one kind; the default if there is no majority. */
static int64_t common_work(const struct scenario *scenario, const struct workload_ops *ops,
                           const struct opt *row)
{
    struct deviation_vote vote = {.members = 0};
    char why[OPT_WHY_BYTES];
    int64_t preset = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].ops == ops)
            deviation_vote(&vote, work_value(&scenario->workloads[i], row), 1);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        vote.holders += scenario->workloads[i].ops == ops &&
                        work_value(&scenario->workloads[i], row) == vote.candidate;
    if (vote.members > 1 && deviation_won(&vote))
        return vote.candidate;
    return opt_parse(row, row->preset, &preset, why) ? preset : 0;
}

static void look_at_work(struct deviation_search *search, uint32_t index)
{
    const struct scenario_workload *workload = &search->scenario->workloads[index];
    for (const struct opt *row = workload->ops->opts; row->name != NULL; row++) {
        if (!is_service(row) || workload->job != NULL)
            continue;
        const int64_t value = work_value(workload, row);
        const int64_t common = common_work(search->scenario, workload->ops, row);
        char text[WORD_BYTES], other[WORD_BYTES];
        if (value == common)
            continue;
        opt_format(row, value, text, sizeof text);
        opt_format(row, common, other, sizeof other);
        const struct deviation_said said = {
            .path = arena_format(&search->found->arena, "workloads.%s", workload->name),
            .word = row->name,
            .where = workload->place,
            .value = text,
            .common = other};
        const struct deviation_change change = {.of = DEVIATION_WORK,
                                                .spot = {SCENARIO_NOWHERE, SCENARIO_ALL_PORTS},
                                                .index = index,
                                                .row = row,
                                                .common = common};
        deviation_add(search, &said, &change);
    }
}

static void look_at_routes(struct deviation_search *search)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->route_count && search->broad; i++) {
        const struct deviation_said said = {
            .path = arena_format(&search->found->arena, "fabric.routes[%u]", i),
            .where = scenario->routes[i].place,
            .value = "written",
            .common = "computed"};
        for (uint32_t k = 0; k < scenario->routes[i].at_count; k++) {
            const struct deviation_change change = {
                .of = DEVIATION_ROUTE, .spot = scenario->routes[i].at[k], .index = i};
            deviation_add(search, &said, &change);
        }
    }
}

void deviation_find_traffic(struct deviation_search *search)
{
    look_at_link_classes(search);
    look_at_classes(search);
    for (uint32_t i = 0; i < search->scenario->workload_count && !search->broad; i++)
        look_at_work(search, i);
    look_at_routes(search);
}
