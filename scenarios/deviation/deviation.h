/* SPDX-License-Identifier: Apache-2.0
 * deviation - settings by which some devices differ from their peers.
 * Peers are switches of one tier, ports between the same two tiers (both ends of their links),
 * targets, hosts that are not targets, and workloads. In addition, host links and fabric links are
 * compared where one MTU must pass the other.
 *   common   the value of more than half of the peers; if there is none, the value of the section
 *            for all (fabric.switch, fabric.host-links, hosts.defaults)
 *   narrow   an override or a section for some sets another value than the common one
 *   broad    it is the common value, but the section for all has another: every leaf, all targets;
 *            static routes; a link class whose MTU is smaller than that of the hosts
 * One mapping that sets one value for many devices is one deviation, and so are all values of one
 * profile. Narrow ones come first, each in the order of the file's sections. Rates and lengths of
 * cables differ by design, so only a cable that is slower or longer than that of more than half of
 * the peers counts.
 * Owner: deviations_free; the scenario must outlive it. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_DEVIATION_DEVIATION_H
#define STORMGLASS_SCENARIOS_DEVIATION_DEVIATION_H

#include "scenarios/data/scenario.h"

enum { DEVIATIONS_MAX = 256, DEVIATION_TEXT_BYTES = 128 };

enum deviation_of {
    DEVIATION_PORT,   /* a port parameter */
    DEVIATION_SWITCH, /* a switch parameter; likewise below for hosts */
    DEVIATION_RNIC,
    DEVIATION_NVME,
    DEVIATION_TARGET,
    DEVIATION_TCP,
    DEVIATION_CONTROL_VALUE,
    DEVIATION_MEDIA_VALUE,     /* a parameter of the medium of namespaces entry `index` */
    DEVIATION_NAMESPACE_VALUE, /* a parameter of namespaces entry `index` */
    DEVIATION_SUBSYSTEM_VALUE, /* a parameter of subsystem `index` */
    DEVIATION_CONTROL,         /* the whole congestion control: `like` is a struct loader_host */
    DEVIATION_DSCP,            /* a switch's DSCP map: `like` has its entries */
    DEVIATION_HOST_DSCP,       /* a host's own DSCP map: `like` has its entries; NULL: no map */
    DEVIATION_MEDIA, /* the medium of entry `index`: `like` is a struct scenario_namespace */
    DEVIATION_ROUTE, /* static route `index` */
    DEVIATION_CLASS, /* workload `index`; `like` is a struct verbs_class */
    DEVIATION_WORK   /* workload `index`: a parameter that is not load */
};

/* A change that makes one place equal to its peers. */
struct deviation_change {
    enum deviation_of of;
    struct scenario_spot spot; /* node SCENARIO_NOWHERE for a workload */
    uint32_t index;
    const struct opt *row; /* for a parameter */
    int64_t common;
    const void *like; /* for anything else */
};

#define SCENARIO_NOWHERE UINT32_MAX

struct deviation {
    const char *path;  /* path for --set: "fabric.overrides[0].headroom" */
    const char *entry; /* path of the whole entry in the file: "fabric.overrides[0]" */
    char value[DEVIATION_TEXT_BYTES], common[DEVIATION_TEXT_BYTES]; /* in the syntax of a
                                                                     * scenario */
    struct diag_place where;                                        /* place of the value */
    bool broad;
    bool planned; /* may be intended: a whole tier, a workload's class */
    const struct deviation_change *changes;
    size_t change_count;
};

struct deviations {
    struct arena arena;
    struct deviation *list;
    size_t count;
    uint32_t left_out; /* number of deviations beyond DEVIATIONS_MAX */
};

void deviations_find(struct deviations *deviations, const struct scenario *scenario);
/* Finds values in the sections for all that are worse than the defaults, one value each. All
 * devices have them, so only an experiment can show whether they are a mistake. Excluded are
 * cables, quotas and modes, and values other than limits that a smaller device of the same kind
 * has. */
void deviations_find_written(struct deviations *deviations, const struct scenario *scenario);

void deviations_free(struct deviations *deviations);

/* " at leaf1:p0 and 3 more": the first place of the deviation and the number of the others; "" for
 * a workload. */
void deviation_place_words(const struct scenario *scenario, const struct deviation *deviation,
                           char *text, size_t size);

/* "host4 and 3 more"; a workload by its name, anything else by its entry */
void deviation_subject_words(const struct scenario *scenario, const struct deviation *deviation,
                             char *text, size_t size);

/* The last word of the path. */
const char *deviation_name(const struct deviation *deviation);

/* Words before the name where it is a number: "the priority of DSCP " before "26". */
const char *deviation_owner(const struct deviation *deviation);

/* "leaf1:p0: mtu is 1500B instead of 9216B (fabric.overrides[0].mtu)"; `usual`: "instead of" or
 * "instead of the default". */
void deviation_words(const struct scenario *scenario, const struct deviation *deviation,
                     const char *usual, char *text, size_t size);

/* The common value; `none` where 0 of a limit is none. */
const char *deviation_common(const struct deviation *deviation, const char *none);

/* True if both are in one entry of the file, and both are narrow or both broad. */
bool deviation_together(const struct deviation *a, const struct deviation *b);

/* True if the deviation affects this node at this port (SCENARIO_ALL_PORTS: at any port). */
bool deviation_is_at(const struct deviation *deviation, uint32_t node, uint16_t port);

/* Number of nodes and ports that the deviation affects. */
uint32_t deviation_spots(const struct deviation *deviation);

#endif
