/* SPDX-License-Identifier: Apache-2.0
 * expect - `expect:` of a scenario: what must hold after a run.
 * Either a word (no-lossless-drop, all-commands-complete, no-deadlock, no-pause) or QUANTITY OP
 * VALUE, where the quantity is a path of the JSON summary (`pfc.pause_frames`, and
 * `NAME.latency.p99` for a workload) and the value has the quantity's unit.  Parsed here, evaluated
 * by whoever has the run's counters. */
#ifndef STORMGLASS_SCENARIOS_LOAD_EXPECT_H
#define STORMGLASS_SCENARIOS_LOAD_EXPECT_H

#include "base/quantity.h"
#include "scenarios/format/tree.h"
#include "scenarios/load/scenario.h"

/* X(enumerator, path in the JSON object, the same without its unit, kind of value).  A path that
 * begins with a dot follows the name of a workload. */
#define EXPECT_QUANTITIES(X)                                                                       \
    X(SIMULATED, "simulated_ps", "simulated", QUANTITY_TIME)                                       \
    X(EVENTS, "events", "events", QUANTITY_INT)                                                    \
    X(PACKETS, "packets", "packets", QUANTITY_INT)                                                 \
    X(PACKET_HOPS, "packet_hops", "packet_hops", QUANTITY_INT)                                     \
    X(DROPS_LOSSLESS, "drops.lossless", "drops.lossless", QUANTITY_INT)                            \
    X(DROPS_LOSSY, "drops.lossy", "drops.lossy", QUANTITY_INT)                                     \
    X(DROPS_MTU, "drops.mtu", "drops.mtu", QUANTITY_INT)                                           \
    X(DROPS_CORRUPT, "drops.corrupt", "drops.corrupt", QUANTITY_INT)                               \
    X(DROPS_WATCHDOG, "drops.watchdog", "drops.watchdog", QUANTITY_INT)                            \
    X(PFC_PAUSE_FRAMES, "pfc.pause_frames", "pfc.pause_frames", QUANTITY_INT)                      \
    X(PFC_RESUME_FRAMES, "pfc.resume_frames", "pfc.resume_frames", QUANTITY_INT)                   \
    X(PFC_PAUSED, "pfc.paused_ps", "pfc.paused", QUANTITY_TIME)                                    \
    X(PFC_LONGEST_PAUSE, "pfc.longest_pause_ps", "pfc.longest_pause", QUANTITY_TIME)               \
    X(PFC_DEADLOCKS, "pfc.deadlocks", "pfc.deadlocks", QUANTITY_INT)                               \
    X(PFC_WATCHDOG_STORMS, "pfc.watchdog_storms", "pfc.watchdog_storms", QUANTITY_INT)             \
    X(PFC_WATCHDOG_RESTORED, "pfc.watchdog_restored", "pfc.watchdog_restored", QUANTITY_INT)       \
    X(ECN_MARKED, "ecn.marked", "ecn.marked", QUANTITY_INT)                                        \
    X(ECN_CNPS, "ecn.cnps", "ecn.cnps", QUANTITY_INT)                                              \
    X(RNIC_RETRANSMITTED, "rnic.retransmitted_packets", "rnic.retransmitted_packets",              \
      QUANTITY_INT)                                                                                \
    X(RNIC_TIMEOUTS, "rnic.timeouts", "rnic.timeouts", QUANTITY_INT)                               \
    X(RNIC_NAKS, "rnic.naks", "rnic.naks", QUANTITY_INT)                                           \
    X(RNIC_RNR_NAKS, "rnic.rnr_naks", "rnic.rnr_naks", QUANTITY_INT)                               \
    X(RNIC_QP_ERRORS, "rnic.qp_errors", "rnic.qp_errors", QUANTITY_INT)                            \
    X(RNIC_PAUSE_STORMS, "rnic.pause_storms", "rnic.pause_storms", QUANTITY_INT)                   \
    X(ISSUED, ".issued", ".issued", QUANTITY_INT)                                                  \
    X(COMPLETED, ".completed", ".completed", QUANTITY_INT)                                         \
    X(FAILED, ".failed", ".failed", QUANTITY_INT)                                                  \
    X(UNFINISHED, ".unfinished", ".unfinished", QUANTITY_INT)                                      \
    X(BYTES, ".bytes", ".bytes", QUANTITY_SIZE)                                                    \
    X(IOPS, ".iops", ".iops", QUANTITY_INT)                                                        \
    X(GOODPUT, ".goodput_bps", ".goodput", QUANTITY_RATE)                                          \
    X(LATENCY_MEAN, ".latency_ns.mean", ".latency.mean", QUANTITY_TIME)                            \
    X(LATENCY_P50, ".latency_ns.p50", ".latency.p50", QUANTITY_TIME)                               \
    X(LATENCY_P99, ".latency_ns.p99", ".latency.p99", QUANTITY_TIME)                               \
    X(LATENCY_P99_9, ".latency_ns.p99_9", ".latency.p99_9", QUANTITY_TIME)                         \
    X(LATENCY_MAX, ".latency_ns.max", ".latency.max", QUANTITY_TIME)                               \
    X(CONTROLLERS_LOST, ".controllers.lost", ".controllers.lost", QUANTITY_INT)                    \
    X(CONTROLLERS_RECONNECTED, ".controllers.reconnected", ".controllers.reconnected",             \
      QUANTITY_INT)                                                                                \
    X(CONTROLLERS_REQUEUED, ".controllers.requeued", ".controllers.requeued", QUANTITY_INT)        \
    X(CONTROLLERS_AWAY, ".controllers.without_service_ns", ".controllers.without_service",         \
      QUANTITY_TIME)

enum expect_quantity {
#define X(name, path, plain, kind) EXPECT_##name,
    EXPECT_QUANTITIES(X)
#undef X
    /* Has no path: commands that failed or are unfinished, over all workloads. */
    EXPECT_COMMANDS_LOST,
};

enum expect_op { EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE, EXPECT_EQ, EXPECT_NE };

#define EXPECT_WHOLE_RUN UINT32_MAX

struct expectation {
    const char *text; /* as the scenario writes it */
    enum expect_quantity quantity;
    uint32_t workload; /* index, or EXPECT_WHOLE_RUN */
    enum expect_op op;
    int64_t value; /* base unit of the quantity: ps, bytes, bits per second */
    struct diag_place place;
};

/* False and a message when it cannot be understood; workloads of the scenario are known by then. */
bool expect_parse(const struct scenario *scenario, const struct tree_node *written,
                  struct expectation *expectation, struct diag *diag);

/* `actual` in the base unit of the quantity. */
bool expect_holds(const struct expectation *expectation, int64_t actual);

/* For messages and lists: the path, and the kind of its value. */
const char *expect_path(enum expect_quantity quantity);
enum quantity_kind expect_kind(enum expect_quantity quantity);

#endif
