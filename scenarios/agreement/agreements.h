/* SPDX-License-Identifier: Apache-2.0
 * agreements - the settings that must agree along a path, for each transport in use.
 * The rows of parameters say where their values must agree (enum opt_agree of base/opt_effect.h).
 * A setting counts if it has an effect for the traffic of a pair of hosts: a parameter of PFC
 * counts only for traffic in a lossless class, and a parameter of queue pairs does not count for
 * TCP. `values` is the number of places on the longest path where a setting must be configured to
 * the same value: both ends of each link, each switch, both hosts.
 * Owner: the arena. */
#ifndef STORMGLASS_SCENARIOS_AGREEMENT_AGREEMENTS_H
#define STORMGLASS_SCENARIOS_AGREEMENT_AGREEMENTS_H

#include "scenarios/data/scenario.h"

struct agreement {
    const char *section; /* link, switch, rnic, tcp or nvme */
    const struct opt *row;
    uint32_t values;
};

struct agreements {
    const char *transport; /* roce-v2, roce-v1, infiniband, fc, tcp, iscsi or iwarp */
    uint32_t switches;     /* on the longest path */
    struct agreement *settings;
    size_t count;
    uint32_t values; /* of all settings */
};

/* One entry for each transport in the order of the workloads; returns their number. */
size_t agreements_of(const struct scenario *scenario, struct arena *arena,
                     struct agreements **found);

#endif
