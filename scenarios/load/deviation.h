/* SPDX-License-Identifier: Apache-2.0
 * deviation - settings of which some things differ from their like.
 * Like are switches of one tier, ports between the same two tiers (both ends of their links),
 * hosts that are targets and hosts that are none, workloads; of links also the host links and the
 * fabric links together, where one MTU must pass the other.
 *   common   what more than half of the like have; where none has so many, what the section that
 *            is for all says (fabric.switch, fabric.host-links, hosts.defaults)
 *   narrow   an override or a section of some gives these another value than that
 *   broad    it is the common value, but the section for all says another: every leaf, all targets;
 *            routes that are written; a link class whose MTU is smaller than that of the hosts
 * One mapping that gives one value to many is one deviation, and so are all the values of one
 * profile.  Narrow ones come first, each in the order of the file's sections.  Cables differ by
 * plan: of their rates and lengths only one that is slower or longer than what more than half have.
 * Owner: deviations_free; the scenario outlives it.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_LOAD_DEVIATION_H
#define STORMGLASS_SCENARIOS_LOAD_DEVIATION_H

#include "scenarios/load/scenario.h"

enum { DEVIATIONS_MAX = 256, DEVIATION_TEXT_BYTES = 128 };

enum deviation_of {
    DEVIATION_PORT,   /* a value of a port's parameters */
    DEVIATION_SWITCH, /* likewise, and so on */
    DEVIATION_RNIC,
    DEVIATION_NVME,
    DEVIATION_TARGET,
    DEVIATION_CONTROL_VALUE,
    DEVIATION_MEDIA_VALUE,     /* of the namespaces' entry `index` */
    DEVIATION_NAMESPACE_VALUE, /* likewise */
    DEVIATION_SUBSYSTEM_VALUE, /* of the subsystem `index` */
    DEVIATION_CONTROL,   /* the congestion control as a whole: `like` is a struct loader_host */
    DEVIATION_DSCP,      /* a switch's map: `like` has its entries */
    DEVIATION_HOST_DSCP, /* a host's own map: likewise, or NULL: it has none */
    DEVIATION_MEDIA,     /* the medium of entry `index`: `like` is a struct scenario_namespace */
    DEVIATION_ROUTE,     /* route `index` is written */
    DEVIATION_CLASS,     /* workload `index`; `like` is a struct verbs_class */
    DEVIATION_WORK       /* workload `index`: a value that is no load */
};

/* What makes one place like the others. */
struct deviation_change {
    enum deviation_of of;
    struct scenario_spot spot; /* of a workload none: node SCENARIO_NOWHERE */
    uint32_t index;
    const struct opt *row; /* of a value */
    int64_t common;
    const void *like; /* of what is no value */
};

#define SCENARIO_NOWHERE UINT32_MAX

struct deviation {
    const char *path;  /* as --set takes it: "fabric.overrides[0].headroom" */
    const char *entry; /* of the file, with all that stands in it: "fabric.overrides[0]" */
    char value[DEVIATION_TEXT_BYTES], common[DEVIATION_TEXT_BYTES]; /* as a scenario writes them */
    struct diag_place where;                                        /* of the value */
    bool broad;
    bool planned; /* somebody may well want it so: all of a tier, a workload's class */
    const struct deviation_change *changes;
    size_t change_count;
};

struct deviations {
    struct arena arena;
    struct deviation *list;
    size_t count;
    uint32_t left_out; /* beyond DEVIATIONS_MAX */
};

void deviations_find(struct deviations *deviations, const struct scenario *scenario);
/* What the sections for all say otherwise than by itself, one value each: all have it, so that only
 * what happened can tell whether it is odd.  No cables. */
void deviations_find_written(struct deviations *deviations, const struct scenario *scenario);

void deviations_free(struct deviations *deviations);

/* Both stand in one entry of the file, and are both narrow or both broad. */
bool deviation_together(const struct deviation *a, const struct deviation *b);

/* Something of the node deviates, at this port (SCENARIO_ALL_PORTS: anywhere), by it. */
bool deviation_is_at(const struct deviation *deviation, uint32_t node, uint16_t port);

/* How many nodes and ports deviate by it. */
uint32_t deviation_spots(const struct deviation *deviation);

#endif
