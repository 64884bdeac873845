/* SPDX-License-Identifier: Apache-2.0
 * check_peers - finds devices whose parameters differ from their peers' by an order of magnitude.
 * Peers are the switches of a tier, the ports between two tiers, the targets, and the hosts that
 * are not targets (deviation.h). Values that another rule has already reported are skipped. So are
 * rates, lengths and MTUs, which differ by design and have their own rules, and enumerated values
 * and host software timeouts, which are a matter of choice. */
#include "scenarios/check/check_rule.h"

#include "scenarios/deviation/deviation.h"

#include <string.h>

enum { MAGNITUDE = 10 };

static bool is_of_device(enum deviation_of of)
{
    return of == DEVIATION_SWITCH || of == DEVIATION_RNIC || of == DEVIATION_TARGET ||
           of == DEVIATION_CONTROL_VALUE || of == DEVIATION_MEDIA_VALUE ||
           of == DEVIATION_NAMESPACE_VALUE;
}

static bool is_quantity(const struct opt *row)
{
    return row != NULL && row->type != OPT_BOOL && row->type != OPT_CHOICE &&
           row->type != OPT_MASK && row->type != OPT_DSCP;
}

/* Zero and special values such as "auto" have no order of magnitude, so they are never compared. */
static bool is_far(int64_t a, int64_t b)
{
    if (a <= 0 || b <= 0)
        return false;
    return a / MAGNITUDE >= b || b / MAGNITUDE >= a;
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
        !opt_parse(first->row, deviation->value, &value, why) || !is_far(value, first->common) ||
        is_said(report, deviation))
        return;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct scenario_spot *spot = &deviation->changes[i].spot;
        if (spot->node == SCENARIO_NOWHERE)
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

static void run(const struct scenario *scenario, struct check_report *report)
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
    .about = "No value of a device differs from its peers by a factor of ten.",
    .run = run,
};
