/* SPDX-License-Identifier: Apache-2.0
 * check - what is wrong with a scenario before it is run.
 * Findings of a scenario that has loaded, rule by rule: what each looks for its line says.
 * Owner of the findings: check_free.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_H

#include "scenarios/check/remedy.h"
#include "scenarios/load/scenario.h"

/* One of the things that a finding is about. */
struct check_place {
    const char *name;                 /* "leaf0:p4"; NULL: the finding's words name it */
    const struct scenario_node *node; /* or NULL */
    struct diag_place file;           /* where the value stands, or else the thing */
};

/* Alike ones are one: same rule, level and words, of `count` things. */
struct check_finding {
    enum diag_level level;
    struct diag_place place; /* of the first */
    const char *text;        /* which things, and the words */
    const char *words;
    const char *shown; /* what a run shows of it: a quantity, as in `expect`; NULL: nothing */
    struct remedy remedy;
    const char *rule; /* its name */
    struct check_place *places;
    size_t count;                    /* of places */
    uint32_t ports, switches, hosts; /* among them; with ports: nodes that have them */
};

struct check_report {
    struct arena arena;
    struct check_finding *findings; /* errors first, then warnings, then notes */
    size_t count;
    uint32_t errors, warnings, notes; /* findings, alike ones as one */
    const char *rule;                 /* that looks now */
    struct check_finding *latest;     /* what check_shows and check_remedy add to; NULL: too many */
};

struct workload_member;

/* A run that is over, for rules that look at what it did. */
struct check_queues {
    uint32_t asked, granted;
};

struct check_run {
    const struct scenario *scenario;
    bool cut;     /* by a signal or --until, before its work was done */
    time_ps stop; /* workloads issued until then at most */
    time_ps end;  /* nothing was under way any more */
    const struct workload_member *const *members; /* of every workload, one after the other */
    const uint32_t *first_member;                 /* by workload, and one more */
    const uint64_t *retries; /* by host: messages that were sent again because a timer ended */
    /* I/O queues that members of NVMe asked for and got, as their paths connected first. */
    const struct check_queues *queues;
    const uint64_t *refused; /* by host: controllers that its target had no I/O queue for */
    /* Data frames that a port sent and received; a total of the run by its path ("drops.corrupt"),
     * 0 where there is none.  NULL: not known. */
    uint64_t (*frames)(const void *self, uint32_t node, uint16_t port);
    int64_t (*total)(const void *self, const char *path);
    const void *self;
};

/* Members of a workload that did nothing in a run though they had something to do. */
struct check_idle {
    uint32_t never; /* did not connect */
    uint32_t late;  /* connected and issued nothing: too late */
    uint32_t first; /* one of them */
};

/* None of a run that was cut, nor of a job that never began. */
struct check_idle check_idle_members(const struct check_run *run, uint32_t workload);

/* Something that may be wrong: one file, one line in the list of its room. */
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

/* "FILE:LINE:COLUMN: error: sentence", one line for each, and below it what repairs it. */
void check_print(const struct check_report *report, FILE *out);

#endif
