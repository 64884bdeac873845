/* SPDX-License-Identifier: Apache-2.0
 * prove_private - internal interface of prove. */
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
    struct memo memo;
    struct diag *diag;
    struct run run; /* the unchanged run, repeated */
    struct measure_members members;
    int64_t *noise;          /* by member: the ppm that chance moves; NULL: not yet known */
    int64_t *workload_noise; /* by workload: the same of its members together */
    int64_t mean_noise;      /* the same of the mean over the members */
    struct measure_hops hops;
    bool *on_path;                  /* by hop: used by a victim */
    bool *victims;                  /* by member */
    bool *listed;                   /* by the first member of a host: its loss has a cause */
    bool *harmed;                   /* by node: it is counted as a host that lost something */
    struct measure original, ideal; /* ideal.works NULL: nothing can be repaired */
    struct measure rows[PROVE_ROWS_MAX];
};

/* Rows that are repaired at once. */
struct prove_set {
    uint32_t rows[PROVE_SUSPECTS_MAX], count;
    uint32_t later; /* which of the slightly later starts of the members; 0: none */
};

/* All suspects that can be repaired to advantage. */
struct prove_set prove_all_broken(const struct prove *prove);

/* Runs the scenario with each of the sets repaired, all at once.  Works NULL: it cannot be built.
 * False: see why of the experiment. */
bool prove_run_sets(struct proof *proof, const struct prove_set *sets, uint32_t count,
                    struct measure *measures);

/* How many of the sets were not run yet. */
uint32_t prove_new_runs(const struct proof *proof, const struct prove_set *sets, uint32_t count);

/* What the member lost compared with the ideal run; nothing if there is none. */
struct loss prove_loss_by(const struct proof *proof, const struct measure *measure,
                          uint32_t member);
bool prove_is_victim(const struct proof *proof, uint32_t member);

/* The member lost at least a twentieth of its time in the run `more`, compared with `less`, and
 * this is more than chance moves: of its own time, or of the time of all members of its workload,
 * whose gains and losses by chance cancel out. */
bool prove_is_much(const struct proof *proof, const struct measure *more,
                   const struct measure *less, uint32_t member);

/* The member lost that much of its time. */
bool prove_is_late(const struct proof *proof, const struct measure *measure, uint32_t member);

/* Measures the random variation of the reference, by starting members slightly later: what repaired
 * hosts differ by from run to run is no loss. Returns false with the reason in `why`. */
bool prove_find_noise(struct proof *proof, const struct prove_set *reference);

/* The repair (NULL: none) removes the member's workload, or part of it. */
bool prove_takes_from(const struct proof *proof, const struct trial_change *repair,
                      uint32_t member);

/* The measure of the loss between the impacts `before` and `ideal`. */
enum prove_loss prove_loss_of(const struct prove *prove);

/* The victims' loss in the run, without a workload that the repair `but` reduces, because it is not
 * comparable. */
struct prove_impact prove_impact_of(const struct proof *proof, const struct measure *measure,
                                    const struct trial_change *but);

/* The smallest removed share among time, failures, idle members and lossless drops. */
double prove_gone_all(const struct prove *prove, const struct prove_impact *before,
                      const struct prove_impact *after);

/* The net cost of the second run to all workloads compared with the first, without a workload that
 * the repair reduces. */
void prove_compare(const struct proof *proof, const struct measure *first,
                   const struct measure *second, const struct trial_change *but,
                   struct prove_impact *change);

/* The share of its time that the member gains in the second run, negative if it loses; and its mean
 * over the members, each of which counts the same: a member with few outstanding operations is not
 * hidden by one with many.  In ppm. */
int64_t prove_gain(const struct measure *first, const struct measure *second, uint32_t member);
int64_t prove_mean_gain(const struct proof *proof, const struct measure *first,
                        const struct measure *second);

