/* SPDX-License-Identifier: Apache-2.0
 * verify - repeats a stored run and compares.
 * The database alone is sufficient: it contains the scenario, the files that the scenario names,
 * and the changes from the command line. Equal digests mean that every node executed the same
 * events in the same order. Otherwise, checkpoints show in which interval and at which nodes the
 * two runs diverged. A run that was cut off has no digest: it is repeated to its end and its
 * checkpoints are compared. The same applies to a run that is only repeated up to a given time.
 * Owner: verify_free. */
#ifndef STORMGLASS_REPLAY_RUN_VERIFY_H
#define STORMGLASS_REPLAY_RUN_VERIFY_H

#include "replay/run/checkpoint.h"
#include "replay/run/eventlog.h"
#include "replay/run/run.h"

enum verify_end {
    VERIFY_EQUAL,
    VERIFY_EQUAL_SO_FAR, /* as far as there was data to compare */
    VERIFY_DIFFERENT,
    VERIFY_UNUSABLE, /* not a run database */
    VERIFY_BROKEN    /* the run failed */
};

enum { VERIFY_EVENTS = 8 };

struct verify {
    char digest_then[64]; /* "" if the run was cut off */
    char digest_now[64];  /* up to the given time, if the repetition ends there */
    time_ps reached;      /* time at which the run was cut off; -1: not cut off, or unknown */
    char difference[STORE_ERROR_BYTES]; /* the first one as a sentence, or why it is unusable */
    struct checkpoint_parting parting;
    char nodes[CHECKPOINT_WORDS_BYTES]; /* nodes that diverged */
    uint64_t event_count; /* events of the first of them in the interval, in the repeated run */
    uint32_t reported;
    struct eventlog_reported events[VERIFY_EVENTS]; /* the first of these */
    struct arena arena;
};

/* `until`: repeats up to that time at most; TIME_NEVER: as far as the run went, or to the end if it
 * was cut off. `progress` as in run_options; messages about the stored scenario go to diag. */
enum verify_end verify_run(const char *path, time_ps until, bool progress, struct verify *verify,
                           struct diag *diag);
void verify_free(struct verify *verify);

#endif
