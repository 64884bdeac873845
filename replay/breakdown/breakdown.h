/* SPDX-License-Identifier: Apache-2.0
 * breakdown - where the time of commands and messages goes: the one account of it.
 * A life is followed back from its completion: at each instant it waits for the predecessor whose
 * end let it go on, of a message for its last packet.  So the parts neither overlap nor leave a
 * gap, though packets do, and their sum is the latency to the picosecond.  The rule is in
 * docs/model.md.
 * Reported by probes, in the order of events: the moments of commands (host_io, target_io),
 * messages (work, use, message), what holds queue pairs (hold), packets from port to port (hop,
 * ack) and pauses that ports obey (blocked).  Changes nothing in the run.
 * Counts what completed: what succeeded, and compares that found other data.  UNTRACED is time
 * whose messages were not seen from their beginning.  The stages of a command are sums of its
 * parts, by phase.
 * Cost: at each level the moments of commands, which give the stages; packets and messages only
 * where wished (--waits, or level packets).
 * Units: virtual picoseconds.  Memory: what is under way, the history of pauses, one sum for each
 * workload and operation, and for each member.  Owner: breakdown_free; the fabric outlives it. */
#ifndef STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_H
#define STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_H

#include "base/probe.h"
#include "replay/explain/explain.h"

enum breakdown_part {
#define PART(NAME, key, words, about) BREAKDOWN_##NAME,
#include "replay/breakdown/breakdown_part.def"
    BREAKDOWN_PARTS
};

enum breakdown_phase {
#define PHASE(NAME, key, about) BREAKDOWN_IN_##NAME,
#include "replay/breakdown/breakdown_phase.def"
    BREAKDOWN_PHASES
};

enum breakdown_stage {
#define STAGE(NAME, words, about) BREAKDOWN_STAGE_##NAME,
#include "replay/breakdown/breakdown_stage.def"
    BREAKDOWN_STAGES
};

const char *breakdown_stage_name(enum breakdown_stage stage);

const char *breakdown_part_key(enum breakdown_part part);
const char *breakdown_part_words(enum breakdown_part part);

/* BREAKDOWN_PARTS: there is none of that key. */
enum breakdown_part breakdown_part_find(const char *key);
const char *breakdown_phase_key(enum breakdown_phase phase);

/* Flush, write, read and other commands; SEND, WRITE and READ messages. */
enum breakdown_operation {
    BREAKDOWN_FLUSH,
    BREAKDOWN_WRITE,
    BREAKDOWN_READ,
    BREAKDOWN_OTHER,
    BREAKDOWN_NVME_OPERATIONS,
    BREAKDOWN_RDMA_SEND = BREAKDOWN_NVME_OPERATIONS,
    BREAKDOWN_RDMA_WRITE,
    BREAKDOWN_RDMA_READ,
    BREAKDOWN_OPERATIONS
};

const char *breakdown_operation_key(enum breakdown_operation operation);

enum {
    BREAKDOWN_PLACES_MAX = 32,
    BREAKDOWN_CELLS = (int)BREAKDOWN_PHASES * (int)BREAKDOWN_PARTS,
    BREAKDOWN_CELL_WORDS = (BREAKDOWN_CELLS + 63) / 64
};

/* Where a life was paused or queued: the port that it waited to leave by. */
struct breakdown_place {
    uint32_t port; /* of the fabric */
    uint8_t priority;
    time_ps paused_ps, queued_ps;
};

/* One command or message, when it is complete. */
struct breakdown_life {
    uint32_t workload, member;
    enum breakdown_operation operation;
    time_ps issued_at, completed_at;
    time_ps ps[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
    uint64_t
        cells[BREAKDOWN_CELL_WORDS]; /* a bit for each of ps that may be other than 0, in order */
    struct breakdown_place places[BREAKDOWN_PLACES_MAX];
    uint32_t place_count; /* what has no room is in the last */
};

/* Of one workload and operation. */
struct breakdown_sum {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
    /* Of the slowest hundredth, as far as buckets of the latency (base/hist.h) tell them apart. */
    uint64_t slow_count;
    __int128 slow_ps[BREAKDOWN_PARTS];
};

/* Of one member of a workload, all its operations. */
struct breakdown_member {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[BREAKDOWN_PARTS];
};

/* Of one workload, operation, port and priority. */
struct breakdown_place_sum {
    uint32_t workload, port;
    enum breakdown_operation operation;
    uint8_t priority;
    __int128 paused_ps, queued_ps;
};

/* NVMe commands of one workload and operation. */
struct breakdown_stage_sum {
    uint64_t count;
    __int128 sum_ps[BREAKDOWN_STAGES];
    time_ps max_ps[BREAKDOWN_STAGES];
};

struct breakdown;

/* Traced: messages and packets are followed.  Otherwise what commands wait for is known by their
 * moments at both ends alone, which is enough for the stages, and there are no sums of parts,
 * members and places; then only target_io and host_io are to be reported. */
struct breakdown *breakdown_new(const struct explain_fabric *fabric, uint32_t workload_count,
                                bool traced);
bool breakdown_is_traced(const struct breakdown *breakdown);
void breakdown_free(struct breakdown *breakdown);

/* Every life is handed to `each` as well. */
void breakdown_hear(struct breakdown *breakdown,
                    void (*each)(void *self, const struct breakdown_life *life), void *self);

void breakdown_hop(struct breakdown *breakdown, const struct probe_hop *hop);
void breakdown_drop(struct breakdown *breakdown, const struct probe_drop *drop);
void breakdown_blocked(struct breakdown *breakdown, const struct probe_blocked *blocked);
void breakdown_work(struct breakdown *breakdown, const struct probe_work *work);
void breakdown_hold(struct breakdown *breakdown, const struct probe_hold *hold);
void breakdown_use(struct breakdown *breakdown, const struct probe_use *use);
void breakdown_message(struct breakdown *breakdown, const struct probe_message *message);
void breakdown_target_io(struct breakdown *breakdown, const struct probe_target_io *io);

/* False: the target's part is not known; else it is copied. */
bool breakdown_host_io(struct breakdown *breakdown, const struct probe_host_io *io,
                       struct probe_target_io *target);

/* After the last: which were the slowest, and places by workload, operation, port and priority. */
void breakdown_finish(struct breakdown *breakdown);

/* The stages of one command; `target` NULL: all between the capsules counts as REQUEST. */
void breakdown_stages(const struct probe_host_io *host, const struct probe_target_io *target,
                      time_ps stages[BREAKDOWN_STAGES]);
/* Of the first BREAKDOWN_NVME_OPERATIONS. */
const struct breakdown_stage_sum *breakdown_stage_sum(const struct breakdown *breakdown,
                                                      uint32_t workload,
                                                      enum breakdown_operation operation);

/* NULL: there was none. */
const struct breakdown_sum *breakdown_of(const struct breakdown *breakdown, uint32_t workload,
                                         enum breakdown_operation operation);
/* By member, as far as any completed something. */
const struct breakdown_member *breakdown_members(const struct breakdown *breakdown,
                                                 uint32_t workload, uint32_t *count);
const struct breakdown_place_sum *breakdown_places(const struct breakdown *breakdown,
                                                   uint32_t *count);

#endif
