/* SPDX-License-Identifier: Apache-2.0
 * listener - a function that hears of events while a run is in progress, and may stop it.
 * The run itself is not affected: events come from the probe, in the order of the run whatever the
 * number of threads, and the digest stays the same. A stop takes effect at some moment after the
 * event. The function may be called by any thread of the run, but not by two at a time.
 * Clock: virtual time, ps. */
#ifndef STORMGLASS_REPLAY_RUN_LISTENER_H
#define STORMGLASS_REPLAY_RUN_LISTENER_H

#include "base/probe.h"
#include "scenarios/data/scenario.h"

#include <stdatomic.h>

/* name, word */
#define LISTENER_EVENTS(X)                                                                         \
    X(PACKET, "packet")       /* a frame leaves a port */                                          \
    X(DROP, "drop")           /* a frame is dropped */                                             \
    X(PAUSE, "pause")         /* a port sends XOFF */                                              \
    X(RESUME, "resume")       /* a port sends XON */                                               \
    X(PAUSED, "paused")       /* a port stops sending a priority */                                \
    X(CONTINUED, "continued") /* it sends again; `took`: the length of the pause */                \
    X(COMPLETED, "completed") /* a command or message completes; `took`: its latency */            \
    X(FAILED, "failed")       /* a command or message ends with an error */                        \
    X(STATE, "state")         /* an NVMe controller or queue changes state */                      \
    X(NOTE, "note")           /* the model reports a loss or an error */                           \
    X(PROGRESS, "progress")   /* some hundredths of a second of real time have passed */

enum listener_kind {
#define X(name, word) LISTENER_##name,
    LISTENER_EVENTS(X)
#undef X
        LISTENER_KINDS
};

extern const char *const listener_words[LISTENER_KINDS];

struct listener_event {
    enum listener_kind kind;
    time_ps at;
    const char *place;    /* "leaf0:p3", "host2"; "" if none; valid during the call, as `text` */
    const char *workload; /* NULL: of none */
    int priority;         /* -1: none */
    time_ps took;         /* -1: no duration */
    int64_t bytes;        /* of the frame or command; -1: none */
    const char *text;     /* one sentence */
};

struct listener {
    unsigned kinds; /* bit set of 1 << enum listener_kind */
    bool (*hear)(void *self, const struct listener_event *event); /* false: stop the run */
    void *self;
};

/* A listener at work. Owner: listening_fini. */
struct listening {
    struct probe probe; /* in place of `next`, which it calls first */
    const struct probe *next;
    const struct listener *listener;
    const struct scenario *scenario;
    uint32_t *host_of; /* by endpoint: its node */
    time_ps *since;    /* by port of all nodes and priority; TIME_NEVER: not paused */
    uint32_t *first_port;
    uint32_t endpoint_count;
    atomic_int stop; /* nonzero: end the run */
};

/* Do not move it; `next` must outlive it. */
void listening_init(struct listening *listening, const struct listener *listener,
                    const struct scenario *scenario, const struct probe *next);
void listening_fini(struct listening *listening);

void listening_progress(struct listening *listening, time_ps now, time_ps end);

#endif
