/* SPDX-License-Identifier: Apache-2.0
 * result - the quantities of a run by path.
 * One list defines the keys of run --json, the table `result` of the database and the values of
 * expectations, so the three cannot diverge. Quantities are exact: an integer in its base unit, or
 * a ratio of two integers; only the printed form is rounded.
 * Units: ps, bytes, bit/s. Owner: result_free. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_H
#define STORMGLASS_REPLAY_RECORD_RESULT_H

#include "base/digest.h"
#include "base/hist.h"
#include "base/units.h"
#include "replay/explain/bottleneck.h"
#include "replay/explain/confidence.h"
#include "replay/harm/harm.h"
#include "replay/record/member_figures.h"
#include "replay/record/steady.h"
#include "scenarios/check/check.h"

#include <stdbool.h>
#include <stdint.h>

struct breakdown;

struct result_totals {
#define TOTAL(member, path) int64_t member;
#include "scenarios/load/quantity.def"
};

enum { RESULT_WHY_BYTES = 160 };

/* One entry of `workloads:`. */
struct result_workload {
    const char *name;
    int64_t issued, completed, failed, unfinished, corrupt;
    int64_t missed;      /* open loop: due, but the maximum was outstanding */
    bool stalled;        /* should have issued operations in its window but did not */
    bool elsewhere;      /* run by another process of the bridge */
    bool never_began;    /* waited for others until the end */
    bool silent;         /* has only admin commands */
    unsigned unmeasured; /* bit set of enum expect_basis: nothing to measure those over */
    int64_t queues_asked, queues_granted; /* NVMe I/O queues; requested 0: none, or unknown */
    int64_t members, idle; /* pairs of hosts; idle ones although they should have worked */
    int64_t bytes, bytes_read, bytes_written;
    int64_t completed_window; /* completions that rates are computed from */
    /* Payload that arrived at its destination within the window: total; number of members run;
     * smallest and largest member. */
    int64_t bytes_window, read_window, written_window;
    int64_t played, member_least, member_most;
    int64_t window_ps;               /* divisor of rates; 0: no rates */
    bool few;                        /* too few completions for IOPS */
    char no_rates[RESULT_WHY_BYTES]; /* undefined rates and the reason; empty: none */
    const char *latency_note; /* what latencies leave out; NULL: nothing */
    const struct hist *latency;
    /* Of its NVMe controllers: see struct nvme_host_stats. */
    int64_t losses, attempts, reconnects, given_up, requeued, retried, without_service_ps;
    int64_t admin, admin_failed; /* admin commands that it issued itself */
    /* See struct world_cpu_use; cpu_ps: the sum. */
    bool cpu_known;
    int64_t cpu_host_ps, cpu_target_ps, cpu_ps;
    int64_t gap_ps;                                   /* see struct workload_stats */
    int64_t failovers, path_recovery_ps, degraded_ps; /* of its paths */
    struct steady steady;
    struct wl_history_worst worst; /* worst member, over the period that the rates cover */
    struct member_figures of_members;
    time_ps start;      /* ps; of the workload */
    const char *victim; /* of the root cause: "direct", "indirect", "same-path"; NULL: none */
    int64_t held_ps;    /* ps; of the port on its paths that was paused longest because of it */
};

/* The bottleneck of a workload or the run, and its evidence. */
struct result_limit {
    struct bottleneck_input input;
    struct bottleneck found;
    struct confidence confidence; /* of a workload's */
    time_ps latency;              /* mean */
};

/* An exact value: numerator / denominator, denominator > 0. */
struct result_ratio {
    __int128 numerator;
    int64_t denominator;
};

enum { RESULT_ACTUAL_BYTES = 224 };

struct result_expectation {
    const char *text;
    bool held;
    bool unjudged;                    /* cut off before a verdict; then it is not met either */
    char actual[RESULT_ACTUAL_BYTES]; /* the value as text */
    struct result_ratio value;        /* the exact value; denominator 0: unknown */
};

