/* SPDX-License-Identifier: Apache-2.0
 * iojoin - the two halves of a command put together.
 * The target tells its part first; it waits in a table until the host's part of the same command
 * comes.  A command is named by (host, target, queue, command identifier), of which only one is
 * under way at a time. From the two come IOJOIN_STAGES, each the time between two neighbouring
 * moments, so that their sum is exactly the latency.  A moment that did not happen (a read fetches
 * no data) makes its stage 0.
 * Memory: the table grows with the commands between response and
 * completion, up to IOJOIN_ENTRIES_MAX; a command beyond that counts as not joined. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_IOJOIN_H
#define STORMGLASS_REPLAY_EXPLAIN_IOJOIN_H

#include "base/probe.h"

/* X(name, words, what it is) in the order of time, as far as the names go; the target's CPU works
 * up to three times: before and after it waits for buffers, and after the fetch. */
#define IOJOIN_STAGES(X)                                                                           \
    X(THROTTLE, "workload limit", "for an IOPS or bandwidth limit of the workload")                \
    X(SUBMIT, "submit", "host software, and the wait for room in the queue")                       \
    X(REQUEST, "request network", "command capsule to the target")                                 \
    X(TARGET, "target cpu", "target software before the media")                                    \
    X(BUFFERS, "buffer wait", "for data buffers of the target")                                    \
    X(WRS, "work request wait", "for data work requests of the target")                            \
    X(FETCH, "data fetch", "RDMA READ of a write's data")                                          \
    X(LIMIT, "limit wait", "for an IOPS or bandwidth limit of the namespace")                      \
    X(WAIT, "media wait", "queued in the medium")                                                  \
    X(MEDIA, "media service", "read or programmed")                                                \
    X(RESPOND, "respond", "target software after the media")                                       \
    X(RESPONSE, "response network", "data and response capsule to the host")                       \
    X(COMPLETE, "complete", "host software")

enum iojoin_stage {
#define X(name, words, about) IOJOIN_##name,
    IOJOIN_STAGES(X)
#undef X
        IOJOIN_STAGE_COUNT
};

enum { IOJOIN_ENTRIES_MAX = 1 << 18 };

struct iojoin_entry {
    struct probe_target_io io;
    bool taken;
};

struct iojoin {
    struct iojoin_entry *entries; /* open addressing, a power of two */
    uint32_t room, taken;
    uint64_t refused; /* no room was left */
};

void iojoin_init(struct iojoin *join);
void iojoin_fini(struct iojoin *join);

/* A later record of the same command takes the place of an earlier one. */
void iojoin_add(struct iojoin *join, const struct probe_target_io *io);

/* Finds the target's part, copies it and forgets it; false: there is none. */
bool iojoin_take(struct iojoin *join, const struct probe_host_io *io,
                 struct probe_target_io *found);

/* The stages of a command; `target` NULL: all between the capsules counts as REQUEST. */
void iojoin_stages(const struct probe_host_io *host, const struct probe_target_io *target,
                   time_ps stages[IOJOIN_STAGE_COUNT]);

const char *iojoin_stage_name(enum iojoin_stage stage);

#endif
