/* SPDX-License-Identifier: Apache-2.0
 * opt_effect - the fields of a row (opt.h) that state what the parameter affects.
 * The rows are the only place that defines which values are worse than those of peers, what a worse
 * value costs, which change relieves a bottleneck, and when a value has no effect. Verdicts,
 * experiments and documentation read them. */
#ifndef STORMGLASS_BASE_OPT_EFFECT_H
#define STORMGLASS_BASE_OPT_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

/* The part of a run that a parameter acts on. Every row must name one: OPT_PART_UNSAID is an
 * error. */
enum opt_part {
    OPT_PART_UNSAID,
#define RESOURCE(ID, word, about) OPT_PART_##ID,
#define PART(ID, about)           OPT_PART_##ID,
#include "base/opt_part.def"
#undef RESOURCE
#undef PART
    OPT_PARTS
};

#define OPT_PART_BIT(ID) (UINT64_C(1) << OPT_PART_##ID)

/* Which values are worse than a peer's. LIMIT: a limit of the hardware or one set by the user, 0 is
 * none; CEILING: a cost of the hardware, 0 is none. */
#define OPT_WORSE(X)                                                                               \
    X(ANY, "") /* the words depend on the type */                                                  \
    X(DRAW, "equal values at several devices can make I/O slower; a single value cannot")          \
    X(LESS, "a lower value can make I/O slower")                                                   \
    X(MORE, "a higher value can make I/O slower")                                                  \
    X(LIMIT, "a lower value can make I/O slower")                                                  \
    X(CEILING, "a higher value can make I/O slower")

/* How a worse value shows. TRACE: not in the time of each operation but, if at all, in the counters
 * of a run (drops, pauses, marks, timeouts, connections). */
#define OPT_BY(X)                                                                                  \
    X(DELAY, "it is added to the time of each operation")                                          \
    X(COST, "each operation occupies a shared processor or engine for this time")                  \
    X(RATE, "all bytes pass at this rate")                                                         \
    X(SERVICE, "operations at this device then take longer than at its peers")                     \
    X(TRACE, "")                                                                                   \
    X(NOTHING, "")

/* What a parameter requires to have an effect; scenarios/effect evaluates it. The words complete
 * "It has an effect only if ...". */
#define OPT_NEEDS(X)                                                                               \
    X(PCIE, "pcie-generation is set")                                                              \
    X(QP_CACHE, "qp-cache is not 0")                                                               \
    X(QP_CACHE_MISS, "a miss of the QP cache costs something")                                     \
    X(WR_CACHE, "wr-cache is not 0")                                                               \
    X(WR_CACHE_MISS, "wr-cache-miss-cost is not 0")                                                \
    X(READ_CONTEXTS, "read-contexts is not 0")                                                     \
    X(READ_CONTEXT_MISS, "read-context-miss-cost is not 0")                                        \
    X(INTERRUPTS, "completions is interrupt or adaptive")                                          \
    X(SOFTWARE, "software is true")                                                                \
    X(SELECTIVE_REPEAT, "loss-recovery is selective-repeat")                                       \
    X(ADAPTIVE, "adaptive-retransmission is true")                                                 \
    X(LOOPBACK, "a workload sends from the host to itself")                                        \
    X(READS_SERVED, "the host answers RDMA READs")                                                 \
    X(READS_SENT, "the host sends RDMA READs")                                                     \
    X(MESSAGES_POSTED, "an rdma-* workload sends from the host")                                   \
    X(FULL_QUEUE, "a workload's queue depth reaches the queue size")                               \
    X(MANY_QUEUES, "a controller requests more queues")                                            \
    X(QUEUE_BUDGET, "all controllers together request more queues")                                \
    X(DATA_BUFFERS, "outstanding commands need more data buffers")                                 \
    X(DATA_WRS, "outstanding commands need more data work requests")                               \
    X(WATCHDOG, "watchdog is not off")                                                             \
    X(ECN, "ecn-kmax is not 0")                                                                    \
    X(ETHERNET, "fabric.kind is ethernet")                                                         \
    X(INFINIBAND, "fabric.kind is infiniband")                                                     \
    X(FIBRE_CHANNEL, "fabric.kind is fibre-channel")                                               \
    X(ROCE_V1, "roce-version is 1")                                                                \
    X(RDMA, "the host has RDMA traffic")                                                           \
    X(TCP, "the host has TCP traffic")                                                             \
    X(ISCSI, "a workload at the host uses transport iscsi")                                        \
    X(IWARP, "a workload at the host uses transport iwarp")                                        \
    X(TLS, "a host uses TLS (nvme.tcp-tls), and this is one end of its connections")

