/* SPDX-License-Identifier: Apache-2.0
 * diff - what differs between two runs, from their databases.
 * Rows of both are matched by their key (a setting's path, a counter's place and name) and reported
 * in sections, most important first: what was changed, how it ended, what the workloads got, who
 * paused whom, what was dropped, and the counters.  Where the digests differ both runs are played
 * again, to find the first event that does (lockstep.h).
 * compare.h is for a model's run and a measurement of the same work; this is for two runs.
 * Owner: diff_free.  Errors: DIFF_REFUSED and a sentence in `why`. */
#ifndef STORMGLASS_REPLAY_COMPARE_DIFF_H
#define STORMGLASS_REPLAY_COMPARE_DIFF_H

#include "replay/compare/compare.h"
#include "replay/database/store.h"
#include "replay/run/checkpoint.h"
#include "replay/run/lockstep.h"

/* X(NAME, word, heading), in the order in which they are reported. */
#define DIFF_SECTIONS(X)                                                                           \
    X(SETTINGS, "settings", "Settings")                                                            \
    X(FABRIC, "fabric", "Fabric")                                                                  \
    X(VERDICT, "verdict", "Verdict")                                                               \
    X(WORKLOADS, "workloads", "Workloads")                                                         \
    X(PAUSES, "pauses", "Pauses")                                                                  \
    X(DROPS, "drops", "Drops")                                                                     \
    X(TOTALS, "totals", "Totals")                                                                  \
    X(COUNTERS, "counters", "Counters")

enum diff_section_kind {
#define X(NAME, word, heading) DIFF_##NAME,
    DIFF_SECTIONS(X)
#undef X
        DIFF_SECTION_COUNT
};

/* One thing that is not the same in both. */
struct diff_row {
    const char *what;     /* "leaf0:p3 rx_discards_phy" */
    const char *texts[2]; /* values as stored; NULL: that run does not have it */
    const char *where[2]; /* of settings: what set it; else "" */
    bool number;          /* `values` and `unit` say it exactly */
    double values[2];     /* one that is missing is 0 */
    const char *unit;     /* ps, bytes, bps, count, us; "" */
    double weight;        /* rows are in falling order of it */
};

struct diff_section {
    struct diff_row *rows;
    size_t count; /* rows that differ */
    size_t equal; /* those that do not, and are not kept */
};

enum diff_events {
    DIFF_EVENTS_EQUAL,   /* by the digests, or every event when both were played again */
    DIFF_EVENTS_PARTED,  /* lockstep tells where */
    DIFF_EVENTS_UNKNOWN, /* not known, because they cannot be played again: why */
};

struct diff {
    struct arena arena;
    struct compare_side sides[2];
    const char *digests[2];
    struct diff_section sections[DIFF_SECTION_COUNT];
    enum diff_events events;
    struct lockstep lockstep;
    /* Where they part as recorded: when the events are equal now, another version played one. */
    struct checkpoint_parting recorded;
    char nodes[CHECKPOINT_WORDS_BYTES]; /* of that */
    char why[STORE_ERROR_BYTES];
};

enum diff_end { DIFF_DONE, DIFF_REFUSED };

/* `progress` as in run_options; messages about the stored scenarios go to diag. */
enum diff_end diff_runs(struct diff *diff, const char *a, const char *b, bool progress,
                        struct diag *diag);
void diff_free(struct diff *diff);

/* No row differs, and neither do events and digests. */
bool diff_is_equal(const struct diff *diff);

const char *diff_section_word(enum diff_section_kind kind);
const char *diff_section_heading(enum diff_section_kind kind);

/* Fills in the sections. */
void diff_read(struct diff *diff, struct store *stores[2]);

#endif
