/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - which transport carries the NVMe of a scenario's hosts and targets, on simulated
 * RNICs and on real ones.
 * The one place that knows what there is to choose from, and that joins what a scenario may say of
 * a transport to what it may say of every host and target: the command core sees its own part, a
 * transport its own.
 * Each transport is one file with a const struct nvme_carrier, and one line of nvme_carrier.def. */
#ifndef STORMGLASS_SCENARIOS_CARRIER_NVME_CARRIER_H
#define STORMGLASS_SCENARIOS_CARRIER_NVME_CARRIER_H

#include "nvme/host/host.h"
#include "nvme/multipath/multipath.h"
#include "nvme/target/target.h"
#include "rnic/verbs.h"

#include <stdalign.h>

/* What the transport stands on. */
struct nvme_carrier_site {
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct verbs_class class; /* of a host's connections */
};

/* Commands of one I/O queue, and of all at a port, that a target can hold where that is set;
 * INT64_MAX: all that may come. */
struct nvme_carrier_holds {
    int64_t of_queue, of_port;
};

/* A transport as scenarios see it: its rows, over structs of its own, and how one is made of them
 * for a host or a target. */
struct nvme_carrier {
    const struct opt *host_opts, *target_opts; /* NULL: none */
    size_t host_bytes, target_bytes;           /* at most NVME_CARRIER_PARAMS_MAX */
    struct nvme_transport *(*of_host)(const struct nvme_carrier_site *site, const void *own);
    struct nvme_transport *(*of_target)(const struct nvme_carrier_site *site, const void *own);
    struct nvme_carrier_holds (*holds)(const void *own); /* NULL: all */
};

enum { NVME_CARRIER_PARAMS_MAX = 64 };

#define CARRIER(stem) extern const struct nvme_carrier carrier_##stem;
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER

/* In the order of nvme_carrier.def, which nothing but an index into these depends on. */
enum {
#define CARRIER(stem) NVME_CARRIER_##stem,
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
    NVME_CARRIERS
};

extern const struct nvme_carrier *const nvme_carriers[NVME_CARRIERS];

/* What a scenario says of a host (`nvme:`) and of a target (`target:`): what the command core goes
 * by, and what each transport has for itself. */
struct nvme_carrier_host {
    struct nvme_host_params core;
    struct nvme_multipath_params paths;
    alignas(8) unsigned char own[NVME_CARRIERS][NVME_CARRIER_PARAMS_MAX];
};

struct nvme_carrier_target {
    struct nvme_target_params core;
    alignas(8) unsigned char own[NVME_CARRIERS][NVME_CARRIER_PARAMS_MAX];
};

/* All rows over these, those of transports with them, and the one that ends them: how many.  Fill
 * them in unless `rows` is NULL. */
size_t nvme_carrier_host_rows(struct opt *rows);
size_t nvme_carrier_target_rows(struct opt *rows);

/* For the nvme_host_site and the nvme_target_site of one host or target. */
struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_carrier_host *params);
struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_carrier_target *params);

struct nvme_carrier_holds nvme_carrier_holds(const struct nvme_carrier_target *params);

#endif
