/* SPDX-License-Identifier: Apache-2.0
 * fit_remedies - what would have prevented the harm: the best hypothesis with one more change, each
 * run.  The effect is bytes that other hosts receive, frames lost in a lossless class, and time
 * paused. */
#include "replay/incident/fit_private.h"

#include <string.h>

/* A limit leaves the slow host a tenth of what it drains. */
static const double limit_part = 0.9;

struct plan {
    struct fit *fit;
    const struct fit_base *base;
    const struct triage_work *work;
};

static void add_remedy(const struct plan *plan, const char *words, const char *set)
{
    struct fit *fit = plan->fit;
    if (fit->remedy_count < FIT_REMEDIES_MAX)
        fit->remedies[fit->remedy_count++] = (struct fit_remedy){.words = words, .set = set};
}

/* ---- remedies ---- */

/* The port of a switch at the other end of the host's cable, as "leaf0:p3" and its switch; false:
 * there is none. */
static bool find_switch_port(const struct plan *plan, const char **port, const char **name)
{
    const struct fit_hypothesis *first = &plan->fit->hypotheses[0];
    const int node = triage_find_node(plan->work, first->device);
    for (size_t i = 0; node >= 0 && i < plan->work->nodes[node].port_count; i++) {
        const int peer = plan->work->ports[plan->work->nodes[node].ports[i]].peer;
        if (peer < 0 || !plan->work->nodes[plan->work->ports[peer].node].is_switch)
            continue;
        *port = fit_port_name(&plan->fit->arena, plan->work, peer);
        *name = plan->work->nodes[plan->work->ports[peer].node].name;
        return true;
    }
    return false;
}

/* The part of the flows to the host that it drains. */
static double drained_part(const struct plan *plan, int node)
{
    const struct fit_hypothesis *first = &plan->fit->hypotheses[0];
    double sum = 0;
    for (size_t i = 0; i < plan->base->traffic.count; i++)
        if (plan->base->traffic.flows[i].to == node)
            sum += plan->base->traffic.flows[i].rate * 8;
    const double part =
        sum > 0 ? limit_part * first->value * (double)first->rate / sum : limit_part;
    return part < limit_part ? part : limit_part;
}

static bool has_other_flows(const struct plan *plan, int node)
{
    for (size_t i = 0; i < plan->base->traffic.count; i++)
        if (plan->base->traffic.flows[i].from != node && plan->base->traffic.flows[i].to != node)
            return true;
    return false;
}

static void plan_for_host(const struct plan *plan)
{
    struct arena *arena = &plan->fit->arena;
    const struct fit_hypothesis *first = &plan->fit->hypotheses[0];
    const int node = triage_find_node(plan->work, first->device);
    const char *port, *name;
    if (find_switch_port(plan, &port, &name)) {
        add_remedy(plan, arena_format(arena, "PFC watchdog at %s, detection after 1 ms", name),
                   arena_format(arena,
                                "fabric.overrides[+]={where: \"%s\", watchdog: drop, "
                                "watchdog-detection: 1ms, watchdog-restoration: 1ms, "
                                "watchdog-poll: 1ms, watchdog-start: 0ns}",
                                name));
        add_remedy(plan,
                   arena_format(arena, "PFC disabled at %s, the port of %s", port, first->device),
                   arena_format(arena, "faults[+]={kind: pfc-off, where: \"%s\", at: 0s}", port));
    }
    if (plan->base->own_workloads)
        return;
    if (first->kind == FIT_SLOW_HOST)
        add_remedy(plan,
                   arena_format(arena, "traffic to %s limited to its drain rate", first->device),
                   fit_workloads(arena, plan->base, node, drained_part(plan, node)));
    if (has_other_flows(plan, node))
        add_remedy(plan, arena_format(arena, "workloads of %s moved elsewhere", first->device),
                   fit_workloads(arena, plan->base, node, 0));
}

static void plan_for_link(const struct plan *plan)
{
    const struct fit_hypothesis *first = &plan->fit->hypotheses[0];
    if (first->kind == FIT_LOSS || first->kind == FIT_BIT_ERRORS) {
        add_remedy(plan, "selective repeat at all hosts",
                   "hosts.defaults.rnic.loss-recovery=selective-repeat");
        add_remedy(plan, arena_format(&plan->fit->arena, "link at %s shut down", first->port),
                   arena_format(&plan->fit->arena,
                                "faults[+]={kind: link-down, where: \"%s\", at: 0s}", first->port));
    }
    if (first->kind == FIT_HEADROOM)
        add_remedy(plan,
                   arena_format(&plan->fit->arena, "headroom of %s computed from the cable length",
                                first->device),
                   arena_format(&plan->fit->arena,
                                "fabric.overrides[+]={where: \"%s\", headroom: auto}",
                                first->device));
}

static void plan_for_load(const struct plan *plan)
{
    add_remedy(plan, "DCQCN at all hosts", "hosts.defaults.rnic.congestion-control=dcqcn");
    if (!plan->base->own_workloads)
        add_remedy(plan, "20 % less offered load from every host",
                   fit_workloads(&plan->fit->arena, plan->base, FIT_ALL_NODES, 0.8));
}

static void make_plan(const struct plan *plan)
{
    switch (plan->fit->hypotheses[0].kind) {
    case FIT_SLOW_HOST:
    case FIT_PAUSE_STORM:
        plan_for_host(plan);
        break;
    case FIT_LOSS:
    case FIT_BIT_ERRORS:
    case FIT_HEADROOM:
        plan_for_link(plan);
        break;
    case FIT_NOTHING:
        if (plan->fit->hypotheses[0].paused_ps > 0 || plan->fit->hypotheses[0].drops > 0)
            plan_for_load(plan);
        break;
    default:
        break;
    }
}

/* ---- runs ---- */

/* False: as fit_runs. */
bool fit_remedies(struct fit *fit, const struct fit_base *base, const struct triage_work *work)
{
    const struct fit_hypothesis *first = &fit->hypotheses[0];
    const struct plan plan = {fit, base, work};
    struct fit_trial trials[FIT_REMEDIES_MAX + 1] = {0};
    struct fit_seen seen[FIT_REMEDIES_MAX + 1] = {0};
    if (first->ran)
        make_plan(&plan);
    if (fit->remedy_count == 0)
        return true;
    trials[fit->remedy_count] = fit_trial_of(&fit->arena, NULL, NULL, first->device);
    for (uint32_t i = 0; i < fit->remedy_count; i++)
        trials[i] = fit_trial_of(&fit->arena, first->set, fit->remedies[i].set, first->device);
    if (!fit_runs(fit, base, work->incident, trials, fit->remedy_count + 1, seen))
        return false;
    fit->healthy_ran = seen[fit->remedy_count].ran;
    fit->healthy_received = seen[fit->remedy_count].received;
    for (uint32_t i = 0; i < fit->remedy_count; i++) {
        struct fit_remedy *one = &fit->remedies[i];
        one->ran = seen[i].ran;
        one->received = seen[i].received;
        one->drops = seen[i].drops;
        one->paused_ps = seen[i].paused_ps;
    }
    return true;
}
