/* SPDX-License-Identifier: Apache-2.0
 * prove - who was to blame, by experiment.
 * A run can be played again exactly, so that one change is all that differs: the run's own scenario
 * is played with one suspect mended at a time, then with all of them, and what the victims lost is
 * compared.
 *   suspects    each fault of the scenario; hosts that drain slower than their link; and behind
 *               the roots of pauses with a hundredth of the held time or more each workload's
 *               traffic with the host at that port (between switches: each workload that uses it)
 *   lost time   how much longer a workload's commands were under way than as many of them are in
 *               the ideal run: the one with all faults and slow hosts mended at once.  What the
 *               load costs itself is in both, so it is not lost.  Where nobody lost anything
 *               against that run, each workload's best run is its ideal
 *   victims     workloads that lost a twentieth of their time or more
 *   culprits    a suspect whose repair takes nine tenths of the lost time away; where there is
 *               none, all suspects are mended and then left broken again one by one, the least
 *               first, as long as nine tenths stay away: what is left is a set of which none can
 *               be missed
 *   innocents   workloads left out that share no transmitter with a victim, nor with one who does,
 *               and so on; bystanders: the others, so that leaving them out may move the victims'
 *               time
 * Not exact: a fabric under load answers to a small change with many, so that the repair of who is
 * not to blame moves the lost time a little.  With one suspect its repair is the ideal run itself:
 * then what tells is how much was lost.  Workloads of a fio file are not left out: others wait for
 * them.
 * Times are virtual picoseconds. */
#ifndef STORMGLASS_REPLAY_PROVE_PROVE_H
#define STORMGLASS_REPLAY_PROVE_PROVE_H

#include "replay/database/store.h"
#include "replay/prove/repair.h"

enum { PROVE_SUSPECTS_MAX = 12, PROVE_OTHERS_MAX = 3, PROVE_VICTIMS_MAX = 8 };
enum { PROVE_WORDS_BYTES = 200, PROVE_NAME_BYTES = 64 };

/* What one of the runs cost the victims. */
struct prove_impact {
    int64_t lost_ps;
    int64_t stopped_ps; /* by pauses: the transmitters on their hops, each counted once */
    int64_t done;       /* commands or messages of the victims that the repair leaves in */
    int64_t p99_ps;     /* the worst of theirs */
};

enum prove_role { PROVE_SUSPECT, PROVE_INNOCENT, PROVE_BYSTANDER };

struct prove_row {
    struct repair repair;
    char text[PROVE_WORDS_BYTES];
    enum prove_role role;
    bool cause;   /* it mends a cause of the pauses */
    bool culprit; /* of the set that is proved */
    struct prove_impact before, after;
};

struct prove_victim {
    char name[PROVE_NAME_BYTES];
    int64_t lost_ps, under_way_ps;
};

struct prove {
    struct prove_row rows[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX];
    uint32_t row_count;
    struct prove_victim victims[PROVE_VICTIMS_MAX]; /* those that lost most */
    uint32_t victim_count;                          /* of all */
    uint32_t transmitters;                          /* on the victims' hops */
    bool repaired;     /* the ideal run is the mended one; else each workload's best */
    uint32_t culprits; /* rows that are culprits; 0: nothing is proved */
    struct prove_impact before, after; /* as it was, and with the culprits mended at once */
    char why[STORE_ERROR_BYTES];       /* of what failed */
};

enum prove_end {
    PROVE_DONE,
    PROVE_UNUSABLE, /* the scenario cannot be loaded, or does not play to the same digest */
    PROVE_BROKEN    /* a run could not be played */
};

/* `progress` as in run_options. */
enum prove_end prove_run(struct prove *prove, struct store *store, bool progress,
                         struct diag *diag);

/* The part of the lost time that a repair takes away; below 0: it adds. */
double prove_gone(const struct prove_impact *before, const struct prove_impact *after);

/* "suspect", "innocent", "bystander" */
const char *prove_role_name(enum prove_role role);

/* Broken: suspects that are a fault or a slow host. */
enum prove_of { PROVE_OF_BROKEN, PROVE_OF_SUSPECTS, PROVE_OF_ALL };

/* The row whose repair takes most of the lost time away; NULL: there is none. */
const struct prove_row *prove_best(const struct prove *prove, enum prove_of of);

#endif
