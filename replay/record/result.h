/* SPDX-License-Identifier: Apache-2.0
 * result - the quantities of a run by their path.
 * One list of rows gives the keys of run --json, the table `result` of the database and the values
 * of expectations, so that the three cannot drift apart.  Quantities are exact: a whole number in
 * its base unit, or a ratio of two; only the printed form is rounded.
 * Units: ps, bytes, bits per second.  Owner: result_free. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_H
#define STORMGLASS_REPLAY_RECORD_RESULT_H

#include "base/digest.h"
#include "base/hist.h"
#include "base/units.h"
#include "replay/explain/bottleneck.h"
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
    int64_t missed;      /* open loop: due, but as many as allowed were under way */
    bool stalled;        /* it should have issued something in its window and did not */
    bool elsewhere;      /* another process of the bridge plays it */
    bool never_began;    /* it waited for others to the end */
    bool silent;         /* it has admin commands alone */
    unsigned unmeasured; /* bits by enum expect_basis: it has nothing to measure those over */
    int64_t queues_asked, queues_granted; /* of NVMe; asked 0: it has none, or it is not known */
    int64_t members, idle; /* pairs of hosts; of them, those that did nothing though they should */
    int64_t bytes, bytes_read, bytes_written;
    int64_t completed_window; /* completions that the rates count */
    /* Payload that arrived in the window, where it was to go; of all members, of so many that
     * were played, and of those with least and most. */
    int64_t bytes_window, read_window, written_window;
    int64_t played, member_least, member_most;
    int64_t window_ps;               /* what they are divided by; 0: there are no rates */
    bool few;                        /* too few of them for IOPS */
    char no_rates[RESULT_WHY_BYTES]; /* which are undefined, and why; empty: none */
    const struct hist *latency;
    /* Of its NVMe controllers: struct nvme_host_stats. */
    int64_t losses, attempts, reconnects, given_up, requeued, retried, without_service_ps;
    int64_t admin, admin_failed;                      /* admin commands that it asked for */
    int64_t gap_ps;                                   /* struct workload_stats has what they mean */
    int64_t failovers, path_recovery_ps, degraded_ps; /* of its paths */
    struct steady steady;
    struct wl_history_worst worst; /* of all that its rates count */
    struct member_figures of_members;
    time_ps start;      /* of the workload */
    const char *victim; /* of the root cause: "direct", "indirect", "same-path"; NULL: none */
    int64_t held_ps;    /* the longest that a port on its paths was stopped because of it */
};

/* What limited a workload, or the run, and by what that is known. */
struct result_limit {
    struct bottleneck_input input;
    struct bottleneck found;
    time_ps latency; /* mean */
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
    bool unjudged; /* the run was cut before it could tell; then it is not held either */
    char actual[RESULT_ACTUAL_BYTES]; /* what was found */
    struct result_ratio value;        /* the same, exact; denominator 0: not known */
};

enum { RESULT_SENTENCE_BYTES = 480, RESULT_FAILURES_MAX = 8 };

/* Beside the sentence. */
struct result_cause {
    const char *kind; /* slow-receiver, pause-storm, congestion, circle; outlives the result */
    const char *node; /* that owns the port; of the scenario */
    char port[80];    /* host0:p0, or a congested egress */
    bool sure;
    int64_t causes;    /* that the sentence names: it and those beside it */
    int64_t share_ppm; /* of all held time */
};

struct result {
    const char *scenario, *version; /* outlive the result */
    uint64_t seed;
    int64_t threads;
    const char *marked_at; /* where switches look at the queue for ECN; NULL: none marks */
    struct digest digest;
    const char *status; /* complete, interrupted, failed */
    bool cut;           /* by a signal or --until, before its work was done */
    struct result_totals totals;
    bool media_age;      /* some do */
    bool arrays;         /* there are some */
    unsigned unmeasured; /* bits by enum expect_basis: the run has nothing to measure those over */
    /* Units of 4 KiB that came to flash, and that were written with them. */
    int64_t media_units_down, media_units_programmed;
    struct result_workload *workloads;
    uint32_t workload_count;
    struct hist *latencies;        /* of the workloads, once the world is gone; NULL before */
    const struct breakdown *waits; /* while the run is there; NULL: nobody accounted for time */
    struct result_expectation *expectations;
    uint32_t expectation_count;
    char failures[RESULT_FAILURES_MAX]
                 [RESULT_SENTENCE_BYTES]; /* why the run failed on its own account */
    uint32_t failure_count;
    struct check_report warnings; /* that something else was played than what was asked for */
    struct bottleneck limit;      /* of the run */
    struct result_limit *limits;  /* by workload */
    char root_cause[RESULT_SENTENCE_BYTES]; /* empty: null */
    struct result_cause cause;
    struct harm harm;
    char deadlock[RESULT_SENTENCE_BYTES]; /* one of them in words; empty: there was none */
};

/* What workloads have of the world becomes the result's own. */
void result_keep_latencies(struct result *result);

void result_free(struct result *result);

/* The value of a total by its path ("pfc.paused_ps"); false: no such path. */
bool result_total(const struct result *result, const char *path, struct result_ratio *value);

/* The value of a workload's quantity by its path ("latency_ns.p99", in ps like every time); with
 * denominator 0 where it is not known, as the fairness of one member. */
bool result_of_workload(const struct result_workload *workload, const char *path,
                        struct result_ratio *value);

/* Less than 0, 0 or more than 0, without rounding. */
int result_compare(struct result_ratio value, int64_t with);

enum result_type {
    RESULT_NULL,
    RESULT_BOOLEAN,
    RESULT_INTEGER,
    RESULT_REAL,
    RESULT_TEXT,
    RESULT_EMPTY /* a list without members */
};

struct result_item {
    const char *path; /* workloads[0].latency_ns.p99; valid during the call */
    enum result_type type;
    int64_t integer;
    double real;
    const char *text;
};

const char *result_type_name(enum result_type type);

/* "pass", "fail" or "undecided". */
const char *result_word(const struct result_expectation *expectation);

/* Calls back for every key of run --json in order, but wall_s, which differs from run to run. */
typedef void result_emit_fn(void *self, const struct result_item *item);
void result_emit(const struct result *result, result_emit_fn *emit, void *self);

/* Adds a reason why the run failed beyond its expectations; those beyond RESULT_FAILURES_MAX are
 * dropped. */
void result_fail(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True when every expectation held and nothing else failed. */
bool result_held(const struct result *result);

#endif
