/* SPDX-License-Identifier: Apache-2.0
 * record - a run's database while the run goes on.
 * The scenario, its files and the fabric are in the file before the first event; what happens
 * follows in batches.  How much is written depends on the level; the run itself never does.
 *   summary   totals, and the first few I/Os, drops and notes
 *   counters  every pause and every interval in which a transmitter was stopped; the first
 *             RECORD_STATES_MAX changes of state of NVMe hosts, their queues and the targets'
 *   ios       every NVMe command with all its moments
 *   packets   every frame each time it enters a wire
 * Memory is bounded: prepared statements, and a transaction that is committed every
 * RECORD_BATCH_ROWS rows. Errors stick (store.h); record_error says what went wrong.  Owner:
 * record_close. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_H
#define STORMGLASS_REPLAY_RECORD_RECORD_H

#include "base/probe.h"
#include "replay/database/store.h"
#include "scenarios/load/scenario.h"

enum record_level { RECORD_SUMMARY, RECORD_COUNTERS, RECORD_IOS, RECORD_PACKETS };

enum {
    RECORD_BATCH_ROWS = 50000,
    RECORD_FIRST_IOS = 16,   /* kept at every level */
    RECORD_FIRST_DROPS = 64, /* in detail */
    RECORD_NOTES_MAX = 1000,
    RECORD_STATES_MAX = 100000
};

struct record;

struct record_options {
    const char *path; /* NULL: in memory */
    bool unread;      /* nobody will read it: nothing is kept */
    bool brief;       /* only the summary and run --json will be made of it */
    bool members;     /* ... and the members' rows are read */
    enum record_level level;
    time_ps until; /* TIME_NEVER: not limited */
    int64_t threads;
    const char *version; /* of the program */
};

/* The level of that name; false: there is none.  Names in order: record_level_name. */
bool record_level_find(const char *name, enum record_level *level);
const char *record_level_name(enum record_level level);

/* NULL and a sentence in `error` on failure. */
struct record *record_open(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES]);
bool record_close(struct record *record); /* false: the last writes failed */

struct store *record_store(struct record *record);
enum record_level record_level_of(const struct record *record);
bool record_is_brief(const struct record *record);
bool record_is_of_members(const struct record *record); /* their rows will be read */
const char *record_error(const struct record *record);  /* NULL while all is well */

/* Everything that happened up to `at` has been reported. */
void record_reached(struct record *record, time_ps at);

/* Makes the rows so far safe when enough have come together, or always with `now`. */
void record_tick(struct record *record, bool now);

/* What happens in a run.  `record` NULL: nothing is written.
 * `target` NULL: the target reported nothing of the command. */
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
