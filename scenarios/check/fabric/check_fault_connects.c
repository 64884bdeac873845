/* SPDX-License-Identifier: Apache-2.0
 * check_fault_connects - no fault prevents members from connecting when their workload begins.
 * A lost message of the connection manager is retransmitted only after cm-timeout, seconds later,
 * and a failed address resolution is retried after a third of address-timeout. So the rule follows
 * the paths of all pairs in both directions, with the links and routes at the time the workload
 * begins. If routes still use a link without carrier, the flows hashed to that link are lost; if no
 * route leads on, all flows are lost. */
#include "scenarios/check/check_rule.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "base/plural.h"
#include "rnic/cm/cm_setup.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/timeline.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 4000000, STEPS_MAX = 100000 };

enum reach { OPEN, PARTLY, CLOSED };

/* The fabric at the time a workload begins. */
struct moment {
    const struct scenario *scenario;
    uint8_t *down; /* by link; 1: no carrier */
    struct route_table *tables;
    uint32_t *met, *stack; /* by node */
    uint32_t round, work;
};

/* ---- links and routes ---- */

static void ignore(void *self, uint32_t index, bool on)
{
    (void)self;
    (void)index;
    (void)on;
}

static void ignore_loss(void *self, uint32_t node)
{
    (void)self;
    (void)node;
}

static void ignore_routes(void *self, const struct routing_view *view)
{
    (void)self;
    (void)view;
}

static void note_link(void *self, uint32_t link, bool up)
{
    ((struct moment *)self)->down[link] = !up;
}

static bool any_down(const struct moment *moment)
{
    return memchr(moment->down, 1, moment->scenario->link_count) != NULL;
}

/* Applies the changes up to `at`. False: all links have carrier, or there are too many changes to
 * follow. */
static bool go_to(struct moment *moment, time_ps at)
{
    const struct timeline_calls calls = {moment,      ignore,        note_link,
                                         ignore_loss, ignore_routes, NULL};
    struct timeline *timeline = timeline_new(moment->scenario);
    int steps = 0;
    for (; steps < STEPS_MAX && timeline_due(timeline) <= at; steps++)
        timeline_step(timeline, &calls);
    const bool matters = steps < STEPS_MAX && any_down(moment);
    if (matters) {
        const struct routing_view view = timeline_view(timeline);
        moment->tables = routing_compute_view(moment->scenario, &view);
    }
    timeline_free(timeline);
    return matters;
}

/* ---- paths ---- */

/* Checks whether a port leads on, and queues the switch behind it on the first visit. */
static bool leads_on(struct moment *moment, uint32_t node, uint16_t number, uint32_t *depth)
{
    const struct scenario_port *port = &moment->scenario->nodes[node].ports[number];
    if (port->link == SCENARIO_NO_LINK || moment->down[port->link])
        return false;
    if (moment->scenario->nodes[port->peer_node].kind == SCENARIO_SWITCH &&
        moment->met[port->peer_node] != moment->round) {
        moment->met[port->peer_node] = moment->round;
        moment->stack[(*depth)++] = port->peer_node;
    }
    return true;
}

/* CLOSED if the first switches have no way on, PARTLY if some of the paths end early. */
static enum reach follow_path(struct moment *moment, struct scenario_spot from,
                              struct scenario_spot to)
{
    const uint32_t endpoint = moment->scenario->nodes[to.node].endpoint + to.port;
    uint32_t depth = 0, ends = 0;
    bool arrives = false;
    moment->round++;
    if (from.port >= moment->scenario->nodes[from.node].port_count)
        return OPEN;
    if (!leads_on(moment, from.node, from.port, &depth))
        return CLOSED;
    while (depth > 0 && moment->work < WORK_MAX) {
        const uint32_t node = moment->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&moment->tables[node], endpoint, &out);
        ends += count == 0;
        for (uint32_t i = 0; i < count; i++) {
            const bool on = leads_on(moment, node, out[i], &depth);
            ends += !on;
            arrives |= on && moment->scenario->nodes[node].ports[out[i]].peer_node == to.node;
        }
        moment->work += count + 1;
    }
    if (moment->work >= WORK_MAX || ends == 0)
        return OPEN; /* an incomplete search reports nothing */
    return arrives ? PARTLY : CLOSED;
}

