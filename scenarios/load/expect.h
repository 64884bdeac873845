/* SPDX-License-Identifier: Apache-2.0
 * expect - `expect:` of a scenario: what must hold after a run.
 * Either a word (no-lossless-drop, all-commands-complete, no-deadlock, no-pause, steady) or
 * QUANTITY OP VALUE, where the quantity is a path of the JSON summary (`pfc.pause_frames`, and
 * `NAME.latency.p99` for a workload) and the value has the quantity's unit.  Parsed here, evaluated
 * by whoever has the run's counters. */
#ifndef STORMGLASS_SCENARIOS_LOAD_EXPECT_H
#define STORMGLASS_SCENARIOS_LOAD_EXPECT_H

#include "base/quantity.h"
#include "scenarios/format/tree.h"
#include "scenarios/load/scenario.h"

/* What a quantity is measured over.  Where a run has none of it, a comparison that holds for 0 has
 * compared nothing, and is no pass: BASIS(enumerator, why nothing was measured). */
#define EXPECT_BASES(BASIS)                                                                        \
    BASIS(FACT, "") /* of every run */                                                             \
    BASIS(WORK, "") /* how much was done: that nothing is, may be expected */                      \
    BASIS(TRAFFIC, "not measured on real devices")                                                 \
    BASIS(LOSSLESS, "no frame of a lossless class was sent")                                       \
    BASIS(MARKING, "no switch marks ECN")                                                          \
    BASIS(WATCHDOG, "no switch has a PFC watchdog")                                                \
    BASIS(READS, "no read could be compared with a write")                                         \
    BASIS(WRITES, "nothing was written to a target")                                               \
    BASIS(MEDIA, "no namespace is on a medium that ages")                                          \
    BASIS(ARRAYS, "no namespace is on an array of drives")                                         \
    BASIS(OPERATIONS, "") /* what became of what was issued */                                     \
    BASIS(CONTROLLERS, "the workload has no NVMe controller")                                      \
    BASIS(ADMIN, "the workload sent no admin command")                                             \
    BASIS(PATHS, "the workload has no several paths")                                              \
    BASIS(SAMPLES, "") /* of operations that completed */

enum expect_basis {
#define BASIS(name, why) EXPECT_OVER_##name,
    EXPECT_BASES(BASIS)
#undef BASIS
};

/* X(enumerator, path in the JSON object, the same without its unit, kind of value, what it is
 * measured over).  A path that begins with a dot follows the name of a workload. */
