/* SPDX-License-Identifier: Apache-2.0
 * deduce - deduces parameters from readings, and reports what they leave undetermined.
 * For a TCP base, all costs are fitted to fio's results at once, and some results are held out to
 * test the fit (deduce_tcp.c). Otherwise a parameter is read from a setting or deduced with the
 * model: the work of a reading is run with the parameter at zero, and the additional time of the
 * measurement is the parameter. If another resource is the bottleneck (link, PCIe), a rate is only
 * an upper bound of costs. A parameter without a reading keeps the base's value, and the benchmark
 * that would determine it is named.
 * Finally every reading is run with the result; figures that the model does not reproduce are
 * listed.
 * The result is deterministic. */
#ifndef STORMGLASS_REPLAY_READINGS_DEDUCE_H
#define STORMGLASS_REPLAY_READINGS_DEDUCE_H

#include "base/opt.h"
#include "replay/readings/reading.h"

/* X(MEMBER, path below hosts.defaults, the benchmark or file that settles it) */
#define DEDUCE_PARAMETERS(X)                                                                       \
    X(LINE_RATE, "rnic.line-rate", "--rate, or ethtool")                                           \
    X(PATH_MTU, "rnic.path-mtu", "any test of perftest, with its heading")                         \
    X(INLINE_SIZE, "rnic.inline-size", "ib_write_lat, with its heading")                           \
    X(MAX_RD_ATOMIC, "rnic.max-rd-atomic", "ib_read_bw, with its heading")                         \
    X(PCIE_GENERATION, "rnic.pcie-generation", "lspci -vv of the card (LnkSta)")                   \
    X(PCIE_LANES, "rnic.pcie-lanes", "lspci -vv of the card (LnkSta)")                             \
    X(PCIE_PAYLOAD, "rnic.pcie-payload", "lspci -vv of the card (DevCtl)")                         \
    X(PCIE_REQUEST, "rnic.pcie-read-request", "lspci -vv of the card (DevCtl)")                    \
    X(PCIE_TAGS, "rnic.pcie-tags", "lspci -vv of the card (DevCtl)")                               \
    X(PCIE_OVERHEAD, "rnic.pcie-overhead",                                                         \
      "ib_write_bw -s 1048576 with lspci -vv, where PCIe is slower than the link")                 \
    X(POST_COST, "rnic.post-cost", "ib_write_bw -s 8 -n 1000000")                                  \
    X(QP_MESSAGE_COST, "rnic.qp-message-cost", "ib_write_bw -s 8 with -q 1 and with -q 8")         \
    X(MESSAGE_COST, "rnic.message-cost",                                                           \
      "ib_write_bw -s 8 -q 4 by many cores at once, --together")                                   \
    X(READ_COST, "rnic.read-cost", "ib_read_bw -s 8 -q 4 by many cores at once, --together")       \
    X(TX_PACKET_COST, "rnic.tx-packet-cost", "ib_write_bw -s 1024 -m 256 -q 8")                    \
    X(RX_PACKET_COST, "rnic.rx-packet-cost", "ib_write_bw -s 1024 -m 256 -q 8")                    \
    X(QP_CACHE, "rnic.qp-cache", "ib_write_bw -s 8 with -q 64, 1024, 4096, 16384")                 \
    X(QP_CACHE_MISS_COST, "rnic.qp-cache-miss-cost",                                               \
      "ib_write_bw -s 8 with -q 64, 1024, 4096, 16384")                                            \
    X(TX_DELAY, "rnic.tx-delay", "ib_write_lat -s 8 over one cable")                               \
    X(RX_DELAY, "rnic.rx-delay", "ib_write_lat -s 8 over one cable")                               \
    X(PCIE_READ_LATENCY, "rnic.pcie-read-latency",                                                 \
      "ib_write_lat -a: sizes on both sides of inline-size, with lspci -vv")                       \
    X(READ_DELAY, "rnic.read-delay", "ib_read_lat -s 8 and ib_write_lat -s 8")                     \
    X(CNP_DSCP, "rnic.cnp-dscp", "mlxconfig query")                                                \
    X(CNP_PRIORITY, "rnic.cnp-priority", "mlxconfig query")                                        \
    X(SUBMIT_COST, "nvme.submit-cost", "fio, one job, on a namespace without a drive (null_blk)")  \
    X(COMPLETE_COST, "nvme.complete-cost",                                                         \
      "fio, one job, on a namespace without a drive (null_blk)")                                   \
    X(COMMAND_COST, "target.command-cost",                                                         \
      "fio, many jobs, on a namespace without a drive (null_blk)")                                 \
    X(TCP_INTERRUPT_DELAY, "tcp.interrupt-delay", "fio, one job, depths 1 to 8, null_blk")         \
    X(TCP_INTERRUPT_COST, "tcp.interrupt-cost", "fio, one job, depths 1 to 8, null_blk")           \
    X(TCP_WAKEUP_COST, "tcp.wakeup-cost", "fio, one job, depths 1 to 8, null_blk")                 \
    X(TCP_RX_BATCH_COST, "tcp.rx-batch-cost", "fio, blocks of 512 B to 64 KiB, deep, null_blk")    \
    X(TCP_RX_SEGMENT_COST, "tcp.rx-segment-cost",                                                  \
      "fio, blocks of 512 B to 64 KiB, deep, null_blk")                                            \
    X(TCP_TX_BATCH_COST, "tcp.tx-batch-cost", "fio, blocks of 512 B to 64 KiB, deep, null_blk")    \
    X(TCP_COPY_COST, "tcp.copy-cost", "fio, blocks of 4 KiB and 256 KiB, null_blk")                \
    X(TCP_COLD_COPY_COST, "tcp.cold-copy-cost",                                                    \
      "fio, more outstanding data than tcp.cache, null_blk")

