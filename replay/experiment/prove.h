/* SPDX-License-Identifier: Apache-2.0
 * prove - finds the causes of harm by experiment.
 * Runs are exactly reproducible, so a single change is the only difference between two runs: the
 * run's scenario is repeated with one suspect repaired at a time, then with all of them, and the
 * victims' losses are compared.
 *   suspects    each fault of the scenario; hosts that drain more slowly than their link; settings
 *               that differ from those of similar objects (deviation.h); settings that all objects
 *               share and the evidence names, replaced by the preset, if that gains a member a
 *               twentieth in addition to all other repairs at no total cost; and, at roots of
 *               pauses with a hundredth of the held time or more, each workload's traffic with the
 *               host at that port (between switches: each workload that uses it). If there are
 *               more than can be run, those whose places carry traffic come first
 *   lost time   additional outstanding time of a workload's commands compared with as many commands
 *               in the ideal run, plus the time there of commands that are missing. The ideal run
 *               has all faults, slow hosts and settings repaired at once, except settings whose own
 *               repair makes it worse. The cost of the load itself is in both runs, so it is not
 *               lost. Settings that may be intended (those of a whole tier, a workload's class) are
 *               only repaired if nothing was lost against the ideal without them
 *   victims     members (a workload from one host to another) that lost at least a twentieth of
 *               their time, and for each unit of needed time at least twice what changes in the
 *               reference when each member begins up to a microsecond later, or that had more
 *               failed operations or were idle
 *   culprits    the first of these that exists:
 *               - a suspect whose repair removes four fifths of the loss and leaves no victim;
 *                 among several within a twentieth of the best, the first that the evidence names,
 *                 otherwise the first. If another suspect's repair also removes so much that both
 *                 together exceed the loss by a quarter, the loss may depend on chance, as a
 *                 timeout after a lost last frame does: the other one is a culprit, too, if it does
 *                 harm on its own in the mean over members that begin slightly later
 *               - the suspects that do harm on their own, with all others repaired, if repairing
 *                 them removes four fifths: one cause may hide the effect of another
 *               - a suspect whose repair removes four fifths and leaves no member with a loss of
 *                 both a twentieth of its time and a quarter of its first loss
 *               - the suspects that remain when all are repaired and then restored one by one, the
 *                 least important first, as long as four fifths of the loss stay removed
 *               The loss is the total, and its smallest component counts: time (if a victim lost a
 *               twentieth), failed operations, idle members, dropped lossless frames.
 *               Of several values in one entry of the file, one that is enough is named. A loss of
 *               less than half of the victims' time, in a reference that chance moves by a quarter
 *               of it, must also occur when members begin slightly later, three times; otherwise it
 *               is chance and proves nothing
 *   partners    suspects that are not culprits but whose repair alone also removes a quarter of the
 *               loss, each time that members begin slightly later, and costs no member anything:
 *               they do harm only together with the culprits, and are named after them
 *   load        if no repair had an effect: the gain of the other workloads without each workload.
 *               A workload itself is not a culprit
 *   neighbor    a workload that keeps a resource busy, costs a member of another one that loses
 *               nothing to the culprits a quarter of its time, and loses less than half of that to
 *               those that it harms
 *   innocents   workloads that share no transmitter with a victim, directly or through others;
 *               bystanders are the remaining workloads, whose absence may affect the victims' time
 * Approximation: a fabric under load reacts to a small change with many others, so repairing an
 * unrelated suspect also changes the lost time slightly. With a single suspect, its repair is the
 * ideal run itself, and then the amount of the loss decides. Workloads from a fio file are not left
 * out, because others wait for them.
 * Times are virtual picoseconds. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_PROVE_H
#define STORMGLASS_REPLAY_EXPERIMENT_PROVE_H

#include "replay/database/store.h"
#include "replay/experiment/trial.h"
#include "replay/harm/loss.h"

struct result;

enum {
    PROVE_SUSPECTS_MAX = TRIAL_CHANGES_MAX,
    PROVE_BROKEN_MAX = 14,
    PROVE_OTHERS_MAX = 3,
    PROVE_PARTS_MAX = 12,
    PROVE_VICTIMS_MAX = 8,
    PROVE_HOSTS_MAX = 32
};
enum { PROVE_WORDS_BYTES = 240, PROVE_NAME_BYTES = 64 };

/* The victims' loss in one of the runs. */
struct prove_impact {
    int64_t lost_ps;
    int64_t stopped_ps;       /* by pauses; each transmitter counted once */
    int64_t done;             /* completed commands or messages of victims that are still present */
    int64_t p99_ps;           /* largest of the victims */
    int64_t failed, inactive; /* failed operations and idle members of the victims */
    int64_t lossless_drops, drops; /* of the whole run; lossless includes watchdog drops */
    int64_t whole_ps;              /* total that lost_ps is a part of */
    int64_t victims;               /* lost 1/20 of their time and 1/4 of their first loss */
};

