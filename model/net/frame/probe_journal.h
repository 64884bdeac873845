/* SPDX-License-Identifier: Apache-2.0
 * probe_journal - what the model tells, brought into the order of events.
 * An executor may let one node go ahead of another, within a window of time, so the model's calls
 * of probes do not come in the order of their events.  A journal is the probe of an executor's
 * nodes: it keeps each call with the order of the event that makes it, payload and all, and hands
 * the calls of a window on to the observer in the one order that there is, which no executor and no
 * thread has a part in.  Calls that are made between events are handed on at once.
 * Memory: the calls of one window, and a number for each state machine that there ever was.  Owner:
 * the world. */
#ifndef STORMGLASS_NET_FRAME_PROBE_JOURNAL_H
#define STORMGLASS_NET_FRAME_PROBE_JOURNAL_H

#include "base/probe.h"
#include "engine/event.h"

#include <stddef.h>

/* A call that waits: by whom, and where its payload is. */
struct probe_call {
    time_ps at;     /* of the event that made it */
    uint64_t order; /* likewise */
    size_t payload; /* in journal->bytes; grows from call to call */
    uint32_t kind;
};

struct probe_journal {
    struct probe probe;                 /* for the nodes; frame is NULL where the observer's is */
    const struct probe *observer;       /* outlives the journal */
    const struct event *const *current; /* the executor's present event; NULL: between events */
    struct probe_call *calls;
    uint32_t call_count, call_room;
    uint32_t handed_on;       /* of them, while they are flushed */
    struct probe_call *spare; /* where they are sorted into */
    uint32_t spare_room;
    unsigned char *bytes;
    size_t byte_count, byte_room;
    uint32_t *numbers; /* probe_state.number of machines */
    uint32_t number_count, number_room;
};

void probe_journal_init(struct probe_journal *journal, const struct probe *observer,
                        const struct event *const *current);
void probe_journal_fini(struct probe_journal *journal);

/* Puts the calls in their order; each executor may do so with its own at the same time. */
void probe_journal_sort(struct probe_journal *journal);

/* Hands the calls of sorted journals, which have one observer, on to it and forgets them.  No event
 * of the window, and none of a later one, is left to any of them. */
void probe_journal_flush(struct probe_journal *const *journals, uint32_t count);

#endif
