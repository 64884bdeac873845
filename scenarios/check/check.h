/* SPDX-License-Identifier: Apache-2.0
 * check - what is wrong with a scenario before it is run.
 * Findings of a scenario that has loaded, rule by rule: what each looks for its line says.
 * Owner of the findings: check_free.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_H

#include "scenarios/load/scenario.h"

struct check_finding {
    enum diag_level level;
    struct diag_place place;
    const char *text;
    const char *shown; /* what a run shows of it: a quantity, as in `expect`; NULL: nothing */
    const char *rule;  /* its name */
};

struct check_report {
    struct arena arena;
    struct check_finding *findings; /* errors first, then warnings, then notes */
    size_t count;
    uint32_t errors, warnings, notes;
    const char *rule; /* that looks now */
};

struct workload_member;

/* A run that is over, for rules that look at what it did. */
struct check_run {
    const struct scenario *scenario;
    bool cut;     /* by a signal or --until, before its work was done */
    time_ps stop; /* workloads issued until then at most */
    time_ps end;  /* nothing was under way any more */
    const struct workload_member *const *members; /* of every workload, one after the other */
    const uint32_t *first_member;                 /* by workload, and one more */
    const uint64_t *retries; /* by host: messages that were sent again because a timer ended */
};

/* Members of a workload that did nothing in a run though they had something to do. */
struct check_idle {
    uint32_t never; /* did not connect */
    uint32_t late;  /* connected and issued nothing: too late */
    uint32_t first; /* one of them */
};

/* None of a run that was cut, nor of a job whose turn did not come. */
struct check_idle check_idle_members(const struct check_run *run, uint32_t workload);

/* Something that may be wrong: one file, one line in check.def. */
struct check_rule {
    const char *name;  /* for people */
    const char *about; /* one sentence: what is as it should be when nothing is found */
    /* Tells what it finds by check_add, in an order that the scenario alone decides. */
    void (*run)(const struct scenario *scenario, struct check_report *report);
    /* Another thing is played than what was asked for: a run tells of its findings too. */
    bool by_run;
    /* What only a run that is over can show; NULL: nothing more. */
    void (*after)(const struct check_run *run, struct check_report *report);
};

extern const struct check_rule *const check_rules[]; /* NULL ends it; made from check.def */

/* `report` need not be initialised. The scenario must outlive it: places point into it. */
void check_scenario(const struct scenario *scenario, struct check_report *report);

/* What a run has to say of itself: the warnings of those that are by_run, and what they see after
 * it.  `run` NULL: only what could be said before. */
void check_of_run(const struct scenario *scenario, const struct check_run *run,
                  struct check_report *report);
void check_free(struct check_report *report);

/* Errors where a switch's memory is too small for what is set aside of it: no model plays that. */
void check_memories(const struct scenario *scenario, struct diag *diag);

/* "FILE:LINE:COLUMN: error: sentence", one line for each. */
void check_print(const struct check_report *report, FILE *out);

#endif