/* The member takes a twentieth more time in the second run, or has more failures. */
bool prove_is_dearer(const struct proof *proof, const struct measure *first,
                     const struct measure *second, uint32_t member);

/* Replacing a value that all objects share, or a deviating value by the common one, may cost more
 * than it gains. Both are repaired only if that helps in addition to all other repairs, when
 * nothing else limits the members that gain. Returns false with the reason in `why`. */
bool prove_admit(struct proof *proof);

/* The second run costs the mean member no more than the first, and gains a member a twentieth; or
 * fewer operations fail, or fewer lossless frames are dropped. */
bool prove_is_better(const struct proof *proof, const struct measure *first,
                     const struct measure *second);

/* A setting that all objects have is a suspect if it costs something. The reference is one run with
 * every such setting repaired, together with all deviations. If no member gains, all of them stay;
 * otherwise they are halved until those that gain something are found, which count as deviations
 * from then on. Returns false with the reason in `why`. */
bool prove_refer(struct proof *proof, bool *found);

/* Determines the culprits. This and the functions below return false with the reason in `why`. */
bool prove_find_culprits(struct proof *proof);

/* Smaller differences count as none. */
extern const double prove_nearly;

struct prove_set prove_without(const struct prove_set *set, uint32_t row);

/* The rows marked as culprits. */
struct prove_set prove_named(const struct prove *prove);
void prove_name(struct prove *prove, const struct prove_set *set, const struct prove_impact *after);

/* The repair removes enough of the loss and leaves no victim. */
bool prove_is_enough(const struct prove *prove, const struct prove_impact *after);

/* Runs without the set, and marks its rows as culprits if that is enough. */
bool prove_try_set(struct proof *proof, const struct prove_set *set, bool *enough);

struct prove_harm prove_harm_between(const struct proof *proof, const struct measure *measure,
                                     const struct measure *ideal);

/* A member lost a twentieth of its time, or had more failed operations or idle instances than in
 * the ideal run, or more lossless frames were dropped. Also checks members that are not victims,
 * because other harm may have freed capacity for them. */
bool prove_does_harm(const struct proof *proof, const struct measure *measure);

/* Runs with each suspect of the set broken alone. */
bool prove_play_only(struct proof *proof, const struct prove_set *all);

/* Reduces an entry with several values to the one that is enough. */
bool prove_refine(struct proof *proof);
bool prove_refine_row(struct proof *proof, uint32_t index);

/* Marks the partners of the culprits: suspects that add to what the culprits cost. */
void prove_find_partners(struct proof *proof);

/* How long all workloads and their hosts issue, of which `lost_ps` of hosts is a part. */
void prove_sum_time(struct proof *proof);

/* Finds the hosts that lost because of the culprits, of all and of each, and what limits the run
 * without them. Returns false with the reason in `why`. */
bool prove_find_hosts(struct proof *proof);

/* The hosts of the row: those that gain from its removal alone. */
void prove_list_gaining_hosts(struct proof *proof, uint32_t index);

/* Adds the hosts that lost in the run compared with the one without the cause, and are in no list
 * yet. */
void prove_list_hosts(struct proof *proof, const struct measure *without,
                      struct prove_hosts *hosts);

/* Finds a workload that takes the capacity that others need, which the culprits do not explain.
 * Returns false with the reason in `why`. */
bool prove_find_neighbor(struct proof *proof);

/* The part of the victims' loss (ppm) that the set's repair regains at least, whenever workloads
 * begin slightly later. */
bool prove_gain_later(struct proof *proof, const struct prove_set *set, int64_t *gain);

/* Runs with the suspect of the set broken alone, each time that members begin slightly later, and
 * marks it if it does harm on the whole.  False: see why of the experiment. */
bool prove_find_rare(struct proof *proof, const struct prove_set *all, uint32_t row);

/* Clears the culprits if the loss is random. */
bool prove_rule_out_chance(struct proof *proof);

#endif
