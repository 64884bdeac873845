/* SPDX-License-Identifier: Apache-2.0
 * fault - what a scenario lets go wrong: one file per kind, one line in fault.def.
 * A fault has places and a span of time.  What it does to the fabric - carrier, power, routes - it
 * does in `edge` to the timeline, which a run and a check without a run both follow; what it does
 * to hosts, ports and targets it does in `apply` to the world of a run.  Both are called between
 * events, so that the order in which nodes run decides nothing.
 * Owner: const tables.  State: the timeline's and the world's; a fault has none of its own. */
#ifndef STORMGLASS_SCENARIOS_FAULT_FAULT_H
#define STORMGLASS_SCENARIOS_FAULT_FAULT_H

#include "base/opt.h"
#include "base/units.h"

struct nvme_target;
struct scenario;
struct scenario_fault;
struct scenario_host;
struct scenario_node;
struct scenario_spot;
struct timeline;
struct world;

/* What `where` names.  A link, and a node, stand for their ports; all others are nodes as a whole,
 * spots with SCENARIO_ALL_PORTS. */
enum fault_place {
    FAULT_AT_PORTS,
    FAULT_AT_HOSTS,
    FAULT_AT_SWITCHES,
    FAULT_AT_TARGETS, /* hosts with namespaces */
};

/* What else would hold in every run, for whoever judges one. */
enum fault_break {
    FAULT_SLOWS_HOST = 1,      /* frames wait in a host's receive buffer */
    FAULT_LOSES_PAUSES = 2,    /* a pause may be lost, or not be obeyed */
    FAULT_LOSES_CARRIER = 4,   /* links go down */
    FAULT_KILLS_TARGET = 8,    /* a target loses its connections */
    FAULT_LOSES_DATA = 16,     /* what was written is no longer there */
    FAULT_DISTURBS_FLOWS = 32, /* frames of a flow are lost, or come by another path */
};

/* A moment at which a fault begins or ends. */
struct fault_edge {
    const struct scenario_fault *fault;
    uint32_t index; /* in the scenario */
    time_ps at;
    bool begins;
};

struct fault_ops {
    const char *name;       /* the word after `kind:` */
    const char *about;      /* one sentence */
    uint64_t acts_on;       /* of OPT_PART_BIT: the parts of a run that it takes time or frames of;
                             * relieved by leaving the fault out */
    const struct opt *opts; /* keys beside at, for and where */
    size_t params_bytes;
    enum fault_place place;
    bool has_route;   /* `to` and `via` beside `where`: scenario_fault.route */
    bool has_cycle;   /* its edges after the first come from timeline_again, its end too */
    bool host_pauses; /* it shows as pauses that its host sends */
    /* The priority that its host pauses; NULL: those of the host's receive buffer. */
    uint8_t (*paused)(const void *params);
    /* The total of a run that counts the frames it damages or drops; NULL: none does. */
    const char *counted_as;
    unsigned (*breaks)(const void *params); /* of enum fault_break */
    /* Why it will do nothing, after "the fault NAME"; NULL, or returns NULL: it will. */
    const char *(*in_vain)(const void *params);
    /* Why it can do nothing at this node, after "the fault NAME at NODE": an error of the scenario.
     * NULL, or returns NULL: it can. */
    const char *(*in_vain_at)(const void *params, const struct scenario_node *node);
    /* What has `at_target` ends or stops NVMe targets alone: raw RDMA at its places goes on.  NULL:
     * whatever its params are; else when it says so. */
    bool (*spares_rdma)(const void *params);
    /* Where two of the kind are in force at one place, the end of one leaves what the other does.
     * NULL: whatever their params are; else when it says so. */
    bool (*overlap)(const void *params, const void *others);
    /* Does its part in the fabric by the functions of timeline.h.  False: that is all at this
     * moment, `apply` is not called.  NULL: it has no such part. */
    bool (*edge)(struct timeline *timeline, const struct fault_edge *edge);
    /* Does its part at one of its places; `on` false: undoes it.  NULL: it has none. */
    void (*apply)(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on);
    /* Of FAULT_AT_TARGETS in place of `apply`: does it to a target, whoever plays that. */
    void (*at_target)(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on);
    /* A target that it is at loses its power as it begins, after its links' carrier.  NULL: never.
     */
    void (*power_lost)(struct nvme_target *target, const void *params);
};

extern const struct opt fault_no_opts[];

/* It is of a target's software: raw RDMA at its places goes on. */
bool fault_spares_rdma(const struct scenario_fault *fault);

extern const struct fault_ops *const fault_kinds[]; /* NULL ends it; made from fault.def */
const struct fault_ops *fault_find(const char *name);

/* "slow-receiver at host0", "link-down at leaf2-spine1"; where the scenario has several faults,
 * with the time at which it begins: "pause-storm at host0 from 5ms". */
enum { FAULT_NAME_BYTES = 200 };
struct fault_name {
    char text[FAULT_NAME_BYTES];
};
struct fault_name fault_name(const struct scenario *scenario, uint32_t index);

bool fault_has_spot(const struct scenario_fault *fault, const struct scenario_spot *spot);

/* The faults of a scenario by when they begin, so that the end of one need not look at all others;
 * fault_order_free. */
struct fault_order {
    struct fault_begin {
        time_ps at;
        uint32_t fault;
        time_ps last_end; /* of those up to this one */
    } * begins;
    uint32_t count;
};

struct fault_order fault_order_new(const struct scenario *scenario);
void fault_order_free(struct fault_order *order);

/* What is in force at the spot when a fault of the scenario begins or ends there: the end of one
 * leaves what another, overlapping one still does.  `on`: it is done, or else undone. */
const struct scenario_fault *fault_in_force(const struct scenario *scenario,
                                            const struct fault_order *order, uint32_t index,
                                            const struct scenario_spot *spot, bool begins,
                                            bool *on);

#endif
