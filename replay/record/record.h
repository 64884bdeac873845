/* SPDX-License-Identifier: Apache-2.0
 * record - a run's database while the run is in progress.
 * Scenario, files and fabric are in the file before the first event; events follow in batches. The
 * level determines how much is written, but never affects the run.
 *   summary   totals, and the first few I/Os, drops and notes
 *   counters  every pause and every interval in which a transmitter was stopped; the first
 *             RECORD_STATES_MAX state changes of NVMe hosts, their queues and the targets'
 *   ios       every NVMe command with all its times
 *   packets   every frame each time it enters a wire
 * Memory is bounded: prepared statements, and a transaction that is committed every
 * RECORD_BATCH_ROWS rows. Errors are sticky (store.h); record_error returns the message. Owner:
 * record_close. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_H
#define STORMGLASS_REPLAY_RECORD_RECORD_H

#include "base/probe.h"
#include "replay/database/store.h"
#include "scenarios/data/scenario.h"

enum record_level { RECORD_SUMMARY, RECORD_COUNTERS, RECORD_IOS, RECORD_PACKETS };

enum {
    RECORD_BATCH_ROWS = 50000,
    RECORD_FIRST_IOS = 16,   /* kept at every level */
    RECORD_FIRST_DROPS = 64, /* with details */
    RECORD_NOTES_MAX = 1000,
    RECORD_STATES_MAX = 100000
};

struct record;

struct record_options {
    const char *path; /* NULL: in memory */
    bool unread;      /* discard all rows */
    bool brief;       /* only for the summary and run --json */
    bool members;     /* members' rows are read, too */
    enum record_level level;
    time_ps until; /* TIME_NEVER: no limit */
    int64_t threads;
    const char *version; /* of the program */
};

/* Finds the level of that name; false if there is none. record_level_name lists names in order. */
bool record_level_find(const char *name, enum record_level *level);
const char *record_level_name(enum record_level level);

/* Returns NULL and a message in `error` on failure. */
struct record *record_open(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES]);
bool record_close(struct record *record); /* false: the last writes failed */

struct store *record_store(struct record *record);
enum record_level record_level_of(const struct record *record);
bool record_is_brief(const struct record *record);
bool record_is_of_members(const struct record *record); /* members' rows will be read */
const char *record_error(const struct record *record);  /* NULL if no error has occurred */

/* Everything up to `at` has been reported. */
void record_reached(struct record *record, time_ps at);

/* Commits the rows so far if there are enough of them, or in any case with `now`. */
void record_tick(struct record *record, bool now);

/* Events of a run. `record` NULL: no-op. `target` NULL: the target reported nothing about the
 * command. */
void record_io(struct record *record, const struct probe_host_io *host,
               const struct probe_target_io *target);
void record_drop(struct record *record, const struct probe_drop *drop);
void record_pause(struct record *record, const struct probe_pause *pause);
void record_blocked(struct record *record, uint32_t node, uint16_t port, uint8_t priority,
                    time_ps from, time_ps until);
void record_frame(struct record *record, const struct probe_frame *frame);
void record_state(struct record *record, const struct probe_state *state);
void record_note(struct record *record, time_ps at, const char *owner, const char *text);

/* "read", "write", "flush" or "other" */
const char *record_operation(uint8_t opcode);

#endif
