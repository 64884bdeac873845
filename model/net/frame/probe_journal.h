/* SPDX-License-Identifier: Apache-2.0
 * probe_journal - puts the model's probe calls into the order of events.
 * Within a window of time an executor may run one node ahead of another, so probe calls are not
 * made in the order of their events. A journal is the probe of an executor's nodes: it records each
 * call, payload included, with the order key of its event, and forwards the calls of a window to
 * the observer in the global order, which is independent of executors and threads. Calls made
 * between events are forwarded at once.
 * Memory: the calls of one window, 16 bytes for each node, and a number for each state machine that
 * ever existed. Owner: the world. */
#ifndef STORMGLASS_NET_FRAME_PROBE_JOURNAL_H
#define STORMGLASS_NET_FRAME_PROBE_JOURNAL_H

#include "base/probe.h"
#include "engine/event.h"

#include <stddef.h>

/* A recorded call: time, order key and position of its payload. */
struct probe_call {
    time_ps at;     /* time of the event that made the call */
    uint64_t order; /* order key of that event, or of an earlier one of its node at that time */
    size_t payload; /* offset in journal->bytes; ascending */
    uint32_t kind;
};

/* The highest order key among the events of a node that made calls at that time. */
struct probe_latest {
    time_ps at;
    uint64_t order;
};

struct probe_journal {
    struct probe probe;                 /* probe for the nodes; frame is NULL where the
                                         * observer's is */
    const struct probe *observer;       /* outlives the journal */
    const struct event *const *current; /* the executor's present event; points to NULL between
                                         * events */
    struct probe_call *calls;
    uint32_t call_count, call_room;
    uint32_t handed_on;       /* number of calls already forwarded in the present flush */
    struct probe_call *spare; /* buffer for sorting */
    uint32_t spare_room;
    unsigned char *bytes;
    size_t byte_count, byte_room;
    uint32_t *numbers; /* probe_state.number of machines */
    uint32_t number_count, number_room;
    struct probe_latest *latest; /* of each node, by its number */
    uint32_t latest_count, latest_room;
};

void probe_journal_init(struct probe_journal *journal, const struct probe *observer,
                        const struct event *const *current);
void probe_journal_fini(struct probe_journal *journal);

/* Sorts the calls; executors may sort their own journals concurrently. */
void probe_journal_sort(struct probe_journal *journal);

/* Forwards the calls of sorted journals with a common observer and forgets them. All events of the
 * window must have been executed, and none of a later one. */
void probe_journal_flush(struct probe_journal *const *journals, uint32_t count);

#endif
