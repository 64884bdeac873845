/* SPDX-License-Identifier: Apache-2.0
 * prove_private - what the parts of a proof share. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_PROVE_PRIVATE_H
#define STORMGLASS_REPLAY_EXPERIMENT_PROVE_PRIVATE_H

#include "replay/experiment/experiment.h"
#include "replay/experiment/prove.h"

enum { PROVE_ROWS_MAX = PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX };

struct proof {
    struct prove *prove;
    const struct prove_question *question;
    const struct scenario *scenario;
    const struct trial_base *base;
    struct experiment experiment;
    struct diag *diag;
    struct run run; /* as it was, played again */
    struct measure_members members;
    int64_t *noise; /* by member: the ppm that chance moves; NULL: not yet known */
    struct measure_hops hops;
    bool *on_path;                  /* by hop: a victim's */
    bool *victims;                  /* by member */
    struct measure original, ideal; /* ideal.works NULL: nothing can be repaired */
    struct measure rows[PROVE_ROWS_MAX];
};

/* Rows that are repaired at once. */
struct prove_set {
    uint32_t rows[PROVE_SUSPECTS_MAX], count;
    uint32_t later; /* each workload starts so many times a few nanoseconds later */
};

/* Those that are broken and can be repaired for the better. */
struct prove_set prove_all_broken(const struct prove *prove);

/* Runs the scenario with each of the sets repaired, all at once.  Works NULL: it cannot be built.
 * False: see why of the experiment. */
bool prove_run_sets(struct proof *proof, const struct prove_set *sets, uint32_t count,
                    struct measure *measures);

/* The member in the ideal run; nothing where there is none. */
const struct measure_work *prove_ideal_of(const struct proof *proof, uint32_t member);

int64_t prove_lost_by(const struct proof *proof, const struct measure *measure, uint32_t member);
bool prove_is_victim(const struct proof *proof, uint32_t member);

/* That part of its time is a twentieth or more, and twice what chance moves. */
bool prove_is_much(const struct proof *proof, uint32_t member, int64_t part, int64_t whole);

/* It lost so much of its time. */
bool prove_is_late(const struct proof *proof, const struct measure *measure, uint32_t member);

/* What chance moves: workloads start a few nanoseconds later.  Measured once.  False: see why. */
bool prove_find_noise(struct proof *proof);

/* The repair (NULL: none) leaves the member's workload out, or some of it. */
bool prove_takes_from(const struct proof *proof, const struct trial_change *repair,
                      uint32_t member);

/* What the loss is measured by, of the impacts `before` and `ideal`. */
enum prove_loss prove_loss_of(const struct prove *prove);

/* What the run cost the victims, without a workload that a repair takes from (`but`): of that it is
 * no measure. */
struct prove_impact prove_impact_of(const struct proof *proof, const struct measure *measure,
                                    const struct trial_change *but);

/* The least part of time, failures, inactive members and lossless drops that went away. */
double prove_gone_all(const struct prove *prove, const struct prove_impact *before,
                      const struct prove_impact *after);

/* How much more the second run cost all workloads than the first, less what it cost less; without
 * a workload that the repair takes from. */
void prove_compare(const struct proof *proof, const struct measure *first,
                   const struct measure *second, const struct trial_change *but,
                   struct prove_impact *change);

/* The member takes a twentieth more in the second run, or has more that failed. */
bool prove_is_dearer(const struct proof *proof, const struct measure *first,
                     const struct measure *second, uint32_t member);

/* What all have is a matter of taste, and a setting as its like have it may cost more: both are
 * repaired only where they give beside all other repairs, when nothing else holds back those who
 * gain by them.  False: see why. */
bool prove_admit(struct proof *proof);

/* Names the culprits.  False, also of those below: see why. */
bool prove_find_culprits(struct proof *proof);

/* What differs by less than this is as much. */
extern const double prove_nearly;

struct prove_set prove_without(const struct prove_set *set, uint32_t row);

/* The culprits. */
struct prove_set prove_named(const struct prove *prove);
void prove_name(struct prove *prove, const struct prove_set *set, const struct prove_impact *after);

/* As much is gone as can be asked for, and nobody is left who lost it. */
bool prove_is_enough(const struct prove *prove, const struct prove_impact *after);

/* Plays without the set, and names it if that is enough. */
bool prove_try_set(struct proof *proof, const struct prove_set *set, bool *enough);

struct prove_harm prove_harm_between(const struct proof *proof, const struct measure *measure,
                                     const struct measure *ideal);

/* A member lost a twentieth of its time or had more operations fail or members inactive than in
 * the ideal run, or more lossless frames were dropped; also one that is no victim, for whom the
 * harm of others may have made room. */
bool prove_does_harm(const struct proof *proof, const struct measure *measure);

/* Each of the set broken alone. */
bool prove_play_only(struct proof *proof, const struct prove_set *all);

/* Of several values in one entry the one that is enough goes for all. */
bool prove_refine(struct proof *proof);

/* Who lost by the culprits, host by host.  False: see why. */
bool prove_find_hosts(struct proof *proof);

/* What is lost by chance is nobody's. */
bool prove_rule_out_chance(struct proof *proof);

#endif