#define OPT_WORSE_(name, words)      OPT_WORSE_##name,
#define OPT_BY_(name, words)         OPT_BY_##name,
#define OPT_NEED_INDEX_(name, words) OPT_NEED_##name##_INDEX,
#define OPT_NEED_BIT_(name, words)   OPT_NEED_##name = 1 << OPT_NEED_##name##_INDEX,
enum opt_worse { OPT_WORSE(OPT_WORSE_) };
enum opt_by { OPT_BY(OPT_BY_) };
enum opt_need_index { OPT_NEEDS(OPT_NEED_INDEX_) OPT_NEED_COUNT };
enum opt_need { OPT_NEEDS(OPT_NEED_BIT_) };
#undef OPT_WORSE_
#undef OPT_BY_
#undef OPT_NEED_INDEX_
#undef OPT_NEED_BIT_

/* Where the values of a parameter must agree, or fit each other, for traffic to pass as intended:
 * at both ends of a link, at all devices of a path, or at both ends of a connection. */
#define OPT_AGREES_AT(X)                                                                           \
    X(NEVER, "")                                                                                   \
    X(LINK, "both ends of a link")                                                                 \
    X(PATH, "all devices of a path")                                                               \
    X(ENDS, "both ends of a connection")

/* For which traffic: all; in a lossless class of Ethernet; in one that the DSCP selects; with ECN;
 * or only if the value is set. */
enum opt_agree_if {
    OPT_AGREE_ALWAYS,
    OPT_AGREE_LOSSLESS,
    OPT_AGREE_DSCP,
    OPT_AGREE_ECN,
    OPT_AGREE_SET
};

#define OPT_AGREE_(name, words) OPT_AGREE_##name,
enum opt_agree { OPT_AGREES_AT(OPT_AGREE_) };
#undef OPT_AGREE_

struct opt_agreement {
    enum opt_agree at;
    enum opt_agree_if of;
};

/* After OPT_ACTS: the parameter must agree there, for that traffic. */
#define OPT_AGREES(at, of) .agrees = {OPT_AGREE_##at, OPT_AGREE_##of}

struct opt_effect {
    enum opt_part part;
    enum opt_worse worse;
    enum opt_by by;
    uint32_t needs; /* bit mask of enum opt_need, all required; 0: always has an effect */
    bool scales;    /* `explain --what-if` relieves the part by changing the value 10 % in the
                     * better direction; a BOOL is set to false */
};

/* Ends each row. OPT_SCALES sets `scales`; OPT_INERT is for parameters that affect no time. */
#define OPT_ACTS(part, worse, by)             OPT_ACTS_IF(0, part, worse, by)
#define OPT_ACTS_IF(needs, part, worse, by)   OPT_EFFECT_(needs, part, worse, by, false)
#define OPT_SCALES(part, worse, by)           OPT_SCALES_IF(0, part, worse, by)
#define OPT_SCALES_IF(needs, part, worse, by) OPT_EFFECT_(needs, part, worse, by, true)
#define OPT_INERT                             OPT_ACTS(NOTHING, ANY, NOTHING)
#define OPT_EFFECT_(needs, part, worse, by, scales)                                                \
    .effect = {OPT_PART_##part, OPT_WORSE_##worse, OPT_BY_##by, needs, scales}

#endif
