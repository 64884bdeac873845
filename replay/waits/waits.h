/* SPDX-License-Identifier: Apache-2.0
 * waits - the one account of time: what commands and messages waited for.
 * A life is followed back from its completion: at each instant it waits for the predecessor whose
 * end let it go on, of a message for its last packet.  So the parts neither overlap nor leave a
 * gap, though packets do, and their sum is the latency to the picosecond.  The rule is in
 * docs/model.md.
 * Told by probes, in the order of events: the moments of commands (host_io, target_io), messages
 * (work, use, message), what holds queue pairs (hold), packets from port to port (hop, ack) and
 * pauses that ports obey (blocked).  Changes nothing in the run.
 * Counts what succeeded.  UNTRACED is time whose messages were not seen from their beginning.
 * Units: virtual picoseconds.  Memory: what is under way, the history of pauses, one sum for each
 * workload and operation, and for each member.  Owner: waits_free; the fabric outlives it. */
#ifndef STORMGLASS_REPLAY_WAITS_WAITS_H
#define STORMGLASS_REPLAY_WAITS_WAITS_H

#include "base/probe.h"
#include "replay/explain/explain.h"

enum waits_part {
#define PART(NAME, key, words, about) WAITS_##NAME,
#include "replay/waits/waits_part.def"
    WAITS_PARTS
};

enum waits_phase {
#define PHASE(NAME, key, about) WAITS_IN_##NAME,
#include "replay/waits/waits_phase.def"
    WAITS_PHASES
};

const char *waits_part_key(enum waits_part part);
const char *waits_part_words(enum waits_part part);

/* WAITS_PARTS: there is none of that key. */
enum waits_part waits_part_find(const char *key);
const char *waits_part_about(enum waits_part part);
const char *waits_phase_key(enum waits_phase phase);

/* Flush, write, read and other commands; SEND, WRITE and READ messages. */
enum waits_operation {
    WAITS_FLUSH,
    WAITS_WRITE,
    WAITS_READ,
    WAITS_OTHER,
    WAITS_RDMA_SEND,
    WAITS_RDMA_WRITE,
    WAITS_RDMA_READ,
    WAITS_OPERATIONS
};

const char *waits_operation_key(enum waits_operation operation);

enum {
    WAITS_PLACES_MAX = 32,
    WAITS_CELLS = (int)WAITS_PHASES * (int)WAITS_PARTS,
    WAITS_CELL_WORDS = (WAITS_CELLS + 63) / 64
};

/* Where a life was paused or queued: the port that it waited to leave by. */
struct waits_place {
    uint32_t port; /* of the fabric */
    uint8_t priority;
    time_ps paused_ps, queued_ps;
};

/* One command or message, when it is complete. */
struct waits_life {
    uint32_t workload, member;
    enum waits_operation operation;
    time_ps issued_at, completed_at;
    time_ps ps[WAITS_PHASES][WAITS_PARTS];
    uint64_t cells[WAITS_CELL_WORDS]; /* a bit for each of ps that may be other than 0, in order */
    struct waits_place places[WAITS_PLACES_MAX];
    uint32_t place_count; /* what has no room is in the last */
};

/* Of one workload and operation. */
struct waits_sum {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[WAITS_PHASES][WAITS_PARTS];
    /* Of the slowest hundredth, as far as buckets of the latency (base/hist.h) tell them apart. */
    uint64_t slow_count;
    __int128 slow_ps[WAITS_PARTS];
};

/* Of one member of a workload, all its operations. */
struct waits_member {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[WAITS_PARTS];
};

/* Of one workload, operation, port and priority. */
struct waits_place_sum {
    uint32_t workload, port;
    enum waits_operation operation;
    uint8_t priority;
    __int128 paused_ps, queued_ps;
};

struct waits;

struct waits *waits_new(const struct explain_fabric *fabric, uint32_t workload_count);
void waits_free(struct waits *waits);

/* Every life is handed to `each` as well. */
void waits_hear(struct waits *waits, void (*each)(void *self, const struct waits_life *life),
                void *self);

void waits_hop(struct waits *waits, const struct probe_hop *hop);
void waits_drop(struct waits *waits, const struct probe_drop *drop);
void waits_blocked(struct waits *waits, const struct probe_blocked *blocked);
void waits_work(struct waits *waits, const struct probe_work *work);
void waits_hold(struct waits *waits, const struct probe_hold *hold);
void waits_use(struct waits *waits, const struct probe_use *use);
void waits_message(struct waits *waits, const struct probe_message *message);
void waits_target_io(struct waits *waits, const struct probe_target_io *io);
void waits_host_io(struct waits *waits, const struct probe_host_io *io);

/* After the last: which were the slowest, and places by workload, operation, port and priority. */
void waits_finish(struct waits *waits);

/* NULL: there was none. */
const struct waits_sum *waits_of(const struct waits *waits, uint32_t workload,
                                 enum waits_operation operation);
/* By member, as far as any completed something. */
const struct waits_member *waits_members(const struct waits *waits, uint32_t workload,
                                         uint32_t *count);
const struct waits_place_sum *waits_places(const struct waits *waits, uint32_t *count);

#endif
