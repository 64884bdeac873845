/* SPDX-License-Identifier: Apache-2.0
 * diff - the differences between two runs, from their databases.
 * Rows are matched by their key (a setting's path, a counter's place and name) and reported in
 * sections, most important first: changed settings, how the runs ended, results of the workloads,
 * pauses, drops, counters. If the digests differ, both runs are repeated in lockstep to find the
 * first event that differs (lockstep.h).
 * compare.h compares a model run with a measurement of the same work; diff compares two runs.
 * Owner: diff_free. Errors: DIFF_REFUSED and a message in `why`. */
#ifndef STORMGLASS_REPLAY_COMPARE_DIFF_H
#define STORMGLASS_REPLAY_COMPARE_DIFF_H

#include "replay/compare/compare.h"
#include "replay/database/store.h"
#include "replay/run/checkpoint.h"
#include "replay/run/lockstep.h"

/* X(NAME, word, heading), in report order. */
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

/* One value that differs between the runs. */
struct diff_row {
    const char *what;     /* "leaf0:p3 rx_discards_phy" */
    const char *texts[2]; /* values as stored; NULL: missing in that run */
    const char *where[2]; /* for settings: what set the value; otherwise "" */
    bool number;          /* `values` and `unit` are exact */
    double values[2];     /* 0 if missing */
    const char *unit;     /* ps, bytes, bps, count, us; "" */
    double weight;        /* sort key, descending */
    bool measured[2];     /* that run has a number, in `unit` */
};

struct diff_section {
    struct diff_row *rows;
    size_t count; /* rows that differ */
    size_t equal; /* equal rows, which are not kept */
};

enum diff_events {
    DIFF_EVENTS_EQUAL,   /* equal digests, or all events equal in lockstep */
    DIFF_EVENTS_PARTED,  /* lockstep has the first difference */
    DIFF_EVENTS_UNKNOWN, /* the runs cannot be repeated; the reason is in `why` */
};

struct diff {
    struct arena arena;
    struct compare_side sides[2];
    const char *digests[2];
    struct diff_section sections[DIFF_SECTION_COUNT];
    enum diff_events events;
    struct lockstep lockstep;
    /* The recorded difference: if the events are equal now, a different version made one of the
     * runs. */
    struct checkpoint_parting recorded;
    char nodes[CHECKPOINT_WORDS_BYTES]; /* of `recorded` */
    char why[STORE_ERROR_BYTES];
};

enum diff_end { DIFF_DONE, DIFF_REFUSED };

/* `progress` as in run_options; messages about the stored scenarios go to diag. */
enum diff_end diff_runs(struct diff *diff, const char *a, const char *b, bool progress,
                        struct diag *diag);
void diff_free(struct diff *diff);

/* True if no row differs and events and digests are equal. */
bool diff_is_equal(const struct diff *diff);

const char *diff_section_word(enum diff_section_kind kind);
const char *diff_section_heading(enum diff_section_kind kind);

/* Fills in the sections. */
void diff_read(struct diff *diff, struct store *stores[2]);

#endif
