/* SPDX-License-Identifier: Apache-2.0
 * expect - `expect:` of a scenario: conditions that a run must meet.
 * An expectation is a word (no-lossless-drop, all-commands-complete, no-deadlock, no-pause, steady)
 * or QUANTITY OP VALUE. The quantity is a path of the JSON summary (`pfc.pause_frames`, or
 * `NAME.latency.p99` for a workload), and the value has the quantity's unit. Parsed here, evaluated
 * by the code that has the run's counters. */
#ifndef STORMGLASS_SCENARIOS_LOAD_EXPECT_H
#define STORMGLASS_SCENARIOS_LOAD_EXPECT_H

#include "base/quantity.h"
#include "scenarios/data/scenario.h"
#include "scenarios/format/tree.h"

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
    BASIS(PATHS, "the workload has only one path")                                                 \
    BASIS(CPU,                                                                                     \
          "no core's work for the workload is known: it has no NVMe controller, or its hosts "     \
          "have a software RNIC")                                                                  \
    BASIS(SAMPLES, "") /* completed operations */

enum expect_basis {
#define BASIS(name, why) EXPECT_OVER_##name,
    EXPECT_BASES(BASIS)
#undef BASIS
};

/* Rows of quantity.def (of a whole run) and quantity_workload.def (of one workload). */
enum expect_quantity {
#define EXPECTED(name, path, plain, kind, basis) EXPECT_##name,
#include "scenarios/load/quantity.def"
#define FIGURE(name, path, plain, kind, basis, known, value) EXPECT_##name,
#include "scenarios/load/quantity_workload.def"
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

/* Splits "NAME OP VALUE": the length of the name, the operator, and the offset of the value. False
 * if there is no operator, no name or no value. */
bool expect_split(const char *text, size_t *name, enum expect_op *op, size_t *value);

/* False, with a message, if the expectation is invalid. The scenario's workloads must have been
 * loaded. */
bool expect_parse(const struct scenario *scenario, const struct tree_node *written,
                  struct expectation *expectation, struct diag *diag);

/* Whether "a OP b" holds; `order` is negative if a < b, 0 if they are equal, positive if a > b. */
bool expect_op_holds(enum expect_op op, int order);

/* True if `actual`, in the base unit of the quantity, meets the expectation. */
bool expect_holds(const struct expectation *expectation, int64_t actual);

/* What the number `actual` counts if the expectation is a word: "deadlocks" of no-deadlock. Empty
 * for a comparison, which names its quantity, and for a reason in place of a number. */
const char *expect_counted(const char *text, const char *actual);

/* Path of a quantity and kind of its value, for messages and lists. */
const char *expect_path(enum expect_quantity quantity);
const char *expect_plain(enum expect_quantity quantity); /* the path without units */
enum quantity_kind expect_kind(enum expect_quantity quantity);
enum expect_basis expect_basis(enum expect_quantity quantity);
/* Times, and counts of what went wrong. */
bool expect_less_is_better(enum expect_quantity quantity);
/* The same quantity over the steady part of a run; `quantity` if there is none. */
enum expect_quantity expect_steady(enum expect_quantity quantity);
const char *expect_basis_missing(enum expect_basis basis); /* why nothing was measured */

#endif