enum prove_role { PROVE_SUSPECT, PROVE_INNOCENT, PROVE_BYSTANDER };

/* Which suspects are repaired: deviations at once, the others if that gains something. */
enum prove_tier {
    PROVE_ODD,     /* differs from similar objects */
    PROVE_NAMED,   /* shared by all, named by the evidence; odd if its repair helps */
    PROVE_PLANNED, /* may be intended: of a whole tier, or a workload's class */
    PROVE_WRITTEN, /* set for all, to a value that is worse than the default */
    PROVE_CHECKED  /* proposed by a warning of check */
};

/* What one of two runs costs more. */
struct prove_harm {
    bool counted;    /* operations failed, members were idle or lossless frames were dropped */
    uint32_t member; /* with the largest share of time lost */
    uint32_t workload, from, to; /* it; hosts: TRIAL_ANY_HOST where there are too many */
    int64_t permille;            /* share of its time lost */
};

/* Loss of a workload's members that start at one host, caused by the culprits. */
struct prove_host {
    char of[PROVE_NAME_BYTES], name[PROVE_NAME_BYTES]; /* names of the workload and the host */
    uint32_t workload, host;
    struct loss loss; /* of the run with the culprits, compared with that without */
};

struct prove_hosts {
    struct prove_host list[PROVE_HOSTS_MAX]; /* the largest losses */
    uint32_t count;    /* of workloads and hosts that lost a twentieth or had failures */
    uint32_t distinct; /* hosts among them that no earlier workload or list has counted */
    int64_t lost_ps;   /* sum over hosts of the lost share of their workload's time */
};

struct prove_row {
    struct trial_change repair;
    char name[TRIAL_NAME_BYTES]; /* the suspect's name */
    char text[PROVE_WORDS_BYTES];
    enum prove_role role;
    bool cause;    /* repairing it removes a cause of the pauses */
    bool named;    /* named by the evidence: preferred among several sufficient suspects */
    bool bought;   /* of all objects, and a property of the hardware (opt_is_purchase) */
    bool needs;    /* has an effect only with another setting, of which it is the better name */
    bool unplayed; /* without it, the scenario is invalid */
    bool worse;    /* a setting whose repair costs more than it gains: it stays */
    enum prove_tier tier;
    bool culprit;     /* member of the confirmed set */
    bool partner;     /* a culprit only together with the others */
    bool for_all;     /* all objects have it: only its cost makes it a suspect */
    bool only_played; /* run with all other suspects repaired */
    bool rare;        /* its own harm was measured over several later starts */
    bool harmful;     /* the harm that it does alone: */
    struct prove_harm harm;
    struct prove_hosts hosts; /* of a culprit: that it costs something, without the others */
    struct prove_impact before, after, only;
};

struct prove_victim {
    char name[PROVE_NAME_BYTES];
    int64_t lost_ps, under_way_ps;
    int64_t failed, inactive;
};

