/* SPDX-License-Identifier: Apache-2.0
 * deviation_private - what the parts of deviation share. */
#ifndef STORMGLASS_SCENARIOS_LOAD_DEVIATION_PRIVATE_H
#define STORMGLASS_SCENARIOS_LOAD_DEVIATION_PRIVATE_H

#include "scenarios/load/deviation.h"
#include "scenarios/load/scenario_load.h"

/* What one of the list has beside it while it grows. */
struct deviation_entry {
    const char *mapping, *word;
    struct deviation_change *changes;
};

struct deviation_search {
    struct deviations *found;
    const struct scenario *scenario;
    struct deviation_entry entries[DEVIATIONS_MAX];
    bool broad;   /* which of them are looked for now */
    bool written; /* those of the sections for all */
};

/* A mapping's value that differs; the texts of the first change are the deviation's. */
struct deviation_said {
    const char *path; /* of the mapping */
    const char *word; /* of the value in it; "profile" for all of one; NULL: the mapping itself */
    struct diag_place where;
    const char *value, *common;
    bool planned;
};

/* Adds the change to the deviation that has the same path and breadth, or to a new one. */
void deviation_add(struct deviation_search *search, const struct deviation_said *said,
                   const struct deviation_change *change);

/* So many alike that all have the same is a plan; of fewer it may be a mistake. */
enum { DEVIATION_PLAN = 3 };

/* More than half of all said the candidate, if anybody did so: looked for in one pass, counted in
 * a second one. */
struct deviation_vote {
    uint32_t group, members, holders;
    int64_t candidate, lead;
};

/* So many say the value. */
void deviation_vote(struct deviation_vote *vote, int64_t value, uint32_t members);
bool deviation_won(const struct deviation_vote *vote);

/* Values of ports, switches and hosts. */
void deviation_find_values(struct deviation_search *search);

/* Values of the sections for all. */
void deviation_find_written(struct deviation_search *search);

/* What is no value of a row: maps and congestion controls; media of targets; what one class of
 * links lacks, classes of workloads and written routes. */
void deviation_find_wholes(struct deviation_search *search);
void deviation_find_media(struct deviation_search *search);
void deviation_find_traffic(struct deviation_search *search);

#endif
