/* SPDX-License-Identifier: Apache-2.0
 * prove_loss - the victims' loss in a run, and how much of it a repair removes. */
#include "replay/experiment/prove_private.h"

#include "base/numbers.h"

enum { LEFT_PERCENT = 25 };

/* ------------------------------------------------------------------ loss */

const struct measure_work *prove_ideal_of(const struct proof *proof, uint32_t i)
{
    static const struct measure_work none;
    return proof->ideal.works == NULL ? &none : &proof->ideal.works[i];
}

int64_t prove_lost_by(const struct proof *proof, const struct measure *measure, uint32_t i)
{
    return measure_lost(&measure->works[i], prove_ideal_of(proof, i));
}

bool prove_takes_from(const struct proof *proof, const struct trial_change *repair, uint32_t member)
{
    return repair != NULL && repair->kind == TRIAL_REMOVE_TRAFFIC &&
           repair->workload == proof->members.rows[member].workload;
}

static bool is_much(const struct measure_work *is, const struct measure_work *was, int64_t chance)
{
    return experiment_is_significant(measure_lost(is, was), measure_whole(is, was),
                                     EXPERIMENT_HARM_LEAST, chance);
}

bool prove_is_much(const struct proof *proof, const struct measure *more,
                   const struct measure *less, uint32_t member)
{
    static const struct measure_work none;
    const struct measure_work *was = less->works == NULL ? &none : &less->works[member];
    const uint32_t workload = proof->members.rows[member].workload;
    if (!is_much(&more->works[member], was, 0))
        return false;
    return proof->noise == NULL || is_much(&more->works[member], was, proof->noise[member]) ||
           (less->works != NULL &&
            is_much(&more->workloads[workload].sum, &less->workloads[workload].sum,
                    proof->workload_noise[workload]));
}

static bool is_a_part(__int128 part, __int128 whole, int percent)
{
    return part > 0 && part * 100 >= whole * percent;
}

/* Even with the repair, the member still loses too much. */
static bool is_left(const struct proof *proof, const struct measure *measure, uint32_t i)
{
    const struct measure_work *was = &proof->original.works[i], *is = &measure->works[i];
    const struct measure_work *ideal = prove_ideal_of(proof, i);
    const int64_t lost = measure_lost(is, ideal);
    return is_a_part(is->failed - ideal->failed, was->failed - ideal->failed, LEFT_PERCENT) ||
           is_a_part(is->inactive - ideal->inactive, was->inactive - ideal->inactive,
                     LEFT_PERCENT) ||
           (prove_is_much(proof, measure, &proof->ideal, i) &&
            is_a_part(lost, measure_lost(was, ideal), LEFT_PERCENT));
}

struct prove_impact prove_impact_of(const struct proof *proof, const struct measure *measure,
                                    const struct trial_change *but)
{
    struct prove_impact impact = {.lossless_drops = measure->lossless_drops,
                                  .drops = measure->drops};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct measure_work *work = &measure->works[i];
        const int64_t p99_ps = measure->workloads[proof->members.rows[i].workload].p99_ps;
        if (!proof->victims[i] || prove_takes_from(proof, but, i))
            continue;
        impact.lost_ps += prove_lost_by(proof, measure, i);
        impact.whole_ps += measure_whole(work, prove_ideal_of(proof, i));
        impact.victims += is_left(proof, measure, i);
        impact.done += work->done;
        impact.failed += work->failed;
        impact.inactive += work->inactive;
        impact.p99_ps = max_i64(impact.p99_ps, p99_ps);
    }
    for (uint32_t i = 0; i < proof->hops.count; i++)
        impact.stopped_ps += proof->on_path[i] ? measure->stopped_ps[i] : 0;
    return impact;
}

bool prove_is_late(const struct proof *proof, const struct measure *measure, uint32_t i)
{
    return proof->ideal.works != NULL && prove_is_much(proof, measure, &proof->ideal, i);
}