static enum reach worse(enum reach a, enum reach b)
{
    return a > b ? a : b;
}

/* ---- findings ---- */

struct harm {
    uint32_t closed, partly; /* number of members */
    const struct scenario_pair *first;
};

static void report_harm(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct harm *harm, struct check_report *report)
{
    const struct rnic_params *rnic = scenario->nodes[harm->first->from].host->rnic;
    const bool lost = harm->partly > 0; /* address resolution succeeds on another path */
    const time_ps timer = lost ? rnic->cm_timeout : cm_setup_probe_interval(rnic);
    const bool never = workload->start + timer >= workload->stop;
    check_add(
        report, DIAG_WARNING, workload->place,
        "'%s' begins while routes still use links that faults took down: %u of %u %s cannot "
        "connect%s (first: %s to %s); %s only after %s (%s)%s",
        workload->name, (unsigned)(harm->closed + harm->partly),
        (unsigned)(workload->pair_count * workload->copies),
        plural(workload->pair_count * workload->copies, "host-target pair", "host-target pairs"),
        harm->partly > 0 ? ", depending on the hash" : "", scenario->nodes[harm->first->from].name,
        scenario->nodes[harm->first->to].name,
        lost ? "a lost message is sent again" : "address resolution is retried",
        note_time(timer).text, lost ? "cm-timeout" : "a third of address-timeout",
        never ? ", when the workload has stopped" : "");
    check_shows(report, "members_idle > 0");
    check_remedy(report, "start the fault after the workload, or start the workload after the "
                         "routes have converged");
}

/* The worst case among the members of a pair, which may use different NICs. */
static enum reach reach_of(struct moment *moment, const struct scenario_workload *workload,
                           const struct scenario_pair *pair)
{
    struct nic_pair nics[NICS_MAX];
    enum reach reach = OPEN;
    const uint32_t used = nics_used(moment->scenario, workload, pair, nics);
    for (uint32_t n = 0; n < used; n++) {
        const struct scenario_spot from = {pair->from, nics[n].from}, to = {pair->to, nics[n].to};
        reach = worse(reach, worse(follow_path(moment, from, to), follow_path(moment, to, from)));
    }
    return reach;
}

static void check_begin(struct moment *moment, const struct scenario_workload *workload,
                        struct check_report *report)
{
    struct harm harm = {0};
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const enum reach reach = reach_of(moment, workload, pair);
        if (reach == OPEN)
            continue;
        harm.first = harm.first == NULL ? pair : harm.first;
        *(reach == CLOSED ? &harm.closed : &harm.partly) += workload->copies;
    }
    if (harm.first != NULL)
        report_harm(moment->scenario, workload, &harm, report);
}

static void begin(struct moment *moment, const struct scenario *scenario)
{
    *moment = (struct moment){.scenario = scenario};
    moment->down = memory_zeroed(scenario->link_count + 1, 1);
    moment->met = memory_zeroed(scenario->node_count, sizeof *moment->met);
    moment->stack = memory_zeroed(scenario->node_count, sizeof *moment->stack);
}

static void moment_fini(struct moment *moment)
{
    if (moment->tables != NULL)
        routing_free(moment->scenario, moment->tables);
    free(moment->down);
    free(moment->met);
    free(moment->stack);
}

static void run_fault_connects_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; scenario->fault_count > 0 && w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        struct moment moment;
        begin(&moment, scenario);
        if (go_to(&moment, workload->start))
            check_begin(&moment, workload, report);
        moment_fini(&moment);
    }
}

const struct check_rule check_fault_connects = {
    .name = "fault-connects",
    .about = "No fault prevents a host-target pair from connecting when its workload begins.",
    .run = run_fault_connects_check,
};
