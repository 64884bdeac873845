/* SPDX-License-Identifier: Apache-2.0
 * fake_verbs - verbs and time in memory, for tests of protocol code.
 * Two or more devices and one clock.  Every message takes the same time each way, nothing is
 * lost, and what a real device would refuse is refused: keys, rights, ranges, too short
 * receives, a missing receive (counted as RNR and retried when one is posted).  Not for the
 * RNIC's own tests. */
#ifndef STORMGLASS_TESTS_FAKE_VERBS_H
#define STORMGLASS_TESTS_FAKE_VERBS_H

#include "base/env.h"
#include "base/probe.h"
#include "rnic/verbs.h"

#include <stdbool.h>

#define FAKE_DELAY PS_PER_US /* of every message, one way */

enum { FAKE_DEVICES = 4, FAKE_LOG_MAX = 4096, FAKE_HEAD_BYTES = 64 };

struct fake_event;

/* One message as it arrived. */
struct fake_message {
    time_ps at;
    uint32_t from_ip;
    enum ibv_wr_opcode opcode;
    uint32_t length;
    uint32_t invalidated;                /* key, of a SEND_WITH_INV */
    unsigned char head[FAKE_HEAD_BYTES]; /* its first real bytes */
};

struct fake_world {
    time_ps now;
    uint64_t sequence;
    struct fake_event *events;
    struct verbs_device *devices[FAKE_DEVICES];
    struct env env;     /* of owner "fake" */
    struct probe probe; /* copied from probe_none; a test may set functions before it starts */
    struct fake_message log[FAKE_LOG_MAX];
    uint32_t logged; /* messages ever; the log keeps the first FAKE_LOG_MAX */
    uint32_t rnr;    /* messages that found no receive */
    uint32_t bad;    /* work requests that ended with another error than a flush */
    /* Changes a SEND as it arrives, for what no peer should send; NULL: none is changed. */
    void (*spoil)(struct fake_world *world, struct ibv_send_wr *wr, unsigned char *bytes,
                  uint32_t *length);
    bool silent;   /* messages are lost from now on, without an error */
    bool late_rtu; /* the passive side hears of ESTABLISHED long after the first data */
};

extern const struct verbs_ops fake_verbs;

void fake_init(struct fake_world *world);
void fake_fini(struct fake_world *world);
struct verbs_device *fake_device(struct fake_world *world, uint32_t ip);

/* How many memory regions, connections and shared receive queues it has that were not given back.
 */
unsigned fake_held(const struct verbs_device *device);

/* Runs what is due up to `until`; false when nothing is left at all. */
bool fake_run(struct fake_world *world, time_ps until);

/* Breaks every connection: both sides see flushes and DISCONNECTED. */
void fake_break(struct fake_world *world);

#endif