#define EXPECT_QUANTITIES(X)                                                                       \
    X(SIMULATED, "simulated_ps", "simulated", QUANTITY_TIME, FACT)                                 \
    X(EVENTS, "events", "events", QUANTITY_INT, WORK)                                              \
    X(PACKETS, "packets", "packets", QUANTITY_INT, WORK)                                           \
    X(PACKET_HOPS, "packet_hops", "packet_hops", QUANTITY_INT, WORK)                               \
    X(DROPS_LOSSLESS, "drops.lossless", "drops.lossless", QUANTITY_INT, LOSSLESS)                  \
    X(DROPS_LOSSY, "drops.lossy", "drops.lossy", QUANTITY_INT, TRAFFIC)                            \
    X(DROPS_MTU, "drops.mtu", "drops.mtu", QUANTITY_INT, TRAFFIC)                                  \
    X(DROPS_CORRUPT, "drops.corrupt", "drops.corrupt", QUANTITY_INT, TRAFFIC)                      \
    X(DROPS_WATCHDOG, "drops.watchdog", "drops.watchdog", QUANTITY_INT, WATCHDOG)                  \
    X(PFC_PAUSE_FRAMES, "pfc.pause_frames", "pfc.pause_frames", QUANTITY_INT, TRAFFIC)             \
    X(PFC_RESUME_FRAMES, "pfc.resume_frames", "pfc.resume_frames", QUANTITY_INT, TRAFFIC)          \
    X(PFC_PAUSED, "pfc.paused_ps", "pfc.paused", QUANTITY_TIME, TRAFFIC)                           \
    X(PFC_LONGEST_PAUSE, "pfc.longest_pause_ps", "pfc.longest_pause", QUANTITY_TIME, TRAFFIC)      \
    X(PFC_DEADLOCKS, "pfc.deadlocks", "pfc.deadlocks", QUANTITY_INT, TRAFFIC)                      \
    X(PFC_WATCHDOG_STORMS, "pfc.watchdog_storms", "pfc.watchdog_storms", QUANTITY_INT, WATCHDOG)   \
    X(PFC_WATCHDOG_RESTORED, "pfc.watchdog_restored", "pfc.watchdog_restored", QUANTITY_INT,       \
      WATCHDOG)                                                                                    \
    X(ECN_MARKED, "ecn.marked", "ecn.marked", QUANTITY_INT, MARKING)                               \
    X(ECN_CNPS, "ecn.cnps", "ecn.cnps", QUANTITY_INT, MARKING)                                     \
    X(RNIC_RETRANSMITTED, "rnic.retransmitted_packets", "rnic.retransmitted_packets",              \
      QUANTITY_INT, TRAFFIC)                                                                       \
    X(RNIC_TIMEOUTS, "rnic.timeouts", "rnic.timeouts", QUANTITY_INT, TRAFFIC)                      \
    X(RNIC_NAKS, "rnic.naks", "rnic.naks", QUANTITY_INT, TRAFFIC)                                  \
    X(RNIC_RNR_NAKS, "rnic.rnr_naks", "rnic.rnr_naks", QUANTITY_INT, TRAFFIC)                      \
    X(RNIC_CQ_OVERRUNS, "rnic.cq_overruns", "rnic.cq_overruns", QUANTITY_INT, TRAFFIC)             \
    X(RNIC_QP_ERRORS, "rnic.qp_errors", "rnic.qp_errors", QUANTITY_INT, TRAFFIC)                   \
    X(RNIC_PAUSE_STORMS, "rnic.pause_storms", "rnic.pause_storms", QUANTITY_INT, TRAFFIC)          \
    X(DATA_STALE, "data.stale", "data.stale", QUANTITY_INT, READS)                                 \
    X(DATA_LOST, "data.lost", "data.lost", QUANTITY_INT, READS)                                    \
    X(DATA_TORN, "data.torn", "data.torn", QUANTITY_INT, READS)                                    \
    X(DATA_DAMAGED, "data.damaged", "data.damaged", QUANTITY_INT, WRITES)                          \
    X(MEDIA_BYTES_WRITTEN, "media.bytes_written", "media.bytes_written", QUANTITY_SIZE, MEDIA)     \
    X(MEDIA_BYTES_PROGRAMMED, "media.bytes_programmed", "media.bytes_programmed", QUANTITY_SIZE,   \
      MEDIA)                                                                                       \
    X(MEDIA_AMPLIFICATION, "media.write_amplification", "media.write_amplification",               \
      QUANTITY_RATIO, MEDIA)                                                                       \
    X(MEDIA_ERASES, "media.erases", "media.erases", QUANTITY_INT, MEDIA)                           \
    X(MEDIA_WRITES_WAITED, "media.writes_waited", "media.writes_waited", QUANTITY_INT, MEDIA)      \
    X(MEDIA_UNITS_ABSORBED, "media.units_absorbed", "media.units_absorbed", QUANTITY_INT, MEDIA)   \
    X(MEDIA_UNITS_HIT, "media.units_hit", "media.units_hit", QUANTITY_INT, MEDIA)                  \
    X(MEDIA_SUSPENSIONS, "media.suspensions", "media.suspensions", QUANTITY_INT, MEDIA)            \
    X(ARRAY_HOST_BYTES_READ, "array.host_bytes_read", "array.host_bytes_read", QUANTITY_SIZE,      \
      ARRAYS)                                                                                      \
    X(ARRAY_HOST_BYTES_WRITTEN, "array.host_bytes_written", "array.host_bytes_written",            \
      QUANTITY_SIZE, ARRAYS)                                                                       \
    X(ARRAY_DRIVE_BYTES_READ, "array.drive_bytes_read", "array.drive_bytes_read", QUANTITY_SIZE,   \
      ARRAYS)                                                                                      \
    X(ARRAY_DRIVE_BYTES_WRITTEN, "array.drive_bytes_written", "array.drive_bytes_written",         \
      QUANTITY_SIZE, ARRAYS)                                                                       \
    X(ARRAY_DEGRADED_READS, "array.degraded_reads", "array.degraded_reads", QUANTITY_INT, ARRAYS)  \
    X(ARRAY_PARTIAL_STRIPES, "array.partial_stripes", "array.partial_stripes", QUANTITY_INT,       \
      ARRAYS)                                                                                      \
    X(ARRAY_DRIVES_FAILED, "array.drives_failed", "array.drives_failed", QUANTITY_INT, ARRAYS)     \
    X(ARRAY_BYTES_REBUILT, "array.bytes_rebuilt", "array.bytes_rebuilt", QUANTITY_SIZE, ARRAYS)    \
    X(ARRAY_BYTES_TO_REBUILD, "array.bytes_to_rebuild", "array.bytes_to_rebuild", QUANTITY_SIZE,   \
      ARRAYS)                                                                                      \
    X(ARRAY_REBUILD, "array.rebuild_ps", "array.rebuild", QUANTITY_TIME, ARRAYS)                   \
    X(ARRAY_REBUILDS, "array.rebuilds", "array.rebuilds", QUANTITY_INT, ARRAYS)                    \
    EXPECT_OF_WORKLOADS(X)

