/* SPDX-License-Identifier: Apache-2.0
 * explain_verdict - shares and thresholds.
 *
 * Sure: the first root and those at the other end of its link have at least half of all the time,
 * and it at least half of that; no other has half as much as they; three quarters of the time have a
 * known cause; and no host elsewhere paused anybody, however short, when the first is no host. */
#include "replay/explain_verdict.h"

enum { NEGLIGIBLE_PERCENT = 1 };

static bool at_host(const struct explain *explain, const struct explain_root *root)
{
    return explain->fabric->is_host[explain->fabric->node_of[root->port]];
}

static time_ps all_of(const struct explain *explain)
{
    time_ps all = explain->unknown_ps;
    for (uint32_t i = 0; i < explain->root_count; i++)
        all += explain->roots[i].held_ps;
    return all;
}

void explain_mark_faults(struct explain *explain)
{
    const time_ps least = all_of(explain) / 100 * NEGLIGIBLE_PERCENT;
    for (uint32_t i = 0; i < explain->root_count; i++) {
        struct explain_root *root = &explain->roots[i];
        root->fault = at_host(explain, root) && root->held_ps >= least;
    }
}

static bool same_link(const struct explain *explain, uint32_t a, uint32_t b)
{
    return a == b || explain->fabric->peer[a] == b;
}

static time_ps largest(time_ps a, time_ps b)
{
    return a > b ? a : b;
}

void explain_judge(struct explain *explain)
{
    struct explain_verdict *verdict = &explain->verdict;
    *verdict = (struct explain_verdict){
        .rival = EXPLAIN_NONE,
        .all_ps = all_of(explain),
        .unknown_ps = explain->unknown_ps,
    };
    if (explain->root_count == 0)
        return;
    const struct explain_root *first = &explain->roots[0];
    time_ps at_link_ps = 0;
    bool host_elsewhere = false;
    for (uint32_t i = 0; i < explain->root_count; i++) {
        const struct explain_root *root = &explain->roots[i];
        const bool here = same_link(explain, first->port, root->port);
        at_link_ps += here ? root->held_ps : 0;
        host_elsewhere = host_elsewhere || (!here && at_host(explain, root));
        if (root->held_ps <=
            (here ? largest(first->held_ps, verdict->rival_ps) : verdict->rival_ps))
            continue;
        verdict->rival = i;
        verdict->rival_ps = root->held_ps;
    }
    verdict->first_ps = first->held_ps;
    verdict->sure = first->kind != EXPLAIN_CIRCLE && at_link_ps >= verdict->all_ps / 2 &&
                    first->held_ps >= at_link_ps / 2 && verdict->rival_ps <= at_link_ps / 2 &&
                    verdict->unknown_ps <= verdict->all_ps / 4 &&
                    (at_host(explain, first) || !host_elsewhere);
}
