/* SPDX-License-Identifier: Apache-2.0
 * prove_loss - what a run cost the victims, and how much of it went away. */
#include "replay/prove/prove_private.h"

enum { VICTIM_LEAST_PERCENT = 5, LEFT_PERCENT = 25 };

/* ------------------------------------------------------------------ what they lost */

const struct prove_work *prove_ideal_of(const struct prove_trial *trial, uint32_t i)
{
    static const struct prove_work none;
    return trial->ideal.works == NULL ? &none : &trial->ideal.works[i];
}

int64_t prove_lost_by(const struct prove_trial *trial, const struct prove_measure *measure,
                      uint32_t i)
{
    return prove_work_lost(&measure->works[i], prove_ideal_of(trial, i));
}

bool prove_takes_from(const struct prove_trial *trial, const struct repair *repair, uint32_t member)
{
    return repair != NULL && repair->kind == REPAIR_TRAFFIC &&
           repair->workload == trial->members.rows[member].workload;
}

bool prove_is_much(const struct prove_trial *trial, uint32_t member, int64_t part, int64_t whole)
{
    const int64_t least = 10 * VICTIM_LEAST_PERCENT;
    const int64_t chance = trial->noise == NULL ? 0 : 2 * trial->noise[member];
    return part > 0 && (__int128)part * 1000 >= (__int128)whole * (chance > least ? chance : least);
}

static bool is_a_part(__int128 part, __int128 whole, int percent)
{
    return part > 0 && part * 100 >= whole * percent;
}

/* The repair gave it too little to make it whole. */
static bool is_left(const struct prove_trial *trial, const struct prove_measure *measure,
                    uint32_t i)
{
    const struct prove_work *was = &trial->original.works[i], *is = &measure->works[i];
    const struct prove_work *ideal = prove_ideal_of(trial, i);
    const int64_t lost = prove_work_lost(is, ideal);
    return is_a_part(is->failed - ideal->failed, was->failed - ideal->failed, LEFT_PERCENT) ||
           is_a_part(is->inactive - ideal->inactive, was->inactive - ideal->inactive,
                     LEFT_PERCENT) ||
           (prove_is_much(trial, i, lost, prove_work_whole(is, ideal)) &&
            is_a_part(lost, prove_work_lost(was, ideal), LEFT_PERCENT));
}

struct prove_impact prove_impact_of(const struct prove_trial *trial,
                                    const struct prove_measure *measure, const struct repair *but)
{
    struct prove_impact impact = {.lossless_drops = measure->lossless_drops,
                                  .drops = measure->drops};
    for (uint32_t i = 0; i < trial->members.count; i++) {
        const struct prove_work *work = &measure->works[i];
        const int64_t p99_ps = measure->p99_ps[trial->members.rows[i].workload];
        if (!trial->victims[i] || prove_takes_from(trial, but, i))
            continue;
        impact.lost_ps += prove_lost_by(trial, measure, i);
        impact.whole_ps += prove_work_whole(work, prove_ideal_of(trial, i));
        impact.victims += is_left(trial, measure, i);
        impact.done += work->done;
        impact.failed += work->failed;
        impact.inactive += work->inactive;
        impact.p99_ps = p99_ps > impact.p99_ps ? p99_ps : impact.p99_ps;
    }
    for (uint32_t i = 0; i < trial->hops.count; i++)
        impact.stopped_ps += trial->on_path[i] ? measure->stopped_ps[i] : 0;
    return impact;
}

bool prove_is_late(const struct prove_trial *trial, const struct prove_measure *measure, uint32_t i)
{
    const struct prove_work *work = &measure->works[i], *ideal = prove_ideal_of(trial, i);
    return trial->ideal.works != NULL &&
           prove_is_much(trial, i, prove_work_lost(work, ideal), prove_work_whole(work, ideal));
}

bool prove_is_victim(const struct prove_trial *trial, uint32_t i)
{
    const struct prove_work *work = &trial->original.works[i], *ideal = prove_ideal_of(trial, i);
    return trial->ideal.works != NULL &&
           (work->failed > ideal->failed || work->inactive > ideal->inactive ||
            prove_is_late(trial, &trial->original, i));
}

/* ------------------------------------------------------------------ one run and another */

void prove_compare(const struct prove_trial *trial, const struct prove_measure *first,
                   const struct prove_measure *second, const struct repair *but,
                   struct prove_impact *change)
{
    *change = (struct prove_impact){0};
    for (uint32_t i = 0; i < trial->members.count; i++) {
        const struct prove_work *was = &first->works[i], *is = &second->works[i];
        if (prove_takes_from(trial, but, i))
            continue;
        change->lost_ps += prove_work_lost(is, was) - prove_work_lost(was, is);
        change->failed += is->failed - was->failed + is->inactive - was->inactive;
        change->whole_ps += prove_work_whole(was, is);
    }
}

bool prove_is_dearer(const struct prove_trial *trial, const struct prove_measure *first,
                     const struct prove_measure *second, uint32_t member)
{
    const struct prove_work *was = &first->works[member], *is = &second->works[member];
    return is->failed > was->failed || is->inactive > was->inactive ||
           prove_is_much(trial, member, prove_work_lost(is, was), prove_work_whole(is, was));
}

/* ------------------------------------------------------------------ what went away */

static int64_t amount(const struct prove_impact *impact, enum prove_loss by)
{
    return by == PROVE_BY_TIME       ? impact->lost_ps
           : by == PROVE_BY_FAILED   ? impact->failed
           : by == PROVE_BY_INACTIVE ? impact->inactive
                                     : impact->lossless_drops;
}

/* Beyond what is there in the ideal run as well.  What lost time is measured against that already;
 * it is none where no victim lost a twentieth. */
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