enum { RESULT_SENTENCE_BYTES = 480, RESULT_FAILURES_MAX = 8 };

/* Additional data on the root cause. */
struct result_cause {
    const char *kind; /* slow-receiver, pause-storm, congestion, circle; must outlive the result */
    const char *node; /* node of the port, in the scenario */
    char port[80];    /* host0:p0, or a congested egress */
    bool sure;
    int64_t causes;    /* number of causes in the sentence, including this one */
    int64_t share_ppm; /* of the total held time */
};

struct result {
    const char *scenario, *version; /* must outlive the result */
    uint64_t seed;
    int64_t threads;
    const char *marked_at; /* where switches sample the queue for ECN; NULL: none marks */
    struct digest digest;
    const char *status; /* complete, interrupted, failed */
    bool cut;           /* by a signal or --until, before its work was done */
    struct result_totals totals;
    int64_t tcp_cores;   /* that TCP kept busy, rounded up for each host */
    bool media_age;      /* the scenario has media that age */
    bool arrays;         /* the scenario has arrays */
    unsigned unmeasured; /* bit set of enum expect_basis: nothing to measure those over */
    /* 4 KiB units written to flash, and units programmed for them, including write
     * amplification. */
    int64_t media_units_down, media_units_programmed;
    struct result_workload *workloads;
    uint32_t workload_count;
    struct hist *latencies;        /* of the workloads, after the world is freed; NULL before */
    const struct breakdown *waits; /* during the run; NULL: no time breakdown */
    struct result_expectation *expectations;
    uint32_t expectation_count;
    char failures[RESULT_FAILURES_MAX]
                 [RESULT_SENTENCE_BYTES]; /* reasons for failure other than expectations */
    uint32_t failure_count;
    struct check_report warnings; /* differences between the configured and the actual run */
    struct bottleneck limit;      /* of the run */
    struct result_limit *limits;  /* by workload */
    char root_cause[RESULT_SENTENCE_BYTES]; /* empty: null */
    struct result_cause cause;
    struct harm harm;
    char deadlock[RESULT_SENTENCE_BYTES]; /* one deadlock as text; empty: none */
};

/* Copies workload data from the world, so that the result outlives it. */
void result_keep_latencies(struct result *result);

void result_free(struct result *result);

/* The value of a total by its path ("pfc.paused_ps"); false if the path does not exist. */
bool result_total(const struct result *result, const char *path, struct result_ratio *value);

/* The value of a workload's quantity by its path ("latency_ns.p99", in ps like every time);
 * denominator 0 if unknown, such as the fairness of one member. */
bool result_of_workload(const struct result_workload *workload, const char *path,
                        struct result_ratio *value);

/* A time in ps as its printed integer in ns, rounded to the nearest; it must be known. */
int64_t result_workload_ns(struct result_ratio value);

/* Returns < 0, 0 or > 0, without rounding. */
int result_compare(struct result_ratio value, int64_t with);

enum result_type {
    RESULT_NULL,
    RESULT_BOOLEAN,
    RESULT_INTEGER,
    RESULT_REAL,
    RESULT_TEXT,
    RESULT_EMPTY /* an empty list */
};

struct result_item {
    const char *path; /* workloads[0].latency_ns.p99; valid during the call */
    enum result_type type;
    int64_t integer;
    double real;
    const char *text;
};

const char *result_type_name(enum result_type type);

/* Called for every key of run --json in order, except wall_s, which differs from run to run. */
typedef void result_emit_fn(void *self, const struct result_item *item);
void result_emit(const struct result *result, result_emit_fn *emit, void *self);

/* Adds a reason for failure other than expectations; more than RESULT_FAILURES_MAX are dropped. */
void result_fail(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if all expectations are met and nothing else failed. */
bool result_held(const struct result *result);

#endif