/* A workload that takes the capacity that others need. */
struct prove_neighbor {
    bool found;
    uint32_t workload;
    struct prove_harm harm;              /* what it costs the member that loses most */
    int64_t p99_before_ps, p99_after_ps; /* of that member's workload */
    char where[BOTTLENECK_WHERE_BYTES];  /* what it keeps busy */
    struct prove_hosts hosts;            /* that lost something to it, and not to culprits */
};

/* The measure of the loss: the first of these that repairs reduce. */
enum prove_loss {
    PROVE_BY_NOTHING,
    PROVE_BY_TIME,
    PROVE_BY_FAILED,
    PROVE_BY_INACTIVE,
    PROVE_BY_DROPS
};

struct prove {
    /* Followed by room for intermediate trials. */
    struct prove_row rows[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX + PROVE_PARTS_MAX];
    uint32_t row_count;
    uint32_t left_out; /* suspects that were not run */
    uint32_t runs;
    uint64_t events;                                /* of all runs together */
    struct prove_victim victims[PROVE_VICTIMS_MAX]; /* those with the largest loss */
    uint32_t victim_count;                          /* number of all victims */
    struct prove_hosts hosts;                       /* that lost something to the culprits */
    struct bottleneck limit;                        /* of the run without the culprits */
    int64_t time_ps;       /* sum over workloads and their hosts of the time in which they issue */
    uint32_t transmitters; /* on the victims' hops */
    enum prove_loss by;
    bool late;         /* a victim lost a twentieth of its time, so time counts */
    bool repaired;     /* an ideal run exists, and something was lost against it */
    bool vacuous;      /* nothing to repair or leave out, so no run to compare with */
    bool chance;       /* the loss does not occur when members begin slightly later */
    uint32_t culprits; /* number of rows that are culprits; 0: nothing confirmed */
    struct prove_neighbor neighbor;
    struct prove_impact before, after; /* unchanged, and with the culprits repaired */
    struct prove_impact ideal;         /* with all suspects repaired */
    struct prove_impact all;           /* of the unchanged run, for all workloads */
    int64_t unfinished;                /* never completed, if the run was not cut off */
    bool crashed;                      /* a run ended by an error of the program */
    char why[STORE_ERROR_BYTES];       /* reason for a failure */
};

/* Input of a proof. */
struct prove_question {
    const struct trial_base *base;
    time_ps until;
    const char *digest;   /* of the run being explained: repeating it must give the same */
    uint32_t runs_most;   /* 0: no limit; otherwise no workload is left out, random variation comes
                         * from two runs, and fewer suspects may be run */
    uint64_t events_most; /* of all runs together; 0: no limit */
    struct bottleneck
        *limits;   /* NULL, or by workload: filled in for the run without the culprits */
    bool all;      /* all PROVE_SUSPECTS_MAX suspects, not only PROVE_BROKEN_MAX of them */
    bool progress; /* as in run_options */
};

enum prove_end {
    PROVE_DONE,
    PROVE_UNUSABLE, /* the scenario cannot be loaded, or its run has another digest */
    PROVE_BROKEN    /* a run failed, or the limit was reached */
};

enum prove_end prove_ask(struct prove *prove, const struct prove_question *question,
                         struct diag *diag);

/* For the run in a database, with as many runs as needed. */
enum prove_end prove_run(struct prove *prove, struct store *store, bool all, bool progress,
                         struct diag *diag);

/* The share of the loss that a repair removes; below 0 if it adds loss. If no repair had an effect:
 * the share of the other workloads' time gained without a workload. */
double prove_gone(const struct prove *prove, const struct prove_impact *before,
                  const struct prove_impact *after);

/* Several workloads, and one of them keeps a resource busy that others may need. */
bool prove_may_have_neighbor(const struct result *result);

/* The suspect can be repaired, so a run without it can be the ideal. */
bool prove_is_broken(const struct prove_row *row);

/* "suspect", "innocent", "bystander" */
const char *prove_role_name(enum prove_role role);

#endif
