/* SPDX-License-Identifier: Apache-2.0
 * verify - plays a stored run again and compares.
 * The database alone is enough: it has the scenario, the files that it names and the changes of the
 * command line.  Equal digests mean that every node executed the same events in the same order.
 * Where they are not, checkpoints tell in which interval and at which nodes the two runs parted.
 * A run that was cut off has no digest of its own: it is played to its end, and so are its
 * checkpoints compared; likewise a run that is played up to a moment alone.
 * Owner: verify_free. */
#ifndef STORMGLASS_REPLAY_RUN_VERIFY_H
#define STORMGLASS_REPLAY_RUN_VERIFY_H

#include "replay/run/checkpoint.h"
#include "replay/run/eventlog.h"
#include "replay/run/run.h"

enum verify_end {
    VERIFY_EQUAL,
    VERIFY_EQUAL_SO_FAR, /* as far as there was something to compare */
    VERIFY_DIFFERENT,
    VERIFY_UNUSABLE, /* no run database */
    VERIFY_BROKEN    /* it could not be played */
};

enum { VERIFY_EVENTS = 8 };

struct verify {
    char digest_then[64]; /* "" of a run that was cut off */
    char digest_now[64];  /* up to the moment, when the replay ends there */
    time_ps reached;      /* the run was cut off then; -1: it was not, or that is not known */
    char difference[STORE_ERROR_BYTES]; /* the first one, as a sentence; or why it is unusable */
    struct checkpoint_parting parting;
    char nodes[CHECKPOINT_WORDS_BYTES]; /* of the parting */
    uint64_t event_count; /* what the first of them does now between the parting's moments */
    uint32_t reported;
    struct eventlog_reported events[VERIFY_EVENTS]; /* the first of these */
    struct arena arena;
};

/* `until`: plays up to there at most; TIME_NEVER: as far as the run went, or to the end when it was
 * cut off.  `progress` as in run_options; messages about the stored scenario go to diag. */
enum verify_end verify_run(const char *path, time_ps until, bool progress, struct verify *verify,
                           struct diag *diag);
void verify_free(struct verify *verify);

#endif