bool prove_is_victim(const struct proof *proof, uint32_t i)
{
    const struct measure_work *work = &proof->original.works[i], *ideal = prove_ideal_of(proof, i);
    return proof->ideal.works != NULL &&
           (work->failed > ideal->failed || work->inactive > ideal->inactive ||
            prove_is_late(proof, &proof->original, i));
}

/* ------------------------------------------------------------------ comparison of two runs */

/* More operations may be under way for longer, as with more queues: that is no loss. */
static int64_t lost_share(const struct measure_work *is, const struct measure_work *was)
{
    return is->done * 20 > was->done * 21
               ? 0
               : share_ppm(measure_lost(is, was), measure_whole(is, was));
}

int64_t prove_gain(const struct measure *first, const struct measure *second, uint32_t member)
{
    const struct measure_work *was = &first->works[member], *is = &second->works[member];
    return lost_share(was, is) - lost_share(is, was);
}

int64_t prove_mean_gain(const struct proof *proof, const struct measure *first,
                        const struct measure *second)
{
    int64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        sum += prove_gain(first, second, i);
        count += measure_whole(&first->works[i], &second->works[i]) > 0;
    }
    return count == 0 ? 0 : sum / count;
}

void prove_compare(const struct proof *proof, const struct measure *first,
                   const struct measure *second, const struct trial_change *but,
                   struct prove_impact *change)
{
    *change = (struct prove_impact){0};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct measure_work *was = &first->works[i], *is = &second->works[i];
        if (prove_takes_from(proof, but, i))
            continue;
        change->lost_ps += measure_lost(is, was) - measure_lost(was, is);
        change->failed += is->failed - was->failed + is->inactive - was->inactive;
        change->whole_ps += measure_whole(was, is);
    }
}

bool prove_is_dearer(const struct proof *proof, const struct measure *first,
                     const struct measure *second, uint32_t member)
{
    const struct measure_work *was = &first->works[member], *is = &second->works[member];
    return is->failed > was->failed || is->inactive > was->inactive ||
           prove_is_much(proof, second, first, member);
}

/* ------------------------------------------------------------------ removed loss */

static int64_t amount(const struct prove_impact *impact, enum prove_loss by)
{
    return by == PROVE_BY_TIME       ? impact->lost_ps
           : by == PROVE_BY_FAILED   ? impact->failed
           : by == PROVE_BY_INACTIVE ? impact->inactive
                                     : impact->lossless_drops;
}

/* The impact beyond that of the ideal run. Lost time is already relative to the ideal run; it is 0
 * if no victim lost a twentieth. */
static int64_t excess(const struct prove *prove, const struct prove_impact *impact,
                      enum prove_loss by)
{
    if (by == PROVE_BY_TIME && !prove->late)
        return 0;
    return amount(impact, by) - (by == PROVE_BY_TIME ? 0 : amount(&prove->ideal, by));
}

static double gone_of(const struct prove *prove, const struct prove_impact *before,
                      const struct prove_impact *after, enum prove_loss by)
{
    const int64_t was = excess(prove, before, by);
    return was <= 0 ? 0 : (double)(was - excess(prove, after, by)) / (double)was;
}

double prove_gone(const struct prove *prove, const struct prove_impact *before,
                  const struct prove_impact *after)
{
    if (prove->by != PROVE_BY_NOTHING)
        return gone_of(prove, before, after, prove->by);
    return before->whole_ps == 0
               ? 0
               : (double)(before->lost_ps - after->lost_ps) / (double)before->whole_ps;
}

double prove_gone_all(const struct prove *prove, const struct prove_impact *before,
                      const struct prove_impact *after)
{
    double least = prove_gone(prove, before, after);
    for (enum prove_loss by = PROVE_BY_TIME; by <= PROVE_BY_DROPS; by++) {
        const double gone = gone_of(prove, before, after, by);
        if (excess(prove, before, by) > 0 && gone < least)
            least = gone;
    }
    return least;
}

enum prove_loss prove_loss_of(const struct prove *prove)
{
    for (enum prove_loss by = PROVE_BY_TIME; by <= PROVE_BY_DROPS; by++)
        if (excess(prove, &prove->before, by) > 0)
            return by;
    return PROVE_BY_NOTHING;
}