enum deduce_parameter {
#define X(member, path, settle) DEDUCE_##member,
    DEDUCE_PARAMETERS(X)
#undef X
        DEDUCE_COUNT
};

enum deduce_state {
    DEDUCE_OPEN,     /* the base's value */
    DEDUCE_AT_MOST,  /* readings only give an upper bound; the base's value if within it */
    DEDUCE_AT_LEAST, /* likewise a lower bound */
    DEDUCE_KNOWN
};

struct deduced_parameter {
    const char *path, *settle;
    bool absent; /* of another transport: everything below except `row` is unused */
    const struct opt *row;
    enum deduce_state state;
    int64_t base, value, bound;
    double spread;        /* of a measured KNOWN value: half of its uncertainty */
    bool measured;        /* not read from a setting */
    const char *evidence; /* as in a profile */
    bool written;         /* the base's profile contains it, with evidence and source */
    const char *base_evidence, *source;
    uint32_t base_sources;
    const char *how;            /* text, or NULL */
    const struct reading *from; /* or NULL */
};

/* Two readings that exclude each other, or a reading that excludes the model. */
struct deduced_conflict {
    const struct reading *one, *other; /* other may be NULL */
    const char *sentence;
};

/* A reading that was run with the result. */
struct deduced_figure {
    const struct reading *reading;
    bool is_rate;  /* messages or I/Os per second; otherwise ps */
    bool held_out; /* only compared: the fit did not use it */
    double measured, modelled;
};

struct deduced {
    struct arena arena;
    const struct readings *readings;
    const char *base;
    int64_t rate; /* of the link, bit/s */
    int64_t target_cores;
    bool no_drive;
    bool tcp;             /* the base is for NVMe over TCP */
    const char *section;  /* of the base: "rnic", "target" or "tcp" */
    bool *held_out;       /* by reading; NULL: nothing was fitted */
    struct reading *sums; /* sums of readings that ran at the same time */
    size_t sum_count;
    struct deduced_parameter parameters[DEDUCE_COUNT];
    struct deduced_conflict *conflicts;
    size_t conflict_count;
    struct deduced_figure *figures;
    size_t figure_count;
    struct deduced_kept *kept;
    size_t kept_count;
};

/* A row of the base that is not a parameter, as in a profile. */
struct deduced_kept {
    const char *path, *value, *evidence, *source;
    uint32_t sources;
};

struct deduce_ask {
    const char *base; /* profile of kind rnic or tcp, or of kind target with tcp- values */
    const char *rate; /* link rate as in a scenario; NULL: the base's */
    bool no_drive;    /* namespaces in fio's files have no drive */
    bool together;    /* files with the same work ran at the same time: rates add up */
};

/* Returns false and adds messages if the base does not exist or the rate is invalid. */
bool deduce(struct deduced *deduced, const struct readings *readings, const struct deduce_ask *ask,
            struct diag *diag);
void deduced_free(struct deduced *deduced);

/* Why a reading of I/Os cannot be simulated, so that it is neither fitted nor compared; otherwise
 * NULL. */
const char *deduce_obstacle(const struct deduced *deduced, const struct reading *reading);

#endif
