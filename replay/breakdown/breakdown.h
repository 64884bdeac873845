/* SPDX-License-Identifier: Apache-2.0
 * breakdown - where commands and messages spend their time.
 * Each command is followed back from its completion. At every instant it waits for exactly one
 * predecessor whose end lets it continue (a message waits for its last packet). The parts therefore
 * neither overlap nor leave a gap, even though packets overlap, and their sum equals the latency to
 * the picosecond. docs/model.md describes the rules.
 * Input: probes in the order of events: times of commands (host_io, target_io), messages (work,
 * use, message), what holds up queue pairs (hold), packets from port to port (hop, ack), and pauses
 * that ports obey (blocked); of TCP, segments and steps of messages (segment, stream).
 * The run itself is not affected.
 * Only successful operations count, and compares that found different data. UNTRACED is time of
 * messages that were not observed from their start. The stages of a command are sums of its parts,
 * by phase.
 * Cost: every recording level processes the times of commands, which give the stages; packets and
 * messages are processed only on request (--waits, or level packets).
 * Units: virtual picoseconds. Memory: outstanding commands and messages, the history of pauses, one
 * sum per workload and operation, and one per member. Owner: breakdown_free; the fabric must
 * outlive the breakdown. */
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
/* On links with credits, a paused port is one that waits for credits. */
const char *breakdown_part_words_of(enum breakdown_part part, bool credits);

/* Returns BREAKDOWN_PARTS if no part has that key. */
enum breakdown_part breakdown_part_find(const char *key);
const char *breakdown_phase_key(enum breakdown_phase phase);

/* NVMe flush, write, read and other commands; SEND, WRITE and READ messages. */
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

/* Where a command or message was paused or queued: the egress port. */
struct breakdown_place {
    uint32_t port; /* index in the fabric */
    uint8_t priority;
    time_ps paused_ps, queued_ps;
};

/* Time spent behind bytes of other commands or messages in the same byte stream, which delivers all
 * in order. It is part of other parts: while they wait, nothing of the command could arrive. */
struct breakdown_behind {
    time_ps sent; /* from posting until these bytes had left */
    time_ps lost; /* from the arrival of its bytes until the lost bytes had arrived */
};

/* One completed command or message. */
struct breakdown_life {
    uint32_t workload, member;
    enum breakdown_operation operation;
    time_ps issued_at, completed_at;
    time_ps ps[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
    uint64_t cells[BREAKDOWN_CELL_WORDS]; /* bit i: ps[] cell i may be nonzero */
    struct breakdown_behind behind;
    struct breakdown_place places[BREAKDOWN_PLACES_MAX];
    uint32_t place_count; /* the last place also collects those that do not fit */
};

/* Sum of one workload and operation. */
struct breakdown_sum {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
    __int128 behind_sent_ps, behind_lost_ps; /* struct breakdown_behind */
    /* The slowest 1 %, at the resolution of the latency buckets (base/hist.h). */
    uint64_t slow_count;
    __int128 slow_ps[BREAKDOWN_PARTS];
};

/* Sum of one member of a workload over all operations. */
struct breakdown_member {
    uint64_t count;
    __int128 latency_ps;
    __int128 ps[BREAKDOWN_PARTS];
};

/* Sum of one workload, operation, port and priority. */
struct breakdown_place_sum {
    uint32_t workload, port;
    enum breakdown_operation operation;
    uint8_t priority;
    __int128 paused_ps, queued_ps;
};

/* Stages of the NVMe commands of one workload and operation. */
struct breakdown_stage_sum {
    uint64_t count;
    __int128 sum_ps[BREAKDOWN_STAGES];
    time_ps max_ps[BREAKDOWN_STAGES];
};

struct breakdown;

/* With `traced`, messages and packets are followed. Without it, only target_io and host_io need to
 * be reported: their times are enough for the stages, but there are no sums by part, member or
 * place. */
struct breakdown *breakdown_new(const struct explain_fabric *fabric, uint32_t workload_count,
                                bool traced);
bool breakdown_is_traced(const struct breakdown *breakdown);
void breakdown_free(struct breakdown *breakdown);

/* `each` is called with every completed command and message. */
void breakdown_hear(struct breakdown *breakdown,
                    void (*each)(void *self, const struct breakdown_life *life), void *self);

void breakdown_hop(struct breakdown *breakdown, const struct probe_hop *hop);
void breakdown_drop(struct breakdown *breakdown, const struct probe_drop *drop);
void breakdown_blocked(struct breakdown *breakdown, const struct probe_blocked *blocked);
void breakdown_work(struct breakdown *breakdown, const struct probe_work *work);
void breakdown_hold(struct breakdown *breakdown, const struct probe_hold *hold);
void breakdown_use(struct breakdown *breakdown, const struct probe_use *use);
void breakdown_segment(struct breakdown *breakdown, const struct probe_segment *segment);
void breakdown_stream(struct breakdown *breakdown, const struct probe_stream *stream);
void breakdown_message(struct breakdown *breakdown, const struct probe_message *message);
void breakdown_target_io(struct breakdown *breakdown, const struct probe_target_io *io);

/* Returns false if the target's part of the command is unknown; otherwise copies it to *target. */
bool breakdown_host_io(struct breakdown *breakdown, const struct probe_host_io *io,
                       struct probe_target_io *target);

/* Call after the last event. Determines the slowest 1 % and sorts places by workload, operation,
 * port and priority. */
void breakdown_finish(struct breakdown *breakdown);

/* The stages of one command. If `target` is NULL, all time between the capsules counts as
 * REQUEST. */
void breakdown_stages(const struct probe_host_io *host, const struct probe_target_io *target,
                      time_ps stages[BREAKDOWN_STAGES]);
/* `operation` is one of the first BREAKDOWN_NVME_OPERATIONS. */
const struct breakdown_stage_sum *breakdown_stage_sum(const struct breakdown *breakdown,
                                                      uint32_t workload,
                                                      enum breakdown_operation operation);

/* Returns NULL if the workload completed no such operation. */
const struct breakdown_sum *breakdown_of(const struct breakdown *breakdown, uint32_t workload,
                                         enum breakdown_operation operation);
/* Indexed by member; `count` ends after the last member that completed an operation. */
const struct breakdown_member *breakdown_members(const struct breakdown *breakdown,
                                                 uint32_t workload, uint32_t *count);
const struct breakdown_place_sum *breakdown_places(const struct breakdown *breakdown,
                                                   uint32_t *count);

#endif
