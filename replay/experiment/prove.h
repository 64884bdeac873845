/* SPDX-License-Identifier: Apache-2.0
 * prove - who was to blame, by experiment.
 * A run can be played again exactly, so that one change is all that differs: the run's own scenario
 * is played with one suspect repaired at a time, then with all of them, and what the victims lost
 * is compared.
 *   suspects    each fault of the scenario; hosts that drain slower than their link; settings that
 *               differ from those of their like (deviation.h); what all have and the account of the
 *               run names, with its preset, if that gives somebody a twentieth beside all other
 *               repairs and costs all together nothing; and behind the roots of pauses with
 *               a hundredth of the held time or more each workload's traffic with the host at that
 *               port (between switches: each workload that uses it).  Those whose places carry
 *               traffic go first where there are more than are played
 *   lost time   how much longer a workload's commands were under way than as many of them are in
 *               the ideal run, and what those take there that are missing: the ideal is the run
 *               with all faults, slow hosts and settings repaired at once, but for settings whose
 *               own repair makes it worse.  What the load costs itself is in both, so it is not
 *               lost.  What somebody may well want so (all of a tier, a workload's class) is
 *               repaired with them only where nothing was lost against the ideal without
 *   victims     members (a workload from one host to another) that lost a twentieth of their time
 *               or more, and twice what they lose or win when workloads start a few nanoseconds
 *               later, or had more operations fail or did nothing
 *   culprits    the first of these that there is:
 *               - a suspect whose repair takes four fifths of the loss away and leaves no victim;
 *                 of several such that are within a twentieth of the best the first that the
 *                 account of the run names, else the first
 *               - those suspects that do harm broken alone, with all others repaired, if repairing
 *                 them takes four fifths away: one may hide what another does
 *               - a suspect whose repair takes four fifths away and leaves nobody a twentieth of
 *                 its time and a quarter of what it lost
 *               - what is left when all suspects are repaired and then left broken again one by
 *                 one, the least first, as long as four fifths stay away
 *               The loss is all that was lost, the least part of which counts: time, where a victim
 *               lost a twentieth, failed operations, inactive members, dropped lossless frames
 *               Of several values in one entry of the file one that is enough is named.  What
 *               costs less than half of the victims' time must do so too when workloads start a
 *               little later, three times: else it is chance, and convicts nobody
 *   load        where nothing that can be repaired cost anything: whom each workload's
 *               absence frees.
 *               Load is what it is: a workload is no culprit
 *   innocents   workloads left out that share no transmitter with a victim, nor with one who does,
 *               and so on; bystanders: the others, so that leaving them out may move the victims'
 *               time
 * Not exact: a fabric under load answers to a small change with many, so that the repair of who is
 * not to blame moves the lost time a little.  With one suspect its repair is the ideal run itself:
 * then what tells is how much was lost.  Workloads of a fio file are not left out: others wait for
 * them.
 * Times are virtual picoseconds. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_PROVE_H
#define STORMGLASS_REPLAY_EXPERIMENT_PROVE_H

#include "replay/database/store.h"
#include "replay/experiment/trial.h"

enum {
    PROVE_SUSPECTS_MAX = TRIAL_CHANGES_MAX,
    PROVE_BROKEN_MAX = 14,
    PROVE_OTHERS_MAX = 3,
    PROVE_PARTS_MAX = 12,
    PROVE_VICTIMS_MAX = 8,
    PROVE_HOSTS_MAX = 16
};
enum { PROVE_WORDS_BYTES = 240, PROVE_NAME_BYTES = 64 };

/* What one of the runs cost the victims. */
struct prove_impact {
    int64_t lost_ps;
    int64_t stopped_ps;       /* by pauses: the transmitters on their hops, each counted once */
    int64_t done;             /* commands or messages of the victims that the repair leaves in */
    int64_t p99_ps;           /* the worst of theirs */
    int64_t failed, inactive; /* operations and members of theirs */
    int64_t lossless_drops, drops; /* of the whole run; watchdogs' are lossless */
    int64_t whole_ps;              /* what lost_ps is a part of */
    int64_t victims; /* who lost a twentieth of his time, and a quarter of what he did at first */
};

enum prove_role { PROVE_SUSPECT, PROVE_INNOCENT, PROVE_BYSTANDER };

/* Which suspects are repaired: those of a tier only where nothing was lost to those before. */
enum prove_tier {
    PROVE_ODD,     /* what differs from its like */
    PROVE_NAMED,   /* what all have and the account names: odd if its repair gives beside others */
    PROVE_PLANNED, /* somebody may well want it so: all of a tier, a workload's class */
    PROVE_WRITTEN  /* what a section for all says otherwise than by itself; only where operations
                    * failed, members did nothing or lossless frames were dropped */
};

