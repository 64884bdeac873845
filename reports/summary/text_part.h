/* SPDX-License-Identifier: Apache-2.0
 * text_part - the parts of a run's summary.
 * Each part reads the database and prints its lines, or nothing if the run has nothing of its kind.
 * Errors: those of the store. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_PART_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_PART_H

#include "replay/database/flow_words.h"
#include "replay/database/store.h"
#include "reports/text/paint.h"

#include <stdio.h>

struct text {
    struct store *store;
    FILE *out;
    struct paint paint;
    bool measured;                 /* measured on devices */
    bool cut;                      /* before its work was done */
    const struct flow_words *flow; /* the words for the flow control of its links */
};

#define PART(name) void text_##name(const struct text *text);
#include "reports/summary/text_part.def"

/* A total of the run, by its path in run --json; 0 if there is none. */
int64_t text_result(const struct text *text, const char *path);

/* A heading of a line: "Drops           ". */
void text_head(const struct text *text, const char *words);

/* "  ... and 12 more" with the view that lists them all, if more than `shown` rows are counted. */
void text_rest(const struct text *text, const char *count_sql, int64_t shown, const char *view);

/* text_recovery.c: below the workloads, what happened to lost controllers and paths, and to failed
 * commands. */
void text_recovery(const struct text *text);

/* text_measured.c: lines that only apply to a measurement on devices. */
bool text_is_measured(struct store *store);
/* Replaces the workloads if only a target was measured; otherwise returns false. */
bool text_served(const struct text *text);

#endif
