/* SPDX-License-Identifier: Apache-2.0
 * check_rule - what the rules of check share. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_RULE_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_RULE_H

#include "scenarios/check/check.h"

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A node, or with a port that port of it, of which something is found. */
struct check_thing {
    const struct scenario_node *node;
    uint16_t port;              /* SCENARIO_ALL_PORTS: the node as a whole */
    const struct block *values; /* those of the row that is to blame; NULL: unknown */
    const char *row;
    struct diag_place written; /* of what is to blame where that is no row; file NULL: it is one */
};

/* A switch or a host by a row of its own, and a port by a row of a link. */
static inline struct check_thing check_of_switch(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->switch_values, row, {0}};
}

static inline struct check_thing check_of_rnic(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->rnic_values, row, {0}};
}

static inline struct check_thing check_of_initiator(const struct scenario_node *node,
                                                    const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->nvme_host_values, row, {0}};
}

static inline struct check_thing check_of_target(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->nvme_target_values, row, {0}};
}

static inline struct check_thing check_of_control(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->cc_values, row,
                                node->host->cc_place};
}

static inline struct check_thing check_of_port(const struct scenario_node *node, uint16_t port,
                                               const char *row)
{
    return (struct check_thing){node, port, node->ports[port].values, row, {0}};
}

/* Something of a thing: "THING: words".  Those of one rule and level with the same words are one
 * finding of several things. */
void check_alike(struct check_report *report, enum diag_level level,
                 const struct check_thing *thing, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of the finding that was added last: what a run shows of it, a quantity as in `expect`; and what
 * repairs it, as an order: "raise fabric.switch.headroom".  Of alike ones the first sentence
 * counts, and the sets of all (remedy.h). */
void check_shows(struct check_report *report, const char *quantity);
void check_remedy(struct check_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What --set takes to do so: the value of the thing's row in the mapping that has it now; or of
 * another row of the same values; or the path, too. */
void check_set(struct check_report *report, const struct check_thing *thing, const char *format,
               ...) __attribute__((format(printf, 3, 4)));
void check_set_row(struct check_report *report, const struct block *values, const char *row,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void check_set_path(struct check_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A row of a port: where it stands if --set can reach that, else of this port alone. */
void check_set_port(struct check_report *report, const struct check_thing *thing,
                    const char *value);
/* A row of congestion control: where it stands, if that is a mapping; else, as a name has no
 * members, of this host alone. */
void check_set_control(struct check_report *report, const struct check_thing *thing,
                       const char *value);
/* There is none: the sentence alone is the remedy, for all alike. */
void check_set_none(struct check_report *report);
/* Of this node, or with a port that port of it, and of no other: "rnic: {pfc: true}". */
void check_set_here(struct check_report *report, const struct scenario_node *node, uint16_t port,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What was reported already. */
struct check_seen {
    struct arena arena;
    const void **items;
    size_t count;
};

/* True when the item is here for the first time. */
bool check_first_time(struct check_seen *seen, const void *item);

/* It issues as soon as it may: an open loop and a trace may have nothing due, and their depth is a
 * bound. */
bool check_keeps_depth(const struct scenario_workload *workload);

struct switch_params;
struct switch_plan;
struct headroom_link;

/* The end of a link at a switch, as it will be joined. */
struct headroom_link check_link(const struct scenario *scenario, const struct switch_params *params,
                                const struct scenario_port *end);

/* How the memory of a switch will be cut; false: it is too small, and why. */
bool check_plan(const struct scenario *scenario, const struct scenario_node *node,
                struct switch_plan *plan, char *why, size_t size);

/* Bytes of the largest frame that a link of the switch takes. */
int64_t check_largest_frame(const struct scenario_node *node);

/* It would be cut with these parameters. */
bool check_fits(const struct scenario *scenario, const struct scenario_node *node,
                const struct switch_params *params);

extern const struct check_rule check_deadlock; /* another rule asks what it found */

#endif
