/* SPDX-License-Identifier: Apache-2.0
 * verify - plays a stored run again and compares.
 * The database alone is enough: it has the scenario, the files that it names and the changes of the
 * command line.  Equal digests mean that every node executed the same events in the same order.
 * Where they are not, checkpoints tell in which interval and at which nodes the two runs parted.
 * Owner: verify_free. */
#ifndef STORMGLASS_REPLAY_VERIFY_H
#define STORMGLASS_REPLAY_VERIFY_H

#include "replay/checkpoint.h"
#include "replay/eventlog.h"
#include "replay/run.h"

enum verify_end {
    VERIFY_EQUAL,
    VERIFY_DIFFERENT,
    VERIFY_UNUSABLE, /* no run database, or one of a run that did not end */
    VERIFY_BROKEN    /* it could not be played */
};

enum { VERIFY_EVENTS = 8 };

struct verify {
    char digest_then[64], digest_now[64];
    char difference[STORE_ERROR_BYTES]; /* the first one, as a sentence; or why it is unusable */
    struct checkpoint_parting parting;
    char nodes[CHECKPOINT_WORDS_BYTES]; /* of the parting */
    uint64_t event_count; /* what the first of them does now between the parting's moments */
    uint32_t told;
    struct eventlog_told events[VERIFY_EVENTS]; /* the first of these */
    struct arena arena;
};

/* `progress` as in run_options; messages about the stored scenario go to diag. */
enum verify_end verify_run(const char *path, bool progress, struct verify *verify,
                           struct diag *diag);
void verify_free(struct verify *verify);

#endif
