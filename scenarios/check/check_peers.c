/* SPDX-License-Identifier: Apache-2.0
 * check_peers - finds devices whose parameters differ from their peers' by an order of magnitude,
 * or are much worse than theirs.
 * Peers are the switches of a tier, the ports between two tiers, the targets, and the hosts that
 * are not targets (deviation.h). The rows of the parameters state which values are worse
 * (base/opt_effect.h); hosts without traffic and values without an effect do not count. Values that
 * another rule has already reported are skipped. So are rates, lengths and MTUs, which differ by
 * design and have their own rules, and enumerated values and host software timeouts, which are a
 * matter of choice. */
#include "scenarios/check/check_rule.h"

#include "scenarios/deviation/deviation.h"
#include "scenarios/effect/effect.h"

#include <string.h>

enum { MAGNITUDE = 10, WORSE_FACTOR = 4 };

static bool is_of_device(enum deviation_of of)
{
    return of == DEVIATION_SWITCH || of == DEVIATION_RNIC || of == DEVIATION_TARGET ||
           of == DEVIATION_CONTROL_VALUE || of == DEVIATION_MEDIA_VALUE ||
           of == DEVIATION_NAMESPACE_VALUE || of == DEVIATION_TCP;
}

static bool is_quantity(const struct opt *row)
{
    return row != NULL && row->type != OPT_BOOL && row->type != OPT_CHOICE &&
           row->type != OPT_MASK && row->type != OPT_DSCP;
}

/* Of TCP, only buffers: its other values of any size are policies. */
static bool is_comparable(const struct deviation_change *change)
{
    return change->of != DEVIATION_TCP || change->row->effect.part == OPT_PART_WINDOW;
}

/* Zero and special values such as "auto" have no order of magnitude, so they are never compared. */
static bool is_far(int64_t a, int64_t b)
{
    if (a <= 0 || b <= 0)
        return false;
    return a / MAGNITUDE >= b || b / MAGNITUDE >= a;
}

/* Parts that take time from every operation. Whether a value of the others (windows, quotas,
 * timers, retries) matters depends on the load, and only a run can show it. */
static bool takes_time(enum opt_part part)
{
    return part == OPT_PART_LATENCY || part == OPT_PART_HOST_CPU || part == OPT_PART_TARGET_CPU ||
           part == OPT_PART_RNIC || part == OPT_PART_PCIE || part == OPT_PART_MEDIA ||
           part == OPT_PART_COMPLETIONS || part == OPT_PART_RECEIVER || part == OPT_PART_FENCE;
}

/* Worse by the row's own direction. A value without an order of magnitude counts if it means "off"
 * or "no limit" on one side. */
static bool is_much_worse(const struct opt *row, int64_t value, int64_t common)
{
    const bool directed = row->effect.worse != OPT_WORSE_ANY && row->effect.worse != OPT_WORSE_DRAW;
    if (!directed || !takes_time(row->effect.part) || value < 0 || common < 0 ||
        !opt_is_worse(row, value, common))
        return false;
    const int64_t less = value < common ? value : common, more = value < common ? common : value;
    return less == 0 || more / WORSE_FACTOR >= less;
}

static bool uses_rnic(const struct scenario_workload *workload)
{
    return !workload->by_tcp || workload->own_verbs;
}

/* A switch carries the traffic of many. At a host without RDMA and iWARP, the values of its RNIC
 * have no effect. */
static bool has_traffic(const struct scenario *scenario, uint32_t node, enum deviation_of of)
{
    const bool of_rnic = of == DEVIATION_RNIC || of == DEVIATION_CONTROL_VALUE;
    return scenario->nodes[node].kind == SCENARIO_SWITCH ||
           effect_has_traffic(scenario, node, of_rnic ? uses_rnic : NULL);
}

static bool is_said(const struct check_report *report, const struct deviation *deviation)
{
    for (size_t i = 0; i < report->count; i++)
        for (size_t k = 0; k < report->findings[i].count; k++) {
            const struct diag_place *place = &report->findings[i].places[k].file;
            if (report->findings[i].level <= DIAG_WARNING && place->file != NULL &&
                deviation->where.file != NULL && place->line == deviation->where.line &&
                place->column == deviation->where.column &&
                strcmp(place->file, deviation->where.file) == 0)
                return true;
        }
    return false;
}

/* The value of devices that have an error themselves is no remedy. */
static bool has_wrong_peers(const struct check_report *report, const struct scenario_node *device)
{
    for (size_t i = 0; i < report->count; i++)
        for (size_t k = 0; k < report->findings[i].count; k++) {
            const struct scenario_node *node = report->findings[i].places[k].node;
            if (report->findings[i].level == DIAG_ERROR && node != NULL && node != device &&
                node->kind == device->kind)
                return true;
        }
    return false;
}

/* The values of a switch share its memory: one of its peers need not fit a switch that differs from
 * them in others as well. */
static bool differs_in_others(const struct deviations *deviations,
                              const struct deviation *deviation, uint32_t node)
{
    for (size_t i = 0; i < deviations->count; i++) {
        const struct deviation *other = &deviations->list[i];
        for (size_t k = 0; other != deviation && k < other->change_count; k++)
            if (other->changes[k].spot.node == node)
                return true;
    }
    return false;
}

static void check_deviation(const struct scenario *scenario, const struct deviations *deviations,
                            const struct deviation *deviation, struct check_report *report)
{
    const struct deviation_change *first = &deviation->changes[0];
    const char *last = strrchr(deviation->path, '.');
    int64_t value;
    char why[OPT_WHY_BYTES];
    if (deviation->broad || deviation->planned || !is_of_device(first->of) ||
        !is_quantity(first->row) || last == NULL || strcmp(last, ".profile") == 0 ||
        !opt_parse(first->row, deviation->value, &value, why) ||
        !((is_comparable(first) && is_far(value, first->common)) ||
          is_much_worse(first->row, value, first->common)) ||
        is_said(report, deviation))
        return;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct scenario_spot *spot = &deviation->changes[i].spot;
        if (spot->node == SCENARIO_NOWHERE || !has_traffic(scenario, spot->node, first->of) ||
            effect_is_void(scenario, spot->node, first->row))
            continue;
        const struct check_thing thing = {.node = &scenario->nodes[spot->node],
                                          .port = spot->port,
                                          .row = first->row->name,
                                          .written = deviation->where};
        check_alike(report, DIAG_WARNING, &thing, "%s is %s, but peers have %s", first->row->name,
                    deviation->value, deviation->common);
        check_remedy(report, "use the value of the peers, unless the difference is intended");
        if (!has_wrong_peers(report, thing.node) &&
            (first->of != DEVIATION_SWITCH ||
             !differs_in_others(deviations, deviation, spot->node)))
            check_set_path(report, "%s=%s", deviation->path, deviation->common);
    }
}

static void run_peers_check(const struct scenario *scenario, struct check_report *report)
{
    struct deviations deviations;
    deviations_find(&deviations, scenario);
    for (size_t i = 0; i < deviations.count; i++)
        if (deviations.list[i].change_count > 0)
            check_deviation(scenario, &deviations, &deviations.list[i], report);
    deviations_free(&deviations);
}

const struct check_rule check_peers = {
    .name = "peers",
    .about =
        "No device has a value that is much worse than its peers' values, or that differs from "
        "them by a factor of ten.",
    .run = run_peers_check,
};
