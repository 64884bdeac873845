/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - the transports for NVMe between a scenario's hosts and targets, on simulated and
 * on real devices.
 * Only this module depends on the list of transports. It joins the parameters of a transport with
 * those of every host and target: the NVMe command core sees only its own parameters, a transport
 * only its own.
 * Each transport is one file with a const struct nvme_carrier, and one line in nvme_carrier.def. */
#ifndef STORMGLASS_SCENARIOS_CARRIER_NVME_CARRIER_H
#define STORMGLASS_SCENARIOS_CARRIER_NVME_CARRIER_H

#include "nvme/host/host.h"
#include "nvme/multipath/multipath.h"
#include "nvme/target/target.h"
#include "rnic/verbs.h"
#include "tcp/stream.h"

#include <stdalign.h>

struct fc;
struct nvme_tcp_guard;

/* What a transport is built on: verbs, TCP streams, or an N_Port of Fibre Channel. */
struct nvme_carrier_site {
    unsigned transport; /* index in nvme_carriers */
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    const struct stream_ops *streams;
    struct stream_device *stream;
    struct fc *fc;
    const struct nvme_tcp_guard *guard; /* of a target on streams; NULL: none */
    struct verbs_class class;           /* class of a host's connections */
};

/* The class of a host's connections on streams. */
static inline struct stream_class nvme_carrier_stream_class(const struct nvme_carrier_site *site)
{
    return (struct stream_class){.dscp_set = site->class.tos_set,
                                 .priority_set = site->class.priority_set,
                                 .dscp = site->class.tos >> 2,
                                 .priority = site->class.priority};
}

/* Limits of a target, where they are set: commands per I/O queue and commands of all queues per
 * port. INT64_MAX: no limit. */
struct nvme_carrier_holds {
    int64_t of_queue, of_port;
};

/* Most commands of a queue that may be outstanding, and the parameter that limits them. */
struct nvme_carrier_depth {
    int64_t commands;
    const char *row; /* with its block */
    bool at_target;  /* it is one of the target */
    bool entries;    /* it counts entries of the queue, one of which stays free */
};

enum { NVME_CARRIER_CONFLICT_BYTES = 400 };

/* Parameters of a host and a target that exclude each other. */
struct nvme_carrier_conflict {
    const char *from, *to; /* names of the host and of the target */
    const char *row;       /* the parameter in conflict */
    bool at_target;        /* it is one of the target */
    char text[NVME_CARRIER_CONFLICT_BYTES];
};

/* A transport as scenarios see it: its parameters, stored in its own structs, and the constructors
 * for hosts and targets. */
struct nvme_carrier {
    bool by_tcp;                               /* on streams */
    bool by_fc;                                /* on Fibre Channel; neither: on verbs */
    const struct opt *host_opts, *target_opts; /* NULL: none */
    size_t host_bytes, target_bytes;           /* at most NVME_CARRIER_PARAMS_MAX */
    struct nvme_transport *(*of_host)(const struct nvme_carrier_site *site, const void *own);
    struct nvme_transport *(*of_target)(const struct nvme_carrier_site *site, const void *own);
    struct nvme_carrier_holds (*holds)(const void *own); /* NULL: no limits */
    /* False, with the reason, if a host and a target cannot connect. NULL: they always can. */
    bool (*agree)(const void *host, const void *target, struct nvme_carrier_conflict *);
    /* Lowers the depth of a queue to the transport's own limits. NULL: it has none. */
    void (*narrow)(const void *host, const void *target, struct nvme_carrier_depth *);
    /* Verbs of its own, which workloads without NVMe may use: their table, and a device with the
     * parameters of a host or of a target. NULL: none. */
    const struct verbs_ops *verbs;
    struct verbs_device *(*open)(const struct nvme_carrier_site *site, const void *own);
    uint32_t most_queues; /* I/O queues of a controller; 0: any number */
    bool only_blocks;     /* no protection information, no discovery */
};

enum { NVME_CARRIER_PARAMS_MAX = 104 };

#define CARRIER(stem) extern const struct nvme_carrier carrier_##stem;
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER

/* In the order of nvme_carrier.def. The values serve only as indexes into nvme_carriers and
 * `own`. */
enum {
#define CARRIER(stem) NVME_CARRIER_##stem,
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
    NVME_CARRIERS
};

extern const struct nvme_carrier *const nvme_carriers[NVME_CARRIERS];

/* Their names, each after a '|'. */
extern const char nvme_carrier_words[];

const char *nvme_carrier_name(unsigned transport);

/* A scenario's parameters of a host (`nvme:`) and of a target (`target:`): those of the command
 * core, and those of each transport. */
struct nvme_carrier_host {
    struct nvme_host_params core;
    struct nvme_multipath_params paths;
    alignas(8) unsigned char own[NVME_CARRIERS][NVME_CARRIER_PARAMS_MAX];
};

struct nvme_carrier_target {
    struct nvme_target_params core;
    alignas(8) unsigned char own[NVME_CARRIERS][NVME_CARRIER_PARAMS_MAX];
};

/* Return the number of parameters in these structs, including those of all transports and the
 * terminating entry. Fill in `rows` unless it is NULL. */
size_t nvme_carrier_host_rows(struct opt *rows);
size_t nvme_carrier_target_rows(struct opt *rows);

/* Create the transport for nvme_host_site or nvme_target_site of one host or target. */
struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_carrier_host *params);
struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_carrier_target *params);

struct nvme_carrier_depth nvme_carrier_depth(unsigned transport,
                                             const struct nvme_carrier_host *host,
                                             const struct nvme_carrier_target *target);

struct nvme_carrier_holds nvme_carrier_holds(const struct nvme_carrier_target *params,
                                             unsigned transport);

#endif
