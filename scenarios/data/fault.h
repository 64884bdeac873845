/* SPDX-License-Identifier: Apache-2.0
 * fault - faults of a scenario, and the table of operations of their kinds (scenarios/fault).
 * A fault has places and a time span. Its effects on the fabric (carrier, power, routes) are
 * applied by `edge` to the timeline, which simulation and checks without a run share. Its effects
 * on hosts, ports and targets are applied by `apply` to the world of a run. Both are called between
 * events, so they do not depend on the order in which nodes run.
 * Owner: const tables. State: in the timeline and the world; a fault itself has none. */
#ifndef STORMGLASS_SCENARIOS_DATA_FAULT_H
#define STORMGLASS_SCENARIOS_DATA_FAULT_H

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

/* What `where` names. A link or a node stands for its ports; the other kinds name whole nodes, as
 * spots with SCENARIO_ALL_PORTS. */
enum fault_place {
    FAULT_AT_PORTS,
    FAULT_AT_HOSTS,
    FAULT_AT_SWITCHES,
    FAULT_AT_TARGETS, /* hosts with namespaces */
};

/* Invariants of a run that a fault breaks, for code that verifies runs. */
enum fault_break {
    FAULT_SLOWS_HOST = 1,      /* frames wait in a host's receive buffer */
    FAULT_LOSES_PAUSES = 2,    /* pauses may be lost or not obeyed */
    FAULT_LOSES_CARRIER = 4,   /* links go down */
    FAULT_KILLS_TARGET = 8,    /* a target loses its connections */
    FAULT_LOSES_DATA = 16,     /* written data may be lost */
    FAULT_DISTURBS_FLOWS = 32, /* frames of a flow are lost or take another path */
};

/* Beginning or end of a fault. */
struct fault_edge {
    const struct scenario_fault *fault;
    uint32_t index; /* index in the scenario */
    time_ps at;
    bool begins;
};

struct fault_ops {
    const char *name;       /* value of `kind:` */
    const char *about;      /* one sentence */
    uint64_t acts_on;       /* mask of OPT_PART_BIT: parts of a run that lose time or frames, and
                             * recover without the fault */
    const struct opt *opts; /* keys in addition to at, for and where */
    size_t params_bytes;
    enum fault_place place;
    bool has_route;   /* has keys `to` and `via` in addition to `where`: scenario_fault.route */
    bool has_cycle;   /* all later edges, including the end, come from timeline_again */
    bool host_pauses; /* makes its host send pauses */
    /* The priority that its host pauses; NULL: those of the host's receive buffer. */
    uint8_t (*paused)(const void *params);
    /* The total of a run that counts the frames that the fault damages or drops; NULL: none. */
    const char *counted_as;
    unsigned (*breaks)(const void *params); /* mask of enum fault_break */
    /* Why the fault will have no effect, as the end of a sentence after "the fault NAME"; NULL, or
     * returns NULL: it will. */
    const char *(*in_vain)(const void *params);
    /* Why the fault is impossible at this node, as the end of a sentence after "the fault NAME at
     * NODE": an error of the scenario. NULL, or returns NULL: it is possible. */
    const char *(*in_vain_at)(const void *params, const struct scenario_node *node);
    /* For kinds with `at_target`: true if the fault affects only NVMe targets, and raw RDMA at its
     * places continues. NULL: always true. */
    bool (*spares_rdma)(const void *params);
    /* True if two faults of the kind at one place have the same effect, so that the end of one
     * leaves the effect of the other. NULL: always true. */
    bool (*overlap)(const void *params, const void *others);
    /* Applies the effects on the fabric with the functions of timeline.h. False: nothing else
     * happens at this moment, so `apply` is not called. NULL: no effects on the fabric. */
    bool (*edge)(struct timeline *timeline, const struct fault_edge *edge);
    /* Applies the effects at one of its places; `on` false: reverts them. NULL: none. */
    void (*apply)(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on);
    /* Used instead of `apply` for FAULT_AT_TARGETS: applies the effects to a target, in simulation
     * or in the bridge. */
    void (*at_target)(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on);
    /* Called when the fault begins, after its links have lost carrier: the target loses power.
     * NULL: it never does. */
    void (*power_lost)(struct nvme_target *target, const void *params);
};

extern const struct opt fault_no_opts[];

/* True if the fault affects only the target's software, and raw RDMA at its places continues. */
bool fault_spares_rdma(const struct scenario_fault *fault);

/* Name such as "slow-receiver at host0" or "link-down at leaf2-spine1". If the scenario has several
 * faults, the name includes the beginning: "pause-storm at host0 from 5ms". */
enum { FAULT_NAME_BYTES = 200 };
struct fault_name {
    char text[FAULT_NAME_BYTES];
};
struct fault_name fault_name(const struct scenario *scenario, uint32_t index);

bool fault_has_spot(const struct scenario_fault *fault, const struct scenario_spot *spot);

/* The faults of a scenario ordered by beginning, so that the end of one need not search all others.
 * Owner: fault_order_free. */
struct fault_order {
    struct fault_begin {
        time_ps at;
        uint32_t fault;
        time_ps last_end; /* latest end of the faults up to this one */
    } * begins;
    uint32_t count;
};

struct fault_order fault_order_new(const struct scenario *scenario);
void fault_order_free(struct fault_order *order);

/* The fault in force at the spot when fault `index` begins or ends there: when one of two
 * overlapping faults ends, the effect of the other remains. Out: `on` is true to apply the fault,
 * false to revert it. */
const struct scenario_fault *fault_in_force(const struct scenario *scenario,
                                            const struct fault_order *order, uint32_t index,
                                            const struct scenario_spot *spot, bool begins,
                                            bool *on);

#endif
