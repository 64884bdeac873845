/* SPDX-License-Identifier: Apache-2.0
 * prove - who was to blame, by experiment.
 * A run can be played again exactly, so that one change is all that differs: the run's own scenario
 * is played with one suspect mended at a time, and the time that the victims' ways stood still is
 * compared.
 *   suspects   each fault of the scenario, and the roots of pauses with a hundredth of the held
 *              time or more: a host that drains slowly; behind a congested port, each workload's
 *              traffic with the host there (a port between switches: each workload that uses it)
 *   innocents  workloads that have nothing to do with the culprit's host nor a fault's, left out
 *   lost time  how long the transmitters on the victims' ways were stopped in the victims'
 *              priorities, each counted once, and how long their NVMe controllers were away;
 *              where pauses have no victims, all workloads are
 * Not exact: a fabric under load answers to a small change with many, so an innocent's repair may
 * move the lost time either way.  Workloads of a fio file are not left out: others wait for them.
 * Times are virtual picoseconds. */
#ifndef STORMGLASS_REPLAY_PROVE_H
#define STORMGLASS_REPLAY_PROVE_H

#include "replay/repair.h"
#include "replay/store.h"

enum { PROVE_SUSPECTS_MAX = 12, PROVE_INNOCENTS_MAX = 3, PROVE_WORDS_BYTES = 200 };

/* What one of the runs cost the victims. */
struct prove_toll {
    int64_t lost_ps;
    int64_t done;   /* commands or messages of the victims that the repair leaves in */
    int64_t p99_ps; /* the worst of theirs */
};

struct prove_row {
    struct repair repair;
    char text[PROVE_WORDS_BYTES];
    bool suspect, cause; /* else an innocent; cause: it mends the first root of pauses */
    struct prove_toll before, after;
};

struct prove {
    struct prove_row rows[PROVE_SUSPECTS_MAX + PROVE_INNOCENTS_MAX];
    uint32_t row_count;
    uint32_t transmitters; /* on the victims' ways */
    int64_t lost_ps;
    char why[STORE_ERROR_BYTES]; /* of what failed */
};

enum prove_end {
    PROVE_DONE,
    PROVE_UNUSABLE, /* the scenario cannot be loaded, or does not play to the same digest */
    PROVE_BROKEN    /* a run could not be played */
};

/* `progress` as in run_options. */
enum prove_end prove_run(struct prove *prove, struct store *store, bool progress,
                         struct diag *diag);

/* The part of the lost time that the row's repair takes away; below 0: it adds. */
double prove_gone(const struct prove_row *row);

/* The suspect whose repair takes most of the lost time away, of all or of the root cause's; NULL:
 * there is none. */
const struct prove_row *prove_best(const struct prove *prove, bool cause);

/* The best repair of the root cause, or of all suspects where none mends it, if it takes half of
 * the lost time away; else NULL: nothing is proved. */
const struct prove_row *prove_culprit(const struct prove *prove);

#endif
