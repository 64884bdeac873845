/* SPDX-License-Identifier: Apache-2.0
 * check_rule - helpers shared by the rules of check. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_RULE_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_RULE_H

#include "scenarios/check/check.h"

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The node or port that a finding is about. */
struct check_thing {
    const struct scenario_node *node;
    uint16_t port;              /* SCENARIO_ALL_PORTS: the node as a whole */
    const struct block *values; /* values with the parameter at fault; NULL: unknown */
    const char *row;
    struct diag_place written; /* position of the cause where it is not a parameter; file NULL:
                                * it is one */
};

/* Name the parameter at fault: of a switch, of a host (RNIC, TCP, initiator, target,
 * congestion control), or of the link at a port. */
static inline struct check_thing check_of_switch(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->switch_values, row, {0}};
}

static inline struct check_thing check_of_rnic(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->rnic_values, row, {0}};
}

static inline struct check_thing check_of_tcp(const struct scenario_node *node, const char *row)
{
    return (struct check_thing){node, SCENARIO_ALL_PORTS, node->host->tcp_values, row, {0}};
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

/* Adds a finding "THING: text". Findings of one rule and level with the same text are merged into
 * one with several places. */
void check_alike(struct check_report *report, enum diag_level level,
                 const struct check_thing *thing, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Extend the finding that was added last: check_shows names the quantity that shows the effect in a
 * run, in the syntax of `expect`; check_remedy is the remedy as an instruction, "raise
 * fabric.switch.headroom". Of merged findings, the first instruction and the settings of all are
 * kept (remedy.h). */
void check_shows(struct check_report *report, const char *quantity);
void check_remedy(struct check_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The --set arguments of the remedy. check_set sets the parameter of `thing` in the mapping that
 * has the parameter now; check_set_row another parameter of the same values; check_set_path a
 * complete path. */
void check_set(struct check_report *report, const struct check_thing *thing, const char *format,
               ...) __attribute__((format(printf, 3, 4)));
void check_set_row(struct check_report *report, const struct block *values, const char *row,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void check_set_path(struct check_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets a parameter of a port in the mapping that defines the parameter if --set can reach it,
 * otherwise in an override for this port alone. */
void check_set_port(struct check_report *report, const struct check_thing *thing,
                    const char *value);
/* Sets a parameter of congestion control: in the existing mapping if there is one. A bare name has
 * no members, so then in an override for this host alone. */
void check_set_control(struct check_report *report, const struct check_thing *thing,
                       const char *value);
/* No --set argument can repair this: merged findings keep only the instruction. */
void check_set_none(struct check_report *report);
/* Adds an override for this node, or for this port of it, and for no other: "rnic: {pfc: true}". */
void check_set_here(struct check_report *report, const struct scenario_node *node, uint16_t port,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Items that were already reported. */
struct check_seen {
    struct arena arena;
    const void **items;
    size_t count;
};

/* Adds the item; true if it was not there before. */
bool check_first_time(struct check_seen *seen, const void *item);

/* The workload always keeps its queue depth in flight. An open loop or a trace may have nothing to
 * issue; for them the depth is only an upper limit. */
bool check_keeps_depth(const struct scenario_workload *workload);

struct switch_params;
struct switch_plan;
struct headroom_link;

/* The switch end of a link, with the parameters that the simulation would give it. */
struct headroom_link check_link(const struct scenario *scenario, const struct switch_params *params,
                                const struct scenario_port *end);

/* How the memory of a switch will be partitioned; false: the memory is too small, `why` says by how
 * much. */
bool check_plan(const struct scenario *scenario, const struct scenario_node *node,
                struct switch_plan *plan, char *why, size_t size);

/* Size in bytes of the largest frame that any link of the switch accepts. */
int64_t check_largest_frame(const struct scenario_node *node);

/* The memory of the switch is large enough for these parameters. */
bool check_fits(const struct scenario *scenario, const struct scenario_node *node,
                const struct switch_params *params);

extern const struct check_rule check_deadlock; /* check_watchdogs uses its findings */

#endif
