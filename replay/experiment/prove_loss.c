/* SPDX-License-Identifier: Apache-2.0
 * prove_loss - the victims' loss in a run, and how much of it a repair removes. */
#include "replay/experiment/prove_private.h"

#include "base/numbers.h"

enum { LEFT_PERCENT = 25 };

/* ------------------------------------------------------------------ loss */

/* Compared with another run, which may not exist. */
static struct loss loss_against(const struct measure *measure, const struct measure *reference,
                                uint32_t i)
{
    static const struct loss_work none;
    return loss_between(&measure->works[i],
                        reference->works == NULL ? &none : &reference->works[i]);
}

struct loss prove_loss_by(const struct proof *proof, const struct measure *measure, uint32_t i)
{
    return loss_against(measure, &proof->ideal, i);
}

bool prove_takes_from(const struct proof *proof, const struct trial_change *repair, uint32_t member)
{
    return repair != NULL && repair->kind == TRIAL_REMOVE_TRAFFIC &&
           repair->workload == proof->members.rows[member].workload;
}

static bool is_much(struct loss loss, int64_t chance)
{
    return experiment_is_significant(loss.lost_ps, loss.whole_ps, EXPERIMENT_HARM_LEAST, chance);
}

bool prove_is_much(const struct proof *proof, const struct measure *more,
                   const struct measure *less, uint32_t member)
{
    const struct loss loss = loss_against(more, less, member);
    const uint32_t workload = proof->members.rows[member].workload;
    if (!is_much(loss, 0))
        return false;
    return proof->noise == NULL || is_much(loss, proof->noise[member]) ||
           (less->works != NULL &&
            is_much(loss_between(&more->workloads[workload].sum, &less->workloads[workload].sum),
                    proof->workload_noise[workload]));
}

static bool is_a_part(__int128 part, __int128 whole, int percent)
{
    return part > 0 && part * 100 >= whole * percent;
}

/* Even with the repair, the member still loses too much. */
static bool is_left(const struct proof *proof, const struct measure *measure, uint32_t i)
{
    const struct loss was = prove_loss_by(proof, &proof->original, i),
                      is = prove_loss_by(proof, measure, i);
    return is_a_part(is.failed, was.failed, LEFT_PERCENT) ||
           is_a_part(is.inactive, was.inactive, LEFT_PERCENT) ||
           (prove_is_much(proof, measure, &proof->ideal, i) &&
            is_a_part(is.lost_ps, was.lost_ps, LEFT_PERCENT));
}

struct prove_impact prove_impact_of(const struct proof *proof, const struct measure *measure,
                                    const struct trial_change *but)
{
    struct prove_impact impact = {.lossless_drops = measure->lossless_drops,
                                  .drops = measure->drops};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct loss_work *work = &measure->works[i];
        const struct loss loss = prove_loss_by(proof, measure, i);
        const int64_t p99_ps = measure->workloads[proof->members.rows[i].workload].p99_ps;
        if (!proof->victims[i] || prove_takes_from(proof, but, i))
            continue;
        impact.lost_ps += loss.lost_ps;
        impact.whole_ps += loss.whole_ps;
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
    const struct loss loss = prove_loss_by(proof, &proof->original, i);
    return proof->ideal.works != NULL &&
           (loss_is_counted(&loss) || prove_is_late(proof, &proof->original, i));
}

/* ------------------------------------------------------------------ comparison of two runs */

/* More operations may be under way for longer, as with more queues: that is no loss. */
static int64_t lost_share(const struct loss_work *is, const struct loss_work *was)
{
    const struct loss loss = loss_between(is, was);
    return is->done * 20 > was->done * 21 ? 0 : loss_share(&loss);
}

int64_t prove_gain(const struct measure *first, const struct measure *second, uint32_t member)
{
    const struct loss_work *was = &first->works[member], *is = &second->works[member];
    return lost_share(was, is) - lost_share(is, was);
}

int64_t prove_mean_gain(const struct proof *proof, const struct measure *first,
                        const struct measure *second)
{
    int64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        sum += prove_gain(first, second, i);
        count += loss_against(first, second, i).whole_ps > 0;
    }
    return count == 0 ? 0 : sum / count;
}

void prove_compare(const struct proof *proof, const struct measure *first,
                   const struct measure *second, const struct trial_change *but,
                   struct prove_impact *change)
{
    *change = (struct prove_impact){0};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct loss lost = loss_against(second, first, i),
                          gained = loss_against(first, second, i);
        if (prove_takes_from(proof, but, i))
            continue;
        change->lost_ps += lost.lost_ps - gained.lost_ps;
        change->failed += lost.failed + lost.inactive;
        change->whole_ps += lost.whole_ps;
    }
}

bool prove_is_dearer(const struct proof *proof, const struct measure *first,
                     const struct measure *second, uint32_t member)
{
    const struct loss loss = loss_against(second, first, member);
    return loss_is_counted(&loss) || prove_is_much(proof, second, first, member);
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
