/* SPDX-License-Identifier: Apache-2.0
 * deviation_private - interfaces between the parts of deviation. */
#ifndef STORMGLASS_SCENARIOS_DEVIATION_DEVIATION_PRIVATE_H
#define STORMGLASS_SCENARIOS_DEVIATION_DEVIATION_PRIVATE_H

#include "scenarios/deviation/deviation.h"
#include "scenarios/load/scenario_load.h"

/* Construction state of one deviation in the list. */
struct deviation_entry {
    const char *mapping, *word;
    struct deviation_change *changes;
};

struct deviation_search {
    struct deviations *found;
    const struct scenario *scenario;
    struct deviation_entry entries[DEVIATIONS_MAX];
    bool broad;   /* search for broad deviations instead of narrow ones */
    bool written; /* search in the sections for all */
};

/* A deviating value in a mapping; the texts of the first change become those of the deviation. */
struct deviation_said {
    const char *path; /* path of the mapping */
    const char *word; /* key in the mapping; "profile" for all values of one; NULL: the mapping
                       * itself */
    struct diag_place where;
    const char *value, *common;
    bool planned;
};

/* Adds the change to the deviation with the same path and breadth, or to a new one. */
void deviation_add(struct deviation_search *search, const struct deviation_said *said,
                   const struct deviation_change *change);

/* If at least this many peers all have the value, it is intended; with fewer it may be a
 * mistake. */
enum { DEVIATION_PLAN = 3 };

/* Majority vote in two passes: the first finds the candidate, the second counts its holders. */
struct deviation_vote {
    uint32_t group, members, holders;
    int64_t candidate, lead;
};

/* Counts `members` votes for the value. */
void deviation_vote(struct deviation_vote *vote, int64_t value, uint32_t members);
bool deviation_won(const struct deviation_vote *vote);

/* Find parameters of ports, switches and hosts. */
void deviation_find_values(struct deviation_search *search);

/* Finds values in the sections for all. */
void deviation_find_written(struct deviation_search *search);

/* Find deviations that are not parameters: DSCP maps and congestion controls; media of targets;
 * values that one class of links lacks, classes of workloads and static routes. */
void deviation_find_wholes(struct deviation_search *search);
void deviation_find_media(struct deviation_search *search);
void deviation_find_traffic(struct deviation_search *search);

#endif
