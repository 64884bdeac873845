/* SPDX-License-Identifier: Apache-2.0
 * check - finds mistakes in a scenario before it runs.
 * Applies all rules to a loaded scenario. Each rule's entry describes what it checks.
 * Owner of the findings: check_free. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_H

#include "scenarios/check/remedy.h"
#include "scenarios/data/scenario.h"

/* One of the places that a finding is about. */
struct check_place {
    const char *name;                 /* such as "leaf0:p4"; NULL: the text names the place */
    const struct scenario_node *node; /* or NULL */
    struct diag_place file;           /* position of the value, or else of the node or link */
};

/* A finding. Equal findings (same rule, level and text) are merged into one with `count` places. */
struct check_finding {
    enum diag_level level;
    struct diag_place place; /* position of the first place */
    const char *text;        /* places and text */
    const char *words;
    const char *shown;   /* quantity that shows the effect in a run, in the syntax of `expect`;
                          * NULL: none */
    const char *counter; /* of switches, which shows the same; or NULL */
    struct remedy remedy;
    const char *rule; /* name of the rule */
    struct check_place *places;
    size_t count;                    /* number of places */
    uint32_t ports, switches, hosts; /* number of ports, switches and hosts among the places; a
                                      * node counts as well when only its ports are listed */
};

struct check_report {
    struct arena arena;
    enum scenario_kind kind;        /* of the fabric; of one with several: Ethernet */
    bool ethernet;                  /* the rule that is running is about Ethernet only */
    struct check_finding *findings; /* errors first, then warnings, then notes */
    size_t count;
    uint32_t errors, warnings, notes; /* number of findings, after merging */
    const char *rule;                 /* rule that is running now */
    struct check_finding *latest;     /* finding that check_shows and check_remedy extend; NULL:
                                       * too many findings */
};

struct workload_member;

/* A finished run, for rules that check its results. */
struct check_queues {
    uint32_t asked, granted;
};

struct check_run {
    const struct scenario *scenario;
    bool cut;     /* stopped by a signal or --until before its work was done */
    time_ps stop; /* workloads issue until this time at most */
    time_ps end;  /* time at which nothing was in flight any more */
    const struct workload_member *const *members; /* members of all workloads, workload by
                                                   * workload */
    const uint32_t *first_member;                 /* by workload, plus one entry */
    const uint64_t *retries;                      /* by host: retransmissions after a timeout */
    /* I/O queues that NVMe members requested and were granted at the first connect of their
     * paths. */
    const struct check_queues *queues;
    const uint64_t *refused; /* by host: controllers rejected because the target had no I/O queue
                              * left */
    /* Data frames that a port sent and received; a total of the run by its path ("drops.corrupt"),
     * 0 if there is no such total. NULL: not known. */
    uint64_t (*frames)(const void *self, uint32_t node, uint16_t port);
    int64_t (*total)(const void *self, const char *path);
    const void *self;
};

/* Members of a workload that did nothing in a run although they had work to do. */
struct check_idle {
    uint32_t never; /* members that did not connect */
    uint32_t late;  /* members that connected but too late to issue anything */
    uint32_t first; /* index of one such member */
};

/* Reports no members for a run that was stopped early or for a job that never began. */
struct check_idle check_idle_members(const struct check_run *run, uint32_t workload);

/* A rule: one file, and one line in the list of its directory. */
struct check_rule {
    const char *name;  /* name shown to users */
    const char *about; /* one sentence: the condition that the rule checks */
    /* Reports findings through check_add, in an order that depends on the scenario alone. */
    void (*run)(const struct scenario *scenario, struct check_report *report);
    /* The simulation would differ from what the user specified: a run prints these findings too. */
    bool by_run;
    /* It is about PFC, DSCP, ECN, ECMP or shared memory, which only an Ethernet fabric has. */
    bool ethernet;
    /* Checks that need a finished run; NULL: none. */
    void (*after)(const struct check_run *run, struct check_report *report);
};

extern const struct check_rule *const check_rules[]; /* terminated by NULL; generated from
                                                      * check.def */

/* Applies all rules, and tries their remedies (remedy_trial). `report` need not be initialized. The
 * scenario must outlive it: places point into the scenario. */
void check_scenario(const struct scenario *scenario, struct check_report *report);

/* Applies all rules, without trying their remedies. */
void check_findings(const struct scenario *scenario, struct check_report *report);

/* Findings for a run: the warnings of rules with by_run, and what all rules find in the finished
 * run. `run` NULL: only the findings from before the run. */
void check_of_run(const struct scenario *scenario, const struct check_run *run,
                  struct check_report *report);
void check_free(struct check_report *report);

/* Reports an error for each switch whose buffer memory is smaller than its reservations. Such a
 * switch cannot be simulated. */
void check_memories(const struct scenario *scenario, struct diag *diag);

/* One line per finding, "FILE:LINE:COLUMN: error: sentence", followed by its remedy. */
void check_print(const struct check_report *report, FILE *out);

#endif
