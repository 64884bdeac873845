/* SPDX-License-Identifier: Apache-2.0
 * explain_verdict - shares and thresholds of the verdict.
 * The verdict is sure if all of these hold: the causes together with the roots at the other end of
 * their links account for at least half of the time, and the causes for at least half of that; no
 * other root has half as much; three quarters of the time are attributed; transmitters were not
 * stopped for much longer than the holds lasted (a lost XON); and, if the first root is not a host,
 * no other host paused at all. */
#include "replay/explain/explain_verdict.h"
#include "replay/explain/verdict.h"

enum { NEGLIGIBLE_PPM = 1000, CAUSE_LEAST_PERCENT = 5 };

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
    const time_ps least = (time_ps)((__int128)all_of(explain) * NEGLIGIBLE_PPM / PPM);
    for (uint32_t i = 0; i < explain->root_count; i++) {
        struct explain_root *root = &explain->roots[i];
        root->fault = at_host(explain, root) && root->held_ps >= least;
    }
}

static bool same_link(const struct explain *explain, uint32_t a, uint32_t b)
{
    return a == b || explain->fabric->peer[a] == b;
}

/* One port that is congested in several priorities is one cause. */
static bool is_cause(const struct explain *explain, uint32_t root)
{
    bool same = false;
    for (uint32_t i = 0; i < explain->verdict.causes; i++)
        same |= explain->roots[i].port == explain->roots[root].port;
    return same;
}

static bool at_cause(const struct explain *explain, uint32_t root)
{
    bool here = false;
    for (uint32_t i = 0; i < explain->verdict.causes; i++)
        here |= same_link(explain, explain->roots[i].port, explain->roots[root].port);
    return here;
}

/* Only hosts can be several causes, because each pauses independently of the others. */
static uint32_t count_causes(const struct explain *explain, time_ps all)
{
    uint32_t count = 0;
    while (count < explain->root_count &&
           (count == 0 || (explain->roots[count].fault &&
                           explain->roots[count].held_ps >= all * CAUSE_LEAST_PERCENT / 100)))
        count++;
    return count;
}

/* The root that may be the cause instead: any other host if the first root is not a host; otherwise
 * the largest other root. A root that feeds the first root's link only counts if it is larger. */
static uint32_t rival_of(const struct explain *explain)
{
    const struct explain_root *roots = explain->roots;
    uint32_t rival = EXPLAIN_NONE;
    for (uint32_t i = explain->verdict.causes; i < explain->root_count; i++) {
        const bool here = at_cause(explain, i);
        if (!at_host(explain, &roots[0]) && !here && at_host(explain, &roots[i]))
            return i; /* roots are sorted, so this is the largest one */
        if (is_cause(explain, i) || (here && roots[i].held_ps <= roots[0].held_ps))
            continue;
        if (rival == EXPLAIN_NONE || roots[i].held_ps > roots[rival].held_ps)
            rival = i;
    }
    return rival;
}

void explain_judge(struct explain *explain)
{
    const struct explain_root *roots = explain->roots;
    struct explain_verdict *verdict = &explain->verdict;
    const time_ps all = all_of(explain);
    *verdict = (struct explain_verdict){
        .causes = count_causes(explain, all),
        .all_ps = all,
        .unknown_ps = explain->unknown_ps,
    };
    verdict->rival = rival_of(explain);
    if (explain->root_count == 0)
        return;
    time_ps here_ps = 0, elsewhere_ps = 0, causes_ps = 0;
    bool host_elsewhere = false;
    for (uint32_t i = 0; i < explain->root_count; i++) {
        const bool here = at_cause(explain, i);
        causes_ps += is_cause(explain, i) ? roots[i].held_ps : 0;
        verdict->first_ps += roots[i].port == roots[0].port ? roots[i].held_ps : 0;
        here_ps += here ? roots[i].held_ps : 0;
        if (!here && roots[i].held_ps > elsewhere_ps)
            elsewhere_ps = roots[i].held_ps;
        host_elsewhere = host_elsewhere || (!here && at_host(explain, &roots[i]));
    }
    const bool host = at_host(explain, &roots[0]);
    verdict->rival_ps = verdict->rival == EXPLAIN_NONE ? 0 : roots[verdict->rival].held_ps;
    verdict->sure = !verdicts[roots[0].kind].is_guess && here_ps >= verdict->all_ps / 2 &&
                    causes_ps >= here_ps / 2 && elsewhere_ps <= here_ps / 2 &&
                    verdict->unknown_ps <= verdict->all_ps / 4 &&
                    2 * (explain->blocked_ps - explain->idle_ps) <=
                        3 * (explain->asked_ps - explain->idle_ps) &&
                    (host || !host_elsewhere);
}