/* Of a workload: all that run --json prints of one. */
#define EXPECT_OF_WORKLOADS(X)                                                                     \
    X(ISSUED, ".issued", ".issued", QUANTITY_INT, WORK)                                            \
    X(COMPLETED, ".completed", ".completed", QUANTITY_INT, WORK)                                   \
    X(FAILED, ".failed", ".failed", QUANTITY_INT, OPERATIONS)                                      \
    X(UNFINISHED, ".unfinished", ".unfinished", QUANTITY_INT, OPERATIONS)                          \
    X(CORRUPT, ".corrupt", ".corrupt", QUANTITY_INT, OPERATIONS)                                   \
    X(MISSED, ".missed", ".missed", QUANTITY_INT, OPERATIONS)                                      \
    X(MEMBERS, ".members", ".members", QUANTITY_INT, FACT)                                         \
    X(MEMBERS_IDLE, ".members_idle", ".members_idle", QUANTITY_INT, FACT)                          \
    X(QUEUES_ASKED, ".queues.asked", ".queues.asked", QUANTITY_INT, FACT)                          \
    X(QUEUES_GRANTED, ".queues.granted", ".queues.granted", QUANTITY_INT, FACT)                    \
    X(BYTES, ".bytes", ".bytes", QUANTITY_SIZE, WORK)                                              \
    X(BYTES_READ, ".bytes_read", ".bytes_read", QUANTITY_SIZE, WORK)                               \
    X(BYTES_WRITTEN, ".bytes_written", ".bytes_written", QUANTITY_SIZE, WORK)                      \
    X(IOPS, ".iops", ".iops", QUANTITY_INT, WORK)                                                  \
    X(GOODPUT, ".goodput_bps", ".goodput", QUANTITY_RATE, WORK)                                    \
    X(GOODPUT_READ, ".goodput_read_bps", ".goodput_read", QUANTITY_RATE, WORK)                     \
    X(GOODPUT_WRITE, ".goodput_write_bps", ".goodput_write", QUANTITY_RATE, WORK)                  \
    X(MEMBER_GOODPUT_MIN, ".member_goodput_bps.min", ".member_goodput.min", QUANTITY_RATE, WORK)   \
    X(MEMBER_GOODPUT_MEAN, ".member_goodput_bps.mean", ".member_goodput.mean", QUANTITY_RATE,      \
      WORK)                                                                                        \
    X(MEMBER_GOODPUT_MAX, ".member_goodput_bps.max", ".member_goodput.max", QUANTITY_RATE, WORK)   \
    X(LATENCY_MEAN, ".latency_ns.mean", ".latency.mean", QUANTITY_TIME, SAMPLES)                   \
    X(LATENCY_MIN, ".latency_ns.min", ".latency.min", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_P50, ".latency_ns.p50", ".latency.p50", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_P90, ".latency_ns.p90", ".latency.p90", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_P95, ".latency_ns.p95", ".latency.p95", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_P99, ".latency_ns.p99", ".latency.p99", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_P99_9, ".latency_ns.p99_9", ".latency.p99_9", QUANTITY_TIME, SAMPLES)                \
    X(LATENCY_P99_99, ".latency_ns.p99_99", ".latency.p99_99", QUANTITY_TIME, SAMPLES)             \
    X(LATENCY_MAX, ".latency_ns.max", ".latency.max", QUANTITY_TIME, SAMPLES)                      \
    X(LATENCY_SLOWEST, ".latency_ns.slowest_1pct", ".latency.slowest_1pct", QUANTITY_TIME,         \
      SAMPLES)                                                                                     \
    X(WORST_MEMBER_MEAN, ".worst_member.latency_ns.mean", ".worst_member.latency.mean",            \
      QUANTITY_TIME, SAMPLES)                                                                      \
    X(WORST_MEMBER_P99, ".worst_member.latency_ns.p99", ".worst_member.latency.p99",               \
      QUANTITY_TIME, SAMPLES)                                                                      \
    X(CONTROLLERS_LOST, ".controllers.lost", ".controllers.lost", QUANTITY_INT, CONTROLLERS)       \
    X(CONTROLLERS_ATTEMPTS, ".controllers.attempts", ".controllers.attempts", QUANTITY_INT,        \
      CONTROLLERS)                                                                                 \
    X(CONTROLLERS_GIVEN_UP, ".controllers.given_up", ".controllers.given_up", QUANTITY_INT,        \
      CONTROLLERS)                                                                                 \
    X(CONTROLLERS_RECONNECTED, ".controllers.reconnected", ".controllers.reconnected",             \
      QUANTITY_INT, CONTROLLERS)                                                                   \
    X(CONTROLLERS_REQUEUED, ".controllers.requeued", ".controllers.requeued", QUANTITY_INT,        \
      CONTROLLERS)                                                                                 \
    X(CONTROLLERS_RETRIED, ".controllers.retried", ".controllers.retried", QUANTITY_INT,           \
      CONTROLLERS)                                                                                 \
    X(ADMIN_COMPLETED, ".admin.completed", ".admin.completed", QUANTITY_INT, ADMIN)                \
    X(ADMIN_FAILED, ".admin.failed", ".admin.failed", QUANTITY_INT, ADMIN)                         \
    X(GAP, ".gap_ns", ".gap", QUANTITY_TIME, CONTROLLERS)                                          \
    X(PATHS_FAILOVERS, ".paths.failovers", ".paths.failovers", QUANTITY_INT, PATHS)                \
    X(PATHS_RECOVERY, ".paths.recovery_ns", ".paths.recovery", QUANTITY_TIME, PATHS)               \
    X(PATHS_DEGRADED, ".paths.degraded_ns", ".paths.degraded", QUANTITY_TIME, PATHS)               \
    X(CONTROLLERS_AWAY, ".controllers.without_service_ns", ".controllers.without_service",         \
      QUANTITY_TIME, CONTROLLERS)                                                                  \
    X(STEADY_WARM_UP, ".steady.warm_up_ns", ".steady.warm_up", QUANTITY_TIME, SAMPLES)             \
    X(STEADY_SPAN, ".steady.span_ns", ".steady.span", QUANTITY_TIME, SAMPLES)                      \
    X(STEADY_GOODPUT, ".steady.goodput_bps", ".steady.goodput", QUANTITY_RATE, SAMPLES)            \
    X(STEADY_GOODPUT_CI, ".steady.goodput_ci_bps", ".steady.goodput_ci", QUANTITY_RATE, SAMPLES)   \
    X(STEADY_IOPS, ".steady.iops", ".steady.iops", QUANTITY_INT, SAMPLES)                          \
    X(STEADY_IOPS_CI, ".steady.iops_ci", ".steady.iops_ci", QUANTITY_INT, SAMPLES)                 \
    X(STEADY_LATENCY_MEAN, ".steady.latency_ns.mean", ".steady.latency.mean", QUANTITY_TIME,       \
      SAMPLES)                                                                                     \
    X(STEADY_LATENCY_MEAN_CI, ".steady.latency_ns.mean_ci", ".steady.latency.mean_ci",             \
      QUANTITY_TIME, SAMPLES)                                                                      \
    X(STEADY_LATENCY_P50, ".steady.latency_ns.p50", ".steady.latency.p50", QUANTITY_TIME, SAMPLES) \
    X(STEADY_LATENCY_P50_CI, ".steady.latency_ns.p50_ci", ".steady.latency.p50_ci", QUANTITY_TIME, \
      SAMPLES)                                                                                     \
    X(STEADY_LATENCY_P99, ".steady.latency_ns.p99", ".steady.latency.p99", QUANTITY_TIME, SAMPLES) \
    X(STEADY_LATENCY_P99_CI, ".steady.latency_ns.p99_ci", ".steady.latency.p99_ci", QUANTITY_TIME, \
      SAMPLES)                                                                                     \
    X(STEADY_LATENCY_P99_9, ".steady.latency_ns.p99_9", ".steady.latency.p99_9", QUANTITY_TIME,    \
      SAMPLES)                                                                                     \
    X(STEADY_LATENCY_SLOWEST, ".steady.latency_ns.slowest_1pct", ".steady.latency.slowest_1pct",   \
      QUANTITY_TIME, SAMPLES)                                                                      \
    X(STEADY_WORST_MEMBER_MEAN, ".steady.worst_member.latency_ns.mean",                            \
      ".steady.worst_member.latency.mean", QUANTITY_TIME, SAMPLES)                                 \
    X(STEADY_WORST_MEMBER_P99, ".steady.worst_member.latency_ns.p99",                              \
      ".steady.worst_member.latency.p99", QUANTITY_TIME, SAMPLES)                                  \
    X(JAIN, ".fairness.jain", ".fairness.jain", QUANTITY_RATIO, SAMPLES)                           \
    X(FAIRNESS_LEAST, ".fairness.least_bps", ".fairness.least", QUANTITY_RATE, SAMPLES)            \
    X(FAIRNESS_MOST, ".fairness.most_bps", ".fairness.most", QUANTITY_RATE, SAMPLES)               \
    X(FLOWS, ".flows", ".flows", QUANTITY_INT, WORK)                                               \
    X(FCT_MEAN, ".fct_ns.mean", ".fct.mean", QUANTITY_TIME, SAMPLES)                               \
    X(FCT_P50, ".fct_ns.p50", ".fct.p50", QUANTITY_TIME, SAMPLES)                                  \
    X(FCT_P99, ".fct_ns.p99", ".fct.p99", QUANTITY_TIME, SAMPLES)                                  \
    X(FCT_MAX, ".fct_ns.max", ".fct.max", QUANTITY_TIME, SAMPLES)                                  \
    X(SLOWDOWN_MEAN, ".slowdown.mean", ".slowdown.mean", QUANTITY_RATIO, SAMPLES)                  \
    X(SLOWDOWN_P50, ".slowdown.p50", ".slowdown.p50", QUANTITY_RATIO, SAMPLES)                     \
    X(SLOWDOWN_P99, ".slowdown.p99", ".slowdown.p99", QUANTITY_RATIO, SAMPLES)                     \
    X(SLOWDOWN_MAX, ".slowdown.max", ".slowdown.max", QUANTITY_RATIO, SAMPLES)

enum expect_quantity {
#define X(name, path, plain, kind, basis) EXPECT_##name,
    EXPECT_QUANTITIES(X)
#undef X
    /* Have no path: commands that failed or are unfinished, and workloads that have not settled. */
    EXPECT_COMMANDS_LOST,
    EXPECT_UNSETTLED,
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
const char *expect_plain(enum expect_quantity quantity); /* the path without units */
enum quantity_kind expect_kind(enum expect_quantity quantity);
enum expect_basis expect_basis(enum expect_quantity quantity);
const char *expect_basis_missing(enum expect_basis basis); /* why nothing was measured */

#endif
