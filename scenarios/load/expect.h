/* SPDX-License-Identifier: Apache-2.0
 * expect - `expect:` of a scenario: conditions that a run must meet.
 * An expectation is a word (no-lossless-drop, all-commands-complete, no-deadlock, no-pause, steady)
 * or QUANTITY OP VALUE. The quantity is a path of the JSON summary (`pfc.pause_frames`, or
 * `NAME.latency.p99` for a workload), and the value has the quantity's unit. Parsed here, evaluated
 * by the code that has the run's counters. */
#ifndef STORMGLASS_SCENARIOS_LOAD_EXPECT_H
#define STORMGLASS_SCENARIOS_LOAD_EXPECT_H

#include "base/quantity.h"
#include "scenarios/format/tree.h"
#include "scenarios/load/scenario.h"

/* What a quantity is measured over. If a run has nothing to measure, a comparison that is true for
 * 0 has compared nothing and does not pass: BASIS(enumerator, why nothing was measured). */
#define EXPECT_BASES(BASIS)                                                                        \
    BASIS(FACT, "") /* always measured */                                                          \
    BASIS(WORK, "") /* amount of work; zero may be expected */                                     \
    BASIS(TRAFFIC, "not measured on real devices")                                                 \
    BASIS(LOSSLESS, "no frame of a lossless class was sent")                                       \
    BASIS(MARKING, "no switch marks ECN")                                                          \
    BASIS(WATCHDOG, "no switch has a PFC watchdog")                                                \
    BASIS(READS, "no read could be compared with a write")                                         \
    BASIS(WRITES, "nothing was written to a target")                                               \
    BASIS(MEDIA, "no namespace is on a medium that ages")                                          \
    BASIS(ARRAYS, "no namespace is on an array of drives")                                         \
    BASIS(OPERATIONS, "") /* outcome of issued operations */                                       \
    BASIS(CONTROLLERS, "the workload has no NVMe controller")                                      \
    BASIS(ADMIN, "the workload sent no admin command")                                             \
    BASIS(PATHS, "the workload has no several paths")                                              \
    BASIS(SAMPLES, "") /* completed operations */

enum expect_basis {
#define BASIS(name, why) EXPECT_OVER_##name,
    EXPECT_BASES(BASIS)
#undef BASIS
};

/* Quantities of a whole run are rows of quantity.def. For workloads: X(enumerator, path in the JSON
 * object after the workload's name, the same without its unit, kind of value, basis). */
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
#define EXPECTED(name, path, plain, kind, basis) EXPECT_##name,
#include "scenarios/load/quantity.def"
#define X(name, path, plain, kind, basis) EXPECT_##name,
    EXPECT_OF_WORKLOADS(X)
#undef X
    /* Quantities without a path: commands that failed or are unfinished, and workloads without a
     * steady state. */
    EXPECT_COMMANDS_LOST,
    EXPECT_UNSETTLED,
};

enum expect_op { EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE, EXPECT_EQ, EXPECT_NE };

#define EXPECT_WHOLE_RUN UINT32_MAX

struct expectation {
    const char *text; /* as written in the scenario */
    enum expect_quantity quantity;
    uint32_t workload; /* index, or EXPECT_WHOLE_RUN */
    enum expect_op op;
    int64_t value; /* base unit of the quantity: ps, bytes, bits per second */
    struct diag_place place;
};

/* False, with a message, if the expectation is invalid. The scenario's workloads must have been
 * loaded. */
bool expect_parse(const struct scenario *scenario, const struct tree_node *written,
                  struct expectation *expectation, struct diag *diag);

/* True if `actual`, in the base unit of the quantity, meets the expectation. */
bool expect_holds(const struct expectation *expectation, int64_t actual);

/* Path of a quantity and kind of its value, for messages and lists. */
const char *expect_path(enum expect_quantity quantity);
const char *expect_plain(enum expect_quantity quantity); /* the path without units */
enum quantity_kind expect_kind(enum expect_quantity quantity);
enum expect_basis expect_basis(enum expect_quantity quantity);
/* The same quantity over the steady part of a run; `quantity` if there is none. */
enum expect_quantity expect_steady(enum expect_quantity quantity);
const char *expect_basis_missing(enum expect_basis basis); /* why nothing was measured */

#endif