/* What one of two runs costs more. */
struct prove_harm {
    bool counted;    /* operations failed, members did nothing or lossless frames were dropped */
    uint32_t member; /* that lost most of its time */
    uint32_t workload, from, to; /* it; hosts: TRIAL_ANY_HOST where there are too many */
    int64_t permille;            /* that much */
};

struct prove_row {
    struct trial_change repair;
    char name[TRIAL_NAME_BYTES]; /* of the suspect */
    char text[PROVE_WORDS_BYTES];
    enum prove_role role;
    bool cause;    /* it repairs a cause of the pauses */
    bool named;    /* the account of the run names it: of several that are enough, this one */
    bool unplayed; /* repaired so the scenario cannot be built */
    bool worse;    /* a setting whose repair costs more than it gives: it stays */
    enum prove_tier tier;
    bool culprit;     /* of the set that is proved */
    bool refined;     /* it is a part of what was played at first */
    bool only_played; /* broken alone, all others repaired */
    bool harmful;     /* that does harm: */
    struct prove_harm harm;
    struct prove_impact before, after, only;
};

struct prove_victim {
    char name[PROVE_NAME_BYTES];
    int64_t lost_ps, under_way_ps;
    int64_t failed, inactive;
};

/* What a workload's members that begin at a host lost by the culprits. */
struct prove_host {
    char of[PROVE_NAME_BYTES], name[PROVE_NAME_BYTES]; /* the workload's, the host's */
    uint32_t workload, host;
    int64_t lost_ps, whole_ps; /* of their time with the culprits or without, whichever is more */
    int64_t failed, inactive;
};

/* What the loss is measured by: the first of these that the repairs take away. */
enum prove_loss {
    PROVE_BY_NOTHING,
    PROVE_BY_TIME,
    PROVE_BY_FAILED,
    PROVE_BY_INACTIVE,
    PROVE_BY_DROPS
};

struct prove {
    /* Behind them is room for what is tried on the way. */
    struct prove_row rows[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX + PROVE_PARTS_MAX];
    uint32_t row_count;
    uint32_t left_out; /* suspects that were not played */
    uint32_t runs;
    uint64_t events;                                /* that the runs took */
    struct prove_victim victims[PROVE_VICTIMS_MAX]; /* those that lost most */
    uint32_t victim_count;                          /* of all */
    struct prove_host hosts[PROVE_HOSTS_MAX];       /* those that lost most by the culprits */
    uint32_t host_count;   /* of all that lost a twentieth, or by failures */
    int64_t hosts_lost_ps; /* the part of its time that each lost, of what its workload had */
    uint32_t transmitters; /* on the victims' hops */
    enum prove_loss by;
    bool late;            /* a victim lost a twentieth of its time: time counts */
    bool repaired;        /* there is an ideal run, and something was lost against it */
    bool vacuous;         /* nothing could be repaired or left out: no run to compare with */
    enum prove_tier tier; /* the ideal repairs it, and those before */
    bool chance;          /* the loss is not there when workloads start a little later */
    uint32_t culprits;    /* rows that are culprits; 0: nothing is proved */
    struct prove_impact before, after; /* as it was, and with the culprits repaired at once */
    struct prove_impact ideal;         /* with all that is broken repaired */
    struct prove_impact all;           /* as it was, of all workloads */
    int64_t unfinished;                /* operations that never ended, of a run that was not cut */
    bool spent;                        /* it would have taken more runs than it may */
    char why[STORE_ERROR_BYTES];       /* of what failed */
};

/* What is to be proved. */
struct prove_question {
    const struct trial_base *base;
    time_ps until;
    const char *digest; /* of the run that is explained: played again it must have the same */
    uint32_t runs_most; /* 0: as many as it takes.  Else no workload is left out, what chance moves
                         * is taken from two runs, and fewer suspects are played where needed */
    uint64_t events_most; /* of all runs together; 0: as many as they take */
    bool progress;        /* as in run_options */
};

enum prove_end {
    PROVE_DONE,
    PROVE_UNUSABLE, /* the scenario cannot be loaded, or does not play to the same digest */
    PROVE_BROKEN    /* a run could not be played, or one more than it may take */
};

enum prove_end prove_ask(struct prove *prove, const struct prove_question *question,
                         struct diag *diag);

/* Of the run that a database has, with as many runs as it takes. */
enum prove_end prove_run(struct prove *prove, struct store *store, bool progress,
                         struct diag *diag);

/* The part of the loss that a repair takes away; below 0: it adds.  Where nothing that can be
 * repaired cost anything: the part of the others' time that a workload's absence frees. */
double prove_gone(const struct prove *prove, const struct prove_impact *before,
                  const struct prove_impact *after);

/* Something is broken there, and a run in which it is not is an ideal. */
bool prove_is_broken(const struct prove_row *row);

/* "suspect", "innocent", "bystander" */
const char *prove_role_name(enum prove_role role);

#endif
